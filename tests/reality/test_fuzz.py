"""Any Python text: the reality check raises nothing, and its work grows no faster than the text."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spark_jupyter
from spark_jupyter.reality import Checker
from spark_jupyter.source.statements import Splitter

NAMESPACE = {"np": np, "pd": pd, "df": pd.DataFrame({"a": [1], "b": ["x"]}), "x": 1}
SOURCES = sorted(Path(spark_jupyter.__file__).parent.rglob("*.py"))
PIECES = st.sampled_from(
    [
        *"()[]{}:;,.=*@%!?#\\'\"\n\t ",
        "\n    ", '"""', "'''", "if x:\n", "else:\n", "for i in x:\n", "def f(a, *b, **c):\n", "class A:\n", "try:\n", "except:\n",
        "df", "['a']", ".groupby('a')", "np", ".arange(3)", ".foo", "(", ")", "lambda y: ", "x = ", "del x", "import numpy as np",
        "from os import *", "%time ", "!ls", "%%bash\n", "await ", "yield ", "f'{x}'", "match x:\n", "case 1:\n", "global x", "é", "\x00",
        "df['c'] = 1", "x += 1", "[i for i in x]", "*x", "with x as y:\n", "return", ":=", "1e999", "0x", "\r\n",
    ]
)  # fmt: skip


def run(source):
    checker = Checker(NAMESPACE, patience=0)
    findings = checker.feed(source) + checker.flush()
    assert checker.failures == 0
    return findings


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=400)
def test_no_text_is_too_strange(source):
    for finding in run(source):
        assert 1 <= finding.line <= source.count("\n") + 1
        assert finding.column >= 0


@given(st.data())
@settings(max_examples=60)
def test_damaged_code_is_never_too_strange(data):
    text = data.draw(st.sampled_from(SOURCES)).read_text()
    start = data.draw(st.integers(0, len(text)))
    text = text[start : start + 3000]
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(text)))
        text = text[:place] + data.draw(PIECES) + text[place + data.draw(st.integers(0, 5)) :]
    run(text)


@given(st.lists(PIECES, max_size=30).map("".join), st.lists(st.integers(0, 12), max_size=12))
@settings(max_examples=200)
def test_statements_are_cut_alike_however_the_text_comes(source, cuts):
    whole, pieces = Splitter(), Splitter()
    expected = whole.feed(source) + whole.flush()
    found, rest = [], source
    for cut in cuts:
        found += pieces.feed(rest[:cut])
        rest = rest[cut:]
    assert found + pieces.feed(rest) + pieces.flush() == expected


LONG = {
    "assignments": "v{i} = np.zeros({i})\n",
    "inventions": "np.foo{i}(1)\n",
    "columns": "df['c{i}'] = 1\ndf['d{i}']\n",
    "merges": "df = df.assign(b{i}=1).merge(df, on='a')\n",
    "branches": "if x:\n    y{i} = 1\nelse:\n    y{i} = df['a']\n",
    "functions": "def f{i}(a):\n    return a + later{i}\n",
    "open brackets": "x = [\n",
    "open strings": "'''a\n",
    "continued lines": "x = \\\n",
    "decorators": "@f\n",
    "strays": ")\n",
    "magics": "!ls {i}\n",
}


@pytest.mark.parametrize("name", LONG)
def test_the_work_grows_with_the_text_and_no_faster(name):
    def calls(lines):
        """How many functions are called: work that is the same on every machine."""
        source = "".join(LONG[name].replace("{i}", str(i)) for i in range(lines))
        count = 0

        def see(frame, event, argument):
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(see)
        try:
            run(source)
        finally:
            sys.setprofile(None)
        return count

    run("np.foo")
    # ten times the lines: a quadratic algorithm would make a hundred times as many calls
    assert calls(1_000) < 20 * max(calls(100), 100)


@pytest.mark.parametrize(
    "source",
    [
        "(" * 20_000,
        "[" * 3000 + "]" * 3000,
        "x" + ".a" * 5000,
        "1" + "+1" * 20_000,
        "f" + "()" * 3000,
        "[" + "1," * 100_000 + "]",
        "'" * 30_000,
        "f'" + "{x}" * 5000 + "'",
        "lambda:" * 500 + "1",
        "1 if x else " * 500 + "1",
        "df" + ".head()" * 2000,
        "".join(" " * i + "if x:\n" for i in range(99)) + " " * 99 + "x",
        "".join(" " * i + "for i in x:\n" for i in range(90)) + " " * 90 + "x",
    ],
    ids=range(13),
)
def test_deep_and_long_expressions_end(source):
    run(source)
