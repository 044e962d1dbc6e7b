"""Turn in a terminal: live lines, steering, Ctrl-C.

What is written is append-only: a finished line is printed once, highlighted, and scrolls away like any output. The last two rows are
live: the line that is being written, and the status with what the user types.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Protocol, TextIO

from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.follow import Chain, Follow
from spark_jupyter.protocol.agent_messages import AnswerRun, ConsentChanged, PermissionWanted
from spark_jupyter.protocol.constants import REFUSAL
from spark_jupyter.protocol.deep_messages import DeepChanged, DeepWork
from spark_jupyter.protocol.messages import Event, NotesAdded, Problem, TurnEnded, TurnStarted
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.proposal_messages import AttemptChanged, CellsChanged, Findings, ProposalChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import (
    AppendSource,
    Aside,
    CellChange,
    DeleteCell,
    InsertCell,
    Proposal,
    ReplaceSource,
)
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.keyboard import TypedLine, reading
from spark_jupyter.ui.terminal_screen import BOLD, DIM, GREEN, RED, RESET, STRUCK, YELLOW, Highlighter, Screen
from spark_jupyter.ui.text.deep_text import deep_line, news_lines
from spark_jupyter.ui.text.meter_text import meter_text
from spark_jupyter.ui.text.words import (
    ALLOW,
    DENY,
    DOING,
    WRITES_HERE,
    aside_lines,
    attempt_line,
    finding_line,
    hints_text,
    name_of,
    outcome_text,
    plain_prose,
    problem_line,
    result_lines,
    split_hints,
    trial_lines,
)

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyPress

TYPING = 0.03
"""Seconds between two looks at the keyboard while a turn streams."""


class _Cell:
    """A cell as far as it has been printed."""

    name = ""
    interrupted = False  # other lines were printed where it had not ended

    def __init__(self, proposal: Proposal, *, colour: bool) -> None:
        self.kind = proposal.kind
        self.cell_type = proposal.cell_type
        self.colour = colour
        self.restart(proposal.source)

    def restart(self, source: str) -> None:
        self.source = source
        self.printed = 0
        self.highlighter = Highlighter(self.cell_type, colour=self.colour)

    def finished_lines(self, *, whole: bool) -> Iterator[str]:
        """The lines that were finished since the last call."""
        end = len(self.source) if whole else self.source.rfind("\n") + 1
        if end > self.printed:
            for line in self.source[self.printed : end].removesuffix("\n").split("\n"):
                yield self.highlighter.line(line)
            self.printed = end

    def back_to_line(self) -> None:
        """Print the last line once more, as a whole, if it has not ended."""
        self.printed = self.source.rfind("\n", 0, self.printed) + 1

    @property
    def partial(self) -> str:
        return printable(self.source[self.printed :])


class TerminalView:
    """Draws the events of turns. Its methods are called from one thread."""

    def __init__(self, out: TextIO, *, colour: bool | None = None) -> None:
        self.screen = Screen(out)
        self._colour = self.screen.live if colour is None else colour
        self._cells: dict[str, _Cell] = {}
        self._current = ""
        self._notes = ""
        self._beginning = ""  # of the turn's notes: it tells whether they refuse
        self._meter: Meter | None = None
        self._lines: list[str] = []
        self._trial: list[str] = []  # as it was told last: edits that were tried together have one result
        self._attempts: dict[int, AttemptChanged] = {}
        self._deep: DeepWork | None = None
        self._asides: dict[str, tuple[Aside, ...]] = {}  # by cell, as they were told
        self._wanted: set[str] = set()

    def receive(self, event: Event) -> None:
        match event:
            case ProposalChanged(proposal=proposal):
                self._proposal(proposal)
            case CellsChanged(changes=changes):
                for change in changes:
                    self._change(change)
            case NotesAdded(text=text):
                self._notes += text
                self._beginning = (self._beginning + text).lstrip()[: len(REFUSAL)]
                *whole, self._notes = self._notes.split("\n")
                self._lines += [self._style(DIM, plain_prose(line)) for line in whole if line.strip()]
            case Meter():
                self._meter = event
            case Findings() | TrialResult():
                self._judged(event)
            case AttemptChanged():
                self._attempt(event)
            case DeepChanged(work=work):
                self._work(work)
            case Problem():
                self._finish_cell()
                self._lines.append(self._style(RED, problem_line(event.message, event.remedy)))
            case ConsentChanged(permissions=wanted):
                self._lines += [self._style(YELLOW, line) for one in wanted for line in self._permission(one)]
            case TurnStarted() | TurnEnded():
                self._turn(event)
            case _:
                pass

    def draw(self, typed: str = "", *, live: bool = True) -> None:
        cell = self._cells.get(self._current)
        if cell is not None:
            self._lines += cell.finished_lines(whole=False)
        lines, self._lines = self._lines, []
        partial = cell.partial if cell is not None else plain_prose(self._notes)
        line = printable(typed.replace("\n", "⏎"))
        row = f"{BOLD}› {line}{RESET}" if line else f"{DIM}{WRITES_HERE}{RESET}"
        before = "".join(f"{part} · " for part in (self._working(), self._racing(), meter_text(self._meter)) if part)
        status = f"{DIM}⚡ {before}{RESET}{row}"
        self.screen.update(lines, [partial, status] if live else [])

    def _permission(self, wanted: PermissionWanted) -> list[str]:
        """The details of what an agent waits for, when it is heard of first: the turn's notes say that it waits, and how it is answered."""
        if wanted.request_id in self._wanted:
            return []
        self._wanted.add(wanted.request_id)
        return [f"  {printable(line)}" for line in wanted.detail.splitlines()]

    def _attempt(self, event: AttemptChanged) -> None:
        """The end of each attempt is a line; how the others stand is in the live row."""
        known = self._attempts.get(event.index)
        if known is not None and known.turn_id != event.turn_id:
            self._attempts.clear()
        self._attempts[event.index] = event
        if event.state not in ("streaming", "trying") and (known is None or known.state != event.state):
            colour = {"passed": GREEN, "failed": RED}.get(event.state, DIM)
            self._lines += [self._style(colour, f"  {attempt_line(event)}"), *result_lines(event)]

    def _racing(self) -> str:
        running = [one for one in self._attempts.values() if one.state in ("streaming", "trying")]
        return ", ".join(f"{one.index + 1} {DOING[one.state]}" for one in running)

    def _working(self) -> str:
        return deep_line(self._deep) if self._deep is not None and not self._deep.over else ""

    def _proposal(self, proposal: Proposal) -> None:
        if proposal.state != "streaming":
            if proposal.cell_id == self._current:
                self._finish_cell()
            if proposal.asides != self._asides.get(proposal.cell_id, ()):
                self._asides[proposal.cell_id] = proposal.asides
                self._lines += [self._style(DIM, f"  {line}") for line in aside_lines(proposal.asides)]
            return
        if proposal.cell_id not in self._cells:
            self._finish_cell()
            self._flush_notes()
            self._cells[proposal.cell_id] = _Cell(proposal, colour=self._colour)
            self._cells[proposal.cell_id].name = name = self._name(proposal)
            self._rule(name)
        self._current = proposal.cell_id

    def _name(self, proposal: Proposal) -> str:
        what = f"edit of {name_of(proposal)}" if proposal.kind == "edit" else f"cell {len(self._cells)}"
        return f"{what} (Markdown)" if proposal.cell_type == "markdown" else what

    def _change(self, change: CellChange) -> None:
        cell = self._cells.get(change.cell_id)
        match change:
            case AppendSource(text=text) if cell is not None:
                self._go_on(cell)
                cell.source += text
            case ReplaceSource(source=source) | InsertCell(source=source) if cell is not None:
                if source.startswith(cell.source[: cell.printed]):
                    if source != cell.source:
                        self._go_on(cell)
                    cell.source = source
                else:
                    cell.interrupted = False
                    self._rule(f"{cell.name}, written anew")
                    cell.restart(source)
            case DeleteCell():
                if cell is not None and cell.source:
                    self._rule(f"{cell.name} withdrawn")
                self._cells.pop(change.cell_id, None)
            case _:
                pass

    def _go_on(self, cell: _Cell) -> None:
        """Say of which cell the next lines are, where a steering stands between them and the cell's others."""
        if cell.interrupted:
            cell.interrupted = False
            cell.back_to_line()
            self._rule(f"{cell.name} goes on")

    def _judged(self, event: Findings | TrialResult) -> None:
        if isinstance(event, TrialResult):
            told = trial_lines(event)
            self._lines += [] if event.proof is not None and told == self._trial else told
            self._trial = told
        else:
            self._findings(event)

    def _work(self, work: DeepWork) -> None:
        """Print the news of a deep work, a line each; its state is in the live row."""
        self._lines += [self._style(DIM, line) for line in news_lines(self._deep, work)]
        self._deep = work

    def _findings(self, event: Findings) -> None:
        cell = self._cells.get(event.cell_id)
        if cell is not None:
            self._lines += cell.finished_lines(whole=False)
        for line in event.cut.splitlines():
            self._lines.append(self._style(RED + STRUCK, printable(line)))
        shown, hints = split_hints(event.findings)
        for finding in shown:
            colour = DIM if finding.allowed else RED if finding.severity == "block" else YELLOW
            self._lines.append(self._style(colour, f"  {finding_line(finding)}"))
        if hints:
            self._lines.append(self._style(DIM, f"  · {hints_text(hints)}"))

    def _finish_cell(self) -> None:
        cell = self._cells.get(self._current)
        if cell is not None:
            self._lines += cell.finished_lines(whole=True)
        self._current = ""

    def _flush_notes(self) -> None:
        if self._notes.strip():
            self._lines.append(self._style(DIM, plain_prose(self._notes)))
        self._notes = ""

    def _turn(self, event: TurnStarted | TurnEnded) -> None:
        if isinstance(event, TurnEnded):
            self._end(event)
        elif event.turn.steers and event.turn.outcome is None:
            self._rule(f"steered: {event.turn.prompt}")

    def _end(self, event: TurnEnded) -> None:
        if event.outcome == "superseded" and (cell := self._cells.get(self._current)) is not None:
            cell.interrupted = True
        self._finish_cell()
        self._flush_notes()
        if event.outcome == "superseded":
            return
        colour = {"completed": GREEN, "cancelled": YELLOW}.get(event.outcome, RED)
        self._lines.append(self._style(colour, outcome_text(event, self._meter, notes=self._beginning)))
        self._beginning = ""

    def _rule(self, title: str) -> None:
        self._lines.append(self._style(DIM, f"── {printable(title)} ──"))

    def _style(self, style: str, text: str) -> str:
        return f"{style}{text}{RESET}" if self._colour else text


class View(Protocol):
    """Parts with which a :class:`TerminalFront` shows a turn."""

    def receive(self, event: Event) -> None:
        """Take in one event."""

    def draw(self, typed: str = "", *, live: bool = True) -> None:
        """Show what has been received, and what was typed; not ``live``: for the last time."""


class TerminalFront:
    """Shows one turn and those that steer it, and turns keys into commands."""

    def __init__(
        self,
        engine: Engine,
        view: View,
        *,
        new_turn_id: Callable[[], str],
        keys: TextIO | None = None,
        everything: bool = False,
    ) -> None:
        self._engine = engine
        self._view = view
        self._new_turn_id = new_turn_id
        self._keys = sys.stdin if keys is None else keys
        self._everything = everything
        self._line = TypedLine()
        self._steers = False
        """True if the line being typed was begun while there was something to steer."""
        self._steered: dict[str, str] = {}
        self._kept: list[str] = []
        self._wanted: tuple[PermissionWanted, ...] = ()
        self._chain = Chain("")

    @property
    def turn_id(self) -> str:
        """The turn, or the last that steers it."""
        return self._chain.turn_id

    @property
    def unsent(self) -> str:
        """Typed text that reached no turn, as the next input: instructions become prompts."""
        rest = self._line.text.strip()
        return "\n".join([*self._kept, *([self._as_input(rest)] if rest else [])])

    def follow(self, turn_id: str, begin: Callable[[], None]) -> TurnEnded:
        """Show the turn until it, or the last turn that steers it, has ended, and what is tried of it by itself. ``begin`` submits the
        prompt. Ctrl-C cancels; one that comes too late for that is raised. With ``everything`` the view is given what is said of other
        things, too, and nothing can be typed: that is for programs."""
        ended = self.follow_chain(Chain(turn_id), begin)
        assert ended is not None  # or the loop would go on
        return ended

    def follow_chain(self, chain: Chain, begin: Callable[[], None]) -> TurnEnded | None:
        """As :meth:`follow`, for a deep work, too. Returns None where that waits for a person."""
        following = Follow(self._engine, chain, others=self._everything)
        self._chain = chain
        try:
            with nullcontext() if self._everything else reading(self._keys) as keys:
                for events in following.through(begin, every=TYPING):
                    self._show(events, keys() if keys is not None else [])
        finally:
            self._view.draw(live=False)
        return self._chain.ended

    def _show(self, events: list[Event], keys: list[KeyPress]) -> None:
        for event in events:
            self._view.receive(event)
            if isinstance(event, ConsentChanged):
                self._wanted = event.permissions
            if isinstance(event, Problem) and (refused := self._steered.pop(event.turn_id or "", "")):
                self._kept.append(_as_prompt(refused))
        for press in keys:
            self._press(press)
        if events or keys:
            self._view.draw(self._line.text)

    def _press(self, press: KeyPress) -> None:
        if not self._line.text:
            self._steers = self._chain.ended is None
        line = self._line.press(press.key, press.data)
        if self._wanted and line in (ALLOW, DENY):
            answered = self._wanted[:1] if line == ALLOW else self._wanted
            for one in answered:
                self._engine.submit(AnswerRun(request_id=one.request_id, allowed=line == ALLOW))
        elif line and self._chain.ended is None:
            self._steer(line)
        elif line:
            self._kept.append(self._as_input(line))

    def _as_input(self, line: str) -> str:
        """A line that was begun as an instruction is a prompt; one that was begun later is what it is at the prompt."""
        return _as_prompt(line) if self._steers else line

    def _steer(self, text: str) -> None:
        turn_id = self._new_turn_id()
        self._steered[turn_id] = text
        self._engine.submit(self._chain.steer(text, turn_id=turn_id))


def _as_prompt(text: str) -> str:
    """Input that sends an instruction as a prompt; a magic stays as it is."""
    if text.startswith("%"):
        return text
    return f"%%spark\n{text}" if "\n" in text else f"%spark {text}"
