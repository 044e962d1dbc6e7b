"""Default options and memory needs of a model file.

A person reads them before anything is loaded. What a file says of itself is read by :mod:`.gguf`.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.server.engines import gguf
from spark_jupyter.typed_decoders import convert

MISSING = "pip install 'spark-jupyter[model]'"
BATCH = 16
"""Tokens of a prompt that are read at a time. A request is dropped between two, and larger ones gain little on a CPU: with SmolLM2-135M in
batches of 64 a token takes 5 % less, and a model that nobody waits for any more is free after 1.1 s instead of 0.2 s."""
BATCH_OF_A_GPU = 64
"""The same where a GPU computes layers, which small batches leave idle. Not measured."""
DEFAULT_CONTEXT = 8_192


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a model's server. ``context`` 0 is the window that the model was trained with, at most :data:`DEFAULT_CONTEXT`;
    ``threads`` 0 is as many as this process may use."""

    threads: int = 0
    context: int = 0
    gpu_layers: int = 0
    lanes: int = 2


def parse(argument: str) -> tuple[Path, Options]:
    """The file and the options in ``FILE.gguf?threads=2&context=4096``. Raises :class:`~spark_jupyter.exceptions.ConfigurationError`."""
    name, _, query = argument.partition(".gguf?")
    path = Path(f"{name}.gguf" if query else argument).expanduser()
    try:
        return path, convert(dict(parse_qsl(query, strict_parsing=bool(query))), Options, strict=False)
    except (ValueError, msgspec.ValidationError) as error:
        fields = ", ".join(Options.__struct_fields__)
        raise ConfigurationError(
            f"{query!r} is no way to run a model: {error}.", remedy=f"Available: {fields}."
        ) from None


def fitted(path: Path, options: Options) -> tuple[gguf.Model, Options]:
    """The header of a model's file, and the options for it with none left open.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` where there is no model in the file, the package that runs it is missing,
    or it does not fit: its context was not trained for, or there is no memory for it."""
    model = gguf.examine(path)
    if importlib.util.find_spec("xllamacpp") is None:
        raise ConfigurationError(
            "To run a model of your own, one more package is needed.", remedy=f"Install it: {MISSING}"
        )
    settled = _settled(options, model)
    if settled.context > model.trained:
        raise ConfigurationError(
            f"{model.name} was trained for a context of {model.trained:,} tokens, not {settled.context:,}.",
            remedy=f"Use --context {model.trained} or less.",
        )
    needed, free = _needed(model, settled), free_memory()
    if free is not None and needed > free:
        raise ConfigurationError(
            f"{model.name} does not fit: it needs about {_size(needed)} of memory, and {_size(free)} are free.",
            remedy="Take a smaller file; spark-jupyter serve runs it with a smaller --context, too.",
        )
    return model, settled


def statement_of(path: Path) -> str:
    """Sentence about the memory that a file takes with the default options.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` where there is no model in it."""
    model = gguf.examine(path)
    return statement(model, _settled(Options(), model))


def _settled(options: Options, model: gguf.Model) -> Options:
    return msgspec.structs.replace(
        options,
        threads=options.threads
        or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)),
        context=options.context or min(model.trained, DEFAULT_CONTEXT),
    )


def batch_of(options: Options) -> int:
    """Tokens of a prompt that are read at a time."""
    return BATCH_OF_A_GPU if options.gpu_layers else BATCH


def _needed(model: gguf.Model, options: Options) -> int:
    return model.memory(context=options.context, lanes=options.lanes, batch=batch_of(options))


def statement(model: gguf.Model, options: Options) -> str:
    """Sentence about the memory that a model takes with these options."""
    free = free_memory()
    has = f"; {_size(free)} are free" if free is not None else ""
    return (
        f"{model.name}: {_size(model.size)}, {options.context:,} tokens of context in {options.lanes} lanes, "
        f"about {_size(_needed(model, options))} of memory{has}. A small model is often wrong; it is private, and good to learn with."
    )


def free_memory() -> int | None:
    """Bytes that a new process may take (``MemAvailable`` of proc(5)); None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
