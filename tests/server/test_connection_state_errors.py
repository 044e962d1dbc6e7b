"""Errors of a connection, and its end: each is an event that says why."""

from __future__ import annotations

import pytest

from spark_jupyter.server.engines.base import Fail
from spark_jupyter.server.lanes import Limits
from tests.server.fakes import FakeClient, only, types

# --- Errors


@pytest.mark.parametrize(
    "frame", ["", "{", "[]", "null", '"x"', "\x00", b"\xff\xfe", b'{"type": "\xff"}', "[" * 100_000]
)
def test_what_is_not_a_json_object_is_answered_with_an_error(frame: str | bytes) -> None:
    error = only(FakeClient().send_text(frame))
    assert error["type"] == "error"
    assert error["status"] == 400
    assert error["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("event", "param"),
    [
        ({"type": "response.cancel"}, "type"),
        ({"type": 7}, "type"),
        ({"type": "response.create", "model": "m", "input": [{"role": "robot"}]}, "input[0].role"),
        ({"type": "response.create", "model": 7}, "model"),
        ({"type": "response.create", "model": "m", "input": "x", "service_tier": "slow"}, "service_tier"),
        ({"type": "response.create", "model": "m", "input": "x", "max_output_tokens": 0}, "max_output_tokens"),
        ({"type": "response.create", "model": "m", "input": "x", "background": True}, "background"),
        ({"type": "response.create", "input": "x"}, "model"),
        ({"type": "response.create", "model": "m"}, "input"),
        ({"type": "response.create", "model": "m", "input": []}, "input"),
        ({"type": "response.create", "model": "m", "input": [{"role": "user"}]}, "input[0].content"),
        ({"type": "response.create", "model": "m", "input": [{"content": "x"}]}, "input[0].role"),
        ({"type": "response.create", "model": "m", "input": [{"type": "item_reference", "id": "x"}]}, "input[0].type"),
        (
            {
                "type": "response.create",
                "model": "m",
                "input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}],
            },
            "input[0].content[0]",
        ),
    ],
)
def test_a_wrong_request_is_answered_with_the_field_that_is_wrong(event: dict[str, object], param: str) -> None:
    client = FakeClient()
    error = only(client.send(**event))
    assert error["type"] == "error"
    assert error["status"] == 400
    assert error["error"]["type"] == "invalid_request_error"
    assert error["error"]["message"]
    assert error["error"]["param"] == param
    assert types(client.create(generate=False))[-1] == "response.completed"


def test_an_unknown_model_is_refused_with_the_models_that_there_are() -> None:
    error = only(FakeClient().create(model="gpt"))
    assert error["error"]["code"] == "model_not_found"
    assert "m, n" in error["error"]["message"]


def test_unknown_fields_are_ignored_so_that_newer_clients_work() -> None:
    assert types(FakeClient().create(verbosity="high", stream=True, generate=False))[-1] == "response.completed"


def test_a_conversation_larger_than_the_window_is_refused() -> None:
    client = FakeClient(limits=Limits(context_tokens=100))
    assert only(client.create("x" * 400))["error"]["code"] == "context_length_exceeded"
    first = client.turn("x" * 300)
    assert only(client.create("x" * 100, previous_response_id=first))["error"]["code"] == "context_length_exceeded"


def test_a_failure_before_or_after_the_first_word_is_an_error_event_of_the_lane() -> None:
    client = FakeClient()
    client.create(stream_id="a")
    client.write("so far")
    fail = Fail(status=429, code="rate_limit_exceeded", message="Slow down.", headers={"retry-after": "2"})
    error = only(client.fail(fail))
    assert (error["status"], error["stream_id"]) == (429, "a")
    assert error["error"]["code"] == "rate_limit_exceeded"
    assert error["error"]["headers"] == {"retry-after": "2"}
    assert types(client.create(stream_id="a", generate=False))[-1] == "response.completed"


def test_a_failure_as_a_response_closes_the_item_and_says_why() -> None:
    client = FakeClient()
    client.create()
    client.write("so far")
    events = client.fail(Fail(code="server_error", message="Broken.", as_response=True))
    assert types(events)[-2:] == ["response.output_item.done", "response.failed"]
    assert events[-1]["response"]["error"] == {"code": "server_error", "message": "Broken."}
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == "so far"


# --- The end


def test_a_connection_ends_at_its_lifetime_with_an_error_that_says_so() -> None:
    client = FakeClient()
    client.create()
    assert client.wait(3599) == []
    error = only(client.wait(1))
    assert error["error"]["code"] == "websocket_connection_limit_reached"
    assert "60 minutes" in error["error"]["message"]
    assert client.connection.close_expected
    assert client.write("late") == client.create() == client.wait(1) == []


def test_after_close_nothing_is_wanted_any_more() -> None:
    client = FakeClient()
    client.create()
    client.create()
    client.connection.close()
    assert not client.connection.wants(client.jobs[0].response_id)
    assert client.end() == []
    assert client.connection.idle
