"""The command line, as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import nbformat
import pytest
from click.testing import CliRunner

from spark_jupyter.fronts.cli.main import main
from spark_jupyter.wire.notebook import changed_since
from tests.conftest import write_script
from tests.nursery import commands

CELL = {"answer": "Here.\n\n```python\ndef double(x):\n    return 2 * x\n\nprint(double(21))\n```\n", "repeat": True}
LONG = "\n".join(f"value_{n} = {n}" for n in range(400))
SLOW = {"answer": f"```python\n{LONG}\n```\n", "repeat": True}


def spark(*arguments, **options):
    return subprocess.run(
        commands().spark(*arguments),
        capture_output=True,
        text=True,
        timeout=120,
        stdin=options.pop("stdin", subprocess.DEVNULL),
        **options,
    )


def spark_here(*arguments):
    """As ``spark``, without a process: for what is refused before anything begins."""
    done = CliRunner().invoke(main, [*map(str, arguments)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done


def start(*arguments, **options):
    return subprocess.Popen(
        commands().spark(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.fixture
def notebook(tmp_path):
    path = tmp_path / "work.ipynb"
    cells = [nbformat.v4.new_code_cell("x = 1", id="first"), nbformat.v4.new_code_cell("y = x + 1", id="second")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def cells(path):
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    return [(cell.id, cell.source) for cell in book.cells]


def test_a_key_that_goes_over_http_to_another_machine_is_warned_about_before_it_goes(monkeypatch):
    monkeypatch.setenv("SPARK_BASE_URL", "http://far.invalid/v1")
    monkeypatch.setenv("SPARK_API_KEY", "sk-0123456789")
    done = spark("ask", "x")
    assert done.returncode == 1
    assert "far.invalid is not encrypted" in done.stderr
    assert "0123456789" not in done.stdout + done.stderr


def test_ask_streams_prints_a_diff_and_leaves_the_file_alone(script_environment, notebook):
    script_environment([CELL])
    before = notebook.read_bytes()
    done = spark("ask", "double", "--notebook", notebook)
    assert done.returncode == 0, done.stderr
    assert "+    return 2 * x" in done.stdout
    assert notebook.read_bytes() == before


def test_ask_apply_writes_a_valid_notebook_with_provenance(script_environment, notebook):
    script_environment([CELL])
    done = spark("ask", "double", "--notebook", notebook, "--after", "first", "--apply")
    assert done.returncode == 0, done.stderr
    assert [source.split("\n")[0] for _, source in cells(notebook)] == ["x = 1", "def double(x):", "y = x + 1"]
    new = nbformat.read(notebook, as_version=4).cells[1]
    assert new.metadata.spark.prompt == "double"
    assert changed_since(new) is False


def test_ask_apply_makes_the_notebook_where_there_is_none(script_environment, tmp_path):
    script_environment([CELL])
    done = spark("ask", "double", "--notebook", tmp_path / "new.ipynb", "--apply")
    assert done.returncode == 0, done.stderr
    assert len(cells(tmp_path / "new.ipynb")) == 1


def test_ask_at_puts_cells_at_a_place(script_environment, notebook):
    script_environment([CELL])
    assert spark("ask", "double", "--notebook", notebook, "--at", 2, "--apply").returncode == 0
    assert cells(notebook)[2][1].startswith("def double")


def test_ask_edit_changes_one_cell(script_environment, notebook):
    script_environment([{"match": "## Edit cell second", "answer": "```python cell=second\ny = x + 10\n```\n"}])
    done = spark("ask", "add ten", "--notebook", notebook, "--edit", 1, "--apply")
    assert done.returncode == 0, done.stderr
    assert cells(notebook) == [("first", "x = 1"), ("second", "y = x + 10")]


def test_ask_run_runs_and_keeps_the_outputs(script_environment, notebook):
    script_environment([CELL])
    done = spark("ask", "double", "--notebook", notebook, "--apply", "--run")
    assert done.returncode == 0, done.stderr
    assert "42" in done.stdout
    assert nbformat.read(notebook, as_version=4).cells[-1].outputs[0].text == "42\n"


def test_nothing_that_code_prints_or_raises_drives_the_terminal(script_environment, notebook):
    hostile = "'\\x1b]52;c;b3duZWQ=\\x07 \\x1b]0;title\\x07 \\u202e \\U000e0041'"
    script_environment([{"answer": f"```python\nprint({hostile})\nraise ValueError({hostile})\n```\n", "repeat": True}])
    for options in (["--run"], ["--try"], ["--check", "assert True"]):
        done = spark("ask", "x", "--notebook", notebook, *options)
        assert "ValueError" in done.stdout + done.stderr
        assert not set("\x1b\x07\u202e\U000e0041") & set(done.stdout + done.stderr)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Try needs fork")
def test_nothing_that_a_value_says_of_itself_when_a_check_fails_drives_the_terminal(script_environment, notebook):
    says = "\\x1b]52;c;b3duZWQ=\\x07\\u202e\\U000e0041hostile"
    code = f"class Value:\n    def __repr__(self):\n        return '{says}'\nvalue = Value()"
    script_environment([{"answer": f"A \x1b[2Jnote.\n\n```python\n{code}\n```\n", "repeat": True}])
    done = spark("ask", "x", "--notebook", notebook, "--check", "assert value == 1")
    assert done.returncode == 1
    assert "hostile" in done.stdout.replace(says, "")
    assert not set("\x1b\x07\u202e\U000e0041") & set(done.stdout + done.stderr)


def test_ask_run_refuses_what_is_blocked_until_a_second_yes(script_environment, notebook):
    bad = {"answer": "```python\nimport os\nos.system('echo ' + input())\n```\n", "repeat": True}
    script_environment([bad])
    done = spark("ask", "run what I type", "--notebook", notebook, "--run")
    assert done.returncode == 1
    assert "Not run" in done.stdout


def test_ask_writes_no_cell_that_does_not_parse_until_a_second_yes(script_environment, notebook):
    script_environment([{"answer": "```python\nx = 1\ny = = x\n```\n", "repeat": True}])
    before = notebook.read_bytes()
    done = spark("ask", "x", "--notebook", notebook, "--apply")
    assert done.returncode == 1
    assert "A cell does not parse, so nothing was written" in done.stdout
    assert notebook.read_bytes() == before
    assert spark("ask", "x", "--notebook", notebook, "--apply", "--yes").returncode == 0
    assert cells(notebook)[-1][1] == "x = 1\ny = = x"


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


def test_json_prints_every_event_as_a_line(script_environment):
    script_environment([CELL])
    done = spark("ask", "double", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert {"TurnStarted", "ProposalChanged", "CellsChanged", "TurnEnded"} <= {event["type"] for event in events}
    assert done.returncode == 0


@pytest.mark.parametrize("streams", ["<&-", ">&-", "--steer-from - <&-", "2>&- <&-", "| true"])
def test_closed_streams_end_no_answer_in_a_traceback(script_environment, streams):
    script_environment([CELL])
    command = f"'{sys.executable}' -m spark_jupyter.fronts.cli.main ask double {streams}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("def double" in done.stdout) == (streams not in (">&-", "| true"))


def test_an_interrupt_of_what_streams_nothing_exits_130_too(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("spark_jupyter.fronts.cli.check.check_files", interrupted)
    done = CliRunner().invoke(main, ["check", "-"])
    assert (done.exit_code, done.stderr) == (130, "It was cancelled.\n")


def test_a_line_on_stdin_steers(script_environment):
    script_environment([{"match": "## Steer", "answer": "```python continue\nlast = 1\n```\n"}, SLOW], rate=100)
    process = start("ask", "many values", "--json", "--steer-from", "-", stdin=subprocess.PIPE)
    for line in process.stdout:
        if json.loads(line)["type"] == "CellsChanged":
            break
    process.stdin.write("stop here\n")
    process.stdin.flush()
    rest = process.stdout.read()
    assert process.wait(30) == 0, "stdin is still open"
    process.stdin.close()
    errors = process.stderr.read()
    events = [json.loads(line) for line in rest.splitlines()]
    assert any(e["type"] == "TurnStarted" and e["turn"].get("steers") for e in events), errors
    assert process.returncode == 0


def test_sigint_cancels_and_what_arrived_is_printed(script_environment, notebook):
    script_environment([SLOW], rate=100)
    before = notebook.read_bytes()
    process = start("ask", "many values", "--notebook", notebook, "--apply", stdin=subprocess.DEVNULL)
    for line in process.stdout:
        if line.startswith("value_3"):
            break
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "+value_1 = 1" in rest
    assert notebook.read_bytes() == before


def test_a_failed_turn_exits_1_with_a_sentence(script_environment):
    script_environment([{"fail": {"status": 500, "code": "server_error", "message": "It broke."}}])
    done = spark("ask", "x")
    assert done.returncode == 1
    assert "It broke." in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask",),
        ("ask", "x", "--apply"),
        ("ask", "x", "--after", "a"),
        ("ask", "x", "--notebook", "n.ipynb", "--after", "a", "--edit", "b"),
        ("ask", "x", "--attempts", "9"),
        ("ask", "x", "--check", "no python"),
        ("nonsense",),
        ("ask", "  "),
        ("ask", "x", "--dialect", "esperanto"),
        ("serve", "--engine", "script"),
        ("serve", "--engine", "nonsense"),
        ("serve", "--port", "99999"),
        ("bench", "--turns", "0"),
    ],
)
def test_wrong_usage_exits_2(arguments):
    done = spark_here(*arguments)
    assert done.exit_code == 2
    assert "Usage" in done.stderr


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        (None, (), "no file"),
        ("not json", (), "not a notebook"),
        ('{"nbformat": 3}', (), "format 4"),
        ("", ("--after", "nowhere"), "not a notebook"),
        ('{"nbformat": 4, "metadata": {"language_info": {"name": "R"}}, "cells": []}', (), "notebook for R"),
        (None, ("--apply", "--notebook", "no/where/n.ipynb"), "no folder"),
    ],
)
def test_a_notebook_that_can_not_be_read_is_said_in_a_sentence(script_environment, tmp_path, content, arguments, said):
    script_environment([CELL])
    path = tmp_path / "n.ipynb"
    if content is not None:
        path.write_text(content)
    done = spark_here("ask", "x", "--notebook", path, *arguments)
    assert done.exit_code == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cell_that_is_not_there_is_said_with_those_that_are(script_environment, notebook):
    script_environment([CELL])
    done = spark("ask", "x", "--notebook", notebook, "--edit", "nowhere")
    assert done.returncode == 1
    assert "first, second" in done.stderr


def test_serve_prints_where_it_is_and_serves_a_script(tmp_path, monkeypatch):
    script = write_script(tmp_path / "answers.json", [CELL])
    process = start("serve", "--engine", "script", script)
    try:
        ready = json.loads(process.stdout.readline())
        assert ready["url"].startswith("ws://127.0.0.1:")
        monkeypatch.setenv("SPARK_API_KEY", ready["token"])
        done = spark("ask", "double", "--base-url", ready["url"], "--model", "script")
        assert "def double" in done.stdout, done.stderr
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    assert process.returncode == 0


def test_no_key_is_printed_anywhere(script_environment, monkeypatch):
    info = script_environment([CELL])
    monkeypatch.setenv("SPARK_API_KEY", info.token + "wrong")
    done = spark("ask", "x")
    assert done.returncode == 1
    assert info.token not in done.stdout + done.stderr
    assert "SPARK_API_KEY" in done.stdout


def test_doctor_says_what_works(script_environment):
    script_environment([CELL])
    done = spark("doctor", "--json")
    facts = {fact["name"]: fact for fact in json.loads(done.stdout)}
    assert facts["provider"]["ok"]
    assert facts["guardrail"]["ok"]
    assert facts["second opinion"]["ok"]
    assert "bandit" in facts["second opinion"]["detail"]
    assert facts["walls of a copy"]["ok"] or sys.platform != "linux", facts["walls of a copy"]
    assert done.returncode == 0


def test_doctor_says_what_to_do_where_nobody_listens(unused_port):
    done = spark("doctor", "--base-url", f"ws://127.0.0.1:{unused_port}/v1", "--model", "m")
    assert done.returncode == 1
    assert "!!  provider" in done.stdout


def test_bench_measures_this_provider(script_environment):
    script_environment([CELL])
    done = spark("bench", "--turns", 2, "--json")
    assert len(json.loads(done.stdout)["turns"]) == 2, done.stderr


def test_the_command_is_installed():
    names = os.listdir(os.path.dirname(sys.executable))
    assert "spark-jupyter" in names


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
    assert "surprises, so nothing was written" in done.stdout
    assert notebook.read_bytes() == before
    assert spark("ask", "add", "--notebook", notebook, "--try", "--apply", "--yes").returncode == 0


@needs_fork
def test_of_an_answer_in_words_there_is_nothing_to_try(script_environment, notebook):
    script_environment([{"answer": "No: I can't."}])
    done = spark("ask", "add", "--notebook", notebook, "--try")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No cell came, so nothing was written." in done.stdout


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
    assert process.wait(30) == 130, process.stderr.read()
    assert "cancelled" in rest
    process.stdout.close()
    process.stderr.close()


def test_apply_leaves_a_file_alone_that_changed_while_the_answer_came(script_environment, notebook, monkeypatch):
    script_environment([SLOW], rate=2_000)
    asking = start("ask", "x", "--notebook", notebook, "--apply")
    asking.stdout.readline()
    book = nbformat.read(notebook, as_version=4)
    book.cells[0].source = "x = 'of somebody else'"
    nbformat.write(book, notebook)
    out, err = asking.communicate(timeout=60)
    assert asking.returncode == 1
    assert "has changed since it was read" in err
    assert "+value_399" in out, "the answer is not lost"
    assert cells(notebook) == [("first", "x = 'of somebody else'"), ("second", "y = x + 1")]


def test_a_rename_in_words_changes_every_cell_of_the_file_and_asks_no_model(script_environment, notebook):
    script_environment([{"answer": "A model was asked.", "repeat": True}])
    done = spark("ask", "rename x to first_value", "--notebook", notebook)
    assert done.returncode == 0, done.stderr
    assert "+first_value = 1" in done.stdout
    assert cells(notebook) == [("first", "x = 1"), ("second", "y = x + 1")]
    done = spark("ask", "rename x to first_value", "--notebook", notebook, "--apply")
    assert done.returncode == 0, done.stderr
    assert cells(notebook) == [("first", "first_value = 1"), ("second", "y = first_value + 1")]
    assert "A model was asked." not in done.stdout


def test_apply_replaces_no_cell_whose_edit_was_not_asked_for(script_environment, notebook):
    answer = "```python cell=second\ny = x + 10\n```\n\n```python\nz = 3\n```\n"
    script_environment([{"answer": answer}])
    done = spark("ask", "x", "--notebook", notebook, "--apply")
    assert done.returncode == 0, done.stderr
    assert [source for _, source in cells(notebook)] == ["x = 1", "y = x + 1", "z = 3"]
    assert "--edit second" in done.stdout


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in folders")
def test_a_pipe_is_no_notebook_and_nobody_waits_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe.ipynb")
    done = spark("ask", "x", "--notebook", tmp_path / "pipe.ipynb", "--apply")
    assert done.returncode == 1
    assert "is no file" in done.stderr


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


def test_a_token_that_can_be_guessed_is_refused_where_others_can_try_it():
    done = spark("serve", "--host", "0.0.0.0", "--token", "secret")
    assert done.returncode == 2
    assert "too short" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "warning"),
    [(["--host", "0.0.0.0"], "other machines"), (["--token", "secret"], "guessed"), ([], "")],
)
def test_a_server_that_others_could_use_says_so(arguments, warning):
    done = spark("serve", "--idle", "0.1", *arguments)
    assert done.returncode == 0
    assert warning in done.stderr
    assert bool(warning) == bool(done.stderr)
    assert "url" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--engine", "llama"], "go together"),
        (["--gguf", __file__], "go together"),
        (["--threads", "2"], "are for --engine llama"),
        (["--engine", "llama", "--gguf", "none.gguf"], "does not exist"),
    ],
)
def test_serve_says_what_a_model_of_ones_own_needs(arguments, said):
    done = spark("serve", *arguments)
    assert done.returncode == 2
    assert said in done.stderr


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
