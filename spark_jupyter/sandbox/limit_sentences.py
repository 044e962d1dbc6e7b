"""Sentences about limits of the sandbox, which are no fault.

Each completes "not tried: …". A :class:`Limit` is such a sentence as a value of its own kind, so that whoever gets it where a problem may
stand can tell the two apart.
"""

from __future__ import annotations

from typing import Final


class Limit(str):
    """A limit that ended or prevented a trial and is no fault of the code."""

    __slots__ = ()


def sentence(problem: str) -> str:
    """A problem as a sentence by itself; a limit says that nothing was tried."""
    return f"Not tried: {problem}." if isinstance(problem, Limit) else problem


WAITS: Final = Limit("it waits for a lock or a thread that a copy does not have")
POLARS: Final = Limit("polars has started threads that a copy does not have")
NUMBA: Final = Limit("numba has started threads that a copy does not have")
MEMORY: Final = Limit("it needs more memory than a copy may use")
KILLED: Final = Limit("it was killed (SIGKILL), perhaps because memory ran out")
PROCESSOR: Final = Limit("it uses more processor time than a copy may")
THREADS: Final = Limit("it starts more threads than a copy may")
FILE_SIZE: Final = Limit("it writes a larger file than a copy may")
READ_ONLY_DATABASE: Final = Limit("it writes to a database, which a copy may only read")
OPEN_FILES: Final = Limit("it opens more files than a copy may")
OPEN_FILE: Final = Limit("it writes to a file that the kernel has open, which is too large to be copied")
SHARED_MEMORY: Final = Limit("it uses shared memory that is too large to be copied")
CONNECTION: Final = Limit("it uses a connection that the kernel has open, which a copy does not have")
OUTPUT: Final = Limit("it shows more than a copy may")
CANCELLED: Final = Limit("it was cancelled")
CUT_OFF: Final = Limit("it closes files that it did not open, the connection to its copy included")
UNREADABLE: Final = Limit("its copy sent an unreadable answer")
DEAF: Final = Limit("its copy no longer answers")
BEHIND_REFUSAL: Final = Limit("it continues after something that a copy may not do")


def time(seconds: float) -> Limit:
    """``seconds`` is what it was given."""
    return Limit(f"it takes more than {seconds:g} s")


def folder(size: int) -> Limit:
    """``size`` in bytes is what a copy's temporary folder may hold."""
    return Limit(f"it writes more than {size >> 20} MB of temporary files")


def not_copied(error: OSError) -> Limit:
    """No memory or no process number was left for a fork, or a checkpoint is gone."""
    return Limit(f"the kernel could not be copied ({error.strerror or error})")


def cluster(name: str) -> Limit:
    """``name`` is the library whose connection a copy does not have."""
    return Limit(f"it runs on a cluster ({name})")


def not_installed(module: str) -> Limit:
    """The code installs it first, which a copy does not."""
    return Limit(f"`{module}` is not installed yet")
