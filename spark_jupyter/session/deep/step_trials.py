"""What a deep work runs in a copy of the kernel, and what that showed. Pure.

All that it has written runs in the order of the notebook. Where it changes cells that have run, the copy begins as the kernel was before
the first of them, where that is kept, and the cells that ran since run there, too
(:mod:`spark_jupyter.sandbox.starting_state`): so each goes along to the Try with the cell that it stands for.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session import trial_failures as failures
from spark_jupyter.session.answer_checks import Check, checks_for
from spark_jupyter.session.answer_trials import AnswerTrial, EndTry, TryAnswer
from spark_jupyter.session.deep.draft_notebook import DraftNotebook
from spark_jupyter.session.deep.work_status import WorkStatus
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.live_turn import SharedState

SECONDS_OF_A_TRY = 60.0
"""Nobody waits for it, so that it may take longer than a Try that a person asks for."""


class TrialVerdict:
    """What one Try showed. ``reason`` is why it did not pass, as a person is told, ``told`` as a model is; both are empty where it did.
    ``results`` is what each cell showed where all of them ran, whatever the checks said; ``surprised`` has for each what a model may
    know of its surprises."""

    def __init__(self, trial: AnswerTrial, checks: Sequence[Check], cells: Sequence[NotebookCell]) -> None:
        self.reason = failures.reason(trial, checks)
        names, sources = [cell.id for cell in cells], [cell.source for cell in cells]
        self.told = failures.told(trial, checks, sources, names=names) if self.reason else ""
        ran = len(trial.results) == len(cells) and not any(one.error or one.problem for one in trial.results)
        self.results: tuple[TrialResult, ...] = trial.results if ran else ()
        self.surprised = tuple(zip(names, trial.surprised, strict=False)) if ran else ()


class StepTrials:
    """The Tries of one work."""

    def __init__(self, shared: SharedState, standing: WorkStatus) -> None:
        self.checks: tuple[Check, ...] = ()
        """Those of the last Try."""
        self.from_checkpoint = False
        """Whether the last copy began as the kernel was before a cell that it changes."""
        self._shared = shared
        self._standing = standing
        self._of_all: DeepOwner | None = None
        self._began = ""
        self._unheld = ""

    def begin(self, owner: DeepOwner, bench: DraftNotebook, *, checked: bool) -> None:
        """Run what stands on the bench in a copy, and where it is to be ``checked`` the checks behind it. A credential that was kept from
        the model is kept from the copy."""
        cells = bench.code
        self.checks = self.checks_of(cells) if checked else ()
        self._shared.actions.append(
            TryAnswer(
                owner=owner,
                cells=tuple(self._shared.dialogue.cover(cell.source) for cell in cells),
                ids=tuple(cell.id for cell in cells),
                notebook=bench.notebook,
                checks=tuple(check.source for check in self.checks),
                seconds=SECONDS_OF_A_TRY,
                apart=True,
            )
        )

    def begin_of_all(self, owner: DeepOwner, bench: DraftNotebook) -> None:
        """Run all that was kept, with the checks of the whole."""
        self._of_all = owner
        self.begin(owner, bench, checked=True)

    def is_of_all(self, owner: DeepOwner) -> bool:
        """Whether this is the Try of the whole that is under way."""
        return self._of_all == owner

    def receive(self, trial: AnswerTrial, cells: Sequence[NotebookCell]) -> TrialVerdict:
        """What the last Try showed of these cells. From where its copy began is said when that is news."""
        self._of_all = None
        self.from_checkpoint = trial.from_checkpoint
        if trial.began and trial.began != self._began:
            self._standing.note(trial.began)
        self._began = trial.began
        unheld = next((result.unenforced for result in trial.results if result.unenforced), "")
        if unheld and not self._unheld:
            self._standing.note(unheld)
        self._unheld = self._unheld or unheld
        return TrialVerdict(trial, self.checks, cells)

    def stop(self) -> None:
        """The Try of the whole is not wanted any more."""
        if self._of_all is not None:
            self._shared.actions.append(EndTry(owner=self._of_all))
            self._of_all = None

    def checks_of(self, cells: Sequence[NotebookCell]) -> tuple[Check, ...]:
        """What these cells must pass in the end."""
        if not cells:
            return ()
        work = self._standing.work
        return checks_for(given=work.checks, prompt=work.prompt, cells=[cell.source for cell in cells])
