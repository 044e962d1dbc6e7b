"""A client and an engine without sockets, joined to the state machine by hand."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
from msgspec.structs import replace

from spark_jupyter.server.connection_state import Connection, Job
from spark_jupyter.server.engines.base import Fail, FunctionCall
from spark_jupyter.server.lanes import Limits
from spark_jupyter.server.response_store import ResponseStore

Event = dict[str, Any]


class FakeClient:
    """Sends client events, collects server events, and plays the engine's part. Ids count up; the clock is set by the test."""

    def __init__(
        self, *, store: ResponseStore | None = None, limits: Limits | None = None, steering: bool = True
    ) -> None:
        numbers = itertools.count(1)
        self.now = 1_000.0
        self.jobs: list[Job] = []
        self.events: list[Event] = []
        self.connection = Connection(
            models=["m", "n"],
            store=store or ResponseStore(),
            now=self.now,
            limits=replace(limits or Limits(), steering=steering),
            new_id=lambda kind: f"{kind}_{next(numbers)}",
        )

    def send_text(self, text: str | bytes) -> list[Event]:
        """Send a frame as it stands; returns what comes back."""
        self.connection.receive_data(text, self.now)
        return self._collect()

    def send(self, **event: object) -> list[Event]:
        """Send a client event; returns what comes back."""
        return self.send_text(msgspec.json.encode(event))

    def create(self, text: object = "hello", **fields: object) -> list[Event]:
        """Send ``response.create`` for model ``m``."""
        return self.send(**{"type": "response.create", "model": "m", "input": text, **fields})

    def steer(self, response_id: str, text: object = "rather that") -> list[Event]:
        """Send ``response.steer``."""
        return self.send(type="response.steer", previous_response_id=response_id, input=text)

    def write(self, *pieces: str | FunctionCall, job: Job | None = None) -> list[Event]:
        """The engine writes some more of the latest answer (or of ``job``'s)."""
        self.connection.receive_pieces((job or self.jobs[-1]).response_id, pieces, self.now)
        return self._collect()

    def end(self, *, job: Job | None = None) -> list[Event]:
        """The engine has no more to say."""
        self.connection.receive_end((job or self.jobs[-1]).response_id, self.now)
        return self._collect()

    def fail(self, fail: Fail, *, job: Job | None = None) -> list[Event]:
        """The engine fails."""
        self.connection.receive_failure((job or self.jobs[-1]).response_id, fail, self.now)
        return self._collect()

    def turn(self, text: object = "hello", answer: str = "answer\n", **fields: object) -> str:
        """A whole turn; returns the response's id."""
        self.create(text, **fields)
        job = self.jobs[-1]
        self.write(answer, job=job)
        self.end(job=job)
        return job.response_id

    def wait(self, seconds: float) -> list[Event]:
        """Time passes."""
        self.now += seconds
        self.connection.receive_time(self.now)
        return self._collect()

    def _collect(self) -> list[Event]:
        new = [msgspec.json.decode(frame) for frame in self.connection.data_to_send()]
        self.events += new
        self.jobs += self.connection.jobs_to_start()
        return new


def types(events: list[Event]) -> list[str]:
    """What kinds of events these are."""
    return [event["type"] for event in events]


def only(events: list[Event]) -> Event:
    """The one event."""
    assert len(events) == 1, types(events)
    return events[0]


def text(events: list[Event]) -> str:
    """The text that the deltas make."""
    return "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
