"""Findings of a rehearsal in a real copy: rule, line, cause and remedy."""

from __future__ import annotations

import os

import pytest

INVENTED = [
    ("import math\nmath.squareroot(4)", "missing-attribute", 2, ""),
    ("text = 'a'\ntext.uppper()", "missing-attribute", 2, "`upper`"),
    ("number = 5\nprint(numbr)", "undefined-name", 2, "`number`"),
    ("import no_such_module_anywhere", "missing-module", 1, "pip install"),
    ("from json import dumpz", "missing-attribute", 1, "`dump"),
    ("def draw(*, colour):\n    pass\n\ndraw(color=1)", "unknown-keyword", 4, "`colour`"),
    ("def draw(a, b):\n    pass\n\ndraw(1)", "wrong-arguments", 4, "draw(a, b)"),
    ("def f():\n    return missing_one\n\nf()", "undefined-name", 2, ""),
    ("import json\njson()", "wrong-call", 2, ""),
    ("x = [\n    1,\n    nothing_here,\n]", "undefined-name", 3, ""),
]


@pytest.mark.parametrize(("source", "rule", "line", "remedy"), INVENTED)
def test_what_does_not_exist_is_found_at_its_line(stage, source, rule, line, remedy):
    found = stage.finding(source)
    assert found is not None
    assert (found.rule, found.line, found.origin, found.severity) == (rule, line, "rehearsal", "block")
    assert remedy in found.remedy
    assert "Error" in found.raised
    assert found.raised.partition(": ")[2] not in found.message


PANDAS = [
    ("frame['sale']", "missing-column", "`sales`"),
    ("frame.groupby('regio')['sales'].sum()", "missing-column", "`region`"),
    ("frame.set_index('salles')", "missing-column", "`sales`"),
    ("frame.sort_values('regin')", "missing-column", "`region`"),
    ("frame.query('nosuch > 1')", "undefined-name", ""),
    ("frame.group_by('region')", "missing-attribute", "`groupby`"),
    ("frame.sort_values('sales', ascend=True)", "unknown-keyword", "`ascending`"),
    (
        "getattr(frame, 'sort_' + 'valuez')('sales')",
        None,
        "",
    ),  # raised in the library, about what the text does not name
]


@pytest.mark.parametrize(("source", "rule", "remedy"), PANDAS)
def test_a_tables_columns_methods_and_keywords_are_named(bench, stage, source, rule, remedy):
    pytest.importorskip("pandas")
    bench.given("import pandas as pd\nframe = pd.DataFrame({'region': ['a', 'b'], 'sales': [1, 2]})")
    found = stage.finding(f"x = 1\n{source}")
    assert (found.rule if found else None) == rule
    assert found is None or (found.line == 2 and remedy in found.remedy)


HARMLESS = [
    "1 / 0",
    "int('x')",
    "[][3]",
    "{}['k']",
    "open('/no/such/file')",
    "open('written-by-a-rehearsal.txt', 'w')",
    "import socket\nsocket.create_connection(('127.0.0.1', 9))",
    "import subprocess\nsubprocess.run(['ls'])",
    "!ls",
    "input('Who? ')",
    "from urllib.request import urlopen\ntry:\n    page = urlopen('http://peer.invalid')\nexcept OSError:\n    page = 1\npage.text",
    "try:\n    open('x', 'w')\nexcept OSError:\n    found = None\nfound.name",
    "def f():\n    return 1",
    "older()",
    "assert False",
    "import sys\nsys.exit()",
    "def deep(n):\n    return deep(n + 1)\n\ndeep(0)",
]


@pytest.mark.parametrize("source", HARMLESS)
def test_what_is_not_the_codes_own_fault_is_shown_and_does_not_cut(bench, stage, source):
    bench.given("def older():\n    return not_defined_here")
    assert stage.finding(source) is None
    assert not os.path.exists("written-by-a-rehearsal.txt")


# --- A finding names the cause ------------------------------------------------------------------------------------------------

_CHURN = "import pandas as pd\ndf = pd.DataFrame({'tenure': [1, 2], 'monthly_charges': [1.0, 2.0], 'churn': [0, 1]})"


def test_a_column_that_is_named_above_is_found_there(bench, stage):
    pytest.importorskip("pandas")
    bench.given(_CHURN)
    finding = stage.finding(
        "cols = ['tenure', 'MonthlyCharges']\nn = len(cols)\nsummary = df.groupby('churn')[cols].mean()"
    )
    assert finding is not None
    assert (finding.rule, finding.line, finding.cause) == ("missing-column", 3, 1)
    assert "`MonthlyCharges`" in finding.message
    assert "line 1" in finding.message
    assert "monthly_charges" in finding.remedy


def test_a_column_that_seaborn_does_not_find_is_missing(bench, stage):
    pytest.importorskip("seaborn")
    bench.given(_CHURN + "\nimport seaborn as sns")
    finding = stage.finding("cols = ['tenure', 'MonthlyCharges']\nfor col in cols:\n    sns.histplot(data=df, x=col)")
    assert finding is not None
    assert (finding.rule, finding.line, finding.cause) == ("missing-column", 3, 1)
    assert "monthly_charges" in finding.remedy


def test_the_columns_of_a_file_that_the_cell_reads_are_told(bench, stage, tmp_path, monkeypatch):
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sensors.csv").write_text("ts,sensor,temp\n2024-01-01,s0,1.5\n")
    bench.given("import polars as pl")
    finding = stage.finding(
        "sensors = (\n    pl.read_csv('sensors.csv')\n    .with_columns(pl.col('timestamp').str.to_datetime())\n)"
    )
    assert finding is not None
    assert finding.rule == "missing-column"
    assert "`timestamp`" in finding.message
    for column in ("ts", "sensor", "temp"):
        assert column in finding.remedy


def test_a_column_in_the_text_of_a_query_is_told(bench, stage):
    pytest.importorskip("duckdb")
    bench.given(_CHURN + "\nimport duckdb")
    finding = stage.finding("duckdb.sql('select MonthlyCharges from df').fetchall()")
    assert finding is not None
    assert "`MonthlyCharges`" in finding.message
    assert "monthly_charges" in finding.remedy


def test_a_frequency_that_has_another_name_now_is_told_by_its_new_name(bench, stage):
    pandas = pytest.importorskip("pandas", minversion="3")
    bench.given("import pandas as pd\ns = pd.Series([1.0, 2.0], index=pd.to_datetime(['2024-01-01', '2024-02-01']))")
    finding = stage.finding("monthly = s.resample('M').sum()")
    assert finding is not None
    assert finding.rule == "unknown-value"
    assert finding.remedy == f"pandas {pandas.__version__} says `ME` for `M`."
