"""Comparison of two answers, run in copies of the kernel from one moment."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from msgspec import structs

from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.checkpoints.checkpoint_process import Checkpoint
from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.checkpoints.moments import Kept, Run
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.proofs.proof_runner import ProofRun
from spark_jupyter.sandbox.result_builder import AnswerResultBuilder, ResultBuilder, unenforced
from spark_jupyter.sandbox.starting_state import StartingState, current_state, starting_state
from spark_jupyter.sandbox.walls import ready
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer, TryBoth

NewCell = Callable[[str, str, Kept | None], ResultBuilder]
_NOW = Run(number=0, cell_id="", source="", began=0.0)


class AnswerComparison:
    """Runs both answers with their checks, and says how the second's results differ from the first's.

    Edits of cells that have run begin where those began, if both answers can. ``new_cell`` makes the builder of the result of a source."""

    def __init__(
        self,
        shell: Any,
        action: TryBoth,
        new_cell: NewCell,
        *,
        checkpoints: Checkpoints | None,
        limits: Limits,
        named: tuple[str, ...],
    ) -> None:
        self._shell = shell
        self._answers = action.answers
        self._checkpoints = checkpoints
        self._new_cell = new_cell
        self._limits = limits
        self._named = named
        self._proof_run: ProofRun | None = None
        self._cancelled = False

    async def result(self) -> Sequence[AnswerTrial]:
        """The trial of each. Cancelling this ends the copies at once."""
        pool = ThreadPoolExecutor(1, thread_name_prefix="spark-both")  # the copies die with the thread that forks
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, self._run)
        except asyncio.CancelledError:
            self._cancelled = True
            if self._proof_run is not None:
                self._proof_run.cancel()
            raise
        finally:
            pool.shutdown(wait=False)

    def _run(self) -> Sequence[AnswerTrial]:
        now = [current_state(one) for one in self._answers]
        begins = [starting_state(one, self._checkpoints) for one in self._answers]
        begins = now if begins[0].kept != begins[1].kept else begins
        trials = self._run_from(begins)
        if any(limit_sentences.WAITS in one.problem for one in trials):
            trials = self._run_from(begins)  # another thread may have held a lock in the moment of the fork
        return self._run_from(now) if self._failed_for_age(begins[0].kept, trials) else trials

    def _failed_for_age(self, kept: Kept | None, trials: Sequence[AnswerTrial]) -> bool:
        """True if what failed may have done so for where it began: a cell above has run again since, or one below can't run in a copy."""
        if kept is None or self._checkpoints is None:
            return False
        if any(one.broken is not None and one.broken.refused for one in trials):
            return True
        failed = any(result.error and not result.refused for one in trials for result in one.results)
        return failed and self._checkpoints.log.again_since(kept.run)

    def _run_from(self, begins: Sequence[StartingState]) -> Sequence[AnswerTrial]:
        first, second = builders = [self._builder(one, its) for one, its in zip(self._answers, begins, strict=True)]
        kept, made, proof = begins[0].kept, ready(()), None
        try:
            moment = Checkpoint(self._shell, made, random.getstate()) if kept is None else kept.checkpoint
            try:
                self._proof_run = proof_run = ProofRun(
                    kept or Kept(run=_NOW, checkpoint=moment),
                    *(
                        (*(source.text for source in its.sources), *one.checks)
                        for one, its in zip(self._answers, begins, strict=True)
                    ),
                    took=max(its.took for its in begins),
                    limits=self._limits,
                    named=self._named,
                    receive=second.receive,
                    receive_old=first.receive,
                )
                if self._cancelled:
                    proof_run.cancel()
                proof, _ = proof_run.run()
                problems = proof_run.problems
            finally:
                if kept is None:
                    moment.end()
        except OSError as error:
            problems = (limit_sentences.not_copied(error),) * 2
        trials = [
            unenforced(one.result(problem), made.walls.missing) for one, problem in zip(builders, problems, strict=True)
        ]
        return trials[0], structs.replace(trials[1], compared=proof)

    def _builder(self, action: TryAnswer, begins: StartingState) -> AnswerResultBuilder:
        cells = [self._new_cell(action.owner.turn_id, text, begins.kept) for text in action.cells]
        return AnswerResultBuilder(cells, begins.sources)
