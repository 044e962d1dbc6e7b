"""Forked, confined copies of the kernel: try, rehearsal, checkpoints, proofs, undo.

The system holds a copy, whatever runs in it (``walls``; on Linux: system calls, files, limits). Python's audit events only say in words
what was refused. A thread that does nothing else forks (``forking.py``), so no lock of its own is held in the copy. The copy (``copy``)
takes a snapshot of the namespace (``values``), runs the cell with IPython's own machinery, compares, reports through a pipe, and ends
by ``os._exit``.

Start reading at ``kernel_trials.py``, which everybody else calls, and ``copy/copy_main.py``, which is the copy. ``rehearsal.py`` does
the same for a cell that is still being written, statement by statement; ``faults`` says which errors are the code's own. ``checkpoints``
keeps the kernel as it was before a cell, ``proofs`` runs old and new text beside each other from there. ``surprises`` reports effects on
data that a person wants to know first. What works in a copy, library by library, stands in docs/confinement.md.
"""

from __future__ import annotations

from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.kernel_trials import KernelTrials, no_rehearsal, unavailable

__all__ = ["Checkpoints", "KernelTrials", "Limits", "no_rehearsal", "unavailable"]
