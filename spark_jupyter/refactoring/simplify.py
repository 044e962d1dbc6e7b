"""Shorter form of loops and step-by-step table code.

Each is a guess, as in :mod:`spark_jupyter.refactoring.vectorise`: nobody is offered it before it was proven to leave the same. Only
what is clearly shorter is one: at least two lines less, and no line becomes long.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from spark_jupyter.refactoring.changes import Better, spliced_keeping_comments
from spark_jupyter.source.python_parser import parse_python, tree_of
from spark_jupyter.source.splices import Positions, Splice

_LEAST = 2
"""Least number of lines saved."""
_LONGEST = 88
"""Longest line that replaces several."""
_STEPS = 3
"""Number of assignments in a row to one name that become one statement."""
_NOT_INSIDE = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
"""Nodes that mean something else in a comprehension, or can't stand there."""


def shorter(source: str) -> Iterator[Better]:
    """Shorter versions of a cell, the shortest first; none if it is not plain Python."""
    tree = tree_of(source)
    if tree is None:
        return
    at = Positions(source)
    found = [splice for place in range(len(tree.body)) if (splice := _at(source, tree.body[place:], at)) is not None]
    apart: list[Splice] = []
    for splice in found:
        if not apart or splice.start >= apart[-1].end:
            apart.append(splice)
    for some in ([apart] if len(apart) > 1 else []) + [[one] for one in apart]:
        fresh = spliced_keeping_comments(source, some)
        if fresh is not None and (saved := _lines(source) - _lines(fresh)) >= _LEAST:
            yield Better(fresh, f"{_lines(source)} lines → {_lines(source) - saved}")


def _lines(source: str) -> int:
    return sum(1 for line in source.splitlines() if line.strip())


def _at(source: str, statements: Sequence[ast.stmt], at: Positions) -> Splice | None:
    """Rewrite that begins with the first of these statements."""
    first, second = statements[0], statements[1] if len(statements) > 1 else None
    last: ast.stmt = first
    if isinstance(second, ast.For) and not second.orelse:
        text, last = _filled(source, first, second), second
    elif isinstance(first, ast.If):
        text = _either(source, first)
    else:
        text, count = _steps(source, statements)
        last = statements[count - 1]
    if text is None or max(map(len, text.splitlines())) > _LONGEST:
        return None
    return Splice(at.start(first), at.end(last), text)


# --- loops -----------------------------------------------------------------------------------------------------------------


def _filled(source: str, before: ast.stmt, loop: ast.For) -> str | None:
    """``found = []`` and a loop that fills it, counts, adds up, or looks for one → the same as an expression."""
    match before:
        case ast.Assign(targets=[ast.Name(id=name)], value=start):
            pass
        case _:
            return None
    body, condition = loop.body, None
    if len(body) == 1 and isinstance(body[0], ast.If) and not body[0].orelse:
        condition, body = body[0].test, body[0].body
    target, over, words = _over(source, loop)
    nodes = [node for part in (loop.iter, condition, *body) if part is not None for node in ast.walk(part)]
    named = [node.id for node in nodes if isinstance(node, ast.Name)]
    if named.count(name) != 1 or target in set(named) - _bound(loop) or any(isinstance(n, _NOT_INSIDE) for n in nodes):
        return None
    if condition is not None and _says_yes(start, body):
        return f"{name} = any({words(condition)} for {target} in {over})"
    clause = f"for {target} in {over}" + (f" if {words(condition)}" if condition is not None else "")
    made = _made(start, body[0], words, clause) if len(body) == 1 else None
    return f"{name} = {made}" if made is not None else None


def _says_yes(start: ast.expr, body: Sequence[ast.stmt]) -> bool:
    match start, body:
        case ast.Constant(value=False), [ast.Assign(targets=[ast.Name()], value=ast.Constant(value=True)), ast.Break()]:
            return True
    return False


def _made(start: ast.expr, step: ast.stmt, words: _Words, clause: str) -> str | None:
    """Expression for the value that is built from ``start`` by a ``step`` for each element. The only name that a step has beside what it
    reads is what it makes."""
    match start, step:
        case ast.Constant(value=0), ast.AugAssign(target=ast.Name(), op=ast.Add(), value=one):
            return f"sum({words(one)} {clause})"
        case ast.Dict(keys=[]), ast.Assign(targets=[ast.Subscript(value=ast.Name(), slice=key)], value=one):
            return f"{{{words(key)}: {words(one)} {clause}}}"
        case _, ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr=how), args=[one], keywords=[])):
            if how == "append" and isinstance(start, ast.List) and not start.elts:
                return f"[{words(one)} {clause}]"
            if how == "add" and ast.unparse(start) == "set()":
                return f"{{{words(one)} {clause}}}"
    return None


class _Words:
    """Expressions of a loop's body as they read in a comprehension."""

    def __init__(self, source: str, index: str = "", items: str = "", one: str = "") -> None:
        self._source = source
        self._of = (index, items)
        self._one = one

    def __call__(self, node: ast.expr) -> str:
        as_written = ast.get_source_segment(self._source, node) or ""
        if as_written and not self._one and "\n" not in as_written:
            return as_written
        return ast.unparse(_Item(*self._of, self._one).visit(parse_python(ast.unparse(node), "eval").body))


class _Item(ast.NodeTransformer):
    """``prices[i]`` → ``price``"""

    def __init__(self, index: str, items: str, one: str) -> None:
        self._index, self._items, self._one = index, items, one

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id=items), slice=ast.Name(id=index)):
                if (index, items) == (self._index, self._items):
                    return ast.Name(id=self._one, ctx=ast.Load())
        return self.generic_visit(node)


def _over(source: str, loop: ast.For) -> tuple[str, str, _Words]:
    """Target and iterable of the comprehension, and the spelling of the body's expressions: ``for i in range(len(prices))`` goes through
    ``prices`` if ``i`` is only an index into it."""
    target, over = ast.unparse(loop.target).strip("()"), ast.unparse(loop.iter)
    match = re.fullmatch(r"range\(len\((\w+)\)\)", over)
    if match is not None and isinstance(loop.target, ast.Name):
        one = _one_of(match[1])
        words = _Words(source, target, match[1], one)
        text = "\n".join(words(node) for node in _outermost(loop.body))
        if not re.search(rf"\b{re.escape(target)}\b", text):
            return one, match[1], words
    return target, _Words(source)(loop.iter), _Words(source)


def _outermost(body: Sequence[ast.stmt]) -> Iterator[ast.expr]:
    for statement in body:
        for node in ast.iter_child_nodes(statement):
            if isinstance(node, ast.expr):
                yield node
            elif isinstance(node, ast.stmt):
                yield from _outermost([node])


def _one_of(items: str) -> str:
    """``prices`` → ``price``"""
    return items[:-1] if len(items) > 3 and items.endswith("s") and not items.endswith("ss") else "one"


def _bound(loop: ast.For) -> set[str]:
    return {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}


# --- statements ------------------------------------------------------------------------------------------------------------


def _either(source: str, choice: ast.If) -> str | None:
    """``if a: x = 1`` and ``else: x = 2`` → ``x = 1 if a else 2``"""
    match choice.body, choice.orelse:
        case [ast.Assign(targets=[ast.Name(id=name)], value=one)], [
            ast.Assign(targets=[ast.Name(id=other)], value=two)
        ]:
            words = _Words(source)
            return f"{name} = {words(one)} if {words(choice.test)} else {words(two)}" if name == other else None
    return None


def _steps(source: str, statements: Sequence[ast.stmt]) -> tuple[str | None, int]:
    """``df = df.dropna()`` after ``df = load()`` and so on → one statement, and of how many."""
    match statements[0]:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() | ast.Subscript() | ast.Attribute() as value):
            text = ast.get_source_segment(source, value) or ""
        case _:
            return None, 1
    count = 1
    for statement in statements[1:]:
        match statement:
            case ast.Assign(targets=[ast.Name(id=again)], value=ast.Call() | ast.Subscript() as value) if again == name:
                step = ast.get_source_segment(source, value) or ""
            case _:
                break
        used = sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(value))
        fresh = f"{text}{step.removeprefix(name)}"
        if (
            used != 1
            or not step.startswith((f"{name}.", f"{name}["))
            or "\n" in fresh
            or len(f"{name} = {fresh}") > _LONGEST
        ):
            break
        text, count = fresh, count + 1
    return (f"{name} = {text}", count) if count >= _STEPS else (None, 1)
