"""A step of a deep work that is being written, or waits to be tried. Pure."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.prompting.conversation import Answer
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Proposal
from spark_jupyter.session.generation import Generation
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.proposal_store import ProposalStore


class Written(Struct, frozen=True, kw_only=True):
    """What a step has written: the answer, what it says beside its cells, those, and what each cell showed where all of it ran."""

    answer: Answer
    notes: str
    cells: tuple[str, ...]
    results: tuple[TrialResult, ...] = ()


class StepAttempt:
    """A step under way. ``seen``: its end was taken in. ``results`` is what each cell showed where all of it ran, whatever its checks said;
    ``reason`` why it did not pass, ``told`` what the model is told of that."""

    def __init__(self, owner: DeepOwner, answering: Generation, store: ProposalStore) -> None:
        self.owner = owner
        self.answering = answering
        self.seen = False
        self.reason = ""
        self.told = ""
        self.results: tuple[TrialResult, ...] = ()
        self.ran: Written | None = None
        """What it wrote first, where that ran well and only surprised."""
        self._store = store
        self._back: Written | None = None

    @property
    def written(self) -> Written:
        """What it has written."""
        if self._back is not None:
            return self._back
        writing = self.answering.writing
        cells = tuple(proposal.cell_id for proposal in self.proposals)
        return Written(answer=writing.answer(), notes=writing.notes.strip(), cells=cells, results=self.results)

    @property
    def proposals(self) -> list[Proposal]:
        """The cells that it has written."""
        return [proposal for proposal in self._store.proposals if proposal.source.strip()]

    @property
    def blocked(self) -> str:
        """What the guardrail and the reality check say against it, in our own words."""
        found = [finding for proposal in self.proposals for finding in proposal.findings if finding.blocks]
        return "; ".join(f"line {finding.line}: {finding.message} {finding.remedy}".rstrip() for finding in found)

    def drain(self) -> None:
        """What a step would show and have inspected stays with it."""
        self.answering.events_to_send()
        self.answering.actions_to_take()

    def go_back(self) -> None:
        """What it wrote first counts after all."""
        assert self.ran is not None  # who asks has looked
        self._back, self.results, self.reason = self.ran, self.ran.results, ""
