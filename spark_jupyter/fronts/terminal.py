"""A turn in a terminal: highlighted lines as they are written, a live row, a typed line that steers, Ctrl-C that cancels.

What is written is append-only: a finished line is printed once, highlighted, and scrolls away like any output. The last two rows are
live: the line that is being written, and the status with what the user types.
"""

from __future__ import annotations

import codecs
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TextIO

from spark_jupyter.fronts.interrupts import on_interrupt
from spark_jupyter.fronts.screen import BOLD, DIM, GREEN, RED, RESET, STRUCK, YELLOW, Highlighter, Screen, printable
from spark_jupyter.host.engine import Engine
from spark_jupyter.wire.messages import (
    AppendSource,
    AttemptChanged,
    Cancel,
    CellChange,
    CellsChanged,
    DeleteCell,
    Event,
    EventFrame,
    Findings,
    InsertCell,
    Meter,
    NotesAdded,
    Problem,
    Proposal,
    ProposalChanged,
    ReplaceSource,
    Steer,
    TrialResult,
    TurnEnded,
    TurnStarted,
)


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
        self._meter = ""
        self._lines: list[str] = []
        self._attempts: dict[int, AttemptChanged] = {}
        self.typed = ""
        self.hint = "type to steer, Enter sends, Ctrl-C cancels"

    def receive(self, event: Event) -> None:
        """Take in one event; :meth:`draw` shows it."""
        match event:
            case ProposalChanged(proposal=proposal):
                self._proposal(proposal)
            case CellsChanged(changes=changes):
                for change in changes:
                    self._change(change)
            case NotesAdded(text=text):
                self._notes += text
                *whole, self._notes = self._notes.split("\n")
                self._lines += [self._style(DIM, printable(line)) for line in whole if line.strip()]
            case Findings():
                self._findings(event)
            case Meter():
                self._meter = meter_text(event) if event.output_tokens else ""
            case TrialResult():
                self._lines += trial_lines(event)[: 1 if event.rehearsed else None]
            case AttemptChanged():
                self._attempt(event)
            case Problem():
                self._finish_cell()
                self._lines.append(self._style(RED, printable(f"✗ {event.message} {event.remedy}".rstrip())))
            case TurnStarted(turn=turn) if turn.steers and turn.outcome is None:
                self._rule(f"steered: {turn.prompt}")
            case TurnEnded():
                self._end(event)
            case _:
                pass

    def draw(self, *, live: bool = True) -> None:
        """Show what has been received."""
        cell = self._cells.get(self._current)
        if cell is not None:
            self._lines += cell.finished_lines(whole=False)
        lines, self._lines = self._lines, []
        partial = cell.partial if cell is not None else printable(self._notes)
        typed = f"{BOLD}› {printable(self.typed)}{RESET}" if self.typed else f"{DIM}{self.hint}{RESET}"
        before = "".join(f"{part} · " for part in (self._racing(), self._meter) if part)
        status = f"{DIM}⚡ {before}{RESET}{typed}"
        self.screen.update(lines, [partial, status] if live else [])

    def type_key(self, key: str) -> str | None:
        """Take in a key that was typed; the line where Enter ended one that is not empty."""
        line = None
        if key in "\r\n":
            line, self.typed = self.typed.strip() or None, ""
        elif key in "\x7f\b":
            self.typed = self.typed[:-1]
        elif key == "\x15":  # Ctrl-U, as in a shell
            self.typed = ""
        elif key.isprintable():
            self.typed += key
        return line

    def _attempt(self, event: AttemptChanged) -> None:
        """The end of each attempt is a line; how the others stand is in the live row."""
        known = self._attempts.get(event.index)
        if known is not None and known.turn_id != event.turn_id:
            self._attempts.clear()
        self._attempts[event.index] = event
        if event.state not in ("streaming", "trying") and (known is None or known.state != event.state):
            colour = {"passed": GREEN, "failed": RED}.get(event.state, DIM)
            self._lines.append(self._style(colour, f"  {attempt_line(event)}"))

    def _racing(self) -> str:
        running = [one for one in self._attempts.values() if one.state in ("streaming", "trying")]
        return ", ".join(f"{one.index + 1} {_DOING[one.state]}" for one in running)

    def _proposal(self, proposal: Proposal) -> None:
        if proposal.state != "streaming":
            if proposal.cell_id == self._current:
                self._finish_cell()
            return
        if proposal.cell_id not in self._cells:
            self._finish_cell()
            self._flush_notes()
            self._cells[proposal.cell_id] = _Cell(proposal, colour=self._colour)
            self._cells[proposal.cell_id].name = name = self._name(proposal)
            self._rule(name)
        self._current = proposal.cell_id

    def _name(self, proposal: Proposal) -> str:
        what = f"edit of cell {proposal.cell_id}" if proposal.kind == "edit" else f"cell {len(self._cells)}"
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

    def _findings(self, event: Findings) -> None:
        cell = self._cells.get(event.cell_id)
        if cell is not None:
            self._lines += cell.finished_lines(whole=False)
        for line in event.cut.splitlines():
            self._lines.append(self._style(RED + STRUCK, printable(line)))
        for finding in event.findings:
            colour = DIM if finding.allowed else RED if finding.severity == "block" else YELLOW
            allowed = f" (allowed: {finding.allowed})" if finding.allowed else ""
            cwe = f" CWE-{finding.cwe}" if finding.cwe else ""
            text = f"  ▲ line {finding.line}: {finding.message}{allowed} [{finding.rule}{cwe}] {finding.remedy}"
            self._lines.append(self._style(colour, printable(text.rstrip())))

    def _finish_cell(self) -> None:
        cell = self._cells.get(self._current)
        if cell is not None:
            self._lines += cell.finished_lines(whole=True)
        self._current = ""

    def _flush_notes(self) -> None:
        if self._notes.strip():
            self._lines.append(self._style(DIM, printable(self._notes)))
        self._notes = ""

    def _end(self, event: TurnEnded) -> None:
        if event.outcome == "superseded" and (cell := self._cells.get(self._current)) is not None:
            cell.interrupted = True
        self._finish_cell()
        self._flush_notes()
        if event.outcome == "superseded":
            return
        colour = {"completed": GREEN, "cancelled": YELLOW}.get(event.outcome, RED)
        reason = f" {event.reason}" if event.reason and event.outcome != "failed" else ""
        text = " · ".join(part for part in (f"{event.outcome}.{reason}", self._meter) if part)
        self._lines.append(self._style(colour, printable(text)))

    def _rule(self, title: str) -> None:
        self._lines.append(self._style(DIM, f"── {printable(title)} ──"))

    def _style(self, style: str, text: str) -> str:
        return f"{style}{text}{RESET}" if self._colour else text


def meter_text(meter: Meter) -> str:
    """The meter in a line."""
    about = "~" if meter.estimated else ""
    parts = [f"{about}{meter.output_tokens} tokens"]
    if meter.tokens_per_second >= 1:  # an answer that came at once has no speed
        parts.append(f"{meter.tokens_per_second:,.0f} tok/s")
    if meter.first_token is not None:
        parts.insert(0, f"first after {meter.first_token * 1000:.0f} ms")
    if meter.cost:  # a model of one's own costs nothing: no price then
        parts.append(f"${meter.cost:.4f}")
    return ", ".join(parts)


_DOING = {"streaming": "writes", "trying": "is tried"}


def attempt_line(attempt: AttemptChanged) -> str:
    """An attempt in a line: ``2 failed (gpt-x): f(3) is 4``."""
    model = f" ({attempt.model})" if attempt.model else ""
    reason = ": " + "; ".join(attempt.reason.splitlines()) if attempt.reason else ""
    return printable(f"{attempt.index + 1} {_DOING.get(attempt.state, attempt.state)}{model}{reason}")


def attempts_lines(attempts: Sequence[AttemptChanged]) -> list[str]:
    """The attempts of a race as a short table, the proposed one marked, each with the beginning of its source."""
    lines = []
    for attempt in attempts:
        lines.append(f"{'→' if attempt.proposed else ' '} {attempt_line(attempt)}")
        lines += [f"    | {printable(line)}" for line in attempt.source.splitlines()[:6]]
    return lines


def trial_lines(result: TrialResult) -> list[str]:
    """A Try in lines: summary, output, effects, error."""
    lines = [result.summary or result.problem]
    for output in result.outputs:
        text = output.text or output.data.get("text/plain", "")
        lines += [f"  | {line}" for line in printable(text).splitlines()]
    return lines + effect_lines(result)


def effect_lines(result: TrialResult) -> list[str]:
    """What a Try would have changed, and the error in which it ended."""
    lines = []
    for effect in result.effects:
        change = " → ".join(part for part in (effect.before, effect.after) if part)
        parts = (effect.action, effect.kind, effect.name, change, "(refused)" if effect.refused else "")
        detail = f": {effect.detail}" if effect.detail else ""
        lines.append(printable("  " + " ".join(part for part in parts if part) + detail))
    if result.error:
        lines.append(printable(f"  ✗ {result.error}"))
    return lines


@contextmanager
def _key_by_key(stream: TextIO) -> Iterator[bool]:
    """Read keys one by one, without echo, where ``stream`` is a terminal; False where it is not. Ctrl-C still interrupts."""
    if not stream.isatty():
        yield False
        return
    import termios
    import tty

    descriptor = stream.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield True
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


class View(Protocol):
    """What a :class:`TerminalFront` shows a turn with."""

    def receive(self, event: Event) -> None:
        """Take in one event."""

    def draw(self, *, live: bool = True) -> None:
        """Show what has been received."""

    def type_key(self, key: str) -> str | None:
        """Take in a key; the typed line where the key ended one."""


class TerminalFront:
    """Follows one turn and those that steer it, and turns keys into commands."""

    def __init__(
        self,
        engine: Engine,
        view: View,
        *,
        new_turn_id: Callable[[], str],
        keys: TextIO | None = None,
    ) -> None:
        self._engine = engine
        self._view = view
        self._new_turn_id = new_turn_id
        self._keys = sys.stdin if keys is None else keys
        self._frames: list[EventFrame] = []
        self._ready = threading.Event()
        self.turn_id = ""
        self._trying: set[str] = set()
        self._utf8 = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def follow(self, turn_id: str, begin: Callable[[], None]) -> TurnEnded:
        """Show the turn until it, or the last turn that steers it, has ended, and what is tried of it by itself. ``begin`` submits the
        prompt. Ctrl-C cancels; one that comes too late for that is raised."""
        self.turn_id = turn_id
        ended: TurnEnded | None = None
        unsubscribe = self._engine.subscribe(self._receive_frame)
        try:
            with on_interrupt(self._cancel) as interrupts, _key_by_key(self._keys) as interactive:
                begin()
                while ended is None or self._trying:
                    ended = self._turn(interactive) or ended
        finally:
            unsubscribe()
            self._view.draw(live=False)
        interrupts.raise_unless(ended.outcome == "cancelled")
        return ended

    def _cancel(self) -> None:
        self._engine.submit(Cancel(turn_id=self.turn_id))

    def _receive_frame(self, frame: EventFrame) -> None:
        self._frames.append(frame)
        self._ready.set()

    def _turn(self, interactive: bool) -> TurnEnded | None:
        """One round: what has come, then what was typed."""
        self._ready.wait(0.03)
        self._ready.clear()
        frames, self._frames = self._frames, []
        ended = None
        for event in (event for frame in frames for event in frame.msgs):
            self._view.receive(event)
            if isinstance(event, ProposalChanged) and event.proposal.trying:
                self._trying.add(event.proposal.cell_id)
            if isinstance(event, TrialResult):
                self._trying.discard(event.cell_id)
            if isinstance(event, TurnStarted) and event.turn.steers == self.turn_id:
                self.turn_id = event.turn.id
            if isinstance(event, TurnEnded) and event.turn_id == self.turn_id and event.outcome != "superseded":
                ended = event
        typed = self._read_keys() if interactive else False
        if frames or typed:
            self._view.draw()
        return ended

    def _read_keys(self) -> bool:
        descriptor = self._keys.fileno()
        typed = False
        while select.select([descriptor], [], [], 0)[0]:
            data = os.read(descriptor, 1024)
            if not data:
                break
            typed = True
            for key in self._utf8.decode(data):
                line = self._view.type_key(key)
                if line:
                    self._engine.submit(Steer(turn_id=self._new_turn_id(), steers=self.turn_id, text=line))
        return typed
