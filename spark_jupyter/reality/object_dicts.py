"""Attributes that an object in the kernel keeps itself."""

from __future__ import annotations

import types

from spark_jupyter.reality.static_lookup import MISSING, in_class

_CONSTANTS = (str, int, float, bool, bytes, complex, type(None))


def own_dict(thing: object) -> dict[str, object] | None:
    """The instance's own attributes; None where they can't be had without the class's own code."""
    kind = type(thing)
    if kind in _CONSTANTS:
        return {}
    slot = in_class(kind, "__dict__")
    if slot is MISSING:
        return {}
    if type(slot) not in (types.GetSetDescriptorType, types.MemberDescriptorType):
        return None
    try:
        found = slot.__get__(thing)  # type: ignore[attr-defined]
    except Exception:  # a C class that makes none for this instance
        return None
    return found if type(found) is dict else None
