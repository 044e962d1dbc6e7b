"""Repairs of AttributeError: misspelt, renamed or foreign attributes, and None."""

from __future__ import annotations

import ast
import importlib
import re

from spark_jupyter.server.engines import columns, rewrite
from spark_jupyter.server.engines.repairs.base import KNOWN, Failure, Repair, nearest, quoted_names
from spark_jupyter.source.splices import Positions, Splice

_BUILTIN = {one.__name__: one for one in (str, list, dict, set, tuple, int, float, bytes)}
_FRAME: list[str] = KNOWN["frame_attributes"].split()
_ARRAY: list[str] = KNOWN["array_attributes"].split()
_IN_PLACE = frozenset(KNOWN["change_in_place"].split())
_RENAMED: dict[str, str] = KNOWN["renamed_attributes"]


def attribute_error(failure: Failure) -> Repair | None:
    """Repair an attribute that is not there."""
    if failure.tree() is None:
        return None
    found = re.search(r"^'?(?P<type>[\w.]+)'? object has no attribute '(?P<name>\w+)'", failure.message)
    module = re.search(r"module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'", failure.message)
    if module:
        return _of_module(failure, module["module"], module["name"])
    if not found:
        return None
    kind, name = found["type"].rpartition(".")[2], found["name"]
    if kind == "NoneType":
        return of_none(failure)
    if kind == "DataFrame" and name == "append":
        return _concat(failure)
    if name in ("length", "size", "len", "count") and kind in _BUILTIN:
        return _as_len(failure, name)
    return _other(failure, kind, name) or Repair(
        f"A {kind} has no attribute `{name}`, nor anything near it. `dir(…)` lists what it has."
    )


def _other(failure: Failure, kind: str, name: str) -> Repair | None:
    renamed = _RENAMED.get(f"{kind}.{name}")
    if renamed == "__contains__":
        return _as_in(failure, name)
    if renamed:
        return _replaced(failure, name, renamed, f"A {kind} has no `{name}`: it is `{renamed}`.")
    if kind in ("DataFrame", "Series"):
        known = [column for table in failure.namespace.of_kind("DataFrame") for column in table.columns]
        column = columns.nearest(name, known)
        if column is not None and kind == "DataFrame":
            return _as_column(failure, name, column.source)
    attributes = _FRAME if kind in ("DataFrame", "Series") else _ARRAY if kind == "ndarray" else []
    names = attributes or [one for one in dir(_BUILTIN.get(kind, object)) if not one.startswith("_")]
    near = nearest(name, [*names, *quoted_names(failure.message)[2:]], least=70)
    return _replaced(failure, name, near, f"A {kind} has no `{name}`; `{near}` is near it.") if near else None


def _attributes(failure: Failure, name: str) -> list[ast.Attribute]:
    return [node for node in failure.walk() if isinstance(node, ast.Attribute) and node.attr == name]


def _replaced(failure: Failure, name: str, new: str, says: str) -> Repair | None:
    positions = Positions(failure.source)
    ends = [positions.span(node)[1] for node in _attributes(failure, name)]
    spans = [Splice(end - len(name), end, new) for end in ends]
    return Repair(says, rewrite.apply_spans(failure.source, spans)) if spans else None


def _as_column(failure: Failure, name: str, column: str) -> Repair | None:
    positions = Positions(failure.source)
    ends = [(positions.span(node.value)[1], positions.span(node)[1]) for node in _attributes(failure, name)]
    if not ends:
        return None
    changed = rewrite.apply_spans(failure.source, [Splice(start, end, f"[{column}]") for start, end in ends])
    return Repair(f"There is no column `{name}`; {column} is near it.", changed)


def _as_in(failure: Failure, name: str) -> Repair | None:
    for call, method in failure.calls(name):
        if len(call.args) == 1:
            text = f"({failure.segment(call.args[0])} in {failure.segment(method.value)})"
            return Repair(f"Python has no `{name}`: `x in y` asks it.", failure.replaced(call, text))
    return None


def _as_len(failure: Failure, name: str) -> Repair | None:
    called: list[tuple[ast.expr, ast.Attribute]] = [*failure.calls(name)]
    for node, attribute in called or [(one, one) for one in _attributes(failure, name)]:
        text = f"len({failure.segment(attribute.value)})"
        return Repair(f"The length is `len(…)`, not `.{name}`.", failure.replaced(node, text))
    return None


def _concat(failure: Failure) -> Repair | None:
    for call, method in failure.calls("append"):
        if call.args:
            table, added = failure.segment(method.value), failure.segment(call.args[0])
            row = f"pd.DataFrame([{added}])" if isinstance(call.args[0], ast.Dict) else added
            source = failure.replaced(call, f"pd.concat([{table}, {row}], ignore_index=True)")
            if "pd" not in failure.namespace.names and not re.search(r"\bas pd\b", source):
                source = f"import pandas as pd\n\n{source}"
            return Repair("`DataFrame.append` was taken out of pandas 2; `pd.concat` does it.", source)
    return None


def _of_module(failure: Failure, module: str, name: str) -> Repair | None:
    renamed = _RENAMED.get(f"module:{module}.{name}")
    if renamed:
        return _replaced(failure, name, renamed, f"`{module}` has no `{name}` any more: it is `{renamed}`.")
    if module == "datetime" and name in KNOWN["methods_of_datetime"].split():
        says = f"`{name}` belongs to the class `datetime` in the module `datetime`."
        return _replaced(failure, name, f"datetime.{name}", says)
    if module not in KNOWN["standard_modules"].split():
        attributes = [*_FRAME, *KNOWN["pandas_functions"].split()] if module == "pandas" else []
        near = nearest(name, [*attributes, *quoted_names(failure.message)[2:]])
    else:
        near = nearest(name, [one for one in dir(importlib.import_module(module)) if not one.startswith("_")], least=70)
    if near:
        return _replaced(failure, name, near, f"`{module}` has no `{name}`; `{near}` is near it.")
    return Repair(f"`{module}` has no `{name}` in the version that is installed, nor anything near it.")


def of_none(failure: Failure) -> Repair | None:
    """The value is None because a method that changes its object in place gave None, and that was kept."""
    positions = Positions(failure.source)
    for node in failure.walk():
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            continue
        call, name = node.value, ast.unparse(node.targets[0])
        inplace = next((k for k in call.keywords if k.arg == "inplace" and ast.unparse(k.value) == "True"), None)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method in _IN_PLACE and ast.unparse(call.func) == f"{name}.{method}":
            says = f"`{method}` changes `{name}` itself and gives None, so its result must not be kept."
            return Repair(says, failure.replaced(node, failure.segment(call)))
        if inplace is not None:
            start, end = positions.span(inplace)
            before = failure.source[:start].rstrip().rstrip(",")
            text = before + failure.source[end:].lstrip(", ")
            return Repair(f"With `inplace=True` the method gives None, and `{name}` became None.", text)
    return Repair(
        "The value is None here: what made it returned nothing. Look at where it comes from, often a function without `return`."
    )
