"""Any messages of clients and engines in any order: the state machine never raises, and keeps its promises."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from spark_jupyter.server.engines.base import Fail, FunctionCall
from spark_jupyter.server.lanes import Limits
from tests.server.fakes import Event, FakeClient

TERMINAL = {"response.completed", "response.incomplete", "response.failed", "error"}
LANES = st.sampled_from([None, "a", "b", "c", "not a name"])

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
contents = st.text(max_size=20) | st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(["input_text", "output_text", "input_image"]), "text": st.text()})
)
items = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "developer", "robot"]), "content": contents}
)
inputs = st.text(max_size=20) | st.lists(items, max_size=3) | json_values


@st.composite
def creates(draw: st.DrawFn) -> dict[str, object]:
    event: dict[str, object] = {"type": "response.create", "model": draw(st.sampled_from(["m", "n", "none"]))}
    for name, values in {
        "input": inputs,
        "stream_id": LANES,
        "generate": st.booleans(),
        "store": st.booleans(),
        "max_output_tokens": st.integers(-1, 5),
        "instructions": st.text(max_size=5),
    }.items():
        if draw(st.booleans()):
            event[name] = draw(values)
    return event


steps = st.one_of(
    st.tuples(st.just("create"), creates(), st.integers(-1, 5)),
    st.tuples(st.just("steer"), inputs, st.integers(-1, 5)),
    st.tuples(
        st.just("write"), st.lists(st.text(max_size=6) | st.just(FunctionCall("f")), max_size=4), st.integers(0, 5)
    ),
    st.tuples(st.just("end"), st.none(), st.integers(0, 5)),
    st.tuples(st.just("fail"), st.booleans(), st.integers(0, 5)),
    st.tuples(st.just("junk"), st.binary(max_size=30) | st.text(max_size=30), st.just(0)),
    st.tuples(st.just("json"), st.dictionaries(st.sampled_from(["type", "input", "x"]), json_values), st.just(0)),
    st.tuples(st.just("wait"), st.sampled_from([0.0, 1.0, 4000.0]), st.just(0)),
)


@settings(max_examples=300)
@given(st.lists(steps, max_size=25))
def test_no_input_makes_the_state_machine_raise_or_break_the_order_of_events(
    script: list[tuple[str, Any, int]],
) -> None:
    client = FakeClient(limits=Limits(in_flight=2, waiting=3, pending_steers=2, lane_names=2, context_tokens=300))
    for kind, value, number in script:
        play(client, kind, value, number)
    check_order(client.events)
    check_sequence_numbers(client.events)


@settings(max_examples=200)
@given(st.lists(creates(), min_size=1, max_size=12))
def test_every_request_ends_with_exactly_one_terminal_event(requests: list[dict[str, object]]) -> None:
    client = FakeClient()
    for request in requests:
        client.send(**request)
    for job in client.jobs:  # it grows while the queue moves on
        client.write("x\n", job=job)
        client.end(job=job)
    assert sum(event["type"] in TERMINAL for event in client.events) == len(requests)
    assert client.connection.idle


def play(client: FakeClient, kind: str, value: Any, number: int) -> None:
    ids = [event["response"]["id"] for event in client.events if event["type"] == "response.created"]
    named = ids[number % len(ids)] if ids and number >= 0 else None
    job = client.jobs[number % len(client.jobs)] if client.jobs else None
    if kind == "create":
        client.send(**value, **({"previous_response_id": named} if named else {}))
    elif kind == "steer":
        client.steer(named or "resp_none", value)
    elif kind == "junk":
        client.send_text(value)
    elif kind == "json":
        client.send(**value)
    elif kind == "wait":
        client.wait(value)
    elif job is None:
        return
    elif kind == "write":
        client.write(*value, job=job)
    elif kind == "end":
        client.end(job=job)
    elif kind == "fail":
        client.fail(Fail(as_response=value), job=job)


def check_order(events: list[Event]) -> None:
    """Within a lane one response after the other; text and items only within a response; deltas make what the end says."""
    active: dict[str | None, str] = {}
    written: dict[str, str] = defaultdict(str)
    for event in events:
        kind, lane = event["type"], event.get("stream_id")
        if kind == "response.created":
            assert lane not in active
            active[lane] = event["response"]["id"]
        elif kind == "response.output_text.delta":
            assert lane in active
            written[event["item_id"]] += event["delta"]
        elif kind == "response.output_text.done":
            assert written[event["item_id"]] == event["text"]
        elif kind in TERMINAL - {"error"}:
            assert active.pop(lane) == event["response"]["id"]
        elif kind == "error" and "sequence_number" in event:
            del active[lane]


def check_sequence_numbers(events: list[Event]) -> None:
    """In a lane the numbers count from 0 at each ``response.created``; what comes after the end (steering) counts along."""
    following: dict[str | None, int] = {}
    for event in events:
        lane, number = event.get("stream_id"), event.get("sequence_number")
        if number is None or (event["type"] == "response.steer.failed" and number == 0):
            continue
        if event["type"] == "response.created":
            assert number == 0
        else:
            assert number == following[lane]
        following[lane] = number + 1
