"""Socket of Jupyter's server for the kept keys of providers.

Kernels learn its path from their environment. It lies in Jupyter's runtime folder and answers this user alone; a copy of a kernel can't
reach it (docs/confinement.md).
"""

from __future__ import annotations

import atexit
import os
import socket
import socketserver
import threading
from contextlib import suppress
from pathlib import Path

import msgspec

from spark_jupyter.connection.kept_keys import VARIABLE, KeptKeys, KeyAnswer, KeyRequest, own_keys
from spark_jupyter.connection.peer_user import is_own_peer
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.typed_decoders import json_decoder

MOST_BYTES = 20_000
"""Of one request."""
_METHODS = frozenset({"place", "addresses", "get", "keep", "forget"})
_request = json_decoder(KeyRequest)


def answer(keys: KeptKeys, line: bytes) -> KeyAnswer:
    try:
        request = _request.decode(line)
        if request.method not in _METHODS:
            raise TypeError(request.method)
        return KeyAnswer(result=getattr(keys, request.method)(*request.arguments))
    except ConfigurationError as error:
        return KeyAnswer(error=error.message, remedy=error.remedy)
    except (msgspec.DecodeError, UnicodeError, RecursionError, TypeError):
        return KeyAnswer(error="That is no request for a key.")


def serve_keys(folder: Path, keys: KeptKeys | None = None) -> str:
    """Serve the kept keys from a socket in ``folder``, and name it to the kernels that this process starts. Returns its path; empty where
    the system has no such sockets, or the path is too long for one."""
    if not hasattr(socket, "AF_UNIX"):
        return ""
    kept = keys or own_keys("Jupyter's server")
    path = folder / f"spark-keys-{os.getpid()}"

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(ConnectionError):  # who asked has gone
                if is_own_peer(self.request):
                    self.wfile.write(msgspec.json.encode(answer(kept, self.rfile.readline(MOST_BYTES))) + b"\n")

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        server = socketserver.ThreadingUnixStreamServer(str(path), Handler, bind_and_activate=False)
        server.server_bind()
        path.chmod(0o600)  # before it listens
        server.server_activate()
    except OSError:
        return ""
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True, name="spark-keys").start()
    atexit.register(_remove, path)
    os.environ[VARIABLE] = str(path)
    return str(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
