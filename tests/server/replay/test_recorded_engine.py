"""The engine that answers from a recording, and the one that records."""

from __future__ import annotations

import time

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers.base import Message, Usage
from spark_jupyter.recordings.fingerprint import fingerprint
from spark_jupyter.recordings.recorder import Recorder
from spark_jupyter.recordings.recording_file import Ask, End, Exchange, Header, Recording, Request, load
from spark_jupyter.server import engines
from spark_jupyter.server.engines.base import Counted, Fail, FunctionCall
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.replay.recorded_engine import RecordedEngine, find
from spark_jupyter.server.replay.recording_engine import RecordingEngine
from tests.proportion import assert_in_proportion

CELLS = "## Cells\n### id={id} code\n```python\nimport pandas as pd\n```\n\n"


def asked(request: str, *, variable: str = "sales", cell: str = "c1", more: str = ""):
    variables = f"## Variables\n{variable}: DataFrame (9 × 2): x int64, y float64\n\n"
    return (Message("user", f"{CELLS.format(id=cell)}{variables}{more}## Request\n{request}"),)


def pieces(engine, conversation):
    return list(engine.answer(conversation, instructions="", model="any"))


def text(engine, conversation):
    return "".join(piece for piece in pieces(engine, conversation) if isinstance(piece, str))


@pytest.fixture
def recorded(tmp_path):
    """Records these answers to these conversations, and returns an engine that replays them."""
    path = tmp_path / "lesson.spark.jsonl"

    def record(*exchanges, real=False):
        recorder = Recorder(report=pytest.fail)
        recorder.begin(path)
        for conversation, answer in exchanges:
            answer = answer if isinstance(answer, dict) else {"answer": answer}
            list(pieces(RecordingEngine(ScriptEngine({"answers": [answer]}), recorder), conversation))
        return RecordedEngine(path, real=real)

    record.path = path
    return record


MEAN = "Here.\n\n```python\nsales['sales'].mean()\nprint(f'{sales}')\n```\n"


def test_the_same_prompt_gets_the_same_answer(recorded):
    engine = recorded((asked("mean of sales"), MEAN), (asked("plot sales"), "Other.\n"))
    assert text(engine, asked("Mean of sales.")) == MEAN


def test_a_renamed_variable_is_renamed_in_the_code_where_it_is_a_name(recorded):
    engine = recorded((asked("mean of sales"), MEAN))
    said = text(engine, asked("mean of df", variable="df"))
    assert said == MEAN.replace("sales[", "df[").replace("{sales}", "{df}")


def test_a_renamed_variable_is_renamed_beside_a_magic(recorded):
    engine = recorded((asked("mean of sales"), "```python\n%time sales.mean()\n```\n"))
    assert "%time df.mean()" in text(engine, asked("mean of df", variable="df"))


def test_a_new_date_is_put_in_and_one_in_another_spelling_is_said_to_be_the_old_one(recorded):
    engine = recorded(
        (asked("rows of 2024-01-02"), "```python\nsales.loc['2024-01-02']\n```\n"),
        (asked("rows before 2024-01-02"), "```python\npd.Timestamp(2024, 1, 2)\n```\n"),
    )
    assert text(engine, asked("rows of 2025-03-04")) == "```python\nsales.loc['2025-03-04']\n```\n"
    assert text(engine, asked("rows before 2025-03-04")).startswith("The recording has no answer to exactly this.")
    assert text(engine, asked("rows before 2024-01-02")).startswith("```python")


def test_a_near_prompt_gets_the_nearest_answer_with_a_word_that_says_so(recorded):
    engine = recorded((asked("plot y over x as a red line"), "```python\nplot()\n```\n"), (asked("mean of y"), MEAN))
    said = text(engine, asked("please plot y over x as a blue line"))
    assert said.startswith(
        "The recording has no answer to exactly this. This is the answer to: “plot y over x as a red line”"
    )
    assert said.endswith("```python\nplot()\n```\n")


def test_an_unknown_prompt_falls_to_the_books(recorded):
    engine = recorded((asked("plot y over x as a red line"), "```python\nplot()\n```\n"))
    assert "sales.head(5)" in text(engine, asked("first 5 rows of sales"))


def test_an_edit_names_the_cell_of_today(recorded):
    edit = "## Edit cell {0}\n```python\nx = 1\n```\n\n"
    answer = "```python cell=old\nx = 2\n```\n\n```python cell=c1\nimport polars\n```\n"
    engine = recorded((asked("set it to 2", more=edit.format("old")), answer))
    said = text(engine, asked("set it to 2", cell="c9", more=edit.format("new")))
    assert said == answer.replace("cell=old", "cell=new").replace("cell=c1", "cell=c9")


def test_of_two_answers_the_one_in_the_same_notebook_counts_then_a_whole_one(recorded):
    other = (Message("user", "## Cells\n### id=z code\n```python\nimport polars\n```\n\n## Request\nplot it"),)
    engine = recorded((asked("plot it"), "pandas\n"), (other, "polars\n"))
    assert (text(engine, asked("plot it")), text(engine, other)) == ("pandas\n", "polars\n")
    engine = recorded((asked("sort it"), {"answer": "", "fail": {"code": "busy"}}), (asked("sort it"), "sorted\n"))
    assert text(engine, asked("sort it")) == "sorted\n"


def test_models_that_race_get_their_own_answers(recorded):
    conversation = asked("plot it")
    recorder = Recorder(report=pytest.fail)
    recorder.begin(recorded.path)
    for model in ("quick", "careful"):
        playing = RecordingEngine(ScriptEngine({"models": ["*"], "answers": [{"answer": f"{model}\n"}]}), recorder)
        list(playing.answer(conversation, instructions="", model=model))
    engine = RecordedEngine(recorded.path, real=False)
    for model in ("careful", "quick"):
        played = engine.answer(conversation, instructions="", model=model)
        assert "".join(piece for piece in played if isinstance(piece, str)) == f"{model}\n"


STEER = "Plot it\n\n## Steer\nin red\n\n## Answer so far\n```python\n{}"


def test_a_steer_at_the_same_line_goes_on_and_at_another_one_begins_again(recorded):
    engine = recorded((asked(STEER.format("a = 1\nb = 2\n")), "Red.\n\n```python continue\nc = 3\n```\n"))
    assert text(engine, asked(STEER.format("a = 1\nb = 2\n"))) == "Red.\n\n```python continue\nc = 3\n```\n"
    assert text(engine, asked(STEER.format("a = 1\n"))) == "Red.\n\n```python\na = 1\nb = 2\nc = 3\n```\n"


def test_failures_calls_usage_and_cuts_are_replayed(recorded):
    engine = recorded(
        (
            asked("fails"),
            {"answer": "a", "fail": {"status": 429, "code": "rate_limited", "message": "Wait."}, "fail_after": 1},
        ),
        (asked("calls"), {"answer": "a", "call": {"name": "f", "arguments": "{}"}}),
        (asked("is cut"), {"answer": "a", "incomplete": "max_output_tokens"}),
    )
    assert Fail(status=429, code="rate_limited", message="Wait.") in pieces(engine, asked("fails"))
    assert FunctionCall("f", "{}") in pieces(engine, asked("calls"))
    assert pieces(engine, asked("is cut")) == ["a", Counted(incomplete="max_output_tokens")]


def test_the_engines_own_count_of_tokens_is_recorded(recorded, tmp_path):
    class Counts(ScriptEngine):
        def answer(self, conversation, **options):
            return iter(["a", Counted(usage=Usage(output_tokens=7))])

    recorder = Recorder(report=pytest.fail)
    recorder.begin(recorded.path)
    pieces(RecordingEngine(Counts({"answers": []}), recorder), asked("x"))
    assert load(recorded.path).exchanges[0].end.usage == Usage(output_tokens=7)


def test_an_answer_that_is_stopped_is_recorded_as_cancelled(recorded):
    recorder = Recorder(report=pytest.fail)
    recorder.begin(recorded.path)
    answer = RecordingEngine(ScriptEngine({"answers": [{"answer": "a b"}]}), recorder).answer(
        asked("x"), instructions="", model="m"
    )
    next(answer)
    answer.close()
    (exchange,) = load(recorded.path).exchanges
    assert (exchange.text, exchange.end.outcome) == ("a", "cancelled")


def test_real_time_is_kept_and_a_wait_can_be_stopped(recorded, monkeypatch):
    engine = recorded((asked("x"), "a b"))
    path = recorded.path
    path.write_text(path.read_text().replace("[0,1]", "[700,1]", 1))
    slept = []
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    answer = pieces(RecordedEngine(path, real=True), asked("x"))
    assert sum(slept) == pytest.approx(0.7)
    assert max(slept) <= 0.05
    assert answer.count("") >= 13  # places at which the answer can be stopped
    slept.clear()
    assert "".join(pieces(engine, asked("x"))[:-1]) == "a b"
    assert not slept


def test_a_recording_that_grows_is_read_again(recorded):
    engine = recorded((asked("plot y over x"), "first\n"))
    recorded((asked("what is a decorator"), "second\n"))
    assert text(engine, asked("what is a decorator")) == "second\n"


def test_a_file_in_which_the_same_was_asked_often_is_searched_once():
    ask = Ask(request="total sales")
    same = Exchange(Request(fingerprint=fingerprint(ask), ask=ask), (), End(outcome="cancelled"))

    def search(size: int) -> None:
        find(Recording(Header(version=1, made="2026-01-01", package="1"), (same,) * size), ask, {})

    assert_in_proportion(search, 2_000)


def test_a_placeholder_that_the_request_does_not_have_stands_for_no_secret(recorded):
    engine = recorded((asked("log in"), "```python\nkey = 'SPARK_SECRET_1_KEY'\n```\n"))
    assert "key = '<withheld>'" in text(engine, asked("log in"))


def test_what_is_no_recording_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="can't be read"):
        engines.load(f"recorded:{tmp_path / 'none.jsonl'}")
    (tmp_path / "a.jsonl").write_text("no\n")
    with pytest.raises(ConfigurationError, match="line 1"):
        engines.load(f"recorded:{tmp_path / 'a.jsonl'}")
    with pytest.raises(ConfigurationError, match="no option"):
        engines.load(f"recorded:{tmp_path / 'a.jsonl'}?fast=1")
