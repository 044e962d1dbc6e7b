"""Results of operators, displays and iteration."""

from __future__ import annotations

import ast
import operator
import pathlib
import types
from collections.abc import Callable, Iterable

from spark_jupyter.reality import frame_columns, static_lookup, stubs
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    SCALAR,
    UNKNOWN,
    Live,
    Of,
    Scalar,
    Table,
    Unknown,
    Value,
    alternatives,
    constant,
    constants,
    each,
    either,
    options_of,
)
from spark_jupyter.reality.class_names import array, number, numpy_class, pandas_class
from spark_jupyter.reality.return_annotations import annotation_of
from spark_jupyter.reality.source_definitions import Instance, Written, WrittenClass
from spark_jupyter.reality.static_lookup import class_name


def stays(value: Value) -> bool:
    """True if a global is likely still the same when a function that uses it runs."""
    if isinstance(value, Written | WrittenClass):
        return True
    return isinstance(value, Live) and (
        static_lookup.is_class(value.thing)
        or static_lookup.is_module(value.thing)
        or type(value.thing) is types.FunctionType
    )


def in_display(value: Of, index: object, sliced: bool) -> Value:
    items = value.items or ()
    if index is NO_CONSTANT and not sliced and frame_columns.holds_tables(value):
        return _any_of(value, items)
    if issubclass(value.kind, dict) or (
        value.keys is not None and type(index) is str
    ):  # a pipeline's steps have names as well
        keys = value.keys or ()
        return items[keys.index(index)] if index in keys and index is not NO_CONSTANT else UNKNOWN
    if sliced:
        return Of(value.kind, element=value.element)
    if type(index) is int and -len(items) <= index < len(items):
        return items[index]
    return UNKNOWN


def _any_of(value: Value, items: tuple[Value, ...]) -> Value:
    """One of the items: which one can't be told, and where there are too many, nothing is known of any from now on."""
    one = either(items)
    if isinstance(one, Unknown):
        frame_columns.let_go(value)
    return one


def is_array(value: Value) -> bool:
    kinds = (numpy_class("ndarray"), numpy_class("generic"))
    return all(isinstance(option, Of) and option.kind in kinds for option in alternatives(value))


def is_vector(value: Value) -> bool:
    """An array, a Series or a DataFrame: what operators work on by element."""
    return is_array(value) or all(
        isinstance(option, Of) and (frame_columns.is_frame(option.kind) or frame_columns.is_series(option.kind))
        for option in alternatives(value)
    )


def is_mask(value: Value) -> bool:
    """A Series, a DataFrame or an array, by which rows are selected."""
    return not isinstance(value, Unknown) and is_vector(_without_flags(value))


def fresh(value: Value) -> Value:
    """Another value of the same kind, whose table changes alone."""
    return each(
        value, lambda one: Of(one.kind, table=one.table.copy() if one.table else None) if isinstance(one, Of) else one
    )


def is_single(value: Value) -> bool:
    """True if this is certainly no table, row or column: a number, a text, a list, an array."""
    if isinstance(value, Unknown):
        return isinstance(value, Scalar)
    return all(
        constant(one) is not NO_CONSTANT
        or (isinstance(one, Of) and not (frame_columns.is_frame(one.kind) or frame_columns.is_series(one.kind)))
        for one in alternatives(value)
    )


def combined(left: Value, right: Value, sign: ast.operator) -> Value:
    if (isinstance(left, Scalar) or isinstance(right, Scalar)) and is_single(left) and is_single(right):
        return SCALAR if not (is_array(left) or is_array(right)) else UNKNOWN
    left, right = _without_flags(left), _without_flags(right)
    labelled = [v for v in (left, right) if is_vector(v) and not is_array(v)]
    if labelled:
        kinds = {class_name(o.kind) for v in labelled for o in options_of(v)}
        chosen = next((v for v in labelled if any(frame_columns.is_frame(o.kind) for o in options_of(v))), labelled[0])
        if len(labelled) == 2 and len(kinds) == 1:  # the labels of both
            return each(chosen, lambda one: Of(one.kind) if isinstance(one, Of) else one)
        if (isinstance(left, Of | Live) and isinstance(right, Of | Live)) or is_array(right):
            return fresh(chosen)
        return UNKNOWN
    if is_array(left) or is_array(right):
        other = right if is_array(left) else left
        return array() if constant(other) is not NO_CONSTANT or _is_numeric(other) else UNKNOWN
    plain = _of_constants(left, right, sign)
    return plain if not isinstance(plain, Unknown) else _of_class(left, right, _SIGNS.get(type(sign), ""))


def _without_flags(value: Value) -> Value:
    """``frame.all(axis=1)`` gives a Series or one truth value; what operators join with others is the Series."""
    kept = [one for one in alternatives(value) if not (isinstance(one, Of) and one.kind is bool)]
    labelled = any(isinstance(one, Of) and frame_columns.is_series(one.kind) for one in kept)
    return either(kept) if labelled and len(kept) < len(alternatives(value)) else value


def _is_numeric(value: Value) -> bool:
    """True if an array and this give an array: numbers, arrays and lists, no labels."""
    scalar = numpy_class("generic") or object
    plain = (list, tuple, int, float, numpy_class("ndarray"))
    return all(
        isinstance(one, Of) and (one.kind in plain or issubclass(one.kind, scalar)) for one in alternatives(value)
    )


_SIGNS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt",
    ast.GtE: "ge",
}  # fmt: skip
_ANNOTATED = frozenset({"polars"})
"""Libraries whose methods behind the operators say what they give."""


def _of_class(left: Value, right: Value, sign: str) -> Value:
    """The result by the method behind an operator: ``pl.col("a") * 2``, ``2 * pl.col("a")``."""
    if sign == "truediv" and isinstance(left, Live) and type(left.thing) is type(pathlib.Path()):
        text = constant(right)
        return Live(left.thing / text) if type(text) is str else Of(type(left.thing))
    for value, name in ((left, f"__{sign}__"), (right, f"__r{sign}__")):
        if isinstance(value, Of) and static_lookup.root(static_lookup.class_module(value.kind)) in _ANNOTATED:
            method = static_lookup.in_class(value.kind, name)
            if method is static_lookup.MISSING:
                method = static_lookup.in_class(value.kind, f"__{sign}__")  # of a comparison the other one
            return annotation_of(static_lookup.plain_function(method), value)
        if (
            isinstance(value, Of)
            and static_lookup.class_module(value.kind).partition(".")[0] == "pathlib"
            and sign == "truediv"
        ):
            return Of(value.kind)
        if isinstance(value, Of) and static_lookup.class_module(value.kind) == "datetime":
            return stubs.returned(static_lookup.in_class(value.kind, name), value)
    return UNKNOWN


def _of_constants(left: Value, right: Value, sign: ast.operator) -> Value:
    kinds = [type(v.thing) if isinstance(v, Live) else v.kind if isinstance(v, Of) else None for v in (left, right)]
    if kinds[0] is str and (isinstance(sign, ast.Mod) or kinds[1] is str or kinds[1] is int):
        texts = [constant(left), constant(right)]
        joined = isinstance(sign, ast.Add) and all(type(text) is str and len(text) < MAX_TEXT for text in texts)
        return Live("".join(map(str, texts))) if joined else Of(str)
    if all(kind in (int, float, bool) for kind in kinds):
        return number(int, float, numpy_name="number")
    if kinds[0] is list and kinds[1] in (list, int):
        items = [v.items for v in (left, right) if isinstance(v, Of) and v.items is not None]
        times = constant(right)
        if items and type(times) is int and isinstance(sign, ast.Mult) and 0 < times * len(items[0]) <= MAX_REPEATED:
            return Of(list, exact=True, items=items[0] * times)
        return Of(list, items=(*items[0], *items[1]) if len(items) == 2 else None)
    return UNKNOWN


MAX_TEXT = 200
"""Longer constant texts are not joined: no column is called so."""
MAX_REPEATED = 2000
"""Longer lists are not multiplied."""
_ITERATED: tuple[type, ...] = (list, tuple, set, type({}.values()), type({}.items()), types.GeneratorType)


def _group(grouped: Of) -> Value | None:
    frame = pandas_class("DataFrame")
    if frame is None or grouped.table is None:
        return None
    return Of(frame, table=grouped.table.copy())


FEW = 8
"""Of so many items a loop is gone through for each."""


def few_items(value: Value) -> tuple[Value, ...] | None:
    """The items that a loop goes over, where they are known and few."""
    if not isinstance(value, Of) or value.items is None or not 0 < len(value.items) <= FEW:
        return None
    if value.kind is dict and value.keys is not None and NO_CONSTANT not in value.keys:
        return tuple(Live(key) for key in value.keys)
    return value.items if value.kind in (list, tuple, type({}.items())) and value.exact else None


def element_of(value: Value) -> Value:
    """An item of the iterated value."""
    options: Iterable[Value] = alternatives(value)
    found: list[Value] = []
    for option in options:
        if isinstance(option, Of) and option.element is not None:
            found.append(option.element if option.kind is not dict else UNKNOWN)
        elif isinstance(option, Of) and option.items and option.kind is numpy_class("ndarray"):
            found.append(option.items[0])
        elif isinstance(option, Of) and option.items and option.kind in _ITERATED:
            found.append(_any_of(option, option.items))
        elif isinstance(option, Of) and class_name(option.kind) == "DataFrameGroupBy":
            frame = _group(option)
            found.append(Of(tuple, exact=True, items=(UNKNOWN, frame)) if frame is not None else UNKNOWN)
        elif isinstance(option, Of) and option.kind is dict and option.keys:
            found.append(either(UNKNOWN if key is NO_CONSTANT else Of(type(key), exact=True) for key in option.keys))
        elif isinstance(option, Of) and class_name(option.kind) == "Index" and _are_texts(option.table):
            found.append(Of(str, exact=True))
        elif isinstance(option, Of) and option.kind in (range,):
            found.append(Of(int, exact=True))
        elif (isinstance(option, Live) and type(option.thing) is str) or (
            isinstance(option, Of) and option.kind is str
        ):
            found.append(Of(str, exact=True))
        else:
            return UNKNOWN
    return either(found)


def _are_texts(labels: Table | None) -> bool:
    """True if all labels are certainly texts."""
    return labels is not None and bool(labels.columns) and all(type(label) is str for label in labels.columns or ())


# --- Conditions --------------------------------------------------------------------------------------------------------


def truth(value: Value) -> bool | None:
    """The truth of a condition; None where it can't be known."""
    single = constant(value)
    return None if single is NO_CONSTANT else bool(single)


def chosen(sign: ast.boolop, values: list[Value]) -> Value:
    """``a and b``, ``a or b``."""
    decides = isinstance(sign, ast.Or)
    for value in values:
        known = truth(value)
        if known is decides:
            return value
        if known is None:
            return either(values)
    return values[-1]


_COMPARED: dict[type, Callable[..., object]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def compared(operators: list[ast.cmpop], values: list[Value]) -> Value:
    """The result of a comparison, where no part of it is a vector."""
    outcome: bool | None = None
    if len(operators) == 1:
        left, right = values
        if isinstance(operators[0], ast.Is | ast.IsNot):
            outcome = _is_same(left, right)
        elif isinstance(operators[0], ast.In | ast.NotIn):
            outcome = _is_in(left, right)
        else:
            outcome = _compared(operators[0], left, right)
        if outcome is not None:
            return Live(outcome is not isinstance(operators[0], ast.IsNot | ast.NotIn))
        if isinstance(operators[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
            return Of(bool)
    if all(constant(value) is not NO_CONSTANT for value in values):
        return Of(bool)
    return _of_class(values[0], values[1], _SIGNS.get(type(operators[0]), "")) if len(values) == 2 else UNKNOWN


def _is_same(left: Value, right: Value) -> bool | None:
    if constant(right) is not None:
        return None
    kinds = {type(one.thing) if isinstance(one, Live) else getattr(one, "kind", None) for one in alternatives(left)}
    if None in kinds or not kinds:
        return False if all(isinstance(one, Instance | Written | WrittenClass) for one in alternatives(left)) else None
    return True if kinds == {type(None)} else None if type(None) in kinds else False


def _is_in(left: Value, right: Value) -> bool | None:
    single, listed = constant(left), constants(right)
    if single is NO_CONSTANT or not isinstance(right, Of) or listed is None or NO_CONSTANT in listed:
        return None
    return single in listed


def _compared(comparison: ast.cmpop, left: Value, right: Value) -> bool | None:
    one, other = constant(left), constant(right)
    if NO_CONSTANT in (one, other):
        return None
    try:
        return bool(_COMPARED[type(comparison)](one, other))
    except TypeError:
        return None
