"""Proposals of a session and their states.

``streaming`` → ``ready`` or ``blocked`` → ``accepted`` or ``rejected``; ``accepted`` ⇄ ``reverted``, by Revert or by the user's own Undo
(:mod:`spark_jupyter.session.manual_edits`). A proposal that is rejected or reverted leaves the notebook as it was: an inserted cell is
removed, an edited cell gets its ``base`` back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.hunks import accept_hunks
from spark_jupyter.protocol.messages import Event, Problem
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import (
    Accept,
    CellEdited,
    CellsChanged,
    Findings,
    ProposalChanged,
    Reject,
    Revert,
    Run,
    RunRequested,
)
from spark_jupyter.protocol.trial_messages import TrialResult, Try
from spark_jupyter.protocol.turn_view import current
from spark_jupyter.protocol.values import DECIDED, TAKEN_BACK, Finding, Person, Proposal, ProposalState, ReplaceSource
from spark_jupyter.session.answer_trials import verdict
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.manual_edits import decided_by_deletion, decided_by_place, decided_by_return, decided_by_text


class ProposalStore:
    """All proposals, oldest first. Several may be for one cell, each made on the text that the one before left."""

    def __init__(self) -> None:
        self._drafts: list[Draft] = []
        self._held: dict[str, str] = {}
        """The texts of cells that the user has typed since their last proposal was decided."""
        self._gone: dict[str, dict[str, ProposalState]] = {}
        """For each cell that the user deleted, the states of its proposals by turn."""

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        return tuple(draft.proposal() for draft in self._drafts)

    @property
    def current(self) -> tuple[Proposal, ...]:
        """The current proposal of every cell."""
        return tuple(current(self.proposals).values())

    @property
    def trial_results(self) -> tuple[TrialResult, ...]:
        """The trial results of undecided proposals, oldest first."""
        return undecided_results(current(self._drafts).values())

    @property
    def waiting(self) -> tuple[Draft, ...]:
        """Of every cell the proposal that it is about, where nobody has decided on it; oldest first."""
        return tuple(draft for draft in current(self._drafts).values() if not draft.decided)

    @property
    def undecided(self) -> frozenset[str]:
        """The new cells that nobody has accepted."""
        return frozenset(one.cell_id for one in self.current if one.kind == "insert" and one.state not in DECIDED)

    def draft(self, cell_id: str) -> Draft | None:
        """The current proposal of a cell; None where there is none."""
        return current(self._of_cell(cell_id)).get(cell_id)

    def of_turn(self, turn_id: str) -> list[Draft]:
        return [draft for draft in self._drafts if draft.turn_id == turn_id]

    @property
    def of_last_turn(self) -> list[Draft]:
        """The proposals of the last turn that proposed any, oldest first."""
        return self.of_turn(self._drafts[-1].turn_id) if self._drafts else []

    @property
    def undecided_of_last_turn(self) -> frozenset[str]:
        """The new cells of the last turn that proposed any, where nobody has decided on them."""
        return frozenset(one.cell_id for one in self.of_last_turn if one.kind == "insert" and not one.decided)

    def states(self, turn_id: str) -> dict[str, ProposalState]:
        """The states of a turn's proposals, by cell."""
        return {draft.cell_id: draft.state for draft in self.of_turn(turn_id)}

    def put(self, draft: Draft) -> list[Event]:
        """Add a new proposal. Undecided edits of the same cell are rejected."""
        waiting = [
            one for one in self._of_cell(draft.cell_id) if one.kind == "edit" and one.state in ("ready", "blocked")
        ]
        self._drafts.append(draft)
        return [event for one in waiting for event in self._decide(one, "rejected")]

    def restore(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Add proposals of an earlier kernel, but none for a cell that has a newer proposal. Returns those that were added."""
        known = {draft.cell_id for draft in self._drafts}
        fresh = [draft for draft in drafts if draft.cell_id not in known]
        self._drafts += fresh  # as clients have them, which hear of them now
        return fresh

    def remove(self, draft: Draft) -> None:
        self._drafts = [one for one in self._drafts if one is not draft]

    def forget(self, turn_ids: Collection[str]) -> set[str]:
        """Remove the proposals of those turns in which all are decided. Returns the ids of these turns."""
        gone = set(turn_ids) - {draft.turn_id for draft in self._drafts if not draft.decided}
        self._drafts = [draft for draft in self._drafts if draft.turn_id not in gone]
        cells = {draft.cell_id for draft in self._drafts}
        self._held = {cell_id: text for cell_id, text in self._held.items() if cell_id in cells}
        self._gone = {cell_id: states for cell_id, states in self._gone.items() if cell_id in cells}
        return gone

    def receive_command(
        self, command: Accept | Reject | Run | Revert | CellEdited, *, keep: Callable[[str], str]
    ) -> list[Event]:
        """Apply a decision of the user. ``keep`` turns code as it was written into the code that a person keeps.

        Raises :class:`~spark_jupyter.exceptions.SessionError` where it does not fit.
        """
        match command:
            case Accept():
                return self._accept(command, keep)
            case Run():
                return self._run(command, keep)
            case Reject():
                draft = self._open(command.cell_id, "reject")
                return self._decide(draft, "rejected", held=command.written, by=command.by)
            case Revert():
                return self._revert(command)
            case CellEdited():
                return self._apply_manual_edit(command)

    def to_try(self, command: Try) -> Draft:
        """The code proposal that a Try is for. A blocked one may be tried: a copy confines it."""
        draft = self._known(command.cell_id)
        if draft.cell_type != "code":
            raise SessionError("Only code can be tried.", remedy="Accept the Markdown cell to see it rendered.")
        return draft

    def add_findings(self, cell_id: str, findings: Sequence[Finding]) -> list[Event]:
        """Add findings to a proposal that is whole. A blocking one moves it from ready to blocked."""
        draft = self._known(cell_id)
        if not draft.add_findings(findings):
            return []
        found = Findings(turn_id=draft.turn_id, cell_id=cell_id, findings=draft.grouped_findings, may_run=draft.may_run)
        events: list[Event] = [found]
        if draft.state == "ready" and draft.blocked:
            draft.state = "blocked"
            events.append(ProposalChanged(proposal=draft.proposal()))
        return events

    def end_race(self, turn_id: str, *, none_passed: bool) -> list[Event]:
        """Mark a turn's proposals as the answer of a race in which an attempt or none has passed."""
        drafts = [draft for draft in self.of_turn(turn_id) if draft.none_passed != none_passed]
        for draft in drafts:
            draft.none_passed = none_passed
        return [ProposalChanged(proposal=draft.proposal()) for draft in drafts]

    def end_inspection(self, cell_id: str, source: str) -> list[Event]:
        """End the inspection of ``source``. A draft that has another text by now stays under inspection."""
        draft = self.draft(cell_id)
        if draft is None or not draft.inspecting or draft.source != source:
            return []
        draft.inspecting = False
        return [] if draft.decided else [ProposalChanged(proposal=draft.proposal())]

    def receive_trial(self, result: TrialResult) -> list[Event]:
        draft = self.draft(result.cell_id)
        if draft is not None:
            draft.tried = result.source_hash or draft.tried
            draft.trying = False
            before = (draft.may_run, draft.surprises)
            draft.failed = bool(result.error) and not result.refused
            draft.surprises = result.surprises if result.source_hash == content_hash(draft.source) else ()
            if draft.fixes:
                result = structs.replace(result, summary=verdict(result, base=draft.base, source=draft.source))
            draft.trial = result
            evict(self._drafts)
            if (draft.may_run, draft.surprises) != before:
                return [result, ProposalChanged(proposal=draft.proposal())]
        return [result]

    def mark_trying(self, draft: Draft, *, on: bool) -> list[Event]:
        """Mark a draft as being tried, or as no longer being tried."""
        if draft.trying == on:
            return []
        draft.trying = on
        return [ProposalChanged(proposal=draft.proposal())]

    def _of_cell(self, cell_id: str) -> list[Draft]:
        return [draft for draft in self._drafts if draft.cell_id == cell_id]

    def _known(self, cell_id: str, turn_id: str | None = None) -> Draft:
        of_turn = [draft for draft in self._of_cell(cell_id) if draft.turn_id == turn_id]
        draft = self.draft(cell_id) if turn_id is None else next(iter(of_turn), None)
        if draft is None:
            raise SessionError(f"There is no proposal for cell {cell_id}.")
        return draft

    def _open(self, cell_id: str, verb: str, turn_id: str | None = None) -> Draft:
        draft = self._known(cell_id, turn_id)
        if draft.state == "streaming":
            raise SessionError(
                f"The proposal is still being written, so it can't be {verb}ed yet.", remedy="Wait, or cancel the turn."
            )
        if draft.decided:
            raise SessionError(f"The proposal was {draft.state} already.")
        return draft

    def _accept(self, command: Accept, keep: Callable[[str], str]) -> list[Event]:
        draft = self._open(command.cell_id, "accept", command.turn_id)
        is_as_written = command.source in (None, draft.source) and command.hunks is None
        if draft.may_accept == "when-confirmed" and is_as_written and not command.confirmed:
            raise SessionError(
                "This cell does not parse, so it was not accepted.",
                remedy="Accept it a second time to confirm (%spark accept N --yes), or steer it.",
            )
        if command.source is not None:
            draft.source = command.source
        elif command.hunks is not None:
            draft.source = accept_hunks(draft.base, draft.source, command.hunks)
        if draft.kind == "edit" and command.before is not None:
            draft.base = command.before
        draft.state, draft.decided_by = "accepted", command.by
        earlier = self._accept_earlier(draft)
        accepted = ProposalChanged(proposal=draft.proposal(), held=command.written)
        kept = keep(draft.source) if draft.cell_type == "code" else draft.source
        if kept == draft.source:
            return [*earlier, accepted]
        draft.source = kept
        change = ReplaceSource(cell_id=draft.cell_id, source=kept)
        changed = CellsChanged(turn_id=draft.turn_id, changes=(change,))
        return [*earlier, changed, ProposalChanged(proposal=draft.proposal())]

    def _accept_earlier(self, draft: Draft) -> list[Event]:
        """Accept the undecided proposals of the same cell before this one, on which it is made."""
        self._held.pop(draft.cell_id, None)
        of_cell = self._of_cell(draft.cell_id)
        waiting = [one for one in of_cell[: of_cell.index(draft)] if one.state in ("ready", "blocked")]
        for one in waiting:
            one.source = draft.base
        return [event for one in waiting for event in self._decide(one, "accepted", held=True)]

    def _decide(
        self, draft: Draft, state: ProposalState, *, held: bool = False, by: Person | None = None
    ) -> list[Event]:
        draft.state, draft.decided_by = state, by
        return [ProposalChanged(proposal=draft.proposal(), held=held)]

    def _run(self, command: Run, keep: Callable[[str], str]) -> list[Event]:
        draft = self._known(command.cell_id)
        if draft.runs_nothing:
            raise SessionError(
                "It is proposed to delete or move that cell, not to run it.", remedy="Accept or reject it."
            )
        if draft.may_run == "when-confirmed" and not command.confirmed:
            reasons = " ".join(finding.message for finding in draft.findings if finding.blocks)
            raise SessionError(f"A finding blocks this cell: {reasons}", remedy="Run it again to confirm, or steer it.")
        events: list[Event] = []
        if draft.state != "accepted":
            events = self._accept(Accept(cell_id=command.cell_id, confirmed=True, by=command.by), keep)
        return [*events, RunRequested(turn_id=draft.turn_id, cell_id=draft.cell_id)]

    def _revert(self, command: Revert) -> list[Event]:
        drafts = [draft for draft in self.of_turn(command.turn_id) if draft.state not in TAKEN_BACK]
        if not drafts:
            raise SessionError("The turn has nothing to take back.")
        if any(draft.state == "streaming" for draft in drafts):
            raise SessionError("The turn is still being written.", remedy="Cancel it first.")
        reasons = {draft.cell_id: self._why_it_stays(draft) for draft in drafts}
        free = [draft for draft in reversed(drafts) if not reasons[draft.cell_id]]
        events = [event for draft in free for event in self._take_back(draft, command.by)]
        left = list(dict.fromkeys(reason for reason in reasons.values() if reason))
        if left and not events:
            raise SessionError(left[0])
        return [*events, *(Problem(code="changed_meanwhile", message=reason) for reason in left)]

    def _why_it_stays(self, draft: Draft) -> str:
        """Why an accepted proposal can't be taken back; empty where it can."""
        later = self._later(draft)
        if any(one.state in ("accepted", "streaming") for one in later):
            return "A later turn has changed a cell of that turn, so it was left as it is. Revert the later turn first."
        held = self._held.get(draft.cell_id, draft.source) if draft.operation is None else draft.source
        if draft.state == "accepted" and held != draft.source:
            return "A cell of that turn was changed after it was accepted, so it was left as it is."
        return ""

    def _take_back(self, draft: Draft, by: Person | None) -> list[Event]:
        """Revert or reject a draft, with undecided later proposals for the same cell."""
        self._held.pop(draft.cell_id, None)
        waiting = [one for one in self._later(draft) if not one.decided]
        events = [event for one in reversed(waiting) for event in self._decide(one, "rejected")]
        return [*events, *self._decide(draft, "reverted" if draft.state == "accepted" else "rejected", by=by)]

    def _later(self, draft: Draft) -> list[Draft]:
        """Later proposals for the same cell. A text and a place do not depend on each other."""
        of_cell = self._of_cell(draft.cell_id)
        later = of_cell[of_cell.index(draft) + 1 :]
        return later if draft.kind == "insert" else [one for one in later if one.does("move") == draft.does("move")]

    def _apply_manual_edit(self, command: CellEdited) -> list[Event]:
        """Follow a change that the user made to a cell, so that proposals and Undo agree with it."""
        cell_id, text = command.cell_id, command.source
        drafts = [draft for draft in self._of_cell(cell_id) if draft.state != "streaming"]
        if text is None:
            if cell_id not in self._gone:
                self._gone[cell_id] = {draft.turn_id: draft.state for draft in drafts}
            decisions = decided_by_deletion(drafts)
        else:
            self._held[cell_id] = text
            returned = decided_by_return(drafts, self._gone.pop(cell_id, {}), text)
            has_texts = any(draft.operation is None for draft, _ in returned)
            decisions = [*returned, *([] if has_texts else decided_by_text(drafts, text))]
            if command.moved is not None:
                decisions += decided_by_place(drafts, command.turn_id, moved=command.moved)
        return [event for draft, state in decisions for event in self._decide(draft, state, held=True)]


# --- Bounded cache of trial results for undecided proposals ---
# A client that attaches later, such as a reloaded page, is shown them.
MOST_CHARACTERS = 4_000_000
"""Limit for all outputs kept, pictures in base64 included. The youngest proposals keep theirs."""


def undecided_results(drafts: Iterable[Draft]) -> tuple[TrialResult, ...]:
    """The results of the drafts that wait for a decision, oldest first. Pass one draft for each cell."""
    return tuple(draft.trial for draft in drafts if draft.trial is not None and not draft.decided)


def evict(drafts: Iterable[Draft]) -> None:
    """Drop the results of decided drafts, and the outputs of the oldest others beyond :data:`MOST_CHARACTERS`.

    Effects and summary of a result stay.
    """
    room = MOST_CHARACTERS
    for draft in reversed(list(drafts)):
        if draft.trial is None:
            continue
        room -= _characters(draft.trial)
        if draft.decided:
            draft.trial = None
        elif room < 0:
            draft.trial = structs.replace(draft.trial, outputs=())


def _characters(result: TrialResult) -> int:
    return sum(len(output.text) + sum(map(len, output.data.values())) for output in result.outputs)
