"""Named pipes, sockets and devices in the working folder.

Reading a pipe takes from another program what it waits for, so no copy is granted one. They are looked for before each fork; a folder in
which nothing has changed since is not read again.
"""

from __future__ import annotations

import functools
import os
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

_MOST_ENTRIES = 2_000
_SETTLED = 3_000_000_000
"""Nanoseconds after its last change from which on a folder counts as unchanged while it says the same: two changes within one tick of a
file system's clock look like one."""
_FOLDERS = 4_096


class _Seen(NamedTuple):
    """Content of a folder, as far as it was read: the number of entries, the paths of files and folders, of these the folders; if it has
    anything else but links."""

    entries: int
    plain: tuple[str, ...]
    folders: tuple[str, ...]
    other: bool


def without_pipes(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """The same places without what is neither a file nor a folder in them, and the folders whose entries then stand for the whole. Looked
    for in ``_MOST_ENTRIES`` entries, from the top down."""
    roots = list(paths)
    inside: dict[str, _Seen] = {}
    around: set[str] = set()
    ahead = deque(roots)
    left = _MOST_ENTRIES
    while ahead and left > 0:
        folder = ahead.popleft()
        seen = inside[folder] = _look(folder, left)
        are_all = seen.entries < left
        left -= seen.entries
        ahead += seen.folders
        if are_all and seen.other:
            around |= {folder, *(above for above in inside if folder.startswith(above + os.sep))}
    granted, listed = [], []
    for path in roots:  # grows
        if path in around:
            listed.append(path)
            roots += inside[path].plain
        else:
            granted.append(path)
    return granted, listed


def _look(folder: str, most: int) -> _Seen:
    """At the first ``most`` entries of a folder; nothing where it is none."""
    try:
        found = os.stat(folder)
    except OSError:
        return _Seen(0, (), (), False)
    changed = found.st_ctime_ns  # which nobody can set back
    if time.time_ns() - changed < _SETTLED:
        return _read(folder, most)
    return _unchanged(folder, most, found.st_dev, found.st_ino, changed)


@functools.lru_cache(maxsize=_FOLDERS)
def _unchanged(folder: str, most: int, device: int, inode: int, changed: int) -> _Seen:
    return _read(folder, most)


def _read(folder: str, most: int) -> _Seen:
    plain, folders, count, other = [], [], 0, False
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in islice(entries, most):
            count += 1
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif not entry.is_file(follow_symlinks=False):
                other = other or not entry.is_symlink()
                continue  # a link is neither: to grant it would be to grant what it leads to, wherever that is
            plain.append(entry.path)
    return _Seen(count, tuple(plain), tuple(folders), other)
