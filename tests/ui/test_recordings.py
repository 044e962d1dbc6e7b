"""Recordings from the outside: recorded by a kernel or a server, replayed by anybody."""

from __future__ import annotations

import json
import signal

import nbformat
import pytest

from spark_jupyter.protocol.messages import Hello, Prompt
from spark_jupyter.recordings.recording_file import load
from tests.ui.commands import CELL, cells, spark, start

PROCESSES = 10


def test_a_session_is_recorded_and_every_client_is_told(make_engine, tmp_path):
    watched = make_engine([CELL])
    path = tmp_path / "lesson.spark.jsonl"
    watched.engine.submit(Prompt(turn_id="t1", text="before"))
    watched.wait("t1")
    watched.engine.record(path)
    watched.engine.submit(Prompt(turn_id="t2", text="double"))
    watched.wait("t2")
    assert watched.engine.recording == (path, 1)
    watched.engine.record(None)
    watched.engine.submit(Prompt(turn_id="t3", text="after"))
    watched.wait("t3")
    (exchange,) = load(path).exchanges
    assert (exchange.request.ask.request, exchange.text) == ("double", CELL["answer"])
    told = [event.recording for event in watched.events if isinstance(event, Hello)]
    assert str(path) in told
    assert told[-1] == ""


def test_ten_processes_at_once_replay_a_served_recording_with_identical_cells(
    tmp_path, script_environment, monkeypatch
):
    lesson, script = tmp_path / "lesson.spark.jsonl", tmp_path / "answers.json"
    script.write_text(json.dumps({"answers": [CELL]}))
    server = start("serve", "--engine", "script", script, "--record", lesson)
    try:
        ready = json.loads(server.stdout.readline())
        monkeypatch.setenv("SPARK_API_KEY", ready["token"])
        made = spark("ask", "double", "--base-url", ready["url"], "--model", "script")
        assert "def double" in made.stdout, made.stderr
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)
    monkeypatch.delenv("SPARK_API_KEY")
    monkeypatch.setenv("SPARK_MODEL", str(lesson))
    books = [tmp_path / f"{number}.ipynb" for number in range(PROCESSES)]
    for book in books:
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1", id="first")]), book)
    replays = [start("ask", "Double.", "--notebook", book, "--apply") for book in books]
    errors = [replay.communicate(timeout=240)[1] for replay in replays]
    assert {replay.returncode for replay in replays} == {0}, errors
    sources = [[source for _, source in cells(book)] for book in books]
    assert sources[0] == ["x = 1", "def double(x):\n    return 2 * x\n\nprint(double(21))"]
    assert all(each == sources[0] for each in sources)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--engine", "recorded"], "go together"),
        (["--book", "FILE"], "go together"),
        (["--rate", "real"], "--rate real is for"),
        (["--rate", "quick"], "not a valid float"),
        (["--engine", "recorded", "--book", "FILE"], "no recording"),
        (["--record", "FILE"], "no recording"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, arguments, said):
    file = tmp_path / "a.jsonl"
    file.write_text("{}\n")
    done = spark("serve", *(str(file) if one == "FILE" else one for one in arguments))
    assert done.returncode in (1, 2)
    assert said in done.stderr
