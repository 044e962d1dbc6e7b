"""Modules of tests that import nbformat, and the end of embedded servers, which would idle for ten minutes."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import psutil

from spark_jupyter.server import shared_server

SERVE = "import runpy, sys; sys.modules['rfc3987_syntax'] = None; runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"


def python_module(module: str, *options: str, python: str = sys.executable) -> list[str]:
    """What is to be started for a module that imports nbformat: as ``python -m``, but without the grammar that jsonschema would compile
    (see conftest.py)."""
    return [python, "-c", SERVE, module, *options]


def end_servers(runtime: Path) -> None:
    """End those whose connection files are in this runtime directory of Jupyter's."""
    for path in runtime.glob("spark-jupyter-server*.json"):
        if (server := shared_server.read(path)) is None:
            continue
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(server.pid)
            if "spark_jupyter.server" in process.cmdline():  # a test may have planted the file
                process.terminate()
