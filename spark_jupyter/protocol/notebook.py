"""Reading of notebooks: cells with ids, their sources and outputs.

A notebook is the dict that its JSON decodes to (https://nbformat.readthedocs.io/en/latest/format_description.html).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from spark_jupyter.protocol.constants import (
    CHECK_TAG,
    HASH_DIGITS,
    ID_PATTERN,
    LONGEST_ERROR,
    LONGEST_OUTPUT,
    METADATA_KEY,
    RAISES_TAG,
    TERMINAL_SEQUENCE,
)
from spark_jupyter.protocol.values import (
    CellType,
    NotebookCell,
)

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Notebook = dict[str, Json]
Cell = dict[str, Json]

_TERMINAL_SEQUENCE = re.compile(TERMINAL_SEQUENCE)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""A lone surrogate: UTF-8 can't encode it, and a browser writes U+FFFD instead (https://encoding.spec.whatwg.org)."""


def content_hash(source: str) -> str:
    """The first digits of a source's SHA-256, as hexadecimal."""
    return hashlib.sha256(_LONE_SURROGATE.sub("\ufffd", source).encode()).hexdigest()[:HASH_DIGITS]


def source_of(cell: Mapping[str, Json]) -> str:
    """A cell's source. On disk it may be a list of lines."""
    return _text(cell.get("source"))


def _text(value: Json) -> str:
    if isinstance(value, list):
        return "".join(piece for piece in value if isinstance(piece, str))
    return value if isinstance(value, str) else ""


def raw_cells(notebook: Mapping[str, Json]) -> list[Cell]:
    """The cells of a notebook as they are on disk; what is no object is left out."""
    cells = notebook.get("cells")
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []


DEFAULT_FIELDS: dict[str, Cell] = {
    "code": {"metadata": {}, "outputs": [], "execution_count": None},
    "markdown": {"metadata": {}},
    "raw": {"metadata": {}},
}
"""Defaults for fields of a cell that another program left out."""


def with_ids(notebook: Mapping[str, Json]) -> Notebook:
    """The notebook in format 4.5. A cell without a usable id gets one made of its place and source, the same each time; missing
    fields that the schema requires are added empty."""
    taken: set[str] = set()
    cells: list[Json] = []
    for number, cell in enumerate(raw_cells(notebook)):
        cell_id = cell.get("id")
        if not isinstance(cell_id, str) or cell_id in taken or not re.fullmatch(ID_PATTERN, cell_id):
            cell_id = content_hash(f"{number}:{source_of(cell)}")
            while cell_id in taken:
                cell_id = content_hash(cell_id)
        taken.add(cell_id)
        cells.append({**DEFAULT_FIELDS.get(str(cell.get("cell_type")), {}), **cell, "id": cell_id})
    minor = notebook.get("nbformat_minor")
    return {**notebook, "cells": cells, "nbformat_minor": max(5, minor) if isinstance(minor, int) else 5}


def other_language(notebook: Mapping[str, Json]) -> str:
    """The language of the notebook's kernel where it is declared and not Python; else empty. What runs a notebook starts the kernel that
    it names, Python's where it names none, whatever language it claims.

    Source: nbformat 4.5, ``metadata.language_info.name`` (written by the kernel), ``metadata.kernelspec``.
    """
    kernel = _kernel(notebook)
    if not kernel or "python" in kernel.lower():
        return ""
    claimed = claimed_language(notebook)
    if claimed and not _is_python(claimed):
        return claimed
    return kernel if runs_another_language(notebook) else ""


def runs_another_language(notebook: Mapping[str, Json]) -> bool:
    """True if the name of the notebook's kernel is known to be another language's; any other name may be one of Python's."""
    kernel = _kernel(notebook).lower()
    return _SHELLS.fullmatch(kernel) is not None or _NO_PYTHONS.fullmatch(kernel) is not None


def _kernel(notebook: Mapping[str, Json]) -> str:
    metadata = notebook.get("metadata")
    spec = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    kernel = spec.get("name") if isinstance(spec, dict) else None
    return kernel if isinstance(kernel, str) else ""


def claimed_language(notebook: Mapping[str, Json]) -> str:
    """The language that a notebook says it is written in; empty where it says none."""
    metadata = notebook.get("metadata")
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        about = metadata.get(key) if isinstance(metadata, dict) else None
        language = about.get(name) if isinstance(about, dict) else None
        if isinstance(language, str) and language:
            return language
    return ""


def contradicts_itself(notebook: Mapping[str, Json]) -> bool:
    """True if a notebook names a kernel of another language, and claims to be Python: where that kernel is not installed, JupyterLab runs
    it with Python's."""
    claimed = claimed_language(notebook)
    return bool(claimed and other_language(notebook)) and _is_python(claimed)


def _is_python(language: str) -> bool:
    return language.lower() in _PYTHONS or "python" in language.lower()


_PYTHONS = ("sage", "xonsh", "pyspark")
_SHELLS = re.compile(r"(?:calysto_)?(?:ba|da|fi|k|z)?sh")
_NO_PYTHONS = re.compile(
    r"(?:ir|julia|octave|i?perl|i?ruby|javascript|jslab|tslab|deno|node(?:js)?|i?java|kotlin|scala|almond|rust|evcxr|gonb|gophernotes|xcpp"
    r"|i?haskell|x?lua|powershell|pwsh|\.net-[a-z]+)[-.\d]*"
)
"""Names under which the kernels of other languages are installed, whatever a notebook says that it is written in."""


def is_for_a_shell(notebook: Mapping[str, Json]) -> bool:
    """True if the kernel that the notebook names is a shell: each cell is a script of it."""
    return _SHELLS.fullmatch(other_language(notebook).lower()) is not None


_SKIP_TAG = "skip-execution"
_DATABRICKS = "application/vnd.databricks.v1+notebook"
"""Key of the metadata of a notebook that Databricks exported."""
_OTHERS = re.compile(r"\s*%(?:sql|md|sh|scala|r|fs)\b")


def in_another_language(notebook: Mapping[str, Json], source: str) -> bool:
    """True for a cell of a Databricks notebook that begins with the magic of another language, or has none in a notebook of another."""
    metadata = notebook.get("metadata")
    if not isinstance(metadata, dict) or _DATABRICKS not in metadata:
        return False
    about = metadata[_DATABRICKS]
    language = about.get("language") if isinstance(about, dict) else None
    is_other = isinstance(language, str) and language.lower() != "python" and not source.lstrip().startswith("%")
    return is_other or _OTHERS.match(source) is not None


def cells_of(notebook: Mapping[str, Json]) -> tuple[NotebookCell, ...]:
    """The cells as they are sent along with a prompt, with the text of their outputs, bounded."""
    return tuple(_cell_of(cell) for cell in raw_cells(with_ids(notebook)))


def undecided(notebook: Mapping[str, Json]) -> frozenset[str]:
    """The ids of cells whose metadata marks them as undecided proposals."""
    found = set()
    for cell in raw_cells(with_ids(notebook)):
        metadata = cell.get("metadata")
        said = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
        if isinstance(said, dict) and said.get("proposed") is True:
            found.add(str(cell["id"]))
    return frozenset(found)


def skipped(notebook: Mapping[str, Json]) -> frozenset[str]:
    """The ids of cells with the tag that has nbclient leave them out."""
    return frozenset(str(cell["id"]) for cell in raw_cells(with_ids(notebook)) if _has_tag(cell, _SKIP_TAG))


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
        check=cell_type == "code" and is_check(cell),
    )


def is_check(cell: Mapping[str, Json]) -> bool:
    """True for a cell with the tag ``check``, and for one of nbgrader's with tests alone."""
    metadata = cell.get("metadata")
    graded = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    tests = isinstance(graded, dict) and graded.get("grade") is True and graded.get("solution") is False
    return tests or _has_tag(cell, CHECK_TAG)


def _has_tag(cell: Mapping[str, Json], tag: str) -> bool:
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
