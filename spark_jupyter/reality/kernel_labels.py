"""Keys and attributes of the kernel's objects as possible labels of tables.

They become columns where a table is made of dicts, of dataclasses or of ``vars(thing)``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from itertools import islice

from spark_jupyter.reality import static_lookup

MOST = 5_000
"""Objects that are looked at."""
EACH = 200
"""Items of each list."""


def is_held(namespace: Mapping[str, object], label: str) -> bool:
    """Whether a dict, or an object or class of the person's own, somewhere in the kernel's variables, has this key or attribute."""
    try:
        waiting = deque(list(namespace.values()))
        seen = set[int]()
        while waiting and len(seen) < MOST:
            thing = waiting.popleft()
            if id(thing) in seen:
                continue
            seen.add(id(thing))
            if any(type(name) is str and name == label for name in islice(_names_of(thing), MOST)):
                return True
            waiting.extend(_within(thing))
    except RuntimeError:  # the kernel changed something just now
        return True
    return False


def _names_of(thing: object) -> Iterable[object]:
    if type(thing) is dict:
        return thing
    kind = thing if static_lookup.is_class(thing) else type(thing)
    return static_lookup.stored_names(kind) if static_lookup.class_module(kind) == "__main__" else ()


def _within(thing: object) -> list[object]:
    if type(thing) is dict:
        return list(islice(thing.values(), EACH))
    return list(islice(thing, EACH)) if type(thing) in (list, tuple) else []  # type: ignore[call-overload]
