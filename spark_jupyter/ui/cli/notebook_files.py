"""Reading and atomic writing of notebook files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.notebook import Json, Notebook, source_of, with_ids
from spark_jupyter.protocol.notebook_validation import OF_SOURCE, check, fault_of_cell, why_not_json

if TYPE_CHECKING:
    from collections.abc import Mapping


def new_notebook() -> Notebook:
    """An empty notebook for a Python kernel."""
    kernel: Json = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": [],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def read_notebook(path: str | os.PathLike[str]) -> Notebook:
    """The notebook in a file, as nbformat 4.5 with ids. Raises NotebookError; a file that is not there is one too."""
    try:
        data = bytes_of(path)
        decoded = json.loads(data.decode("utf-8-sig"))  # of bytes json would guess the encoding, which Jupyter does not
    except FileNotFoundError:
        raise NotebookError(f"There is no file {path}.", remedy="Check the name.") from None
    except (ValueError, RecursionError):
        raise NotebookError(
            f"{path} is not a notebook: {why_not_json(data)}.", remedy="Repair the file, or give another one."
        ) from None
    except OSError as error:
        raise NotebookError(f"{path} can't be read: {error.strerror}.", remedy="Check its permissions.") from None
    if not isinstance(decoded, dict) or decoded.get("nbformat") != 4:
        raise NotebookError(f"{path} is not a notebook of format 4.", remedy="Open it in Jupyter and save it again.")
    if not isinstance(decoded.get("cells"), list):
        raise NotebookError(f"{path} is not a notebook: it has no list of cells.", remedy="Give an .ipynb file.")
    for number, cell in enumerate(decoded["cells"], 1):
        if fault := fault_of_cell(cell, number, OF_SOURCE):
            raise NotebookError(f"The notebook is not valid: {fault}.", remedy="Repair it in a text editor first.")
    notebook = with_ids({"metadata": {}, **decoded})
    cells = notebook["cells"]
    assert isinstance(cells, list)
    notebook["cells"] = [{**cell, "source": source_of(cell)} for cell in cells if isinstance(cell, dict)]
    check(notebook)
    return notebook


def stamp(path: str | os.PathLike[str]) -> str:
    """Digest of a file's content, to see if it has changed; empty if there is no readable file."""
    try:
        return hashlib.sha256(bytes_of(path)).hexdigest()
    except OSError:
        return ""


def bytes_of(path: str | os.PathLike[str]) -> bytes:
    """Content of a file. A pipe or a device is none: nobody may ever write there, or without end, and one can't be written back. What a
    shell hands over (``<(…)``) is read. Raises NotebookError, and OSError."""
    with open(path, "rb", opener=_at_once) as file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISFIFO(mode) and os.fspath(path).startswith(_OF_A_SHELL):
            os.set_blocking(file.fileno(), True)
        elif not stat.S_ISREG(mode):
            raise NotebookError(f"{path} is a pipe or a device, not a file.", remedy="Give an .ipynb or a .py file.")
        return file.read()


_OF_A_SHELL = ("/dev/fd/", "/proc/self/fd/")


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # not on Windows, where no pipe lies in a folder


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise a NotebookError where a notebook could not be put there, so that nobody asks and waits in vain."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise NotebookError(f"{path} can't be written: there is no folder {folder}.", remedy="Make it first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise NotebookError(
            f"{path} can't be written: the folder {folder} is read-only.",
            remedy="Change its permissions, or copy the file.",
        )


def write_notebook(path: str | os.PathLike[str], notebook: Mapping[str, Json]) -> None:
    """Put the notebook in the file: all of it, or, with a NotebookError, nothing. The file's mode is kept; a link is
    followed."""
    check(notebook)
    target = Path(os.path.realpath(path))
    try:
        replace_file(target, _encoded(notebook, bytes_of(target) if target.exists() else b""))
    except OSError as error:
        raise NotebookError(
            f"{path} can't be written: {error.strerror}.", remedy="Check the folder's permissions and free space."
        ) from None


_INDENT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\r?\n([ \t]+)")


def _encoded(notebook: Mapping[str, Json], before: bytes) -> bytes:
    """As Jupyter writes it: sources as lists of lines, sorted keys, one space of indentation. A file keeps the indentation, line ends and
    escapes that it had ``before``, so that a diff stays small."""
    cells = notebook["cells"]
    assert isinstance(cells, list)
    split = [{**cell, "source": source_of(cell).splitlines(keepends=True)} for cell in cells if isinstance(cell, dict)]
    indent = _INDENT.match(before)
    text = json.dumps(
        {**notebook, "cells": split},
        ensure_ascii=before.isascii() and b"\\u" in before,
        indent=indent[1].decode() if indent else 1,
        sort_keys=True,
    )
    text += "\n" if not before or before.endswith(b"\n") else ""
    if b"\r\n" in before:
        text = text.replace("\n", "\r\n")
    return text.encode("utf-8", "backslashreplace")


def replace_file(target: Path, data: bytes) -> None:
    """Write beside the file, make it durable, and put it in its place in one step (POSIX rename)."""
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _mode(target: Path) -> int:
    """The mode of the file that is there, else what the umask gives a new one."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask
