"""What a deep work has kept of what it wrote, and what running all of that showed. Pure."""

from __future__ import annotations

from spark_jupyter.prompting.conversation import Answer
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.session.deep.draft_notebook import DraftNotebook
from spark_jupyter.session.deep.step_attempt import StepAttempt


class StepAnswers:
    """The answers of its steps. ``results`` is what the last run of all showed, ``passed`` whether that was as it should be, ``checked``
    whether the checks of the whole ran behind it."""

    def __init__(self) -> None:
        self.results: tuple[TrialResult, ...] = ()
        self.passed = False
        self.checked = False
        self._answers: dict[int, Answer] = {}

    def __bool__(self) -> bool:
        return bool(self._answers)

    def lay_on(self, bench: DraftNotebook) -> DraftNotebook:
        """The same bench, with all of it in the order of the steps."""
        for step in sorted(self._answers):
            bench.apply(self._answers[step])
        return bench

    def keep(self, lane: StepAttempt, *, checked: bool) -> None:
        """Keep what a lane has written; ``checked``: it ran with the checks of the whole."""
        self._answers[lane.owner.step] = lane.written.answer
        self.results, self.passed = lane.results or self.results, not lane.results or not lane.reason
        self.checked = bool(lane.results) and checked

    def judge(self, *, passed: bool) -> None:
        """The checks of the whole have run behind all of it."""
        self.checked, self.passed = True, passed

    def rewind(self, first: int) -> None:
        """Of this step and what comes behind it nothing is kept."""
        self._answers = {step: answer for step, answer in self._answers.items() if step < first}
