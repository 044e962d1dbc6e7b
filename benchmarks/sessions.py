"""Suggestions without a model over recorded sessions: how much of what a person types would have been taken instead.

    python benchmarks/sessions.py [--json] [--show] [NAME …]

A session is a notebook of some 15 cells as a new user writes it (``data/sessions``). Its cells are typed key by key and run one after the
other, in a namespace of their own. Whoever types takes a suggestion when it says at least two characters that come next, and nothing else;
where it says something else, it was shown in vain: that is counted once for each text and place. ``share``: characters taken, of all.
``right``: of the suggestions that were shown, those that were what came next.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spark_jupyter.completions.offline import passed
from spark_jupyter.completions.situation import Situation
from spark_jupyter.engine.completion_context import Judges, KernelFacts
from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.guard import Guard

SESSIONS = Path(__file__).parent / "data" / "sessions"
LEAST = 2
"""Characters for which a key is worth pressing."""


class Shown(NamedTuple):
    """A suggestion behind what stood there, and whether it came."""

    cell: int
    before: str
    text: str
    right: bool


class Typed(NamedTuple):
    """A session that was typed."""

    characters: int
    taken: int
    shown: tuple[Shown, ...]

    @property
    def row(self) -> dict[str, float]:
        """The figures."""
        right = sum(one.right for one in self.shown)
        return {
            "characters": self.characters,
            "taken": self.taken,
            "share": round(self.taken / self.characters, 3),
            "shown": len(self.shown),
            "right": round(right / len(self.shown), 3) if self.shown else 1.0,
        }


def cells_of(name: str) -> list[str]:
    """The cells of a recorded session."""
    text = (SESSIONS / name / "session.txt").read_text()
    return [cell.strip("\n") for cell in re.split(r"(?m)^# %%\n", text) if cell.strip()]


@contextlib.contextmanager
def folder_of(name: str) -> Iterator[None]:
    """Work in a copy of the session's folder."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        copytree(SESSIONS / name, place, dirs_exist_ok=True)
        os.chdir(place)
        try:
            yield
        finally:
            os.chdir(before)


class Typist:
    """Types a session, in a namespace of its own."""

    def __init__(self) -> None:
        self.namespace: dict[str, object] = {"__name__": "__main__"}
        self._runs = 0
        self._kernel = Kernel(lambda: self.namespace, lambda: self._runs)
        self._judges = Judges(Guard(), self._kernel)
        self._above: list[NotebookCell] = []
        self.shown: list[Shown] = []
        self.taken = 0

    def type(self, cell: str) -> None:
        """Type a cell, taking what is right, and run it."""
        at, vain = 0, ""
        while at < len(cell):
            text = self._suggested(cell[:at])
            right = cell[at:].startswith(text)
            # The editor keeps what is shown while it is typed along; what was shown in vain is one thing until it changes.
            if text and right and len(text) >= LEAST:
                self._note(cell, at, text, right=True)
                self.taken += len(text)
                at, vain = at + len(text), ""
                continue
            if text and not right and not vain.endswith(text):
                self._note(cell, at, text, right=False)
            vain = text if text and not right else vain
            at += 1
        self._run(cell)

    def _note(self, cell: str, at: int, text: str, *, right: bool) -> None:
        line = cell[:at].rpartition("\n")[2]
        self.shown.append(Shown(len(self._above) + 1, line, text, right))

    def _suggested(self, before: str) -> str:
        situation = Situation(before=before, above=tuple(self._above))
        return next(iter(passed(situation, KernelFacts(self.namespace), self._judges.of(situation), asked=False)), "")

    def _run(self, cell: str) -> None:
        self._runs += 1
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(cell)
            exec(compile(body, "<session>", "exec"), self.namespace)
        number = len(self._above) + 1
        self._above.append(NotebookCell(id=f"c{number}", source=cell, execution_count=number))


def typed(name: str) -> Typed:
    """Type a whole session."""
    with folder_of(name):
        typist = Typist()
        cells = cells_of(name)
        for cell in cells:
            typist.type(cell)
    return Typed(sum(map(len, cells)), typist.taken, tuple(typist.shown))


def main() -> None:
    """Measure and print."""
    import matplotlib as mpl

    mpl.use("Agg")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", action="store_true", help="each suggestion")
    options = parser.parse_args()
    names = options.names or sorted(path.name for path in SESSIONS.iterdir())
    rows = {}
    for name in names:
        result = typed(name)
        rows[name] = result.row
        for one in result.shown if options.show else ():
            print(f"{one.cell:>3} {'+' if one.right else '-'} {one.before}⟦{one.text}⟧")
        if not options.json:
            print(f"{name:<10} {result.row}")
    if options.json:
        json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
