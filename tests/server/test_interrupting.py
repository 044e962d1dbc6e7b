"""``response.interrupt``: a response ends at once, its lane and its connection go on."""

from __future__ import annotations

import json

import pytest

from tests.server.fakes import FakeClient, types


def test_an_interrupted_response_ends_at_once_without_the_item_that_is_not_whole() -> None:
    client = FakeClient()
    client.create()
    response_id = client.jobs[-1].response_id
    client.write("Hel", "lo")
    events = client.send(type="response.interrupt", response_id=response_id, mode="discard_partial_items")
    assert types(events) == ["response.incomplete"]
    response = events[0]["response"]
    assert (response["status"], response["incomplete_details"]) == ("incomplete", {"reason": "interrupted"})
    assert response["output"] == []
    assert not client.connection.wants(response_id)


def test_the_lane_goes_on_from_what_was_asked_before() -> None:
    client = FakeClient()
    client.create("one")
    response_id = client.jobs[-1].response_id
    client.write("Hel")
    client.send(type="response.interrupt", response_id=response_id)
    client.create("two", previous_response_id=response_id)
    assert [message.text for message in client.jobs[-1].conversation] == ["one", "two"]


def test_what_waits_in_the_lane_starts_then() -> None:
    client = FakeClient()
    client.create("one")
    response_id = client.jobs[-1].response_id
    client.create("two")
    events = client.send(type="response.interrupt", response_id=response_id)
    assert types(events) == ["response.incomplete", "response.created", "response.in_progress"]


@pytest.mark.parametrize("named", ["resp_never", ""])
def test_of_what_is_not_under_way_nothing_is_interrupted_and_no_lane_hears_an_error(named: str) -> None:
    client = FakeClient()
    client.create()
    response_id = client.jobs[-1].response_id
    events = client.send(type="response.interrupt", response_id=named)
    assert types(events) == ["response.interrupt.failed"]
    assert events[0]["error"]["code"] == "response_not_active"
    assert client.connection.wants(response_id)


def test_an_interrupt_that_is_not_well_formed_is_refused() -> None:
    client = FakeClient()
    events = client.send(type="response.interrupt", response_id=7)
    assert types(events) == ["error"]
    assert "error" in json.dumps(events)
