"""Bodies that are no stream of events, options that a server does not know, and a base URL with a query, on real sockets."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from spark_jupyter.exceptions import ConnectionLost, ProviderError, RequestRefused
from spark_jupyter.providers.base import ResponseCompleted
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import Settings, choose
from tests.connection.http_peers import Writer, chat_chunk, connected, greet
from tests.connection.peers import choice, collect, collect_until_error, http_peer, reply, request, text_of

WHOLE = {"object": "chat.completion", "choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}
LINES = "\n".join([chat_chunk("Hel"), chat_chunk("lo"), chat_chunk(finish="stop")])
ERROR = {"error": {"message": "the worker died", "code": 400}}


async def answered(body: str, kind: str = "text/event-stream") -> tuple[str, ProviderError | None, int]:
    posts = 0

    async def answer(writer: Writer, method: str, path: str, _: bytes) -> None:
        nonlocal posts
        posts += method == "POST"
        reply(writer, body.encode(), kind=kind)

    async with http_peer(answer) as server, connected(choice(server.url, "chat")) as connection:
        text, error = await collect_until_error(connection.stream(request()))
        return text, error, posts


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "text/plain", "application/x-ndjson"])
@pytest.mark.parametrize(
    "body", [json.dumps(WHOLE), json.dumps(WHOLE, indent=2), json.dumps([WHOLE]), LINES, f"\n {LINES}\n"]
)
def test_an_answer_that_is_json_is_taken_whatever_it_is_called(kind: str, body: str) -> None:
    assert asyncio.run(answered(body, kind)) == ("Hello", None, 1)


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(ERROR),
        json.dumps(ERROR, indent=2) + "\n\n",
        f": hello\n\n{json.dumps(ERROR)}\n\n",
        "event: error\ndata: the worker died\n\n",
        "event:error\ndata:" + json.dumps({"message": "the worker died"}) + "\n\n",
        f"data: {chat_chunk('Hello')}\n\n{json.dumps(ERROR)}\n\n",
        f"data: {chat_chunk('Hello')}\n\n{json.dumps(ERROR)}",
    ],
)
def test_an_error_in_whatever_place_is_quoted_and_nothing_is_asked_twice(body: str) -> None:
    text, error, posts = asyncio.run(answered(body))
    assert text == ("Hello" if "Hello" in body else "")
    assert isinstance(error, RequestRefused)
    assert "the worker died" in str(error)
    assert posts == 1


@pytest.mark.parametrize(
    "between", ["data:\n\n", "data: ping\n\n", "data: [HEARTBEAT]\n\n", "retry: 9\n\n", "event: ping\ndata: {}\n\n"]
)
def test_signs_of_life_are_no_part_of_an_answer(between: str) -> None:
    body = between.join(
        f"data: {each}\n\n" for each in (chat_chunk("Hel"), chat_chunk("lo"), chat_chunk(finish="stop"))
    )
    assert asyncio.run(answered(body)) == ("Hello", None, 1)


def test_a_count_in_a_chunk_of_its_own_ends_an_answer_and_one_beside_text_does_not() -> None:
    usage = {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    alone = f"data: {chat_chunk('Hello')}\n\ndata: {json.dumps({'choices': [], **usage})}\n\n"
    assert asyncio.run(answered(alone)) == ("Hello", None, 1)
    beside = f"data: {json.dumps({**json.loads(chat_chunk('Hello')), **usage})}\n\n"
    assert isinstance(asyncio.run(answered(beside))[1], ConnectionLost)


def test_a_body_that_is_no_answer_is_quoted() -> None:
    _, error, _ = asyncio.run(answered("upstream connect error", "text/plain"))
    assert "upstream connect error" in str(error)


def test_a_stream_of_nothing_but_usage_is_no_answer() -> None:
    _, error, _ = asyncio.run(answered('data: {"choices":[],"usage":{"prompt_tokens":1}}\n\ndata: [DONE]\n\n'))
    assert error is not None
    assert not isinstance(error, ConnectionLost)


REFUSALS: list[dict[str, Any]] = [
    {
        "message": {
            "detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options", "include_usage"], "msg": "no"}]
        }
    },
    {"error": {"message": "property 'stream_options' is unsupported"}},
    {"error": {"message": "Unknown parameter.", "param": "stream_options"}},
    {"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]},
]


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("refusal", REFUSALS)
def test_an_option_that_a_server_does_not_know_is_left_out(refusal: dict[str, Any], status: int) -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        if b"stream_options" in body:
            reply(writer, json.dumps(refusal).encode(), status=f"{status} No")
        else:
            await greet(writer, method, path, body)

    async def run() -> None:
        async with http_peer(answer) as server, connected(choice(server.url, "chat")) as connection:
            for _ in range(2):
                assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            assert len(server.requests) == 3  # it is refused once

    asyncio.run(run())


def test_the_limit_of_an_answer_goes_by_the_name_that_the_server_knows() -> None:
    said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."

    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        if b'"max_tokens"' in body:
            reply(writer, json.dumps({"error": {"message": said, "param": "max_tokens"}}).encode(), status="400 No")
        else:
            assert b'"max_completion_tokens":9' in body
            await greet(writer, method, path, body)

    async def run() -> None:
        async with http_peer(answer) as server, connected(choice(server.url, "chat")) as connection:
            events = await collect(connection.stream(request(max_output_tokens=9)))
            assert isinstance(events[-1], ResponseCompleted)

    asyncio.run(run())


def test_the_query_of_a_base_url_goes_along_with_each_request() -> None:
    paths: list[str] = []

    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        paths.append(path)
        if method == "GET":
            reply(writer, b'{"data":[]}')
        else:
            reply(writer, json.dumps(WHOLE).encode())

    async def run() -> None:
        async with http_peer(answer) as server:
            url = f" {server.url.removesuffix('/v1')}/openai/deployments/x/chat/completions?api-version=2024-10-21 "
            chosen = choose(profiles={}, settings=Settings(base_url=url, model="m", dialect="chat"))
            assert chosen is not None
            assert chosen.profile == Profile(name="custom", title=chosen.where)
            async with connected(chosen) as connection:
                await connection.open()
                await collect(connection.stream(request()))

    asyncio.run(run())
    place = "/openai/deployments/x"
    assert paths == [f"{place}/models?api-version=2024-10-21", f"{place}/chat/completions?api-version=2024-10-21"]


def test_requests_at_once_agree_on_the_dialect() -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        if path.endswith("/responses"):
            await asyncio.sleep(0.05)
            reply(writer, b'{"detail":"Not Found"}', status="404 Not Found")
        else:
            await greet(writer, method, path, body)

    async def run() -> None:
        async with http_peer(answer) as server, connected(choice(server.url, "auto")) as connection:
            answers = await asyncio.gather(*(collect(connection.stream(request())) for _ in range(4)))
            assert [text_of(each) for each in answers] == ["Hello, world"] * 4

    asyncio.run(run())
