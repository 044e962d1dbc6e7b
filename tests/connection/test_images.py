"""Images in requests: each dialect's form, what a list says of them, and the gate before them, on real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from spark_jupyter.connection import connect
from spark_jupyter.exceptions import RequestRefused
from spark_jupyter.protocol.values import Image
from spark_jupyter.providers import dialects
from spark_jupyter.providers.base import IMAGES_LEFT_OUT, Message, ModelRequest
from spark_jupyter.providers.continuation import Continuation
from spark_jupyter.providers.model_choice import reads_images
from spark_jupyter.providers.model_list import read_models
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import load_profiles
from spark_jupyter.providers.refusals import Refusal
from spark_jupyter.routing.image_gate import ImageGate
from spark_jupyter.routing.link import Link
from spark_jupyter.session.retry_policy import next_attempt
from tests.connection.peers import QUICK, HTTPPeer, choice, collect, collect_until_error, http_peer, reply, text_of

FIGURE = Image(media_type="image/png", data="aGVsbG8=", width=640, height=480, name="figure")
URL = "data:image/png;base64,aGVsbG8="
SEEN = Message("user", "Why is it empty?", (FIGURE,))
ASKED = ModelRequest(model="m", instructions="be brief", input=(SEEN,))


def body(dialect: str) -> dict[str, Any]:
    provider = {**dialects.OVER_HTTP, **dialects.OVER_WEBSOCKET}[dialect](Profile(name="test"))
    fields: dict[str, Any] = json.loads(provider.encode(ASKED))
    return fields


def test_chat_has_the_images_in_parts_as_the_sdk_types_them() -> None:
    from openai.types.chat import ChatCompletionUserMessageParam  # it takes a second to load
    from pydantic import TypeAdapter

    message = body("chat")["messages"][1]
    TypeAdapter(ChatCompletionUserMessageParam).validate_python(message)
    image, text = message["content"]
    assert image == {"type": "image_url", "image_url": {"url": URL}}
    assert text == {"type": "text", "text": "Why is it empty?"}


@pytest.mark.parametrize("dialect", ["responses-sse", "responses-websocket"])
def test_responses_have_them_as_the_sdk_types_them(dialect: str) -> None:
    from openai.types.responses import EasyInputMessageParam  # it takes a second to load
    from pydantic import TypeAdapter

    (message,) = body(dialect)["input"]
    TypeAdapter(EasyInputMessageParam).validate_python(message)
    assert message["content"][0] == {"type": "input_image", "image_url": URL, "detail": "auto"}


def test_anthropic_has_them_before_the_text_that_is_cached() -> None:
    (message,) = body("anthropic")["messages"]
    image, text = message["content"]
    assert image == {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}
    assert "cache_control" in text


def test_gemini_has_them_inline() -> None:
    (message,) = body("gemini")["contents"]
    assert message["parts"][0] == {"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}}


def test_a_message_without_images_is_plain_text_as_before() -> None:
    plain = structs.replace(ASKED, input=(Message("user", "hi"),))
    (_, message) = json.loads(dialects.OVER_HTTP["chat"](Profile(name="test")).encode(plain))["messages"]
    assert message["content"] == "hi"


def test_a_continued_response_is_not_sent_the_same_image_again() -> None:
    known = Continuation.after(ASKED, "r1", "Because.")
    more = (Message("assistant", "Because."), Message("user", "And now?"))
    assert known.new_input(structs.replace(ASKED, input=(SEEN, *more))) == more[1:]
    other = Message("user", SEEN.text, (structs.replace(FIGURE, data="b3RoZXI="),))
    assert known.new_input(structs.replace(ASKED, input=(other, *more))) is None


@pytest.mark.parametrize(
    ("fields", "reads"),
    [
        ({}, None),
        ({"architecture": {"input_modalities": ["text", "image"]}}, True),
        ({"architecture": {"input_modalities": ["text"]}}, False),
        ({"capabilities": {"completion_chat": True, "vision": False}}, False),
        ({"capabilities": {"image_input": {"supported": True}}}, True),
        ({"capabilities": ["completion", "multimodal"]}, True),
        ({"capabilities": ["completion"]}, False),
        ({"tags": ["reasoning", "vision"]}, True),
        ({"architecture": "llama", "capabilities": 3, "tags": {}}, None),
        ({"owned_by": "spark-jupyter"}, False),
    ],
)
def test_lists_say_in_their_own_ways_whether_a_model_reads_images(fields: dict[str, Any], reads: bool | None) -> None:
    (model,) = read_models(json.dumps({"data": [{"id": "m", **fields}]}).encode())
    assert model.images is reads


def test_a_profile_says_which_models_read_images() -> None:
    known = load_profiles(())
    assert reads_images(known["anthropic"], "claude-sonnet-5-5") is True
    assert reads_images(known["spark"], "gpt-5.3-codex-spark") is False
    assert reads_images(known["openai"], "gpt-6.1-sol") is True
    assert reads_images(known["ollama"], "qwen3-vl:8b") is None
    assert reads_images(known["spark"], "gpt-5.3-codex-spark", True) is True


def answers(said: str, listed: dict[str, Any] | None = None) -> Callable[..., Any]:
    async def answer(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
        if method == "GET":
            reply(writer, json.dumps({"data": [{"id": "m", **(listed or {})}]}).encode())
            return
        whole = {"object": "chat.completion", "choices": [{"message": {"content": said}, "finish_reason": "stop"}]}
        reply(writer, json.dumps(whole).encode())

    return answer


async def through(
    gate: ImageGate, answer: Callable[..., Any], *, asks: int = 1, agrees: bool = True, **known: Any
) -> tuple[list[str], list[str], HTTPPeer]:
    """The texts of the answers, why images were left out, and the server."""
    async with http_peer(answer) as server:
        connection = connect(choice(server.url, "chat"), options=QUICK)
        link = Link(connection=connection, model="m", provider="Test", place=f"127.0.0.1:{server.port}", **known)
        if agrees:
            gate.allow(link, allowed=True)
        texts, reasons = [], []
        try:
            for _ in range(asks):
                request, reason = await gate.fit(link, ASKED)
                reasons.append(reason)
                texts.append(text_of(await collect(connection.stream(request))))
        finally:
            await connection.close()
        return texts, reasons, server


def sent(server: HTTPPeer) -> list[str]:
    return [each.decode() for _, _, _, each in server.requests if each]


def test_no_image_leaves_before_a_person_has_agreed_and_then_it_is_remembered(tmp_path: Path) -> None:
    file = tmp_path / "data" / "places.txt"
    reads = {"images": lambda model: True}
    _, (reason,), server = asyncio.run(through(ImageGate(file), answers("ok"), agrees=False, **reads))
    assert reason == "Images were not sent: Test gets none before you allow it. Use %spark images on, then ask again."
    (only,) = sent(server)
    assert "base64" not in only
    assert IMAGES_LEFT_OUT in only

    _, (reason,), server = asyncio.run(through(ImageGate(file), answers("ok"), **reads))
    assert reason == ""
    assert URL in sent(server)[0]
    assert file.read_text() == f"127.0.0.1:{server.port}\n"
    link = Link(connection=None, model="m", provider="Test", place=f"127.0.0.1:{server.port}")  # type: ignore[arg-type]
    assert ImageGate(file).agreed(link)
    ImageGate(file).allow(link, allowed=False)
    assert not ImageGate(file).agreed(link)
    assert not ImageGate(file).agreed(structs.replace(link, place="127.0.0.1:1"))


def test_a_model_that_is_known_to_read_none_is_sent_none(tmp_path: Path) -> None:
    gate = ImageGate(tmp_path / "places.txt")
    _, (reason,), server = asyncio.run(through(gate, answers("ok", {"capabilities": ["completion"]})))
    assert reason == "m reads no images, so none was sent. Choose one that does with %spark model NAME."
    assert all("base64" not in each for each in sent(server))


@pytest.mark.parametrize(("said", "reads"), [("Orange.", True), ("It is red", False), ("I can't see pictures.", False)])
def test_a_model_of_which_nobody_says_is_tested_once(said: str, reads: bool, tmp_path: Path) -> None:
    texts, reasons, server = asyncio.run(through(ImageGate(tmp_path / "places.txt"), answers(said), asks=2))
    assert texts == [said, said]
    test, *turns = sent(server)
    assert "Which colour" in test
    assert [URL in each for each in turns] == [reads, reads]
    assert [reason == "" for reason in reasons] == [reads, reads]


@pytest.mark.parametrize(
    ("message", "reads"),
    [
        ("image_url is not supported by this model", "no"),
        ("This model is not multimodal", "no"),
        ("image exceeds 5 MB maximum", "yes"),
        ("Could not process image", "yes"),
        ("at most 4 images may be given", "yes"),
    ],
)
def test_a_model_that_refuses_images_is_not_sent_them_again(message: str, reads: str, tmp_path: Path) -> None:
    async def answer(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
        if b"base64" in body:
            reply(writer, json.dumps({"error": {"message": message}}).encode(), status="400 Bad Request")
        else:
            await answers("ok", {"capabilities": {"vision": True}})(writer, method, path, body)

    async def run() -> None:
        gate = ImageGate(tmp_path / "places.txt")
        async with http_peer(answer) as server:
            connection = connect(choice(server.url, "chat"), options=QUICK)
            link = Link(connection=connection, model="m", provider="Test", place=f"127.0.0.1:{server.port}")
            gate.allow(link, allowed=True)
            try:
                request, reason = await gate.fit(link, ASKED)
                assert (request, reason) == (ASKED, "")
                _, error = await collect_until_error(connection.stream(request))
                assert error is not None
                gate.learn(link, request, error)
                assert (await gate.support(link, "")).reads == reads
                request, reason = await gate.fit(link, ASKED)
                assert reason.startswith("m reads no images") == (reads == "no")
                if reads == "no":
                    assert text_of(await collect(connection.stream(request))) == "ok"
            finally:
                await connection.close()

    asyncio.run(run())


def test_a_client_is_told_what_would_be_sent(tmp_path: Path) -> None:
    async def ask() -> Any:
        async with http_peer(answers("ok", {"capabilities": {"vision": True}})) as server:
            connection = connect(choice(server.url, "chat"), options=QUICK)
            link = Link(connection=connection, model="m", provider="Test", place="here")
            try:
                return await ImageGate(tmp_path / "places.txt").support(link, "")
            finally:
                await connection.close()

    support = asyncio.run(ask())
    assert (support.provider, support.model, support.reads, support.agreed) == ("Test", "m", "yes", False)


class Asked:
    request, resent, elsewhere, waits, said = ASKED, False, False, 0, ""


def test_images_that_a_server_refuses_are_left_out_with_a_sentence() -> None:
    refusal = Refusal(status=400, message="this model does not support image input")
    retry = next_attempt(Asked(), RequestRefused(refusal.message), None)  # type: ignore[arg-type]
    assert retry is not None
    assert retry.notice == "The provider refused the images. Asking again without them."
    assert not retry.request.input[0].images
    assert retry.request.input[0].text.endswith(IMAGES_LEFT_OUT)


def test_the_tokens_of_an_image_go_by_its_size() -> None:
    assert FIGURE.tokens == 410
    assert structs.replace(FIGURE, width=10, height=10).tokens == 258
