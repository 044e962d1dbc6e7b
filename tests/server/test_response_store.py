"""Responses that a later one can continue."""

from __future__ import annotations

from spark_jupyter.providers.base import Message
from spark_jupyter.server.api_messages import Create
from spark_jupyter.server.response_store import Past, Record, ResponseStore


def record(name: str, tokens: int = 1) -> Record:
    return Record(id=name, create=Create(), past=Past(tokens=tokens))


def test_what_was_added_is_found_and_nothing_else() -> None:
    store = ResponseStore()
    store.add(record("a"))
    assert store.get("a") == record("a")
    assert store.get("b") is None


def test_a_full_store_lets_the_one_go_that_was_not_used_for_longest() -> None:
    store = ResponseStore(max_records=2)
    store.add(record("a"))
    store.add(record("b"))
    store.get("a")
    store.add(record("c"))
    assert [name for name in "abc" if store.get(name)] == ["a", "c"]


def test_the_size_of_the_conversations_is_limited_too() -> None:
    store = ResponseStore(max_tokens=100)
    for name in "abcde":
        store.add(record(name, tokens=40))
    assert [name for name in "abcde" if store.get(name)] == ["d", "e"]


def test_a_past_that_is_extended_stays_as_it_was() -> None:
    past = Past()
    longer = past.extended((Message("user", "12345678"),), ("be brief",))
    assert past == Past()
    assert longer.conversation == (Message("user", "12345678"),)
    assert longer.developer == ("be brief",)
    assert longer.tokens == 12
