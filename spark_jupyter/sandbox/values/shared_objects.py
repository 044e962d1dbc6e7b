"""Variables that share an object that can change.

A change in place of one is then a change of the other, which no text names. Runs in copies only; no user code is called.
"""

from __future__ import annotations

import sys
import types
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

MOST_PARTS = 10_000
"""Most objects that are looked at among those reached, and as many among the others."""
_DEPTH = 4
_CONTAINERS = (list, tuple, dict, set, deque)
_UNCHANGED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.CodeType)


def names_sharing(namespace: Mapping[str, object], names: Iterable[str], reached: Iterable[object]) -> set[str]:
    """Those of ``names`` in which there is an object that can be changed and that is, or is in, one of those ``reached``. As far as
    :data:`MOST_PARTS` of them tell."""
    shared = {key for one in _parts(reached, [MOST_PARTS]) for key in _keys(one)}
    if not shared:
        return set()
    left = [MOST_PARTS]
    return {name for name in names if any(not shared.isdisjoint(_keys(one)) for one in _parts([namespace[name]], left))}


def _parts(values: Iterable[object], left: list[int]) -> Iterator[object]:
    """Mutable parts of values, from the outside in, each once. ``left`` is how many objects may still be looked at."""
    level, known = list(values), set[int]()
    for _ in range(_DEPTH):
        inner: list[object] = []
        left[0] -= len(level)
        for one in level:
            if id(one) not in known and _can_change(one):
                known.add(id(one))
                yield one
                inner += islice(_inside(one), max(0, left[0] - len(inner)))
        level = inner


def _can_change(value: object) -> bool:
    """A tuple counts for what is in it."""
    return _is_container(value) or type(value) is bytearray or _has_own(value) or _is_array(value)


def _is_container(value: object) -> bool:
    """By identity: a metaclass of the user's may have an ``__eq__``."""
    kind = type(value)
    return any(kind is one for one in _CONTAINERS)


def _inside(value: Any) -> Iterable[object]:
    kind = type(value)
    if kind is dict:
        return dict.values(value)
    if _is_container(value):
        return value  # type: ignore[no-any-return]  # one of them
    return dict.values(object.__getattribute__(value, "__dict__")) if _has_own(value) and not _is_array(value) else ()


def _keys(value: Any) -> tuple[int, ...]:
    """Identities of a value: for an array also the memory that it views."""
    if type(value) is tuple:
        return ()
    if not _is_array(value):
        return (id(value),)
    root = value
    while _is_array(root.base):
        root = root.base
    return id(value), id(root)


def _is_array(value: object) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _has_own(value: object) -> bool:
    if isinstance(value, _UNCHANGED):
        return False
    try:
        return type(object.__getattribute__(value, "__dict__")) is dict
    except AttributeError:
        return False
