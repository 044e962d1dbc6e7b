"""Tables from JSON and CSV texts in the source.

``read_csv(StringIO(text))``, ``json.loads(text)``. Source of the rules: the docstring of pandas.read_csv.
"""

from __future__ import annotations

import csv
import io
import json

from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Held,
    Invocation,
    Live,
    Of,
    Table,
    Value,
    constant,
    constants,
)

_LONGEST = 100_000
_ITEMS = 500
_DEEPEST = 6


def loaded(call: Invocation) -> Value | None:
    """The value of ``json.loads(text)`` for a constant text."""
    text = constant(call.positional[0][1]) if len(call.positional) == 1 and not call.keywords else None
    if type(text) is not str or len(text) > _LONGEST:
        return None
    try:
        return _value_of(json.loads(text), 0)
    except (ValueError, RecursionError):
        return None


def _value_of(thing: object, depth: int) -> Value:
    if isinstance(thing, dict | list) and (depth > _DEEPEST or len(thing) > _ITEMS):
        return UNKNOWN
    if isinstance(thing, dict):
        return Of(dict, exact=True, items=tuple(_value_of(one, depth + 1) for one in thing.values()), keys=tuple(thing))
    if isinstance(thing, list):
        return Of(list, exact=True, items=tuple(_value_of(one, depth + 1) for one in thing))
    return Live(thing)


def text_file(call: Invocation) -> Of:
    """``StringIO("…")``, with its text while nothing has read of it."""
    text = call.positional[0][1] if len(call.positional) == 1 and not call.keywords else UNKNOWN
    return Of(io.StringIO, exact=True, items=(text,) if type(constant(text)) is str else None)


_UNIMPORTANT = frozenset(
    "filepath_or_buffer sep delimiter parse_dates thousands decimal dtype na_values keep_default_na skipinitialspace engine "
    "date_format dayfirst converters true_values false_values nrows index_col usecols low_memory encoding".split()
)
"""Parameters that change nothing of what the columns are called, or that are looked at here."""


_SEPARATORS = {"read_csv": ",", "read_table": "\t"}


def table_of_text(name: str, call: Invocation) -> Table | None:
    """The table that ``read_csv`` or ``read_table`` makes of a text file in the source: its first line names the columns."""
    if name not in _SEPARATORS:
        return None
    default, given = _SEPARATORS[name], call.argument("filepath_or_buffer", 0)
    held = given[1].items if given is not None and isinstance(given[1], Of) and given[1].kind is io.StringIO else None
    text = constant(held[0]) if held else None
    known = set(call.keywords) <= _UNIMPORTANT and len(call.positional) <= 1 and not call.stars
    if type(text) is not str or not known or len(text) > _LONGEST:
        return None
    text = text.removeprefix("\ufeff")
    lines = [line for line in text.splitlines() if line.strip()][:2]
    rows = [_fields(line, call, default) for line in lines]
    names = rows[0] if rows else None
    if not names or any(not name for name in names) or len(set(names)) < len(names):
        return None
    if len(rows) > 1 and (rows[1] is None or len(rows[1]) != len(names)):
        return None  # with one more the first would be the index
    table = _chosen(list(names), call)
    if table is not None and not call.keywords.keys() & _CONVERTING and len(text) < _HELD:
        table.holds |= _texts_in(
            names, [_fields(line, call, default) for line in text.splitlines() if line.strip()][1:]
        )
    return table


_CONVERTING = frozenset(
    "dtype na_values keep_default_na converters true_values false_values nrows decimal thousands".split()
)
_HELD = 10_000
"""Of longer texts it is not looked what the columns hold."""
_NO_TEXT = frozenset("true false nan null none na n/a inf infinity".split())


def _texts_in(names: list[str], rows: list[list[str] | None]) -> dict[object, Held]:
    """Values of the columns that hold nothing but words."""
    if not rows or any(row is None or len(row) != len(names) for row in rows):
        return {}
    found: dict[object, Held] = {}
    for place, name in enumerate(names):
        texts = {row[place]: None for row in rows if row is not None and row[place]}
        if texts and all(text[0].isalpha() and text.lower() not in _NO_TEXT for text in texts):
            found[name] = tuple(texts)
    return found


def _fields(line: str, call: Invocation, default: str) -> list[str] | None:
    sep = call.constant("sep", None, call.constant("delimiter", None, default))
    if sep in (r"\s+", " +"):
        return line.split()
    if type(sep) is not str or len(sep) != 1:
        return None
    strips = call.constant("skipinitialspace", None, False) is True
    fields = next(csv.reader([line], delimiter=sep, skipinitialspace=strips), [])
    return list(fields)


def _chosen(names: list[str], call: Invocation) -> Table | None:
    used = call.argument("usecols")
    if used is not None:
        listed = constants(used[1])
        if listed is None or NO_CONSTANT in listed:
            return None
        names = [name for place, name in enumerate(names) if name in listed or place in listed]
    index = call.constant("index_col", None, None)
    place = names.index(index) if type(index) is str and index in names else index
    if place is None or place is False:
        return Table(names, one_level=True)
    if type(place) is not int or not 0 <= place < len(names):
        return None
    return Table([name for name in names if name != names[place]], levels=(names[place],), one_level=True)
