"""IPython's own lines: told apart as IPython itself tells them."""

from __future__ import annotations

import ast

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from spark_jupyter.source.magics import escape, held_python

LINES = [
    "!ls",
    "!!ls",
    "  !ls {x}",
    "%cd a",
    "%%timeit x",
    "x = !ls",
    "x =!ls",
    "a.b = %sx ls",
    "d['k'] = !ls",
    "x?",
    "?x",
    "x.y??",
    "%time?",
    "/f 1 2",
    ",f a b",
    ";os.system rm -rf x",
    "x = 5 % y",
    "x != y",
    "x = a == b",
    "x = '!ls'",
    "x = '%d' % y",
    "f(x, y='%s')",
    "x = [1, 2] ;",
    "# x?",
    "@decorated",
    "x %= y",
    "if x: y = '!'",
]


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_ipythons_where_ipython_says_so(line: str) -> None:
    before = (
        "if x:" if line[:1].isspace() else "x = 0"
    )  # behind another line nothing is a cell magic, and indentation counts
    cell = f"{before}\n{line}\n"
    assert (escape(line) is not None) == (TransformerManager().transform_cell(cell) != cell)


@pytest.mark.parametrize(
    ("line", "python"),
    [
        ("%time x = f()", "x = f()"),
        ("%timeit -n 10 -r3 f(x)", "f(x)"),
        ("%timeit -n10 -qo f(x)", "f(x)"),
        ("%prun -s cumulative -q f()", "f()"),
        ("%lprun -f mod.g g(1)", "g(1)"),
        ("%memit --no-raise f()", "f()"),
        ("%time -- -x", "-x"),
        ("%%timeit x = 1", "x = 1"),
        ("%time", ""),
        ("%cd x", ""),
        ("!ls", ""),
        ("/f 1 2", "f(1, 2)"),
        (",f a b", "f('a', 'b')"),
        (";os.system rm -rf x", "os.system('rm -rf x')"),
    ],
)
def test_the_python_in_a_line_of_ipython(line: str, python: str) -> None:
    assert held_python(line) == python
    ast.parse(python)
