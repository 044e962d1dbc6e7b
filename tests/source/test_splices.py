"""Replacements in a source, whatever ends its lines."""

from __future__ import annotations

import ast

import pytest

from spark_jupyter.source.splices import Positions, Splice, spliced


@pytest.mark.parametrize(
    "source",
    [
        'x = "a\x0cb\u2028c"; y = 1\nz = y\n',
        'é = "é"; y = 1\r\nz = y',
        'a = 1\rb = 2\r\nc = """x\n\ny"""; d = 3\n',
    ],
)
def test_a_node_stands_where_python_reads_it(source):
    at = Positions(source)
    names = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    assert [source[slice(*at.span(node))] for node in names] == [node.id for node in names]


def test_a_splice_within_another_or_given_twice_counts_once():
    splices = [Splice(0, 5, "x"), Splice(2, 3, "y"), Splice(6, 6, "!"), Splice(6, 6, "!")]
    assert spliced("a = 1; b", splices) == "x;! b"


@pytest.mark.parametrize(
    ("call", "left"),
    [
        ("f(a, b=1)", "f(a)"),
        ("f(b=1)", "f()"),
        ("f(b=1, c=2)", "f(c=2)"),
        ("f(a, b=1, c=2)", "f(a, c=2)"),
        ("f((a), b=1)", "f((a))"),
        ("f(((a)), b=(1), c=(2))", "f(((a)), c=(2))"),
        ("f(b=1, )", "f()"),
        ("f(a, b=1,)", "f(a,)"),
        ("f(b=1, *(a), **(c))", "f(*(a), **(c))"),
        ("(f)((a)(), b=(1))", "(f)((a)())"),
        ("f((x for x in y), b=1)", "f((x for x in y))"),
        ("f(  # first (\n  a,  # then ),\n  b=1,  # last\n)", "f(  # first (\n  a,  # last\n)"),
        ("f(\n  b=1,  # gone\n  c=2,\n)", "f(\n  c=2,\n)"),
    ],
)
def test_an_argument_goes_with_its_comma(call, left):
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    keyword = next(one for one in node.keywords if one.arg == "b")
    assert spliced(call, [Positions(call).without_argument(node, keyword)]) == left
