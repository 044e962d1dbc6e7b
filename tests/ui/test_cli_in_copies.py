"""The command line: what runs in copies before it is written, with --try, --attempts and --deep."""

from __future__ import annotations

import json
import os
import signal

import nbformat
import pytest

from tests.ui.commands import CELL, cells, spark, start


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Try needs fork")
def test_ask_attempts_takes_the_one_that_passes_in_a_copy_where_the_notebooks_cells_ran(script_environment, notebook):
    answers = [
        {"model": "a", "answer": "```python\ndef f(n):\n    return n * y\n```\n"},
        {"model": "b", "answer": "```python\nopen('left.txt', 'w')\n```\n"},
        {"model": "c", "answer": "```python\ndef f(n):\n    return n + y\n```\n"},
    ]
    script_environment(answers, models=("*",))
    checks = ("--models", "a,b,c", "--check", "assert f(3) == 5")
    done = spark("ask", "write f", "--notebook", notebook, "--apply", *checks)
    assert done.returncode == 0, done.stderr
    assert "3 passed (c)" in done.stdout
    assert cells(notebook)[-1][1] == "def f(n):\n    return n + y"
    assert not (notebook.parent / "left.txt").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Try needs fork")
def test_ask_writes_nothing_where_no_attempt_passes_until_a_second_yes(script_environment, notebook):
    script_environment([CELL])
    before = notebook.read_bytes()
    asked = ("ask", "double", "--notebook", notebook, "--apply", "--check", "assert double(2) == 5")
    done = spark(*asked)
    assert done.returncode == 1
    assert "double(2) is 4" in done.stdout
    assert "+def double(x):" in done.stdout
    assert notebook.read_bytes() == before
    assert spark(*asked, "--yes").returncode == 0
    assert len(cells(notebook)) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Try needs fork")
def test_ask_says_where_the_notebooks_own_cells_stop_the_attempts(script_environment, notebook):
    script_environment([CELL])
    at = ("--edit", "second", "--check", "assert True == (1 == 1)")
    assert "It did not pass" not in spark("ask", "double", "--notebook", notebook, *at).stdout
    book = nbformat.read(notebook, as_version=4)
    book.cells[0].source = "1 / 0"
    nbformat.write(book, notebook)
    done = spark("ask", "double", "--notebook", notebook, *at)
    assert "The cells before it, which come first, fail in a copy: ZeroDivisionError" in done.stdout


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="Try needs fork")

SAVES = {"answer": "```python\nz = x + y\nprint('z is', z)\nopen('left.txt', 'w')\n```\n", "repeat": True}


@needs_fork
def test_ask_try_runs_the_answer_behind_the_cells_above_and_keeps_nothing(script_environment, notebook, tmp_path):
    script_environment([{"answer": "```python\nz = x + y\nprint('z is', z)\n```\n", "repeat": True}])
    before = notebook.read_bytes()
    done = spark("ask", "add", "--notebook", notebook, "--try")
    assert done.returncode == 0, done.stderr
    assert "| z is 3" in done.stdout
    assert "ran in a copy" in done.stdout
    assert "new variable z int 3" in done.stdout
    assert "variable x" not in done.stdout, "what the cells above define is no effect of the answer"
    assert "Nothing of it was kept." in done.stdout
    assert notebook.read_bytes() == before


@needs_fork
def test_ask_try_without_a_notebook_says_every_event(script_environment):
    script_environment([CELL])
    done = spark("ask", "double", "--try", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (result,) = [event for event in events if event["type"] == "TrialResult"]
    assert done.returncode == 0, done.stderr
    assert result["outputs"] == [{"kind": "stdout", "text": "42\n"}]
    assert {"kind": "variable", "action": "new", "name": "double", "after": "function"} in result["effects"]


@needs_fork
def test_ask_try_writes_only_what_ran_or_was_confirmed(script_environment, notebook):
    script_environment([SAVES])
    before = notebook.read_bytes()
    done = spark("ask", "add", "--notebook", notebook, "--try", "--apply")
    assert done.returncode == 1
    assert "written file left.txt (refused)" in done.stdout
    assert "nothing was written" in done.stdout
    assert notebook.read_bytes() == before
    assert not (notebook.parent / "left.txt").exists()
    assert spark("ask", "add", "--notebook", notebook, "--try", "--apply", "--yes").returncode == 0
    assert len(cells(notebook)) == 3


@needs_fork
def test_ask_try_writes_what_surprises_only_after_a_second_yes(script_environment, notebook):
    cell = "import numpy as np\ny = np.arange(4)\nguess = np.ones((4, 1))\nerror = y - guess"
    script_environment([{"answer": f"```python\n{cell}\n```\n", "repeat": True}])
    before = notebook.read_bytes()
    done = spark("ask", "add", "--notebook", notebook, "--try", "--apply")
    assert done.returncode == 1
    assert "! Surprise: `y` and `guess` were combined to 4 × 4 values" in done.stdout
    assert "The code has a surprise in a copy, so nothing was written" in done.stdout
    assert notebook.read_bytes() == before
    assert spark("ask", "add", "--notebook", notebook, "--try", "--apply", "--yes").returncode == 0


@needs_fork
def test_of_an_answer_in_words_there_is_nothing_to_try(script_environment, notebook):
    script_environment([{"answer": "No: I can't."}])
    done = spark("ask", "add", "--notebook", notebook, "--try")
    assert (done.returncode, done.stderr) == (0, "")
    assert "The answer has no cells, so nothing was written." in done.stdout


def test_a_cell_that_was_cut_in_the_middle_is_written_only_after_a_second_yes(script_environment, notebook):
    script_environment([{"answer": "```python\nrows = [\n    1,\n", "incomplete": "max_output_tokens", "repeat": True}])
    before = notebook.read_bytes()
    done = spark("ask", "rows", "--notebook", notebook, "--apply")
    assert done.returncode == 1
    assert "A cell is not finished, so nothing was written" in done.stdout
    assert notebook.read_bytes() == before


@needs_fork
def test_ask_try_says_where_the_cells_above_fail(script_environment, notebook):
    script_environment([CELL])
    book = nbformat.read(notebook, as_version=4)
    book.cells[0].source = "1 / 0"
    nbformat.write(book, notebook)
    done = spark("ask", "double", "--notebook", notebook, "--try")
    assert done.returncode == 1
    assert "The cells before it, which come first, fail in a copy: ZeroDivisionError" in done.stdout


@needs_fork
def test_an_interrupt_ends_the_try_of_an_answer(script_environment):
    script_environment([{"answer": "```python\nimport time\ntime.sleep(60)\n```\n", "repeat": True}])
    process = start("ask", "sleep", "--try", "--json")
    for line in process.stdout:
        if json.loads(line)["type"] == "TurnEnded":
            break
    os.kill(process.pid, signal.SIGINT)
    rest = process.stdout.read()
    assert process.wait(60) == 130, process.stderr.read()
    assert "cancelled" in rest
    process.stdout.close()
    process.stderr.close()


def test_a_kernel_that_is_not_installed_is_said_and_the_answer_is_kept(script_environment, notebook):
    book = nbformat.read(notebook, as_version=4)
    book.metadata["kernelspec"] = {"name": "nowhere", "display_name": "Nowhere", "language": "python"}
    nbformat.write(book, notebook)
    script_environment([CELL])
    done = spark("ask", "x", "--notebook", notebook, "--run", "--apply")
    assert done.returncode == 1
    assert "'nowhere' is not installed" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert len(cells(notebook)) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a copy needs fork")
def test_ask_deep_plans_writes_and_runs_in_copies_behind_the_notebooks_cells(script_environment, notebook):
    script_environment(
        [
            {"match": "## Intent\nplan", "answer": "1. Double it\n"},
            {"match": "## Request\nDouble it", "answer": "```python\ndoubled = 2 * yy\n```\n"},
            {"match": "## Request\nDouble it", "answer": "```python\ndoubled = 2 * y\n```\n"},
        ]
    )
    ran = spark("ask", "double it", "--deep", "--notebook", notebook, "--apply", "--check", "assert doubled == 2 * y")
    assert ran.returncode == 0, ran.stderr
    assert "NameError" in ran.stdout
    assert cells(notebook)[-1][1] == "doubled = 2 * y"


def test_ask_deep_takes_no_attempts():
    assert spark("ask", "double it", "--deep", "--attempts", "3").returncode == 2


@needs_fork
def test_a_notebook_that_is_tried_gets_no_tokens_and_no_files_that_it_names_itself(
    script_environment, notebook, monkeypatch, tmp_path_factory
):
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.txt"
    secret.write_text("hush-hush")
    monkeypatch.setenv("A_TOKEN", "hush-hush")
    script_environment([{"answer": "```python\nprint('began', *found)\n```\n"}])
    book = nbformat.read(notebook, as_version=4)
    book.cells[0].source = f"""
import os
found = [open('/proc/self/environ').read(), str(dict(os.environ))]
try:
    found.append(open({str(secret)!r}).read())
except PermissionError:
    pass
"""
    nbformat.write(book, notebook)
    done = spark("ask", "show", "--notebook", notebook, "--after", "first", "--try")
    assert "began" in done.stdout, done.stdout + done.stderr
    assert "hush" not in done.stdout
