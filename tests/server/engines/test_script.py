"""The engine that plays a script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.server import engines
from spark_jupyter.server.engines.base import Drop, Fail, FunctionCall, Message, Pause, Piece, Raw, Stall
from spark_jupyter.server.engines.script import ScriptEngine


def ask(engine: ScriptEngine, words: str) -> list[Piece]:
    return list(engine.answer((Message("user", words),), instructions="", model="script"))


def text(pieces: list[Piece]) -> str:
    return "".join(piece for piece in pieces if isinstance(piece, str))


def play(**answer: object) -> list[Piece]:
    """All pieces of one answer of four pieces."""
    return ask(ScriptEngine({"answers": [{"pieces": ["a", "b", "c", "d"], **answer}]}), "x")


def test_answers_are_played_in_their_order_and_the_last_one_again() -> None:
    engine = ScriptEngine({"answers": [{"answer": "one"}, {"answer": "two"}]})
    assert [text(ask(engine, "x")) for _ in range(3)] == ["one", "two", "two"]


def test_an_answer_may_be_for_one_model_only() -> None:
    engine = ScriptEngine({"models": ["*"], "answers": [{"model": "b", "answer": "of b"}, {"answer": "of any"}]})
    asked = (Message("user", "x"),)
    answers = [text(list(engine.answer(asked, instructions="", model=model))) for model in ("a", "b")]
    assert answers == ["of any", "of b"]


def test_an_answer_is_chosen_by_a_word_of_the_last_user_message() -> None:
    engine = ScriptEngine({"answers": [{"match": "Plot", "answer": "plotted"}, {"match": "load", "answer": "loaded"}]})
    assert text(ask(engine, "please LOAD it")) == "loaded"
    conversation = (Message("user", "load"), Message("assistant", "loaded"), Message("user", "and plot"))
    assert text(list(engine.answer(conversation, instructions="", model="script"))) == "plotted"


def test_the_same_request_can_get_a_correction_the_second_time() -> None:
    engine = ScriptEngine(
        {"answers": [{"match": "query", "answer": "unsafe"}, {"match": "query", "answer": "safe"}, {"answer": "else"}]}
    )
    assert [text(ask(engine, "query")) for _ in range(3)] == ["unsafe", "safe", "else"]


def test_an_answer_can_be_repeated_for_ever() -> None:
    engine = ScriptEngine({"answers": [{"answer": "one", "repeat": True}, {"answer": "two"}]})
    assert [text(ask(engine, "x")) for _ in range(3)] == ["one", "one", "one"]


def test_where_no_answer_fits_the_request_fails() -> None:
    fail = ask(ScriptEngine({"answers": [{"match": "a", "answer": "b"}]}), "z")[0]
    assert isinstance(fail, Fail)
    assert (fail.status, fail.code) == (400, "no_answer")


def test_what_was_asked_is_recorded() -> None:
    engine = ScriptEngine({"answers": [{"answer": "one"}]})
    list(engine.answer((Message("user", "x"),), instructions="be brief", model="script"))
    assert engine.asked == [((Message("user", "x"),), "be brief")]


@pytest.mark.parametrize(("tokens", "count"), [("split", 5), ("characters", 15), ("lines", 2)])
def test_the_text_can_be_split_in_several_ways(tokens: str, count: int) -> None:
    pieces = ask(ScriptEngine({"tokens": tokens, "answers": [{"answer": "import os\npass\n"}]}), "x")
    assert len(pieces) == count
    assert text(pieces) == "import os\npass\n"


def test_every_fault_comes_where_the_script_says() -> None:
    assert play(delay=0.5) == [Pause(0.5), "a", "b", "c", "d"]
    assert play(pause_after=1, pause=2) == ["a", Pause(2.0), "b", "c", "d"]
    assert play(drop_after=2)[:3] == ["a", "b", Drop()]
    assert play(drop_after=0, drop_code=1011)[0] == Drop(1011)
    assert play(stall_after=3)[3] == Stall()
    assert play(garbage_after=1)[1] == Raw('{"type": not json')
    assert play(garbage_after=1, garbage="<")[1] == Raw("<")
    assert play(giant=10)[-1] == "x" * 10
    assert play(call={"name": "f"})[-1] == FunctionCall("f")
    assert play(fail={"status": 429, "code": "slow"})[0] == Fail(status=429, code="slow")
    assert play(fail={}, fail_after=2)[2] == Fail()


def test_a_fault_after_the_end_of_the_text_still_comes() -> None:
    assert play(drop_after=100)[-1] == Drop()


@pytest.mark.parametrize("content", ["", "[]", '{"answers": [{"anwser": "x"}]}', '{"answers": 1}', "\xff"])
def test_a_script_that_is_wrong_is_refused_with_what_is_wrong(tmp_path: Path, content: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(ConfigurationError, match=r"script\.json"):
        ScriptEngine(path)


def test_engines_are_loaded_by_name(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"answers": [], "models": ["demo"]}))
    assert engines.load(f"script:{path}").models() == ["demo"]


@pytest.mark.parametrize("name", ["", "script", "script:", "llm"])
def test_an_unknown_engine_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError):
        engines.load(name)
