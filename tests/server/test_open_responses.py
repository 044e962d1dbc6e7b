"""Requirements of the Open Responses specification, by the cases of its own compliance tests, in our words.

Its command line needs ``bun`` and its repository, which no package registry has, so the cases are played here. ``make test-interop`` plays
them, too, and the command line itself where the repository can be had (tests/interop/test_open_responses.py); it names those that do not
apply.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spark_jupyter.server import ServerInfo, serve_in_thread
from spark_jupyter.server.engines.script import ScriptEngine
from tests.server.sockets import client, create, receive
from tests.server.test_http_api import Asked

NO_COMPACTING = "the embedded server does not compact conversations; the client folds them itself"
DOES_NOT_APPLY = {
    "image-input": "the embedded server takes text, and says so",
    "compact-response": NO_COMPACTING,
    "compact-missing-model": NO_COMPACTING,
    "websocket-compact-new-chain": NO_COMPACTING,
}
"""The cases that are not played, by their names there, and why. The recipe books and a model file call no tools: for these cases the
script of the tests does."""

CALL = {"name": "get_weather", "arguments": '{"location": "Paris"}'}
NUMBER = (int, float)
RESPONSE: dict[str, Any] = {
    "id": str,
    "object": str,
    "created_at": int,
    "completed_at": int | None,
    "status": str,
    "incomplete_details": dict | None,
    "model": str,
    "previous_response_id": str | None,
    "instructions": str | None,
    "output": list,
    "error": dict | None,
    "tools": list,
    "tool_choice": str | dict,
    "truncation": str,
    "parallel_tool_calls": bool,
    "text": dict,
    "top_p": NUMBER,
    "presence_penalty": NUMBER,
    "frequency_penalty": NUMBER,
    "top_logprobs": int,
    "temperature": NUMBER,
    "reasoning": dict | None,
    "usage": dict | None,
    "max_output_tokens": int | None,
    "max_tool_calls": int | None,
    "store": bool,
    "background": bool,
    "service_tier": str,
    "metadata": object,
    "safety_identifier": str | None,
    "prompt_cache_key": str | None,
}
"""What every response must have."""
MESSAGE = {"type": str, "id": str, "status": str, "role": str, "content": list}
FUNCTION_CALL = {"type": str, "id": str, "call_id": str, "name": str, "arguments": str, "status": str}
TEXT = {"type": str, "text": str, "annotations": list, "logprobs": list}
DELTA = {"item_id": str, "output_index": int, "content_index": int, "delta": str, "logprobs": list}
USAGE = {
    "input_tokens": int,
    "output_tokens": int,
    "total_tokens": int,
    "input_tokens_details": dict,
    "output_tokens_details": dict,
}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerInfo]:
    answers = [{"match": "weather", "call": CALL, "repeat": True}, {"answer": "Hello to you.", "repeat": True}]
    with serve_in_thread(engine=ScriptEngine({"answers": answers})) as info:  # type: ignore[dict-item]
        yield info


def user(text: str) -> dict[str, object]:
    return {"type": "message", "role": "user", "content": text}


def fits(value: dict[str, Any], shape: dict[str, Any]) -> None:
    for name, kind in shape.items():
        assert name in value, name
        assert isinstance(value[name], kind), (name, value[name])


def fits_a_response(response: dict[str, Any]) -> None:
    fits(response, RESPONSE)
    for item in response["output"]:
        fits(item, FUNCTION_CALL if item["type"] == "function_call" else MESSAGE)
        for part in item.get("content", ()):
            fits(part, TEXT)
    if response["usage"] is not None:
        fits(response["usage"], USAGE)


CASES = {
    "basic response": [user("Say hello.")],
    "system prompt": [{"type": "message", "role": "system", "content": "Be a pirate."}, user("Say hello.")],
    "several turns": [user("I am Ann."), {"type": "message", "role": "assistant", "content": "Hello."}, user("Who?")],
    "tool calling": [user("What is the weather?")],
    "a phase": [user("I am Ann."), {**user("Hello."), "role": "assistant", "phase": "final_answer"}, user("Who?")],
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_case_of_the_compliance_tests_is_answered_in_the_specified_form(
    server: ServerInfo, case: str, stream: bool
) -> None:
    tools = [{"type": "function", "name": "get_weather", "parameters": {"type": "object"}}]
    asked = Asked(
        server,
        "POST",
        "/responses",
        {"model": "script", "input": CASES[case], "stream": stream, **({"tools": tools} if "tool" in case else {})},
    )
    assert asked.status == 200
    if not stream:
        response = asked.json()
    else:
        assert asked.answer.headers.get_content_type() == "text/event-stream"
        events = asked.events()
        assert [event["sequence_number"] for event in events] == list(range(len(events)))
        for event in events:
            if event["type"] == "response.output_text.delta":
                fits(event, DELTA)
        kinds = {event["type"] for event in events}
        assert {"response.created", "response.output_item.added", "response.output_item.done"} <= kinds
        if case == "tool calling":
            assert {"response.function_call_arguments.delta", "response.function_call_arguments.done"} <= kinds
        response = events[-1]["response"]
    fits_a_response(response)
    assert response["status"] == "completed"
    assert response["completed_at"] >= response["created_at"]
    assert [item["type"] for item in response["output"]] == ["function_call" if "tool" in case else "message"]


def test_an_image_is_refused_in_a_sentence(server: ServerInfo) -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    content = [{"type": "input_text", "text": "What is it?"}, image]
    asked = Asked(server, "POST", "/responses", {"model": "script", "input": [{**user(""), "content": content}]})
    assert asked.status == 400
    assert "text only" in asked.json()["error"]["message"]


def test_turns_of_a_socket_follow_each_other_and_go_on_from_what_it_alone_remembers(server: ServerInfo) -> None:
    with client(server) as websocket:
        create(websocket, "Remember: cobalt.", store=False)
        first = receive(websocket)[-1]["response"]
        create(websocket, "Which word?", store=False, previous_response_id=first["id"])
        second = receive(websocket)[-1]["response"]
    for response in (first, second):
        fits_a_response(response)
        assert response["status"] == "completed"
    with client(server) as websocket:
        create(websocket, "Which word?", store=False, previous_response_id=second["id"])
        assert receive(websocket)[-1]["error"]["code"] == "previous_response_not_found"
        create(websocket, "Begin anew.", store=False)
        assert receive(websocket)[-1]["response"]["status"] == "completed"


def test_an_output_for_no_call_fails_and_the_response_that_it_named_is_forgotten(server: ServerInfo) -> None:
    output = [{"type": "function_call_output", "call_id": "call_of_nobody", "output": "Rain."}]
    with client(server) as websocket:
        create(websocket, "Remember: ember.", store=False)
        first = receive(websocket)[-1]["response"]["id"]
        create(websocket, output, store=False, previous_response_id=first)
        refused = receive(websocket)[-1]
        assert (refused["type"], refused["status"]) == ("error", 400)
        assert "call_of_nobody" in refused["error"]["message"]
        create(websocket, "Go on.", store=False, previous_response_id=first)
        assert receive(websocket)[-1]["error"]["code"] == "previous_response_not_found"


def test_an_output_goes_with_the_call_that_stands_before_it_also_where_all_is_sent_again(server: ServerInfo) -> None:
    call = {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "call_1", "output": "Rain."}
    whole = Asked(server, "POST", "/responses", {"model": "script", "input": [user("Hello."), call, output]})
    assert whole.json()["status"] == "completed"
