"""The engine with a real model: what it streams, counts, drops, refuses, and what it does when the model's process dies."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import psutil
import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.prompting.instructions import INSTRUCTIONS
from spark_jupyter.providers.base import Message, PromptProgress, Usage
from spark_jupyter.server import ServerInfo
from spark_jupyter.server.engines.base import Counted, Fail, Piece
from spark_jupyter.server.engines.llama import LlamaEngine, _Process
from spark_jupyter.server.engines.llama_options import Options
from tests.model.conftest import is_busy, until
from tests.server.sockets import client, get, receive, send

SAY = "You write short Python code."


def ask(engine: LlamaEngine, *texts: str, **options: object) -> list[Piece]:
    roles = ("user", "assistant")
    said = tuple(Message(roles[number % 2], text) for number, text in enumerate(texts))  # type: ignore[arg-type]
    return list(engine.answer(said, instructions=SAY, model="m", **options))  # type: ignore[arg-type]


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece for piece in pieces if isinstance(piece, str))


def usage_of(piece: Piece) -> Usage:
    assert isinstance(piece, Counted)
    assert piece.usage is not None
    return piece.usage


def test_what_every_prompt_begins_with_is_read_before_anybody_asks(weights: Path) -> None:
    fresh = LlamaEngine(weights, Options(threads=2, context=1024))
    try:
        fresh.start()
        fixed = INSTRUCTIONS
        said = (Message("user", "## Request\na llama in ASCII"),)
        answer = fresh.answer(said, instructions=fixed, model="m")
        told = next(piece for piece in answer if isinstance(piece, PromptProgress))
        answer.stop()  # type: ignore[attr-defined]
    finally:
        fresh.close()
    assert told.cached > told.total / 2


def test_with_one_slot_the_second_prompt_is_told_that_one_comes_first(weights: Path) -> None:
    one_slot = LlamaEngine(weights, Options(threads=2, context=1024, lanes=1))
    said = (Message("user", "## Request\na llama in ASCII"),)
    try:
        one_slot.start()
        first = one_slot.answer(said, instructions=SAY, model="m")
        while not isinstance(next(first), str):
            pass
        second = one_slot.answer(said, instructions=SAY, model="m")
        told = next(second)
        first.stop()  # type: ignore[attr-defined]
        list(first)
        rest = list(second)
    finally:
        one_slot.close()
    assert told == PromptProgress(total=0, waiting=1)
    assert isinstance(rest[-1], Counted)


def test_an_answer_says_where_it_is_from_is_one_closed_block_and_is_counted(engine: LlamaEngine) -> None:
    *pieces, counted = ask(engine, "## Request\nSay hello to the world in a friendly sonnet program", temperature=0.0)
    text = text_of(pieces)
    was_cut = isinstance(counted, Counted) and counted.incomplete == "max_output_tokens"  # it may well ramble
    assert text.startswith(f"From {engine.model.name}, a model on this machine")
    assert text.partition("\n\n")[2].startswith("```python\n")
    assert was_cut or (text.count("```") == 2 and text.endswith("```\n"))
    assert isinstance(pieces[0], PromptProgress)
    assert usage_of(counted).output_tokens > 0


def test_a_follow_up_does_not_read_again_what_was_asked_before(engine: LlamaEngine) -> None:
    """Its own answer it may read again: a model seldom writes its text in the tokens in which it would read it."""
    first = "## Request\nPrint a poem about the sea, in one line"
    *before, counted = ask(engine, first)
    asked = usage_of(counted).input_tokens
    counted = ask(engine, first, text_of(before), "## Request\nNow about the hills")[-1]
    assert usage_of(counted).cached_tokens >= asked - 1  # the turn's last token is a new line, that joins what follows


def test_a_recipe_that_fits_wins(engine: LlamaEngine) -> None:
    text = text_of(ask(engine, "## Request\nsort a list of dictionaries by a key"))
    assert "sorted(" in text
    assert engine.model.name not in text


def test_a_dropped_request_stops_while_its_prompt_is_read(engine: LlamaEngine) -> None:
    answer = engine.answer((Message("user", "## Request\n" + "word " * 700),), instructions=SAY, model="m")
    told = next(piece for piece in answer if isinstance(piece, PromptProgress) and piece.processed)
    answer.stop()  # type: ignore[attr-defined]
    until(lambda: not is_busy(engine))
    assert told.processed < told.total
    assert not [piece for piece in answer if isinstance(piece, (Counted, Fail))]


def test_a_dropped_request_stops_while_it_writes(engine: LlamaEngine) -> None:
    answer = engine.answer((Message("user", "## Request\nan endless saga of llamas"),), instructions=SAY, model="m")
    assert next(piece for piece in answer if isinstance(piece, str))
    answer.stop()  # type: ignore[attr-defined]
    until(lambda: not is_busy(engine))
    assert not [piece for piece in answer if isinstance(piece, Fail)]


def test_a_prompt_that_is_too_long_is_refused_with_the_numbers(engine: LlamaEngine) -> None:
    (failed,) = [piece for piece in ask(engine, "## Request\n" + "llama " * 3_000) if isinstance(piece, Fail)]
    assert "1024" in failed.message
    assert failed.status == 400


def test_threads_that_wait_do_not_spin(engine: LlamaEngine) -> None:
    process = psutil.Process(engine._running()._popen.pid)
    until(lambda: not is_busy(engine))
    before = sum(process.cpu_times()[:2])
    time.sleep(1.0)
    assert sum(process.cpu_times()[:2]) - before < 0.5


def test_a_process_that_dies_fails_the_answer_with_a_sentence_and_the_next_one_works(weights: Path) -> None:
    made = LlamaEngine(weights, Options(threads=2, context=512))
    try:
        answer = made.answer((Message("user", "## Request\nan endless saga of llamas"),), instructions=SAY, model="m")
        assert next(piece for piece in answer if isinstance(piece, str))
        psutil.Process(made._running()._popen.pid).send_signal(signal.SIGKILL)
        *_, failed = answer
        assert isinstance(failed, Fail)
        assert "process ended" in failed.message
        assert "```" in text_of(ask(made, "## Request\nprint a llama"))
    finally:
        made.close()


def test_a_process_whose_death_the_system_has_not_told_yet_is_not_asked_again(
    weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = LlamaEngine(weights, Options(threads=2, context=512))
    try:
        answer = made.answer((Message("user", "## Request\nan endless saga of llamas"),), instructions=SAY, model="m")
        assert next(piece for piece in answer if isinstance(piece, str))
        process = made._running()
        monkeypatch.setattr(_Process, "ended", None)  # of all that will be: nobody says so
        process._popen.kill()
        assert isinstance([*answer][-1], Fail)
        assert "```" in text_of(ask(made, "## Request\nprint a llama"))
    finally:
        made.close()


def test_the_server_tells_progress_usage_and_window_and_stops_at_the_tokens_that_were_allowed(
    server: ServerInfo,
) -> None:
    status, listed = get(server, "/v1/models")
    assert (status, listed["data"][0]["context_window"]) == (200, 1024)
    model = listed["data"][0]["id"]
    with client(server) as socket:
        send(socket, type="response.create", model=model, input="## Request\nan ode to llamas", instructions=SAY)
        events = receive(socket, timeout=300)
        assert events[-1]["type"] in ("response.completed", "response.incomplete")  # as it pleases the model
        assert events[-1]["response"]["usage"]["input_tokens"] > 0
        assert [event["prompt_progress"] for event in events if "prompt_progress" in event][-1]["processed"] > 0
        send(socket, type="response.create", model=model, input="## Request\nan ode to alpacas", max_output_tokens=3)
        cut = receive(socket, timeout=300)[-1]
    assert (cut["type"], cut["response"]["incomplete_details"]) == (
        "response.incomplete",
        {"reason": "max_output_tokens"},
    )


@pytest.mark.parametrize(
    ("options", "said"), [({"context": 100_000}, "trained for"), ({"context": 8192, "lanes": 10**6}, "does not fit")]
)
def test_what_can_not_be_is_said_before_anything_is_loaded(weights: Path, options: dict[str, int], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        LlamaEngine(weights, Options(**options))


def test_a_file_that_is_not_whole_fails_the_answer_with_a_sentence(weights: Path, tmp_path: Path) -> None:
    part = tmp_path / "part.gguf"
    part.write_bytes(weights.read_bytes()[:-100])  # its last tensor begins, and does not end
    made = LlamaEngine(part, Options(context=512))
    try:
        (failed,) = ask(made, "## Request\nprint a llama")
        assert isinstance(failed, Fail)
        assert "can't be loaded" in failed.message
    finally:
        made.close()
