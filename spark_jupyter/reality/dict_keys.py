"""Keys of dicts after assignments and updates.

``d["a"] = 1``, ``setdefault``, ``update``, and ``d["a"]`` of a defaultdict.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict

from spark_jupyter.reality import frame_columns
from spark_jupyter.reality.abstract_values import NO_CONSTANT, UNKNOWN, Invocation, Of, Value, constant, either
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.source_definitions import Instance

MAX_KEYS = 200
"""Of a dict with more the keys are not followed."""


def new_default(call: Invocation) -> Of:
    """``defaultdict(list)``: no key yet, and none is missing."""
    begun = len(call.positional) == 1 and not call.keywords and not call.stars
    return Of(defaultdict, items=() if begun else None, keys=() if begun else None)


def asked(owner: Of, key: object) -> None:
    """``d[key]`` of a defaultdict: it has the key from now on."""
    if owner.kind is defaultdict and owner.keys is not None and key not in owner.keys:
        _put(owner, key, UNKNOWN, certain=True)


def put(run: Run, owner: Of, key: object, value: Value, *, certain: bool) -> None:
    """``d[key] = value``. Not ``certain``: it may be another dict, or be left out. What was made of it before may be the same dict."""
    if type(key) is str and key not in (owner.keys or ()):
        run.labels.add(key)
    _put(owner, key, value, certain=certain)


def _put(owner: Of, key: object, value: Value, *, certain: bool) -> None:
    if owner.keys is None or owner.items is None or type(key) not in (str, int) or len(owner.keys) >= MAX_KEYS:
        frame_columns.let_go(owner)
        owner.forget_items()
    elif key in owner.keys:
        place = owner.keys.index(key)
        new = value if certain else either([owner.items[place], value])
        owner.items = (*owner.items[:place], new, *owner.items[place + 1 :])
    else:
        owner.keys, owner.items = (*owner.keys, key), (*owner.items, value if certain else UNKNOWN)


_KEPT = frozenset({"pop", "popitem", "clear"})
"""Methods that take keys away: all that may be there stay known."""


def changed(run: Run, owner: Of, method: str, call: Invocation) -> bool:
    """Apply a method to a dict; False where that can't be followed."""
    if not issubclass(owner.kind, dict) or owner.keys is None or call.stars:
        return False
    if method in _KEPT:
        return True
    if method == "setdefault" and call.positional:
        put(run, owner, constant(call.positional[0][1]), UNKNOWN, certain=False)
        return True
    pairs: dict[object, Value] | None = {name: value for name, (_, value) in call.keywords.items()}
    if method == "update" and call.positional and pairs is not None:
        more = frame_columns.pairs_of(call.positional[0][1])
        pairs = None if more is None else {**more, **pairs}
    if method != "update" or pairs is None:
        return False
    for key, value in pairs.items():
        put(run, owner, key, value, certain=False)
    return True


def of_instance(value: Value) -> Value | None:
    """``asdict(item)`` and ``vars(item)`` of what a class of the cell made: its attributes."""
    if not isinstance(value, Instance) or not value.closed or not value.attributes:
        return None
    return Of(dict, exact=True, items=tuple(value.attributes.values()), keys=tuple(value.attributes))


def is_asdict(thing: object) -> bool:
    """True for the standard library's ``asdict``."""
    return thing is dataclasses.asdict


def fields_of(value: Value) -> tuple[object, ...] | None:
    """The keys of a dict, or the fields of an instance of a dataclass; None where they can't be seen."""
    if isinstance(value, Instance) and value.made_by.fields:
        return tuple(value.made_by.fields)
    keys = value.keys if isinstance(value, Of) and issubclass(value.kind, dict) else None
    return None if keys is None or NO_CONSTANT in keys else keys
