"""A race: several answers to one prompt are written beside each other, each is tried, and the first that passes is proposed. Pure.

Each attempt is a :class:`~spark_jupyter.core.session.Session` of its own, with the guard of the turn's: it is judged and corrected as
any turn is. Nothing of it reaches the user's side but how it stands (:class:`~spark_jupyter.wire.messages.AttemptChanged`). When its
answer is whole and nothing blocks it, its code cells run in one copy of the kernel, in order, and its checks after them
(:class:`TryAnswer`). A failing attempt may be told why and write again, ``until_green`` times; no round goes unrun.

An attempt's requests are named ``{turn}.{index}.{round}``. No turn of the user's has a dot in its id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct, structs

from spark_jupyter.core.actions import Action, DropRequest, SendRequest
from spark_jupyter.core.asserts import Check, checks_for
from spark_jupyter.core.meter import RaceMeter
from spark_jupyter.core.session import Session
from spark_jupyter.core.trying import AnswerTrial, EndTry, TryAnswer
from spark_jupyter.exceptions import RequestRefused, SparkError
from spark_jupyter.providers.base import Message, ModelEvent, TextDelta
from spark_jupyter.speech import prompts
from spark_jupyter.wire.messages import (
    AttemptChanged,
    Attempts,
    Cancel,
    Event,
    Meter,
    Prompt,
    Proposal,
    Steer,
    TrialResult,
    Turn,
    TurnEnded,
    TurnStarted,
)

State = Literal["streaming", "trying", "passed", "failed", "lost"]

TEMPERATURES = (None, 0.8, 0.4, 1.0, 0.6, 0.2, 0.9, 0.5)
"""Of the n-th attempt that asks the same model; None leaves it to the provider. A model that takes no temperature is asked again
without."""


class Entry(Struct, frozen=True, kw_only=True):
    """A whole answer of an attempt, and how far it got. ``text`` is the answer, ready to be written, ``code_text`` the same without
    its notes."""

    index: int
    model: str
    text: str
    code_text: str
    source: str
    reason: str = ""
    passed: bool = False
    blocked: bool = False
    results: tuple[TrialResult, ...] = ()
    checks_passed: int = 0

    @property
    def rank(self) -> tuple[bool, bool, bool, int, int, int, int]:
        """Greater is better: it passed, has code, is not blocked, passed more checks, ran further; else the earlier attempt."""
        ran = sum(not (result.error or result.problem) for result in self.results)
        line = next((result.error_line or 0 for result in self.results if result.error), 0)
        return (self.passed, bool(self.source), not self.blocked, self.checks_passed, ran, line, -self.index)


class Decision(Struct, frozen=True, kw_only=True):
    """How a race ended: with the entry that is proposed, or with the error for which there is none."""

    entry: Entry | None = None
    reason: str = ""
    error: SparkError | None = None


class _Attempt:
    """One attempt, over its rounds."""

    def __init__(self, turn_id: str, index: int, model: str, temperature: float | None, session: Session) -> None:
        self.turn_id = turn_id
        self.index = index
        self.model = model
        self.temperature = temperature
        self.session = session
        self.round = 0
        self.state: State = "streaming"
        self.checks: tuple[Check, ...] = ()
        self.sent: SendRequest | None = None
        self.best: Entry | None = None
        self.error: SparkError | None = None

    @property
    def id(self) -> str:
        return f"{self.turn_id}.{self.index}.{self.round}"

    @property
    def live(self) -> bool:
        return self.state in ("streaming", "trying")

    @property
    def proposals(self) -> list[Proposal]:
        return [proposal for proposal in self.session.ledger.proposals if proposal.source.strip()]

    @property
    def code(self) -> list[str]:
        return [proposal.source for proposal in self.proposals if proposal.cell_type == "code"]

    def entry(self, reason: str = "", **found: object) -> Entry:
        """What stands now."""
        notes = self.session.turns[-1].notes
        return Entry(
            index=self.index,
            model=self.model,
            text=prompts.answer_text(self.proposals, notes=notes),
            code_text=prompts.answer_text(self.proposals),
            source="\n\n".join(self.code),
            reason=reason,
            blocked=any(proposal.state == "blocked" for proposal in self.proposals),
            **found,  # type: ignore[arg-type]  # only fields of Entry are passed
        )

    def keep(self, entry: Entry) -> None:
        if self.best is None or entry.rank > self.best.rank:
            self.best = entry


class Race:
    """The attempts of one turn. ``new_session`` makes the session of an attempt for a model."""

    def __init__(
        self,
        prompt: Prompt,
        turn: Turn,
        conversation: tuple[Message, ...],
        *,
        meter: RaceMeter,
        new_session: Callable[[str], Session],
        at: float,
    ) -> None:
        self.decision: Decision | None = None
        self._prompt = prompt
        self._wish = prompt.attempts
        self._meter = meter
        self._events: dict[int, AttemptChanged] = {}
        self._told: dict[int, AttemptChanged] = {}
        self._actions: list[Action] = []
        models = _models(self._wish, turn.model)
        self._attempts = [
            _Attempt(turn.id, index, model, TEMPERATURES[models[:index].count(model)], new_session(model))
            for index, model in enumerate(models)
        ]
        meter.sent(at, ())
        for attempt in self._attempts:
            own = structs.replace(turn, id=attempt.id, model=attempt.model, steers=None)
            quiet = structs.replace(prompt, turn_id=attempt.id, attempts=Attempts())
            attempt.session.begin(own, quiet, conversation, at=at)
            self._tell(attempt)
            self._drain(attempt, at)

    # --- what the session drains ---------------------------------------------------------------------------------------

    def events_to_send(self) -> list[Event]:
        """How attempts stand, where that has changed since the last call."""
        events = [event for index, event in self._events.items() if self._told.get(index) != event]
        self._told |= self._events
        self._events = {}
        return list(events)

    def actions_to_take(self) -> list[Action]:
        """The actions since the last call, in order."""
        actions, self._actions = self._actions, []
        return actions

    @property
    def standings(self) -> tuple[AttemptChanged, ...]:
        """How every attempt stands."""
        standings = self._told | self._events
        return tuple(standings[index] for index in sorted(standings))

    def entry(self, index: int) -> Entry | None:
        """The best that an attempt has written."""
        return self._attempts[index].best if 0 <= index < len(self._attempts) else None

    def mark(self, proposed: int) -> None:
        """Say which attempt is proposed now."""
        for index, standing in enumerate(self.standings):
            self._events[index] = structs.replace(standing, proposed=index == proposed)

    # --- what happens --------------------------------------------------------------------------------------------------

    def receive_model_event(self, attempt_id: str, number: int, event: ModelEvent, *, at: float) -> None:
        """What the provider said to an attempt's request."""
        attempt = self._find(attempt_id)
        if attempt is None:
            return
        if isinstance(event, TextDelta):
            self._meter.text("", at)
        attempt.session.receive_model_event(attempt_id, number, event, at=at)
        self._drain(attempt, at)

    def receive_failure(self, attempt_id: str, number: int, error: SparkError, *, at: float) -> None:
        """An attempt's request failed. Where the model only would not take a temperature, it is asked without."""
        attempt = self._find(attempt_id)
        if attempt is None:
            return
        sent = attempt.sent
        refused = isinstance(error, RequestRefused) and "temperature" in str(error).casefold()
        if refused and attempt.temperature is not None and sent is not None and sent.attempt == number:
            attempt.temperature = None
            self._send(attempt, sent)
            return
        attempt.error = error
        attempt.session.receive_failure(attempt_id, number, error, at=at)
        self._drain(attempt, at)

    def receive_trial(self, attempt_id: str, trial: AnswerTrial, *, at: float) -> None:
        """What running an attempt's answer in a copy showed."""
        attempt = self._find(attempt_id)
        if attempt is None or attempt.state != "trying":
            return
        reason = _reason(trial, attempt.checks)
        passed = sum(not error for error in trial.checks)
        entry = attempt.entry(reason, results=trial.results, checks_passed=passed, passed=not reason)
        if reason:
            self._failed(attempt, entry, at, printed=_printed(trial.results))
            return
        attempt.keep(entry)
        attempt.state = "passed"
        self._tell(attempt, proposed=True)
        self._stop_others(f"Attempt {attempt.index + 1} passed first.", at)
        self.decision = Decision(entry=entry)

    def stop(self, at: float) -> None:
        """The user stopped or redirected the turn. What was written so far can still be chosen."""
        self._stop_others("It was stopped.", at)

    # --- inside --------------------------------------------------------------------------------------------------------

    def _find(self, attempt_id: str) -> _Attempt | None:
        return next((one for one in self._attempts if one.id == attempt_id and one.live), None)

    def _drain(self, attempt: _Attempt, at: float) -> None:
        for action in attempt.session.actions_to_take():
            match action:
                case SendRequest():
                    self._send(attempt, action)
                case DropRequest():
                    self._actions.append(action)
                case _:
                    pass  # the slower checks look at what is proposed in the end; what runs is shown by the Try
        for event in attempt.session.events_to_send():
            match event:
                case Meter(turn_id=attempt_id):
                    self._meter.of_attempt(attempt_id, event)
                case TurnStarted(turn=turn) if turn.model != attempt.model:
                    attempt.model = turn.model
                    self._tell(attempt)
                case TurnEnded(turn_id=attempt_id) if attempt_id == attempt.id and attempt.state == "streaming":
                    self._written(attempt, event, at)
                case _:
                    pass

    def _send(self, attempt: _Attempt, action: SendRequest) -> None:
        request = structs.replace(action.request, temperature=attempt.temperature)
        attempt.sent = structs.replace(action, request=request)
        self._actions.append(attempt.sent)

    def _written(self, attempt: _Attempt, ended: TurnEnded, at: float) -> None:
        """The answer is whole, or no more of it will come."""
        blocked = [finding for proposal in attempt.proposals for finding in proposal.findings if finding.blocks]
        if ended.outcome != "completed":
            self._failed(attempt, attempt.entry(ended.reason), at, again=False)
        elif not attempt.code:
            self._failed(attempt, attempt.entry("It wrote no code."), at, again=False)
        elif blocked:
            reasons = "; ".join(f"line {finding.line}: {finding.message}" for finding in blocked)
            self._failed(attempt, attempt.entry(f"It is blocked: {reasons}"), at)
        else:
            attempt.state = "trying"
            attempt.checks = checks_for(given=self._wish.checks, prompt=self._prompt.text, cells=attempt.code)
            self._tell(attempt)
            checks = tuple(check.source for check in attempt.checks)
            self._actions.append(
                TryAnswer(attempt_id=attempt.id, cells=tuple(attempt.code), checks=checks, allow=self._wish.allow)
            )

    def _failed(self, attempt: _Attempt, entry: Entry, at: float, *, printed: str = "", again: bool = True) -> None:
        attempt.keep(entry)
        if again and attempt.round < self._wish.until_green:
            self._write_again(attempt, entry, printed, at)
            return
        attempt.state = "failed"
        self._tell(attempt, reason=entry.reason)
        if not any(one.live for one in self._attempts):
            self._settle_for_the_best()

    def _write_again(self, attempt: _Attempt, entry: Entry, printed: str, at: float) -> None:
        before = attempt.id
        attempt.round += 1
        attempt.state = "streaming"
        self._tell(attempt, reason=f"Round {attempt.round + 1}, because: {entry.reason}")
        instruction = prompts.failure(entry.reason, printed)
        attempt.session.go_on(Steer(turn_id=attempt.id, steers=before, text=instruction), answer=entry.text, at=at)
        self._drain(attempt, at)

    def _settle_for_the_best(self) -> None:
        entries = [
            one.best for one in self._attempts if one.best is not None and (one.best.source or one.error is None)
        ]
        if not entries:
            self.decision = Decision(error=next(one.error for one in self._attempts if one.error is not None))
            return
        best = max(entries, key=lambda entry: entry.rank)
        self._tell(self._attempts[best.index], proposed=True, reason=best.reason)
        self.decision = Decision(entry=best, reason=_no_winner(best, len(self._attempts)))

    def _stop_others(self, reason: str, at: float) -> None:
        for attempt in self._attempts:
            if not attempt.live:
                continue
            if attempt.state == "trying":
                self._actions.append(EndTry(attempt_id=attempt.id))
            attempt.state = "lost"
            attempt.session.receive_command(Cancel(), at=at)
            self._drain(attempt, at)
            if attempt.proposals:
                attempt.keep(attempt.entry(reason))
            self._tell(attempt, reason=reason)

    def _tell(self, attempt: _Attempt, *, reason: str = "", proposed: bool = False) -> None:
        self._events[attempt.index] = AttemptChanged(
            turn_id=attempt.turn_id,
            index=attempt.index,
            model=attempt.model,
            state=attempt.state,
            source=attempt.best.source if attempt.best and not attempt.live else "\n\n".join(attempt.code),
            reason=reason,
            proposed=proposed,
        )


def _models(wish: Attempts, model: str) -> list[str]:
    """The model of each attempt."""
    models = wish.models or (model,)
    return [models[index % len(models)] for index in range(max(wish.count, len(wish.models)))]


def _reason(trial: AnswerTrial, checks: Sequence[Check]) -> str:
    """Why an answer did not pass, in a sentence; empty where it did."""
    for number, result in enumerate(trial.results, 1):
        if result.error or result.problem:
            cell = f"cell {number}, " if len(trial.results) > 1 else ""
            line = f"line {result.error_line}: " if result.error_line else ""
            return f"{cell}{line}{result.error or result.problem}"
    if trial.problem:
        return trial.problem
    failed = [(check.text, error) for check, error in zip(checks, trial.checks, strict=False) if error]
    if failed:
        return "\n".join(f"{text} failed: {error}" for text, error in failed)
    return "" if len(trial.checks) == len(checks) else "Not every check was run."


def _printed(results: Sequence[TrialResult]) -> str:
    return "".join(
        output.text for result in results for output in result.outputs if output.kind in ("stdout", "stderr")
    )


def _no_winner(best: Entry, count: int) -> str:
    if count == 1:
        return f"It did not pass: {best.reason}"
    return f"None of {count} attempts passed. Number {best.index + 1} got furthest: {best.reason}"
