"""Steps of a deep work: written, tried, kept or left out.

:mod:`spark_jupyter.session.deep.deep_work` says when; the outcome is an :class:`~spark_jupyter.session.deep.phases.Input` of its table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spark_jupyter.prompting.conversation import Answer
from spark_jupyter.protocol.deep_messages import DeepStep
from spark_jupyter.protocol.prompt_offers import is_refusal
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.answer_checks import Check, checks_for
from spark_jupyter.session.answer_trials import AnswerTrial, EndTry, TryAnswer
from spark_jupyter.session.deep import plan as plans
from spark_jupyter.session.deep.deep_requests import DeepRequests
from spark_jupyter.session.deep.draft_notebook import DraftNotebook
from spark_jupyter.session.deep.phases import Input
from spark_jupyter.session.deep.step_attempt import StepAttempt
from spark_jupyter.session.deep.work_status import WorkStatus
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.trial_failures import failure_for_model, failure_reason
from spark_jupyter.source.abridged_text import shortened

ROUNDS = 4
"""Rounds of one step before it is left out. More seldom help, and cost as much."""
LONGEST_NOTE = 240
"""Characters of a model's notes, or of an error, in the log."""


class Steps:
    """The steps of one work on the user's ``cells``. The ``fast_model`` may write ``lanes`` steps at once."""

    def __init__(
        self,
        shared: SharedState,
        status: WorkStatus,
        requests: DeepRequests,
        *,
        cells: Sequence[NotebookCell],
        fast_model: str,
        lanes: int,
    ) -> None:
        self.cells = tuple(cells)
        self.answers = StepAnswers()
        self.trials = StepTrials(shared, status)
        self._shared = shared
        self._status = status
        self._requests = requests
        self._fast_model = fast_model
        self._most_parallel = lanes
        self._attempts: list[StepAttempt] = []
        self._surprise_log = SurpriseLog()

    # --- state -------------------------------------------------------------------------------------------------------

    def notebook(self, attempt: StepAttempt | None = None) -> DraftNotebook:
        """The notebook with the kept answers, and with that of an attempt."""
        notebook = self.answers.apply_to(DraftNotebook(self.cells, self._status.work.target))
        if attempt is not None:
            notebook.apply(attempt.written.answer)
        return notebook

    def attempt_of(self, owner: DeepOwner) -> StepAttempt | None:
        """The attempt that owns a job or trial; None where it is over."""
        return next((one for one in self._attempts if one.owner == owner), None)

    @property
    def has_attempts(self) -> bool:
        return bool(self._attempts)

    @property
    def all_handled(self) -> bool:
        """True if the ends of all open attempts were handled."""
        return all(one.is_handled for one in self._attempts)

    @property
    def unchecked(self) -> bool:
        """True if there are checks of the whole that did not run with all kept answers."""
        return not self.answers.checked and bool(self.trials.checks_of(self.notebook().code))

    # --- writing -----------------------------------------------------------------------------------------------------

    def write_next(self, at: float) -> bool:
        """Begin the next step, or several that the fast model may write in parallel. Returns False where none is left."""
        batch = self._status.next_steps(self._most_parallel)
        fast = len(batch) > 1
        if fast:
            self._status.note(f"{len(batch)} steps are written at once by {self._fast_model or 'the fast model'}.")
        status = self._status
        self._attempts = [
            self._requests.first_attempt(status.work, status.steps, index, self.notebook(), fast=fast)
            for index in batch
        ]
        for attempt in tuple(self._attempts):
            status.change_step(attempt.owner.step, state="writing", rounds=1)
            attempt.generation.ask(at)
        return bool(batch)

    def write_again(self, at: float) -> None:
        """Write the first attempt once more, with the reason why it did not pass."""
        attempt = self._attempts[0]
        self._requests.next_round(attempt, self._status.work)
        self._status.change_step(attempt.owner.step, state="writing", rounds=self._rounds(attempt) + 1)
        attempt.generation.ask(at)

    def log_corrections(self, attempt: StepAttempt) -> None:
        for finding in attempt.generation.corrected:
            self._note(f"Cut and corrected: {finding.message} [{finding.rule}]", attempt)

    def judge(self) -> Input:
        """Judge the first attempt before it runs."""
        attempt = self._attempts[0]
        notes = attempt.written.notes
        if not attempt.proposals:
            said = f"It wrote no cell. {notes}".strip()
            return self._failed(attempt, said, "No cell was written.", final=is_refusal(notes))
        if attempt.blocked:
            return self._failed(attempt, f"It is blocked: {attempt.blocked}", f"A check blocks it: {attempt.blocked}")
        return Input.WRITTEN if self.notebook(attempt).code else Input.PASSED

    # --- trying ------------------------------------------------------------------------------------------------------

    def try_first(self) -> None:
        """Run all kept cells with the first attempt's; with the last step also the checks of the whole."""
        attempt = self._attempts[0]
        last = len(self._attempts) == 1 and not any(step.state == "to-do" for step in self._status.steps)
        self._status.change_step(attempt.owner.step, state="trying")
        self.trials.begin(attempt.owner, self.notebook(attempt), checked=last)

    def end_try(self, owner: DeepOwner, trial: AnswerTrial) -> Input | None:
        """Handle the trial of an attempt. Returns None where the attempt is over."""
        attempt = self._attempts[0] if self._attempts else None
        if attempt is None or attempt.owner != owner:
            return None
        notebook = self.notebook(attempt)
        verdict = self.trials.receive(trial, notebook)
        attempt.reason, attempt.results = verdict.reason, verdict.results
        news = self._surprise_log.news(verdict.surprised)
        if verdict.reason:
            return self._failed(attempt, verdict.reason, "\n".join(filter(None, [verdict.feedback, news])))
        ran = len(notebook.code)
        self._note(f"It ran in a copy ({ran} cell{'s' * (ran > 1)}).", attempt)
        return self._surprised(attempt, verdict, news) if news else Input.PASSED

    def check_all(self) -> None:
        """Run all kept cells with the checks of the whole."""
        owner = self._requests.owner(self._status.work, len(self._status.steps))
        self.trials.begin_final_check(owner, self.notebook())

    def end_check(self, trial: AnswerTrial) -> None:
        reason = self.trials.receive(trial, self.notebook()).reason
        self.answers.judge(passed=not reason)
        self._status.note(reason or "Its checks pass.")
        if reason:
            self._status.add_undone(shortened(reason, LONGEST_NOTE))

    def _surprised(self, attempt: StepAttempt, verdict: TrialVerdict, news: str) -> Input:
        """Let the model think once more; its answer stays until it has a better one."""
        self._note(f"Surprise: {for_a_person(verdict.results)}", attempt)
        if attempt.first_running is not None or self._rounds(attempt) >= ROUNDS:
            return Input.PASSED
        attempt.first_running, attempt.feedback = attempt.written, news
        return Input.AGAIN

    def _failed(self, attempt: StepAttempt, reason: str, feedback: str, *, final: bool = False) -> Input:
        """``final``: another round would not help."""
        attempt.reason, attempt.feedback = shortened(reason, LONGEST_NOTE), feedback
        self._note(attempt.reason, attempt)
        if not final and self._rounds(attempt) < ROUNDS:
            return Input.AGAIN
        if attempt.first_running is None:
            return Input.FAILED
        attempt.restore_first()
        self._note("Its earlier cells ran, so they are kept.", attempt)
        return Input.PASSED

    # --- keeping -----------------------------------------------------------------------------------------------------

    def keep(self) -> None:
        """Keep the answer of the first attempt; its step is done."""
        attempt = self._attempts.pop(0)
        self.answers.keep(attempt, checked=bool(self.trials.checks))
        self._status.change_step(attempt.owner.step, state="done", cells=attempt.written.cells)
        if notes := attempt.written.notes:
            self._note(f"It says: {shortened(notes, LONGEST_NOTE)}", attempt)

    def leave_out(self) -> None:
        """Keep the first attempt where its cells ran, even if a check of the whole fails; otherwise leave its step out."""
        attempt = self._attempts[0]
        step = attempt.owner.step
        self._status.add_undone(f"Step {step + 1} ({self._status.steps[step].text}): {attempt.reason}")
        if attempt.results:
            self.keep()
        else:
            self._attempts.pop(0)
            self._status.change_step(step, state="left-out")

    def rewind(self, edited: Sequence[DeepStep]) -> None:
        """Take over the ``edited`` plan. Answers from the first step that differs on are dropped."""
        steps = self._status.steps = list(plans.changed(self._status.steps, edited))
        same = next((index for index, step in enumerate(steps) if step.state == "to-do"), len(steps))
        self.answers.rewind(same)
        self._status.change(undone=())

    def stop(self, at: float) -> None:
        self.trials.stop()
        for attempt in self._attempts:
            step = attempt.owner.step
            if not attempt.generation.ended:
                attempt.generation.cancel(at)
                attempt.drain()
            if self._status.steps[step].state == "trying":
                self._shared.actions.append(EndTry(owner=attempt.owner))
            if self._status.steps[step].state in ("writing", "trying"):
                self._status.change_step(step, state="to-do")
        self._attempts = []

    # --- inside ------------------------------------------------------------------------------------------------------

    def _rounds(self, attempt: StepAttempt) -> int:
        return self._status.steps[attempt.owner.step].rounds

    def _note(self, text: str, attempt: StepAttempt) -> None:
        self._status.note(text, attempt.owner.step + 1)


# --- Surprises of a deep work that its model was told ---
# A surprise is no failure: the task may want it. So the model is told of each surprise once, and thinks about a step once more at most; its
# first answer counts where it finds nothing better. A person sees every surprise beside its cell.
class SurpriseLog:
    """The surprises of one work that its model was told."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    def news(self, surprised: Iterable[tuple[str, Sequence[str]]]) -> str:
        """The sentences that the model was not told yet, as one text; empty where there are none."""
        new = [(cell_id, said) for cell_id, each in surprised for said in each if (cell_id, said) not in self._known]
        self._known.update(new)
        return "\n".join(f"Cell {cell_id}: {said}" for cell_id, said in new)


def for_a_person(results: Iterable[TrialResult]) -> str:
    """All surprises of these results in one line, for a person: they speak of the user's data."""
    return " ".join(dict.fromkeys(one.message for result in results for one in result.surprises))


# --- Accepted answers of a deep work's steps, with their last results ---
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


# --- Trials of a deep work's cells in a copy of the kernel ---
# All cells that the work has written run in the order of the notebook. Where it changes cells that have run, the copy begins at the
# checkpoint from before the first of them, and later cells run there, too (:mod:`spark_jupyter.sandbox.starting_state`). Each cell goes
# along with the id of the cell that it stands for.
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
