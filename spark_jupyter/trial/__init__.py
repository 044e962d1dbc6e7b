"""Try: run a proposal in a forked copy of the kernel, show its output and its effects, keep nothing.

It is a rehearsal, not a sandbox against hostile native code. Python's audit events are refused and reported (``audit``), Linux's
Landlock holds where native code goes past them (``landlock``), descriptors and shared memory are cut off (``isolation``), and
time, memory and output have limits.

How: a thread that does nothing else forks (``copying``); the copy keeps only that thread, so no lock of its own is held. The copy
takes a picture of the namespace (``effects``, ``pictures``), runs the cell with IPython's own machinery while everything that it shows is
recorded (``outputs``), compares, says what it saw through a pipe, and ends by ``os._exit``.
"""

from __future__ import annotations

from spark_jupyter.trial.protocol import Limits
from spark_jupyter.trial.trials import Trials, unavailable

__all__ = ["Limits", "Trials", "unavailable"]
