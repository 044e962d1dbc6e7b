"""Which cells of a notebook do not stand for what is in the kernel: changed since they ran, run out of order, reading what is gone. Pure.

Names are told apart by scopes (:mod:`spark_jupyter.suggest.refactoring.scopes`). A cell that can't be read, or one that may define
anything (``from x import *``, ``%run``), keeps the notebook from being said to lack a name.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from spark_jupyter.source.hidden import printable
from spark_jupyter.suggest.refactoring.page import page
from spark_jupyter.suggest.refactoring.scopes import BINDS, Names, names
from spark_jupyter.wire.reviewing import Remark, RemarkKind
from spark_jupyter.wire.values import NotebookCell

_GIVEN = frozenset({*dir(builtins), "get_ipython", "display", "In", "Out", "exit", "quit", "__file__"})
_ANYTHING = re.compile(
    r"^\s*(?:%(?:run|pylab|load|store|load_ext|env|macro)\b|from\s.*\bimport\s*\*|exec\()", re.MULTILINE
)
_NUMBERED = re.compile(r"_+|_i*\d*")
_FIRST = 50
"""Characters of a cell by which it is named."""


class _Read(NamedTuple):
    name: str
    line: int
    later: bool
    """In a function: it is read when that is called, maybe from a cell below."""


class _Cell(NamedTuple):
    cell: NotebookCell
    reads: tuple[_Read, ...]
    binds: frozenset[str]


def stale(
    cells: Sequence[NotebookCell],
    *,
    ran: Mapping[int, str] | None = None,
    known: Collection[str] | None = None,
) -> list[Remark]:
    """What is to be said of the cells, in their order. ``ran`` is what ran in the kernel by its number, ``known`` the kernel's names; None
    of either where there is no kernel."""
    read = [_cell(cell) for cell in cells if cell.cell_type == "code"]
    unsure = any(_may_define_anything(one.cell) for one in read)
    found: list[Remark] = []
    for place, one in enumerate(read):
        found += _changed(one.cell, ran) if ran is not None else ()
        found += _order(read, place)
        if not unsure:
            found += _gone(read, place, known)
    return found


def _cell(cell: NotebookCell) -> _Cell:
    found = names(cell.source)
    return _Cell(cell, tuple(_reads(cell.source, found)), found.bound)


def _reads(source: str, found: Names) -> Iterator[_Read]:
    """The notebook's variables that the cell reads before it binds them, each once."""
    bound: set[str] = set()
    said: set[str] = set()
    where = page(source)
    for use in found.evaluated:
        if use.scope != 0 or use.name in said or use.name in _GIVEN or _NUMBERED.fullmatch(use.name):
            continue
        later = use.inside != 0
        reads = use.kind in ("read", "change") and use.name not in (found.bound if later else bound)
        if reads:
            said.add(use.name)
            yield _Read(use.name, where.line_of(use.place.start), later)
        if use.kind in BINDS and not later:
            bound.add(use.name)


def _may_define_anything(cell: NotebookCell) -> bool:
    return page(cell.source).broken or _ANYTHING.search(cell.source) is not None


def _changed(cell: NotebookCell, ran: Mapping[int, str]) -> Iterator[Remark]:
    if cell.execution_count is None:
        return
    text = ran.get(cell.execution_count)
    if text is None:
        said = "It has not run in this kernel: its output is of an earlier one."
    elif text.strip() != cell.source.strip():
        said = "It was changed since it ran: its output is of another text."
    else:
        return
    yield Remark(cell_id=cell.id, kind="stale", severity="warn", message=said, remedy="Run it again.")


def _order(read: Sequence[_Cell], place: int) -> list[Remark]:
    """What is wrong with the order of the cells that this one builds on: a remark for each of those, with all the names."""
    this = read[place]
    before: dict[str, tuple[NotebookCell, list[_Read]]] = {}
    below: dict[str, tuple[NotebookCell, list[_Read]]] = {}
    for use in this.reads:
        if use.later:
            continue
        above = [one.cell for one in read[:place] if use.name in one.binds]
        under = [one.cell for one in read[place + 1 :] if use.name in one.binds]
        if (
            above
            and (this.cell.execution_count or 0)
            and (above[-1].execution_count or 0) > (this.cell.execution_count or 0)
        ):
            before.setdefault(above[-1].id, (above[-1], []))[1].append(use)
        elif not above and under and use.name not in this.binds:
            below.setdefault(under[0].id, (under[0], []))[1].append(use)
    found = []
    for cell, uses in before.values():
        said = f"It ran before {_named(cell)} gave {_listed(uses)} the value that it has now."
        found.append(_remark(this.cell, "order", uses[0], said, "Run it again."))
    for cell, uses in below.values():
        said = f"Only {_named(cell)} below gives {_listed(uses)} a value: from the top, this one fails."
        found.append(_remark(this.cell, "order", uses[0], said, "Move that cell above this one."))
    return found


def _gone(read: Sequence[_Cell], place: int, known: Collection[str] | None) -> list[Remark]:
    """The names that no cell defines."""
    missing = [use for use in read[place].reads if not any(use.name in one.binds for one in read)]
    found = []
    for use in missing:
        here = known is not None and use.name in known
        said = f"Only a cell that is gone defined `{use.name}`." if here else f"No cell defines `{use.name}`."
        remedy = "Write the cell that defines it, or take out what reads it."
        found.append(_remark(read[place].cell, "gone", use, said, remedy))
    return found


def _remark(cell: NotebookCell, kind: RemarkKind, use: _Read, message: str, remedy: str) -> Remark:
    return Remark(cell_id=cell.id, kind=kind, severity="warn", message=message, remedy=remedy, line=use.line)


def _listed(uses: Sequence[_Read]) -> str:
    return ", ".join(f"`{use.name}`" for use in uses)


def _named(cell: NotebookCell) -> str:
    """A cell by the beginning of its first line."""
    line = next((line.strip() for line in cell.source.splitlines() if line.strip()), "")
    return f"the cell “{printable(line)[:_FIRST]}”"
