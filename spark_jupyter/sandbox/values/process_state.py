"""State of a process that no variable holds: random numbers, folder, options.

It is compared in proofs, and comes back with a moment. It is read and set on the thread that runs cells: numpy keeps its print options for
each thread.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from spark_jupyter.sandbox.values.interpreter_state import INTERPRETER_STATE
from spark_jupyter.sandbox.values.ipython_state import IPYTHON_STATE
from spark_jupyter.sandbox.values.library_state import LIBRARY_STATE
from spark_jupyter.sandbox.values.state_part import StatePart

_PARTS: dict[str, StatePart] = {**IPYTHON_STATE, **LIBRARY_STATE, **INTERPRETER_STATE}
"""In the order in which they come back: IPython's precision sets numpy's, and polars reads the environment when it is told to."""


def held_parts(*, plain: bool = False) -> dict[str, Any]:
    """The state of this process, by its name in words; ``plain``: only what two processes can compare."""
    parts = [(name, part) for name, part in _PARTS.items() if part.plain or not plain]
    return {name: value for name, part in parts if (value := _held(part)) is not None}


def _held(part: StatePart) -> Any:
    try:
        return part.get()
    except Exception:  # of a library that is broken here nothing can come back, and cells run all the same
        return None


def changed_parts(then: Mapping[str, Any]) -> tuple[str, ...]:
    """The parts that are not as they were ``then``."""
    return tuple(name for name, value in then.items() if _has_changed(name, value))


def _has_changed(name: str, then: Any) -> bool:
    now = _held(_PARTS[name])
    try:
        return now is not None and not _PARTS[name].same(then, now)
    except Exception:  # arrays, such as colors in a cycle, have no answer
        return True


def restore_parts(then: Mapping[str, Any]) -> tuple[str, ...]:
    """Set the parts to what they were ``then``; the names of those that can't be."""
    failed = []
    for name, value in then.items():
        try:
            if _has_changed(name, value):  # now: setting one may have changed another
                _PARTS[name].put(value)
        except (
            Exception
        ) as error:  # such as a limit of recursion below the present depth, or what a library thinks of a value
            failed.append(f"{name} ({error})")
    return tuple(failed)


def threads_of_cells() -> dict[int, str]:
    """The names of the running threads that cells began, by their numbers: none of them ends with a return."""
    return {
        one.ident: one.name
        for one in threading.enumerate()
        if one.ident and "__main__" in (type(one).__module__, getattr(getattr(one, "_target", None), "__module__", ""))
    }
