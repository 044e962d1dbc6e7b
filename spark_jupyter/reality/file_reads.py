"""Warnings for files that do not exist, and the columns of files that queries name.

Files are looked up in the kernel's working directory alone.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from spark_jupyter.reality import file_preview, findings
from spark_jupyter.reality.abstract_values import Invocation, Live, Table, Value, constant
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.findings import Rule

_READERS = {
    "pandas": frozenset(
        "read_csv read_table read_excel read_json read_parquet read_feather read_pickle read_fwf read_stata".split()
    ),
    "numpy": frozenset("load loadtxt genfromtxt fromfile".split()),
    "io": frozenset({"open"}),
    "_io": frozenset({"open"}),  # where Python 3.13 says that it is from
}
_MAKERS = frozenset("os shutil subprocess zipfile tarfile urllib requests posix gdown kaggle nt".split())
"""Modules whose functions may make files or change the directory."""
_ELSEWHERE = re.compile(r"\w+://|~|//|\\\\|.*[*?\[{$%]")
MAX_LENGTH = 300
MAX_LISTED = 500


_READING = frozenset().union(*_READERS.values())


def note_given(run: Run, name: str, receiver: Value | None, call: Invocation) -> None:
    """Files whose names are given to anything but what reads them may be written there; so may a path whose method is called."""
    if isinstance(receiver, Live) and (own := _path_of(receiver)) is not None:
        run.note_path(own)
        run.paths[os.path.basename(own)] += 1  # once more than where it is read
    if name in _READING and (name != "open" or "r" in str(call.constant("mode", 1, "r"))):
        return
    for _, value in (*call.positional, *call.keywords.values()):
        text = _path_of(value)
        if text is not None and "." in text[-MAX_LENGTH:]:
            run.note_path(text)
        elif text is None and name.startswith(_WRITING):
            run.makes_files = True


_WRITING = ("to_", "save", "write", "dump", "open")
"""Beginnings of the names of what writes a file."""


def _path_of(value: Value) -> str | None:
    text = constant(value)
    if type(text) is str:
        return text
    return str(value.thing) if isinstance(value, Live) and type(value.thing) is type(Path()) else None


def check(run: Run, home: str, name: str, call: Invocation) -> None:
    """Report a file that a call reads, where nothing in the cell can have made it."""
    if home in _MAKERS:
        run.makes_files = True
    if run.quiet or run.makes_files or name not in _READERS.get(home, ()) or not call.positional or call.stars:
        return
    node, value = call.positional[0]
    path = _path_of(value)
    mode = call.constant("mode", 1, "r") if name == "open" else "r"
    if path is None or not 0 < len(path) <= MAX_LENGTH or type(mode) is not str or "r" not in mode or "\0" in path:
        return
    if _ELSEWHERE.match(path) or not os.path.splitext(path)[1] or run.paths[os.path.basename(path)] > 1:
        return
    if not os.path.exists(path):
        close = findings.did_you_mean(findings.nearest(os.path.basename(path), _beside(path)))
        message = f"There is no file `{path}` in the kernel's working folder."
        run.say(Rule.MISSING_FILE, message, node, remedy=close, severity="warn")


def queried(run: Run, path: str) -> Table | None:
    """The columns of a file that a query reads; None where they can't be told, or where the cell may write the file."""
    base = os.path.basename(path)
    if run.makes_files or run.paths[base] > 0 or any(base in text and "copy" in text.lower() for text in run.paths):
        return None
    if _ELSEWHERE.match(path) or "=" in path or len(path) > MAX_LENGTH:  # a folder "year=2026" gives a column
        return None
    names = file_preview.column_names(path, folder=Path.cwd())
    return None if names is None else Table([*names, *_FILE_COLUMNS], one_level=True)


_FILE_COLUMNS = ("filename", "file_index", "file_row_number")
"""Columns that DuckDB adds to each file (DuckDB's documentation, "Reading multiple files")."""


def _beside(path: str) -> list[str]:
    try:
        with os.scandir(os.path.dirname(path) or ".") as entries:
            return [entry.name for _, entry in zip(range(MAX_LISTED), entries, strict=False)]
    except OSError:
        return []
