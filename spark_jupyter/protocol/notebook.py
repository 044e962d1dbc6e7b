"""Changes of a notebook's cells: all or nothing, and valid nbformat.

A notebook is the dict that its JSON decodes to (https://nbformat.readthedocs.io/en/latest/format_description.html).
Nothing here changes a notebook that it is given. What this package writes into ``metadata`` is under the key
``spark``; it is data for people and tools, and is never executed.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import importlib.util
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.constants import (
    HASH_DIGITS,
    ID_PATTERN,
    LONGEST_ERROR,
    LONGEST_OUTPUT,
    LONGEST_PROMPT_LINE,
    METADATA_KEY,
    RAISES_TAG,
    TERMINAL_SEQUENCE,
)
from spark_jupyter.protocol.values import (
    AppendSource,
    CellChange,
    CellType,
    DeleteCell,
    Finding,
    InsertCell,
    NotebookCell,
    ReplaceSource,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Notebook = dict[str, Json]
Cell = dict[str, Json]

_TERMINAL_SEQUENCE = re.compile(TERMINAL_SEQUENCE)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""A lone surrogate: UTF-8 can't encode it, and a browser writes U+FFFD instead (https://encoding.spec.whatwg.org)."""


# --- Changes ---------------------------------------------------------------------------------------------------------


def merge(changes: Iterable[CellChange]) -> tuple[CellChange, ...]:
    """The normal form: consecutive appends to one cell are one append. Linear in the text."""
    merged: list[CellChange] = []
    cell_id, pieces = "", [""]
    for change in changes:
        if isinstance(change, AppendSource):
            if change.cell_id == cell_id or not change.text:
                pieces.append(change.text)
                continue
            merged += _joined(cell_id, pieces)
            cell_id, pieces = change.cell_id, [change.text]
        else:
            merged += _joined(cell_id, pieces)
            cell_id, pieces = "", []
            merged.append(change)
    return (*merged, *_joined(cell_id, pieces))


def _joined(cell_id: str, pieces: list[str]) -> list[CellChange]:
    text = "".join(pieces)
    return [AppendSource(cell_id=cell_id, text=text)] if cell_id and text else []


def apply(notebook: Mapping[str, Json], changes: Iterable[CellChange]) -> Notebook:
    """A copy of ``notebook`` with the changes made, in order: all of them or, with a NotebookError, none.

    A code cell whose source changes loses its outputs and its execution count: they are another code's.
    """
    check(notebook)
    staged: Notebook = dict(notebook)
    stage = _Stage(_cells(notebook))
    for number, change in enumerate(changes, 1):
        stage.take(change, number)
    staged["cells"] = [*stage.committed()]
    check(staged)
    return staged


class _Stage:
    """Staged cells: those that change are copied, the others are shared."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._order = [str(cell["id"]) for cell in cells]
        self._cells = {str(cell["id"]): cell for cell in cells}
        self._sources: dict[str, list[str]] = {}

    def take(self, change: CellChange, number: int) -> None:
        if isinstance(change, InsertCell):
            self._insert(change, number)
        elif change.cell_id not in self._cells:
            raise _misfit(change, number, f"there is no cell {change.cell_id!r}", "Send the notebook's cells again.")
        elif isinstance(change, DeleteCell):
            self._order.remove(change.cell_id)
            del self._cells[change.cell_id]
            self._sources.pop(change.cell_id, None)
        elif isinstance(change, ReplaceSource):
            self._sources[change.cell_id] = [change.source]
        else:
            begun = self._sources.setdefault(change.cell_id, [source_of(self._cells[change.cell_id])])
            begun.append(change.text)

    def _insert(self, change: InsertCell, number: int) -> None:
        if change.cell_id in self._cells:
            raise _misfit(change, number, f"a cell {change.cell_id!r} exists already", "Give the new cell a new id.")
        if not re.fullmatch(ID_PATTERN, change.cell_id):
            raise _misfit(change, number, f"{change.cell_id!r} is no cell id", "Use letters, digits, - and _ only.")
        if change.after is not None and change.after not in self._cells:
            raise _misfit(
                change, number, f"the cell above, {change.after!r}, does not exist", "Insert after a cell that exists."
            )
        place = 0 if change.after is None else self._order.index(change.after) + 1
        self._order.insert(place, change.cell_id)
        self._cells[change.cell_id] = _new_cell(change)

    def committed(self) -> list[Cell]:
        return [self._commit(cell_id) for cell_id in self._order]

    def _commit(self, cell_id: str) -> Cell:
        cell = self._cells[cell_id]
        if cell_id not in self._sources:
            return cell
        source = "".join(self._sources[cell_id])
        if source == source_of(cell):
            return cell
        changed = {**cell, "source": source}
        if cell["cell_type"] == "code":
            changed |= {"outputs": [], "execution_count": None}
        return changed


def _new_cell(change: InsertCell) -> Cell:
    cell: Cell = {"id": change.cell_id, "cell_type": change.cell_type, "metadata": {}, "source": change.source}
    if change.cell_type == "code":
        cell |= {"outputs": [], "execution_count": None}
    return cell


def _misfit(change: CellChange, number: int, why: str, remedy: str) -> NotebookError:
    what = type(change).__name__
    return NotebookError(f"Change {number} ({what}) does not fit: {why}; no change was made.", remedy=remedy)


def check(notebook: Mapping[str, Json]) -> None:
    """Raise a NotebookError unless this is a valid notebook of nbformat 4.5 or later, with no id twice."""
    if notebook.get("nbformat") != 4:
        raise NotebookError("This is not a notebook of format 4.", remedy="Open it in Jupyter and save it again.")
    minor = notebook.get("nbformat_minor")
    if not isinstance(minor, int) or minor < 5:
        raise NotebookError(
            "The notebook is older than format 4.5: its cells have no ids.", remedy="Call with_ids(notebook) first."
        )
    ids = [cell.get("id") for cell in _cells(notebook)]
    if len(set(map(str, ids))) < len(ids):
        raise NotebookError("Two cells of the notebook have the same id.", remedy="Call with_ids(notebook) first.")
    import fastjsonschema  # here, as no stream needs it and %load_ext would pay for it

    try:
        _validator()(notebook)
    except fastjsonschema.JsonSchemaException as error:
        reason = _first_fault(notebook) or str(error).partition("\n")[0][:200]
        raise NotebookError(f"The notebook is not valid: {reason}.", remedy="Repair it in Jupyter first.") from None


def _first_fault(notebook: Mapping[str, Json]) -> str:
    """The field that is not of its kind, where it is one of those that every cell has; else empty."""
    for number, cell in enumerate(_cells(notebook), 1):
        if cell.get("cell_type") not in _WHERE_MISSING:
            return f"cell {number} has the cell_type {cell.get('cell_type')!r}, which is none"
        for name, kinds in _KINDS.items():
            if name in cell and not isinstance(cell[name], kinds):
                wanted = " or ".join(_SHOWN[kind] for kind in kinds)
                return f"{name} of cell {number} is {_SHOWN.get(type(cell[name]), 'null')}, not {wanted}"
    return ""


_KINDS: dict[str, tuple[type, ...]] = {"metadata": (dict,), "source": (str, list), "outputs": (list,)}
_SHOWN = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number", bool: "true or false"}


def why_not_json(data: bytes) -> str:
    """Why the bytes of a notebook file can't be read as JSON, and in which line: "line 9 is a mark of a merge conflict"."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        return f"line {number} is not UTF-8"
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(("<<<<<<< ", ">>>>>>> ")):
            return f"line {number} is a mark of a merge conflict"
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"it is not JSON (line {error.lineno}: {error.msg})"
    except RecursionError:
        pass
    return "it is not JSON"


@functools.cache
def _validator() -> Callable[[object], object]:
    """Validate against nbformat's schema of format 4.5 without importing nbformat, which takes a second or two to load.

    Unknown fields are allowed, since a later minor version may have them."""
    import fastjsonschema

    package = importlib.util.find_spec("nbformat")
    assert package is not None
    assert package.submodule_search_locations is not None
    schema = Path(package.submodule_search_locations[0], "v4", "nbformat.v4.5.schema.json").read_bytes()
    opened = _open(json.loads(schema))
    assert isinstance(opened, dict)
    compiled: Callable[[object], object] = fastjsonschema.compile(opened)
    return compiled


def _open(schema: Json) -> Json:
    """The schema with unknown fields allowed."""
    if isinstance(schema, dict):
        return {
            key: _open(value) for key, value in schema.items() if key != "additionalProperties" or value is not False
        }
    return [_open(each) for each in schema] if isinstance(schema, list) else schema


# --- Reading ---------------------------------------------------------------------------------------------------------


def source_of(cell: Mapping[str, Json]) -> str:
    """A cell's source. On disk it may be a list of lines."""
    return _text(cell.get("source"))


def _text(value: Json) -> str:
    if isinstance(value, list):
        return "".join(piece for piece in value if isinstance(piece, str))
    return value if isinstance(value, str) else ""


def _cells(notebook: Mapping[str, Json]) -> list[Cell]:
    cells = notebook.get("cells")
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []


_WHERE_MISSING: dict[str, Cell] = {
    "code": {"metadata": {}, "outputs": [], "execution_count": None},
    "markdown": {"metadata": {}},
    "raw": {"metadata": {}},
}
"""Defaults for fields of a cell that another program left out."""


def with_ids(notebook: Mapping[str, Json]) -> Notebook:
    """The notebook in format 4.5. A cell without a usable id gets one made of its place and source, the same each time; what its schema
    wants and is missing is empty."""
    taken: set[str] = set()
    cells: list[Json] = []
    for number, cell in enumerate(_cells(notebook)):
        cell_id = cell.get("id")
        if not isinstance(cell_id, str) or cell_id in taken or not re.fullmatch(ID_PATTERN, cell_id):
            cell_id = content_hash(f"{number}:{source_of(cell)}")
            while cell_id in taken:
                cell_id = content_hash(cell_id)
        taken.add(cell_id)
        cells.append({**_WHERE_MISSING.get(str(cell.get("cell_type")), {}), **cell, "id": cell_id})
    minor = notebook.get("nbformat_minor")
    return {**notebook, "cells": cells, "nbformat_minor": max(5, minor) if isinstance(minor, int) else 5}


def other_language(notebook: Mapping[str, Json]) -> str:
    """The language of the notebook's kernel where it is declared and not Python; else empty.

    Source: nbformat 4.5, ``metadata.language_info.name`` (written by the kernel), ``metadata.kernelspec.language``.
    """
    metadata = notebook.get("metadata")
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        about = metadata.get(key) if isinstance(metadata, dict) else None
        language = about.get(name) if isinstance(about, dict) else None
        if isinstance(language, str) and language:
            return "" if language.lower() in _PYTHONS or "python" in language.lower() else language
    return ""


_PYTHONS = ("sage", "xonsh")
_SKIP_TAG = "skip-execution"
_DATABRICKS = "application/vnd.databricks.v1+notebook"
"""Key of the metadata of a notebook that Databricks exported."""
_OTHERS = re.compile(r"\s*%(?:sql|md|sh|scala|r|fs)\b")


def in_another_language(notebook: Mapping[str, Json], source: str) -> bool:
    """True for a cell of a Databricks notebook that begins with the magic of another language."""
    metadata = notebook.get("metadata")
    return isinstance(metadata, dict) and _DATABRICKS in metadata and _OTHERS.match(source) is not None


def cells_of(notebook: Mapping[str, Json]) -> tuple[NotebookCell, ...]:
    """The cells as they are sent along with a prompt, with the text of their outputs, bounded."""
    return tuple(_cell_of(cell) for cell in _cells(with_ids(notebook)))


def undecided(notebook: Mapping[str, Json]) -> frozenset[str]:
    """The ids of cells whose metadata marks them as undecided proposals."""
    found = set()
    for cell in _cells(with_ids(notebook)):
        metadata = cell.get("metadata")
        said = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
        if isinstance(said, dict) and said.get("proposed") is True:
            found.add(str(cell["id"]))
    return frozenset(found)


def skipped(notebook: Mapping[str, Json]) -> frozenset[str]:
    """The ids of cells with the tag that has nbclient leave them out."""
    return frozenset(str(cell["id"]) for cell in _cells(with_ids(notebook)) if _has_tag(cell, _SKIP_TAG))


def _cell_of(cell: Cell) -> NotebookCell:
    outputs, error = _outputs(cell.get("outputs"))
    count = cell.get("execution_count")
    kind = cell.get("cell_type")
    cell_type: CellType = "markdown" if kind == "markdown" else "code" if kind == "code" else "raw"
    return NotebookCell(
        id=str(cell["id"]),
        cell_type=cell_type,
        source=source_of(cell),
        outputs=outputs,
        error=error,
        execution_count=count if isinstance(count, int) else None,
        raises=cell_type == "code" and _has_tag(cell, RAISES_TAG),
    )


def _has_tag(cell: Cell, tag: str) -> bool:
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return isinstance(tags, list) and tag in tags


def _outputs(outputs: Json) -> tuple[str, str]:
    """The text of the outputs, and the traceback."""
    texts: list[str] = []
    error = ""
    for output in outputs if isinstance(outputs, list) else []:
        if not isinstance(output, dict):
            continue
        if output.get("output_type") == "stream":
            texts.append(_text(output.get("text")))
        elif output.get("output_type") == "error":
            error = _traceback(output)
        elif isinstance(data := output.get("data"), dict):
            texts.append(_text(data.get("text/plain")))
    text = _TERMINAL_SEQUENCE.sub("", "\n".join(text.rstrip("\n") for text in texts if text.strip()))
    if len(text) > LONGEST_OUTPUT:
        half = LONGEST_OUTPUT // 2
        text = f"{text[:half]}\n… ({len(text) - 2 * half} characters) …\n{text[-half:]}"
    return text, error


def _traceback(output: Mapping[str, Json]) -> str:
    lines = output.get("traceback")
    text = "\n".join(line for line in lines if isinstance(line, str)) if isinstance(lines, list) else ""
    named = f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    return _TERMINAL_SEQUENCE.sub("", text or named)[-LONGEST_ERROR:]


# --- Provenance ------------------------------------------------------------------------------------------------------


def content_hash(source: str) -> str:
    """The first digits of a source's SHA-256, as hexadecimal."""
    return hashlib.sha256(_LONE_SURROGATE.sub("\ufffd", source).encode()).hexdigest()[:HASH_DIGITS]


def provenance(
    *, source: str, turn_id: str, model: str, prompt: str, at: float, findings: Sequence[Finding] = ()
) -> Cell:
    """The ``metadata.spark`` of an accepted cell. ``at`` is in Unix seconds; of the findings only rule and severity are kept."""
    return {
        "turn": turn_id,
        "model": model,
        "prompt": prompt_line(prompt),
        "time": datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "findings": [{"rule": finding.rule, "severity": finding.severity} for finding in findings],
        "hash": content_hash(source),
    }


def prompt_line(prompt: str) -> str:
    """A prompt, or another title, in one line of a limited length."""
    line = " ".join(prompt.split())
    return line if len(line) <= LONGEST_PROMPT_LINE else f"{line[: LONGEST_PROMPT_LINE - 1]}…"


def with_provenance(notebook: Mapping[str, Json], cell_id: str, value: Cell) -> Notebook:
    """A copy of the notebook in which the cell carries ``value``. Raises NotebookError where there is no such cell."""
    cells = copy.copy(_cells(notebook))
    for place, cell in enumerate(cells):
        if cell.get("id") == cell_id:
            metadata = cell.get("metadata")
            old = metadata if isinstance(metadata, dict) else {}
            cells[place] = {**cell, "metadata": {**old, METADATA_KEY: value}}
            return {**notebook, "cells": [*cells]}
    raise NotebookError(f"There is no cell {cell_id!r}.", remedy="Send the notebook's cells again.")


def changed_since(cell: Mapping[str, Json]) -> bool | None:
    """True if a cell was changed after it was accepted; None if its metadata do not say that this package wrote it."""
    metadata = cell.get("metadata")
    spark = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
    known = spark.get("hash") if isinstance(spark, dict) else None
    return content_hash(source_of(cell)) != known if isinstance(known, str) else None
