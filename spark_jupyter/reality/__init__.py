"""The reality check: does what a cell names exist in this kernel?

For each completed top-level statement it reports names that are not defined, modules that can't be imported, attributes
that a module, class or value does not have, keywords that a signature refuses, and columns that a DataFrame lacks, each
with the nearest real name. It runs none of the code, imports nothing into the kernel, and is silent where it can't know.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping, Sequence

from spark_jupyter.messages import Finding
from spark_jupyter.reality.interpreter import Interpreter
from spark_jupyter.reality.statements import Splitter, Statement
from spark_jupyter.reality.values import UNKNOWN

__all__ = ["Checker", "check"]

_OPENING_MAGICS = re.compile(r"%{1,2}(?:run|pylab|load|store|rerun|macro|recall|cython|R|julia|sql|capture)\b")
_INSTALL = re.compile(r"[%!]\s*(?:\w+\s+-m\s+)?(?:pip3?|conda|mamba|uv(?: pip)?)\s+install\s+(.*)")
_AUTOMAGIC = frozenset(
    "ls ll pwd cd who whos history hist time env pip conda clear cls ldir man more mkdir cat cp mv rm".split()
)
MAX_STATEMENT = 400_000
"""A longer statement (an inlined data set) is not looked at, only taken note of."""


def check(source: str, namespace: Mapping[str, object], *, earlier: Sequence[str] = ()) -> list[Finding]:
    """What ``source`` names and does not exist.

    ``namespace`` is the kernel's; ``earlier`` are sources that will have run before, whose own findings are not reported.
    Raises nothing, runs nothing.
    """
    checker = Checker(namespace, earlier=earlier)
    return [*checker.feed(source), *checker.flush()]


class Checker:
    """:func:`check` for a text that comes in pieces."""

    def __init__(self, namespace: Mapping[str, object], *, earlier: Sequence[str] = ()) -> None:
        self._interpreter = Interpreter(namespace)
        for source in earlier:
            self._pass_over(source)
        self._splitter = Splitter()

    def feed(self, text: str) -> list[Finding]:
        """The findings on the statements that ``text`` completes."""
        for statement in self._splitter.feed(text.replace("\r\n", "\n")):
            self._look_at(statement)
        return self._take()

    def flush(self) -> list[Finding]:
        """The findings on what was left, and on names used in functions that nothing defined until now."""
        for statement in self._splitter.flush():
            self._look_at(statement)
        run = self._interpreter
        run.first_line, run.delayed = 1, 0
        deferred, run.deferred = run.deferred, []
        for name, line, column in deferred:
            if not run.open_names and run.look_up(name) is None:
                run.undefined(name, line, column)
        return self._take()

    def _take(self) -> list[Finding]:
        found, self._interpreter.findings = self._interpreter.findings, []
        return found

    def _pass_over(self, source: str) -> None:
        splitter = Splitter()
        with self._interpreter.silence():
            for statement in [*splitter.feed(source.replace("\r\n", "\n")), *splitter.flush()]:
                self._look_at(statement)

    def _look_at(self, statement: Statement) -> None:
        if statement.magic:
            self._magic(statement)
            return
        body = _parse(statement.text)
        if body is None:
            self._unparsed(statement.text)
            return
        if len(body) == 1 and _is_automagic(body[0]):
            return
        deferred = len(self._interpreter.deferred)
        try:
            self._interpreter.run(body, first_line=statement.line)
        except RecursionError:
            self._interpreter.open_names = True
        offset = statement.line - 1
        fresh = self._interpreter.deferred[deferred:]
        self._interpreter.deferred[deferred:] = [(name, line + offset, column) for name, line, column in fresh]

    def _magic(self, statement: Statement) -> None:
        run = self._interpreter
        if statement.magic not in ("line", "cell"):
            for name in re.findall(r"\w+", statement.magic):
                run.store(name, UNKNOWN)
        installs = _INSTALL.search(statement.text)
        if installs:
            names = re.findall(r"(?:^|\s)([A-Za-z][\w\-.]*)", installs[1])
            run.installed.update(name.replace("-", "_") for name in names)
            run.installed_something = True
        elif _OPENING_MAGICS.match(statement.text.strip()):
            run.open_names = True

    def _unparsed(self, text: str) -> None:
        """Names that a text that is not Python (yet) may define are taken as defined."""
        for name in re.findall(
            r"(?m)^[ \t]*(?:def |class |import |from \w+ import )?([^\W\d]\w*)", text[:MAX_STATEMENT]
        ):
            if name not in self._interpreter.module.names:
                self._interpreter.store(name, UNKNOWN)


def _parse(text: str) -> list[ast.stmt] | None:
    if len(text) > MAX_STATEMENT:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = compile(
                text, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
            )
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return tree.body if isinstance(tree, ast.Module) else None


def _is_automagic(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name) and statement.value.id in _AUTOMAGIC
    )
