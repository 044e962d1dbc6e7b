"""Strings, statements and cuts; and for all of the reader: fed in any pieces is fed whole, and no line is looked at twice."""

from __future__ import annotations

import ast
import inspect
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_jupyter.source import lexer, strings
from spark_jupyter.source.cutting import split_at_statement
from spark_jupyter.source.lexer import Lexer, logical_lines, python_only
from spark_jupyter.source.statements import Splitter, Statement
from spark_jupyter.source.strings import closing, mended, read

PIECES = [
    *(
        "x = 1\n",
        "if x:\n",
        "    y\n",
        "else:\n",
        "def f(a,\n",
        "      b):\n",
        "@d\n",
        "class A: pass\n",
        "import os\n",
    ),
    *("%%time\n", "%%bash\n", "%time f(\n", "!ls \\\n", "x = !ls\n", "    !cd a\n", "x?\n", ";f a\n", "%cd b\n"),
    *('"""', "'''", '"', "'", "(", ")", "[", "]", "{", "}", "\\", "#", "\n", "\r\n", "\r", " ", "\t", "\x0c", "\u2028"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=200)


def statements(text: str) -> list[Statement]:
    splitter = Splitter()
    return [*splitter.feed(text), *splitter.flush()]


def pieces_of(text: str, cuts: list[int]) -> list[str]:
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    return [text[begin:end] for begin, end in pairwise(places)]


# --- strings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "inside", "string", "carried"),
    [
        ("x = 1", "", "", ""),
        ("x = 'a", "", "'", ""),
        ("x = 'a\\", "", "'", "'"),
        ("x = 'a\\\\", "", "'", ""),
        ("x = '''a", "", "'''", "'''"),
        ("b", "'''", "'''", "'''"),
        ("b''' + \"", "'''", '"', ""),
        ("b \\'''", "'''", "'''", "'''"),
        ("x = 'it\\'s' # don't", "", "", ""),
    ],
)
def test_which_string_is_open_behind_a_line(line: str, inside: str, string: str, carried: str) -> None:
    end = read(line, inside)
    assert (end.string, end.carried) == (string, carried)


def test_code_ends_before_its_comment() -> None:
    end = read("f(x, '#')  # why (")
    assert (end.code, end.comment, end.depth) == ("f(x, '#')", "# why (", 0)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("f(a, ')', [1])x", "x"),
        ("('''\n)''')x", "x"),
        ("(# )\n)x", "x"),
        ("(a", None),
        ("('a)", None),
        ("(''')", None),
    ],
)
def test_where_a_bracket_is_closed(text: str, rest: str | None) -> None:
    end = closing(text, text.index("("))
    assert (text[end:] if end else None) == rest


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("f(a, [1, {2: 3", "f(a, [1, {2: 3}])"),
        ("f('a", "f('a')"),
        ("f('''a\nb", "f('''a\nb''')"),
        ("f('a\n b' % c", "f('a\\\n b' % c)"),
        ("f(a  # (why", "f(a  # (why\n)"),
        ("f(a)", "f(a)"),
    ],
)
def test_what_is_missing_at_the_end_of_a_line_is_put_there(text: str, whole: str) -> None:
    assert mended(text) == whole
    ast.parse(whole)


# --- statements ------------------------------------------------------------------------------------------------------


def test_a_simple_statement_is_given_out_when_its_line_ends_a_compound_one_when_the_next_begins() -> None:
    splitter = Splitter()
    assert splitter.feed("x = (1,\n") == []
    assert splitter.feed("2)\nif x:\n  y\n\n# why\nelse:\n  z\n") == [Statement("x = (1,\n2)", 1)]
    assert splitter.feed("w = [3,\n") == [Statement("if x:\n  y\n\n\nelse:\n  z", 3)]
    assert splitter.feed("4]\n") == [Statement("w = [3,\n4]", 9)]


def test_a_decorator_belongs_to_what_it_stands_over() -> None:
    assert statements("@a\n\n@b(\n1)\ndef f():\n  pass\nx") == [
        Statement("@a\n\n@b(\n1)\ndef f():\n  pass", 1),
        Statement("x", 7),
    ]


def test_lines_of_ipython_say_what_they_bind() -> None:
    assert statements("a, b = !ls\n%cd x\n%time y = 1\nz?\n") == [
        Statement("a, b = !ls", 1, "a, b"),
        Statement("%cd x", 2, "line"),
        Statement("y = 1", 3),
        Statement("z?", 4, "line"),
    ]


def test_lines_of_ipython_in_a_block_are_python_that_binds_the_same() -> None:
    (only,) = statements("if x:\n    !ls\n    names = !ls\n    %time y = 1\n")
    assert only.text == "if x:\n    pass\n    names = get_ipython().getoutput('')\n    y = 1"


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%python", "%%writefile a.py", "%%spark"])
def test_what_another_interpreter_runs_is_no_statement(magic: str) -> None:
    assert statements(f"\n{magic}\nx = 1\ny = 2") == [Statement(magic, 2, "cell")]


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "%%timeit -n 1"])
def test_what_this_kernel_runs_is(magic: str) -> None:
    assert statements(f"{magic}\nx = 1") == [Statement(magic, 1, "cell"), Statement("x = 1", 2)]


# --- cutting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "before", "cut"),
    [
        (1, "", "a = 1\n"),
        (3, "a = 1\n", "b = f(\n  2,\n)\n"),
        (5, "a = 1\nb = f(\n  2,\n)\n", "%cd x\n"),
        (6, "a = 1\nb = f(\n  2,\n)\n%cd x\n", "# why\n"),
        (8, "a = 1\nb = f(\n  2,\n)\n%cd x\n# why\n", "c = '''\n x"),
    ],
)
def test_what_is_cut_is_the_logical_line(line: int, before: str, cut: str) -> None:
    source = "a = 1\nb = f(\n  2,\n)\n%cd x\n# why\nc = '''\n x"
    assert split_at_statement(source, line) == (before, cut)


def test_a_form_feed_is_no_end_of_a_line() -> None:
    assert split_at_statement("a = '\x0c\u2028'\nb\nc", 2) == ("a = '\x0c\u2028'\n", "b\n")


@settings(max_examples=200)
@given(TEXTS, st.integers(1, 30))
def test_a_cut_loses_nothing_before_it(text: str, line: int) -> None:
    before, cut = split_at_statement(text, line)
    assert text.startswith(before + cut)


# --- in pieces -------------------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(TEXTS, st.lists(st.integers(0, 300), max_size=8))
def test_lines_and_statements_are_the_same_for_every_cut(text: str, cuts: list[int]) -> None:
    lexer, splitter = Lexer(), Splitter()
    pieces = pieces_of(text, cuts)
    assert [line for piece in pieces for line in lexer.feed(piece)] + lexer.flush() == logical_lines(text)
    assert [one for piece in pieces for one in splitter.feed(piece)] + splitter.flush() == statements(text)


@settings(max_examples=200)
@given(TEXTS)
def test_lines_lie_in_order_and_are_those_of_the_text(text: str) -> None:
    physical = lexer.plain(text).split("\n")
    end = 0
    for line in logical_lines(text):
        assert line.number > end
        end = line.number + line.height - 1
        assert line.text.split("\n") == physical[line.number - 1 : end]
        assert line.python.count("\n") == line.text.count("\n")


@settings(max_examples=200)
@given(TEXTS)
def test_the_python_of_a_cell_has_as_many_lines(text: str) -> None:
    assert python_only(text).count("\n") == lexer.plain(text).count("\n")


@pytest.mark.parametrize("module", [lexer, strings, ast, re, pytest, Path], ids=lambda one: one.__name__)
def test_what_parses_is_cut_as_python_cuts_it(module: object) -> None:
    source = Path(inspect.getsourcefile(module)).read_text(encoding="utf-8")
    body = ast.parse(source).body
    found = statements(source)
    assert [ast.dump(node) for one in found for node in ast.parse(one.text).body] == [ast.dump(node) for node in body]
    assert {one.line for one in found} <= {
        min(node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", [])), node.lineno)
        for node in body
    }


def test_each_line_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    characters = 0

    def counting(line: str, string: str = "", depth: int = 0) -> strings.Read:
        nonlocal characters
        characters += len(line)
        return read(line, string, depth)

    monkeypatch.setattr(lexer, "read", counting)
    for head, line in (("x = [\n", "  'a',\n"), ("f('''\n", "a b\n"), ("if 'a':\n", " f(1)\n")):
        text = head + line * 20_000
        characters = 0
        splitter = Splitter()
        for start in range(0, len(text), 5):
            splitter.feed(text[start : start + 5])
        splitter.flush()
        assert len(text) / 2 < characters <= len(text)
