"""Filters that keep warnings about our own code out of the user's output.

A filter that is put first stays: nothing is put back, so no thread takes away what another one set meanwhile, as
``warnings.catch_warnings`` does. It is put first again only where somebody else's stands before it, for each change of the filters makes
Python forget which warnings it has shown already.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ours: set[str] = set()
_of_libraries: list[Any] = []


def silence(module: str) -> None:
    """Ignore warnings that are attributed to modules (or to file names without ``.py``) that match ``module``, a regular expression,
    whatever filters the user has set since."""
    for _, _, _, pattern, _ in warnings.filters:
        own = getattr(pattern, "pattern", pattern)
        if own == module:
            return
        if own not in _ours:
            break
    _ours.add(module)
    warnings.filterwarnings("ignore", module=module)


@contextmanager
def filters_of_libraries() -> Iterator[None]:
    """Count as ours the filters that a library sets for its own warnings when it is imported in here."""
    before = set(sys.modules)
    try:
        yield
    finally:
        new = [one for one in warnings.filters if one[2].__module__ not in before and one[2].__module__ in sys.modules]
        _of_libraries.extend(one for one in new if one not in _of_libraries)


def users_filters() -> list[Any]:
    """All filters but ours."""
    return [
        one for one in warnings.filters if getattr(one[3], "pattern", one[3]) not in _ours and one not in _of_libraries
    ]


def put_filters(then: list[Any]) -> None:
    """Have these of the user's, and ours before them."""
    theirs = users_filters()
    ours = [one for one in warnings.filters if one not in theirs]
    warnings.resetwarnings()  # or Python would not look at them again for lines that have warned
    filters: Any = warnings.filters
    filters[:] = [*ours, *then]
