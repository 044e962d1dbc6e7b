"""Reducer of events into the state that a client shows.

The notebook display, the widget and the command line render from this; none of them keeps a state of its own. Both reducers must
come to the states in ``tests/fixtures/events``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Protocol, TypeVar

from msgspec import structs

from spark_jupyter.protocol.agent_messages import ConsentChanged
from spark_jupyter.protocol.constants import MOST_PROBLEMS, MOST_TOLD_TURNS, TURNS_FORGOTTEN_AT_ONCE
from spark_jupyter.protocol.deep_messages import DeepChanged, DeepOffered, DeepWork
from spark_jupyter.protocol.messages import Event, Hello, NotesAdded, Problem, Snapshot, TurnEnded, TurnStarted
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.proposal_messages import AttemptChanged, CellsChanged, Findings, ProposalChanged
from spark_jupyter.protocol.provider_messages import Models
from spark_jupyter.protocol.review_messages import ReviewChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import (
    TAKEN_BACK,
    AppendSource,
    CellChange,
    DeleteCell,
    InsertCell,
    ModelInfo,
    Proposal,
    ProposalState,
    ReplaceSource,
    Turn,
)


class _OfCell(Protocol):
    @property
    def cell_id(self) -> str: ...
    @property
    def state(self) -> ProposalState: ...


_Proposal = TypeVar("_Proposal", bound=_OfCell)


def current(proposals: Iterable[_Proposal]) -> dict[str, _Proposal]:
    """The current proposal of every cell, from all proposals, oldest first.

    It is the youngest that was not taken back, or the youngest of all. Rejecting or reverting one makes the one before current again."""
    chosen: dict[str, _Proposal] = {}
    for proposal in proposals:
        known = chosen.get(proposal.cell_id)
        if known is None or proposal.state not in TAKEN_BACK or known.state in TAKEN_BACK:
            chosen.pop(proposal.cell_id, None)
            chosen[proposal.cell_id] = proposal
    return chosen


class TurnView:
    """Turns, proposals and their results, as reduced from the events so far."""

    def __init__(self) -> None:
        self.hello = Hello()
        self.models: tuple[ModelInfo, ...] = ()
        self.model = ""
        self.turns: dict[str, Turn] = {}
        self.forgotten = 0
        """The number of turns that were forgotten."""
        self.all_proposals: list[Proposal] = []
        """Oldest first; several may be for one cell."""
        self.proposals: dict[str, Proposal] = {}
        """The current proposal of every cell, see :func:`current`."""
        self.consent = ConsentChanged()
        """The runs that agents wait for."""
        self.meters: dict[str, Meter] = {}
        self.trials: dict[str, TrialResult] = {}
        self.attempts: dict[tuple[str, int], AttemptChanged] = {}
        self.deep: dict[str, DeepWork] = {}
        """Deep works, oldest first."""
        self.handed: dict[str, str] = {}
        """By turn: the reason to offer its answer to the deep model."""
        self.cuts: list[Findings] = []
        """The cuts of all streams, oldest first."""
        self.review: ReviewChanged | None = None
        """The newest review."""
        self.problems: deque[Problem] = deque(maxlen=MOST_PROBLEMS)

    @property
    def streaming(self) -> Turn | None:
        """The turn that streams, the youngest where there are several."""
        return next((turn for turn in reversed(self.turns.values()) if turn.outcome is None), None)

    def of_turn(self, turn_id: str) -> list[Proposal]:
        return [proposal for proposal in self.all_proposals if proposal.turn_id == turn_id]

    def cuts_of(self, turn_id: str) -> list[Findings]:
        return [cut for cut in self.cuts if cut.turn_id == turn_id]

    def problems_of(self, turn_id: str) -> list[Problem]:
        return [problem for problem in self.problems if problem.turn_id == turn_id]

    def attempts_of(self, turn_id: str) -> list[AttemptChanged]:
        return [attempt for (id_, _), attempt in sorted(self.attempts.items()) if id_ == turn_id]

    def pending(self) -> list[Proposal]:
        return [proposal for proposal in self.proposals.values() if proposal.state in ("ready", "blocked")]

    def receive_all(self, events: Iterable[Event]) -> None:
        for event in events:
            self.receive(event)

    def receive(self, event: Event) -> None:
        match event:
            case Hello():
                # a provider that takes another's place and names no model has its own: not that of the one before
                another = event.provider not in ("", self.hello.provider)
                self.hello = event
                self.model = event.model or ("" if another else self.model)
            case Models():
                self.models = event.models or self.models  # an empty list only says which one is selected
                self.model = event.selected
            case Snapshot():
                self._restore(event)
            case ReviewChanged():
                self.review = event
            case ConsentChanged():
                self.consent = event
            case Problem():
                self.problems.append(event)
            case DeepChanged(work=work):
                self.deep[work.id] = work
            case DeepOffered(turn_id=turn_id, reason=reason):
                self.handed[turn_id] = reason
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
                known = None if event.replaces else self.turns.get(turn_id)
                self._update_turn(turn_id, notes=text if known is None else known.notes + text)
            case AttemptChanged():
                self.attempts[event.turn_id, event.index] = event
            case Meter():
                self.meters[event.turn_id] = event
            case TurnEnded():
                self._update_turn(event.turn_id, outcome=event.outcome, reason=event.reason, may_go_on=event.may_go_on)

    def _receive_of_cell(self, event: ProposalChanged | CellsChanged | Findings | TrialResult) -> None:
        match event:
            case ProposalChanged(proposal=proposal):
                self._propose(proposal)
            case CellsChanged(turn_id=turn_id, changes=changes):
                for change in changes:
                    self._change(turn_id, change)
            case Findings():
                self._findings(event)
            case TrialResult():
                self._tried(event)

    def _restore(self, snapshot: Snapshot) -> None:
        self.turns = {turn.id: turn for turn in snapshot.turns}
        self._set_all(snapshot.proposals)
        self.attempts = {(attempt.turn_id, attempt.index): attempt for attempt in snapshot.attempts}
        self.deep = {work.id: work for work in snapshot.deep}
        self.handed = {offered.turn_id: offered.reason for offered in snapshot.handed}
        self.trials = {trial.cell_id: trial for trial in snapshot.trials}
        self.meters, self.cuts = {}, []
        self.model = snapshot.model or self.model
        self.consent = snapshot.consent or ConsentChanged()
        self.review = snapshot.review or self.review

    def _start(self, turn: Turn) -> None:
        known = self.turns.get(turn.id)
        self.turns[turn.id] = structs.replace(turn, notes=known.notes) if known else turn
        if turn.steers and known is None:
            self._set_all(
                structs.replace(one, turn_id=turn.id) if one.turn_id == turn.steers else one
                for one in self.all_proposals
            )
        if known is None:
            self._forget()

    def _forget(self) -> None:
        """Forget the oldest turns where there are too many, except streaming and undecided ones."""
        over = len(self.turns) - MOST_TOLD_TURNS
        if over < TURNS_FORGOTTEN_AT_ONCE:
            return
        undecided = {one.turn_id for one in self.all_proposals if one.state in ("ready", "blocked")}
        old = list(self.turns.values())[:over]
        gone = {turn.id for turn in old if turn.outcome is not None and turn.id not in undecided}
        self.turns = {key: turn for key, turn in self.turns.items() if key not in gone}
        self.forgotten += len(gone)
        self._set_all(one for one in self.all_proposals if one.turn_id not in gone)
        self.meters = {key: meter for key, meter in self.meters.items() if key not in gone}
        self.attempts = {key: attempt for key, attempt in self.attempts.items() if key[0] not in gone}
        self.handed = {key: reason for key, reason in self.handed.items() if key not in gone}
        self.trials = {key: trial for key, trial in self.trials.items() if trial.turn_id not in gone}
        self.deep = {key: work for key, work in self.deep.items() if not (key in gone and work.over)}
        self.cuts = [cut for cut in self.cuts if cut.turn_id not in gone]

    def _update_turn(self, turn_id: str, **values: object) -> None:
        if turn_id in self.turns:
            self.turns[turn_id] = structs.replace(self.turns[turn_id], **values)

    def _propose(self, proposal: Proposal) -> None:
        known = self._of(proposal.turn_id, proposal.cell_id)
        if known is None:
            self._set_all([*self.all_proposals, proposal])
            self.trials.pop(proposal.cell_id, None)
            self.cuts = [cut for cut in self.cuts if cut.cell_id != proposal.cell_id]
        else:
            source = proposal.source if proposal.state == "accepted" else known.source
            self._put(structs.replace(proposal, source=source))

    def _findings(self, event: Findings) -> None:
        proposal = self._of(event.turn_id, event.cell_id)
        if proposal is None:
            return
        self._put(structs.replace(proposal, findings=event.findings, may_run=event.may_run))
        if event.cut:
            self.cuts.append(event)

    def _tried(self, result: TrialResult) -> None:
        self.trials[result.cell_id] = result
        proposal = self._of(result.turn_id, result.cell_id)
        if proposal is not None:
            self._put(structs.replace(proposal, tried=result.source_hash or proposal.tried, trying=False))

    def _of(self, turn_id: str, cell_id: str) -> Proposal | None:
        mine = (one for one in reversed(self.all_proposals) if one.cell_id == cell_id and one.turn_id == turn_id)
        return next(mine, None)

    def _put(self, proposal: Proposal) -> None:
        names = (proposal.turn_id, proposal.cell_id)
        self._set_all(proposal if (one.turn_id, one.cell_id) == names else one for one in self.all_proposals)

    def _set_all(self, proposals: Iterable[Proposal]) -> None:
        self.all_proposals = list(proposals)
        self.proposals = current(self.all_proposals)

    def _change(self, turn_id: str, change: CellChange) -> None:
        proposal = self._of(turn_id, change.cell_id)
        match change:
            case _ if proposal is None:
                pass
            case DeleteCell():
                self._set_all(one for one in self.all_proposals if one is not proposal)
            case AppendSource(text=text):
                self._put(structs.replace(proposal, source=proposal.source + text))
            case ReplaceSource(source=source) | InsertCell(source=source):
                self._put(structs.replace(proposal, source=source))
