"""Log of large values that stay unwritten between forks of the kernel.

Pages tell what was written since the process was last forked, by whomever, so the log looks just before each fork. A value that had no name
then was not looked at, and counts as written.
"""

from __future__ import annotations

import os
import sys
import weakref
from typing import Any


class PageLog:
    """The log of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._process = os.getpid()
        self._between: frozenset[int] | None = None
        """What other forks since the last moment have left; None: there was none."""
        self._left: dict[int, frozenset[int]] = {}
        """By moment: what the runs since the moment before it had not written."""
        _LOGS.add(self)

    def unwritten(self) -> frozenset[int]:
        """The addresses of the large values that were not written since the last fork."""
        from spark_jupyter.sandbox.copy.inspector import is_large, names_of  # loaded with the first checkpoint
        from spark_jupyter.sandbox.values.memory_pages import written

        if "numpy" not in sys.modules:
            return frozenset()
        names = names_of(self._shell, outputs=True)
        large = [name for name, value in names.items() if is_large(value)]
        wrote = written(names, large)
        return frozenset(id(names[name]) for name in large if name not in wrote)

    def forked(self, moment_id: int, oldest: int) -> None:
        """The process was forked for a moment; ``oldest`` is the first that can still be asked about."""
        self._left[moment_id], self._between = self._between or frozenset(), None
        self._left = {number: left for number, left in self._left.items() if number > oldest}

    def unwritten_since(self, moment_id: int) -> frozenset[int]:
        """The addresses of those that were not written since a moment."""
        found = self.unwritten()
        for left in [*(left for number, left in self._left.items() if number > moment_id), self._between]:
            found = found if left is None else found & left
        return found

    def before_fork(self) -> None:
        if os.getpid() != self._process:
            return
        try:
            found = self.unwritten()
        except Exception:  # a value that objects to being looked at: all count as written
            found = frozenset()
        self._between = found if self._between is None else self._between & found


_LOGS: weakref.WeakSet[PageLog] = weakref.WeakSet()


def _before_fork() -> None:
    for log in list(_LOGS):
        log.before_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)
