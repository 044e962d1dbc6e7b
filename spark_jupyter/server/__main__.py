"""``python -m spark_jupyter.server``: the embedded server as a process of its own.

It prints one JSON line, ``{"url": "ws://…/v1/responses", "token": …}``, when it is ready. A token is better given in
the environment (``SPARK_SERVER_TOKEN``) than on a command line that other users can list.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from spark_jupyter.exceptions import SparkError
from spark_jupyter.server import shared_server
from spark_jupyter.server.app import ServerInfo
from spark_jupyter.server.server_runner import run


def main() -> int:
    """Read the command line and serve. Returns the exit code."""
    options = _parser().parse_args()
    try:
        with _announced(options.connection_file, options.engine) as ready:
            run(
                ready=ready,
                idle=options.idle,
                host=options.host,
                port=options.port,
                token=options.token or os.environ.get("SPARK_SERVER_TOKEN"),
                engine=options.engine,
                rate=options.rate,
                books=options.book,
            )
    except SparkError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


@contextlib.contextmanager
def _announced(path: Path | None, engine: str) -> Iterator[Callable[[ServerInfo], None]]:
    """Say that the server is ready: on the standard output, or in a connection file that goes when the server does."""
    written: list[shared_server.LocalServer] = []

    def ready(info: ServerInfo) -> None:
        if path is None:
            print(msgspec.json.encode(info).decode(), flush=True)
            return
        written.append(shared_server.LocalServer(url=info.url, token=info.token, pid=os.getpid(), engine=engine))
        shared_server.write(path, written[0])

    try:
        yield ready
    finally:
        if path is not None and written:
            shared_server.remove(path, written[0])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m spark_jupyter.server", description="The embedded server.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--token", help="made if not given")
    parser.add_argument(
        "--engine", default="recipes", help="'recipes' or 'script:FILE.json' (see spark_jupyter.server.engines)"
    )
    parser.add_argument("--rate", type=float, help="tokens a second for each answer; no limit if not given")
    parser.add_argument("--book", type=Path, action="append", default=[], help="a directory of recipe books")
    parser.add_argument("--connection-file", type=Path, help="say where the server is in this file, not on the output")
    parser.add_argument("--idle", type=float, help="end after so many seconds without a connection")
    return parser


if __name__ == "__main__":
    sys.exit(main())
