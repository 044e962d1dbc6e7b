"""Audit hook that explains refused actions in a copy.

Python's audit events (PEP 578) are listed in https://docs.python.org/3/library/audit_events.html. A refused one raises :class:`Refused`, a
PermissionError, so that code which copes with a missing permission goes on. The hook is no wall: native code raises no audit events, and
Python can patch it. The walls are in :mod:`spark_jupyter.sandbox.walls`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from spark_jupyter.protocol.values import Effect, Permission
from spark_jupyter.sandbox.copy.font_cache import LISTERS
from spark_jupyter.sandbox.copy.isolation import path_of
from spark_jupyter.sandbox.limit_sentences import Limit
from spark_jupyter.sandbox.walls.allowed_paths import Places

try:
    import _posixshmem  # type: ignore[import-not-found]  # Python's own, which typeshed leaves out
except ImportError:  # a Python without shared memory
    _posixshmem = None

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MOST = 200
"""So many effects of a kind are reported one by one."""


class Refused(PermissionError):
    """A Try does not do this unless it is allowed. ``limit`` says so as what the code does."""

    limit = Limit("it does what a copy may not do")


class Audit:
    """The hook. Install it once, in the copy only: an audit hook can't be taken away."""

    def __init__(self, places: Places, *, allow: Sequence[Permission], report: Callable[[Effect], None]) -> None:
        self._places = places
        self._allow = frozenset(allow)
        self._report = report
        self._seen: set[tuple[str, str, str]] = set()
        self._watching = False
        self.refused: list[Permission] = []
        """Permissions that the refused actions needed, in order."""
        self.installs = False
        """True if packages were to be installed."""
        self.limits: list[Limit] = []
        """The same as sentences."""
        self._shm_open: Callable[..., int] = _replace_shm_open(self.shared_memory)
        self._handlers: dict[str, Callable[[tuple[Any, ...]], None]] = {
            "open": self._open,
            "os.listdir": self._list,
            "os.scandir": self._list,
            "os.remove": self._removed,
            "os.rmdir": self._removed,
            "os.mkdir": lambda args: None if os.path.isdir(args[0]) else self._file("written", args[0], args[2]),
            "os.rename": self._moved,
            "os.link": self._moved,
            "os.symlink": lambda args: self._file("written", args[1], args[2]),
            "os.truncate": lambda args: self._file("changed", args[0]),
            "os.chmod": lambda args: self._file("changed", args[0], args[2]),
            "os.chown": lambda args: self._file("changed", args[0], args[3]),
            "os.utime": lambda args: self._file("changed", args[0], args[3]),
            "os.setxattr": lambda args: self._file("changed", args[0]),
            "os.removexattr": lambda args: self._file("changed", args[0]),
            "sqlite3.connect": self._database,
            "socket.connect": self._connect,
            "socket.bind": self._connect,
            "socket.sendto": self._connect,
            "socket.sendmsg": self._connect,
            "socket.getaddrinfo": lambda args: self._peer(args[0], args[1]) if args[0] else None,
            "socket.gethostbyname": lambda args: self._peer(args[0], None),
            "socket.gethostbyaddr": lambda args: self._peer(args[0], None),
            "socket.getnameinfo": lambda args: self._peer(args[0][0], args[0][1]),
            "subprocess.Popen": self._program,
            "os.system": lambda args: self._shell(_text(args[0])),
            "os.exec": lambda args: self._shell(" ".join(map(_text, args[1]))),
            "os.posix_spawn": lambda args: self._shell(" ".join(map(_text, args[1]))),
            "os.spawn": lambda args: self._shell(" ".join(map(_text, args[2]))),
            "os.fork": lambda args: self._shell("fork of the process"),
            "os.forkpty": lambda args: self._shell("fork of the process"),
            "os.kill": self._kill,
            "os.killpg": lambda args: self._shell(f"signal {args[1]} to the process group {args[0]}"),
        }

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        handler = self._handlers.get(event) if self._watching else None
        if handler is None:
            return
        try:
            handler(args)
        except Refused as refused:
            raise refused.with_traceback(None) from None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Refuse and report within this block."""
        self._watching = True
        try:
            yield
        finally:
            self._watching = False

    # --- files -------------------------------------------------------------------------------------------------------

    def _open(self, args: tuple[Any, ...]) -> None:
        path, _mode, flags = args
        if isinstance(path, int):
            return
        if isinstance(flags, int) and flags & _WRITES:
            self._file("written", path)
        else:
            self._read(path)

    def _read(self, path: Any) -> None:
        """Check a read. The system reports a missing file, because code looks for files in many places; an allowed read is no effect."""
        place = os.path.realpath(_text(path))
        if "read" not in self._allow and os.path.exists(place) and not self._places.may_read(place):
            self._effect("file", "read", place, "read")

    def _list(self, args: tuple[Any, ...]) -> None:
        path = "." if args[0] is None else args[0]
        if not isinstance(path, int) and os.path.realpath(_text(path)) not in self._places.listed:
            self._read(path)

    def _removed(self, args: tuple[Any, ...]) -> None:
        self._file("removed", args[0], args[1])

    def _moved(self, args: tuple[Any, ...]) -> None:
        source, target, source_dir, target_dir = args
        inside = self._inside(_place(source, source_dir)) and self._inside(_place(target, target_dir))
        if not inside:
            after = _shown(_place(target, target_dir))
            self._effect("file", "moved", _shown(_place(source, source_dir)), "files", after=after)

    def _file(self, action: str, path: Any, folder: Any = -1) -> None:
        if isinstance(path, int):
            return  # an open file is the copy's own
        place = _place(path, folder)
        if not self._inside(place):
            self._effect("file", action, _shown(place), "files")

    def _inside(self, place: str) -> bool:
        return self._places.is_own(place)

    def _database(self, args: tuple[Any, ...]) -> None:
        """SQLite opens its files in native code: a new file would be made there, so it is refused here."""
        name = _text(args[0])
        if name in ("", ":memory:") or name.startswith("file:") or os.path.exists(name):
            return
        self._file("written", name)

    def shared_memory(self, path: str, flags: int, mode: int = 0o777) -> int:
        """In the place of ``_posixshmem.shm_open``, which raises no audit event: what it opens other processes see."""
        self._effect("file", "changed", "/dev/shm" + _text(path), "files")
        return self._shm_open(path, flags, mode=mode)

    # --- network and programs ------------------------------------------------------------------------------------------

    def _connect(self, args: tuple[Any, ...]) -> None:
        address = args[1] if len(args) > 1 else None
        if address is None:
            return
        if isinstance(address, tuple):
            self._peer(address[0], address[1] if len(address) > 1 else None)
        else:
            self._effect("network", "used", _text(address), "network")

    def _peer(self, host: Any, port: Any) -> None:
        name = _text(host) + (f":{port if isinstance(port, int) else _text(port)}" if port not in (None, 0, "") else "")
        self._effect("network", "used", name, "network")

    def _program(self, args: tuple[Any, ...]) -> None:
        words = [args[1]] if isinstance(args[1], (str, bytes)) else list(args[1])
        command = " ".join(map(_text, words))
        if words and os.path.basename(_text(words[0])) in LISTERS and "shell" not in self._allow:
            raise Refused("A Try lists no fonts.")  # no effect: whoever asks does without
        texts = command.split()  # a shell's command is one word of its arguments
        if "install" in texts and any("pip" in os.path.basename(text) for text in texts[: texts.index("install")]):
            wanted = [text for text in texts[texts.index("install") + 1 :] if not text.startswith("-")]
            self.installs = True
            self._effect("package", "new", " ".join(wanted) or "pip install", "shell")
        self._shell(command)

    def _shell(self, command: str) -> None:
        self._effect("shell", "used", command[:400], "shell")

    def _kill(self, args: tuple[Any, ...]) -> None:
        if args[0] != os.getpid():
            self._shell(f"signal {args[1]} to process {args[0]}")

    def _effect(self, kind: Any, action: Any, name: str, needed: Permission, *, after: str = "") -> None:
        refused = needed not in self._allow
        if (kind, action, name) not in self._seen and len(self._seen) < _MOST:
            self._seen.add((kind, action, name))
            self._report(Effect(kind=kind, action=action, name=name, after=after, refused=refused))
        if refused:
            error = Refused(f"A Try {_WHAT[needed]} ({name}), unless it is allowed: %spark try --allow {needed}")
            error.limit = Limit(f"{'it installs packages' if kind == 'package' else _LIMITS[needed]} ({name[:80]})")
            self.refused.append(needed)
            self.limits.append(error.limit)
            raise error


_WHAT = {
    "files": "changes no files",
    "network": "uses no network",
    "shell": "starts and stops no processes",
    "read": "reads only the working folder, Python's own files and what your own cells and prompts name",
}


_LIMITS = {
    "files": "it changes files",
    "network": "it uses the network",
    "shell": "it starts or stops processes",
    "read": "it reads outside the working folder",
}


def _replace_shm_open(replacement: Callable[..., int]) -> Callable[..., int]:
    if _posixshmem is None:
        return replacement
    original: Callable[..., int] = _posixshmem.shm_open
    _posixshmem.shm_open = replacement
    return original


def _place(path: Any, folder: Any = -1) -> str:
    text = _text(path)
    if isinstance(folder, int) and folder >= 0 and not os.path.isabs(text):
        try:
            path = path_of(folder)
            text = os.path.join(os.readlink(path) if os.path.islink(path) else path, text)
        except OSError:
            return text
    head, tail = os.path.split(os.path.abspath(text))
    return os.path.join(os.path.realpath(head), tail)


def _shown(place: str) -> str:
    """A path as a person wants to read it: from the working folder where it lies in there."""
    try:
        near = os.path.relpath(place)
    except FileNotFoundError:  # the working folder is gone
        return place
    return place if near.startswith("..") else near


def _text(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    try:
        return os.fsdecode(value)
    except TypeError:
        return type(value).__name__
