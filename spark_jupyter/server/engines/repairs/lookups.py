"""Repairs of KeyError and IndexError."""

from __future__ import annotations

import ast
import re
from typing import TypeGuard

from spark_jupyter.server.engines import columns, rewrite
from spark_jupyter.server.engines.repairs.base import Failure, Repair, nearest, quoted_names
from spark_jupyter.server.engines.rewrite import Change, quoted
from spark_jupyter.source.splices import Positions, Splice


def key_error(failure: Failure) -> Repair | None:
    """The near column of the table, the near key of the dict, else ``get``."""
    missing = quoted_names(failure.message) or [failure.message.strip("\"'")]
    constants = {node.value for node in failure.walk() if isinstance(node, ast.Constant)}
    missing = [name for name in missing if quoted(name) and name in constants]
    if not missing or failure.tree() is None:
        return None
    tables = [one for one in failure.namespace.of_kind("DataFrame") if re.search(rf"\b{one.name}\b", failure.text)]
    known = [column for table in tables or failure.namespace.of_kind("DataFrame") for column in table.columns]
    if mark := next((one for one in ";\t|" if len(known) == 1 and one in known[0].name), ""):
        whole = f"The first line of the file became one column, `{known[0].name}`: its values stand between {mark!r}."
        read = next((call for call, _ in failure.calls("read_csv")), None)
        given = [one for one in read.keywords if one.arg not in ("sep", "delimiter")] if read else []
        fresh = ast.Call(read.func, read.args, [*given, ast.keyword("sep", ast.Constant(mark))]) if read else None
        source = failure.replaced(read, ast.unparse(fresh)) if read and fresh else None
        return Repair(f"{whole} Read it with `sep={mark!r}`.", source)
    changes: list[Change] = []
    says: list[str] = []
    for name in missing:
        likely = nearest(name, [one.name for one in known], least=65)
        near = columns.nearest(name, known) or next((one for one in known if one.name == likely), None)
        if near is not None and near.name != name:
            changes.append(Change(token=quoted(name), new=near.source, role="literal"))
            says.append(f"There is no column '{name}'; `{near.name}` is near it.")
    if changes:
        return Repair(" ".join(says), rewrite.rewrite(failure.source, changes))
    if known and tables:
        names = ", ".join(f"`{column.name}`" for column in known[:12])
        return Repair(f"There is no column '{missing[0]}', and none is near it. The columns are {names}.")
    return _dict_key(failure, missing[0])


def _dict_key(failure: Failure, name: str) -> Repair | None:
    for node in failure.nodes():
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == name:
            near = nearest(name, _keys(failure, failure.segment(node.value)), least=70)
            if near:
                says = f"There is no key '{name}'; '{near}' is near it."
                return Repair(says, failure.replaced(node.slice, quoted(near)))
            if isinstance(node.ctx, ast.Load):
                text = f"{failure.segment(node.value)}.get({failure.segment(node.slice)})"
                says = f"There is no key '{name}'. `get` gives None instead of an error then."
                return Repair(says, failure.replaced(node, text))
    return None


def _keys(failure: Failure, name: str) -> list[str]:
    """The keys of the dict literals that are assigned to ``name`` in any cell."""
    keys: list[str] = []
    for node in failure.all_nodes():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and ast.unparse(node.targets[0]) == name:
            keys += [str(key.value) for key in node.value.keys if isinstance(key, ast.Constant)]
    return keys


def index_error(failure: Failure) -> Repair | None:
    """A range that is one too long, the element at ``len``, a neighbour behind the last one."""
    if failure.tree() is None:
        return None
    text = failure.source
    spans: list[Splice] = []
    positions = Positions(text)
    for node in failure.walk():
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range" and node.args:
            spans += _shorter_range(failure, node, positions)
        elif isinstance(node, ast.Subscript) and _is_len(node.slice):
            same = failure.segment(node.slice.args[0]) == failure.segment(node.value)
            spans += [Splice(*positions.span(node.slice), "-1")] if same else []
    if not spans:
        return Repair(
            "The list is shorter than the index. Its positions go from 0 to `len(…) - 1`; check its length before."
        )
    says = "The index goes past the end: the last position is the length less one."
    return Repair(says, rewrite.apply_spans(text, spans))


def _shorter_range(failure: Failure, call: ast.Call, positions: Positions) -> list[Splice]:
    stop = call.args[0] if len(call.args) == 1 else call.args[1]
    if isinstance(stop, ast.BinOp) and _is_len(stop.left) and failure.segment(stop).replace(" ", "").endswith(")+1"):
        return [Splice(*positions.span(stop), failure.segment(stop.left))]
    if _is_len(stop):
        name = failure.segment(stop.args[0])
        if re.search(rf"{re.escape(name)}\s*\[\s*\w+\s*\+\s*1\s*\]", failure.source):
            return [Splice(*positions.span(stop), f"{failure.segment(stop)} - 1")]
    return []


def _is_len(node: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and len(node.args) == 1
