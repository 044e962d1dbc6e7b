"""Ctrl-C as something that is asked for, not an exception that may strike in the middle of taking an event in."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

POLL = 0.1
"""Seconds between two looks while something is waited for: on Windows a wait without an end hears no Ctrl-C."""


class Interrupts:
    """Whether there was one."""

    def __init__(self) -> None:
        self.happened = False

    def raise_unless(self, heeded: bool) -> None:
        """An interrupt that came too late to be heeded is for what would follow: raises a KeyboardInterrupt."""
        if self.happened and not heeded:
            raise KeyboardInterrupt


@contextmanager
def on_interrupt(act: Callable[[], object]) -> Iterator[Interrupts]:
    """Within it Ctrl-C calls ``act`` and raises nothing. ``act`` is called between any two steps of the main thread, which may hold
    a lock: it may pass something on and must not wait. On other threads, which are never interrupted, this does nothing."""
    interrupts = Interrupts()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (signal.SIG_IGN, None):
        yield interrupts
        return

    def handle(number: int, frame: FrameType | None) -> None:
        interrupts.happened = True
        act()

    signal.signal(signal.SIGINT, handle)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
