"""The command line, as a process: what is asked, shown and written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import nbformat
import pytest
from click.testing import CliRunner

from spark_jupyter.course_signature import CourseRules
from spark_jupyter.protocol.provenance import changed_since
from spark_jupyter.ui.cli.main import main
from tests.test_course_rules import notebook as signed_notebook
from tests.ui.commands import CELL, cells, spark, start

LONG = "\n".join(f"value_{n} = {n}" for n in range(400))

SLOW = {"answer": f"```python\n{LONG}\n```\n", "repeat": True}


def spark_here(*arguments):
    """As ``spark``, without a process: for what is refused before anything begins."""
    done = CliRunner().invoke(main, [*map(str, arguments)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done


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


def test_json_prints_every_event_as_a_line(script_environment):
    script_environment([CELL])
    done = spark("ask", "double", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert {"TurnStarted", "ProposalChanged", "CellsChanged", "TurnEnded"} <= {event["type"] for event in events}
    assert done.returncode == 0


@pytest.mark.parametrize("streams", ["<&-", ">&-", "--steer-from - <&-", "2>&- <&-", "| true"])
def test_closed_streams_end_no_answer_in_a_traceback(script_environment, streams):
    script_environment([CELL])
    command = f"'{sys.executable}' -m spark_jupyter.ui.cli.main ask double {streams}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("def double" in done.stdout) == (streams not in (">&-", "| true"))


def test_a_warning_that_nobody_reads_fails_no_turn(script_environment, monkeypatch):
    script_environment([CELL])
    monkeypatch.setenv("SPARK_BASE_URL", "http://far.invalid/v1")  # a key goes there in plain text, which is said
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "spark_jupyter.ui.cli.main", "ask", "double"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=write, text=True, timeout=120
    )
    os.close(write)
    assert done.returncode == 1
    assert "far.invalid" in done.stdout
    assert "itself failed" not in done.stdout


def test_an_interrupt_of_what_streams_nothing_exits_130_too(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("spark_jupyter.ui.cli.check.check_files", interrupted)
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
    assert process.wait(60) == 0, "stdin is still open"
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
        (
            '{"nbformat": 4, "metadata": {"kernelspec": {"name": "ir", "display_name": "R"}, "language_info": {"name": "R"}}, "cells": []}',
            (),
            "notebook for R",
        ),
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


def test_no_key_is_printed_anywhere(script_environment, monkeypatch):
    info = script_environment([CELL])
    monkeypatch.setenv("SPARK_API_KEY", info.token + "wrong")
    done = spark("ask", "x")
    assert done.returncode == 1
    assert info.token not in done.stdout + done.stderr
    assert "SPARK_API_KEY" in done.stdout


def test_the_line_end_of_a_key_is_no_part_of_it_and_what_is_no_key_is_said(script_environment, monkeypatch):
    info = script_environment([CELL])
    ask = ("ask", "double", "--base-url", info.url, "--model", "script")
    monkeypatch.setenv("SPARK_API_KEY", info.token + "\r\n")
    assert spark(*ask).returncode == 0
    for wrong in (f"{info.token}\nx", f"\u201c{info.token}"):
        monkeypatch.setenv("SPARK_API_KEY", wrong)
        done = spark(*ask)
        assert done.returncode == 1
        assert "SPARK_API_KEY holds what can't be a key" in done.stderr
        assert info.token not in done.stdout + done.stderr


def test_the_command_is_installed():
    names = os.listdir(os.path.dirname(sys.executable))
    assert "spark-jupyter" in names


def test_apply_leaves_a_file_alone_that_changed_while_the_answer_came(script_environment, notebook, monkeypatch):
    may_end = threading.Event()
    script_environment([SLOW], may_end=may_end)
    asking = start("ask", "x", "--notebook", notebook, "--apply")
    asking.stdout.readline()
    book = nbformat.read(notebook, as_version=4)
    book.cells[0].source = "x = 'of somebody else'"
    nbformat.write(book, notebook)
    may_end.set()
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
    assert "is a pipe" in done.stderr


@pytest.mark.parametrize("options", [(), ("--apply",), ("--edit", "work"), ("--apply", "--run")])
def test_ask_writes_nothing_where_a_teacher_has_signed_that_prompts_are_off(script_environment, tmp_path, options):
    script_environment([CELL])
    path = tmp_path / "lesson.ipynb"
    path.write_text(json.dumps(signed_notebook(CourseRules(prompts="off"))))
    before = path.read_bytes()
    done = spark_here("ask", "double", "--notebook", path, *options)
    assert done.exit_code == 1
    assert "Prompts are not allowed by the teacher" in done.output
    assert "return 2 * x" not in done.output
    assert path.read_bytes() == before


def test_ask_gives_hints_of_a_signed_notebook_until_no_prompt_is_left(script_environment, tmp_path):
    script_environment([{**CELL, "answer": f"What is twice a number?\n\n{CELL['answer']}"}])
    path = tmp_path / "lesson.ipynb"
    path.write_text(json.dumps(signed_notebook(CourseRules(prompts="hints", prompt_limit=1, log_prompts=True))))
    before = path.read_bytes()
    done = spark("ask", "double", "--notebook", path, "--apply")
    assert "What is twice a number?" in done.stdout
    assert "return 2 * x" not in done.stdout
    assert "1 of 1 prompts left." in done.stderr
    assert "Your prompts in this notebook are logged" in done.stderr
    again = spark("ask", "double", "--notebook", path, "--apply")
    assert again.returncode == 1
    assert "No prompts are left: this notebook allows 1" in again.stdout + again.stderr
    assert path.read_bytes() == before


def test_a_command_that_imports_nbformat_compiles_no_grammar_of_addresses():
    told = "import atexit, sys; atexit.register(lambda: print(*sys.modules)); from spark_jupyter.ui.cli.main import main; main(['mcp'])"
    done = subprocess.run(
        [sys.executable, "-c", told], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )
    loaded = done.stdout.split()
    assert "nbformat" in loaded, done.stderr
    assert "rfc3987_syntax.syntax_helpers" not in loaded
