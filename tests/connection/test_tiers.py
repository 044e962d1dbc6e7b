"""Tiers and caches in the requests of each dialect, and what served, on real sockets."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from spark_jupyter.providers import dialects
from spark_jupyter.providers.base import ModelRequest, TierServed, Usage, tier_name
from spark_jupyter.providers.profile import Profile
from tests.connection.http_peers import Writer, connected
from tests.connection.peers import choice, collect, http_peer, reply, request

ANSWERS: dict[str, dict[str, Any]] = {
    "chat": {"object": "chat.completion", "service_tier": "default", "choices": [{"message": {"content": "Hi"}}]},
    "responses-sse": {"object": "response", "id": "r", "service_tier": "default", "output": []},
    "anthropic": {"type": "message", "content": [{"type": "text", "text": "Hi"}], "usage": {"speed": "standard"}},
}


@pytest.mark.parametrize(
    ("dialect", "field"), [("chat", "service_tier"), ("responses-sse", "service_tier"), ("anthropic", "speed")]
)
def test_a_tier_is_asked_for_and_the_one_that_served_is_told(dialect: str, field: str) -> None:
    bodies: list[dict[str, Any]] = []

    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        bodies.append(json.loads(body))
        reply(writer, json.dumps(ANSWERS[dialect]).encode())

    async def run() -> None:
        async with http_peer(answer) as server, connected(choice(server.url, dialect)) as connection:
            plain = await collect(connection.stream(request()))
            assert not any(isinstance(event, TierServed) for event in plain)
            events = await collect(connection.stream(request(tier="fast")))
            (served,) = (event.tier for event in events if isinstance(event, TierServed))
            assert tier_name(served) == ""
            headers = [head.get("anthropic-beta", "") for _, _, head, *_ in server.requests]
            assert [bool(each) for each in headers] == [False, dialect == "anthropic"]

    asyncio.run(run())
    assert [each.get(field) for each in bodies] == [None, "fast"]


def body(dialect: str, asked: ModelRequest, **profile: Any) -> dict[str, Any]:
    provider = dialects.OVER_HTTP[dialect](Profile(name="test", **profile))
    fields: dict[str, Any] = json.loads(provider.encode(asked))
    return fields


@pytest.mark.parametrize("dialect", ["chat", "responses-sse"])
def test_requests_of_one_beginning_have_one_cache_key(dialect: str) -> None:
    keys = [body(dialect, request(*said), cache_key=True)["prompt_cache_key"] for said in (["a"], ["a", "b", "c"])]
    assert keys[0] == keys[1]
    other = body(dialect, request("a", instructions="be long"), cache_key=True)["prompt_cache_key"]
    assert other != keys[0]
    assert "prompt_cache_key" not in body(dialect, request("a"))


def test_the_life_of_a_cache_is_asked_for() -> None:
    assert body("responses-sse", request("a"), cache_ttl="12h")["prompt_cache_options"] == {"ttl": "12h"}
    (system,) = body("anthropic", request("a"), cache_ttl="1h")["system"]
    assert system["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


def test_the_conversation_before_a_turn_and_the_turn_are_cached() -> None:
    messages = body("anthropic", request("a", "b", "c", "d", "e"))["messages"]
    assert ["cache_control" in each["content"][0] for each in messages] == [False, False, False, True, True]


def test_what_was_written_to_the_cache_is_counted() -> None:
    usage = {
        "input_tokens": 9,
        "output_tokens": 1,
        "input_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 5},
    }
    decoder = dialects.OVER_HTTP["responses-sse"](Profile(name="test")).decoder(request())
    events = decoder.receive_data(json.dumps({**ANSWERS["responses-sse"], "usage": usage}).encode())
    assert events[-1].usage == Usage(input_tokens=9, cached_tokens=2, cache_written_tokens=5, output_tokens=1)  # type: ignore[union-attr]
