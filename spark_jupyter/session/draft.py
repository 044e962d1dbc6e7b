"""A Draft: what a turn has written for one cell so far, and the watches that read along. Pure.

Text only ever goes to the end of a draft or replaces it, so the parts are kept in a list and joined when asked for:
the cost of a token does not grow with the cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from spark_jupyter.prompting.answer_decoder import DraftCell
from spark_jupyter.prompting.conversation import Block
from spark_jupyter.protocol.values import (
    DECIDED,
    Aside,
    CellType,
    Finding,
    MayAccept,
    MayRun,
    Proposal,
    ProposalKind,
    ProposalState,
    Surprise,
)
from spark_jupyter.session.finding_groups import grouped, said_once

if TYPE_CHECKING:
    from spark_jupyter.guardrail import Context
    from spark_jupyter.protocol.trial_messages import TrialResult


MOST_FINDINGS = 100
"""Of one cell: nobody reads more, and each event tells all of them."""


class Watch(Protocol):
    """Reads a source as it is written: the guardrail's Scanner, the reality check's Checker."""

    def feed(self, text: str) -> list[Finding]:
        """Findings on what ``text`` completes."""
        ...

    def flush(self) -> list[Finding]:
        """Findings on what was not complete when the text ended."""
        ...


WatchFactory = Callable[[Sequence[str]], Watch]
"""Makes a watch for a code cell; gets the sources of the turn's code cells before it."""


class Draft:
    """What a turn proposes for one cell, growing. A machine; :meth:`proposal` gives its frozen value."""

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
    ) -> None:
        self.cell_id = cell_id
        self.turn_id = turn_id
        self.kind: ProposalKind = kind
        self.cell_type: CellType = cell_type
        self.base = base
        self.agreed = agreed  # the base, where a person wrote or accepted it
        self.state: ProposalState = "streaming"
        self.findings: tuple[Finding, ...] = ()
        self.tried: str | None = None
        self.inspecting = False
        self.trying = False
        self.trial: TrialResult | None = None  # what a copy showed last
        self.failed = False  # in a copy, as it stands
        self.surprises: tuple[Surprise, ...] = ()  # what it did there that is to be known first
        self.fixes = False  # an error: whether it runs now is the question
        self.unfinished = ""  # what is missing where the writing was stopped
        self.none_passed = False  # of the attempts that raced: it is the best of the failed ones
        self.reused = False  # a new cell that is written into one of the user's, which was empty
        self._after = after
        self._parts: list[str] = []
        self._asides: tuple[Aside, ...] | None = None

    @property
    def source(self) -> str:
        """All that is written so far."""
        if len(self._parts) != 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0]

    @source.setter
    def source(self, source: str) -> None:
        self._parts = [source]
        self._untried()
        self.unfinished = ""

    def append(self, text: str) -> None:
        """Write on."""
        self._parts.append(text)
        self._untried()

    def _untried(self) -> None:
        """What a copy showed, and what was told aside, was of another text."""
        self.failed, self.surprises, self._asides = False, (), None

    def take(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Take in what was found, as far as there is room for it; where nothing blocks yet there is for one that does. Returns what is
        new. What both judges say is said once, whichever of them comes first."""
        told = said_once((*self.findings, *self._news_in(findings)), self.source)
        fresh = tuple(finding for finding in told if finding not in self.findings)
        self.findings = tuple(finding for finding in told if finding in self.findings) + fresh
        return fresh

    def _news_in(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        fresh = [finding for finding in findings if finding not in self.findings and not self._said(finding)]
        room = max(0, MOST_FINDINGS - len(self.findings))
        first_block = [] if self.blocked else [finding for finding in fresh[room:] if finding.blocks][:1]
        return (*fresh[:room], *first_block)

    def _said(self, finding: Finding) -> bool:
        """Whether another judge has said the same of this line: what the reality check foresees, a copy then raises."""
        return any(
            (one.rule, one.line) == (finding.rule, finding.line)
            and one.origin != finding.origin
            and one.blocks >= finding.blocks
            for one in self.findings
        )

    @property
    def decided(self) -> bool:
        """Whether the user has said what becomes of it."""
        return self.state in DECIDED

    @property
    def undecided(self) -> ProposalState:
        """How it stands when it is whole and nobody has decided on it."""
        return "blocked" if self.blocked else "ready"

    @property
    def blocked(self) -> bool:
        """Whether a finding stands between this proposal and Run."""
        return any(finding.blocks for finding in self.findings)

    @property
    def may_run(self) -> MayRun:
        """What it takes to run this proposal. All fronts go by this; none decides it again."""
        if self.blocked:
            return "when-confirmed"
        doubtful = self.none_passed or self.failed or self.unfinished or self.surprises
        return "when-asked" if doubtful else "freely"

    @property
    def told(self) -> tuple[Finding, ...]:
        """The findings, each once with all its lines."""
        return grouped(self.findings)

    @property
    def may_accept(self) -> MayAccept:
        """What it takes to keep this proposal, for all fronts too."""
        from spark_jupyter.guardrail.syntax_check import RULE  # off the path of %load_ext

        unparsed = any(finding.blocks and finding.rule == RULE for finding in self.findings)
        return "when-confirmed" if unparsed else "freely"

    @property
    def asides(self) -> tuple[Aside, ...]:
        """What is to be known of it that is no finding. Of a text that still grows nothing is said."""
        if self.cell_type != "code" or self.state == "streaming":
            return ()
        if self._asides is None:
            from spark_jupyter.guardrail import asides  # off the path of %load_ext

            self._asides = asides(self.source)
        return self._asides

    def value(self) -> DraftCell:
        """What an answer that goes on from here must know."""
        return DraftCell(
            cell_id=self.cell_id,
            kind=self.kind,
            cell_type=self.cell_type,
            base=self.base,
            source=self.source,
            whole_line=self.state != "streaming" or self.source.endswith("\n"),
        )

    def block(self) -> Block:
        """The part of the answer that it is."""
        return Block(
            cell_id=self.cell_id,
            source=self.source,
            kind=self.kind,
            cell_type=self.cell_type,
            base=self.base,
            after=self._after,
            open=self.state == "streaming",
        )

    def proposal(self) -> Proposal:
        """The frozen value."""
        return Proposal(
            cell_id=self.cell_id,
            turn_id=self.turn_id,
            kind=self.kind,
            state=self.state,
            cell_type=self.cell_type,
            base=self.base,
            source=self.source,
            findings=self.told,
            tried=self.tried,
            inspecting=self.inspecting,
            trying=self.trying,
            may_run=self.may_run,
            unfinished=self.unfinished,
            may_accept=self.may_accept,
            surprises=self.surprises,
            asides=self.asides,
        )


class CellWatch:
    """The guardrail and, where there is a kernel to ask, the reality check on one code cell that a model writes. Of what it allows
    itself nothing counts but what a person allowed in its ``base``."""

    def __init__(self, context: Context, others: Sequence[Watch], *, base: str) -> None:
        from spark_jupyter.guardrail import (
            Scanner,  # its rules take a third of %load_ext; the engine's thread loads them
        )

        self._scanner = Scanner(context, base=base)
        self._others = others

    def feed(self, text: str) -> list[Finding]:
        """Findings on every logical line and statement that ``text`` completes."""
        findings = self._scanner.feed(text)
        for watch in self._others:
            findings += watch.feed(text)
        return findings

    def flush(self, *, unfinished: bool = False) -> list[Finding]:
        """Findings on the rest, at the end of the cell. Of an ``unfinished`` line nobody knows which name it was to be: only the
        guardrail looks at it, because it may be run as it stands."""
        findings = self._scanner.flush()
        for watch in self._others if not unfinished else ():
            findings += watch.flush()
        return findings

    @property
    def context(self) -> Context:
        """What the guardrail knows after this cell."""
        return self._scanner.context
