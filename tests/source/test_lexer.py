"""Logical lines: what belongs together, and what kind of line it is."""

from __future__ import annotations

import pytest

from spark_jupyter.source.lexer import Lexer, LogicalLine


def lines(text: str) -> list[LogicalLine]:
    lexer = Lexer()
    return lexer.feed(text) + lexer.flush()


def shape(text: str) -> list[tuple[int, str, int]]:
    return [(line.number, line.kind, line.height) for line in lines(text)]


def test_brackets_quotes_and_backslashes_hold_a_line_together() -> None:
    text = 'a = (1,\n  2)\nb = """x\n# no comment (\n"""\nc = 1 + \\\n  2\nd = "(" + \'[\'\n'
    assert shape(text) == [(1, "code", 2), (3, "code", 3), (6, "code", 2), (8, "code", 1)]


def test_blank_lines_and_comments_are_no_lines() -> None:
    assert shape("\n# a\n   \n  # b\nx = 1  # c\n") == [(5, "code", 1)]


def test_crlf_is_a_line_end() -> None:
    assert [line.text for line in lines("a = 1\r\nb = (2,\r\n 3)\r\n")] == ["a = 1", "b = (2,\n 3)"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("!ls", "shell"),
        ("x = !ls", "shell"),
        ("  !ls", "shell"),
        ("%cd a", "magic"),
        ("x = %sx ls", "magic"),
        ("x = 5 % y", "code"),
        ("x != y", "code"),
        ("a = b == c", "code"),
        ("x = '!ls'", "code"),
    ],
)
def test_what_is_no_python_is_known_by_its_beginning(text: str, kind: str) -> None:
    assert [line.kind for line in lines(text)] == [kind]


@pytest.mark.parametrize("text", ["x?", "?x", "np.array??", "%matplotlib?"])
def test_help_is_no_line(text: str) -> None:
    assert lines(text) == [] or lines(text)[0].kind == "magic"


@pytest.mark.parametrize(
    ("magic", "kinds"),
    [
        ("%%bash", ["magic", "shell"]),
        ("%%time", ["magic", "code"]),
        ("%%html", ["magic", "script"]),
        ("%%writefile a.py", ["magic", "code"]),
        ("%%writefile a.txt", ["magic", "script"]),
        ("%%script python", ["magic", "code"]),
        ("%%!", ["magic", "shell"]),
    ],
)
def test_a_cell_magic_says_what_its_body_is(magic: str, kinds: list[str]) -> None:
    assert [line.kind for line in lines(f"\n{magic}\nbody 1")] == kinds


def test_an_open_bracket_gives_way_to_a_line_that_can_only_begin_a_statement() -> None:
    assert shape("x = f(1,\nimport os\ny = 2\n") == [(1, "code", 1), (2, "code", 1), (3, "code", 1)]


def test_a_quote_that_is_not_closed_ends_with_its_line() -> None:
    assert shape("x = 'a\ny = 2\n") == [(1, "code", 1), (2, "code", 1)]


def test_a_header_ends_with_a_colon_before_its_comment() -> None:
    assert [line.header for line in lines("if x:  # a: b\nx = {1:\n 2}\ny = 'a:'\n")] == [True, False, False]
