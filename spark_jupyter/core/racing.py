"""A session in which several answers to one prompt may race. Pure.

While its attempts race (:mod:`spark_jupyter.core.race`) a turn waits; the answer that is decided for is then written as any answer is. The
owner tells, besides what :class:`~spark_jupyter.core.session.Session` takes, ``receive_answer_trial(attempt, trial, …)``: the Try of an
attempt has ended.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.core.meter import RaceMeter
from spark_jupyter.core.session import Session
from spark_jupyter.core.transitions import Input, LiveTurn
from spark_jupyter.core.trying import AnswerTrial
from spark_jupyter.exceptions import SessionError, SparkError
from spark_jupyter.providers.base import Message, ModelEvent
from spark_jupyter.speech.surroundings import Surroundings
from spark_jupyter.wire.messages import AttemptChanged, ChooseAttempt, Command, TrialResult, TurnStarted

if TYPE_CHECKING:
    from spark_jupyter.core.race import Decision, Entry, Race


class RacingSession(Session):
    """All turns and proposals of one kernel, and the races of those turns that have several attempts."""

    @cached_property
    def _races(self) -> dict[str, Race]:
        """By the id of the turn."""
        return {}

    @property
    def attempts(self) -> tuple[AttemptChanged, ...]:
        """How the attempts of every race stand."""
        return tuple(standing for race in self._races.values() for standing in race.standings)

    # --- what happens ------------------------------------------------------------------------------------------------

    def receive_command(self, command: Command, *, at: float, surroundings: Surroundings | None = None) -> None:
        """As :meth:`Session.receive_command`; an attempt can be chosen, too."""
        if isinstance(command, ChooseAttempt):
            self._choose(command)
        else:
            super().receive_command(command, at=at, surroundings=surroundings)

    def receive_model_event(self, turn_id: str, attempt: int, event: ModelEvent, *, at: float) -> None:
        """As :meth:`Session.receive_model_event`; ``turn_id`` may be an attempt's."""
        if (racing := self._racing(turn_id)) is not None:
            racing[1].receive_model_event(turn_id, attempt, event, at=at)
            self._after_race(*racing, at)
        else:
            super().receive_model_event(turn_id, attempt, event, at=at)

    def receive_failure(self, turn_id: str, attempt: int, error: SparkError, *, at: float) -> None:
        """As :meth:`Session.receive_failure`; ``turn_id`` may be an attempt's."""
        if (racing := self._racing(turn_id)) is not None:
            racing[1].receive_failure(turn_id, attempt, error, at=at)
            self._after_race(*racing, at)
        else:
            super().receive_failure(turn_id, attempt, error, at=at)

    def receive_answer_trial(self, attempt_id: str, trial: AnswerTrial, *, at: float) -> None:
        """Take in what the Try of an attempt's answer showed."""
        if (racing := self._racing(attempt_id)) is not None:
            racing[1].receive_trial(attempt_id, trial, at=at)
            self._after_race(*racing, at)

    # --- the life of a race ------------------------------------------------------------------------------------------

    def _ask(self, turn: LiveTurn, conversation: tuple[Message, ...], at: float) -> None:
        if not turn.prompt.attempts.races:
            return super()._ask(turn, conversation, at)
        from spark_jupyter.core.race import Race  # off the path of %load_ext

        turn.conversation = conversation
        meter = turn.meter = RaceMeter(turn.value.id)
        race = Race(turn.prompt, turn.value, conversation, meter=meter, new_session=self._twin, at=at)
        self._races[turn.value.id] = race
        self._flush_race(race)

    def _do_drop(self, turn: LiveTurn, at: float) -> None:
        race = self._races.get(turn.value.id)
        if race is None:
            return super()._do_drop(turn, at)
        race.stop(at)
        self._flush_race(race)

    def _twin(self, model: str) -> Session:
        twin = Session(model=model, guard=self._guard, redactor=self.dialogue.redactor, price=self.price)
        twin.dialogue.withholds = self.dialogue.withholds
        return twin

    def _racing(self, attempt_id: str) -> tuple[LiveTurn, Race] | None:
        """The turn that an attempt is one of, and its race."""
        turn_id, dot, _ = attempt_id.partition(".")
        return (self._turns[turn_id], self._races[turn_id]) if dot and turn_id in self._races else None

    def _after_race(self, turn: LiveTurn, race: Race, at: float) -> None:
        """What follows from something that happened in a race."""
        self._flush_race(race)
        if race.decision is not None and turn.live:
            self._decide(turn, race.decision, at)
        elif turn.live:
            self._events += turn.meter.events_to_send(at)

    def _flush_race(self, race: Race) -> None:
        self._events += race.events_to_send()
        self._actions += race.actions_to_take()

    def _decide(self, turn: LiveTurn, decision: Decision, at: float) -> None:
        """A race has ended: its winner is proposed, by the way that every answer goes."""
        if decision.entry is None:
            turn.error = decision.error
            self._step(turn, Input.FAILURE, at)
            return
        turn.reason = decision.reason
        if turn.value.model != decision.entry.model:
            turn.value = structs.replace(turn.value, model=decision.entry.model)
            self._events.append(TurnStarted(turn=turn.value))
        turn.text = [self.dialogue.hide(decision.entry.text, where="the answer")]
        self._step(turn, Input.TEXT, at)
        self._finish_entry(turn, decision.entry)
        self._step(turn, Input.DONE, at)

    def _choose(self, command: ChooseAttempt) -> None:
        """Another attempt takes the place of what is proposed, as an answer that is begun again would."""
        race = self._races.get(command.turn_id)
        entry = race.entry(command.index) if race is not None else None
        if race is None or entry is None or not entry.source:
            raise SessionError("There is no such attempt with code in it.")
        turn = self._turns[command.turn_id]
        if turn.live:
            raise SessionError("The race is still on.", remedy="Wait, or cancel the turn.")
        if any(draft.state in ("accepted", "rejected") for draft in self.ledger.of_turn(turn.value.id)):
            raise SessionError("What the turn proposed was decided already.", remedy="Prompt again.")
        before = turn.text
        turn.text = [self.dialogue.hide(entry.code_text, where="the answer")]
        turn.writing = turn.writing.successor(turn.value.id)
        turn.writing.write(turn.restorer.decode(turn.text[0]), may_cut=False)
        self._finish_entry(turn, entry)
        race.mark(entry.index)
        self._flush_race(race)
        self.dialogue.remember_instead("".join(before), "".join(turn.text))

    def _finish_entry(self, turn: LiveTurn, entry: Entry) -> None:
        """The text of an entry is written; what its Try showed belongs to its cells."""
        turn.writing.write(turn.restorer.flush(), may_cut=False)
        turn.writing.finish(may_cut=False)
        self._flush_writing(turn)
        cells = [draft for draft in self.ledger.of_turn(turn.value.id) if draft.cell_type == "code"]
        for number, draft in enumerate(cells):
            if number < len(entry.results):
                result = structs.replace(entry.results[number], turn_id=turn.value.id, cell_id=draft.cell_id)
                self._events += self.ledger.receive_trial(result)
            elif draft.tried is not None:  # what was tried in this cell was another attempt's
                problem = "This attempt ended before the cell was tried."
                untried = TrialResult(turn_id=turn.value.id, cell_id=draft.cell_id, problem=problem, summary=problem)
                self._events += self.ledger.receive_trial(untried)
