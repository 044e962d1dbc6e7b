"""Result types from return annotations."""

from __future__ import annotations

import ast
import functools
import sys
import types

from spark_jupyter.reality.abstract_values import UNKNOWN, Of, Value, alternatives, either
from spark_jupyter.reality.class_names import alike, kind_at, kind_named, pandas_class
from spark_jupyter.reality.static_lookup import CACHED, class_name, is_class, is_trusted, root
from spark_jupyter.source.python_parser import parse_python

_OF_THE_DATA = frozenset({"NDFrameT", "FrameOrSeries"})
"""Type variables of pandas': the kind of the data, which is the receiver's own or what it groups."""
_NOT_FOLLOWED = frozenset({"Literal", "Iterator", "Generator", "Callable", "Optional"})


def annotation_of(function: object, receiver: Value | None, keywords: tuple[str, ...] = ()) -> Value:
    """The result by the return annotation of a Python function."""
    if type(function) is not types.FunctionType:
        return UNKNOWN
    note = function.__annotations__.get("return")
    if note is None:
        return UNKNOWN
    if is_class(note) and not isinstance(note, types.GenericAlias):
        return _plain_kind(note, function)
    if type(note) is not str:
        return UNKNOWN
    tree = _parse(note)
    value = _from_annotation(tree, function, receiver) if tree is not None else UNKNOWN
    return _without_readers(value) if not {"chunksize", "iterator"} & set(keywords) else value


def _without_readers(value: Value) -> Value:
    """``read_csv`` gives a reader only where it is asked for one."""
    kept = [v for v in alternatives(value) if not (isinstance(v, Of) and class_name(v.kind).endswith("Reader"))]
    return either(kept) if kept else value


def _plain_kind(kind: type, function: types.FunctionType) -> Value:
    # an annotation of the user's may be wrong; a library's is checked by its authors
    return Of(kind) if root(function.__module__ or "") in sys.stdlib_module_names or is_trusted(kind) else UNKNOWN


@functools.lru_cache(CACHED)
def _parse(text: str) -> ast.expr | None:
    try:
        return parse_python(text, "eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _from_annotation(node: ast.expr, function: types.FunctionType, receiver: Value | None) -> Value:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = [_from_annotation(side, function, receiver) for side in _sides(node) if not _is_none_or_any(side)]
        return either(sides) if sides else UNKNOWN
    if isinstance(node, ast.Subscript):
        if isinstance(node.value, ast.Name) and node.value.id in _NOT_FOLLOWED:
            return UNKNOWN
        return _from_annotation(node.value, function, receiver)
    if isinstance(node, ast.Attribute):
        return kind_at(ast.unparse(node), function)
    if isinstance(node, ast.Constant) and type(node.value) is str:
        inner = _parse(node.value)
        return _from_annotation(inner, function, receiver) if inner is not None else UNKNOWN
    if not isinstance(node, ast.Name):
        return UNKNOWN
    if node.id == "Self":
        return alike(receiver)
    if node.id in _OF_THE_DATA:
        return _data_of(receiver)
    return kind_named(node.id, function)


def _sides(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_sides(node.left), *_sides(node.right)]
    return [node]


def _is_none_or_any(node: ast.expr) -> bool:
    # `X | None` and `X | Any` are X in all but special cases; calling the method of a None would fail by itself
    return (isinstance(node, ast.Constant) and node.value is None) or (isinstance(node, ast.Name) and node.id == "Any")


def _data_of(receiver: Value | None) -> Value:
    """A DataFrame or Series of a receiver that is one, or that is made of one: ``DataFrameGroupBy``, ``SeriesGroupBy``."""
    kinds = []
    for option in alternatives(alike(receiver)):
        if not isinstance(option, Of):
            return UNKNOWN
        name = class_name(option.kind)
        base = next((base for base in ("DataFrame", "Series") if name.startswith(base)), None)
        kind = pandas_class(base) if base is not None else None
        if kind is None:
            return UNKNOWN
        kinds.append(option if issubclass(option.kind, kind) else Of(kind))
    return either(kinds)
