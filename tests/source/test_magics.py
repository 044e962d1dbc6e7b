"""IPython's own lines: told apart as IPython itself tells them."""

from __future__ import annotations

import ast

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from spark_jupyter.source.ipython_lines import escape, gives_names, held_python, installs

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
    "'''?",
    '"a"?',
    "x[0].y?",
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
        (",f a b", 'f("a", "b")'),
        (";os.system rm -rf x", 'os.system("rm -rf x")'),
        (';f x"); g("y', 'f("x"); g("y")'),
        ("%time \\\nf()", "f()"),
    ],
)
def test_the_python_in_a_line_of_ipython(line: str, python: str) -> None:
    assert held_python(line) == python
    ast.parse(python)


@pytest.mark.parametrize(
    ("command", "installed"),
    [
        ("%pip install -q pandas", "-q pandas"),
        ("!pip3 install pandas==3.1 numpy", "pandas==3.1 numpy"),
        ("! python -m pip install pandas", "pandas"),
        ("!{sys.executable} -m pip install pandas", "pandas"),
        ("!sudo /usr/bin/python3 -m pip install pandas", "pandas"),
        ("!uv pip install pandas", "pandas"),
        ("uv add pandas", "pandas"),
        ("%conda install pandas", "pandas"),
        ("!pip list", ""),
        ("!echo pip install pandas", ""),
        ("pip = install", ""),
    ],
)
def test_what_a_command_installs_is_what_its_installer_is_told(command, installed):
    assert installs(command) == installed


def test_a_long_command_that_installs_nothing_is_read_at_once():
    assert installs("!" * 50_000 + " -m" * 50_000) == ""


@pytest.mark.parametrize("magic", ["%run other.ipynb", "%%capture out\nf()", "%%R -o x\nx <- 1", "  %store -r table"])
def test_a_magic_may_give_names_that_its_text_does_not_define(magic):
    assert gives_names(magic)


@pytest.mark.parametrize("line", ["%load_ext autoreload", "%timeit f()", "%%time\nf()", "run = 1", "!run"])
def test_most_lines_of_ipython_give_none(line):
    assert not gives_names(line)
