"""The proposals of a session and what becomes of them. Pure.

``streaming`` → ``ready`` or ``blocked`` → ``accepted`` or ``rejected``; a reverted turn takes its accepted proposals to ``rejected``.
A rejected proposal leaves the notebook as it was: an inserted cell goes, an edited cell has its ``base`` again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs

from spark_jupyter.core.drafts import Draft
from spark_jupyter.core.tries import verdict
from spark_jupyter.exceptions import SessionError
from spark_jupyter.wire.messages import (
    Accept,
    CellsChanged,
    Event,
    Finding,
    Findings,
    Proposal,
    ProposalChanged,
    Reject,
    ReplaceSource,
    Revert,
    Run,
    RunRequested,
    TrialResult,
    Try,
)
from spark_jupyter.wire.notebook import accept_hunks


class Ledger:
    """Every proposal by the id of its cell; a newer proposal for a cell takes the older one's place."""

    def __init__(self) -> None:
        self._drafts: dict[str, Draft] = {}

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """All of them, oldest first."""
        return tuple(draft.proposal() for draft in self._drafts.values())

    def draft(self, cell_id: str) -> Draft | None:
        """The proposal for a cell, where there is one."""
        return self._drafts.get(cell_id)

    def of_turn(self, turn_id: str) -> list[Draft]:
        """A turn's proposals in the order in which they were begun."""
        return [draft for draft in self._drafts.values() if draft.turn_id == turn_id]

    def put(self, draft: Draft) -> None:
        """Take in a new proposal."""
        self._drafts.pop(draft.cell_id, None)
        self._drafts[draft.cell_id] = draft

    def remove(self, cell_id: str) -> None:
        """Forget a proposal that its own turn took back."""
        self._drafts.pop(cell_id, None)

    def receive_command(self, command: Accept | Reject | Run | Revert, *, keep: Callable[[str], str]) -> list[Event]:
        """Do what the user decided; ``keep`` makes of code that was written the code that a person keeps.

        Raises :class:`~spark_jupyter.exceptions.SessionError` where it does not fit.
        """
        match command:
            case Accept():
                return self._accept(command, keep)
            case Run():
                return self._run(command, keep)
            case Reject():
                return self._reject(self._open(command.cell_id, "reject"))
            case Revert():
                return self._revert(command.turn_id)

    def to_try(self, command: Try) -> Draft:
        """The proposal that a Try means; code only. A blocked one may be tried: a copy refuses what it would do."""
        draft = self._known(command.cell_id)
        if draft.cell_type != "code":
            raise SessionError("Only code can be tried.", remedy="Accept the Markdown cell to see it rendered.")
        return draft

    def add_findings(self, cell_id: str, findings: Sequence[Finding]) -> list[Event]:
        """More findings on a proposal that is no longer written. A blocking one takes it from ready to blocked."""
        draft = self._drafts[cell_id]
        fresh = draft.news_in(findings)
        if not fresh:
            return []
        draft.findings += fresh
        found = Findings(turn_id=draft.turn_id, cell_id=cell_id, findings=draft.told, may_run=draft.may_run)
        events: list[Event] = [found]
        if draft.state == "ready" and draft.blocked:
            draft.state = "blocked"
            events.append(ProposalChanged(proposal=draft.proposal()))
        return events

    def end_race(self, turn_id: str, *, none_passed: bool) -> list[Event]:
        """What a turn proposes is an attempt's answer: it has passed, or is the best of those that have not."""
        drafts = [draft for draft in self.of_turn(turn_id) if draft.none_passed != none_passed]
        for draft in drafts:
            draft.none_passed = none_passed
        return [ProposalChanged(proposal=draft.proposal()) for draft in drafts]

    def end_inspection(self, cell_id: str, source: str) -> list[Event]:
        """The slower checks have looked at ``source``. Where the draft holds another one by now, that one's inspection goes on."""
        draft = self._drafts.get(cell_id)
        if draft is None or not draft.inspecting or draft.source != source:
            return []
        draft.inspecting = False
        return [] if draft.state in ("accepted", "rejected") else [ProposalChanged(proposal=draft.proposal())]

    def receive_trial(self, result: TrialResult) -> list[Event]:
        """A Try has ended: the proposal remembers which source was tried."""
        draft = self._drafts.get(result.cell_id)
        if draft is not None:
            draft.tried = result.source_hash or draft.tried
            draft.trying = False
            before, draft.failed = draft.may_run, bool(result.error) and not result.refused
            if draft.fixes:
                result = structs.replace(result, summary=verdict(result, base=draft.base, source=draft.source))
            if draft.may_run != before:
                return [result, ProposalChanged(proposal=draft.proposal())]
        return [result]

    def begin_trial(self, draft: Draft) -> list[Event]:
        """A Try of it has been asked for."""
        draft.trying = True
        return [ProposalChanged(proposal=draft.proposal())]

    def _known(self, cell_id: str) -> Draft:
        draft = self._drafts.get(cell_id)
        if draft is None:
            raise SessionError(f"There is no proposal for cell {cell_id}.")
        return draft

    def _open(self, cell_id: str, verb: str) -> Draft:
        draft = self._known(cell_id)
        if draft.state == "streaming":
            raise SessionError(
                f"The proposal is still being written, so it can't be {verb}ed yet.", remedy="Wait, or cancel the turn."
            )
        if draft.state in ("accepted", "rejected"):
            raise SessionError(f"The proposal was {draft.state} already.")
        return draft

    def _accept(self, command: Accept, keep: Callable[[str], str]) -> list[Event]:
        draft = self._open(command.cell_id, "accept")
        if command.source is not None:
            draft.source = command.source
        elif command.hunks is not None:
            draft.source = accept_hunks(draft.base, draft.source, command.hunks)
        draft.state = "accepted"
        accepted = ProposalChanged(proposal=draft.proposal())
        kept = keep(draft.source) if draft.cell_type == "code" else draft.source
        if kept == draft.source:
            return [accepted]
        draft.source = kept
        change = ReplaceSource(cell_id=draft.cell_id, source=kept)
        return [CellsChanged(turn_id=draft.turn_id, changes=(change,)), ProposalChanged(proposal=draft.proposal())]

    def _reject(self, draft: Draft) -> list[Event]:
        draft.state = "rejected"
        return [ProposalChanged(proposal=draft.proposal())]

    def _run(self, command: Run, keep: Callable[[str], str]) -> list[Event]:
        draft = self._known(command.cell_id)
        if draft.may_run == "when-confirmed" and not command.confirmed:
            reasons = " ".join(finding.message for finding in draft.findings if finding.blocks)
            raise SessionError(f"A finding blocks this cell: {reasons}", remedy="Run it again to confirm, or steer it.")
        events: list[Event] = []
        if draft.state != "accepted":
            events = self._accept(Accept(cell_id=command.cell_id), keep)
        return [*events, RunRequested(turn_id=draft.turn_id, cell_id=draft.cell_id)]

    def _revert(self, turn_id: str) -> list[Event]:
        drafts = [draft for draft in self.of_turn(turn_id) if draft.state != "rejected"]
        if not drafts:
            raise SessionError(f"Turn {turn_id} has nothing to take back.")
        if any(draft.state == "streaming" for draft in drafts):
            raise SessionError("The turn is still being written.", remedy="Cancel it first.")
        return [event for draft in reversed(drafts) for event in self._reject(draft)]
