"""Draft of one cell: its growing text, findings and trial state.

Text only ever goes to the end of a draft or replaces it, so the parts are kept in a list and joined on demand: the cost of a token does
not grow with the cell.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.prompting.answer_items import CellOpened, DraftCell
from spark_jupyter.prompting.conversation import Block
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import (
    DECIDED,
    Aside,
    CellOperation,
    CellType,
    Finding,
    MayAccept,
    MayRun,
    OperationKind,
    Person,
    Proposal,
    ProposalKind,
    ProposalState,
    Surprise,
)
from spark_jupyter.session.finding_groups import grouped, merge_judges

MOST_FINDINGS = 100
"""Findings of one cell. Nobody reads more, and each event carries all of them."""


class Draft:
    """A turn's proposal for one cell while it changes; :meth:`proposal` gives its frozen value."""

    def __init__(
        self,
        *,
        cell_id: str,
        turn_id: str,
        kind: ProposalKind,
        cell_type: CellType,
        base: str,
        after: str | None = None,
        agreed: str = "",
        operation: CellOperation | None = None,
    ) -> None:
        self.cell_id = cell_id
        self.turn_id = turn_id
        self.kind: ProposalKind = kind
        self.cell_type: CellType = cell_type
        self.base = base
        self.agreed = agreed  # the part of base that a person wrote or accepted
        self.operation = operation
        self.state: ProposalState = "streaming"
        self.findings: tuple[Finding, ...] = ()
        self.tried: str | None = None
        self.inspecting = False
        self.trying = False
        self.trial: TrialResult | None = None  # the last result of a copy
        self.failed = False  # in a copy, with the present text
        self.surprises: tuple[Surprise, ...] = ()  # of the present text
        self.repairs = 0  # rewritten so often because it failed in a copy
        self.fixes = False  # an error: the Try answers whether it runs now
        self.unfinished = ""  # what is missing where writing was stopped, in a sentence
        self.none_passed = False  # no attempt of its race passed; this is the best one
        self.decided_by: Person | None = None
        self.reused = False  # a new cell written into an empty cell of the user's
        self._after = after
        self._parts: list[str] = []
        self._asides: tuple[Aside, ...] | None = None

    def does(self, kind: OperationKind) -> bool:
        """True if it does that with a cell instead of changing its text."""
        return self.operation is not None and self.operation.kind == kind

    @property
    def source(self) -> str:
        if len(self._parts) != 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0]

    @source.setter
    def source(self, source: str) -> None:
        self._parts = [source]
        self._forget_trial()
        self.unfinished = ""

    def append(self, text: str) -> None:
        self._parts.append(text)
        self._forget_trial()

    def _forget_trial(self) -> None:
        """Forget what was found out about an earlier text."""
        self.failed, self.surprises, self._asides = False, (), None

    def add_findings(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Add findings up to :data:`MOST_FINDINGS`, and the first one that blocks beyond it. Returns those that are new.

        What the guardrail and the reality check both say is kept once."""
        merged = merge_judges((*self.findings, *self._new_findings(findings)), self.source)
        fresh = tuple(finding for finding in merged if finding not in self.findings)
        self.findings = tuple(finding for finding in merged if finding in self.findings) + fresh
        return fresh

    def _new_findings(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        fresh = [finding for finding in findings if finding not in self.findings and not self._is_known(finding)]
        room = max(0, MOST_FINDINGS - len(self.findings))
        first_block = [] if self.blocked else [finding for finding in fresh[room:] if finding.blocks][:1]
        return (*fresh[:room], *first_block)

    def _is_known(self, finding: Finding) -> bool:
        """True if another judge has reported the same rule on this line: the reality check foresees what a copy then raises."""
        return any(
            (one.rule, one.line) == (finding.rule, finding.line)
            and one.origin != finding.origin
            and one.blocks >= finding.blocks
            for one in self.findings
        )

    @property
    def decided(self) -> bool:
        return self.state in DECIDED

    @property
    def undecided_state(self) -> ProposalState:
        """Its state while it is whole and undecided."""
        return "blocked" if self.blocked else "ready"

    @property
    def runs_nothing(self) -> bool:
        """True for a deletion or a move on which the user has not decided."""
        return self.operation is not None and self.operation.kind != "run" and not self.decided

    @property
    def blocked(self) -> bool:
        """True if a finding blocks it."""
        return any(finding.blocks for finding in self.findings)

    @property
    def may_run(self) -> MayRun:
        """Consent that running this proposal needs. All clients go by this."""
        if self.blocked:
            return "when-confirmed"
        doubtful = self.none_passed or self.failed or self.unfinished or self.surprises
        return "when-asked" if doubtful else "freely"

    @property
    def grouped_findings(self) -> tuple[Finding, ...]:
        """The findings, each once with all its lines."""
        return grouped(self.findings)

    @property
    def may_accept(self) -> MayAccept:
        """Consent that accepting this proposal needs. All clients go by this."""
        from spark_jupyter.guardrail.syntax_check import RULE  # off the path of %load_ext

        unparsed = any(finding.blocks and finding.rule == RULE for finding in self.findings)
        return "when-confirmed" if unparsed else "freely"

    @property
    def asides(self) -> tuple[Aside, ...]:
        """Remarks on a whole code cell that are no findings."""
        if self.cell_type != "code" or self.state == "streaming":
            return ()
        if self._asides is None:
            from spark_jupyter.guardrail import asides  # off the path of %load_ext

            self._asides = asides(self.source)
        return self._asides

    def value(self) -> DraftCell:
        """The state from which another answer continues."""
        return DraftCell(
            cell_id=self.cell_id,
            kind=self.kind,
            cell_type=self.cell_type,
            base=self.base,
            source=self.source,
            whole_line=self.state != "streaming" or self.source.endswith("\n"),
        )

    def block(self) -> Block:
        return Block(
            cell_id=self.cell_id,
            source=self.source,
            kind=self.kind,
            cell_type=self.cell_type,
            base=self.base,
            after=self._after,
            open=self.state == "streaming",
            operation=self.operation,
        )

    def proposal(self) -> Proposal:
        return Proposal(
            cell_id=self.cell_id,
            turn_id=self.turn_id,
            kind=self.kind,
            state=self.state,
            cell_type=self.cell_type,
            base=self.base,
            source=self.source,
            findings=self.grouped_findings,
            tried=self.tried,
            inspecting=self.inspecting,
            trying=self.trying,
            may_run=self.may_run,
            unfinished=self.unfinished,
            may_accept=self.may_accept,
            surprises=self.surprises,
            asides=self.asides,
            repairs=self.repairs,
            decided_by=self.decided_by,
            operation=self.operation,
        )


def open_draft(item: CellOpened, turn_id: str, *, earlier: Draft | None) -> Draft:
    """The draft of a cell that an answer begins; ``earlier`` is the proposal for the same cell, if there is one.

    What a person wrote or accepted of its text is agreed: nothing while the cell is itself an undecided proposal, or where an agent asks
    to run it, as that is not what the person agreed to."""
    is_undecided = earlier is not None and not earlier.decided and not earlier.agreed
    runs = item.operation is not None and item.operation.kind == "run"
    return Draft(
        cell_id=item.cell_id,
        turn_id=turn_id,
        kind=item.kind,
        cell_type=item.cell_type,
        base=item.base,
        after=item.after,
        agreed="" if is_undecided or runs else item.base,
        operation=item.operation,
    )
