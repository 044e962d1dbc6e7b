"""Rehearsals in real copies: statement by statement, as IPython would run the whole cell."""

from __future__ import annotations

import os
import threading

import pytest

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.sandbox import forking
from spark_jupyter.sandbox.copy_protocol import INTERRUPTIBLE
from spark_jupyter.session.rehearsal_feed import (
    AwaitRehearsal,
    BeginRehearsal,
    EndRehearsal,
    FinishRehearsal,
)
from tests.sandbox.leavings import nothing_left, until_ended
from tests.sandbox.rehearsed import SECONDS, RehearsedCells, text


def test_a_whole_cell_is_the_same_as_when_it_is_tried(bench, stage):
    bench.given("numbers, gone = [1, 2], 'x'")
    source = "total = sum(numbers)\nnumbers\nnumbers.append(4)\nprint('so far', total)\ndel gone\ntotal * 2"
    tried, rehearsed = bench.attempt(source), stage.tried(source)
    assert not rehearsed.error
    assert rehearsed.effects == tried.effects
    assert [(one.kind, one.text, one.data) for one in rehearsed.outputs] == [
        (one.kind, one.text, one.data) for one in tried.outputs
    ]
    assert rehearsed.source_hash == tried.source_hash == content_hash(source)
    assert rehearsed.rehearsed
    assert rehearsed.summary.startswith("ran in a copy in ")
    assert rehearsed.summary.endswith(": 1 new variable, 1 changed variable, 1 deleted variable")
    assert bench.shell.user_ns["numbers"] == [1, 2]


def test_context_variables_are_those_of_the_kernel_and_pass_from_statement_to_statement(bench, stage):
    bench.given("from contextvars import ContextVar\nowner = ContextVar('owner')\nowner.set('Ada')")
    source = "print(owner.get())\nbefore = owner.set('Bea')\nprint(owner.get())"
    for result in (bench.attempt(source), stage.tried(source)):
        assert not result.error
        assert text(result).split() == ["Ada", "Bea"]
    assert bench.printed("print(owner.get())").split() == ["Ada"]


def test_only_the_last_statements_result_is_shown_and_a_semicolon_hides_it(stage):
    assert text(stage.tried("1 + 1\n2 + 2\n3 + 3")) == "6"


def test_a_semicolon_hides_the_result(stage):
    assert text(stage.tried("1 + 1\n2 + 2;")) == ""


def test_the_cells_of_an_answer_share_a_copy_and_each_has_its_own_effects(stage):
    stage.cell("first = [1]", "c1")
    stage.cell("second = first + [2]\nfirst.append(3)", "c2")
    assert [(one.action, one.name) for one in stage.result("c1").effects] == [("new", "first")]
    assert [(one.action, one.name) for one in stage.result("c2").effects] == [("new", "second"), ("changed", "first")]


def test_async_cells_magics_decorators_and_functions_of_several_lines_run(stage):
    source = (
        "import asyncio, functools\n\n@functools.cache\ndef double(x):\n    return 2 * x\n\n"
        "async def later():\n    await asyncio.sleep(0)\n    return double(21)\n\nfound = await later()\n"
        "%time found\nfor n in range(2):\n    print(n)\nelse:\n    print('end')\nimport inspect\ninspect.getsource(double)"
    )
    result = stage.tried(source)
    assert not result.error
    assert "found int 42" in str([(one.name + " " + one.after) for one in result.effects])
    assert "0\n1\nend" in text(result)
    assert "return 2 * x" in text(result)


def test_a_cell_magic_takes_the_whole_cell(stage):
    result = stage.tried("%%capture held\nprint('hidden')\n1 + 1")
    assert not result.error
    assert "held" in [effect.name for effect in result.effects]


def test_behind_a_statement_that_fails_nothing_is_run_and_the_cell_says_so(stage):
    stage.cell("a = 1\n1 / 0\nb = 2", "c1")
    stage.cell("c = b", "c2")
    result = stage.result("c1")
    assert result.error.startswith("ZeroDivisionError")
    assert result.error_line == 2
    assert [effect.name for effect in result.effects] == ["a"]
    assert "1 / 0" in text(result)
    stage.rehearsals.act(AwaitRehearsal(rehearsal_id="t/0"), stage.said.put)
    assert stage.until(lambda one: one.late).result is None
    assert not [one for one in stage.all if one.cell_id == "c2"]


def test_an_error_in_a_cell_before_is_told_there(stage):
    stage.cell("def f(x):\n    return x.nothing", "c1")
    stage.cell("f(1)", "c2")
    found = stage.until(lambda one: one.finding is not None)
    assert (found.cell_id, found.finding.line) == ("c1", 2)


@pytest.mark.parametrize(
    "source",
    ["import time\ntime.sleep(1.5)\nprint('at last')", "x = 1\nif x: (\nprint('at last')", "print('at last'"],
)
def test_what_takes_its_time_or_can_not_be_read_is_left_to_the_end(bench, source):
    stage = RehearsedCells(bench, statement=0.3, seconds=20)
    try:
        result = stage.tried(source)
        assert any(one.late and one.result is None for one in stage.all), "nobody is to wait for it"
        if "sleep" in source:
            assert "at last" in text(result)
        else:
            assert result.error.startswith("SyntaxError")
    finally:
        stage.rehearsals.close()


def test_an_error_that_is_long_in_the_showing_is_shown_all_the_same(bench):
    stage = RehearsedCells(bench, statement=0.3, seconds=20)
    source = (
        "import time\nclass Slow(Exception):\n    def _render_traceback_(self):\n        time.sleep(1)\n"
        "        return ['shown at last']\n\nraise Slow"
    )
    try:
        result = stage.tried(source)
        assert result.error == "Slow"
        assert "shown at last" in text(result)
    finally:
        stage.rehearsals.close()


def test_what_never_ends_is_ended(bench, monkeypatch):
    if INTERRUPTIBLE:  # a busy machine takes its time to say where it stood
        monkeypatch.setattr(forking, "_GRACE", 60.0)
    stage = RehearsedCells(bench, statement=0.2, seconds=4)
    try:
        result = stage.tried("n = 0\nwhile True:\n    n += 1")
        if INTERRUPTIBLE:
            assert "time was up" in result.error
            assert result.error_line in (2, 3)
        else:
            assert "takes more than" in result.problem
    finally:
        stage.rehearsals.close()


def test_a_cell_that_would_end_the_kernel_is_the_one_with_the_problem(stage):
    result = stage.tried("import os\nx = 1\nos._exit(3)")
    assert "exit status 3" in result.problem


def test_while_the_kernel_runs_a_cell_nothing_is_judged_and_it_is_said(bench, monkeypatch):
    stage = RehearsedCells(bench, statement=SECONDS)  # on a busy machine, too, the first copy is the only one
    copied = note_forks(monkeypatch)
    stage.write("x = 1\n")
    assert copied.wait(SECONDS)
    bench.given("about_to_be_defined = 1")
    stage.write("y = about_to_be_defined\n")
    stage.end("x = 1\ny = about_to_be_defined\n")
    result = stage.result()
    assert result.error.startswith("NameError")
    assert result.moving
    assert "while the kernel was running a cell" in result.summary
    assert not [one for one in stage.all if one.finding is not None]
    stage.rehearsals.close()


def note_forks(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when this process has made a copy of itself: other children come and go, too."""
    forked = threading.Event()
    fork = os.fork

    def noting() -> int:
        pid = fork()
        if pid:
            forked.set()
        return pid

    monkeypatch.setattr(os, "fork", noting)
    return forked


@pytest.mark.parametrize("end", ["drop", "close", "finish"])
def test_a_copy_ends_whole_and_leaves_nothing(bench, tmp_path, monkeypatch, end):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with nothing_left():
        stage = RehearsedCells(bench)
        stage.write("x = 1\nprint(x)\n")
        if end == "finish":
            stage.end("x = 1\nprint(x)\n")
            stage.rehearsals.act(FinishRehearsal(rehearsal_id="t/0"), stage.said.put)
            stage.result()
        elif end == "drop":
            stage.rehearsals.act(EndRehearsal(rehearsal_id="t/0"), stage.said.put)
        stage.rehearsals.close()
    assert list(tmp_path.iterdir()) == []
    until_ended("spark-rehearsal")


def test_a_rehearsal_that_is_gone_keeps_nobody_waiting(stage):
    stage.rehearsals.act(AwaitRehearsal(rehearsal_id="never/1"), stage.said.put)
    assert stage.until(lambda one: one.late).rehearsal_id == "never/1"


def test_a_rehearsal_that_ends_before_its_copy_is_made_makes_none(stage):
    for action in (BeginRehearsal(rehearsal_id="t/9", turn_id="t"), EndRehearsal(rehearsal_id="t/9")):
        stage.rehearsals.act(action, stage.said.put)
    stage.rehearsals.close()
    assert stage.said.empty()


def test_what_nobody_asked_for_is_not_listened_to(bench):
    """Code that finds the pipe can say that a cell is done, as often as it likes."""
    stage = RehearsedCells(bench)
    forge = (
        "import os\n"
        "from spark_jupyter.sandbox.copy_protocol import Measured, Ran, frame\n"
        "said = (frame(Ran(error='')) + frame(Measured(number=0, effects=(), memory=0))) * 5\n"
        "for number in range(3, 64):\n"
        "    try:\n"
        "        os.write(number, said)\n"
        "    except OSError:\n"
        "        pass"
    )
    stage.cell(forge)
    stage.result()
    stage.cell("x = 1", cell_id="c2")
    stage.plan.finish()
    stage.act()
    stage.until(lambda one: one.late)
    assert sum(one.result is not None for one in stage.all) <= 2


def test_an_error_in_showing_the_last_value_belongs_to_its_cell_which_is_told_once(bench):
    stage = RehearsedCells(bench)
    broken = "class Broken:\n    def __repr__(self):\n        raise ValueError('no picture of me')\n\nBroken()"
    stage.cell(broken)
    stage.cell("y = 2", cell_id="c2")
    stage.plan.finish()
    stage.act()
    stage.until(lambda one: one.late)
    assert [one.cell_id for one in stage.all if one.result is not None][:1] == ["c1"]
    assert sum(one.cell_id == "c1" and one.result is not None for one in stage.all) == 1
