"""Recorder of requests and answers."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from spark_jupyter.exceptions import ConfigurationError, RateLimited
from spark_jupyter.providers.base import (
    Message,
    ModelRequest,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    TextDelta,
    Usage,
)
from spark_jupyter.recordings.recorder import Recorder
from spark_jupyter.recordings.recording_file import VERSION, Text, load

REQUEST = ModelRequest(model="m", instructions="", input=(Message("user", "sum up"),))
USAGE = Usage(input_tokens=5, output_tokens=3)
KEY = "sk-" + "ant-api03-Zk3" * 6


def record(path, events, *, request=REQUEST, error=None, stop_after=None, **options):
    """Record a stream of these events, each 10 ms after the one before; returns what was seen of it."""
    ticks = iter(range(0, 100_000, 10))
    recorder = Recorder(report=options.pop("report", pytest.fail), clock=lambda: next(ticks) / 1000, **options)
    recorder.begin(path)

    async def stream():
        for event in events:
            yield [event]
        if error is not None:
            raise error

    async def run():
        seen = []
        async with aclosing(recorder.recorded(stream(), request)) as batches:
            async for batch in batches:
                seen += batch
                if len(seen) == stop_after:
                    break
        return seen

    return asyncio.run(run())


def test_an_answer_is_recorded_by_line_with_the_time_of_each_piece(tmp_path):
    path = tmp_path / "a.spark.jsonl"
    events = [ReasoningDelta("hm"), TextDelta("one\ntw"), TextDelta("o"), ResponseCompleted(usage=USAGE)]
    assert record(path, events) == events
    (exchange,) = load(path).exchanges
    assert exchange.items == (
        Text("hm", ((10, 2),), thinking=True),
        Text("one\n", ((10, 4),)),
        Text("two", ((0, 2), (10, 1))),
    )
    assert (exchange.end.outcome, exchange.end.usage, exchange.end.after) == ("completed", USAGE, 10)
    assert exchange.request.ask.request == "sum up"


def test_an_answer_that_is_dropped_cut_short_or_fails_says_so(tmp_path):
    path = tmp_path / "a.spark.jsonl"
    record(path, [TextDelta("a"), TextDelta("b")], stop_after=1)
    record(path, [TextDelta("a"), ResponseIncomplete(reason="max_output_tokens")])
    with pytest.raises(RateLimited):
        record(path, [TextDelta("a")], error=RateLimited(f"Too fast for {KEY}."))
    ends = [exchange.end for exchange in load(path).exchanges]
    assert [end.outcome for end in ends] == ["cancelled", "incomplete", "failed"]
    assert ends[1].reason == "max_output_tokens"
    assert ends[2].error.code == "rate_limited"


def test_no_credential_is_written_whether_asked_answered_or_told_in_pieces(tmp_path):
    path = tmp_path / "a.spark.jsonl"
    asked = f"## Edit cell a\n```python\nkey = '{KEY}'\n```\n\n## Request\nuse {KEY}\n\n## Steer\nnot {KEY}\n"
    request = ModelRequest(model="m", instructions=KEY, input=(Message("user", asked),))
    answer = f"```python\napi_key = '{KEY}'\nprint(1)\n```\n"
    pieces = [TextDelta(answer[at : at + 7]) for at in range(0, len(answer), 7)]
    with pytest.raises(RateLimited):
        record(path, pieces, request=request, error=RateLimited(f"Not with {KEY}."))
    assert KEY[:20] not in path.read_text()
    (exchange,) = load(path).exchanges
    assert exchange.text.startswith("```python\napi_key = 'SPARK_SECRET_")
    assert exchange.text.endswith("'\nprint(1)\n```\n")


def test_a_recording_begins_in_an_empty_file(tmp_path):
    path = tmp_path / "empty.spark.jsonl"
    path.touch()
    Recorder(report=print).begin(path)
    assert load(path).header.version == VERSION


def test_a_recording_is_continued_and_another_file_is_left_alone(tmp_path):
    path, other = tmp_path / "a.spark.jsonl", tmp_path / "b.spark.jsonl"
    for text in ("a", "b"):
        record(path, [TextDelta(text), ResponseCompleted()])
    assert [exchange.text for exchange in load(path).exchanges] == ["a", "b"]
    other.write_text("mine")
    with pytest.raises(ConfigurationError, match="no recording"):
        record(other, [])
    assert other.read_text() == "mine"
    with pytest.raises(ConfigurationError, match="can't be written"):
        record(tmp_path / "none" / "a.spark.jsonl", [])


@pytest.mark.parametrize("name", ["none/b", "x" * 300, "a\0b", "."])
def test_a_recording_goes_on_where_the_next_one_cannot_begin(tmp_path, name):
    recorder = Recorder(report=pytest.fail)
    recorder.begin(tmp_path / "a.spark.jsonl")
    with pytest.raises(ConfigurationError, match=r"can't be written|is no file"):
        recorder.begin(tmp_path / name)
    assert recorder.path == tmp_path / "a.spark.jsonl"


def test_an_answer_goes_on_where_the_file_can_no_longer_be_written(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    told = []

    class Events(list):
        def __iter__(self):
            (folder / "a.spark.jsonl").unlink()
            folder.rmdir()
            return super().__iter__()

    events = Events([TextDelta("a"), ResponseCompleted()])
    assert record(folder / "a.spark.jsonl", events, report=told.append) == [TextDelta("a"), ResponseCompleted()]
    assert "can't be written" in str(told[0])
