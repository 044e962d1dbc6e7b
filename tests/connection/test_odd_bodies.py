"""Bodies that are no stream of events, options that a server does not know, and a base URL with a query, on real sockets."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from msgspec import structs

from spark_jupyter.exceptions import ConnectionLost, ProviderError, RequestRefused
from spark_jupyter.providers.base import ResponseCompleted
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import Settings, choose
from tests.connection.http_peers import Writer, chat_chunk, connected, greet
from tests.connection.peers import QUICK, choice, collect, collect_until_error, http_peer, reply, request, text_of

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


@pytest.mark.parametrize("status", [400, 422, 500])
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


def test_options_are_left_out_where_a_server_does_not_say_what_it_refuses() -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        if b"stream_options" in body:
            reply(writer, b"", status="422 No")
        else:
            await greet(writer, method, path, body)

    async def run() -> None:
        async with http_peer(answer) as server, connected(choice(server.url, "chat")) as connection:
            assert text_of(await collect(connection.stream(request()))) == "Hello, world"

    asyncio.run(run())


@pytest.mark.parametrize(
    "refusal",
    [
        {"message": "Your organization must be verified to stream this model.", "param": "stream"},
        {"message": "Unsupported value: 'stream' does not support true with this model."},
        {"message": "Streaming is not supported by this server."},
    ],
)
@pytest.mark.parametrize("dialect", ["chat", "responses-sse"])
def test_where_no_stream_is_served_the_answer_comes_whole(refusal: dict[str, str], dialect: str) -> None:
    output = [{"type": "message", "content": [{"type": "output_text", "text": "Hello"}]}]
    whole = {"chat": WHOLE, "responses-sse": {"object": "response", "status": "completed", "output": output}}

    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        if b'"stream":true' in body:
            reply(writer, json.dumps({"error": refusal}).encode(), status="400 No")
        else:
            assert b"stream_options" not in body
            reply(writer, json.dumps(whole[dialect]).encode())

    async def run() -> None:
        async with http_peer(answer) as server, connected(choice(server.url, dialect)) as connection:
            for _ in range(2):
                assert text_of(await collect(connection.stream(request()))) == "Hello"
            assert len(server.requests) == 3  # it is refused once

    asyncio.run(run())


def test_an_answer_that_comes_whole_may_take_as_long_as_a_model_thinks() -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        if b'"stream":true' in body:
            reply(writer, b'{"error": {"message": "Streaming is not supported"}}', status="400 No")
        else:
            await asyncio.sleep(1.0)
            reply(writer, json.dumps(WHOLE).encode())

    async def run() -> None:
        options = structs.replace(QUICK, first_patience=0.3)
        async with http_peer(answer) as server, connected(choice(server.url, "chat"), options) as connection:
            for _ in range(2):
                assert text_of(await collect(connection.stream(request()))) == "Hello"

    asyncio.run(run())


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("System role not supported", 400),
        ("jinja2.exceptions.TemplateError: System role not supported", 500),
        ("Unsupported value: 'messages[0].role' does not support 'system' with this model.", 400),
        ("Developer instruction is not enabled for models/gemma-3-27b-it", 400),
    ],
)
def test_instructions_stand_before_the_prompt_where_they_have_no_place_of_their_own(said: str, status: int) -> None:
    bodies: list[dict[str, Any]] = []

    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        if b'"system"' in body:
            reply(writer, json.dumps({"error": {"message": said}}).encode(), status=f"{status} No")
        else:
            bodies.append(json.loads(body))
            await greet(writer, method, path, body)

    async def run() -> None:
        async with http_peer(answer) as server, connected(choice(server.url, "chat")) as connection:
            assert text_of(await collect(connection.stream(request("hello", "hi", "again")))) == "Hello, world"

    asyncio.run(run())
    (body,) = bodies
    assert [each["role"] for each in body["messages"]] == ["user", "assistant", "user"]
    assert body["messages"][0]["content"] == "be brief\n\nhello"


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_json_that_is_no_answer_is_quoted_and_not_asked_for_again(kind: str) -> None:
    _, error, posts = asyncio.run(answered('{"success": true, "result": {"response": "Hello"}}', kind))
    assert error is not None
    assert not isinstance(error, ConnectionLost)
    assert "result" in str(error)
    assert posts == 1


@pytest.mark.parametrize("edge", ["\u200b", "\ufeff", "\u00a0", "\n"])
def test_what_nobody_sees_in_a_copied_base_url_is_no_part_of_it(edge: str) -> None:
    url = f"{edge}http://127.0.0.1:8000/v1{edge}"
    chosen = choose(profiles={}, settings=Settings(base_url=url, model="m", dialect="chat"))
    assert chosen is not None
    assert chosen.base_url == "http://127.0.0.1:8000/v1"


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


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        ("200 OK", '{"error": "Unexpected endpoint or method. (POST /v1/responses)"}', "application/json"),
        ("200 OK", "<!doctype html><title>Chat</title>", "text/html"),
        ("200 OK", "{}", "application/json"),
        ("400 Bad Request", '{"error": "Unknown endpoint"}', "application/json"),
        ("422 No", '{"detail": [{"loc": ["body", "messages"], "msg": "Field required"}]}', "application/json"),
        ("500 Error", '{"error": "not implemented"}', "application/json"),
        ("410 Gone", "", "text/plain"),
    ],
)
def test_an_endpoint_that_is_not_there_is_known_in_whatever_words(status: str, said: str, kind: str) -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        if path.endswith("/responses"):
            reply(writer, said.encode(), status=status, kind=kind)
        else:
            await greet(writer, method, path, body)

    async def run() -> None:
        async with http_peer(answer) as server, connected(choice(server.url, "auto")) as connection:
            answers = await asyncio.gather(*(collect(connection.stream(request())) for _ in range(3)))
            assert [text_of(each) for each in answers] == ["Hello, world"] * 3

    asyncio.run(run())


def test_another_error_of_the_first_dialect_is_told_as_it_is() -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        if path.endswith("/responses"):
            reply(writer, b'{"error": {"message": "The prompt is too long."}}', status="400 No")
        else:
            await greet(writer, method, path, body)

    async def run() -> None:
        async with http_peer(answer) as server, connected(choice(server.url, "auto")) as connection:
            _, error = await collect_until_error(connection.stream(request()))
            assert "too long" in str(error)

    asyncio.run(run())
