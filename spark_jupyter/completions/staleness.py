"""Cells that no longer match the kernel.

They changed since they ran, ran out of order, or read a name that is gone.

What a cell reads and binds is in :mod:`spark_jupyter.source.cell_dependencies`. A cell that can't be read, or one that may define
anything (``from x import *``, ``%run``), keeps the notebook from being said to lack a name.
"""

from __future__ import annotations

import builtins
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from spark_jupyter.protocol.review_messages import Remark, RemarkKind
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.source.cell_dependencies import Read, needs
from spark_jupyter.source.invisible_text import printable

_GIVEN = frozenset({*dir(builtins), "get_ipython", "display", "In", "Out", "exit", "quit", "__file__"})
_ANYTHING = re.compile(
    r"^\s*(?:%(?:run|pylab|load|store|load_ext|env|macro)\b|from\s.*\bimport\s*\*|exec\()", re.MULTILINE
)
_NUMBERED = re.compile(r"_+|_i*\d*")
_FIRST = 50
"""Characters of a cell by which it is named."""


class _Cell(NamedTuple):
    cell: NotebookCell
    reads: tuple[Read, ...]
    binds: frozenset[str]
    unsure: bool
    """It may define anything."""


class _Binders:
    """Cells that bind a name."""

    def __init__(self, read: Sequence[_Cell]) -> None:
        self._read = read
        self._places: dict[str, list[int]] = {}
        for place, one in enumerate(read):
            for name in one.binds:
                self._places.setdefault(name, []).append(place)

    def of(self, name: str) -> Sequence[int]:
        return self._places.get(name, ())

    def around(self, name: str, place: int) -> tuple[NotebookCell | None, NotebookCell | None]:
        """The nearest one above a place, and the nearest below it."""
        places = self.of(name)
        at, behind = bisect_left(places, place), bisect_right(places, place)
        above = self._read[places[at - 1]].cell if at else None
        return above, self._read[places[behind]].cell if behind < len(places) else None


def stale(
    cells: Sequence[NotebookCell],
    *,
    ran: Mapping[int, str] | None = None,
    known: Collection[str] | None = None,
) -> list[Remark]:
    """Return the remarks on the cells, in their order. ``ran`` is what ran in the kernel by its number, ``known`` the kernel's names; None
    of either where there is no kernel."""
    read = [_cell(cell) for cell in cells if cell.cell_type == "code"]
    binders = _Binders(read)
    unsure = any(one.unsure for one in read)
    found: list[Remark] = []
    for place, one in enumerate(read):
        found += _changed(one.cell, ran) if ran is not None else ()
        found += _order(one, place, binders)
        if not unsure:
            found += _gone(one, binders, known)
    return found


def _cell(cell: NotebookCell) -> _Cell:
    found = needs(cell.source)
    reads = tuple(read for read in found.reads if read.name not in _GIVEN and not _NUMBERED.fullmatch(read.name))
    return _Cell(cell, reads, found.binds, found.broken or _ANYTHING.search(cell.source) is not None)


def _changed(cell: NotebookCell, ran: Mapping[int, str]) -> Iterator[Remark]:
    text = ran.get(cell.execution_count or 0)
    if cell.execution_count is None:
        is_running = bool(ran) and ran[max(ran)].strip() == cell.source.strip()
        if is_running or not (cell.outputs or cell.error):
            return
        said = "Its output is of a run that was undone, or of an earlier session."
    elif text is None:
        said = "Its output is of a run that was undone, or of an earlier session."
    elif text.strip() != cell.source.strip():
        said = "It was changed since it ran: its output is of another text."
    else:
        return
    yield Remark(cell_id=cell.id, kind="stale", severity="warn", message=said, remedy="Run it again.")


def _order(this: _Cell, place: int, binders: _Binders) -> list[Remark]:
    """Find faults in the order of the cells that this one builds on: a remark for each of those, with all the names."""
    before: dict[str, tuple[NotebookCell, list[Read]]] = {}
    below: dict[str, tuple[NotebookCell, list[Read]]] = {}
    for use in this.reads:
        if use.later:
            continue
        above, under = binders.around(use.name, place)
        ran = this.cell.execution_count or 0
        if above is not None and ran and (above.execution_count or 0) > ran:
            before.setdefault(above.id, (above, []))[1].append(use)
        elif above is None and under is not None and use.name not in this.binds:
            below.setdefault(under.id, (under, []))[1].append(use)
    found = []
    for cell, uses in before.values():
        said = f"It ran before {_named(cell)} gave {_listed(uses)} the value that it has now."
        found.append(_remark(this.cell, "order", uses[0], said, "Run it again."))
    for cell, uses in below.values():
        said = f"Only {_named(cell)} below gives {_listed(uses)} a value: from the top, this one fails."
        found.append(_remark(this.cell, "order", uses[0], said, "Move that cell above this one."))
    return found


def _gone(this: _Cell, binders: _Binders, known: Collection[str] | None) -> list[Remark]:
    """The names that no cell defines."""
    missing = [use for use in this.reads if not binders.of(use.name)]
    found = []
    for use in missing:
        here = known is not None and use.name in known
        said = f"Only a cell that is gone defined `{use.name}`." if here else f"No cell defines `{use.name}`."
        remedy = "Define it in a cell, or delete what uses it."
        found.append(_remark(this.cell, "gone", use, said, remedy))
    return found


def _remark(cell: NotebookCell, kind: RemarkKind, use: Read, message: str, remedy: str) -> Remark:
    return Remark(cell_id=cell.id, kind=kind, severity="warn", message=message, remedy=remedy, line=use.line)


def _listed(uses: Sequence[Read]) -> str:
    return ", ".join(f"`{use.name}`" for use in uses)


def _named(cell: NotebookCell) -> str:
    """A cell by the beginning of its first line."""
    line = next((line.strip() for line in cell.source.splitlines() if line.strip()), "")
    return f"the cell “{printable(line)[:_FIRST]}”"
