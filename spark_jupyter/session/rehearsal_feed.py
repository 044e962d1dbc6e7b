"""Feed of an answer's statements to a rehearsing copy.

A :class:`RehearsalFeed` follows the new code cells of one answer and hands a statement to the copy as soon as it is complete, and the end
of each cell. One copy runs all of them, in order; its results come back as :class:`Rehearsed`. Where the text becomes another than what
ran already (the model began again), a new copy runs the present text.

Nothing is run of an answer that edits a cell (later cells would need the edit), after a blocking finding, and from the first statement on
that uses a name which an unrun cell of the notebook would define.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Finding
from spark_jupyter.session.unrun_cells import UnrunNames
from spark_jupyter.source.statements import Splitter, Statement

Rehearse = Literal["stream", "ready", "off"]
"""When new cells are rehearsed: while they are written, when they are whole (then nothing is cut), or never."""


# --- actions of the owner -----------------------------------------------------------------------------------


class BeginRehearsal(Struct, frozen=True, kw_only=True):
    """Make a copy of the kernel for this rehearsal."""

    rehearsal_id: str
    turn_id: str


class RehearseStatement(Struct, frozen=True, kw_only=True):
    """Run a statement. ``line`` is its first line in the cell, from 1."""

    rehearsal_id: str
    cell_id: str
    text: str
    line: int


class RehearseEnd(Struct, frozen=True, kw_only=True):
    """Report what a cell showed and changed; it is whole. ``source`` is its text."""

    rehearsal_id: str
    cell_id: str
    source: str


class FinishRehearsal(Struct, frozen=True, kw_only=True):
    """Expect no more statements."""

    rehearsal_id: str


class EndRehearsal(Struct, frozen=True, kw_only=True):
    """End the copy at once."""

    rehearsal_id: str


class AwaitRehearsal(Struct, frozen=True, kw_only=True):
    """Report ``late`` where the rehearsal takes longer than a person should wait; the turn waits for nothing else."""

    rehearsal_id: str


RehearsalAction = BeginRehearsal | RehearseStatement | RehearseEnd | FinishRehearsal | EndRehearsal | AwaitRehearsal


class Rehearsed(Struct, frozen=True, kw_only=True):
    """Result of a rehearsal: a finding on a cell, the result of a whole cell, ``late`` where nobody is to wait
    for it, and ``over`` where nothing more will come of it."""

    rehearsal_id: str
    cell_id: str = ""
    finding: Finding | None = None
    result: TrialResult | None = None
    late: bool = False
    over: bool = False


# --- the machine -----------------------------------------------------------------------------------------------------


class _Cell:
    """A cell under rehearsal with the statements sent. Text is only collected; the work is done once a line."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, str]] = []
        self.ended = False
        self._splitter = Splitter()
        self._magic = False
        self._lines: list[str] = []
        self._rest: list[str] = []

    @property
    def text(self) -> str:
        return "\n".join([*self._lines, "".join(self._rest)])

    def feed(self, text: str) -> list[tuple[int, str]]:
        """The statements that ``text`` completes: line and text."""
        self._rest.append(text)
        if "\n" not in text:
            return []
        whole, _, rest = "".join(self._rest).rpartition("\n")
        self._lines += whole.split("\n")
        self._rest = [rest]
        return self._cut(self._splitter.feed(whole + "\n"))

    def flush(self) -> list[tuple[int, str]]:
        """The remaining statements."""
        text = self.text
        rest = [*self.feed("\n"), *self._cut(self._splitter.flush())]
        return [(1, text)] if self._magic else rest

    def _cut(self, statements: Sequence[Statement]) -> list[tuple[int, str]]:
        """The statements as written in the cell; the splitter replaces magics by Python. A cell magic is one statement."""
        self._magic = self._magic or any(one.magic == "cell" for one in statements)
        if self._magic:
            return []
        lines = self._lines
        return [(one.line, "\n".join(lines[one.line - 1 : one.line + one.text.count("\n")])) for one in statements]


class RehearsalFeed:
    """The feed of one answer. ``earlier`` are the new code cells of an earlier answer of the turn, by id."""

    def __init__(
        self, turn_id: str, serial: int, *, mode: Rehearse, unrun: UnrunNames, earlier: Sequence[tuple[str, str]] = ()
    ) -> None:
        self._turn_id = turn_id
        self.serial = serial
        self._mode = mode
        self._unrun = unrun
        self._earlier = list(earlier)
        self._cells: dict[str, _Cell] = {}
        self._waits_for: set[str] = set()
        self._outstanding: set[str] = set()
        self._begun = False
        self._over = mode == "off"
        self._actions: list[RehearsalAction] = []

    @property
    def id(self) -> str:
        return f"{self._turn_id}/{self.serial}"

    @property
    def waits(self) -> bool:
        """True if results are outstanding for which the turn has to wait."""
        return bool(self._waits_for) and not self._over and self._mode == "stream"

    @property
    def outstanding(self) -> frozenset[str]:
        """The whole cells whose results may still come, also after the turn has stopped waiting for them."""
        return frozenset() if self._over else frozenset(self._outstanding)

    @property
    def stopped(self) -> bool:
        """True if nothing is run any more. Later messages of the copy are ignored."""
        return self._over

    @property
    def cuts(self) -> bool:
        """True if failures cut the answer."""
        return self._mode == "stream"

    def actions_to_take(self) -> list[RehearsalAction]:
        actions, self._actions = self._actions, []
        return actions

    # --- text of the answer ------------------------------------------------------------------------------------------

    def open(self, cell_id: str, source: str) -> None:
        """Begin a new code cell, or continue one whose text is ``source``."""
        if self._over:
            return
        for earlier_id, earlier in self._before(cell_id):
            self._cells[earlier_id] = _Cell()
            self._write(earlier_id, earlier)
            self.close(earlier_id, earlier)
        if cell_id not in self._cells:
            self._cells[cell_id] = _Cell()
            self._begin()
            self._write(cell_id, source)

    def write(self, cell_id: str, text: str) -> None:
        if not self._over and cell_id in self._cells:
            self._write(cell_id, text)

    def replace(self, cell_id: str, source: str) -> None:
        cell = self._cells.get(cell_id)
        if self._over or cell is None:
            return
        fresh = _Cell()
        statements = fresh.feed(source)
        if cell.ended or cell.sent != statements[: len(cell.sent)]:
            self._restart(cell_id, source)
            return
        fresh.sent = cell.sent
        self._cells[cell_id] = fresh
        self._send(cell_id, statements[len(cell.sent) :])

    def remove(self, cell_id: str) -> None:
        if not self._over and self._cells.get(cell_id) is not None and self._cells[cell_id].sent:
            self._restart(cell_id, None)
        self._cells.pop(cell_id, None)
        self._told(cell_id)

    def close(self, cell_id: str, source: str) -> None:
        cell = self._cells.get(cell_id)
        if self._over or cell is None or cell.ended:
            return
        self._begin(whole=True)
        statements = cell.flush()
        if self._mode == "ready":
            statements = _statements(source)
        self._send(cell_id, statements, whole=True)
        if not self._over:
            cell.ended = True
            self._waits_for.add(cell_id)
            self._outstanding.add(cell_id)
            self._actions.append(RehearseEnd(rehearsal_id=self.id, cell_id=cell_id, source=source))

    def finish(self) -> None:
        if self._begun and not self._over:
            self._actions.append(FinishRehearsal(rehearsal_id=self.id))

    def stop(self) -> None:
        """End the copy. Results so far stay."""
        if self._begun and not self._over:
            self._actions.append(EndRehearsal(rehearsal_id=self.id))
        self._over = True

    def knows(self, cell_id: str) -> bool:
        """True if no more results will come for a cell."""
        return (
            self._over
            or cell_id not in self._cells
            or (self._cells[cell_id].ended and cell_id not in self._outstanding)
        )

    def receive(self, rehearsed: Rehearsed) -> None:
        if rehearsed.late:
            self._waits_for.clear()
        if rehearsed.over:
            self._outstanding.clear()
        if rehearsed.result is not None:
            self._told(rehearsed.cell_id)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _told(self, cell_id: str) -> None:
        self._waits_for.discard(cell_id)
        self._outstanding.discard(cell_id)

    def _before(self, cell_id: str) -> list[tuple[str, str]]:
        """The earlier cells above the first one that continues."""
        earlier, self._earlier = self._earlier, []
        ids = [one for one, _ in earlier]
        return earlier[: ids.index(cell_id)] if cell_id in ids else []

    def _begin(self, *, whole: bool = False) -> None:
        if not self._begun and (whole or self._mode == "stream"):
            self._begun = True
            self._actions.append(BeginRehearsal(rehearsal_id=self.id, turn_id=self._turn_id))

    def _write(self, cell_id: str, text: str) -> None:
        if text:
            self._send(cell_id, self._cells[cell_id].feed(text))

    def _send(self, cell_id: str, statements: Sequence[tuple[int, str]], *, whole: bool = False) -> None:
        if self._mode == "ready" and not whole:
            return
        cell = self._cells[cell_id]
        for line, text in statements:
            if self._over:
                return
            if self._unrun.touches(text):
                self.stop()
                return
            cell.sent.append((line, text))
            self._actions.append(RehearseStatement(rehearsal_id=self.id, cell_id=cell_id, text=text, line=line))

    def _restart(self, cell_id: str, source: str | None) -> None:
        """Replace the copy, which has run text that is gone, by one that runs the present text up to this cell."""
        self._actions.append(EndRehearsal(rehearsal_id=self.id))
        self.serial += 1
        before, self._cells, self._begun = self._cells, {}, False
        self._waits_for.clear()
        self._outstanding.clear()
        for other_id, other in before.items():
            if other_id == cell_id:
                break
            self.open(other_id, other.text)
            if other.ended:
                self.close(other_id, other.text)
        if source is not None:
            self.open(cell_id, source)


def _statements(source: str) -> list[tuple[int, str]]:
    cell = _Cell()
    return cell.feed(source) + cell.flush()
