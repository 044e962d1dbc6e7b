"""Trials of a deep work's cells in a copy of the kernel.

All cells that the work has written run in the order of the notebook. Where it changes cells that have run, the copy begins at the
checkpoint from before the first of them, and later cells run there, too (:mod:`spark_jupyter.sandbox.starting_state`). Each cell goes
along with the id of the cell that it stands for.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.answer_checks import Check, checks_for
from spark_jupyter.session.answer_trials import AnswerTrial, EndTry, TryAnswer
from spark_jupyter.session.deep.draft_notebook import DraftNotebook
from spark_jupyter.session.deep.work_status import WorkStatus
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.trial_failures import failure_for_model, failure_reason

SECONDS_OF_A_TRY = 60.0
"""Limit of one trial. Nobody waits for it, so it may take longer than a Try that a person asks for."""


class TrialVerdict:
    """Verdict on one trial.

    ``reason`` is why it did not pass, for a person, and ``feedback`` the same for a model; both are empty where it passed. ``results`` are
    the results of the cells where all of them ran. ``surprised`` has for each what a model may know of its surprises."""

    def __init__(self, trial: AnswerTrial, checks: Sequence[Check], notebook: DraftNotebook) -> None:
        cells, unrun = notebook.code, notebook.unrun
        self.reason = failure_reason(trial, checks, unrun)
        names, sources = [cell.id for cell in cells], [cell.source for cell in cells]
        self.feedback = failure_for_model(trial, checks, sources, names=names, unrun=unrun) if self.reason else ""
        ran = len(trial.results) == len(cells) and not any(one.error or one.problem for one in trial.results)
        self.results: tuple[TrialResult, ...] = trial.results if ran else ()
        self.surprised = tuple(zip(names, trial.surprised, strict=False)) if ran else ()


class StepTrials:
    def __init__(self, shared: SharedState, status: WorkStatus) -> None:
        self.checks: tuple[Check, ...] = ()
        """The checks of the last trial."""
        self.from_checkpoint = False
        """True if the last copy began at a checkpoint from before a cell that it changes."""
        self._shared = shared
        self._status = status
        self._final: DeepOwner | None = None
        self._began = ""
        self._unenforced = ""

    def begin(self, owner: DeepOwner, notebook: DraftNotebook, *, checked: bool) -> None:
        """Run the notebook's changed code in a copy, and where ``checked`` the checks of the whole.

        Credentials that were withheld from the model are withheld from the copy."""
        cells = notebook.code
        self.checks = self.checks_of(cells) if checked else ()
        self._shared.actions.append(
            TryAnswer(
                owner=owner,
                cells=tuple(self._shared.dialogue.cover(cell.source) for cell in cells),
                ids=tuple(cell.id for cell in cells),
                notebook=notebook.layout,
                checks=tuple(check.source for check in self.checks),
                seconds=SECONDS_OF_A_TRY,
                apart=True,
            )
        )

    def begin_final_check(self, owner: DeepOwner, notebook: DraftNotebook) -> None:
        """Run all kept cells with the checks of the whole."""
        self._final = owner
        self.begin(owner, notebook, checked=True)

    def is_final_check(self, owner: DeepOwner) -> bool:
        """True if this owner is that of the final check under way."""
        return self._final == owner

    def receive(self, trial: AnswerTrial, notebook: DraftNotebook) -> TrialVerdict:
        """The verdict on the last trial of the notebook's changed code. Where its copy began is logged when that has changed."""
        self._final = None
        self.from_checkpoint = trial.from_checkpoint
        if trial.began and trial.began != self._began:
            self._status.note(trial.began)
        self._began = trial.began
        unenforced = next((result.unenforced for result in trial.results if result.unenforced), "")
        if unenforced and not self._unenforced:
            self._status.note(unenforced)
        self._unenforced = self._unenforced or unenforced
        return TrialVerdict(trial, self.checks, notebook)

    def stop(self) -> None:
        if self._final is not None:
            self._shared.actions.append(EndTry(owner=self._final))
            self._final = None

    def checks_of(self, cells: Sequence[NotebookCell]) -> tuple[Check, ...]:
        """The checks of the whole for these cells."""
        if not cells:
            return ()
        work = self._status.work
        return checks_for(given=work.checks, prompt=work.prompt, cells=[cell.source for cell in cells])
