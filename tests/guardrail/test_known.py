"""Findings that are new: against an older text and against a baseline; and annotations for GitHub."""

from __future__ import annotations

import json

import pytest

from spark_jupyter.guardrail.baseline import Baseline, in_lines, keys, new_lines, read, since, unknown, written
from spark_jupyter.guardrail.code_files import pieces
from spark_jupyter.guardrail.file_check import check_pieces
from spark_jupyter.guardrail.github_annotations import annotation

OLD = "import os\nos.system(input())\n"
NEW = "import os\n# moved\nos.system(input())\neval(input())\n"


def findings(text, path="a.py"):
    parts = pieces(text, path=path)
    return check_pieces(parts, path=path), parts


def test_only_what_stands_in_new_lines_counts():
    found, parts = findings(NEW)
    fresh = in_lines(found, new_lines(pieces(OLD, path="a.py"), parts))
    assert [(finding.rule, where.line) for where, finding in fresh] == [("code-injection", 4)]
    assert in_lines(found, new_lines([], parts)) == found


WORSE = ("cmd = config()", "cmd = input()")


def test_a_line_that_is_worse_by_what_was_changed_above_is_new():
    (old, before), (new, after) = (
        findings(f"import os\n{line}\nos.system(cmd)\nos.system('ls ' + x)\n") for line in WORSE
    )
    assert [(one.line, one.severity) for _, one in old] == [(3, "warn"), (4, "warn")]
    assert [(one.line, one.severity) for _, one in since(before, old, after, new)] == [(3, "block")]
    assert [one.line for _, one in unknown(new, after, read(written(keys(old, before))))] == [3]
    assert since(after, new, before, old) == []
    assert unknown(old, before, read(written(keys(new, after)))) == []


def test_a_notebooks_lines_are_those_of_its_cells():
    def notebook(*sources):
        return json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": one} for one in sources]})

    found, parts = findings(notebook("import os", "x = 1", "os.system(input())"), "b.ipynb")
    same = pieces(notebook("import os", "os.system(input())"), path="b.ipynb")
    assert len(found) == 1
    assert in_lines(found, new_lines(same, parts)) == []
    assert in_lines(found, new_lines(pieces(notebook("import os"), path="b.ipynb"), parts)) == found


def test_a_script_of_databricks_is_read_cell_by_cell():
    parts = [
        "# Databricks notebook source\nimport os",
        "# MAGIC %sh\n# MAGIC D=$HOME\n# MAGIC rm -rf $D",
        "# MAGIC %md\n# MAGIC rm -rf ~ is what not to do",
        "# MAGIC %sh rm -rf /",
        "# MAGIC %python\n# MAGIC os.system('rm -rf ~')",
        "spark.table('sales')",
    ]
    found, _ = findings("\n\n# COMMAND ----------\n\n".join(parts), path="a.py")
    assert [where.line for where, finding in found if finding.blocks] == [8, 17, 22]


@pytest.mark.parametrize(
    "magic", ["%sh\n# MAGIC ls", "%pip install pandas", "%run ./a", "%python\n# MAGIC x = 1", "%sql\n# MAGIC select 1"]
)
def test_what_stands_beside_a_magic_of_databricks_runs_as_a_script(magic):
    found, _ = findings(f"# Databricks notebook source\n# MAGIC {magic}\neval(input())\n")
    assert [(where.line, finding.rule) for where, finding in found] == [(3 + magic.count("\n"), "code-injection")]


def test_a_shell_cell_of_databricks_is_judged_as_one():
    cells = [{"cell_type": "code", "source": "%sh\nls\nrm -rf ~"}]
    metadata = {"application/vnd.databricks.v1+notebook": {}}
    found, _ = findings(json.dumps({"nbformat": 4, "cells": cells, "metadata": metadata}), path="a.ipynb")
    assert [(where.line, finding.severity) for where, finding in found] == [(3, "block")]


def test_a_baseline_knows_a_line_that_moved_and_counts_those_that_are_alike():
    old, parts = findings(OLD)
    baseline = read(written(keys(old, parts)))
    found, parts = findings(NEW)
    assert [finding.rule for _, finding in unknown(found, parts, baseline)] == ["code-injection"]
    twice, parts = findings(OLD + "os.system(input())\n")
    assert [finding.line for _, finding in unknown(twice, parts, baseline)] == [3]
    assert unknown(twice, parts, Baseline()) == twice


def test_a_baseline_holds_no_line_of_the_file():
    text = 'password = "Winter2024x-9"\n'
    found, parts = findings(text)
    assert found
    assert "Winter" not in written(keys(found, parts))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": [{}]}'])
def test_what_is_no_baseline_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        read(text)


def test_an_annotation_says_where_how_grave_and_what_to_do():
    (where, finding), *_ = findings(OLD)[0]
    line = annotation(where, finding)
    assert line.startswith("::error file=a.py,line=2,col=1,title=command-injection CWE-78::")
    assert finding.remedy in line
    assert line.endswith("(docs/rules/command-injection.md)")


def test_an_annotation_of_a_notebook_names_the_cell_and_no_line_of_the_file():
    text = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": OLD}]})
    ((where, finding),) = findings(text, "a,b:%.ipynb")[0]
    line = annotation(where, finding)
    assert line.startswith("::error file=a%2Cb%3A%25.ipynb,title=")
    assert "::cell 1, line 2: " in line


def test_an_annotation_stays_one_line():
    (where, finding), *_ = findings(OLD.replace("input()", "input('\\n')"))[0]
    assert "\n" not in annotation(where, finding)
