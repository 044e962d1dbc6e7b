"""Program that runs a notebook from its top in a confined copy.

:mod:`spark_jupyter.sandbox.restart_check` starts it, sends an order on standard input and reads one line of JSON for each event. It shares
nothing with the kernel, works in a copy of the folder, and ends with its standard input.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.protocol import json_text
from spark_jupyter.protocol.values import Permission
from spark_jupyter.sandbox.copy_protocol import (
    Did,
    EndCell,
    Ended,
    Execute,
    Limits,
    Measured,
    Ran,
    Request,
    Said,
    Sighting,
)
from spark_jupyter.sandbox.notebook_trials import empty_shell
from spark_jupyter.typed_decoders import decode_json

if TYPE_CHECKING:
    from spark_jupyter.sandbox.forking import Copy

MOST_COPIED = 200 << 20
"""Bytes of the folder that are copied; what is beyond is a link to the file itself, which can be read."""
MOST_FILES = 5_000
_DEEPEST = 100
"""Folders within folders: before Python 3.12 each takes a frame, and a thousand end the walk."""
_FORGED = "The notebook's code wrote results itself, so nothing that follows is known of it."
_LEFT_OUT = {"node_modules", "__pycache__", "venv"}


class RunAll(Struct, frozen=True, kw_only=True):
    """Sources of code cells to run in ``folder``, in order. Those with these numbers ``may_fail``: what comes below runs all the same.
    ``named`` are the paths that the person named; the notebook's own text names none."""

    sources: tuple[str, ...]
    folder: str
    may_fail: frozenset[int] = frozenset()
    named: tuple[str, ...] = ()
    allow: tuple[Permission, ...] = ()
    limits: Limits = Limits()


class Outcome(Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Outcome of cell ``number`` (from 0): how it failed, or what it did. ``late``: its time was up; ``refused``: it wanted what a copy
    does not do."""

    number: int
    error: str = ""
    line: int | None = None
    late: bool = False
    refused: bool = False
    sightings: tuple[Sighting, ...] = ()


class AllRan(Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Nothing more will come. ``problem`` says why, where it did not end as it should."""

    problem: str = ""
    unenforced: str = ""


Told = Outcome | AllRan


def main() -> None:
    from spark_jupyter.sandbox.forking import Copy, LiveKernel  # who reads the messages may have no fork

    order = decode_json(sys.stdin.readline(), RunAll)
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    os.chdir(order.folder)
    shell = empty_shell()
    shell.register_magic_function(lambda line: None, "line", "matplotlib")  # figures are looked at, and shown to nobody
    kernel, requests, named = LiveKernel(shell, stepwise=True), list(_requests(order)), (*order.named, order.folder)
    copy = Copy(kernel, requests, allow=order.allow, limits=order.limits, named=named, stays=True)
    reporter = _Reporter(requests, copy)
    try:
        copy.give(order.limits.seconds)
        reporter.begin()
        copy.listen(reporter.receive)
    finally:
        copy.close()
    _say(AllRan(problem=copy.problem or reporter.problem, unenforced=copy.unenforced))


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
        deep = os.path.relpath(root, folder).count(os.sep) > _DEEPEST
        folders[:] = sorted(name for name in folders if not (deep or name.startswith(".") or name in _LEFT_OUT))
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
    """Passes on what the copy says of each cell. It begins each request only when the one before has been answered; an answer to one
    that has not begun was written by the notebook's own code, and ends the report."""

    def __init__(self, requests: Sequence[Request], copy: Copy) -> None:
        self.problem = ""
        self._requests = deque(requests)
        self._copy = copy
        self._stopped = False
        self._refused = False

    def begin(self) -> None:
        """Let the copy begin the first request that is not answered."""
        if self._requests:
            self._copy.ask(EndCell(number=0))  # a token: the copy has the requests
        else:
            self._copy.finish()

    def receive(self, message: Said) -> None:
        """Take in one thing that it said. What fails behind a refusal, which the code may have met elsewhere, is no fault of the code."""
        if isinstance(message, (Ran, Measured, Ended)) and not self.problem and not self._advance(message):
            self.problem = _FORGED
        if self.problem:
            return
        self._pass_on(message)

    def _advance(self, message: Ran | Measured | Ended) -> bool:
        """Begin the next request if this answers one; False if it can't be said now."""
        asked = self._requests[0] if self._requests else None
        match message, asked:
            case Ended(), _:
                return asked is None or self._stopped
            case Ran(), Execute(number=number, needed=needed) if number == message.number and not self._stopped:
                self._stopped = needed and bool(message.error) and not message.limit
            case Ran(), EndCell(number=number):  # its last value can't be shown
                return number == message.number
            case Measured(), EndCell(number=number) if number == message.number:
                pass
            case _:
                return False
        self._requests.popleft()
        self.begin()
        return True

    def _pass_on(self, message: Said) -> None:
        match message:
            case Did(effect=effect):
                self._refused = self._refused or effect.refused
            case Ran(number=number, error=error, line=line, late=late, limit=limit):
                if error := error or limit:
                    refused = bool(limit) or self._refused
                    _say(Outcome(number=number, error=error, line=line, late=late, refused=refused))
            case Measured(number=number, sightings=sightings):
                _say(Outcome(number=number, sightings=sightings))
            case _:
                pass


def _say(told: Told) -> None:
    sys.stdout.buffer.write(json_text.encode(told) + b"\n")
    sys.stdout.buffer.flush()


def _end_with_stdin() -> None:
    """End when the parent closes the standard input: the copy ends with its parent."""
    while os.read(0, 1 << 12):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
