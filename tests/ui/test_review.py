"""``spark-jupyter review`` and ``%spark review``: what they say, and their exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from spark_jupyter.protocol.review_messages import Remark, Reviewed
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.review.notebook_review import look
from spark_jupyter.sandbox import unavailable
from spark_jupyter.ui.text.review_text import review_lines
from tests.nursery import commands

needs_fork = pytest.mark.skipif(bool(unavailable()), reason="a copy needs a fork")


def write(folder, *sources):
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "execution_count": None, "outputs": [], "source": source}
        for n, source in enumerate(sources)
    ]
    path = folder / "book.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    return path


def review(*arguments):
    return subprocess.run(
        commands().spark("review", *arguments), capture_output=True, text=True, timeout=120, check=False
    )


@needs_fork
def test_what_fails_from_the_top_is_said_with_its_place_and_ends_with_1(tmp_path):
    done = review(write(tmp_path, "x = 1", "y = x\ny.missing", "z = 1"))
    assert done.returncode == 1, done.stderr
    assert "✗ cell 2, line 2: It fails on Restart & Run All: AttributeError" in done.stdout
    assert done.stdout.endswith("1 remark. 1 of 3 cells ran from the top, in a copy.\n")


def test_a_cell_that_does_not_parse_blocks_without_a_run_too(tmp_path):
    done = review("--no-run", write(tmp_path, "x = 1", "if x:"))
    assert done.returncode == 1, done.stdout
    assert "cell 2, line 1: The cell does not parse" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_what_the_encoding_of_the_output_lacks_is_escaped(tmp_path, encoding):
    done = subprocess.run(
        [sys.executable, "-m", "spark_jupyter.ui.cli.main", "review", "--no-run", str(write(tmp_path, "if x:"))],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert b"cell 1, line 1: The cell does not parse" in done.stdout


@needs_fork
def test_what_nobody_decided_on_is_left_out_and_that_is_said(tmp_path):
    path = write(tmp_path, "x = 1", "raise ValueError", "y = x")
    book = json.loads(path.read_text())
    book["cells"][1]["metadata"] = {"spark": {"proposed": True}, "tags": ["skip-execution"]}
    path.write_text(json.dumps(book))
    done = review(path)
    assert done.returncode == 0, done.stdout
    assert done.stdout == (
        "No problems found. All 2 cells ran from the top, in a copy.\n1 open proposal was left out.\n"
    )


def test_a_proposal_that_programs_would_run_all_the_same_is_judged(tmp_path):
    path = write(tmp_path, "import os\nos.system(input())")
    book = json.loads(path.read_text())
    book["cells"][0]["metadata"] = {"spark": {"proposed": True}}
    path.write_text(json.dumps(book))
    assert review("--no-run", path).returncode == 1
    book["cells"][0]["metadata"]["tags"] = ["skip-execution"]
    path.write_text(json.dumps(book))
    assert review("--no-run", path).returncode == 0


def test_a_cell_of_another_language_that_databricks_exported_is_left_out(tmp_path):
    path = write(tmp_path, "%sql\nselect a from b", "x = 1")
    book = json.loads(path.read_text())
    book["metadata"] = {"application/vnd.databricks.v1+notebook": {"language": "python"}}
    path.write_text(json.dumps(book))
    done = review("--no-run", path)
    assert (done.returncode, done.stdout) == (0, "No problems found.\n")


@pytest.mark.parametrize("first", ["%spark status", "%pair status\n%spark status", "%spark draw \\\nall of it"])
def test_code_below_a_line_with_our_magic_is_judged(tmp_path, first):
    path = write(tmp_path, f"{first}\nimport shutil\nshutil.rmtree('/')")
    done = review("--no-run", path)
    assert done.returncode == 1
    assert f"line {first.count(chr(10)) + 3}: " in done.stdout


@needs_fork
def test_code_below_a_line_with_our_magic_runs(tmp_path):
    done = review(write(tmp_path, "%spark status\nx = 1", "%%spark\nadd one to x", "y = x + 1"))
    assert (done.returncode, done.stdout) == (0, "No problems found. All 2 cells ran from the top, in a copy.\n")


@pytest.mark.parametrize("command", ["review --no-run", "check"])
def test_what_says_that_it_is_of_another_language_is_judged_all_the_same(tmp_path, command):
    path = write(tmp_path, "%md A title\nimport shutil\nshutil.rmtree('/')")
    book = json.loads(path.read_text())
    book["metadata"] = {"application/vnd.databricks.v1+notebook": {"language": "python"}}
    path.write_text(json.dumps(book))
    done = subprocess.run(
        commands().spark(*command.split(), path), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 1, done.stdout
    assert "destructive-command" in done.stdout


@needs_fork
def test_a_run_that_a_cell_ends_by_itself_is_no_success(tmp_path):
    done = review(write(tmp_path, "import os\nos._exit(0)", "raise ValueError"))
    assert done.returncode != 0, done.stdout


@needs_fork
def test_a_notebook_in_order_ends_with_0_and_nothing_of_it_is_kept(tmp_path):
    done = review(write(tmp_path, "open('left.txt', 'w').write('x')", "print(open('left.txt').read())"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "No problems found. All 2 cells ran from the top, in a copy.\n"
    assert not (tmp_path / "left.txt").exists()


def test_without_a_run_it_is_read_and_said_as_json(tmp_path):
    done = review("--no-run", "--json", write(tmp_path, "import yaml\nyaml.load(text)", "text = ''"))
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert answer["ran"] is None
    finding, order = sorted(answer["remarks"], key=lambda row: row["kind"])
    assert (finding["rule"], finding["line"]) == ("unsafe-deserialisation", 2)
    assert finding["fix"] == "import yaml\nyaml.safe_load(text)"
    assert (order["kind"], order["cell_id"]) == ("order", "c0")


def test_what_is_no_notebook_ends_with_2(tmp_path):
    (tmp_path / "no.ipynb").write_text("{}")
    assert review(tmp_path / "no.ipynb").returncode == 2
    assert review(tmp_path / "none.ipynb").returncode == 2


def test_reality_is_asked_about_what_has_not_run_as_it_stands_and_of_nothing_else():
    import math

    sources = ["import math", "math.squareroot(2)", "math.cuberoot(2)"]
    cells = [
        NotebookCell(id=f"c{n}", source=text, execution_count=n + 1 if n < 2 else None)
        for n, text in enumerate(sources)
    ]
    found = look(cells, ran={1: sources[0], 2: sources[1]}, namespace={"math": math})
    assert [(remark.cell_id, remark.rule) for remark in found] == [("c2", "missing-attribute")]


def unrun(*sources):
    return [NotebookCell(id=f"c{n}", source=source) for n, source in enumerate(sources)]


def findings(cells, namespace):
    remarks = look(cells, ran={}, namespace=namespace)
    return [(remark.cell_id, remark.line, remark.rule) for remark in remarks if remark.kind == "finding"]


def test_what_a_cell_does_to_a_table_is_not_held_against_a_cell_above_it():
    pandas = pytest.importorskip("pandas")
    cells = unrun("table['a'].sum()", "table = table.drop(columns='a')", "table['b'].sum()\ntable['a'].sum()")
    table = pandas.DataFrame({"a": [1], "b": [2]})
    assert findings(cells, {"table": table}) == [("c2", 2, "missing-column")]


def test_a_name_that_only_a_cell_below_defines_is_out_of_order_and_not_missing():
    cells = unrun("def one():\n    return other() + nothing\nlater", "def other():\n    return 1", "later = 2")
    remarks = look(cells, ran={}, namespace={})
    assert [remark.line for remark in remarks if remark.kind == "order"] == [3]
    assert findings(cells, {}) == [("c0", 2, "undefined-name")]


def test_what_is_found_in_libraries_that_are_not_loaded_stands_at_its_own_cell_and_line():
    cells = unrun("import colorsys\ncolorsys.nothing()", "%%bash\nif", "\ncolorsys.nothing()")
    assert findings(cells, {}) == [("c0", 2, "missing-attribute"), ("c2", 2, "missing-attribute")]


def test_however_many_cells_have_not_run_each_is_read_once(monkeypatch):
    from spark_jupyter.reality import interpreter

    read, check_statements = [], interpreter.check_statements

    def counting(run, body, **options):
        read.append(body)
        return check_statements(run, body, **options)

    monkeypatch.setattr(interpreter, "check_statements", counting)
    look(unrun(*(f"x{n} = {n}" for n in range(20))), ran={}, namespace={})
    assert len(read) == 20


def test_what_a_cell_says_drives_no_terminal():
    cells = [NotebookCell(id="c0", source="x")]
    remark = Remark(cell_id="c0", kind="fails", severity="block", message="It fails: \x1b[31mred\u202e")
    assert "\x1b" not in "".join(review_lines(Reviewed(remarks=(remark,)), cells))


@pytest.mark.parametrize(
    ("ran", "total", "said"),
    [(0, 0, "No cell"), (1, 1, "Its only cell"), (0, 1, "0 of 1 cells"), (2, 2, "All 2 cells")],
)
def test_how_many_cells_ran_is_said_in_proper_words(ran, total, said):
    (line,) = review_lines(Reviewed(remarks=(), ran=ran, total=total), ())
    assert line == f"No problems found. {said} ran from the top, in a copy."
