"""Logical lines: what belongs together, and what kind of line it is."""

from __future__ import annotations

import pytest

from spark_jupyter.source.lexer import Lexer, LogicalLine, python_only


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
        (";os.system rm -rf x", "call"),
        ("d['x'] = !ls", "shell"),
        ("a, b.c = %sx ls", "magic"),
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


@pytest.mark.parametrize("text", ["x?", "?x", "np.array??", "%matplotlib?", "%%time?", "x? "])
def test_help_is_a_line_of_its_own_kind(text: str) -> None:
    assert [line.kind for line in lines(text)] == ["help"]


@pytest.mark.parametrize(
    ("magic", "kinds"),
    [
        ("%%bash", ["cell", "shell"]),
        ("%%time", ["cell", "code"]),
        ("%%html", ["cell", "script"]),
        ("%%writefile a.py", ["cell", "code"]),
        ("%%writefile a.txt", ["cell", "script"]),
        ("%%script python", ["cell", "code"]),
        ("%%!", ["cell", "shell"]),
        ("%%script --bg /usr/bin/python3", ["cell", "code"]),
        ("%%script perl", ["cell", "shell"]),
        ("  %%time", ["cell", "code"]),
        ("x = 1\n%%time", ["code", "magic", "code"]),
        ("%%capture\n%%bash", ["cell", "cell", "shell"]),
        ("%%bash\n%%time", ["cell", "shell", "shell"]),
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


def test_a_quote_that_is_not_closed_hides_the_brackets_behind_it() -> None:
    assert shape("x = it's f(\ny = 2\n") == [(1, "code", 1), (2, "code", 1)]


def test_a_string_that_was_broken_in_two_goes_on_where_the_next_line_ends_it() -> None:
    assert shape("f('a\n  b', x)\ny = 1\n") == [(1, "code", 2), (3, "code", 1)]
    assert shape("f('a\n  b\n  c')\ny = 1\n") == [(1, "code", 1), (2, "code", 1), (3, "code", 1), (4, "code", 1)]
    assert shape("f('a\ny = 'b'\n") == [(1, "code", 1), (2, "code", 1)]
    assert shape("f('a\n# it's b\ny = 1\n") == [(1, "code", 1), (3, "code", 1)]


def test_a_string_goes_on_behind_a_backslash_that_no_other_escapes() -> None:
    assert shape("x = 'a\\\nb'\ny = 1\n") == [(1, "code", 2), (3, "code", 1)]
    assert shape("x = 'a\\\\\nb = 1\n") == [(1, "code", 1), (2, "code", 1)]


def test_an_operator_below_an_open_bracket_is_no_decorator() -> None:
    assert shape("x = (a\n     @b)\ny = 1\n") == [(1, "code", 2), (3, "code", 1)]


def test_a_command_goes_on_behind_a_backslash() -> None:
    assert shape("!ls \\\n  -l\nx = 1\n") == [(1, "shell", 2), (3, "code", 1)]


def test_what_is_assigned_to_is_told_apart_from_the_command() -> None:
    (line,) = lines("counted = !grep -c x f.txt")
    assert (line.targets, line.escaped) == ("counted", "!grep -c x f.txt")


def test_text_that_began_in_a_docstring_can_be_read_that_way() -> None:
    lexer = Lexer()
    lexer.feed('the rest of a docstring\n"""\nimport os\n')
    lexer.flush()
    assert [(line.text, line.number) for line in lexer.otherwise()] == [("import os", 3)]
    lexer = Lexer()
    lexer.feed("import os\nx = 1\n")
    lexer.flush()
    assert lexer.otherwise() == []


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("x = 1\n!ls\nif x:\n    %cd a\ny = 2", "x = 1\npass\nif x:\n    pass\ny = 2"),
        ("names = !ls\n%time y = f(1)\nx?\n", "names = get_ipython().getoutput('')\ny = f(1)\npass\n"),
        ("!ls \\\n  -l\nx = 1", "pass\n\nx = 1"),
        ("%%bash\nrm x\n\nls", "pass\npass\n\npass"),
        ("x = (5\n  % y)\nz = '''\n!ls\n'''", "x = (5\n  % y)\nz = '''\n!ls\n'''"),
    ],
)
def test_the_python_of_a_cell_stands_where_it_stood(source: str, python: str) -> None:
    assert python_only(source) == python
