"""Cursor position of a completion and its surroundings."""

from __future__ import annotations

from msgspec import Struct, structs

from spark_jupyter.protocol.completion_messages import Complete
from spark_jupyter.protocol.values import CellType, NotebookCell
from spark_jupyter.redaction.redactor import Redactor

Secrets = tuple[tuple[str, str], ...]
"""Names and values of credentials."""


class Situation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``before`` and ``after`` are the text of the cursor's cell before and after it. ``above`` and ``below`` are the other cells.
    ``tables`` are the tables of the kernel that are named nearby, one a line. ``other_than``: what was suggested here already."""

    before: str
    after: str = ""
    cell_type: CellType = "code"
    above: tuple[NotebookCell, ...] = ()
    below: tuple[NotebookCell, ...] = ()
    tables: str = ""
    other_than: tuple[str, ...] = ()

    @classmethod
    def of(cls, asked: Complete, cells: tuple[NotebookCell, ...]) -> Situation:
        """Return the situation of a request, beside these cells."""
        return cls(
            before=asked.before,
            after=asked.after,
            cell_type=asked.cell_type,
            above=cells[: asked.position],
            below=cells[asked.position :],
            other_than=asked.other_than,
        )

    def with_tables(self, tables: str) -> Situation:
        """The same, with what the kernel knows of the names nearby."""
        return structs.replace(self, tables=tables)

    @property
    def line_before(self) -> str:
        """The cursor's line up to the cursor."""
        return self.before[self.before.rfind("\n") + 1 :]

    @property
    def line_after(self) -> str:
        """The cursor's line behind the cursor."""
        return self.after.partition("\n")[0]


def indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def hidden(situation: Situation, redactor: Redactor, *, known: Secrets = ()) -> Situation:
    """The same, with a placeholder for every credential: what a model may know of it. ``known`` are those that the kernel holds."""
    with redactor.at_once(known):
        _replaced(situation, redactor)  # what one place gives away as a secret is one in those before it, too
        return _replaced(situation, redactor)


def _replaced(situation: Situation, redactor: Redactor) -> Situation:
    hide = redactor.withhold
    return structs.replace(
        situation,
        before=hide(situation.before),
        after=hide(situation.after),
        above=tuple(structs.replace(cell, source=hide(cell.source)) for cell in situation.above),
        below=tuple(structs.replace(cell, source=hide(cell.source)) for cell in situation.below),
        tables=hide(situation.tables),
        other_than=tuple(map(hide, situation.other_than)),
    )
