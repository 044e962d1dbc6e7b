"""Import locks and half-imported modules in a copy.

Python gives back its global import lock after a fork, but not the locks of single modules (``importlib._bootstrap._ModuleLock``): an import
that another thread had begun would never end. In the copy the locks are dropped, and half-imported modules are imported again.
"""

from __future__ import annotations

import functools
import sys
from importlib import _bootstrap
from typing import Any


def begin_again() -> None:
    """Forget the locks of modules, and the modules that are half there. In the copy; the thread that forks must not be importing."""
    machinery: Any = _bootstrap
    # whose lock is there; a look at all would copy the memory they are in
    importing = list(getattr(machinery, "_module_locks", sys.modules))
    for name in ("_module_locks", "_blocking_on"):
        getattr(machinery, name, {}).clear()
    for name in importing:
        if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
            del sys.modules[name]


def known() -> frozenset[str]:
    """The names of the modules that there are. Asked before the fork it costs nothing in the copy, where a look at each would copy the
    memory it is in."""
    return _known(len(sys.modules), next(reversed(sys.modules)))


@functools.lru_cache(maxsize=1)
def _known(count: int, last: str) -> frozenset[str]:
    return frozenset(sys.modules)
