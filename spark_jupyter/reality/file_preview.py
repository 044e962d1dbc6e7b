"""Preview of data files: columns, types and the first three rows.

A file is read only where it lies below the working folder, or where the user wrote its absolute path. Nothing but its beginning is read,
and no library is imported for it that the kernel has not loaded, but for ``openpyxl``.
"""

from __future__ import annotations

import csv
import gzip
import importlib
import io
import json
import os
import re
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

MOST_FILES = 6
"""Files that are previewed for one text."""
_ROWS = 3
_READ = 65_536
"""Bytes of a text file that are read."""
_TYPED_ROWS = 200
"""Rows by which the type of a column is told."""
_MOST_COLUMNS = 60
_MOST_TABLES = 12
_LARGEST_BOOK = 30_000_000
"""Bytes of an Excel file that is opened."""
_LONGEST = 40
"""Characters of a value."""
_MOST_WORDS = 6
"""Words before a name without quotes that may be a part of it."""
_NEAR = 255
"""Characters before a name in which those words stand: no file has a longer name."""
_ENDINGS = r"csv|tsv|csv\.gz|tsv\.gz|parquet|xlsx|jsonl|ndjson|json|db|sqlite3?"
_NAMED = re.compile(
    rf"""(?<![@\w])(?:"(?P<double>[^"\n]{{1,200}}\.(?:{_ENDINGS}))"|'(?P<single>[^'\n]{{1,200}}\.(?:{_ENDINGS}))'"""
    rf"""|`(?P<tick>[^`\n]{{1,200}}\.(?:{_ENDINGS}))`|(?P<bare>[\w~./-]{{1,200}}\.(?:{_ENDINGS})))(?![\w.]*\w)""",
    re.IGNORECASE,
)
_KINDS = {
    "csv": "csv",
    "tsv": "tsv",
    "json": "json",
    "parquet": "parquet",
    "excel": "xlsx",
    "xlsx": "xlsx",
    "sqlite": "db",
}
"""The ending of a file that is spoken of without its name: "my CSV file"."""
_KIND = re.compile(rf"(?<![\w.])(?:{'|'.join(_KINDS)})(?!\w)", re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_MISSING = frozenset({"", "na", "nan", "null", "none", "n/a"})

Column = tuple[str, str, Sequence[Any]]
"""A column's name, its type, and its first values."""


def preview_files(text: str, *, folder: Path, anywhere: bool = False) -> str:
    """The previews of the data files that ``text`` names, a prompt or code: for each ``name: size`` and a line for each column.

    ``anywhere``: the text is the user's own, and an absolute path in it may lie outside of the working ``folder``. A file that is not
    there, or can't be read, is left out. Where the user names a kind of file instead, "my CSV file", the folder's only one is previewed; of
    several the names alone are told.
    """
    names = dict.fromkeys(_name(match, folder) for match in _NAMED.finditer(text))
    if anywhere and not names and (kind := _KIND.search(text)):
        return _of_kind(_KINDS[kind[0].lower()], folder)
    previews = (preview(name, folder=folder, anywhere=anywhere) for name in islice(names, MOST_FILES))
    return "\n".join(filter(None, previews))


def _of_kind(ending: str, folder: Path) -> str:
    names = sorted(path.name for path in folder.glob(f"[!.]*.{ending}") if path.is_file())
    if len(names) == 1:
        return preview(names[0], folder=folder)
    told = [f"{name}: {(folder / name).stat().st_size:,} bytes" for name in names[:MOST_FILES]]
    more = [f"*.{ending}: {len(names) - MOST_FILES} more"] if len(names) > MOST_FILES else []
    return "\n".join([*told, *more]) or f"*.{ending}: no such file in the working folder"


def _name(match: re.Match[str], folder: Path) -> str:
    """The name that a match gives; one without quotes has the words before it that make it the name of a file that is there."""
    name: str = next(filter(None, match.groups()))
    near = match.string[max(0, match.start() - _NEAR) : match.start()].rpartition("\n")[2] if match["bare"] else ""
    before = re.findall(r"\S+ ", near)[-_MOST_WORDS:]
    longer = ("".join(before[at:]) + name for at in range(len(before)))
    return next((one for one in longer if _allowed(one, folder, anywhere=False) is not None), name)


def preview(name: str, *, folder: Path, anywhere: bool = False) -> str:
    """The preview of one file; empty where there is none. See :func:`preview_files`."""
    path = _allowed(name, folder, anywhere=anywhere)
    if path is None:
        return ""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for
            return ""
        size = path.stat().st_size
        described = list(_READERS.get(_ending(path), _no_lines)(path))
    except Exception:  # any library may fail at a damaged file; its name and size are told all the same
        described, size = [], os.path.getsize(path) if path.exists() else 0
    return "\n".join([f"{name}: {size:,} bytes", *(f"  {line}" for line in described)])


def column_names(name: str, *, folder: Path) -> list[str] | None:
    """The columns of a CSV or Parquet file below the folder; None where there is none, or where a reader may name them otherwise."""
    path = _allowed(name, folder, anywhere=False)
    if path is None or not path.is_file():
        return None
    try:
        if _ending(path) == "parquet":
            return list(_schema(path).names) if "pyarrow" in sys.modules else None
        return _header(_beginning(path).splitlines()[:_HEADER_ROWS]) if _ending(path) in {"csv", "tsv"} else None
    except Exception:  # any library may fail at a damaged file
        return None


_HEADER_ROWS = 20


def _header(lines: list[str]) -> list[str] | None:
    """The first row, where it is told from the others by their types, and all have as many values."""
    mark = max(",;\t|", key=lines[0].count) if lines else ","
    head, *rows = csv.reader(lines, delimiter=mark)
    kinds = [_type_of(values) for values in zip(*rows, strict=True)] if rows else []
    is_head = len(kinds) == len(head) == len(set(head)) and all(head) and _type_of(head) == "str"
    return head if is_head and not {"str", "empty"}.issuperset(kinds) else None


def _schema(path: Path) -> Any:
    return importlib.import_module("pyarrow.parquet").read_schema(path)


def _allowed(name: str, folder: Path, *, anywhere: bool) -> Path | None:
    """The file's real place; None where it is not there or must not be read."""
    try:
        path = (folder / os.path.expanduser(name)).resolve(strict=True)
        inside = path.is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return None
    return path if inside or (anywhere and name.startswith(("/", "~", ".."))) else None


def _ending(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return name.rpartition(".")[2]


def _no_lines(path: Path) -> Iterator[str]:
    return iter(())


# --- Kinds of files -----------------------------------------------------------------------------------------------------


def _delimited(path: Path) -> Iterator[str]:
    text = _beginning(path)
    sample = "\n".join(text.splitlines()[:20])
    try:
        mark = csv.Sniffer().sniff(sample, delimiters=",;\t|").delimiter
    except csv.Error:
        mark = "\t" if _ending(path) == "tsv" else ","
    if mark != ",":
        yield f"separated by {mark!r}"
    rows = list(islice(csv.reader(io.StringIO(text), delimiter=mark), _TYPED_ROWS + 1))
    if not rows:
        return
    head, rows = rows[0], rows[1:]
    columns = (
        (name, _type_of(values := [row[place] for row in rows if place < len(row)]), values)
        for place, name in enumerate(head)
    )
    yield from _column_lines(columns, len(head))


def _lines_of_json(path: Path) -> Iterator[str]:
    lines = [line for line in _beginning(path).splitlines() if line.strip()]
    yield from _records([json.loads(line) for line in lines[:_ROWS]])


def _json(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8", "replace") if path.stat().st_size <= 20 * _READ else ""
    found = json.loads(text) if text else None
    if isinstance(found, list):
        yield f"list of {len(found):,}"
        yield from _records(found[:_ROWS])
    elif isinstance(found, dict):
        yield from _column_lines(((str(key), type(value).__name__, ()) for key, value in found.items()), len(found))


def _records(found: Sequence[object]) -> Iterator[str]:
    records = [one for one in found if isinstance(one, dict)]
    keys = list(dict.fromkeys(str(key) for one in records for key in one))
    columns = ((key, _kinds(values := [one.get(key) for one in records]), values) for key in keys)
    yield from _column_lines(columns, len(keys))


def _parquet(path: Path) -> Iterator[str]:
    arrow: Any = sys.modules.get("pyarrow")
    if arrow is None:  # importing it starts threads, which copies of the kernel do not have
        return
    file: Any = importlib.import_module("pyarrow.parquet").ParquetFile(path)
    yield f"{file.metadata.num_rows:,} rows"
    batch = next(file.iter_batches(batch_size=_ROWS), None)
    schema = file.schema_arrow
    columns = (
        (field.name, str(field.type), batch.column(place).to_pylist() if batch is not None else ())
        for place, field in enumerate(schema)
    )
    yield from _column_lines(columns, len(schema))


def _workbook(path: Path) -> Iterator[str]:
    if path.stat().st_size > _LARGEST_BOOK:
        return
    book: Any = importlib.import_module("openpyxl").load_workbook(path, read_only=True, data_only=True)
    try:
        for sheet in book.worksheets[:_MOST_TABLES]:
            rows = [list(row) for row in islice(sheet.iter_rows(values_only=True), _ROWS + 1)]
            yield f"sheet {sheet.title!r}"
            if rows:
                columns = (
                    (str(name), _kinds(values := [row[place] for row in rows[1:] if place < len(row)]), values)
                    for place, name in enumerate(rows[0])
                )
                yield from (f"  {line}" for line in _column_lines(columns, len(rows[0])))
    finally:
        book.close()


def _database(path: Path) -> Iterator[str]:
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True, timeout=0.2)
    try:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (table,) in found.fetchmany(_MOST_TABLES):
            named = '"' + table.replace('"', '""') + '"'
            head = connection.execute(f"PRAGMA table_info({named})").fetchall()
            rows = connection.execute(f"SELECT * FROM {named} LIMIT {_ROWS}").fetchall()
            yield f"table {table}"
            columns = (
                (str(one[1]), str(one[2]) or "any", [row[place] for row in rows]) for place, one in enumerate(head)
            )
            yield from (f"  {line}" for line in _column_lines(columns, len(head)))
    finally:
        connection.close()


_READERS: dict[str, Callable[[Path], Iterator[str]]] = {
    "csv": _delimited,
    "tsv": _delimited,
    "jsonl": _lines_of_json,
    "ndjson": _lines_of_json,
    "json": _json,
    "parquet": _parquet,
    "xlsx": _workbook,
    "db": _database,
    "sqlite": _database,
    "sqlite3": _database,
}


# --- Text --------------------------------------------------------------------------------------------------------------


def _beginning(path: Path) -> str:
    """The whole lines at a text file's beginning."""
    with path.open("rb") as file:
        raw = (gzip.GzipFile(fileobj=file) if path.name.lower().endswith(".gz") else file).read(_READ)
    text = raw.decode("utf-8-sig", "replace")
    return text if len(raw) < _READ else text[: text.rfind("\n") + 1]


def _column_lines(columns: Iterator[Column], count: int) -> Iterator[str]:
    for name, kind, values in islice(columns, _MOST_COLUMNS):
        shown = ", ".join(map(_shown, values[:_ROWS]))
        label = name if re.fullmatch(r"[^\W\d]\w*", name) else json.dumps(name, ensure_ascii=False)
        yield f"{label} {kind}: {shown}" if shown else f"{label} {kind}"
    if count > _MOST_COLUMNS:
        yield f"… {count - _MOST_COLUMNS} more columns"


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, (str, int, float, bool, type(None))) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _kinds(values: Sequence[object]) -> str:
    names = dict.fromkeys(type(value).__name__ for value in values if value is not None)
    return " or ".join(names) or "empty"


def _type_of(values: Sequence[str]) -> str:
    """The dtype that pandas would read."""
    known = [value.strip() for value in values if value.strip().lower() not in _MISSING]
    if not known:
        return "empty"
    if all(map(_INTEGER.fullmatch, known)):
        return "int64" if len(known) == len(values) else "float64"
    if all(map(_DECIMAL.fullmatch, known)):
        return "float64"
    if all(value in ("True", "False", "true", "false") for value in known):
        return "bool"
    return "str(dates)" if all(map(_DATE.fullmatch, known)) else "str"
