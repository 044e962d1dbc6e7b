"""Texts computed from constants.

Column names after ``lower()``, ``replace(" ", "_")`` or ``"_".join(pair)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Bound,
    Invocation,
    Live,
    Of,
    Table,
    Value,
    constant,
    constants,
)
from spark_jupyter.reality.class_names import pandas_class
from spark_jupyter.reality.source_definitions import Written
from spark_jupyter.reality.static_lookup import class_name

LONGEST = 200
"""Longer texts are no names."""
_PLAIN = frozenset(
    "upper lower title strip capitalize casefold swapcase lstrip rstrip replace removeprefix removesuffix zfill".split()
)
_SAYING = frozenset("startswith endswith isdigit isalpha isupper islower".split())
_SPLITTING = frozenset("split rsplit partition rpartition".split())
_SIMPLE = re.compile(r"[^()*+{}|]{1,40}[+*]?")
"""Patterns that can't take long."""
EACH = 60
"""Of more labels it is not followed what each becomes."""


def made(bound: Bound, call: Invocation) -> Value | None:
    """The result of a method of a constant text with constant arguments; None for all others."""
    text = constant(bound.receiver)
    if type(text) is not str or call.stars or call.keywords or len(text) > LONGEST:
        return None
    if bound.name == "join" and len(call.positional) == 1:
        given = call.positional[0][1]
        parts = [constant(item) for item in given.items] if isinstance(given, Of) and given.items is not None else []
        short = sum(len(part) + len(text) for part in parts if type(part) is str) <= LONGEST
        return Live(text.join(map(str, parts))) if parts and short and all(type(p) is str for p in parts) else None
    if bound.name not in _PLAIN | _SAYING | _SPLITTING:
        return None
    return _of_method(text, bound.name, [constant(value) for _, value in call.positional])


def _of_method(text: str, method: str, arguments: list[object]) -> Value | None:
    if any(type(argument) not in (str, int) or len(str(argument)) > LONGEST for argument in arguments):
        return None
    if any(type(argument) is int and argument > LONGEST for argument in arguments):
        return None
    try:
        found = getattr(text, method)(*arguments)
    except (TypeError, ValueError):
        return None
    if type(found) in (list, tuple):
        return Of(type(found), exact=True, items=tuple(map(Live, found)))
    return Live(found) if type(found) is bool or len(found) <= LONGEST else None


def mapped(name: str, call: Invocation) -> Value | None:
    """``map(str, labels)`` of known labels."""
    if name != "map" or len(call.positional) != 2 or call.stars:
        return None
    function, labels = call.positional[0][1], constants(call.positional[1][1])
    known = isinstance(function, Live) and function.thing is str and labels is not None and NO_CONSTANT not in labels
    return Of(map, exact=True, items=tuple(Live(str(label)) for label in labels or ())) if known else None


# --- Labels ---------------------------------------------------------------------------------------------------------------


def of_labels(index: Of, method: str, call: Invocation) -> Value | None:
    """The Index that ``frame.columns.map(f)``, ``….get_level_values(0)`` and the like give, with its possible labels."""
    table = index.table
    if class_name(index.kind) != "Index" or table is None or table.columns is None or call.stars:
        return None
    labels = deep(table)
    if method in {"map", "to_flat_index", "tolist", "to_list", "copy"}:
        named = _mapped(call, labels) if method == "map" else labels
        kind = list if method in {"tolist", "to_list"} else index.kind
        element = Of(str, exact=True) if kind is list and all(type(label) is str for label in labels) else None
        return Of(kind, exact=kind is list, table=Table(named, levels=None), element=element)
    if method in {"get_level_values", "droplevel"} and table.has_tuples:
        level = call.constant("level", 0)
        pairs = [label for label in labels if type(label) is tuple and len(label) == 2]
        if level not in (0, 1) or len(pairs) < len(labels):
            return Of(index.kind)
        place = level if method == "get_level_values" else 1 - int(level)
        found = [pair[place] for pair in pairs]
        return Of(index.kind, table=Table(None if NO_CONSTANT in found else found, levels=None))
    return None


def deep(table: Table) -> list[object]:
    """The labels of columns; of two levels the pairs."""
    columns = list(table.columns or ())
    return [column for column in columns if type(column) is tuple] if table.has_tuples else columns


def _mapped(call: Invocation, labels: list[object]) -> list[object] | None:
    function = call.positional[0][1] if call.positional else UNKNOWN
    if len(labels) > EACH:
        return None
    made_: Iterable[Value | None]
    if isinstance(function, Bound):
        made_ = [_called(function, label, call) for label in labels]
    elif isinstance(function, Written) and function.enter is not None:
        made_ = [function.enter(Invocation.of(call.node, label_value(label))) for label in labels]
    else:
        return None
    found = [constant(value) if value is not None else NO_CONSTANT for value in made_]
    return None if NO_CONSTANT in found else found


def _called(function: Bound, label: object, call: Invocation) -> Value | None:
    """``"_".join`` or ``str.lower`` called with a label."""
    if type(constant(function.receiver)) is str:
        return made(function, Invocation.of(call.node, label_value(label)))
    of_class = getattr(function.function, "__objclass__", None) is str and type(label) is str
    return made(Bound(function.function, Live(label), function.name), Invocation.of(call.node)) if of_class else None


def label_value(label: object) -> Value:
    """A label as a value: a constant, or a pair of them."""
    if type(label) is tuple:
        return Of(tuple, exact=True, items=tuple(UNKNOWN if part is NO_CONSTANT else Live(part) for part in label))
    return UNKNOWN if label is NO_CONSTANT else Live(label)


def of_index_text(accessor: Of, method: str, call: Invocation) -> Value:
    """The Index that ``frame.columns.str.lower()`` gives; unknown for methods that give none."""
    index = pandas_class("Index")
    if index is None or method not in _PLAIN:
        return UNKNOWN
    table = accessor.table
    labels = deep(table) if table is not None and table.columns is not None else [NO_CONSTANT]
    regex = call.constant("regex", None, False)
    given = [constant(value) for _, value in call.positional]
    named: list[object] = []
    for label in labels:
        one = _with_pattern(label, given) if regex is True and method == "replace" else None
        if type(label) is str and regex is False and not call.keywords.keys() - {"regex"}:
            one = _of_method(label, method, given)
        named.append(constant(one) if one is not None else NO_CONSTANT)
    known = NO_CONSTANT not in named and not call.stars and len(labels) <= EACH
    return Of(index, table=Table(named if known else None, levels=None))


def _with_pattern(label: object, given: list[object]) -> Value | None:
    pattern, by = given if len(given) == 2 else (None, None)
    if type(label) is not str or type(pattern) is not str or type(by) is not str or not _SIMPLE.fullmatch(pattern):
        return None
    try:
        return Live(re.sub(pattern, by, label[:LONGEST]))
    except re.error:
        return None
