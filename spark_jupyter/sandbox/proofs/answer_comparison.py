"""Comparison of two answers, run in copies of the kernel from one moment."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from msgspec import structs

from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.checkpoints.checkpoint_process import Checkpoint
from spark_jupyter.sandbox.checkpoints.moments import Kept, Run
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.proofs.proof_runner import ProofRun
from spark_jupyter.sandbox.result_builder import AnswerResultBuilder, ResultBuilder
from spark_jupyter.sandbox.starting_state import Source
from spark_jupyter.sandbox.walls import ready
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer, TryBoth

NewCell = Callable[[str, str, None], ResultBuilder]
_NOW = Run(number=0, cell_id="", source="", began=0.0)


class AnswerComparison:
    """Runs both answers with their checks, and says how the second's results differ from the first's.

    ``new_cell`` makes the builder of the result of a source."""

    def __init__(
        self, shell: Any, action: TryBoth, new_cell: NewCell, *, limits: Limits, named: tuple[str, ...]
    ) -> None:
        self._shell = shell
        self._answers = action.answers
        self._limits = limits
        self._named = named
        self._builders = [_builder(one, partial(new_cell, one.owner.turn_id)) for one in action.answers]
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
        first, second = self._builders
        try:
            moment = Checkpoint(self._shell, ready(()), random.getstate())
        except OSError as error:
            return [one.result(limit_sentences.not_copied(error)) for one in self._builders]
        try:
            self._proof_run = proof_run = ProofRun(
                Kept(run=_NOW, checkpoint=moment),
                *((*one.cells, *one.checks) for one in self._answers),
                limits=self._limits,
                named=self._named,
                receive=second.receive,
                receive_old=first.receive,
            )
            if self._cancelled:
                proof_run.cancel()
            proof, _ = proof_run.run()
            problems = proof_run.problems
        except OSError as error:
            proof, problems = None, (limit_sentences.not_copied(error),) * 2
        finally:
            moment.end()
        trials = [one.result(problem) for one, problem in zip(self._builders, problems, strict=True)]
        return trials[0], structs.replace(trials[1], compared=proof)


def _builder(action: TryAnswer, new_cell: Callable[[str, None], ResultBuilder]) -> AnswerResultBuilder:
    sources = [Source(text, index) for index, text in enumerate(action.cells)]
    return AnswerResultBuilder([new_cell(text, None) for text in action.cells], sources)
