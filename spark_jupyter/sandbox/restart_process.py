"""Program that runs a notebook from its top in a confined copy.

:mod:`spark_jupyter.sandbox.restart_check` starts it, sends an order on standard input and reads one line of JSON for each event. It shares
nothing with the kernel, works in a copy of the folder, and ends with its standard input.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress

import msgspec
from msgspec import Struct

from spark_jupyter.protocol.values import Permission
from spark_jupyter.sandbox.copy_protocol import Did, EndCell, Execute, Limits, Measured, Ran, Request, Said, Sighting
from spark_jupyter.sandbox.forking import Copy, LiveKernel
from spark_jupyter.sandbox.notebook_trials import empty_shell
from spark_jupyter.sandbox.user_mentions import UserMentions

MOST_COPIED = 200 << 20
"""Bytes of the folder that are copied; what is beyond is a link to the file itself, which can be read."""
MOST_FILES = 5_000
_LEFT_OUT = {"node_modules", "__pycache__", "venv"}


class RunAll(Struct, frozen=True, kw_only=True):
    """Sources of code cells to run in ``folder``, in order. Those with these numbers ``may_fail``: what comes below runs all the same."""

    sources: tuple[str, ...]
    folder: str
    may_fail: frozenset[int] = frozenset()
    allow: tuple[Permission, ...] = ()
    limits: Limits = Limits()


class CellRan(Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """A cell has run; ``number`` counts from 0. See :class:`~spark_jupyter.sandbox.copy_protocol.Ran`."""

    number: int
    error: str = ""
    line: int | None = None
    late: bool = False
    refused: bool = False


class CellDid(Struct, frozen=True, kw_only=True, tag=True):
    """Surprises of a cell."""

    number: int
    sightings: tuple[Sighting, ...]


class AllRan(Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Nothing more will come. ``problem`` says why, where it did not end as it should."""

    problem: str = ""
    unenforced: str = ""


Told = CellRan | CellDid | AllRan


def main() -> None:
    order = msgspec.json.decode(sys.stdin.readline(), type=RunAll)
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    os.chdir(order.folder)
    shell = empty_shell()
    shell.register_magic_function(lambda line: None, "line", "matplotlib")  # figures are looked at, and shown to nobody
    named = UserMentions()
    for source in order.sources:
        named.say(source, prompt=True)
    paths = (*named.paths(), order.folder)
    reporter = _Reporter()
    copy = Copy(LiveKernel(shell), list(_requests(order)), allow=order.allow, limits=order.limits, named=paths)
    try:
        copy.give(order.limits.seconds)
        copy.listen(reporter.receive)
    finally:
        copy.close()
    _say(AllRan(problem=copy.problem, unenforced=copy.unenforced))


def enter(folder: str) -> None:
    """In the copy: make a copy of the folder, as far as it is of a size, and go there."""
    copied = os.path.join(os.environ["TMPDIR"], "folder")
    os.mkdir(copied)
    room = MOST_COPIED
    for files, (path, name) in enumerate(_entries(folder)):
        if files > MOST_FILES:
            break
        target = os.path.join(copied, name)
        with suppress(OSError):  # what can't be read is not there
            os.makedirs(os.path.dirname(target), exist_ok=True)
            size = os.path.getsize(path)
            if size <= room:
                shutil.copyfile(path, target)
                room -= size
            else:
                os.symlink(path, target)
    os.chdir(copied)
    sys.path.insert(0, "")  # here, and not outside the walls: what lies in the folder is code, too


def _entries(folder: str) -> Iterator[tuple[str, str]]:
    """The files of a folder with their names within it, nearest first; hidden ones and those of packages left out."""
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _LEFT_OUT)
        for name in sorted(files):
            path = os.path.join(root, name)
            if not name.startswith(".") and os.path.isfile(path):
                yield path, os.path.relpath(path, folder)


def _requests(order: RunAll) -> Iterator[Request]:
    go = f"__import__({_NAME!r}, fromlist=['enter']).enter({order.folder!r})"
    yield Execute(source=go, number=-1, needed=True, ground=True)
    for number, source in enumerate(order.sources):
        yield Execute(source=source, number=number, needed=number not in order.may_fail)
        yield EndCell(number=number)


_NAME = "spark_jupyter.sandbox.restart_process"
"""Of this module, which is ``__main__`` where it runs."""


class _Reporter:
    """Passes on what the copy says of each cell."""

    def __init__(self) -> None:
        self._refused = False

    def receive(self, message: Said) -> None:
        """Take in one thing that it said. What fails behind a refusal, which the code may have met elsewhere, is no fault of the code."""
        match message:
            case Did(effect=effect):
                self._refused = self._refused or effect.refused
            case Ran(number=number, error=error, line=line, late=late, limit=limit):
                refused = bool(limit) or self._refused
                _say(CellRan(number=number, error=error or limit, line=line, late=late, refused=refused))
            case Measured(number=number, sightings=sightings):
                _say(CellDid(number=number, sightings=sightings))
            case _:
                pass


def _say(told: Told) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(told) + b"\n")
    sys.stdout.buffer.flush()


def _end_with_stdin() -> None:
    """End when the parent closes the standard input: the copy ends with its parent."""
    while os.read(0, 1 << 12):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
