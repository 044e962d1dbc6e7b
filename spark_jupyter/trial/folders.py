"""The folder of a copy, seen from the kernel: made, measured while the copy runs, and cleared, also after a kernel that died.

A lock on the folder itself says that its kernel lives: the system gives it back with the process. The copy has no part in it.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress

_PREFIX = "spark-try-"
_YOUNG = 60.0
"""Seconds for which a folder without a lock may be one that is just being made."""
_MOST_FILES = 20_000


class Folder:
    """One copy's own folder. ``path`` is real."""

    def __init__(self) -> None:
        self.path = os.path.realpath(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = os.open(self.path, os.O_RDONLY)
        _try_lock(self._lock)

    def holds_more_than(self, size: int, *, pid: int) -> bool:
        """Whether its files take up more than ``size`` bytes, or are too many to count. Also those that process ``pid`` has open or mapped
        and that no longer have a name."""
        return _used(self.path, size) > size or _nameless(self.path, pid) > size

    def remove(self) -> None:
        """Take it away with all that is in it. Idempotent."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def clear_leftovers() -> None:
    """Take away the folders of copies whose kernel is gone. They are the user's own and nobody holds their lock."""
    root = tempfile.gettempdir()
    with suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.name.startswith(_PREFIX) and _is_left(entry):
                    shutil.rmtree(entry.path, ignore_errors=True)


def _is_left(entry: os.DirEntry[str]) -> bool:
    found = entry.stat(follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or time.time() - found.st_ctime < _YOUNG:
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
    """Bytes on the disk, counted until it is more than enough."""
    total = files = 0
    ahead = [path]
    while ahead and total <= enough:
        with suppress(OSError), os.scandir(ahead.pop()) as entries:
            for entry in entries:
                files += 1
                if entry.is_dir(follow_symlinks=False):
                    ahead.append(entry.path)
                with suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                if files > _MOST_FILES:
                    return enough + 1
    return total


def _nameless(path: str, pid: int) -> int:
    """Bytes of deleted files that a process still has open or mapped (Linux; elsewhere nothing is known)."""
    found: dict[int, int] = {}
    with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with suppress(OSError):
                there = os.stat(entry.path)
                if not there.st_nlink and os.readlink(entry.path).startswith(path):
                    found[there.st_ino] = there.st_blocks * 512
    with suppress(OSError), open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            if path in line and line.endswith("(deleted)\n"):
                span, _, _, _, inode, _ = line.split(maxsplit=5)
                start, end = (int(each, 16) for each in span.split("-"))
                found[int(inode)] = max(found.get(int(inode), 0), end - start)
    return sum(found.values())
