"""How long a thread of ours waits for its turn beside the user's running cell.

A thread that computes gives the interpreter up when another one has waited for the switch interval, 5 ms by default (CPython,
``sys.setswitchinterval``). On its way from the key to the provider a steer passes four threads of the kernel, and each waits for
that long: 20 to 50 ms in a cell that computes, about 10 with an interval of 1 ms. The price is paid only while somebody waits.
"""

from __future__ import annotations

import sys

EAGER = 0.001
"""Seconds. Half of it was no quicker in the measurements."""


class Eagerness:
    """Shortens the process's switch interval while something streams, and gives back what was set before."""

    def __init__(self) -> None:
        self._before: float | None = None

    def switch(self, on: bool) -> None:
        """Shorten the interval, or give it back. A shorter one, and one that somebody set meanwhile, stay."""
        now = sys.getswitchinterval()
        if on and self._before is None and now > EAGER:
            self._before = now
            sys.setswitchinterval(EAGER)
        elif not on and self._before is not None:
            before, self._before = self._before, None
            if abs(now - EAGER) < 1e-6:
                sys.setswitchinterval(before)
