"""Race of several answers to a prompt: the first to pass is proposed.

Each attempt has its own :class:`~spark_jupyter.session.generation.Generation`, judged and corrected like any answer. Clients see only its
state (``AttemptChanged``). A whole, unblocked answer runs in one copy of the kernel, cell by cell, followed by its checks
(:class:`TryAnswer`). A failing attempt is told why and writes again, at most ``until_green`` times. Two that are compared do not race: both
are written to the end and tried from one moment (:class:`TryBoth`), and nothing is proposed before a person keeps one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct, structs

from spark_jupyter.exceptions import SparkError
from spark_jupyter.prompting import corrections
from spark_jupyter.prompting.conversation import Answer, Conversation
from spark_jupyter.protocol.messages import Event, Prompt
from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.proposal_messages import AttemptChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Attempts, Proposal, TurnId
from spark_jupyter.session.answer_checks import Check, checks_for
from spark_jupyter.session.answer_trials import AnswerTrial, EndTry, TryAnswer, TryBoth
from spark_jupyter.session.answer_writer import AnswerWriter
from spark_jupyter.session.edit_trial import notebook_layout
from spark_jupyter.session.generation import Assignment, Generation
from spark_jupyter.session.job_owners import AttemptOwner
from spark_jupyter.session.proposal_store import ProposalStore
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.transitions import Phase
from spark_jupyter.session.trial_failures import failure_for_model, failure_reason
from spark_jupyter.session.turn_meter import TurnMeter
from spark_jupyter.session.unrun_cells import unrun_by_number

State = Literal["streaming", "trying", "passed", "failed", "lost"]

TEMPERATURES = (None, 0.8, 0.4, 1.0, 0.6, 0.2, 0.9, 0.5)
"""Temperature of the n-th attempt with the same model; None leaves it to the provider."""

Begin = Callable[[AttemptOwner, ProposalStore, str, float | None], Generation]
"""Makes the generation of an attempt from its owner, the store for its proposals, the model and the temperature."""


def begin_race(
    prompt: Prompt,
    conversations: Sequence[Conversation],
    shared: SharedState,
    *,
    model: str,
    meter: TurnMeter,
    at: float,
) -> Race:
    """The race for a prompt. ``conversations``: the first is everybody's, but for the second attempt where there are two."""

    def begin(owner: AttemptOwner, store: ProposalStore, model: str, temperature: float | None) -> Generation:
        own = owner.index if owner.index < len(conversations) else 0
        plain = structs.replace(prompt, attempts=Attempts(), text=prompt.attempts.other if own else prompt.text)
        assignment = Assignment(
            prompt=plain, conversation=conversations[own], owner=owner, model=model, temperature=temperature
        )
        return Generation(assignment, AnswerWriter(plain, shared, store), meter, shared)

    return Race(prompt, model=model, begin=begin, meter=meter, at=at)


class Entry(Struct, frozen=True, kw_only=True):
    """Whole answer of an attempt with its trial results. ``source`` is its code."""

    index: int
    model: str
    answer: Answer
    source: str
    reason: str = ""
    passed: bool = False
    blocked: bool = False
    results: tuple[TrialResult, ...] = ()
    checks_passed: int = 0

    @property
    def rank(self) -> tuple[bool, bool, bool, int, int, int, int]:
        """Sort key, greater is better: passed, has code, is not blocked, passed more checks, ran further, came earlier."""
        ran = sum(not (result.error or result.problem) for result in self.results)
        line = next((result.error_line or 0 for result in self.results if result.error), 0)
        return (self.passed, bool(self.source), not self.blocked, self.checks_passed, ran, line, -self.index)


class Decision(Struct, frozen=True, kw_only=True):
    """Outcome of a race: the entry to propose, or the error for which there is none. Neither: a person keeps one."""

    entry: Entry | None = None
    reason: str = ""
    error: SparkError | None = None


class _Attempt:
    """One attempt over all of its rounds."""

    def __init__(self, owner: AttemptOwner, generation: Generation, store: ProposalStore) -> None:
        self.owner = owner
        self.generation = generation
        self.store = store
        self.state: State = "streaming"
        self.checks: tuple[Check, ...] = ()
        self.best: Entry | None = None
        self.compared: Proof | None = None

    @property
    def live(self) -> bool:
        return self.state in ("streaming", "trying")

    @property
    def model(self) -> str:
        return self.generation.model

    @property
    def proposals(self) -> list[Proposal]:
        return [proposal for proposal in self.store.proposals if proposal.source.strip()]

    @property
    def code(self) -> list[str]:
        return [proposal.source for proposal in self.proposals if proposal.cell_type == "code"]

    def entry(self, reason: str = "", **found: object) -> Entry:
        return Entry(
            index=self.owner.index,
            model=self.model,
            answer=self.generation.writer.answer(),
            source="\n\n".join(self.code),
            reason=reason,
            blocked=any(proposal.state == "blocked" for proposal in self.proposals),
            **found,  # type: ignore[arg-type]  # only fields of Entry are passed
        )

    def keep(self, entry: Entry) -> None:
        if self.best is None or entry.rank > self.best.rank:
            self.best = entry


class Race:
    """The attempts of one turn. ``model`` is asked where the prompt names none."""

    def __init__(self, prompt: Prompt, *, model: str, begin: Begin, meter: TurnMeter, at: float) -> None:
        self.decision: Decision | None = None
        self._turn_id: TurnId = prompt.turn_id
        self._prompt = prompt
        self._wish = prompt.attempts
        self._meter = meter
        self._events: dict[int, AttemptChanged] = {}
        self._sent: dict[int, AttemptChanged] = {}
        self._actions: list[TryAnswer | TryBoth | EndTry] = []
        self._attempts: list[_Attempt] = []
        models = _models(self._wish, model)
        for index, one in enumerate(models):
            owner, store = AttemptOwner(prompt.turn_id, index), ProposalStore()
            warmth = None if self._wish.compare else TEMPERATURES[models[:index].count(one)]
            generation = begin(owner, store, one, warmth)
            attempt = _Attempt(owner, generation, store)
            self._attempts.append(attempt)
            self._announce(attempt)
            generation.ask(at)

    # --- state that the turn drains ----------------------------------------------------------------------------------

    def events_to_send(self) -> list[Event]:
        """The attempts whose state has changed since the last call."""
        events = [event for index, event in self._events.items() if self._sent.get(index) != event]
        self._sent |= self._events
        self._events = {}
        return list(events)

    def actions_to_take(self) -> list[TryAnswer | TryBoth | EndTry]:
        """The actions since the last call, in order."""
        actions, self._actions = self._actions, []
        return actions

    @property
    def states(self) -> tuple[AttemptChanged, ...]:
        states = self._sent | self._events
        return tuple(states[index] for index in sorted(states))

    def entry(self, index: int) -> Entry | None:
        return self._attempts[index].best if 0 <= index < len(self._attempts) else None

    def mark(self, proposed: int) -> None:
        """Announce which attempt is proposed now."""
        for index, state in enumerate(self.states):
            self._events[index] = structs.replace(state, proposed=index == proposed)

    # --- results -----------------------------------------------------------------------------------------------------

    def follow(self, owner: AttemptOwner, *, at: float) -> None:
        attempt = self._find(owner)
        if attempt is None:
            return
        _drain(attempt)
        if attempt.generation.ended and attempt.state == "streaming":
            self._judge(attempt, at)
        elif self._state(attempt.owner.index).model != attempt.model:
            self._announce(attempt)

    def receive_trial(self, owner: AttemptOwner, trial: AnswerTrial, *, at: float) -> None:
        attempt = self._find(owner)
        if attempt is None or attempt.state != "trying":
            return
        is_refused = any(one.refused for one in trial.results)
        # A limit of the copy says nothing against an answer: where a person compares, it is not tried, and has not failed.
        unrun = unrun_by_number(self._prompt.cells, ran={one.cell_id for one in attempt.proposals})
        reason = "" if self._wish.compare and is_refused else failure_reason(trial, attempt.checks, unrun)
        passed = sum(not error for error in trial.checks)
        entry = attempt.entry(reason, results=trial.results, checks_passed=passed, passed=not reason)
        attempt.compared = trial.compared
        if reason:
            said = failure_for_model(trial, attempt.checks, attempt.code, unrun=unrun)
            self._failed(attempt, entry, at, instruction=said)
            return
        attempt.keep(entry)
        if self._wish.compare:
            attempt.state = "passed"
            self._announce(attempt)
            self._end_comparison()
            return
        attempt.state = "passed"
        self._announce(attempt, proposed=True)
        self._stop_others(f"Attempt {attempt.owner.index + 1} passed first.", at)
        self.decision = Decision(entry=entry)

    def stop(self, at: float) -> None:
        """Stop all attempts. What was written so far can still be chosen."""
        self._stop_others("It was stopped.", at)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _find(self, owner: AttemptOwner) -> _Attempt | None:
        return next((one for one in self._attempts if one.owner == owner and one.live), None)

    def _state(self, index: int) -> AttemptChanged:
        return self._events.get(index) or self._sent[index]

    def _judge(self, attempt: _Attempt, at: float) -> None:
        """Judge an answer that is whole or has ended."""
        blocked = [finding for proposal in attempt.proposals for finding in proposal.findings if finding.blocks]
        generation = attempt.generation
        if generation.phase is not Phase.COMPLETED:
            reason = generation.reason if generation.error is None else str(generation.error)
            self._failed(attempt, attempt.entry(reason), at, again=False)
        elif not attempt.code:
            self._failed(attempt, attempt.entry("It wrote no code."), at, again=False)
        elif blocked:
            reasons = "; ".join(f"line {finding.line}: {finding.message}" for finding in blocked)
            self._failed(attempt, attempt.entry(f"It is blocked: {reasons}"), at)
        else:
            attempt.state = "trying"
            asked = generation.prompt.text
            attempt.checks = checks_for(given=self._wish.checks, prompt=asked, cells=attempt.code)
            self._announce(attempt)
            if not self._wish.compare:
                self._actions.append(self._trial(attempt))
        if self._wish.compare:
            self._try_compared()

    def _trial(self, attempt: _Attempt) -> TryAnswer:
        """The trial of its cells. Where they change some that have run, it may begin where those began."""
        checks = tuple(check.source for check in attempt.checks)
        trial = TryAnswer(owner=attempt.owner, cells=tuple(attempt.code), checks=checks, allow=self._wish.allow)
        written = [draft for draft in attempt.store.of_turn(self._turn_id) if draft.source.strip()]
        drafts = [draft for draft in written if draft.cell_type == "code"]
        layout = notebook_layout(drafts, self._prompt)
        ids = tuple(draft.cell_id for draft in drafts)
        is_edit = any(draft.kind == "edit" for draft in drafts) and all(draft.operation is None for draft in written)
        in_order = tuple(cell_id for cell_id, _ in layout if cell_id in ids) == ids
        return structs.replace(trial, ids=ids, notebook=layout) if is_edit and in_order else trial

    def _try_compared(self) -> None:
        """Try the answers that are compared once none is being written any more; one alone where the other can't be tried."""
        if any(one.state == "streaming" for one in self._attempts):
            return
        trials = [self._trial(one) for one in self._attempts if one.state == "trying"]
        if len(trials) == 2:
            self._actions.append(TryBoth(answers=(trials[0], trials[1])))
        else:
            self._actions += trials

    def _end_comparison(self) -> None:
        if any(one.live for one in self._attempts):
            return
        if any(one.best is not None and one.best.source for one in self._attempts):
            self.decision = Decision()
        else:
            self._propose_best()

    def _failed(self, attempt: _Attempt, entry: Entry, at: float, *, instruction: str = "", again: bool = True) -> None:
        attempt.keep(entry)
        if again and attempt.owner.round < self._wish.until_green:
            self._start_round(attempt, entry, instruction or entry.reason, at)
            return
        attempt.state = "failed"
        self._announce(attempt, reason=entry.reason)
        if self._wish.compare:
            self._end_comparison()
        elif not any(one.live for one in self._attempts):
            self._propose_best()

    def _start_round(self, attempt: _Attempt, entry: Entry, failure: str, at: float) -> None:
        attempt.owner = structs.replace(attempt.owner, round=attempt.owner.round + 1)
        attempt.state = "streaming"
        self._announce(attempt, reason=f"Round {attempt.owner.round + 1}, because: {entry.reason}")
        instruction = corrections.failure(failure)
        attempt.generation = attempt.generation.successor(instruction, owner=attempt.owner, meter=self._meter)
        attempt.generation.ask(at)

    def _propose_best(self) -> None:
        entries = [
            one.best
            for one in self._attempts
            if one.best is not None and (one.best.source or one.generation.error is None)
        ]
        if not entries:
            errors = (one.generation.error for one in self._attempts)
            self.decision = Decision(error=next(error for error in errors if error is not None))
            return
        best = max(entries, key=lambda entry: entry.rank)
        self._announce(self._attempts[best.index], proposed=bool(best.source), reason=best.reason)
        self.decision = Decision(entry=best, reason=_no_winner_reason(best, len(self._attempts)))

    def _stop_others(self, reason: str, at: float) -> None:
        for attempt in self._attempts:
            if not attempt.live:
                continue
            if attempt.state == "trying":
                self._actions.append(EndTry(owner=attempt.owner))
            attempt.state = "lost"
            attempt.generation.cancel(at)
            _drain(attempt)
            if attempt.proposals:
                attempt.keep(attempt.entry(reason))
            self._announce(attempt, reason=reason)

    def _announce(self, attempt: _Attempt, *, reason: str = "", proposed: bool = False) -> None:
        compare = self._wish.compare
        self._events[attempt.owner.index] = AttemptChanged(
            turn_id=self._turn_id,
            index=attempt.owner.index,
            model=attempt.model,
            state=attempt.state,
            source=attempt.best.source if attempt.best and not attempt.live else "\n\n".join(attempt.code),
            reason=reason,
            proposed=proposed,
            prompt=attempt.generation.prompt.text if compare else "",
            results=attempt.best.results if compare and attempt.best else (),
            compared=attempt.compared,
        )


def _drain(attempt: _Attempt) -> None:
    """Discard the events and actions of an attempt: only the proposed answer is shown and inspected."""
    attempt.generation.events_to_send()
    attempt.generation.actions_to_take()


def _models(wish: Attempts, model: str) -> list[str]:
    """The model of each attempt."""
    models = wish.models or (model,)
    return [models[index % len(models)] for index in range(2 if wish.compare else max(wish.count, len(wish.models)))]


def _no_winner_reason(best: Entry, count: int) -> str:
    if not best.source:
        return "It wrote no code." if count == 1 else f"None of {count} attempts wrote code, so nothing is proposed."
    if count == 1:
        return f"It did not pass: {best.reason}"
    return f"None of {count} attempts passed. Number {best.index + 1} got furthest: {best.reason}"
