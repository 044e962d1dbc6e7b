"""Files, notebooks, streams and SARIF: what the command line shows."""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path

import pytest

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.guardrail import check, check_text, stream_report
from spark_jupyter.guardrail.code_files import OtherLanguage, fences, pieces
from spark_jupyter.guardrail.file_check import Location, tokens
from spark_jupyter.guardrail.sarif import sarif
from spark_jupyter.ui.cli.notebook_files import read_notebook
from spark_jupyter.ui.cli.text_files import text_of

NOTEBOOK = {
    "cells": [
        {
            "cell_type": "markdown",
            "source": [
                "Words\n",
                "```python\n",
                "x = 1\n",
                "eval(input())\n",
                "```\n",
                "```text\n",
                "eval(input())\n",
                "```\n",
            ],
        },
        {"cell_type": "code", "source": "import subprocess as sp\nname = input()"},
        {"cell_type": "code", "source": ["x = 1\n", "sp.run('ls ' + name, shell=True)"]},
        {"cell_type": "raw", "source": "eval(input())"},
    ],
    "nbformat": 4,
}


@pytest.mark.parametrize("language", ["%sql\nselect region from sales", "%md\n# Sales: a heading", "%scala\nval x = 1"])
def test_a_cell_of_another_language_that_databricks_exported_is_left_out(language: str) -> None:
    cells = [{"cell_type": "code", "source": one} for one in (language, "eval(input())")]
    book = {
        "cells": cells,
        "nbformat": 4,
        "metadata": {"application/vnd.databricks.v1+notebook": {"language": "python"}},
    }
    assert [(where.piece, finding.rule) for where, finding in check_text(json.dumps(book), path="a.ipynb")] == [
        ("cell 2", "code-injection")
    ]


@pytest.mark.parametrize("language", ["sql", "scala", "r"])
def test_the_cells_of_a_databricks_notebook_of_another_language_need_not_parse(language: str) -> None:
    sources = (
        "select region from sales where x % 2 = 1",
        "%python\neval(input())",
        "eval(input())",
        "%python\nx = = 1",
    )
    book = {
        "cells": [{"cell_type": "code", "source": one} for one in sources],
        "nbformat": 4,
        "metadata": {"application/vnd.databricks.v1+notebook": {"language": language}},
    }
    assert [(where.piece, finding.rule) for where, finding in check_text(json.dumps(book), path="a.ipynb")] == [
        ("cell 2", "code-injection"),
        ("cell 3", "code-injection"),  # whatever it claims, Jupyter would run it
        ("cell 4", "does-not-parse"),
    ]


@pytest.mark.parametrize("claims", ["python", "bash"])
@pytest.mark.parametrize("source", ['""":"\nrm -rf ~\n":"""', "cd build\nrm -rf ~"])
def test_the_cells_of_a_notebook_for_a_shell_are_read_as_its_scripts(claims: str, source: str) -> None:
    spec = {"name": "bash", "display_name": "Python 3", "language": claims}
    cells = [{"cell_type": "code", "source": one} for one in ("make -j4 && ./run --fast", source)]
    book = {"cells": cells, "nbformat": 4, "metadata": {"kernelspec": spec, "language_info": {"name": claims}}}
    found = [(str(where), finding.rule) for where, finding in check_text(json.dumps(book), path="a.ipynb")]
    assert found == [("a.ipynb:2 (cell 2)", "destructive-command")]


def test_the_cells_of_a_notebook_for_a_shell_that_claims_to_be_python_are_read_as_python_too() -> None:
    spec = {"name": "bash", "display_name": "Python 3", "language": "python"}
    cells = [{"cell_type": "code", "source": "eval(input())"}]
    book = {"cells": cells, "nbformat": 4, "metadata": {"kernelspec": spec, "language_info": {"name": "python"}}}
    assert [finding.rule for _, finding in check_text(json.dumps(book), path="a.ipynb")] == ["code-injection"]


@pytest.mark.parametrize("kernel", ["ir", "julia-1.10", "javascript", "xcpp17"])
def test_a_notebook_for_another_kernel_that_claims_to_be_python_does_not_pass_as_another_language(kernel: str) -> None:
    spec = {"name": kernel, "display_name": "Python 3", "language": "python"}
    book = {"cells": [], "nbformat": 4, "metadata": {"kernelspec": spec, "language_info": {"name": "python"}}}
    with pytest.raises(ValueError, match="says that it is Python") as raised:
        check_text(json.dumps(book), path="a.ipynb")
    assert not isinstance(raised.value, OtherLanguage)


@pytest.mark.parametrize("kernel", ["python3", "conda-env-irene-py", "irene", "bash-course", "julias-env", ".venv", ""])
def test_a_kernel_of_any_other_name_is_the_one_that_it_claims(kernel: str) -> None:
    spec = {"name": kernel, "display_name": "Python 3", "language": "python"}
    cells = [{"cell_type": "code", "source": "eval(input())"}]
    book = {"cells": cells, "nbformat": 4, "metadata": {"kernelspec": spec, "language_info": {"name": "python"}}}
    assert [finding.rule for _, finding in check_text(json.dumps(book), path="a.ipynb")] == ["code-injection"]


def test_a_finding_in_a_script_names_its_path_and_line() -> None:
    ((where, finding),) = check_text("x = 1\neval(input())\n", path="b/a.py")
    assert (str(where), finding.rule) == ("b/a.py:2", "code-injection")


def test_what_a_cell_of_a_notebook_establishes_holds_in_the_next() -> None:
    found = check_text(json.dumps(NOTEBOOK), path="a.ipynb")
    assert [(where.piece, where.line, finding.rule, finding.severity) for where, finding in found] == [
        ("cell 1", 4, "code-injection", "warn"),
        ("cell 3", 2, "command-injection", "block"),
    ]
    assert str(found[1][0]) == "a.ipynb:2 (cell 3)"


OLD = '"metadata": {}, "worksheets": [{"cells": [{"cell_type": "code", "input": "eval(input())"}]}], "cells": []'


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"cells": 3}', "null", f'{{"nbformat": 3, {OLD}}}', f"{{{OLD}}}"]
)
def test_a_notebook_that_is_none_is_an_error_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match="not a notebook"):
        check_text(text, path="a.ipynb")


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (3, "cell 2 is a whole number, not an object"),
        (None, "cell 2 is null, not an object"),
        ({"source": "x"}, "cell 2 has the cell_type None, which is none"),
        ({"cell_type": "sql", "source": "x"}, "cell 2 has the cell_type 'sql', which is none"),
        ({"cell_type": "code", "source": 5}, "source of cell 2 is a whole number, not a text or a list"),
        ({"cell_type": "code", "source": ["x", 1.5]}, "the source of cell 2 has a decimal number for a line"),
    ],
)
def test_a_cell_that_jupyter_does_not_open_is_named_by_check_and_review(
    cell: object, said: str, tmp_path: Path
) -> None:
    notebook = {"cells": [{"cell_type": "code"}, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook))
    with pytest.raises(ValueError, match=re.escape(said)):
        pieces(path.read_text(), path=path.name)
    with pytest.raises(NotebookError, match=re.escape(said)):
        read_notebook(path)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_a_notebook_that_is_not_utf_8_is_named_by_check_and_review(encoding: str, tmp_path: Path) -> None:
    notebook = {
        "cells": [{"cell_type": "code", "source": "x = 'é'"}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path = tmp_path / "a.ipynb"
    path.write_bytes(json.dumps(notebook, ensure_ascii=False).encode(encoding))
    with pytest.raises(ValueError, match="line 1 is not UTF-8"):
        text_of(path.read_bytes(), path.name)
    with pytest.raises(NotebookError, match="line 1 is not UTF-8"):
        read_notebook(path)


@pytest.mark.parametrize("name", ["a.py", "a.PY", "a.pyw", "tool", "-"])
def test_a_script_of_any_name_is_read_in_the_encoding_that_python_reads_it_in(name: str) -> None:
    text = text_of(b"# coding: utf-7\n#+AAo-eval(input())\n", name)
    assert [finding.line for _, finding in check_text(text, path=name)] == [3]


def test_half_a_character_in_a_cell_is_named_with_its_line() -> None:
    notebook = {"cells": [{"cell_type": "code", "source": "x = 1\ny = '\ud83d'"}], "nbformat": 4}
    [(place, finding)] = check_text(json.dumps(notebook), path="a.ipynb")
    assert (str(place), finding.rule) == ("a.ipynb:2 (cell 1)", "does-not-parse")
    assert finding.message == "The cell does not parse: half a character, which no file can hold (line 2)."


def test_standard_input_may_be_a_notebook() -> None:
    assert [piece.name for piece in pieces(json.dumps(NOTEBOOK))] == ["cell 1", "cell 2", "cell 3"]


def test_a_fence_ends_with_its_own_mark_or_with_the_text() -> None:
    text = "````python\na\n```\nb\n````\n~~~py\nc\n~~~\n```{python}\nd"
    assert [(piece.source, piece.first_line) for piece in fences(text, name="x")] == [
        ("a\n```\nb", 2),
        ("c", 7),
        ("d", 10),
    ]


@pytest.mark.parametrize(
    ("path", "fence", "blocks"),
    [
        ("a.qmd", "{python}\n#| echo: false", True),
        ("a.Rmd", "{python, echo=FALSE}\n", True),
        ("a.markdown", "{code-cell} ipython3\n:tags: [hide-input]", True),
        ("a.markdown", "{code-cell}\n", True),
        ("a.markdown", "python\n", False),
        ("a.markdown", "{.python}\n", False),
        ("a.markdown", "{code-cell} ipython3\n---\ntags: [hide-input]\n---", True),
        ("a.qmd", "{r}\n", None),
        ("a.markdown", "{code-cell} r\n", None),
    ],
)
def test_what_a_notebook_in_markdown_runs_is_judged_as_a_cell(path: str, fence: str, blocks: bool | None) -> None:
    text = f"---\ntitle: It's a notebook\n---\n\n```{fence}\neval(input())\n```\n\nWords (\n"
    found = [(place.line, finding.blocks) for place, finding in check_text(text, path=path)]
    assert found == ([] if blocks is None else [(6 + fence.count("\n"), blocks)])


@pytest.mark.parametrize(
    "text",
    [
        "    ```{python}\n    eval(input())\n    ```\n",
        "> ```{python}\n> eval(input())\n> ```\n",
        "```{python}\n#\x0c```\neval(input())\n```\n",
        "```{bash}\nrm -rf ~\n```\n",
        "---\njupytext:\n  text_representation:\n    format_name: markdown\n---\n\n```python\neval(input())\n```\n",
        "---\njupytext:\n  text_representation:\n    format_name: markdown\n---\n\n```bash\nrm -rf ~\n```\n",
        "---\nkernelspec:\n  name: python3\n---\n\n```{code-cell} text\neval(input())\n```\n",
    ],
)
def test_what_runs_in_a_notebook_in_markdown_does_not_pass_by_how_it_is_written(text: str) -> None:
    assert [finding.blocks for _, finding in check_text(text, path="a.Rmd")] == [True]


HEADER = "# ---\n# jupyter:\n#   jupytext:\n#     formats: ipynb,py:percent\n# ---\n\n"


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("# %%\nx = 1\n# !rm -rf ~\n", 9),
        ("# +\nif x:\n    # %sx rm -rf ~\n    pass\n", 9),
        ('# %% language="bash"\n# cd build\n# rm -rf ~\n\n# %%\nx = 1\n', 9),
    ],
)
def test_a_magic_in_a_script_of_jupytexts_is_no_comment(cell: str, line: int) -> None:
    found = check_text(HEADER + cell, path="a.py")
    assert [(place.line, finding.rule) for place, finding in found] == [(line, "destructive-command")]


@pytest.mark.parametrize(
    "text",
    [
        "# %%\n# !rm -rf ~\n",
        HEADER + "# %% [markdown]\n# never say `rm -rf ~`\n# ![rm -rf ~](a.png)\n\n# %%\n# % of all\nx = 1\n",
    ],
)
def test_a_comment_is_one(text: str) -> None:
    assert check_text(text, path="a.py") == []


def test_a_fence_of_a_myst_document_that_is_no_cell_does_not_block() -> None:
    text = "---\njupytext:\n  text_representation:\n    format_name: myst\n---\n\n```python\neval(input())\n```\n"
    assert [finding.blocks for _, finding in check_text(text, path="README.md")] == [False]


def test_what_a_markdown_cell_shows_as_a_cell_of_another_format_is_not_run() -> None:
    assert [piece.warn_only for piece in fences("```{python}\nx = 1\n```\n```{code-cell}\ny\n```", name="x")] == [
        True,
        True,
    ]


def test_a_cell_of_a_notebook_in_markdown_that_does_not_parse_is_named() -> None:
    text = "```{python}\nx = (\n```\n\n```python\nx = (\n```\n"
    assert [(place.line, finding.rule) for place, finding in check_text(text, path="a.qmd")] == [(2, "does-not-parse")]


def test_a_stream_reports_each_finding_within_a_token_of_its_line() -> None:
    ticks = count()
    report = stream_report("import os\nos.system(\n  input())\nx = 1\neval(input())", clock=lambda: next(ticks) / 1e6)
    assert [(one.finding.line, one.delay) for one in report.findings] == [(2, 0), (5, 0)]
    assert (report.mean_us, report.p99_us) == (pytest.approx(1.0), pytest.approx(1.0))
    assert report.tokens == len(tokens("import os\nos.system(\n  input())\nx = 1\neval(input())"))


@pytest.mark.parametrize("text", ["", "a\r\nb\tc\u2028d é\x00", "12345 'x'  \n"])
def test_tokens_are_the_text(text: str) -> None:
    assert "".join(tokens(text)) == text


def test_sarif_names_rules_places_levels_and_what_is_allowed() -> None:
    findings = check("import hashlib\nhashlib.md5(x)\neval(input())  # spark: allow code-injection a lesson")
    rows = [(Location("src\\a b#.py", "script", one.line), one) for one in findings]
    log = json.loads(json.dumps(sarif(rows, version="1.0")))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["code-injection", "weak-hash"]
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [
        ("weak-hash", "warning"),
        ("code-injection", "error"),
    ]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "src/a%20b%23.py"}, "region": {"startLine": 2, "startColumn": 1}}
    assert "suppressions" not in run["results"][0]
    assert run["results"][1]["suppressions"] == [{"kind": "inSource", "justification": "a lesson"}]


def test_sarif_names_the_cell_of_a_notebook_whose_lines_are_not_the_files() -> None:
    cells = [{"cell_type": "code", "source": "x = 1\neval(input())"}] * 2
    found = check_text(json.dumps({"cells": cells, "nbformat": 4}), path="a.ipynb")
    results = json.loads(json.dumps(sarif(found)))["runs"][0]["results"]
    assert [one["message"]["text"].partition(": ")[0] for one in results] == ["cell 1, line 2", "cell 2, line 2"]
    assert len({tuple(one["partialFingerprints"].values()) for one in results}) == 2
    assert {one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results} == {1}


def test_sarif_of_nothing_is_a_run_without_results() -> None:
    assert sarif([])["runs"][0]["results"] == []  # type: ignore[index]


def _notebook(**metadata: object) -> str:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "import os; os.system('rm -rf ~')"}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": [cell]})


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"name": "python3", "language": "R"}},
        {"kernelspec": {"name": "python3"}, "language_info": {"name": "R"}},
        {"language_info": {"name": "R"}},
        {"kernelspec": {"name": "", "language": "R"}},
        {"kernelspec": {"name": "course", "language": "R"}, "language_info": {"name": "R"}},
        {"kernelspec": {"name": "pysparkkernel", "language": "python"}, "language_info": {"name": "pyspark"}},
    ],
)
def test_a_claimed_language_counts_for_nothing_where_python_would_run(metadata: dict[str, object]) -> None:
    assert any(finding.blocks for _, finding in check_text(_notebook(**metadata), path="a.ipynb"))


@pytest.mark.parametrize("path", ["a.IPYNB", "a.json", "a.ipynb.txt"])
def test_a_notebook_is_one_by_any_name(path: str) -> None:
    assert any(finding.blocks for _, finding in check_text(_notebook(), path=path))
