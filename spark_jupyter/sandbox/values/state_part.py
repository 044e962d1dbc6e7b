"""One part of a process's state: how it is read and set."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple


class StatePart(NamedTuple):
    """``get`` gives None where its library is not loaded, ``put`` sets what was given. ``same`` says whether the first is still so in the
    second. Where it is not ``plain`` no proof compares it: it has objects that only one process knows, or libraries set it at first use."""

    get: Callable[[], Any]
    put: Callable[[Any], object]
    same: Callable[[Any, Any], bool] = operator.eq
    plain: bool = True


def is_of_cells(value: object) -> bool:
    """True for a function or an object whose class a cell defined."""
    return "__main__" in (getattr(value, "__module__", ""), type(value).__module__)
