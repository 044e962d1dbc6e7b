"""Parser of Python text that prints no warnings and leaves the user's filters alone.

``ast.parse`` warns of an escape such as ``"\\d"`` where the user looks: from Python 3.12 on, into the output of whichever cell runs. A
filter for our file name keeps it silent. ``warnings.catch_warnings`` would do harm: two threads that leave it in another order than they
entered it put back filters that nobody wants, and what the user's own cell sets meanwhile is lost.
"""

from __future__ import annotations

import ast
import re
import symtable
import sys
from typing import Final, Literal, overload

from spark_jupyter.source.warning_filters import silence

FILENAME: Final = "<spark>"
"""File name in the parser's own warnings."""

_PATTERN: Final = re.escape(FILENAME)
_ATTEMPTS: Final = 9 if sys.version_info < (3, 12) else 0
"""Python 3.11 counts the depth of a tree once for all threads (python/cpython#106905): where another parses meanwhile, it raises
a SystemError about text that is right."""


@overload
def parse_python(source: str, mode: Literal["exec"] = "exec", *, top_level_await: bool = False) -> ast.Module: ...
@overload
def parse_python(source: str, mode: Literal["eval"]) -> ast.Expression: ...
def parse_python(
    source: str, mode: Literal["exec", "eval"] = "exec", *, top_level_await: bool = False
) -> ast.Module | ast.Expression:
    """The tree of Python text: a module, or an expression with mode ``eval``.

    Raises SyntaxError, ValueError (for a null byte), RecursionError and MemoryError, as ``ast.parse`` does.
    """
    silence(_PATTERN)
    flags = ast.PyCF_ONLY_AST | (ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if top_level_await else 0)
    for _ in range(_ATTEMPTS):
        try:
            return _compiled(source, mode, flags)
        except SystemError:
            continue
    return _compiled(source, mode, flags)


def _compiled(source: str, mode: str, flags: int) -> ast.Module | ast.Expression:
    tree: ast.Module | ast.Expression = compile(source, FILENAME, mode, flags, dont_inherit=True)
    return tree


def tree_of(source: str, *, top_level_await: bool = False) -> ast.Module | None:
    """The tree of Python text; None for what is none: a magic, or a statement that is not finished."""
    try:
        return parse_python(source, top_level_await=top_level_await)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def body_of(source: str) -> list[ast.stmt]:
    """The statements of Python text; none where it is not Python."""
    tree = tree_of(source)
    return tree.body if tree is not None else []


def symbols(source: str) -> symtable.SymbolTable:
    """The names of Python text by scope. Raises as :func:`parse_python` does."""
    silence(_PATTERN)
    return symtable.symtable(source, FILENAME, "exec")


def compile_python(source: str) -> None:
    """Raise the SyntaxError of the compiler for text that the parser takes: a name that is bound twice, a ``return`` out of place.
    Top-level ``await`` is allowed, as in a cell."""
    silence(_PATTERN)
    compile(source, FILENAME, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
