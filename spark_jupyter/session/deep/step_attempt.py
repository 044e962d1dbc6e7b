"""Attempt at one step of a deep work."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.prompting.conversation import Answer
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Proposal
from spark_jupyter.session.generation import Generation
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.proposal_store import ProposalStore


class Written(Struct, frozen=True, kw_only=True):
    """Written answer of a step with its notes and cells, and the result of each cell where all of them ran."""

    answer: Answer
    notes: str
    cells: tuple[str, ...]
    results: tuple[TrialResult, ...] = ()


class StepAttempt:
    """A step under way.

    ``is_handled``: the end of its generation was handled. ``results`` are the cells' results where all of them ran. ``reason`` is why it
    did not pass, ``feedback`` what the model is told of that."""

    def __init__(self, owner: DeepOwner, generation: Generation, store: ProposalStore) -> None:
        self.owner = owner
        self.generation = generation
        self.is_handled = False
        self.reason = ""
        self.feedback = ""
        self.results: tuple[TrialResult, ...] = ()
        self.first_running: Written | None = None
        """Its first answer, where that ran and only surprised."""
        self._store = store
        self._restored: Written | None = None

    @property
    def written(self) -> Written:
        if self._restored is not None:
            return self._restored
        writer = self.generation.writer
        cells = tuple(proposal.cell_id for proposal in self.proposals)
        return Written(answer=writer.answer(), notes=writer.notes.strip(), cells=cells, results=self.results)

    @property
    def proposals(self) -> list[Proposal]:
        return [proposal for proposal in self._store.proposals if proposal.source.strip()]

    @property
    def blocked(self) -> str:
        """The blocking findings, in our own words."""
        found = [finding for proposal in self.proposals for finding in proposal.findings if finding.blocks]
        return "; ".join(f"line {finding.line}: {finding.message} {finding.remedy}".rstrip() for finding in found)

    def drain(self) -> None:
        self.generation.events_to_send()
        self.generation.actions_to_take()

    def restore_first(self) -> None:
        """Return to its first answer, which ran."""
        assert self.first_running is not None  # the caller has checked
        self._restored, self.results, self.reason = self.first_running, self.first_running.results, ""
