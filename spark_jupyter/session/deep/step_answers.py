"""Accepted answers of a deep work's steps, with their last results."""

from __future__ import annotations

from spark_jupyter.prompting.conversation import Answer
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.session.deep.draft_notebook import DraftNotebook
from spark_jupyter.session.deep.step_attempt import StepAttempt


class StepAnswers:
    """The answers that a work has kept.

    ``results`` are those of the last run of all cells, ``passed`` whether it passed, ``checked`` whether the checks of the whole ran."""

    def __init__(self) -> None:
        self.results: tuple[TrialResult, ...] = ()
        self.passed = False
        self.checked = False
        self._answers: dict[int, Answer] = {}

    def __bool__(self) -> bool:
        return bool(self._answers)

    def apply_to(self, notebook: DraftNotebook) -> DraftNotebook:
        """Apply all answers to ``notebook``, in the order of the steps, and return it."""
        for step in sorted(self._answers):
            notebook.apply(self._answers[step])
        return notebook

    def keep(self, attempt: StepAttempt, *, checked: bool) -> None:
        """Keep an attempt's answer. ``checked``: it ran with the checks of the whole."""
        self._answers[attempt.owner.step] = attempt.written.answer
        self.results, self.passed = attempt.results or self.results, not attempt.results or not attempt.reason
        self.checked = bool(attempt.results) and checked

    def judge(self, *, passed: bool) -> None:
        """Record the result of the checks of the whole."""
        self.checked, self.passed = True, passed

    def rewind(self, first: int) -> None:
        """Drop the answers of step ``first`` and all later ones."""
        self._answers = {step: answer for step, answer in self._answers.items() if step < first}
