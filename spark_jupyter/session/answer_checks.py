"""Checks that an answer must pass: given ones, asserts, doctests.

A check is Python that raises where something is wrong. A prompt's text counts as a check only where it plainly is one: a line, an inline
code span or a statement in a fenced block that begins with ``assert`` and calls or compares something ("assert that x is positive" is
prose).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from spark_jupyter.source.python_parser import body_of


class Check(Struct, frozen=True, kw_only=True):
    """One check: ``text`` is shown, ``source`` is run in the copy after the answer."""

    text: str
    source: str


def checks_for(*, given: Sequence[str], prompt: str, cells: Sequence[str]) -> tuple[Check, ...]:
    """All checks of an answer with these code cells, each once: those ``given``, those in the ``prompt``, the doctests in ``cells``."""
    asserts = [Check(text=text, source=with_found_value(text)) for text in dict.fromkeys((*given, *asserts_in(prompt)))]
    return (*asserts, *(check for source in cells for check in doctests_in(source)))


# --- asserts -----------------------------------------------------------------------------------------------------------

_FENCE = re.compile(r"`{3,}+|~{3,}+")
_SPAN = re.compile(r"`([^`\n]+)`")
_MARKER = re.compile(r"^\s*(?:[-*+>]|\d+[.)])?\s*")


def asserts_in(text: str) -> tuple[str, ...]:
    """The assert statements that a prompt holds, in order."""
    fenced, outside = _split_fences(text)
    lines = [_MARKER.sub("", line).strip("` \t") for line in outside]
    pieces = [*fenced, *lines, *_SPAN.findall("\n".join(outside))]
    return tuple(dict.fromkeys(text for piece in pieces for text in _asserts(piece)))


def _split_fences(text: str) -> tuple[list[str], list[str]]:
    """The fenced blocks of a prompt, and its other lines. A fence that is not closed is text."""
    fenced: list[str] = []
    outside: list[str] = []
    inside: list[str] = []
    fence = ""
    for line in text.splitlines():
        opened = _FENCE.match(line)
        if not fence and opened:
            fence, inside = opened[0], [line]
        elif fence and line.startswith(fence):
            fenced.append("\n".join(inside[1:]))
            fence = ""
        else:
            (inside if fence else outside).append(line)
    return fenced, outside + inside if fence else outside


def _asserts(source: str) -> list[str]:
    asserts = [node for node in body_of(source) if isinstance(node, ast.Assert)] if "assert" in source else []
    try:
        return [ast.unparse(node) for node in asserts if any(map(_is_condition, ast.walk(node.test)))]
    except RecursionError:  # a tree that can be read can be too deep to be written
        return []


def _is_condition(node: ast.AST) -> bool:
    return isinstance(node, ast.Call | ast.Compare)


def with_found_value(check: str) -> str:
    """The check with a message that shows the value found: ``assert f(3) == 5`` fails with the value of ``f(3)``."""
    body = body_of(check)
    node = body[0] if len(body) == 1 else None
    if not isinstance(node, ast.Assert) or node.msg is not None or not isinstance(node.test, ast.Compare):
        return check
    left = ast.unparse(node.test.left)
    if isinstance(node.test.left, ast.Constant) or any(isinstance(one, ast.Await) for one in ast.walk(node)):
        return check
    found = ast.NamedExpr(target=ast.Name(id="_spark_found", ctx=ast.Store()), value=node.test.left)
    test = ast.Compare(left=found, ops=node.test.ops, comparators=node.test.comparators)
    return f"assert {ast.unparse(test)}, {left!r} + ' is ' + repr(_spark_found)[:200]"


# --- doctests ------------------------------------------------------------------------------------------------------------


def doctests_in(source: str) -> Iterator[Check]:
    """A check for every docstring of a cell that has examples."""
    for name, text in _docstrings(body_of(source) if ">>>" in source else [], ""):
        run = "__import__('spark_jupyter.sandbox.copy.doctest_checks', fromlist=['run']).run"
        yield Check(text=f"the doctest of {name}", source=f"{run}({name!r}, {text!r}, globals())")


def _docstrings(body: Iterable[ast.stmt], outer: str) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}{node.name}"
            text = ast.get_docstring(node)
            if text and ">>>" in text:
                yield name, text
            if isinstance(node, ast.ClassDef):
                yield from _docstrings(node.body, f"{name}.")
