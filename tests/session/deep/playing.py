"""A session in which deep work is done, played by hand: what providers say, what a copy shows, what time it is."""

from __future__ import annotations

from spark_jupyter.prompting.request_parser import RequestParts, parse_request
from spark_jupyter.protocol.deep_messages import BeginDeep, DeepWork, DirectDeep
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Surprise
from spark_jupyter.providers.base import ResponseCompleted, TextDelta, Usage
from spark_jupyter.session.actions import SendRequest, WakeDeep
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer
from spark_jupyter.session.job_owners import DeepOwner
from tests.session.play import Play

PLAN = "1. Load the data\n2. Sum it up\n"
USAGE = Usage(input_tokens=100, output_tokens=50)


def code(source: str) -> str:
    """An answer with one cell."""
    return f"```python\n{source}\n```\n"


class DeepPlay(Play):
    """``w1`` is the work."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.session.deep.gear = self.session.deep.gear.__class__(model="slow")

    def begin(self, text: str = "the report", **options: object) -> None:
        self.say(BeginDeep(work_id="w1", text=text, **options))

    def direct(self, what: str, **options: object) -> None:
        self.say(DirectDeep(work_id="w1", what=what, **options))

    def request_of(self, step: int) -> SendRequest:
        """The last request for a step, from 1; 0: the plan."""
        owned = [one for one in self.requests if isinstance(one.owner, DeepOwner)]
        return next(one for one in reversed(owned) if one.owner.step == step - 1)

    def says(self, step: int, text: str) -> None:
        """The model answers what was asked last for a step (0: the plan)."""
        request = self.request_of(step)
        for event in (TextDelta(text), ResponseCompleted(response_id="r", usage=USAGE)):
            self.session.receive_model_event(request.job_id, request.attempt, event, at=next(self.clock))
        self.drain()

    def breaks(self, step: int, error: Exception) -> None:
        request = self.request_of(step)
        self.session.receive_failure(request.job_id, request.attempt, error, at=next(self.clock))
        self.drain()

    def asked(self, step: int) -> RequestParts:
        """What the model was told."""
        return parse_request(self.request_of(step).request.input[-1].text)

    @property
    def tries(self) -> list[TryAnswer]:
        return [action for action in self.actions if isinstance(action, TryAnswer)]

    def ran(
        self,
        *errors: str,
        checks: tuple[str, ...] | None = None,
        line: int | None = None,
        message: str = "",
        unenforced: str = "",
        **showed: object,
    ) -> None:
        """The last Try has ended: with these errors of its cells, else with what its checks said (None: all passed). ``message`` is what
        surprised the person in each cell that did."""
        action = self.tries[-1]
        surprising = showed.get("surprised", ((),) * len(action.cells))
        results = [
            TrialResult(
                turn_id="a",
                cell_id="",
                source_hash=content_hash(cell),
                summary="ran",
                unenforced=unenforced,
                error=error,
                error_line=line if error else None,
                surprises=(Surprise(rule="join-multiplied", message=message),) if said else (),
            )
            for cell, error, said in zip(action.cells, errors or [""] * len(action.cells), surprising, strict=False)
        ]
        said = checks if checks is not None else () if any(errors) else ("",) * len(action.checks)
        trial = AnswerTrial(results=tuple(results), checks=said, **showed)
        self.session.receive_answer_trial(action.owner, trial, at=next(self.clock))
        self.drain()

    def wake(self, *, after: float = 0.0) -> None:
        """The time is said, as was asked."""
        at = next(self.clock) + after
        self.session.deep.wake("w1", at=at)
        self.drain()

    @property
    def wakes(self) -> list[float]:
        return [action.seconds for action in self.actions if isinstance(action, WakeDeep)]

    @property
    def work(self) -> DeepWork:
        return next(work for work in self.session.deep_works if work.id == "w1")

    @property
    def states(self) -> list[str]:
        return [step.state for step in self.work.steps]

    @property
    def log(self) -> str:
        return "\n".join(entry.text for entry in self.work.log)

    @property
    def proposed(self) -> list[str]:
        return [proposal.source for proposal in self.view.of_turn("w1")]

    def done_by_the_book(self) -> None:
        """Plan, two steps, all runs."""
        self.begin()
        self.says(0, PLAN)
        self.says(1, code("data = [1, 2]"))
        self.ran()
        self.says(2, code("total = sum(data)"))
        self.ran()
