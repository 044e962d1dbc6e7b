"""File history: contents of the working folder's files at each moment, and their return.

Only what runs have written comes back: a file is left alone that something else has written since. Links are never followed, files with
several names and notebooks never touched, and all is opened from the folder downwards, so nothing outside of it is read or written.
Contents are shared with the file where the file system can do that, else copied; they go with the last moment that has them.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import stat
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import NamedTuple

from spark_jupyter.sandbox.scratch_folder import Folder

MOST_FILES = 2_000
"""Files and folders: where there are more none comes back."""
_MOST_BYTES, _MOST_OF_ONE = 256 << 20, 64 << 20
"""Copied bytes of all files, and of one: what is larger does not come back unless the file system shares contents."""
_CLONE = 0x40049409
"""FICLONE of Linux (``linux/fs.h``): btrfs, XFS, bcachefs."""
_DEEPEST = 100
"""Folders within folders: each takes a descriptor, and before Python 3.12 a frame. What is deeper does not come back."""
_TICK = 0.012
"""Seconds: a file that was written less than that ago could be written once more without looking younger."""
WRITTEN_AFTER = 1.0
"""Seconds after a run in which a file counts as written by it: a file system may tell the time late, and a buffer be written."""
_IN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_Key = tuple[int, ...]
"""What tells that a file was written: inode, size, mode, times; empty for a folder."""


class _Content:
    """A stored content, which ends with its last moment. Not in another process that inherits it."""

    def __init__(self, path: str, copied: int) -> None:
        self.path, self.copied = path, copied
        weakref.finalize(self, _remove, path, os.getpid())


def _remove(path: str, process: int) -> None:
    if os.getpid() == process:
        with suppress(OSError):
            os.unlink(path)


class _Held(NamedTuple):
    """A file with its content, or a folder, or nothing."""

    key: _Key
    content: _Content | None


_NOTHING: _Key = (0,)
_GONE = _Held(_NOTHING, None)


def _is_lost(held: _Held) -> bool:
    """True if it is a file whose content is not kept."""
    return len(held.key) > 1 and held.content is None


class FileState(NamedTuple):
    """The files at one moment, by path from the folder; ``whole`` is False where they are too many."""

    files: Mapping[str, _Held]
    whole: bool = True


class FileChanges(NamedTuple):
    """Files that come back, files that go again, and those that stay as they are although they differ."""

    back: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()


class FileHistory:
    """History of the files in one folder."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        self._folder = Folder()
        self._number = 0
        self._contents: weakref.WeakValueDictionary[_Key, _Content] = weakref.WeakValueDictionary()
        self._ours: dict[str, _Key] = {}
        """What runs, and returns, have left of a file."""
        self._last = FileState({}, whole=False)
        self.state()

    def close(self) -> None:
        """Drop all contents. Idempotent."""
        self._folder.remove()

    def state(self) -> FileState:
        """The files as they are now, with their contents; none where the folder is gone."""
        try:
            return self._seen()
        except OSError:
            self._last = FileState({}, whole=False)
            return self._last

    def _seen(self) -> FileState:
        if not self._last.whole and self._keys() is None:
            return self._last  # nothing is copied for nothing
        files: dict[str, _Held] = {}
        for path, key, name, folder in _found(self._root):
            hidden = not key or name.startswith(".")  # it may hold keys: of those no second copy is made
            content = None if hidden else self._contents.get(key) or self._keep(key, name, folder)
            files[path] = _Held(key, content)
            if len(files) > MOST_FILES:
                self._last = FileState({}, whole=False)
                return self._last
        if time.time_ns() - max((one.key[-1] for one in files.values() if one.key), default=0) < _TICK * 1e9:
            time.sleep(_TICK)
        self._last = FileState(files)
        return self._last

    def ran(self, before: FileState) -> None:
        """A run has ended that began with this state: what differs is its doing."""
        now = self._keys()
        if now is not None and before.whole:
            was = {path: one.key for path, one in before.files.items()}
            paths = (path for path in was.keys() | now.keys() if was.get(path) != now.get(path))
            self._ours |= {path: now.get(path, _NOTHING) for path in paths}

    @property
    def problem(self) -> str:
        """Why no file comes back, in a sentence; empty where they do."""
        if self._last.whole:
            return ""
        if not os.path.isdir(self._root):
            return "Files do not come back: the folder is gone."
        return f"Files do not come back: the folder holds more than {MOST_FILES:,}."

    def changes(self, then: FileState) -> FileChanges | None:
        """What a return changes; None where the files are too many."""
        now = self.state()
        if not (now.whole and then.whole):
            return None
        back, gone, stays = list[str](), list[str](), list[str]()
        for path in sorted(then.files.keys() | now.files.keys()):
            was, held = then.files.get(path, _GONE), now.files.get(path, _GONE)
            if was.key == held.key or (was.content is not None and was.content is held.content):
                continue
            if path not in self._ours or self._ours[path] != held.key:
                stays += [path] if len(held.key) > 1 else []
            elif _is_lost(was) or _is_lost(held):  # or there were no way forth
                stays.append(path)
            else:
                (gone if was is _GONE else back).append(path)
        return FileChanges(tuple(back), tuple(gone), tuple(stays))

    def bring_back(self, then: FileState, changes: FileChanges) -> None:
        """Do it, all or nothing. Raises OSError where nothing was changed."""
        if not (changes.back or changes.gone):
            return
        keys = self._keys() or {}
        if any(self._ours.get(path) != keys.get(path, _NOTHING) for path in (*changes.back, *changes.gone)):
            raise OSError("a file was written meanwhile")
        try:
            self._replace({path: then.files[path] for path in changes.back}, changes.gone)
        finally:  # what was moved away and back looks otherwise, too
            now = self._keys() or {}
            self._ours |= {path: now.get(path, _NOTHING) for path in (*changes.back, *changes.gone)}
        for path in changes.back:
            was, key = then.files[path], now.get(path, _NOTHING)
            if was.content is not None and was.key[1:4] == key[1:4]:
                self._contents[key] = was.content

    def _replace(self, wanted: Mapping[str, _Held], gone: Sequence[str]) -> None:
        with ExitStack() as opened, _Place(self._root, opened) as place:
            try:
                ready = {path: place.stage(one) for path, one in wanted.items() if one.content is not None}
                for path in reversed(gone):
                    place.clear(path)
                for path in wanted:  # a folder before what is in it
                    place.clear(path)
                    place.fill(path, ready.get(path))
            except BaseException:  # Ctrl-C, too
                place.undo()
                raise

    def _keys(self) -> dict[str, _Key] | None:
        """None where there are too many, or the folder is gone."""
        keys: dict[str, _Key] = {}
        with suppress(OSError):
            for path, key, _, _ in _found(self._root):
                keys[path] = key
                if len(keys) > MOST_FILES:
                    return None
            return keys
        return None

    def _keep(self, key: _Key, name: str, folder: int) -> _Content | None:
        """Store a content; None where that is too much, or the file changes meanwhile."""
        self._number += 1
        path = os.path.join(self._folder.path, str(self._number))
        room = _MOST_BYTES - sum(one.copied for one in set(self._contents.values()))
        size = key[1]
        try:
            with os.fdopen(os.open(name, _IN, dir_fd=folder), "rb") as source, open(path, "xb") as target:
                copied = _copy(source.fileno(), target.fileno(), most=min(room, _MOST_OF_ONE), size=size)
                unchanged = _key(os.fstat(source.fileno())) == key
        except OSError:
            unchanged, copied = False, 0
        content = _Content(path, copied)  # what can't be used goes at once
        if not unchanged:
            return None
        self._contents[key] = content
        return content


class _Place:
    """The folder while files come back: new contents, and old ones until all is done, wait in a hidden folder of it."""

    def __init__(self, root: str, opened: ExitStack) -> None:
        self._opened = opened
        self._folders = {"": self._open(root, None)}
        self._name = f".spark-back-{secrets.token_hex(6)}"
        self._count = 0
        self._done: list[Callable[[], object]] = []

    def __enter__(self) -> _Place:
        os.mkdir(self._name, 0o700, dir_fd=self._folders[""])
        self._stage = self._open(self._name, self._folders[""])
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._name, ignore_errors=True, dir_fd=self._folders[""])

    def undo(self) -> None:
        """Have all as it was. Raises OSError where something can't be: then the folder of old contents stays, and is named."""
        left = self._done[::-1]
        try:
            for step in left:
                step()
        except OSError as error:
            kept = f"{self._name}-kept"
            os.rename(self._name, kept, src_dir_fd=self._folders[""], dst_dir_fd=self._folders[""])
            raise OSError(error.errno, f"{error.strerror}; files that were not put back are in {kept}") from error

    def stage(self, held: _Held) -> str:
        """Have a content at hand; its name."""
        assert held.content is not None
        name = self._fresh()
        made = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=self._stage)
        with os.fdopen(made, "wb") as target, open(held.content.path, "rb") as source:
            _copy(source.fileno(), made, most=held.key[1], size=held.key[1])
            os.fchmod(target.fileno(), held.key[2] & 0o777)
            os.utime(target.fileno(), ns=(held.key[3], held.key[3]))
        return name

    def clear(self, path: str) -> None:
        """Remove the file at a path; a folder only if it is empty."""
        with suppress(FileNotFoundError):
            parent, name = self._parent(path)
            if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
                self._move(path, self._fresh(), out=True)
                return
            with suppress(OSError):
                os.rmdir(name, dir_fd=parent)
                self._folders.pop(path, None)
                self._done.append(lambda: self._make(path))

    def fill(self, path: str, staged: str | None) -> None:
        """Put a file there that waits, or make a folder."""
        if staged is None:
            self._make(path)
        else:
            self._move(path, staged)

    def _move(self, path: str, staged: str, *, out: bool = False) -> None:
        """Move what waits to its place, or ``out`` of it."""
        parent, name = self._parent(path, make=True)
        here, there = (name, parent), (staged, self._stage)
        source, target = (here, there) if out else (there, here)
        os.rename(source[0], target[0], src_dir_fd=source[1], dst_dir_fd=target[1])
        self._done.append(lambda: self._move(path, staged, out=not out))

    def _make(self, path: str) -> None:
        parent, name = self._parent(path, make=True)
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
            self._done.append(lambda: self.clear(path))

    def _parent(self, path: str, *, make: bool = False) -> tuple[int, str]:
        """The folder of a path, which is opened step by step: no link leads out."""
        folder, _, name = path.rpartition("/")
        if folder not in self._folders:
            if make:
                self._make(folder)
            above, inner = self._parent(folder)
            self._folders[folder] = self._open(inner, above)
        return self._folders[folder], name

    def _open(self, name: str, above: int | None) -> int:
        folder = os.open(name, _FOLDER, dir_fd=above)
        self._opened.callback(os.close, folder)
        return folder

    def _fresh(self) -> str:
        self._count += 1
        return str(self._count)


def _found(root: str) -> Iterator[tuple[str, _Key, str, int]]:
    """Path, key, name, and the descriptor of its folder, of each file and folder that may come back."""
    for above, folders, names, descriptor in os.fwalk(root, follow_symlinks=False):
        below = os.path.relpath(above, root)
        deep = below.count(os.sep) > _DEEPEST
        folders[:] = [name for name in folders if not (deep or name.startswith((".", "__")))]
        inside = "" if below == "." else f"{below}/"
        if inside:
            yield below, (), "", -1
        for name in names:
            with suppress(OSError):
                found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                if stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and not name.endswith(".ipynb"):
                    yield inside + name, _key(found), name, descriptor


def _key(found: os.stat_result) -> _Key:
    return found.st_ino, found.st_size, found.st_mode, found.st_mtime_ns, found.st_ctime_ns


def _copy(source: int, target: int, *, most: int, size: int) -> int:
    """Share or copy a content; how many bytes were copied. Raises OSError where they are more than ``most``."""
    with suppress(OSError):
        fcntl.ioctl(target, _CLONE, source)
        return 0
    if size > most:
        raise OSError("The file is too large to be copied.")
    copied = 0
    while copied <= size and (data := os.read(source, 1 << 20)):
        view = memoryview(data)
        while view:
            view = view[os.write(target, view) :]
        copied += len(data)
    return copied


def files_written(folder: str, spans: Sequence[tuple[float, float]]) -> tuple[str, ...]:
    """Files below a folder that were written in these spans of time: of runs, from their beginnings to their ends."""
    found: list[str] = []
    ahead, looked = [folder], 0
    while ahead and looked < MOST_FILES:
        with suppress(OSError), os.scandir(ahead.pop()) as entries:
            for entry in entries:
                looked += 1
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        ahead += [] if entry.name.startswith((".", "__")) else [entry.path]
                        continue
                    written = entry.stat(follow_symlinks=False).st_mtime
                    if any(begin - 0.01 <= written <= end + WRITTEN_AFTER for begin, end in spans):
                        found.append(os.path.relpath(entry.path, folder))
    return tuple(sorted(found))
