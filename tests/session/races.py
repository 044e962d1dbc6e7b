"""Races that are played by hand."""

from __future__ import annotations

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Attempts
from spark_jupyter.providers.base import ResponseCompleted, TextDelta, Usage
from spark_jupyter.session.actions import SendRequest
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer
from tests.session.play import Play


class Races(Play):
    """A session in which answers race; the attempts are played by their number."""

    def race(self, text: str = "write f", turn_id: str = "t1", *, count: int = 3, **options: object) -> None:
        wish = {name: options.pop(name) for name in ("models", "checks", "until_green") if name in options}
        self.prompt(text, turn_id, attempts=Attempts(count=count, **wish), **options)

    def request(self, index: int) -> SendRequest:
        """The last request of an attempt."""
        return next(one for one in reversed(self.requests) if one.owner.index == index)

    def answers(self, index: int, text: str, *, whole: bool = True) -> None:
        request = self.request(index)
        events = [TextDelta(text), *([ResponseCompleted(response_id="r", usage=USAGE)] if whole else [])]
        for event in events:
            self.session.receive_model_event(request.job_id, request.attempt, event, at=next(self.clock))
        self.drain()

    def breaks(self, index: int, error: Exception) -> None:
        request = self.request(index)
        self.session.receive_failure(request.job_id, request.attempt, error, at=next(self.clock))
        self.drain()

    def tries(self, index: int) -> list[TryAnswer]:
        asked = [action for action in self.actions if isinstance(action, TryAnswer)]
        return [action for action in asked if action.owner.index == index]

    def tried(self, index: int, *errors: str, checks: tuple[str, ...] | None = None, printed: str = "") -> None:
        """Its Try has ended: with these errors of its cells, else with what its checks said (None: all passed)."""
        action = self.tries(index)[-1]
        results = [
            TrialResult(turn_id="a", cell_id="", source_hash=content_hash(cell), summary="ran", error=error)
            for cell, error in zip(action.cells, errors or [""] * len(action.cells), strict=False)
        ]
        said = checks if checks is not None else () if any(errors) else ("",) * len(action.checks)
        self.session.receive_answer_trial(
            action.owner, AnswerTrial(results=tuple(results), checks=said), at=next(self.clock)
        )
        self.drain()

    @property
    def states(self) -> list[str]:
        return [self.view.attempts["t1", index].state for index in range(len(self.session.history.attempts))]

    def reason(self, index: int) -> str:
        return self.view.attempts["t1", index].reason

    @property
    def sources(self) -> list[str]:
        return [proposal.source for proposal in self.view.proposals.values()]


USAGE = Usage(input_tokens=100, output_tokens=10)


def code(source: str) -> str:
    return f"```python\n{source}\n```\n"
