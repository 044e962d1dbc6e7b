"""Temporary folder of a copy: creation, size check, removal.

A lock on the folder itself says that its kernel lives: the system releases it with the process, so folders of dead kernels can be cleared.
The copy has no part in it.
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
import time
from contextlib import suppress

_PREFIX = "spark-try-"
_YOUNG = 5.0
"""Seconds for which a folder without a lock may be one that is just being made."""
_MOST_FILES = 20_000
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Folder:
    """One copy's own folder. ``path`` is real."""

    def __init__(self) -> None:
        self.path = os.path.realpath(tempfile.mkdtemp(prefix=_PREFIX))
        self._free = _free(self.path)
        try:
            self._lock = os.open(self.path, os.O_RDONLY)
        except OSError:  # no descriptor is left
            os.rmdir(self.path)
            raise
        _try_lock(self._lock)

    def holds_more_than(self, size: int, *, pid: int) -> bool:
        """True if its files take up more than ``size`` bytes, or are too many to count. Also those that process ``pid`` has open or
        mapped and that no longer have a name. How large a file is that is only mapped nobody can see: where there is one, all counts that
        the disk has less than in the beginning."""
        if _used(self.path, size) > size:
            return True
        held, unclear = _nameless(self.path, pid)
        return held > size or (unclear and self._free - _free(self.path) > size)

    def remove(self) -> None:
        """Take it away with all that is in it. Idempotent."""
        if self._lock >= 0:
            _remove(self.path)
            os.close(self._lock)
            self._lock = -1


def clear_leftovers() -> None:
    """Take away the folders of copies whose kernel is gone. They are the user's own and nobody holds their lock. What is too young to
    tell is looked at again: the kernel may have died a moment ago."""
    if not hasattr(os, "fork"):
        return  # there are no copies, and none of what follows
    root = tempfile.gettempdir()
    for again in (True, False):
        young = False
        with suppress(OSError), os.scandir(root) as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.name.startswith(_PREFIX) and _is_left(entry):
                        if time.time() - entry.stat(follow_symlinks=False).st_ctime < _YOUNG:
                            young = True
                        else:
                            _remove(entry.path)
        if not (young and again):
            return
        time.sleep(_YOUNG)


def _is_left(entry: os.DirEntry[str]) -> bool:
    found = entry.stat(follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        return False
    descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        return _try_lock(descriptor)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _used(path: str, enough: int) -> int:
    """Bytes on the disk, counted until it is more than enough. What can't be looked into (a folder that its maker closed, or with a path
    too long to have one) may hold anything, and is more than enough."""
    total = files = 0
    ahead = [path]
    while ahead and total <= enough:
        try:
            with os.scandir(ahead.pop()) as entries:
                for entry in entries:
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        ahead.append(entry.path)
                    with suppress(FileNotFoundError):
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if files > _MOST_FILES:
                        return enough + 1
        except (FileNotFoundError, NotADirectoryError):
            continue  # gone meanwhile
        except OSError:
            return enough + 1
    return total


def _remove(path: str) -> None:
    """Remove a folder with all that is in it, of any depth and mode: entries of inner folders are moved up first. Nobody writes
    there any more. What can't be removed stays."""
    with suppress(OSError):
        os.rmdir(path)  # without a descriptor, of which there may be none left
        return
    with suppress(OSError):
        os.chmod(path, 0o700)
        top = os.open(path, _FOLDER)
        try:
            ahead = _without_files(top)
            while ahead:
                with suppress(OSError):
                    ahead += _brought_up(top, ahead.pop())
        finally:
            os.close(top)
        os.rmdir(path)


def _brought_up(top: int, name: str) -> list[str]:
    """Remove a folder in ``top``; the names there of the folders that were in it."""
    os.chmod(name, 0o700, dir_fd=top)
    folder = os.open(name, _FOLDER, dir_fd=top)
    try:
        moved = {each: secrets.token_hex(8) for each in _without_files(folder)}
        for each, fresh in moved.items():
            os.chmod(each, 0o700, dir_fd=folder)  # who can't write into it can't move it
            os.rename(each, fresh, src_dir_fd=folder, dst_dir_fd=top)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)
    return list(moved.values())


def _without_files(folder: int) -> list[str]:
    """The folders in a folder, in which nothing else is left."""
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        if not is_folder:
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in entries if is_folder]


def _free(path: str) -> int:
    disk = os.statvfs(path)
    return disk.f_bfree * disk.f_frsize


def _nameless(path: str, pid: int) -> tuple[int, bool]:
    """Bytes of deleted files that a process still has open or mapped (Linux; elsewhere nothing is known). True behind it: one of them is
    only mapped, and may be larger."""
    found: dict[int, int] = {}
    unclear = False
    with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with suppress(OSError):
                there = os.stat(entry.path)
                if not there.st_nlink and os.readlink(entry.path).startswith(path):
                    found[there.st_ino] = there.st_blocks * 512
    mapped: dict[int, int] = {}
    with suppress(OSError), open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            if path in line and line.endswith("(deleted)\n"):
                span, _, _, _, number, _ = line.split(maxsplit=5)
                start, end = (int(each, 16) for each in span.split("-"))
                inode = int(number)
                unclear = unclear or inode not in found
                mapped[inode] = mapped.get(inode, 0) + end - start
    for inode, size in mapped.items():
        found[inode] = max(found.get(inode, 0), size)
    return sum(found.values()), unclear
