"""A session with a provider that is played by hand."""

from __future__ import annotations

import itertools

from spark_jupyter.protocol.messages import (
    Prompt,
    TurnEnded,
)
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.providers.base import (
    ResponseCompleted,
    TextDelta,
)
from spark_jupyter.session.actions import InspectCell, SendRequest
from spark_jupyter.session.rehearsal_feed import Rehearsed
from spark_jupyter.session.session import Session

BAD = "```python\nimport os\nname = input()\nos.system('ls ' + name)\nprint('after')\n```\n"


GOOD = "```python\nimport subprocess\nname = input()\nsubprocess.run(['ls', name], check=True)\n```\n"


class Play:
    """A session with a provider that is played by hand, and a view that keeps what the user would see."""

    def __init__(self, **options: object) -> None:
        self.session = Session(model="m", **options)
        self.view = TurnView()
        self.events: list[object] = []
        self.actions: list[object] = []
        self.requests: list[SendRequest] = []
        self.clock = itertools.count(100)

    def drain(self) -> None:
        events = self.session.events_to_send()
        self.events += events
        self.view.receive_all(events)
        actions = self.session.actions_to_take()
        self.actions += actions
        self.requests += [action for action in actions if isinstance(action, SendRequest)]

    def say(self, command: object, **options: object) -> None:
        self.session.receive_command(command, at=next(self.clock), **options)
        self.drain()

    def inspections(self) -> list[InspectCell]:
        return [action for action in self.actions if isinstance(action, InspectCell)]

    def inspected(self, cell_id: str, source: str) -> None:
        self.session.receive_inspected(cell_id, source)
        self.drain()

    def prompt(
        self, text: str = "list files", turn_id: str = "t1", *, surroundings: object = None, **options: object
    ) -> None:
        self.say(Prompt(turn_id=turn_id, text=text, **options), surroundings=surroundings)

    def text(self, text: str, *, request: SendRequest | None = None) -> None:
        request = request or self.requests[-1]
        self.session.receive_model_event(request.job_id, request.attempt, TextDelta(text), at=next(self.clock))
        self.drain()

    def done(self, event: object = None) -> None:
        request = self.requests[-1]
        event = event or ResponseCompleted(response_id="r")
        self.session.receive_model_event(request.job_id, request.attempt, event, at=next(self.clock))
        self.drain()

    def fail(self, error: Exception) -> None:
        request = self.requests[-1]
        self.session.receive_failure(request.job_id, request.attempt, error, at=next(self.clock))
        self.drain()

    def rehearsed(self, rehearsed: Rehearsed) -> None:
        self.session.receive_rehearsal(rehearsed, at=next(self.clock))
        self.drain()

    def answer(self, text: str) -> None:
        self.text(text)
        self.done()

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def ends(self) -> list[tuple[str, str]]:
        return [(event.turn_id, event.outcome) for event in self.of(TurnEnded)]
