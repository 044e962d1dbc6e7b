"""Try: run a proposal in a forked copy of the kernel, show its output and its effects, keep nothing.

What holds a copy is the system (``walls``, on Linux: system calls, files, limits), whatever runs in it; descriptors and shared memory are
cut off (``isolation``). Python's audit events say in words what is refused (``audit``), and hold nothing.

How: a thread that does nothing else forks (``copying``); the copy keeps only that thread, so no lock of its own is held. The copy
takes a picture of the namespace (``effects``, ``pictures``), runs the cell with IPython's own machinery while everything that it shows is
recorded (``outputs``), compares, says what it saw through a pipe, and ends by ``os._exit``.

A rehearsal (``rehearsal``, ``stage``) is the same for a cell that is still being written: one copy for a turn, asked statement by
statement; ``blame`` says which errors are the code's own. A statement that takes longer than its share of time is left to the end.

``kernel.py`` is what all others ask; ``child.py`` is the copy. ``checkpoints.py`` keeps the kernel as it was before a cell,
``proving.py`` runs old text beside new there, ``undo.py`` goes back. ``surprises/`` is what a person is told first.

What was found (Linux 6.18, Python 3.11; numpy 2.4, pandas 3.1, scikit-learn 1.9, matplotlib 3.11, DuckDB 2.0, polars 2.1), each after
the kernel itself had used the library with its threads:

- torch 2.13 on the CPU works (matrix products, training, a DataLoader without workers); a model that is trained is seen as changed in
  place; what native code can't write (``torch.save``) fails with its own error and a hint.
- numpy (OpenBLAS), pandas, matplotlib, scikit-learn (OpenMP, joblib with threads) and DuckDB work. OpenMP keeps its team per thread, so
  the fork from a fresh thread starts a new one. multiprocessing's locks, files in ``/dev/shm`` for a moment, are made of threads' own there
  (``semaphores``): a copy has no other processes.
- polars' thread pool is not there in the copy: what it computes in parallel (``group_by``) waits for ever; the watchdog
  (``stuck``) ends it after a second and says so. The same holds for an executor of the user's that has its threads already.
- SQLite connections belong to the thread that made them, and are given to the copy's (``databases``). They can be read from; a write
  fails with "attempt to write a readonly database", also with files allowed in a transaction on the kernel's own connection: its
  file is a copy there.
- IPython stops its history thread before every fork and starts it again by itself.
- Python makes logging's and its own global import lock anew in a copy. The locks of single modules that another thread was importing
  it does not: they are forgotten, and what was half imported is imported anew (``imports``).
- From Python 3.13 on a copy hears signals only while it waits: code that computes for ever is ended with its copy when its time is up, so
  that its line and what it printed last are not told, and its statement's own share of time is not kept (``protocol.INTERRUPTIBLE``).
- An event loop or a queue of another thread: what waits for it ends like polars. ``asyncio.run`` and ``await`` work.
- A lock that another thread of the user's held for that moment: the copy is made once more, where nothing was allowed.
- Files that the kernel has open for writing, SQLite's too, are copies, also with files allowed; that is told (``leftovers``).
- A CUDA context does not survive a fork: refused beforehand. Not tried: there was none here.
- On macOS there are no walls, /proc or limit of memory: what native code writes or connects to is neither refused nor seen, memory that
  is shared on purpose stays shared, and a copy that waits for ever ends with its time. Not measured there.
"""

from __future__ import annotations

from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.kernel_trials import KernelTrials, no_rehearsal, unavailable

__all__ = ["Checkpoints", "KernelTrials", "Limits", "no_rehearsal", "unavailable"]
