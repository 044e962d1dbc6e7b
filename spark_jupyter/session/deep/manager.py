"""Manager of a session's deep works.

One work runs at a time. One that ends with something to propose becomes a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.prompting.plan_prompts import handed_up
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.deep_messages import (
    MOST_WORKS,
    OVER,
    BeginDeep,
    DeepBudget,
    DeepChanged,
    DeepCommand,
    DeepGear,
    DeepWork,
    DirectDeep,
    EditPlan,
    RestoreDeep,
    SteerDeep,
)
from spark_jupyter.protocol.values import NotebookCell, Proposal, Turn
from spark_jupyter.session.answer_trials import AnswerTrial
from spark_jupyter.session.deep import plan as plans
from spark_jupyter.session.deep.budget_use import lower_budget, overnight_budget, sanitised_use
from spark_jupyter.session.deep.deep_work import Work, WorkSetup
from spark_jupyter.session.deep.phases import Phase
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.live_turn import LiveTurn
from spark_jupyter.session.race import Entry
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.turn_history import TurnHistory


class DeepManager:
    """The works of one session. ``history`` has its turns; ``runs`` says whether edits of a work are proven in a copy."""

    def __init__(self, shared: SharedState, history: TurnHistory, *, runs: Callable[[], bool]) -> None:
        self.gear = DeepGear()
        self._shared = shared
        self._history = history
        self._runs = runs
        self._works: dict[str, Work] = {}
        self._past: dict[str, DeepWork] = {}
        self._proposed: set[str] = set()

    @property
    def works(self) -> tuple[DeepWork, ...]:
        return (*self._past.values(), *(work.value for work in self._works.values()))[-MOST_WORKS:]

    def knows(self, work_id: str) -> bool:
        return work_id in self._works or work_id in self._past

    # --- commands and results ----------------------------------------------------------------------------------------

    def receive_command(
        self, command: DeepCommand, *, fast_model: str, at: float, surroundings: Surroundings | None = None
    ) -> None:
        """Handle a command. ``surroundings`` is what the kernel knows where a work begins or continues, and the skill that an instruction
        names; ``fast_model`` is the model of turns.

        Raises :class:`~spark_jupyter.exceptions.SessionError` where it does not fit.
        """
        match command:
            case BeginDeep():
                work = self._begin(command, fast_model, surroundings or Surroundings(), at)
            case RestoreDeep():
                self._restore(command, fast_model)
                return
            case SteerDeep(text=text, images=images):
                work = self._live(command.work_id)
                if not text.strip():
                    raise SessionError("The instruction is empty.", remedy="Say what should be different.")
                work.steer(text, at, images, skill=surroundings.skill if surroundings is not None else "")
            case EditPlan(steps=steps, checks=checks):
                work, new = self._live(command.work_id), plans.of_lines(steps, checks or ())
                if not new.steps:
                    raise SessionError("The plan has no step.", remedy="Write one step a line, or cancel it.")
                work.edit(new, None if checks is None else new.checks, at)
            case DirectDeep():
                work = self._live(command.work_id)
                self._direct(work, command, surroundings, at)
        self._after(work, at)

    def allow(self, budget: DeepBudget) -> None:
        """Set the default budget, also for a running work that has the default."""
        for work in self._works.values():
            if work.value.running and work.value.budget == self.gear.budget:
                work.allow(budget)
        self.gear = structs.replace(self.gear, budget=budget)

    def follow(self, owner: DeepOwner, *, at: float) -> None:
        self._feed(owner.work_id, lambda work: work.follow(owner, at=at), at)

    def receive_trial(self, owner: DeepOwner, trial: AnswerTrial, *, at: float) -> None:
        self._feed(owner.work_id, lambda work: work.receive_trial(owner, trial, at=at), at)

    def wake(self, work_id: str, *, at: float) -> None:
        self._feed(work_id, lambda work: work.wake(at), at)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _begin(self, command: BeginDeep, fast_model: str, surroundings: Surroundings, at: float) -> Work:
        """Begin a work, which may take over a turn of the ``fast_model``."""
        turn = self._handed(command.hands_up)
        if any(work.value.running for work in self._works.values()):
            raise SessionError("Deep work is under way.", remedy="Wait, pause it, or cancel it: %spark deep cancel")
        proposals = [draft.proposal() for draft in self._shared.store.of_turn(turn.id)] if turn is not None else []
        offered = self._shared.deep_offers.get(turn.id) if turn is not None else None
        text = command.text.strip() or (turn.prompt if turn is not None else "")
        if not text:
            raise SessionError("The task is empty.", remedy="Say what the deep work should do.")
        cells = _with_proposed(command.cells, proposals)
        mine = [one.cell_id for one in proposals if one.kind == "insert"]
        value = DeepWork(
            id=command.work_id,
            prompt=text,
            target=command.target,
            checks=command.checks,
            started_at=at,
            hands_up=command.hands_up,
            within=command.within,
        )
        usual = overnight_budget(self.gear.budget) if command.within else self.gear.budget
        gear = structs.replace(self.gear, budget=command.budget or usual)
        setup = WorkSetup(
            cells=cells,
            surroundings=surroundings,
            gear=gear,
            fast_model=fast_model,
            ask_first=command.ask_first,
            fast_answer=tuple(proposals),
            handed=handed_up(mine, offered.reason if offered is not None else "") if turn is not None else "",
            images=command.images,
        )
        work = Work(value, self._shared, setup)
        self._works[command.work_id] = work
        work.start(at)
        return work

    def _restore(self, command: RestoreDeep, fast_model: str) -> None:
        """Add works that a notebook has kept. Known ones stay as they are."""
        for value in command.works:
            if self.knows(value.id):
                continue
            if value.state in OVER:
                self._past[value.id] = value
                self._shared.events.append(DeepChanged(work=value))
            else:
                self._works[value.id] = self._restored(value, fast_model)
                self._shared.events.append(DeepChanged(work=self._works[value.id].value))

    def _handed(self, turn_id: str | None) -> Turn | None:
        """The turn that a work takes over; None where it takes over none."""
        turn = next((one for one in self._history.values if one.id == turn_id), None)
        if turn_id is not None and turn is None:
            raise SessionError(f"There is no turn {turn_id}.")
        if turn is not None and turn.outcome is None:
            raise SessionError("That turn is still streaming.", remedy="Wait until it has ended.")
        return turn

    def _direct(self, work: Work, command: DirectDeep, surroundings: Surroundings | None, at: float) -> None:
        if command.what == "pause":
            work.pause(at)
        elif command.what == "cancel":
            work.cancel(at)
        elif work.value.running:
            raise SessionError("It is already running.")
        elif any(other.value.running for other in self._works.values()):
            raise SessionError("Other deep work is under way.", remedy="Pause or cancel that one first.")
        else:
            work.go_on(at, command.cells, surroundings)

    def _restored(self, value: DeepWork, fast_model: str) -> Work:
        """A paused work with the kept plan. What its steps wrote went with the kernel."""
        done = sum(step.state == "done" for step in value.steps)
        wrote = f" What {done} step{'s' * (done > 1)} had written is lost, too." if done else ""
        lost = f"The kernel is gone, with every variable.{wrote} The plan is kept: it can go on from there."
        if value.within:
            lost += " Answers that the provider has by then are used."
        steps = tuple(structs.replace(step, state="to-do", rounds=0, cells=()) for step in value.steps)
        kept = structs.replace(sanitised_use(value), steps=steps, lost=lost, undone=(), reason="")
        own = overnight_budget(self.gear.budget) if value.within else self.gear.budget
        gear = structs.replace(self.gear, budget=lower_budget(value.budget, own))
        setup = WorkSetup(gear=gear, fast_model=fast_model)
        return Work(kept, self._shared, setup, phase=Phase.PAUSED)

    def _live(self, work_id: str) -> Work:
        work = self._works.get(work_id)
        if work is None:
            raise SessionError(f"There is no deep work {work_id}.")
        if work.over:
            raise SessionError("That deep work has ended.", remedy="Begin another: %spark deep PROMPT")
        return work

    def _feed(self, work_id: str, feed: Callable[[Work], None], at: float) -> None:
        work = self._works.get(work_id)
        if work is not None:
            feed(work)
            self._after(work, at)

    def _after(self, work: Work, at: float) -> None:
        """Propose a work that has ended well, once."""
        work_id = work.value.id
        if work.phase is Phase.PROPOSED and work_id not in self._proposed:
            self._proposed.add(work_id)
            turn = turn_of(work, self._shared, runs=self._runs())
            self._history.add(turn)
            turn.propose(entry_of(work, note_of(work.value)), at)


def _with_proposed(cells: Sequence[NotebookCell], proposals: Sequence[Proposal]) -> tuple[NotebookCell, ...]:
    """The notebook with the new cells that a fast turn proposes, where no client has inserted them."""
    known = {cell.id for cell in cells}
    missing = [one for one in proposals if one.kind == "insert" and one.cell_id not in known]
    return (*cells, *(NotebookCell(id=one.cell_id, cell_type=one.cell_type, source=one.source) for one in missing))


# --- Turn that proposes the result of a deep work ---
def turn_of(work: Work, shared: SharedState, *, runs: bool) -> LiveTurn:
    """The turn for a work's result. ``runs``: edits are proven at the checkpoint where the work's copy began."""
    value = work.value
    turn = Turn(
        id=value.id,
        prompt=value.prompt,
        model=value.model,
        started_at=value.started_at,
        target=value.target,
        withheld=shared.dialogue.redactor.withheld,
    )
    checkpoints = work.edited if work.from_checkpoint and runs else ()
    return LiveTurn.of(
        turn, work.prompt, work.conversation(), shared, mode="off", meter=work.meter, checkpoints=checkpoints
    )


def entry_of(work: Work, note: str) -> Entry:
    """The work's whole answer with the results of its last run."""
    notebook = work.notebook()
    return Entry(
        index=0,
        model=work.value.model,
        answer=notebook.answer(note),
        source="\n\n".join(cell.source for cell in notebook.code),
        passed=work.passed,
        results=work.results,
    )


def note_of(work: DeepWork) -> str:
    """The turn's notes (Markdown): what the work did, and what it could not do."""
    done = sum(step.state == "done" for step in work.steps)
    lines = [f"Deep work: {done} of {len(work.steps)} steps done, run in a copy."]
    if work.reason:
        lines.append(work.reason)
    if work.undone:
        lines.append("It could not do all of it:")
        lines.append("\n".join(f"- {one}" for one in work.undone))
    return "\n\n".join(lines)
