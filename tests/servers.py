"""The embedded servers that a test's kernels and commands have started: left alone, each would idle for ten minutes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil

from spark_jupyter.server import shared_server


def end_servers(runtime: Path) -> None:
    """End those whose connection files are in this runtime directory of Jupyter's."""
    for path in runtime.glob("spark-jupyter-server*.json"):
        if (server := shared_server.read(path)) is None:
            continue
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(server.pid)
            if "spark_jupyter.server" in process.cmdline():  # a test may have planted the file
                process.terminate()
