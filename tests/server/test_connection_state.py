"""The protocol's state machine: requests, answers, lanes, continuation, errors."""

from __future__ import annotations

import pytest

from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines.base import Fail, FunctionCall
from spark_jupyter.server.lanes import Limits
from spark_jupyter.server.response_store import ResponseStore
from tests.server.fakes import FakeClient, only, text, types


def user(words: str) -> Message:
    return Message("user", words)


def assistant(words: str) -> Message:
    return Message("assistant", words)


# --- One response


def test_a_response_has_all_its_events_in_order() -> None:
    client = FakeClient()
    client.create()
    client.write("Hel", "lo")
    client.end()
    assert types(client.events) == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert [event["sequence_number"] for event in client.events] == list(range(10))


def test_the_text_of_the_deltas_is_the_text_of_the_done_events_and_of_the_response() -> None:
    client = FakeClient()
    client.create()
    client.write("Grüße", ", ", "Welt 🌍\n")
    done = client.end()
    assert text(client.events) == "Grüße, Welt 🌍\n"
    assert done[0]["text"] == done[1]["part"]["text"] == text(client.events)
    assert done[2]["item"]["content"][0]["text"] == text(client.events)
    assert done[3]["response"]["output"] == [done[2]["item"]]
    assert done[3]["response"]["status"] == done[2]["item"]["status"] == "completed"


def test_the_created_response_is_in_progress_and_echoes_the_request() -> None:
    client = FakeClient()
    created = client.create(
        instructions="be brief",
        store=False,
        max_output_tokens=50,
        reasoning={"effort": "low"},
        service_tier="fast",
        prompt_cache_key="k",
        metadata={"a": "b"},
        temperature=0.5,
        stream_options={"include_obfuscation": False},
    )[0]["response"]
    assert created["status"] == "in_progress"
    assert created["model"] == "m"
    assert created["created_at"] == 1000
    assert created["output"] == []
    assert created["usage"] is None
    expected = {"instructions": "be brief", "store": False, "max_output_tokens": 50, "metadata": {"a": "b"}}
    assert expected.items() <= created.items()
    assert created["reasoning"]["effort"] == "low"
    assert created["service_tier"] == "priority"


def test_usage_comes_with_the_terminal_event_and_adds_up() -> None:
    client = FakeClient()
    client.create("12345678", instructions="1234")
    client.write("a", "b", "c")
    usage = client.end()[-1]["response"]["usage"]
    assert usage["input_tokens"] == 4 + 2 + 4 + 1  # a quarter of the characters, and four for each message
    assert usage["output_tokens"] == 3
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    assert usage["input_tokens_details"]["cached_tokens"] == 0


def test_an_answer_without_a_word_completes_without_an_item() -> None:
    client = FakeClient()
    client.create()
    assert types(client.end()) == ["response.completed"]
    assert client.events[-1]["response"]["output"] == []


def test_an_answer_ends_when_it_has_the_tokens_that_were_asked_for() -> None:
    client = FakeClient()
    client.create(max_output_tokens=2)
    job = client.jobs[0]
    events = client.write("one ", "two ", "three")
    assert text(events) == "one two "
    assert events[-1]["type"] == "response.incomplete"
    assert events[-1]["response"]["incomplete_details"] == {"reason": "max_output_tokens"}
    assert events[-2]["item"]["status"] == "incomplete"
    assert not client.connection.wants(job.response_id)
    assert client.write("four") == client.end() == []


def test_a_lone_surrogate_in_an_answer_becomes_a_replacement_and_breaks_nothing() -> None:
    client = FakeClient()
    client.create()
    client.write("a\ud800b")
    assert text(client.events) == "a\ufffdb"
    assert client.end()[0]["text"] == "a\ufffdb"


def test_a_function_call_is_an_item_of_its_own_after_the_text() -> None:
    client = FakeClient()
    client.create()
    client.write("Let me see.", FunctionCall("look", '{"at": 1}'))
    terminal = client.end()[-1]["response"]
    assert [item["type"] for item in terminal["output"]] == ["message", "function_call"]
    call = terminal["output"][1]
    assert (call["name"], call["arguments"], call["status"]) == ("look", '{"at": 1}', "completed")
    added = [event for event in client.events if event["type"] == "response.output_item.added"]
    assert [event["output_index"] for event in added] == [0, 1]


# --- What the engine is given


def test_the_engine_gets_a_string_as_one_message_and_items_as_they_are() -> None:
    client = FakeClient()
    client.create("hello")
    client.end()
    client.create(
        [
            {"role": "user", "content": "one"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "two"}], "id": "x"},
            {"type": "reasoning", "summary": []},
            {"role": "user", "content": [{"type": "input_text", "text": "th"}, {"type": "input_text", "text": "ree"}]},
        ]
    )
    assert client.jobs[0].conversation == (user("hello"),)
    assert client.jobs[1].conversation == (user("one"), assistant("two"), user("three"))


def test_the_developers_messages_join_the_instructions() -> None:
    client = FakeClient()
    client.create(
        [{"role": "developer", "content": "in German"}, {"role": "user", "content": "x"}], instructions="short"
    )
    assert client.jobs[0].instructions == "short\n\nin German"
    assert client.jobs[0].conversation == (user("x"),)


# --- Continuation


def test_a_continuation_brings_the_whole_conversation_and_counts_it_as_cached() -> None:
    client = FakeClient()
    first = client.turn("one", "1\n")
    client.create("two", previous_response_id=first)
    assert client.jobs[-1].conversation == (user("one"), assistant("1\n"), user("two"))
    assert client.end()[-1]["response"]["usage"]["input_tokens_details"]["cached_tokens"] > 0
    assert client.events[-1]["response"]["previous_response_id"] == first


def test_instructions_are_not_inherited_but_the_developers_messages_are() -> None:
    client = FakeClient()
    first = client.turn([{"role": "system", "content": "stay"}, {"role": "user", "content": "x"}], instructions="go")
    client.create("two", previous_response_id=first)
    assert client.jobs[-1].instructions == "stay"


def test_a_warm_up_says_nothing_and_can_be_continued() -> None:
    client = FakeClient()
    events = client.create("context", generate=False, store=False, instructions="i")
    assert types(events) == ["response.created", "response.in_progress", "response.completed"]
    assert client.jobs == []
    assert events[-1]["response"]["output"] == []
    assert events[-1]["response"]["usage"]["output_tokens"] == 0
    client.create("go", previous_response_id=events[0]["response"]["id"], store=False)
    assert client.jobs[-1].conversation == (user("context"), user("go"))


def test_a_warm_up_needs_no_input() -> None:
    client = FakeClient()
    assert types(client.create(None, generate=False))[-1] == "response.completed"


def test_an_unstored_response_can_be_continued_as_long_as_it_is_the_latest_of_its_lane() -> None:
    client = FakeClient()
    first = client.turn("one", store=False)
    second = client.turn("two", previous_response_id=first, store=False)
    error = only(client.create("three", previous_response_id=first, store=False))
    assert error["error"]["code"] == "previous_response_not_found"
    assert error["status"] == 400
    client.create("three", previous_response_id=second, store=False)
    assert len(client.jobs) == 3


def test_a_stored_response_can_be_forked_as_often_as_one_likes() -> None:
    client = FakeClient()
    first = client.turn("one", "1")
    client.turn("two", previous_response_id=first)
    client.create("three", previous_response_id=first)
    assert client.jobs[-1].conversation == (user("one"), assistant("1"), user("three"))


def test_an_unstored_response_can_be_forked_into_another_lane() -> None:
    client = FakeClient()
    first = client.turn("one", "1", store=False)
    client.create("a", previous_response_id=first, store=False, stream_id="a")
    client.create("b", previous_response_id=first, store=False, stream_id="b")
    assert [job.conversation[-1] for job in client.jobs[-2:]] == [user("a"), user("b")]


def test_another_connection_knows_the_stored_responses_only() -> None:
    store = ResponseStore()
    client, other = FakeClient(store=store), FakeClient(store=store)
    unstored, stored = client.turn("one", store=False), client.turn("two")
    assert only(other.create(previous_response_id=unstored))["error"]["code"] == "previous_response_not_found"
    other.create(previous_response_id=stored)
    assert other.jobs


def test_an_error_evicts_the_unstored_parent_that_the_request_named() -> None:
    client = FakeClient()
    first = client.turn("one", store=False)
    assert only(client.create("two", previous_response_id=first, model="none"))["error"]["code"] == "model_not_found"
    assert only(client.create("two", previous_response_id=first))["error"]["code"] == "previous_response_not_found"


def test_a_malformed_request_evicts_too() -> None:
    client = FakeClient()
    first = client.turn("one", store=False)
    assert only(client.create(7, previous_response_id=first))["error"]["code"] == "invalid_value"
    assert only(client.create("two", previous_response_id=first))["error"]["code"] == "previous_response_not_found"


def test_a_failed_answer_evicts_the_parent_too() -> None:
    client = FakeClient()
    first = client.turn("one", store=False)
    client.create("two", previous_response_id=first, store=False)
    client.fail(Fail())
    assert only(client.create("two", previous_response_id=first))["error"]["code"] == "previous_response_not_found"


def test_an_error_in_one_lane_leaves_the_other_lanes_alone() -> None:
    client = FakeClient()
    client.create(stream_id="a")
    assert only(client.create(stream_id="b", model="none"))["stream_id"] == "b"
    client.write("fine", job=client.jobs[0])
    assert client.end(job=client.jobs[0])[-1]["type"] == "response.completed"


def test_a_function_call_must_be_answered_before_the_conversation_goes_on() -> None:
    client = FakeClient()
    client.create()
    client.write(FunctionCall("look"))
    response = client.end()[-1]["response"]
    call_id = response["output"][0]["call_id"]
    refused = only(client.create("and?", previous_response_id=response["id"]))
    assert call_id in refused["error"]["message"]
    result = [{"type": "function_call_output", "call_id": call_id, "output": "42"}]
    client.create(result, previous_response_id=response["id"])
    assert client.jobs[-1].conversation[-1] == user("42")


# --- Lanes


def test_events_name_their_lane_and_those_of_the_default_lane_name_none() -> None:
    client = FakeClient()
    client.create(stream_id="left")
    client.create()
    left, default = client.jobs
    client.write("a", "b", job=left)
    assert {event.get("stream_id") for event in client.events if "response" not in event} == {"left"}
    assert {event.get("stream_id") for event in client.end(job=left)} == {"left"}
    assert {event.get("stream_id", "-") for event in client.write("c", job=default)} == {"-"}


def test_a_lane_is_first_in_first_out() -> None:
    client = FakeClient()
    client.create("one")
    assert client.create("two") == client.create("three") == []
    assert [job.conversation for job in client.jobs] == [(user("one"),)]
    assert types(client.end())[-2:] == ["response.created", "response.in_progress"]
    client.end()
    assert [job.conversation for job in client.jobs] == [(user("one"),), (user("two"),), (user("three"),)]


def test_a_queued_request_may_continue_the_one_before_it() -> None:
    client = FakeClient()
    first = client.create("one", store=False)[0]["response"]["id"]
    client.create("two", previous_response_id=first, store=False)
    client.write("1")
    client.end()
    assert client.jobs[-1].conversation == (user("one"), assistant("1"), user("two"))


def test_queued_warm_ups_all_get_their_turn() -> None:
    client = FakeClient()
    client.create("one")
    for _ in range(20):
        client.create("warm", generate=False)
    assert types(client.end()).count("response.completed") == 21
    assert client.connection.idle


def test_lanes_run_beside_each_other_up_to_the_limit_and_the_rest_wait() -> None:
    client = FakeClient(limits=Limits(in_flight=2))
    for lane in "abc":
        client.create(lane, stream_id=lane)
    assert [job.conversation for job in client.jobs] == [(user("a"),), (user("b"),)]
    client.end(job=client.jobs[0])
    assert client.jobs[-1].conversation == (user("c"),)


def test_a_busy_lane_does_not_hold_up_the_lanes_behind_it_in_the_queue() -> None:
    client = FakeClient()
    client.create("a1", stream_id="a")
    client.create("a2", stream_id="a")
    client.create("b", stream_id="b")
    assert [job.conversation for job in client.jobs] == [(user("a1"),), (user("b"),)]


def test_the_thirty_third_lane_name_is_refused_and_the_old_ones_still_work() -> None:
    client = FakeClient()
    for number in range(32):
        assert types(client.create(stream_id=f"lane{number}", generate=False))[-1] == "response.completed"
    error = only(client.create(stream_id="one.more"))
    assert error["error"]["code"] == "websocket_stream_limit_reached"
    assert error["stream_id"] == "one.more"
    assert types(client.create(stream_id="lane7", generate=False))[-1] == "response.completed"
    assert types(client.create(generate=False))[-1] == "response.completed"


@pytest.mark.parametrize("name", ["", "a b", "ä", "a" * 257, "a/b", "a\n"])
def test_a_lane_name_that_does_not_fit_the_pattern_is_refused(name: str) -> None:
    error = only(FakeClient().create(stream_id=name))
    assert error["error"]["code"] == "invalid_stream_id"
    assert "stream_id" not in error


def test_the_longest_lane_name_is_taken() -> None:
    assert FakeClient().create(stream_id="a" * 256, generate=False)[-1]["stream_id"] == "a" * 256


def test_too_many_waiting_requests_are_refused_with_429() -> None:
    client = FakeClient(limits=Limits(waiting=2))
    client.create()
    assert client.create() == client.create() == []
    error = only(client.create())
    assert (error["status"], error["error"]["code"]) == (429, "rate_limit_exceeded")
