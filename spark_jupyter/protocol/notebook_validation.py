"""Validation of notebooks against nbformat's schema, and reasons for people."""

from __future__ import annotations

import functools
import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.notebook import DEFAULT_FIELDS, Json, raw_cells


def check(notebook: Mapping[str, Json]) -> None:
    """Raise a NotebookError unless this is a valid notebook of nbformat 4.5 or later, with no id twice."""
    if notebook.get("nbformat") != 4:
        raise NotebookError("This is not a notebook of format 4.", remedy="Open it in Jupyter and save it again.")
    minor = notebook.get("nbformat_minor")
    if not isinstance(minor, int) or minor < 5:
        raise NotebookError(
            "The notebook is older than format 4.5: its cells have no ids.", remedy="Call with_ids(notebook) first."
        )
    ids = [cell.get("id") for cell in raw_cells(notebook)]
    if len(set(map(str, ids))) < len(ids):
        raise NotebookError("Two cells of the notebook have the same id.", remedy="Call with_ids(notebook) first.")
    import fastjsonschema  # here, as no stream needs it and %load_ext would pay for it

    try:
        _validator()(notebook)
    except fastjsonschema.JsonSchemaException as error:
        reason = _first_fault(notebook) or _reason(error)
        raise NotebookError(f"The notebook is not valid: {reason}.", remedy="Repair it in Jupyter first.") from None


def fault_of_cell(cell: Json, number: int, kinds: Mapping[str, tuple[type, ...]]) -> str:
    """The reason why Jupyter can't open a cell, as a clause that names the field; empty where it can. ``kinds``: the kinds of the
    fields."""
    if not isinstance(cell, dict):
        return f"cell {number} is {_SHOWN[type(cell)]}, not an object"
    kind = cell.get("cell_type")
    if not isinstance(kind, str) or kind not in DEFAULT_FIELDS:
        return f"cell {number} has the cell_type {kind!r}, which is none"
    for name, wanted in kinds.items():
        if name in cell and not isinstance(cell[name], wanted):
            either = " or ".join(_SHOWN[kind] for kind in wanted)
            return f"{name} of cell {number} is {_SHOWN[type(cell[name])]}, not {either}"
    source = cell.get("source")
    odd = [line for line in source if not isinstance(line, str)] if isinstance(source, list) else []
    return f"the source of cell {number} has {_SHOWN[type(odd[0])]} for a line" if odd else ""


def _first_fault(notebook: Mapping[str, Json]) -> str:
    """The first field of the wrong kind among those that every cell has; empty where all are right."""
    for number, cell in enumerate(raw_cells(notebook), 1):
        if fault := fault_of_cell(cell, number, _KINDS):
            return fault
        outputs = cell.get("outputs")
        for place, output in enumerate(outputs if isinstance(outputs, list) else (), 1):
            if fault := _fault_of_output(output):
                return f"output {place} of cell {number}: {fault}"
        if fault := _fault_of_part(cell, f"{cell['cell_type']}_cell"):
            return f"cell {number}: {fault}"
    return ""


def _fault_of_output(output: Json) -> str:
    """Why an output is none, as a clause; empty for a valid one."""
    kind = output.get("output_type") if isinstance(output, dict) else None
    if kind not in ("execute_result", "display_data", "stream", "error"):
        return f"the output_type is {kind!r}, which is none"
    return _fault_of_part(output, str(kind))


def _fault_of_part(part: Json, definition: str) -> str:
    """Why a part of a notebook does not suit its definition in the schema, as a clause; empty where it does."""
    import fastjsonschema

    try:
        _validator(definition)(part)
    except fastjsonschema.JsonSchemaException as error:
        return _reason(error)
    return ""


def _reason(error: Exception) -> str:
    """The validator's words about one field. Only texts may have one of several forms there."""
    said = str(error).partition("\n")[0].removeprefix("data").lstrip(". ")
    return said.replace("be valid exactly by one definition (0 matches found)", "be a text or a list of texts")[:200]


OF_SOURCE: dict[str, tuple[type, ...]] = {"source": (str, list)}
"""The field that every cell has, whoever reads it."""
_KINDS: dict[str, tuple[type, ...]] = {
    **OF_SOURCE,
    "metadata": (dict,),
    "outputs": (list,),
    "execution_count": (int, type(None)),
}
_SHOWN = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a whole number",
    float: "a decimal number",
    bool: "true or false",
    type(None): "null",
}


def why_not_json(data: bytes) -> str:
    """Why the bytes of a notebook file can't be read as JSON, and in which line: "line 9 is a mark of a merge conflict"."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        return f"line {number} is not UTF-8"
    if not text.strip():
        return "it is empty"
    if text.startswith(_LFS):
        return "it is a pointer of Git LFS (git lfs pull gets the file itself)"
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(("<<<<<<< ", ">>>>>>> ")):
            return f"line {number} is a mark of a merge conflict"
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"it is not JSON (line {error.lineno}: {error.msg})"
    except ValueError:  # Python reads no number of more than 4,300 digits
        return "it has a number that is too long"
    except RecursionError:
        return "it is nested too deeply"
    return "it is not JSON"


_LFS = "version https://git-lfs.github.com/spec/"


@functools.cache
def _validator(part: str = "") -> Callable[[object], object]:
    """Validate against nbformat's schema of format 4.5, or a ``part`` of it, without importing nbformat, which takes a second or two
    to load.

    Unknown fields are allowed, since a later minor version may have them."""
    import fastjsonschema

    package = importlib.util.find_spec("nbformat")
    assert package is not None
    assert package.submodule_search_locations is not None
    schema = Path(package.submodule_search_locations[0], "v4", "nbformat.v4.5.schema.json").read_bytes()
    opened = _open(json.loads(schema))
    assert isinstance(opened, dict)
    wanted = {"$ref": f"#/definitions/{part}", "definitions": opened["definitions"]} if part else opened
    compiled: Callable[[object], object] = fastjsonschema.compile(wanted)
    return compiled


def _open(schema: Json) -> Json:
    """The schema with unknown fields allowed."""
    if isinstance(schema, dict):
        return {
            key: _open(value) for key, value in schema.items() if key != "additionalProperties" or value is not False
        }
    return [_open(each) for each in schema] if isinstance(schema, list) else schema
