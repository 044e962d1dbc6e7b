"""Effects of bytecode: names, attributes and items that it sets."""

from __future__ import annotations

import dis
import types
from dataclasses import dataclass
from functools import lru_cache

CACHED = 20_000
_CHANGING = frozenset(
    {"update", "setdefault", "append", "extend", "insert", "setattr", "exec", "eval", "globals", "vars", "inplace"}
)
"""Functions, methods and keywords by which a function changes what it is given under names that can't be seen."""
_LABELS = frozenset({"columns", "index"})
"""Attributes of a DataFrame that give it other labels."""


@dataclass(frozen=True, slots=True)
class Effects:
    """What one piece of bytecode may do."""

    names: frozenset[str]
    texts: frozenset[str]
    attributes: frozenset[str]
    """Attributes that it sets."""
    names_set: frozenset[str]
    """Global names that it sets."""
    sets_items: bool
    """True if it sets keys or columns."""
    is_open: bool
    """True if it may set some that its text doesn't name."""


@lru_cache(CACHED)
def effects_of(code: types.CodeType) -> Effects:
    """What a piece of bytecode may do."""
    texts: set[str] = set()
    for const in code.co_consts:
        texts.update(one for one in (const if type(const) is tuple else (const,)) if type(one) is str)
    attributes = stores(code)
    names_set: set[str] = set()
    sets_items, is_open, before = False, False, ""
    for step in dis.get_instructions(code):
        if step.opname == "STORE_GLOBAL":
            names_set.add(str(step.argval))
        elif step.opname == "STORE_SUBSCR":
            sets_items, is_open = True, is_open or before != "LOAD_CONST"
        before = step.opname
    names = frozenset(code.co_names)
    is_open = is_open or not _CHANGING.isdisjoint(names | texts) or not _LABELS.isdisjoint(attributes)
    return Effects(names, frozenset(texts), attributes, frozenset(names_set), sets_items, is_open)


_STORE_ATTR, _EXTENDED_ARG = dis.opmap["STORE_ATTR"], dis.opmap["EXTENDED_ARG"]


@lru_cache(CACHED)
def stores(code: types.CodeType) -> frozenset[str]:
    """The names of attributes that a piece of bytecode sets."""
    found: set[str] = set()
    names, raw, extended = code.co_names, code.co_code, 0
    for place in range(0, len(raw), 2):
        operation, argument = raw[place], raw[place + 1] | extended
        extended = argument << 8 if operation == _EXTENDED_ARG else 0
        if operation == _STORE_ATTR and argument < len(names):
            found.add(names[argument])
    return frozenset(found)
