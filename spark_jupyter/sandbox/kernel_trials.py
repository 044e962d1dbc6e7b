"""Tries of one shell, each in a thread and a copy.

Asked for on the engine's loop, run by :mod:`spark_jupyter.sandbox.trial_thread`, reported as a TrialResult.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Permission
from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.copy import context_variables
from spark_jupyter.sandbox.copy_protocol import Execute, Limits, Said
from spark_jupyter.sandbox.frame_samples import sampled_names, sampling_source
from spark_jupyter.sandbox.result_builder import AnswerResultBuilder, ResultBuilder
from spark_jupyter.sandbox.scratch_folder import clear_leftovers
from spark_jupyter.sandbox.trial_thread import TrialThread
from spark_jupyter.sandbox.user_mentions import UserMentions
from spark_jupyter.sandbox.walls import enforced
from spark_jupyter.session.actions import ProveEdits, TryProposal
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer, TryBoth

if TYPE_CHECKING:
    from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
    from spark_jupyter.sandbox.checkpoints.moments import Kept
    from spark_jupyter.sandbox.checkpoints.moments import Run as CellRun
    from spark_jupyter.sandbox.forking import Origin
    from spark_jupyter.sandbox.proofs.proof_runner import ProofRun
    from spark_jupyter.sandbox.starting_state import StartingState

NOT_HERE = "This system can't copy a running process (it has no fork), so nothing can be tried here."
CUDA = "A CUDA context does not survive a fork, and this kernel has one, so nothing can be tried here."


_MOST_PROOFS = 8


def unavailable() -> str:
    """Why Try can't work in this process now, in one sentence; empty where it can."""
    if not hasattr(os, "fork"):
        return NOT_HERE
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is not None and cuda.is_initialized():
        return CUDA
    return ""


def no_rehearsal() -> str:
    """Why nothing is run in a copy here unless a person asks for it, in one sentence; empty where all walls hold."""
    return unavailable() or enforced().missing


async def _proved(proof_run: ProofRun) -> tuple[Proof | None, str]:
    """Result of a proof. Cancelling this ends its copies."""
    try:
        return await asyncio.to_thread(proof_run.run)
    except asyncio.CancelledError:
        proof_run.cancel()
        raise


class KernelTrials:
    """Tries proposals in copies of the process that this shell runs in."""

    def __init__(self, shell: Any, *, limits: Limits | None = None, checkpoints: Checkpoints | None = None) -> None:
        self._shell = shell
        self._limits = limits or Limits()
        self._checkpoints = checkpoints
        threading.Thread(target=clear_leftovers, name="spark-leftovers", daemon=True).start()
        self._proofs: OrderedDict[tuple[int, int, str, str], Proof] = OrderedDict()
        """The last ones, by the run that they begin before, the cells that have begun since, the old text and the new one."""
        self._running = 0
        self._still = 0
        self.named = UserMentions()
        """Paths in the user's own words, which a copy may read."""
        self.sample_rows = 0
        """Rows of each lazy frame that a cell is tried with; 0: all."""
        self.epoch = 0
        """Number of cells that the kernel has begun to run."""
        # Not pre_execute: a comm's message is announced by that too, and a Try may be asked for by one.
        shell.events.register("pre_run_cell", self._begins)
        shell.events.register("post_run_cell", self._ends)

    def close(self) -> None:
        self._shell.events.unregister("pre_run_cell", self._begins)
        self._shell.events.unregister("post_run_cell", self._ends)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """The cell that runs does nothing but wait for a Try within this block, so nothing moves."""
        self._still += 1
        try:
            yield
        finally:
            self._still -= 1

    @property
    def moving(self) -> bool:
        """True while the kernel runs a cell that may change the copied state."""
        return self._running > 0 and not self._still

    async def try_proposal(self, action: TryProposal) -> TrialResult:
        """Try it: an edit of a cell that has run from where that cell began, where that is kept, and beside the old text, unless that one
        failed. Where a cell above has run again, and it works with that alone, from the kernel as it is. Cancelling this ends the copies
        at once."""
        kept = self._before(action)
        if kept is not None and not kept.run.failed:
            result = await self._prove(action, kept)
        else:
            result = await self._run_edit(action, kept.checkpoint if kept is not None else None)
        if kept is not None and self._failed_for_age(kept, (result,)):
            now = await self._run_edit(action, None)
            result = result if now.error or now.problem else now
        return structs.replace(result, source_hash=action.source_hash)

    async def _run_edit(self, action: TryProposal, origin: Origin | None) -> TrialResult:
        return await self.run(
            action.source,
            turn_id=action.turn_id,
            cell_id=action.cell_id,
            allow=action.allow,
            limits=self._limits,
            origin=origin,
        )

    def _failed_for_age(self, kept: Kept, results: Sequence[TrialResult]) -> bool:
        """True if what failed may have done so because a cell that had run before has run again since, perhaps with another text."""
        failed = any(one.error and not one.refused for one in results)
        return failed and self._checkpoints is not None and self._checkpoints.log.again_since(kept.run)

    def _before(self, action: TryProposal) -> Kept | None:
        """The kernel as it was before the cell ran that is to be edited. What is allowed something runs once, and now."""
        if self._checkpoints is None or not action.base or action.allow:
            return None
        return self._checkpoints.before(action.cell_id, action.base)

    async def try_together(self, action: ProveEdits) -> tuple[TrialResult, ...]:
        """Try the edits of a turn as one, each with the same result; none where none of them can be. Cancelling this ends the copies."""
        from spark_jupyter.sandbox.proofs import refactoring_proof  # not needed before the first refactoring
        from spark_jupyter.sandbox.proofs.proof_runner import ProofRun

        assert self._checkpoints is not None  # or it would not be asked
        plan = refactoring_proof.plan(action, self._checkpoints)
        if isinstance(plan, str):
            return refactoring_proof.unproven(action, plan)
        proof_run = ProofRun(
            plan.kept,
            plan.old,
            plan.new,
            limits=self._limits,
            named=self.named.paths(),
            meant=refactoring_proof.meant(action),
            unclear=plan.unclear,
            took=plan.took,
        )
        try:
            proof, problem = await _proved(proof_run)
        except OSError as error:
            return refactoring_proof.untried(action, limit_sentences.not_copied(error))
        return (
            refactoring_proof.told(action, proof) if proof is not None else refactoring_proof.untried(action, problem)
        )

    def rerun(self, action: TryProposal) -> Proof:
        """Compare the cells below that read the changes of an edit, run after the old and the new text. Blocks.

        Raises :class:`~spark_jupyter.exceptions.SessionError` where that can't be told."""
        from spark_jupyter.sandbox.proofs.proof_runner import sources_below

        if not action.base.strip():
            raise SessionError("The proposal is a new cell, so no cell below depends on it yet.", remedy="%spark try")
        kept = self._before(action)
        if kept is None or self._checkpoints is None:
            raise SessionError("There is no checkpoint from before that cell ran.", remedy="Run the cell again.")
        runs = self._checkpoints.runs
        try:
            proof = self._proofs.get(self._key(kept, action))
            if proof is None:
                proof, problem = self._proof_run(kept, action, runs=runs).run()
            if proof is None:
                raise SessionError(
                    f"The edit can't be tried from its cell's checkpoint. {limit_sentences.sentence(problem)}".strip()
                )
            below = sources_below(runs, proof.below)
            if not below:
                return proof
            whole, problem = self._proof_run(kept, action, below=below).run()
        except OSError as error:
            raise SessionError(limit_sentences.sentence(limit_sentences.not_copied(error))) from error
        if whole is None:
            raise SessionError(
                f"The cells below can't be run after it in a copy. {limit_sentences.sentence(problem)}".strip()
            )
        return structs.replace(whole, below=proof.below)

    def _proof_run(
        self,
        kept: Kept,
        action: TryProposal,
        *,
        below: Sequence[str] = (),
        runs: Sequence[CellRun] = (),
        receive: Callable[[Said], None] | None = None,
    ) -> ProofRun:
        """The edit beside the text that it changes, both with the sources of the cells ``below``."""
        from spark_jupyter.sandbox.proofs.proof_runner import ProofRun  # not needed before the first proof

        old, new = [action.base, *below], [action.source, *below]
        return ProofRun(kept, old, new, limits=self._limits, named=self.named.paths(), receive=receive, runs=runs)

    async def _prove(self, action: TryProposal, kept: Kept) -> TrialResult:
        """The result of the new text, and how it differs from that of the old one."""
        from spark_jupyter.sandbox.proofs.proof_summary import trial_of_edit  # not needed before the first proof

        assert self._checkpoints is not None  # or nothing would be kept
        builder = ResultBuilder(
            turn_id=action.turn_id, cell_id=action.cell_id, source_hash=action.source_hash, moving=False
        )
        proof_run = self._proof_run(kept, action, runs=self._checkpoints.runs, receive=builder.receive)
        try:
            proof, problem = await _proved(proof_run)
        except OSError as error:
            return builder.result(limit_sentences.not_copied(error))
        result = builder.result(problem)
        if proof is None or result.problem:
            return result
        self._proofs[self._key(kept, action)] = proof
        while len(self._proofs) > _MOST_PROOFS:
            self._proofs.popitem(last=False)
        result = trial_of_edit(result, proof, known=self._shell.user_ns)
        surprises = () if proof.verdict == "same" else result.surprises  # what the cell did before surprises nobody
        return structs.replace(result, proof=proof, surprises=surprises, summary=f"{proof.summary} · {result.summary}")

    def _key(self, kept: Kept, action: TryProposal) -> tuple[int, int, str, str]:
        runs = self._checkpoints.runs if self._checkpoints is not None else ()
        return kept.run.number, runs[-1].number if runs else 0, action.base, action.source

    async def run(
        self,
        source: str,
        *,
        turn_id: str,
        cell_id: str,
        allow: tuple[Permission, ...] = (),
        limits: Limits | None = None,
        origin: Origin | None = None,
    ) -> TrialResult:
        """Run a source in a copy: of the kernel as it is, or of another ``origin``. What fails with a sample of lazy frames runs again
        with all rows: the sample may be why."""
        if reason := unavailable():
            return TrialResult(turn_id=turn_id, cell_id=cell_id, problem=reason, summary=reason)
        builder = partial(
            ResultBuilder,
            turn_id=turn_id,
            cell_id=cell_id,
            source_hash=content_hash(source),
            moving=self.moving and origin is None,
        )

        async def result_of(*sources: Execute) -> TrialResult:
            limit = limits or self._limits
            return await TrialThread(
                self._shell, list(sources), allow, limit, self.named, builder, origin=origin
            ).result()

        sampling = self.sample_rows > 0 and origin is None and not allow
        frames = sampled_names(source, self._shell.user_ns) if sampling else []
        if frames:
            ground = Execute(source=sampling_source(frames, self._shell.user_ns, self.sample_rows), ground=True)
            result = await result_of(ground, Execute(source=source))
            if not (result.error or result.problem or result.not_tried):
                said = f"with the first {self.sample_rows:,} rows of {', '.join(frames)} · {result.summary}"
                return structs.replace(result, summary=said, surprises=())  # a sample surprises by itself
        return await result_of(Execute(source=source))

    async def try_answer(self, action: TryAnswer) -> AnswerTrial:
        """Run the cells of an answer in one copy, then its checks: of the kernel as it was before the first of the cells that they change,
        where that is kept. Cancelling this ends the copy at once."""
        from spark_jupyter.sandbox.starting_state import (  # not needed before the first answer
            current_state,
            starting_state,
        )

        if reason := unavailable():
            return AnswerTrial(problem=reason)
        begins = starting_state(action, self._checkpoints)
        trial = await self._try_from(begins, action)
        if trial.broken is not None and trial.broken.refused:
            why = f"{trial.broken.cell_id}, which would run in between, does what no copy may, or takes too long."
            trial = await self._try_from(current_state(action, why), action)
        elif begins.kept is not None and self._failed_for_age(begins.kept, trial.results):
            now = await self._try_from(current_state(action, "a cell that had run before has run again since."), action)
            trial = trial if now.problem or any(one.error for one in now.results) else now
        return trial

    async def try_both(self, action: TryBoth) -> Sequence[AnswerTrial]:
        """Run two answers from the present moment, and compare them. Cancelling this ends the copies at once."""
        from spark_jupyter.sandbox.proofs.answer_comparison import AnswerComparison  # not needed before the first one

        if reason := unavailable():
            return [AnswerTrial(problem=reason)] * 2
        comparison = AnswerComparison(
            self._shell,
            action,
            self._cell_builder,
            checkpoints=self._checkpoints,
            limits=self._limits,
            named=self.named.paths(),
        )
        return await comparison.result()

    async def _try_from(self, begins: StartingState, action: TryAnswer) -> AnswerTrial:
        def builder() -> AnswerResultBuilder:
            cells = [self._cell_builder(action.owner.turn_id, source, begins.kept) for source in action.cells]
            return AnswerResultBuilder(cells, begins.sources)

        first = next((place for place, one in enumerate(begins.sources) if one.index is not None), 0)
        last = len(begins.sources) - 1
        sources = [
            Execute(
                source=one.text,
                number=place,
                needed=True,
                ground=place < first,
                apart=action.apart and first <= place < last,
            )
            for place, one in enumerate(begins.sources)
        ]
        sources += [Execute(source=check, number=last + 1, check=True) for check in action.checks]
        seconds = (action.seconds or self._limits.seconds) + 2 * begins.took
        origin = begins.kept.checkpoint if begins.kept is not None else None
        limits = structs.replace(self._limits, seconds=seconds)
        trial = await TrialThread(
            self._shell, sources, action.allow, limits, self.named, builder, origin=origin
        ).result()
        return structs.replace(trial, began=begins.said, from_checkpoint=origin is not None)

    def _cell_builder(self, turn_id: str, source: str, kept: Kept | None) -> ResultBuilder:
        moving = self.moving and kept is None
        return ResultBuilder(turn_id=turn_id, cell_id="", source_hash=content_hash(source), moving=moving)

    def settle(self, timeout: float) -> None:
        """Wait until nothing moves, at most ``timeout`` seconds. Without a lock, which a fork might find taken."""
        deadline = time.monotonic() + timeout
        while self.moving and time.monotonic() < deadline:
            time.sleep(0.002)

    def _begins(self, info: Any) -> None:
        self._running += 1
        self.epoch += 1
        self.named.say(getattr(info, "raw_cell", None) or "")

    def _ends(self, result: object) -> None:
        self._running = max(0, self._running - 1)
        context_variables.remember(self._shell)
