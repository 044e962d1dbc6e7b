"""What a person sees of a session: a reducer over Events, the Python twin of the browser's ``model.ts``. Pure.

The notebook display, the widget and the command line render from this; none of them keeps a state of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from spark_jupyter.wire.messages import (
    AppendSource,
    AttemptChanged,
    CellChange,
    CellsChanged,
    DeleteCell,
    Event,
    Findings,
    Hello,
    InsertCell,
    Meter,
    Models,
    NotesAdded,
    Problem,
    Proposal,
    ProposalChanged,
    ReplaceSource,
    Snapshot,
    TrialResult,
    Turn,
    TurnEnded,
    TurnStarted,
)


def none_passed(attempts: Iterable[AttemptChanged], turn_id: str) -> bool:
    """Whether answers raced for a turn and none passed: then what is proposed is neither run nor written without a second yes."""
    states = {attempt.state for attempt in attempts if attempt.turn_id == turn_id}
    return bool(states) and "passed" not in states


class TurnView:
    """Turns, proposals and what was said about them, as far as the events have told."""

    def __init__(self) -> None:
        self.hello = Hello()
        self.models = Models(models=(), selected="")
        self.turns: dict[str, Turn] = {}
        self.proposals: dict[str, Proposal] = {}
        self.meters: dict[str, Meter] = {}
        self.trials: dict[str, TrialResult] = {}
        self.attempts: dict[tuple[str, int], AttemptChanged] = {}
        self.cuts: dict[str, list[Findings]] = {}
        self.problems: list[Problem] = []

    @property
    def last_turn(self) -> Turn | None:
        """The turn that began last."""
        return next(reversed(self.turns.values()), None)

    @property
    def streaming(self) -> Turn | None:
        """The turn that streams, the youngest where there are several."""
        return next((turn for turn in reversed(self.turns.values()) if turn.outcome is None), None)

    def of_turn(self, turn_id: str) -> list[Proposal]:
        """A turn's proposals in the order of its cells."""
        return [proposal for proposal in self.proposals.values() if proposal.turn_id == turn_id]

    def attempts_of(self, turn_id: str) -> list[AttemptChanged]:
        """How the attempts of a turn stand, in their order."""
        return [attempt for (id_, _), attempt in sorted(self.attempts.items()) if id_ == turn_id]

    def pending(self) -> list[Proposal]:
        """The proposals that wait for the user's word."""
        return [proposal for proposal in self.proposals.values() if proposal.state in ("ready", "blocked")]

    def receive_all(self, events: Iterable[Event]) -> None:
        """Take in several events."""
        for event in events:
            self.receive(event)

    def receive(self, event: Event) -> None:
        """Take in one event."""
        match event:
            case Hello():
                self.hello = event
            case Models():
                self.models = event if event.models else structs.replace(self.models, selected=event.selected)
            case Snapshot():
                self.turns = {turn.id: turn for turn in event.turns}
                self.proposals = {proposal.cell_id: proposal for proposal in event.proposals}
                self.attempts = {(attempt.turn_id, attempt.index): attempt for attempt in event.attempts}
            case Problem():
                self.problems.append(event)
            case TurnStarted() | NotesAdded() | Meter() | AttemptChanged() | TurnEnded():
                self._receive_of_turn(event)
            case ProposalChanged() | CellsChanged() | Findings() | TrialResult():
                self._receive_of_cell(event)
            case _:
                pass

    def _receive_of_turn(self, event: TurnStarted | NotesAdded | Meter | AttemptChanged | TurnEnded) -> None:
        match event:
            case TurnStarted(turn=turn):
                self._start(turn)
            case NotesAdded(turn_id=turn_id, text=text):
                self._update_turn(turn_id, notes=self.turns[turn_id].notes + text if turn_id in self.turns else text)
            case AttemptChanged():
                self.attempts[event.turn_id, event.index] = event
            case Meter():
                self.meters[event.turn_id] = event
            case TurnEnded():
                self._update_turn(event.turn_id, outcome=event.outcome, reason=event.reason)

    def _receive_of_cell(self, event: ProposalChanged | CellsChanged | Findings | TrialResult) -> None:
        match event:
            case ProposalChanged(proposal=proposal):
                self._propose(proposal)
            case CellsChanged(changes=changes):
                for change in changes:
                    self._change(change)
            case Findings():
                self._findings(event)
            case TrialResult():
                self._tried(event)

    def _start(self, turn: Turn) -> None:
        known = self.turns.get(turn.id)
        self.turns[turn.id] = structs.replace(turn, notes=known.notes) if known else turn
        if turn.steers and known is None:
            for proposal in self.of_turn(turn.steers):
                self.proposals[proposal.cell_id] = structs.replace(proposal, turn_id=turn.id)

    def _update_turn(self, turn_id: str, **values: object) -> None:
        if turn_id in self.turns:
            self.turns[turn_id] = structs.replace(self.turns[turn_id], **values)

    def _propose(self, proposal: Proposal) -> None:
        known = self.proposals.get(proposal.cell_id)
        if known is not None and known.turn_id != proposal.turn_id:
            del self.proposals[proposal.cell_id]  # another turn's: this one takes its place, and comes last
            self.trials.pop(proposal.cell_id, None)
        elif known is not None and proposal.state != "accepted":
            proposal = structs.replace(proposal, source=known.source)
        self.proposals[proposal.cell_id] = proposal

    def _findings(self, event: Findings) -> None:
        proposal = self.proposals.get(event.cell_id)
        if proposal is not None:
            self.proposals[event.cell_id] = structs.replace(proposal, findings=event.findings)
        if event.cut:
            self.cuts.setdefault(event.turn_id, []).append(event)

    def _tried(self, result: TrialResult) -> None:
        self.trials[result.cell_id] = result
        proposal = self.proposals.get(result.cell_id)
        if proposal is not None:
            self.proposals[result.cell_id] = structs.replace(
                proposal, tried=result.source_hash or proposal.tried, trying=False
            )

    def _change(self, change: CellChange) -> None:
        proposal = self.proposals.get(change.cell_id)
        match change:
            case DeleteCell():
                self.proposals.pop(change.cell_id, None)
            case AppendSource(text=text) if proposal is not None:
                self.proposals[change.cell_id] = structs.replace(proposal, source=proposal.source + text)
            case ReplaceSource(source=source) | InsertCell(source=source) if proposal is not None:
                self.proposals[change.cell_id] = structs.replace(proposal, source=source)
            case _:
                pass
