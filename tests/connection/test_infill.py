"""The dialects that fill in the middle, each on a real socket against a server that speaks it."""

from __future__ import annotations

import asyncio
import json

import pytest

from spark_jupyter.connection import connect
from spark_jupyter.exceptions import RequestRefused
from spark_jupyter.providers.base import Infill, ResponseCompleted, ResponseIncomplete, Usage
from tests.connection.peers import (
    QUICK,
    begin_events,
    choice,
    chunk,
    collect,
    end_events,
    event_chunk,
    http_peer,
    reply,
    request,
    text_of,
)

INFILL = Infill(prefix="a = 1\nb = a + ", suffix="\nprint(b)", context="import math")


def ask(dialect: str, serve, *, path: str, infill: Infill | None = INFILL):
    """What the server was sent and what became of its answer."""

    async def answer(writer, method, where, body):
        if method == "GET":
            reply(writer, b'{"data":[{"id":"m"}]}')
        else:
            assert where == path
            serve(writer)

    async def run():
        async with http_peer(answer) as server:
            connection = connect(choice(server.url.removesuffix("/v1") + path_of(dialect), dialect), options=QUICK)
            try:
                asked = request("hi", infill=infill, max_output_tokens=64)
                events = await collect(connection.stream(asked))
            finally:
                await connection.close()
            return json.loads(server.requests[-1][3]), events

    return asyncio.run(run())


def path_of(dialect: str) -> str:
    from spark_jupyter.providers import dialects

    return dialects.OVER_HTTP[dialect].base_path


def events(*data: object):
    def serve(writer) -> None:
        begin_events(writer)
        for each in data:
            event_chunk(writer, each if isinstance(each, str) else json.dumps(each))
        end_events(writer)

    return serve


def test_mistral_is_given_prompt_and_suffix_and_answers_like_a_chat():
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    sent, said = ask(
        "fim",
        events(
            {"id": "c", "choices": [{"index": 0, "delta": {"content": "math"}}]},
            {
                "id": "c",
                "choices": [{"index": 0, "delta": {"content": ".pi"}, "finish_reason": "stop"}],
                "usage": usage,
            },
            "[DONE]",
        ),
        path="/v1/fim/completions",
    )
    assert (sent["prompt"], sent["suffix"]) == ("import math\n\na = 1\nb = a + ", "\nprint(b)")
    assert (sent["model"], sent["max_tokens"], sent["stream"]) == ("m", 64, True)
    assert text_of(said) == "math.pi"
    assert said[-1] == ResponseCompleted(response_id="c", usage=Usage(input_tokens=9, output_tokens=2))


def test_inception_answers_with_text():
    _, said = ask(
        "fim",
        events(
            {"id": "c", "choices": [{"index": 0, "text": "math.pi"}]},
            {"id": "c", "choices": [{"index": 0, "text": "", "finish_reason": "length"}]},
        ),
        path="/v1/fim/completions",
    )
    assert text_of(said) == "math.pi"
    assert said[-1] == ResponseIncomplete(reason="max_output_tokens", response_id="c")


def test_deepseek_is_asked_for_a_completion_with_a_suffix():
    sent, said = ask(
        "completions",
        events({"id": "c", "choices": [{"index": 0, "text": "math.pi", "finish_reason": "stop"}]}, "[DONE]"),
        path="/beta/completions",
    )
    assert (sent["prompt"], sent["suffix"]) == ("import math\n\na = 1\nb = a + ", "\nprint(b)")
    assert sent["stream_options"] == {"include_usage": True}
    assert text_of(said) == "math.pi"


def test_llama_cpp_is_given_the_cells_above_as_a_file_and_the_line_as_the_prompt():
    last = {"content": "", "stop": True, "stop_type": "eos", "tokens_evaluated": 20, "tokens_predicted": 3}
    sent, said = ask(
        "infill",
        events(
            {"content": "math", "stop": False}, {"content": ".pi", "stop": False}, {**last, "timings": {"cache_n": 15}}
        ),
        path="/infill",
    )
    assert (sent["input_prefix"], sent["prompt"], sent["input_suffix"]) == ("a = 1\n", "b = a + ", "\nprint(b)")
    assert sent["input_extra"] == [{"filename": "notebook.py", "text": "import math"}]
    assert sent["n_predict"] == 64
    assert text_of(said) == "math.pi"
    assert said[-1] == ResponseCompleted(usage=Usage(input_tokens=20, cached_tokens=15, output_tokens=3))


def test_ollama_answers_in_lines_of_json_wherever_they_are_cut():
    def serve(writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
        lines = [
            {"response": "math"},
            {"response": ".pi"},
            {"done": True, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 2},
        ]
        whole = "".join(json.dumps(line) + "\n" for line in lines).encode()
        for start in range(0, len(whole), 5):
            chunk(writer, whole[start : start + 5])
        end_events(writer)

    sent, said = ask("generate", serve, path="/api/generate")
    assert (sent["prompt"], sent["suffix"]) == ("import math\n\na = 1\nb = a + ", "\nprint(b)")
    assert sent["options"] == {"num_predict": 64}
    assert text_of(said) == "math.pi"
    assert said[-1] == ResponseCompleted(usage=Usage(input_tokens=7, output_tokens=2))


def test_ollama_says_that_a_model_can_not_fill_in_the_middle():
    def serve(writer) -> None:
        reply(writer, b'{"error":"m does not support insert"}', status="400 Bad Request")

    with pytest.raises(RequestRefused, match="does not support insert"):
        ask("generate", serve, path="/api/generate")


@pytest.mark.parametrize(
    ("dialect", "path"),
    [
        ("fim", "/v1/fim/completions"),
        ("completions", "/beta/completions"),
        ("infill", "/infill"),
        ("generate", "/api/generate"),
    ],
)
def test_a_prompt_is_refused_before_it_is_sent(dialect, path):
    with pytest.raises(RequestRefused, match="takes no prompts"):
        ask(dialect, events(), path=path, infill=None)
