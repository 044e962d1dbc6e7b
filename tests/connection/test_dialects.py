"""A dialect that the package does not have is added from outside: its own class, a profile and one registration."""

from __future__ import annotations

import asyncio
import json
from typing import ClassVar

import msgspec
import pytest

from spark_jupyter.connection import connect
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers import dialects
from spark_jupyter.providers.base import ModelEvent, ModelRequest, ResponseCompleted, ResponseStarted, TextDelta, Usage
from spark_jupyter.providers.model_list import Listed, read_models
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import Choice, Secret, Settings, choose, parse_profiles
from tests.connection.peers import KEY, QUICK, begin_events, collect, end_events, event_chunk, http_peer, reply, request


class Messages:
    """Anthropic's Messages, as far as a test needs them: another endpoint, another header, other events."""

    path: ClassVar[str] = "/messages"
    base_path: ClassVar[str] = "/v1"

    def __init__(self, profile: Profile) -> None:
        self._most = profile.context_window or 1

    def headers(self, key: str) -> dict[str, str]:
        return {"x-api-key": key, "anthropic-version": "2023-06-01"}

    def models(self, body: bytes) -> list[Listed]:
        return read_models(body)

    def endpoint(self, request: ModelRequest) -> str:
        return self.path

    def encode(self, request: ModelRequest) -> bytes:
        said = [{"role": message.role, "content": message.text} for message in request.input]
        body = {"model": request.model, "system": request.instructions, "messages": said, "stream": True}
        return msgspec.json.encode({**body, "max_tokens": request.max_output_tokens or self._most})

    def decoder(self, request: ModelRequest, *, where: str = "") -> MessagesDecoder:
        return MessagesDecoder()


class MessagesDecoder:
    def __init__(self) -> None:
        self.ended = False

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        event = json.loads(data)
        match event["type"]:
            case "message_start":
                return [ResponseStarted(response_id=event["message"]["id"])]
            case "content_block_delta":
                return [TextDelta(event["delta"]["text"])]
            case "message_stop":
                self.ended = True
                return [ResponseCompleted(usage=Usage())]
        return []

    def receive_end(self) -> list[ModelEvent]:
        return []


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dialects.OVER_HTTP, "messages", Messages)  # type: ignore[arg-type]


async def answer(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
    if method == "GET":
        reply(writer, b'{"data":[{"id":"claude"}]}')
        return
    begin_events(writer)
    event_chunk(writer, json.dumps({"type": "message_start", "message": {"id": "msg_1"}}))
    for word in ("Hello", ", world"):
        event_chunk(writer, json.dumps({"type": "content_block_delta", "delta": {"type": "text_delta", "text": word}}))
    event_chunk(writer, json.dumps({"type": "message_stop"}))
    end_events(writer)


def chosen(url: str) -> Choice:
    text = f'[mine]\nbase_url = "{url}"\ndialect = "messages"\nmodel = "claude"\ncontext_window = 200_000\n'
    found = choose(
        profiles=parse_profiles(text, origin="a test"),
        settings=Settings(profile="mine", api_key=Secret(KEY)),
        environ={},
    )
    assert found is not None
    return found


@pytest.mark.usefixtures("registered")
def test_a_registered_dialect_is_spoken_in_its_own_way() -> None:
    async def run() -> None:
        async with http_peer(answer) as server:
            choice = chosen(server.url.removesuffix("/v1"))
            connection = connect(choice, options=QUICK)
            try:
                await connection.open()
                events = await collect(connection.stream(request("hi", model="")))
                assert [model.id for model in await connection.models()] == ["claude"]
            finally:
                await connection.close()
            assert [event.text for event in events if isinstance(event, TextDelta)] == ["Hello", ", world"]
            assert isinstance(events[-1], ResponseCompleted)
            assert [(method, path) for method, path, *_ in server.requests] == [
                ("GET", "/v1/models"),
                ("POST", "/v1/messages"),
                ("GET", "/v1/models"),
            ]
            for _, _, headers, _ in server.requests:
                assert headers["x-api-key"] == KEY
                assert "authorization" not in headers
            sent = json.loads(server.requests[1][3])
            assert (sent["system"], sent["max_tokens"]) == ("be brief", 200_000)

    asyncio.run(run())


@pytest.mark.usefixtures("registered")
def test_the_endpoint_of_a_registered_dialect_may_stand_in_the_url() -> None:
    assert chosen("http://localhost:1/v1/messages").base_url == "http://localhost:1/v1"


def test_what_is_not_registered_is_no_dialect_and_the_error_names_those_that_are() -> None:
    with pytest.raises(ConfigurationError, match="messages") as caught:
        chosen("http://localhost:1/v1")
    assert all(name in caught.value.remedy for name in dialects.names())
