"""The official ``openai`` SDK as a client of the embedded server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from openai import OpenAI
from openai.lib.responses_websocket import ResponsesWebSocketLimits, ResponsesWebSocketSession
from openai.resources.responses.responses import ResponsesConnection

from spark_jupyter.server import ServerInfo, serve_in_thread
from spark_jupyter.server.engines.script import ScriptEngine

pytestmark = pytest.mark.interop

ANSWER = "```python\nimport pandas as pd\n```\n"
LIMITS = ResponsesWebSocketLimits(
    max_lanes=40, max_events_per_lane=10_000, max_events=100_000, max_bytes_per_lane=10**8, max_bytes=10**9
)
TERMINAL = ("response.completed", "response.incomplete", "response.failed", "error")


@pytest.fixture(scope="module")
def server() -> Iterator[ServerInfo]:
    answers: list[dict[str, object]] = [
        {"match": "steer me", "answer": "one\ntwo\nthree\n", "stall_after": 1, "repeat": True},
        {"match": "rather that", "answer": "that\n", "repeat": True},
        {"match": "lane", "answer": "of a lane\n", "repeat": True},
        {"answer": ANSWER, "repeat": True},
    ]
    engine = ScriptEngine({"tokens": "lines", "answers": answers})  # type: ignore[dict-item]
    with serve_in_thread(engine=engine) as info:
        yield info


@pytest.fixture
def sdk(server: ServerInfo) -> Iterator[OpenAI]:
    base_url = server.url.replace("ws://", "http://").removesuffix("/responses")
    with OpenAI(api_key=server.token, base_url=base_url) as client:
        yield client


def test_the_sdk_lists_the_models(sdk: OpenAI) -> None:
    assert [model.id for model in sdk.models.list()] == ["script"]


def test_the_sdk_streams_an_answer_in_the_default_lane(sdk: OpenAI) -> None:
    with sdk.responses.connect() as connection:
        connection.response.create(model="script", input="hello")
        written = ""
        for event in connection:
            if event.type == "response.output_text.delta":
                written += event.delta
            elif event.type == "response.completed":
                break
    assert written == event.response.output_text == ANSWER
    assert event.response.usage is not None
    assert event.response.usage.total_tokens > 0


def test_the_sdk_warms_up_and_continues(sdk: OpenAI) -> None:
    with sdk.responses.connect() as connection, ResponsesWebSocketSession(connection, limits=LIMITS) as session:
        lane = session.default
        lane.send({"type": "response.create", "model": "script", "input": "context", "generate": False, "store": False})
        warm = lane.get_final_response()
        assert warm.output == []
        lane.send(
            {
                "type": "response.create",
                "model": "script",
                "input": "hello",
                "previous_response_id": warm.id,
                "store": False,
            }
        )
        final = lane.get_final_response()
    assert final.previous_response_id == warm.id
    assert final.output_text == ANSWER
    assert final.usage is not None
    assert final.usage.input_tokens_details.cached_tokens > 0


def test_the_sdk_streams_in_named_lanes_beside_each_other(sdk: OpenAI) -> None:
    with sdk.responses.connect() as connection, ResponsesWebSocketSession(connection, limits=LIMITS) as session:
        lanes = [session.lane(name) for name in ("left", "right")]
        for lane in lanes:
            lane.send({"type": "response.create", "model": "script", "input": "lane"})
        session.default.send({"type": "response.create", "model": "script", "input": "hello"})
        assert [lane.get_final_response().output_text for lane in lanes] == ["of a lane\n"] * 2
        assert session.default.get_final_response().output_text == ANSWER


def test_the_sdk_steers_an_answer(sdk: OpenAI) -> None:
    with sdk.responses.connect() as connection:
        connection.response.create(model="script", input="steer me")
        events = receive_until(connection, "response.output_text.delta")
        connection.response.steer(previous_response_id=events[0].response.id, input="rather that")
        events += receive_until(connection, "response.completed")
    kinds = [event.type for event in events]
    assert kinds.index("response.steer.accepted") < kinds.index("response.incomplete")
    steered, successor = events[kinds.index("response.incomplete")].response, events[-1].response
    assert steered.incomplete_details.reason == "steered"
    assert successor.previous_response_id == steered.id
    assert successor.output_text == "that\n"


def receive_until(connection: ResponsesConnection, kind: str) -> list[Any]:
    """The events up to the first of this type."""
    events: list[Any] = []
    while not events or events[-1].type != kind:
        events.append(connection.recv())
        assert events[-1].type != "error", events[-1]
    return events


def test_the_sdk_gets_errors_that_it_understands(sdk: OpenAI) -> None:
    with sdk.responses.connect() as connection:
        connection.response.create(model="gpt-none", input="hello")
        error = connection.recv()
        assert error.type == "error"
        assert error.error.code == "model_not_found"  # type: ignore[union-attr]
        connection.response.steer(previous_response_id="resp_none", input="x")
        failed = connection.recv()
        assert failed.type == "response.steer.failed"
        assert failed.error.code == "response_not_found"


def test_every_event_fits_the_types_of_the_sdk(sdk: OpenAI) -> None:
    with sdk.responses.connect() as connection:
        connection.response.create(model="script", input="hello", instructions="i", metadata={"a": "b"})
        while True:
            event = connection.recv()
            type(event).model_validate(event.to_dict())
            if event.type in TERMINAL:
                break
    assert event.type == "response.completed"


def test_the_sdk_reads_on_what_goes_on_in_the_background_and_cancels_it(sdk: OpenAI) -> None:
    stream = sdk.responses.create(model="script", input="hello", background=True, stream=True)
    events = [event for event, _ in zip(stream, range(5), strict=False)]
    stream.close()
    response_id = events[0].response.id  # type: ignore[union-attr]
    rest = sdk.responses.retrieve(response_id, stream=True, starting_after=events[-1].sequence_number)
    events += list(rest)
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == ANSWER
    assert sdk.responses.retrieve(response_id).output_text == ANSWER
    assert sdk.responses.cancel(response_id).status == "completed", "what has ended stays as it is"
    assert sdk.responses.create(model="script", input="hello").output_text == ANSWER
