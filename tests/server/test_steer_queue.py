"""Steers: accepted, pending, committed by a successor, failed."""

from __future__ import annotations

import pytest

from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines.base import Fail, FunctionCall
from spark_jupyter.server.lanes import Limits
from spark_jupyter.server.steer_queue import REMEMBERED
from tests.server.fakes import FakeClient, only, text, types


def test_a_steer_ends_the_response_at_the_end_of_the_line_and_a_successor_follows() -> None:
    client = FakeClient()
    client.create("plot it", instructions="i", stream_id="a", store=False, max_output_tokens=100)
    first = client.jobs[0]
    client.write("import a\nimport ")
    accepted = only(client.steer(first.response_id))
    assert accepted["type"] == "response.steer.accepted"
    assert accepted["steer"]["previous_response_id"] == first.response_id
    assert accepted["stream_id"] == "a"
    events = client.write("b\nimport c\n", job=first)
    assert text(client.events) == "import a\nimport b\n"
    incomplete = next(event for event in events if event["type"] == "response.incomplete")
    assert incomplete["response"]["incomplete_details"] == {"reason": "steered"}
    assert not client.connection.wants(first.response_id)
    assert types(events)[-2:] == ["response.created", "response.in_progress"]
    created = events[-2]
    assert created["stream_id"] == "a"
    assert created["response"]["previous_response_id"] == first.response_id
    assert (created["response"]["instructions"], created["response"]["max_output_tokens"]) == ("i", 100)
    assert client.jobs[1].conversation == (
        Message("user", "plot it"),
        Message("assistant", "import a\nimport b\n"),
        Message("user", "rather that"),
    )
    assert client.jobs[1].instructions == "i"


def test_the_sequence_numbers_of_a_steered_response_have_no_gap() -> None:
    client = FakeClient()
    client.create()
    client.write("a")
    client.steer(client.jobs[0].response_id)
    client.write("b\n", job=client.jobs[0])
    numbers = [event["sequence_number"] for event in client.events]
    assert numbers == [*range(len(numbers) - 2), 0, 1]


def test_a_steer_at_the_end_of_a_line_or_before_the_first_word_acts_at_once() -> None:
    client = FakeClient()
    client.create()
    assert "response.incomplete" in types(client.steer(client.jobs[-1].response_id))
    client.write("a\n")
    assert "response.incomplete" in types(client.steer(client.jobs[-1].response_id))
    assert [len(job.conversation) for job in client.jobs] == [1, 2, 4]


def test_an_answer_that_completes_before_the_line_ends_has_a_successor_too() -> None:
    client = FakeClient()
    client.create()
    client.write("a")
    client.steer(client.jobs[0].response_id)
    events = client.end(job=client.jobs[0])
    assert types(events)[-3:] == ["response.completed", "response.created", "response.in_progress"]


def test_several_steers_are_committed_together_in_their_order() -> None:
    client = FakeClient()
    client.create()
    client.write("a")
    first = client.jobs[0].response_id
    ids = [only(client.steer(first, words))["steer"]["id"] for words in ("one", "two")]
    assert len(set(ids)) == 2
    client.write("\n", job=client.jobs[0])
    assert [message.text for message in client.jobs[1].conversation[-2:]] == ["one", "two"]


def test_the_successor_comes_before_what_waits_in_the_lane() -> None:
    client = FakeClient()
    client.create("one")
    client.create("two")
    client.steer(client.jobs[0].response_id, "steered")
    assert client.jobs[1].conversation[-1].text == "steered"
    client.end()
    assert client.jobs[2].conversation[-1].text == "two"


def test_a_successor_can_be_steered_again() -> None:
    client = FakeClient()
    client.create("one")
    client.steer(client.jobs[-1].response_id, "two")
    client.steer(client.jobs[-1].response_id, "three")
    assert [message.text for message in client.jobs[-1].conversation] == ["one", "two", "three"]


def test_a_steer_of_a_response_with_a_call_is_pending_until_the_result_comes() -> None:
    client = FakeClient()
    client.create("look", stream_id="a")
    response = client.jobs[0].response_id
    client.write("Looking", FunctionCall("look"), " and")
    steer = only(client.steer(response))["steer"]
    events = client.end()
    assert types(events)[-2:] == ["response.completed", "response.steer.pending"]
    pending = events[-1]
    assert pending["steer"] == steer
    assert pending["reason"] == "waiting_for_required_input"
    assert pending["stream_id"] == "a"
    required = pending["required_input"][0]
    assert (required["type"], required["name"]) == ("function_call_output", "look")
    client.create([{**required, "output": "42"}], previous_response_id=response, stream_id="a", instructions="own")
    assert [message.text for message in client.jobs[-1].conversation[-2:]] == ["rather that", "42"]
    assert client.jobs[-1].instructions == "own"


def test_a_pending_steer_is_committed_only_once() -> None:
    client = FakeClient()
    client.create("look")
    response = client.jobs[0].response_id
    client.write("x", FunctionCall("look"), "y")
    client.steer(response)
    required = client.end()[-1]["required_input"]
    result = [{**required[0], "output": "42"}]
    client.create(result, previous_response_id=response)
    client.end()
    client.create(result, previous_response_id=response)
    assert [message.text for message in client.jobs[-1].conversation].count("rather that") == 0


def test_steering_can_be_unsupported() -> None:
    client = FakeClient(steering=False)
    client.create()
    failed = only(client.steer(client.jobs[0].response_id))
    assert failed["error"]["code"] == "steering_not_supported"


def test_a_steer_of_no_response_gives_the_input_back() -> None:
    failed = only(FakeClient().steer("resp_none", "words"))
    assert failed["type"] == "response.steer.failed"
    assert failed["error"]["code"] == "response_not_found"
    assert failed["error"]["type"] == "invalid_request_error"
    assert failed["error"]["message"]
    assert failed["steer"] == {"previous_response_id": "resp_none", "input": "words"}


def test_a_steer_of_an_ended_response_says_how_it_ended() -> None:
    client = FakeClient()
    done = client.turn(stream_id="a")
    failed = only(client.steer(done))
    assert (failed["error"]["code"], failed["stream_id"]) == ("response_already_completed", "a")
    client.create()
    client.fail(Fail())
    assert only(client.steer(client.jobs[-1].response_id))["error"]["code"] == "response_not_active"


def test_a_response_that_ended_long_ago_is_forgotten() -> None:
    client = FakeClient()
    first = client.turn()
    for _ in range(REMEMBERED):
        client.create(generate=False)
    assert only(client.steer(first))["error"]["code"] == "response_not_found"


@pytest.mark.parametrize(
    "given",
    [
        "",
        [],
        7,
        None,
        [{"role": "assistant", "content": "x"}],
        [{"role": "user", "content": [{"type": "input_image"}]}],
        [{"role": "user", "content": "x", "name": "y"}],
        [{"type": "function_call_output", "call_id": "c", "output": "x"}],
    ],
)
def test_a_steer_takes_text_of_the_user_only(given: object) -> None:
    client = FakeClient()
    client.create(stream_id="a")
    response = client.jobs[0].response_id
    failed = only(client.steer(response, given))
    assert failed["type"] == "response.steer.failed"
    assert failed["error"]["code"] == "invalid_input"
    assert failed["steer"] == {"previous_response_id": response, "input": given}
    assert failed["stream_id"] == "a"
    assert client.connection.wants(response)


def test_a_steer_with_a_lane_is_refused() -> None:
    client = FakeClient()
    client.create(stream_id="a")
    response = client.jobs[0].response_id
    event = {"type": "response.steer", "previous_response_id": response, "input": "x", "stream_id": "a"}
    assert only(client.send(**event))["error"]["code"] == "invalid_input"


def test_a_steer_takes_messages_with_text_parts() -> None:
    client = FakeClient()
    client.create()
    parts = [{"type": "input_text", "text": "so"}, {"type": "input_text", "text": " there"}]
    client.steer(client.jobs[0].response_id, [{"type": "message", "role": "user", "content": parts}])
    assert client.jobs[-1].conversation[-1] == Message("user", "so there")


def test_too_many_steers_of_a_response_are_refused() -> None:
    client = FakeClient(limits=Limits(pending_steers=2))
    client.create()
    client.write("a")
    response = client.jobs[0].response_id
    codes = [only(client.steer(response)).get("error", {}).get("code") for _ in range(3)]
    assert codes == [None, None, "too_many_pending_steers"]


def test_a_steer_that_was_accepted_is_given_back_when_the_response_fails() -> None:
    client = FakeClient()
    client.create()
    client.write("a")
    steer = only(client.steer(client.jobs[0].response_id, "words"))["steer"]
    failed = client.fail(Fail())[-1]
    assert failed["type"] == "response.steer.failed"
    assert failed["error"]["code"] == "successor_creation_failed"
    assert failed["steer"] == {**steer, "input": "words"}


def test_a_steer_that_is_too_large_for_the_window_is_given_back() -> None:
    client = FakeClient(limits=Limits(context_tokens=50))
    client.create()
    client.write("a")
    steer = only(client.steer(client.jobs[0].response_id, "x" * 400))["steer"]
    events = client.write("\n", job=client.jobs[0])
    assert types(events)[-2:] == ["response.incomplete", "response.steer.failed"]
    assert events[-1]["error"]["code"] == "successor_creation_failed"
    assert events[-1]["steer"]["id"] == steer["id"]
    assert types(client.create(generate=False))[-1] == "response.completed"
