"""Helpers that the edits of a cell share."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spark_jupyter.source.python_parser import parse_python

WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("code_words.toml").read_text(encoding="utf-8"))
"""Names and methods in code, with the types and the sentences that they stand for."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def parse(source: str) -> ast.Module:
    """The tree of a cell; lines with magics count as comments. Raises :class:`SyntaxError`."""
    return parse_python(re.sub(r"(?m)^([ \t]*)[%!]", r"\1#", source))


def functions(tree: ast.AST) -> list[Function]:
    """All functions and methods, in the order in which they stand."""
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return sorted(found, key=lambda node: node.lineno)


def in_words(name: str) -> str:
    """``moving_average`` → ``moving average``."""
    return " ".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").split()).lower()


def parameters(function: Function) -> list[ast.arg]:
    """The parameters but ``self`` and ``cls``."""
    arguments = function.args
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [one for one in found if one.arg not in ("self", "cls")]


def own(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function without those of the functions in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def defaults(function: Function) -> dict[str, ast.expr]:
    """Parameter → its default."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    found = {one.arg: value for one, value in zip(positional[::-1], arguments.defaults[::-1], strict=False)}
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found | {one.arg: value for one, value in pairs if value is not None}
