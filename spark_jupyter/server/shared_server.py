"""The embedded server that a user's kernels share: find or start it.

The server writes a *connection file* (only its user may read it) in Jupyter's runtime directory, with its address and
its token, and removes it when it ends, which it does after idling. Who looks for a server reads the file and asks for a
proof that the process at that address knows the token, without sending the token: after a crash, the port may belong
to someone else.
"""

from __future__ import annotations

import contextlib
import errno
import http.client
import os
import secrets
import stat
import subprocess
import sys
import threading
import time
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from filelock import FileLock, Timeout
from jupyter_core.paths import jupyter_runtime_dir
from msgspec import Struct

from spark_jupyter import __version__
from spark_jupyter.exceptions import ServerError
from spark_jupyter.server.access_control import CHALLENGE, proof
from spark_jupyter.typed_decoders import decode_json

_MOST_READ = 2**16
_AS_IT_STANDS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # neither is on Windows

LOADING = 120.0
"""Seconds for a server whose engine has a file to examine first."""
IDLE = 600.0
"""Seconds without a connection after which a server started here ends."""


class LocalServer(Struct, frozen=True, kw_only=True):
    """A server as its connection file tells of it. ``engine`` is the name by which its engine was asked for; ``version`` is the
    package's."""

    url: str
    token: str
    pid: int
    engine: str
    version: str = __version__


def connection_file(engine: str = "recipes") -> Path:
    """File with the address of the user's server for this engine. Kernels that use different ones leave each other's alone."""
    other = "" if engine == "recipes" else f"-{sha256(engine.encode()).hexdigest()[:12]}"
    return Path(jupyter_runtime_dir()) / f"spark-jupyter-server{other}.json"


def find(*, engine: str = "recipes") -> LocalServer | None:
    """The user's server, if it runs with this engine, knows its own token and is of this version of the package. Waits 2 s at most."""
    server = read(connection_file(engine))
    if server is None or (server.version, server.engine) != (__version__, engine) or not _is_genuine(server):
        return None
    return server


def find_or_start(*, timeout: float = 20.0, idle: float = IDLE, engine: str = "recipes") -> LocalServer:
    """The user's server with this engine; it is started when there is none, or one that is of no use: crashed, or of another version.
    Who is connected to that one stays so until it has idled.

    Blocks for up to ``timeout`` seconds. ``engine`` says where its answers come from (see :func:`.engines.load`), ``idle`` after how many
    seconds without a connection it ends where it is started here. Raises :class:`~spark_jupyter.exceptions.ServerError`.
    """
    if server := find(engine=engine):
        return server
    deadline = time.monotonic() + timeout
    path = connection_file(engine)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        # Others who look for a server at this moment wait here, and find the one that was started.
        with FileLock(path.with_suffix(".lock"), timeout=timeout, mode=0o600):
            return find(engine=engine) or _start(path, deadline, idle, engine)
    except Timeout as error:
        raise ServerError(
            "Another process has been starting the embedded server for too long.", remedy="Try again."
        ) from error


def read(path: Path) -> LocalServer | None:
    """Read a connection file; None if there is none, or if another user wrote it."""
    try:
        with open(path, "rb", opener=_own) as file:
            return decode_json(file.read(_MOST_READ), LocalServer)
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return None


def _own(path: str, flags: int) -> int:
    """Open a file of this user's in the runtime directory, which others may be able to write to: no link, no pipe, no file of theirs."""
    descriptor = os.open(path, flags | _AS_IT_STANDS, 0o600)
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid()):
        return descriptor
    os.close(descriptor)
    raise PermissionError(errno.EPERM, "it is no file of yours", path)


def write(path: Path, server: LocalServer) -> None:
    """Write a connection file at once, whole, and readable by its user only."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(msgspec.json.encode(server))
    draft.replace(path)


def remove(path: Path, server: LocalServer) -> None:
    """Remove the connection file if it still tells of this server; it may be that of a successor by now."""
    if read(path) == server:
        path.unlink(missing_ok=True)


def _start(path: Path, deadline: float, idle: float, engine: str) -> LocalServer:
    log = path.with_suffix(".log")
    process = _spawn(path, log, idle, engine)
    # Somebody has to take note when it ends, or it stays in the process table.
    threading.Thread(target=process.wait, name="spark-jupyter-server-reaper", daemon=True).start()
    while time.monotonic() < deadline:
        server = read(path)
        if server is not None and server.pid == process.pid:
            return server
        if process.poll() is not None:
            raise ServerError(f"The embedded server ended at once: {_last_line(log)}", remedy=f"See {log}.")
        time.sleep(0.02)
    process.terminate()
    raise ServerError("The embedded server did not start in time.", remedy=f"Try again; or see {log}.")


def _spawn(path: Path, log: Path, idle: float, engine: str) -> subprocess.Popen[bytes]:
    # -P: a file of the user's in the current directory must not take the place of a module.
    command = [sys.executable, "-P", "-m", "spark_jupyter.server"]
    command += ["--connection-file", str(path), "--idle", str(idle), "--engine", engine]
    try:
        descriptor = _own(str(log), os.O_WRONLY | os.O_CREAT)
    except OSError as error:
        raise ServerError(
            f"The log {log} can't be opened: {error.strerror}.", remedy="Remove it, and try again."
        ) from error
    os.ftruncate(descriptor, 0)
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,  # the kernel's Ctrl-C is not the server's
            cwd=path.parent,  # not to hold the user's directory
        )
    except OSError as error:
        raise ServerError(
            f"Can't start {sys.executable}: {error}", remedy="Start it with 'spark-jupyter serve'."
        ) from error
    finally:
        os.close(descriptor)


def _is_genuine(server: LocalServer) -> bool:
    """True if the server at the address knows the token."""
    challenge = secrets.token_hex(16)
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=2)
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/healthz", headers={CHALLENGE: challenge})
            answer = decode_json(connection.getresponse().read(4096), dict[str, str])
        except (OSError, http.client.HTTPException, msgspec.MsgspecError, ValueError):
            return False
    return compare_digest(answer.get("proof", "").encode(), proof(server.token, challenge).encode())


def _last_line(log: Path) -> str:
    try:
        return (log.read_text(errors="replace").strip().splitlines() or ["it said nothing"])[-1]
    except OSError:
        return "its log can't be read"
