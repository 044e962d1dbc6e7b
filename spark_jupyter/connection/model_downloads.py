"""Models to download, each in a process of its own.

A process can be stopped at once; what came is kept, and the next download goes on there.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from spark_jupyter.connection.model_download import catalogue, draft_of, known_model
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.provider_messages import ModelDownload, ModelOffer

LOOK = 0.5
"""Seconds between two looks at how much is there."""
NOT_ALLOWED = "Model files are not allowed on this Jupyter. Ask your administrators."


def offers(folder: Path) -> tuple[ModelOffer, ...]:
    """The catalogue of model files, with how much of each is in a folder."""
    from spark_jupyter.server.engines.llama_options import free_memory

    models, free = catalogue(), free_memory()
    fitting = [name for name, one in models.items() if one.fits(free)]
    return tuple(
        ModelOffer(
            name=name,
            title=one.title,
            gigabytes=one.gigabytes,
            memory=round(one.memory, 1),
            context=one.context,
            licence=one.licence,
            good_for=one.good_for,
            fills_in=one.fills_in,
            path=str(one.path(folder)) if one.path(folder).exists() else "",
            fits=name in fitting[-1:],
        )
        for name, one in models.items()
    )


async def downloading(name: str, folder: Path, *, allowed: bool) -> AsyncIterator[ModelDownload]:
    """Progress of the download of a model of the catalogue; the last one says that it is done, or what went wrong.

    Cancelled or closed, it ends the process."""
    try:
        draft = draft_of(known_model(name), folder)
    except ConfigurationError as error:
        yield ModelDownload(name=name, problem=str(error))
        return
    if not allowed:
        yield ModelDownload(name=name, problem=NOT_ALLOWED)
        return
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "spark_jupyter.ui.cli.main", "model", "get", name, "--folder", str(folder)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    ending = asyncio.ensure_future(process.communicate())
    try:
        while not ending.done():
            await asyncio.wait({ending}, timeout=LOOK)
            yield ModelDownload(name=name, gigabytes=draft.stat().st_size / 1e9 if draft.exists() else 0.0)
        _, said = ending.result()
        yield (
            ModelDownload(name=name, problem=_last_line(said))
            if process.returncode
            else ModelDownload(name=name, done=True)
        )
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def _last_line(said: bytes) -> str:
    """What the process said last: why it failed."""
    lines = said.decode("utf-8", "replace").replace("\r", "\n").split("\n")
    told = next((line for line in reversed(lines) if line.strip()), "The download failed, and said nothing.")
    return told.removeprefix("spark-jupyter: ")[:500]
