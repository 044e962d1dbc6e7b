"""Idle-time search for a better text of a cell that has run.

Each candidate runs beside the old text, both from where the cell began, at the lowest priority. It counts only where it is clearly better
(at least twice as fast, shorter, or with fewer warnings) and proven the same, or the same up to the rounding of numbers; an offer says so.
Whether a rule or a model made the candidate does not matter here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Literal

from msgspec import Struct

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.refinement_messages import Refined
from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.checkpoints.moments import Kept, Run
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.proofs.outcome_diff import IntendedChanges, named_in
from spark_jupyter.sandbox.proofs.proof_runner import ProofRun
from spark_jupyter.sandbox.proofs.proof_summary import summary_of, times_of
from spark_jupyter.session.proof_request import bound_in
from spark_jupyter.source.ipython_lines import asks_spark

SLOW = 0.2
"""Seconds from which on a cell is worth it."""
_TIMES = 2.0
"""So many times faster is clearly better."""
_NO_SLOWER = 2.0
"""Largest acceptable slowdown, besides one second, of a text that is better otherwise: at the lowest priority a busy machine lets one of
them wait."""
_LONGEST = 60.0
"""Seconds: a cell that took longer is not run again twice behind somebody's back."""
MOST_KNOWN = 50
"""Cells of which a better text is kept; the youngest."""


Gain = Literal["faster", "shorter", "quieter"]
"""``quieter``: it gives less warnings."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A possible new text of a whole cell, with a title of the change and the expected gain."""

    source: str
    words: str
    gain: Gain = "faster"


class Better(Struct, frozen=True, kw_only=True):
    """A better text for a cell. ``digits``: see :class:`Refined`."""

    cell_id: str
    base: str
    source: str
    words: str
    digits: int = 0

    @property
    def event(self) -> Refined:
        """As the front ends are told."""
        return Refined(cell_id=self.cell_id, source_hash=content_hash(self.base), words=self.words, digits=self.digits)


class RefinementSearch:
    """Of one kernel. :meth:`first` blocks, in a thread; the rest may be called from any. ``reads`` says which names a cell reads before
    it binds them."""

    def __init__(
        self,
        checkpoints: Checkpoints,
        *,
        named: Callable[[], tuple[str, ...]],
        reads: Callable[[str], Collection[str]] = named_in,
    ) -> None:
        self._checkpoints = checkpoints
        self._named = named
        self._reads = reads
        self._tried: set[str] = set()
        self._found: dict[str, Better] = {}
        self._proof_run: ProofRun | None = None
        self._stopped = False

    def for_cell(self, cell_id: str, source: str) -> Better | None:
        """Better text for the current text of a cell."""
        found = self._found.get(cell_id)
        return found if found is not None and found.base.strip() == source.strip() else None

    @property
    def stopped(self) -> bool:
        """True if the user has continued since the last :meth:`next`."""
        return self._stopped

    def stop(self) -> None:
        """The user goes on: end what runs; it is looked at another time."""
        self._stopped = True
        if (proof_run := self._proof_run) is not None:
            proof_run.cancel()

    def next(self) -> Kept | None:
        """A cell that may be worth a look: it has ended well, and began in a state that is kept. The newest first."""
        self._stopped = False
        for kept in reversed(self._checkpoints.kept):
            run = kept.run
            short = run.seconds is not None and run.seconds <= _LONGEST
            if short and not run.failed and run.source not in self._tried and not asks_spark(run.source):
                return kept
        return None

    def first(self, kept: Kept, candidates: Iterable[Candidate]) -> Better | None:
        """The first candidate that is proven. Blocks."""
        for candidate in candidates:
            if self._stopped:
                return None
            proof = self._proof(kept, candidate)
            if proof is not None and _is_better(proof, candidate.gain, kept.run):
                said = summary_of(proof).partition(" · ")[2] or (times_of(proof) if candidate.gain == "faster" else "")
                found = Better(
                    cell_id=kept.run.cell_id,
                    base=kept.run.source,
                    source=candidate.source,
                    words=": ".join(filter(None, [candidate.words, said])),
                    digits=proof.digits,
                )
                self._found[found.cell_id] = found
                while len(self._found) > MOST_KNOWN:
                    self._found.pop(next(iter(self._found)))
                return found
        return None

    def done_with(self, kept: Kept) -> None:
        """It was looked at, unless it was :meth:`stop`\\ ped."""
        if not self._stopped:
            self._tried.add(kept.run.source)

    def _proof(self, kept: Kept, candidate: Candidate) -> Proof | None:
        gone = bound_in([kept.run.source]) - bound_in([candidate.source])
        elsewhere = (set(self._reads(run.source)) for run in self._checkpoints.runs if run.cell_id != kept.run.cell_id)
        if gone & frozenset().union(*elsewhere):
            return None
        self._proof_run = ProofRun(
            kept,
            [kept.run.source],
            [candidate.source],
            limits=Limits(),
            named=self._named(),
            meant=IntendedChanges(gone=gone),
            background=True,
        )
        if self._stopped:  # while it was made
            self._proof_run.cancel()
        try:
            return self._proof_run.run()[0]
        except OSError:  # no copy can be made: another time, perhaps
            return None
        finally:
            self._proof_run = None


def is_slow(run: Run) -> bool:
    """True if a faster text would be worthwhile."""
    return run.seconds is not None and run.seconds >= SLOW


def _is_better(proof: Proof, gain: Gain, run: Run) -> bool:
    if proof.verdict != "same" and (proof.unclear or not proof.digits):
        return False
    if gain == "faster":
        # The cell itself may have waited for a busy machine, in its copy or when it ran.
        return min(proof.seconds_before, run.seconds or 0.0) >= _TIMES * proof.seconds
    no_slower = proof.seconds <= _NO_SLOWER * proof.seconds_before + 1.0
    return no_slower and (gain == "shorter" or proof.warnings_less > 0)
