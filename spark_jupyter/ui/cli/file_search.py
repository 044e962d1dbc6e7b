"""Search for scripts and notebooks below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

SUFFIXES = (".py", ".ipynb", ".qmd", ".rmd")
_OTHERS = frozenset({"__pycache__", "node_modules", "site-packages"})
"""Folders of what somebody else wrote, or of what was made. So are hidden ones. Packages of an environment are in such a folder."""
DEEPEST = 100
"""Folders within folders: before Python 3.12 each takes a frame, and a thousand end the walk."""


def files_in(name: str) -> Iterator[str]:
    """The file of that name; of a folder the scripts and notebooks in it, in order, and at last the folders in it that can't be read.
    Links to folders are not followed, nor are those to files that lie elsewhere; pipes and devices are passed over."""
    if not Path(name).is_dir():
        yield name
        return
    unread: list[str] = []
    here = os.path.realpath(name)
    for folder, folders, files in os.walk(name, onerror=lambda error: unread.append(error.filename)):
        folders[:] = sorted(one for one in folders if _is_own(Path(folder, one)))
        if folders and os.path.relpath(folder, name).count(os.sep) > DEEPEST:
            unread.append(folder)
            folders.clear()
        yield from (str(Path(folder, file)) for file in sorted(files) if _is_ours(Path(folder, file), here))
    yield from unread


def _is_ours(file: Path, here: str) -> bool:
    """True if it is a script or a notebook of the folder ``here``."""
    if not file.name.lower().endswith(SUFFIXES):
        return False
    return file.is_file() and os.path.realpath(file).startswith(os.path.join(here, ""))


def _is_own(folder: Path) -> bool:
    return not folder.name.startswith(".") and folder.name not in _OTHERS
