"""Conditions in terms of the paths that they ask about.

``name = path.name`` and ``if name.startswith("tmp")`` ask ``path.name.startswith("tmp")``; ``is_temporary(path)`` asks what this
function of the notebook returns. A variable is remembered where it is made from a path, or from a parameter, until one of the two
gets another value.
"""

from __future__ import annotations

import ast
import copy
from typing import Final

from spark_jupyter.guardrail.marked_paths import is_listed
from spark_jupyter.guardrail.taint_state import Made, State, Summary, Yes

_DEPTH: Final = 4
_NO_PART: Final = (ast.Constant, ast.List, ast.Dict, ast.Set, ast.JoinedStr, ast.ListComp, ast.DictComp, ast.SetComp)
"""Expressions that are no part of a path."""
_MOST_ANSWERS: Final = 8
_LARGEST: Final = 200
"""Nodes of what a function of the notebook returns."""
_ADDED: Final = 2_000
"""Nodes that a condition may grow by: each of ten names that are each made from ten others would make it endless."""


def remember(target: ast.expr, value: ast.expr, state: State) -> None:
    """Keep the origin of a variable that may be a path."""
    summary = state.scope.summary
    if isinstance(value, _NO_PART) or not (state.context.has_places or (summary is not None and summary.parameters)):
        return
    targets = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    names = frozenset(node.id for node in ast.walk(value) if isinstance(node, ast.Name))
    if not names or not any(_may_be_path(name, state) for name in names):
        return
    for one in targets:
        if isinstance(one, ast.Name) and one.id not in names:
            made = [state.scope.made_from[name].names for name in names if name in state.scope.made_from]
            state.scope.made_from[one.id] = Made(value, names.union(*made))


def _may_be_path(name: str, state: State) -> bool:
    summary, value = state.scope.summary, state.lookup(name)
    parameter = summary is not None and name in summary.parameters
    return parameter or name in state.scope.made_from or (value is not None and is_listed(value))


def forget(name: str, state: State) -> None:
    """Forget what was made from a variable that gets another value."""
    made_from = state.scope.made_from
    for one in [one for one, made in made_from.items() if one == name or name in made.names]:
        del made_from[one]


def meant(test: ast.expr, state: State) -> ast.expr:
    """The condition with variables and calls of the notebook's own functions replaced by what they stand for."""
    functions = state.context.functions
    names = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(test)}
    told = [name for name in names if name in functions or _made(name, state) is not None]
    if not told or not _is_any_listed([*names], state):
        return test
    try:
        return _Meaning(state).visit(copy.deepcopy(test))  # type: ignore[no-any-return]
    except RecursionError:  # nested too deeply
        return test


def _is_any_listed(names: list[str], state: State) -> bool:
    """True if one of the variables is a path of such a folder, or was made from one."""
    made = [made.names for name in names for scope in state.scopes if (made := scope.made_from.get(name)) is not None]
    values = map(state.lookup, [*names, *(one for each in made for one in each)])
    return any(value is not None and is_listed(value) for value in values)


def _made(name: str, state: State) -> ast.expr | None:
    """What a variable was made from; a path that was put together from two is itself."""
    made = next((scope.made_from[name] for scope in reversed(state.scopes) if name in scope.made_from), None)
    if made is None:
        return None
    value = state.lookup(name)
    listed = [one for one in made.names if (of := state.lookup(one)) is not None and is_listed(of)]
    return None if value is not None and is_listed(value) and len(listed) != 1 else made.expression


class _Meaning(ast.NodeTransformer):
    """Replacement of names and calls in a condition."""

    def __init__(self, state: State, depth: int = 0, left: list[int] | None = None) -> None:
        self._state = state
        self._depth = depth
        self._left = [_ADDED] if left is None else left

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A variable."""
        made = _made(node.id, self._state) if self._depth < _DEPTH else None
        if made is None or not self._may_add(made):
            return node
        return self._deeper(copy.deepcopy(made))

    def _may_add(self, made: ast.expr) -> bool:
        self._left[0] -= _size(made)
        return self._left[0] > 0

    def _deeper(self, made: ast.expr) -> ast.expr:
        return _Meaning(self._state, self._depth + 1, self._left).visit(made)  # type: ignore[no-any-return]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call, of the notebook's own function or of another one."""
        called = getattr(node.func, "attr" if _is_method(node.func) else "id", "")
        summary = self._state.context.functions.get(called)
        self.generic_visit(node)
        asked = [one.id for given in node.args for one in ast.walk(given) if isinstance(one, ast.Name)]
        if summary is None or not summary.yes or self._depth >= _DEPTH or not _is_any_listed(asked, self._state):
            return node
        names = summary.parameters[1:] if summary.parameters[:1] in (["self"], ["cls"]) else summary.parameters
        given = dict(zip(names, node.args, strict=False)) | {word.arg: word.value for word in node.keywords if word.arg}
        answer = _put(_yes(summary.yes), given)
        return self._deeper(answer) if _size(answer) <= _LARGEST and self._may_add(answer) else node


class _Put(ast.NodeTransformer):
    """Replacement of names by expressions."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A variable."""
        return copy.deepcopy(self._given.get(node.id, node))


def _put(expression: ast.expr, given: dict[str, ast.expr]) -> ast.expr:
    return _Put(given).visit(copy.deepcopy(expression))  # type: ignore[no-any-return]


def _is_method(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id in ("self", "cls")
    )


def answered(value: ast.expr | None, summary: Summary, state: State) -> None:
    """Note when a function says yes: what it returns, under the conditions of the blocks around that."""
    if summary.yes is None or not summary.parameters:
        return
    constant = value.value if isinstance(value, ast.Constant) else value
    if not constant:
        return
    held = [] if isinstance(value, ast.Constant) or value is None else [value]
    for block in reversed(state.blocks):
        held += block.held
        if block.indent == state.scope.indent:
            break
    yes = Yes(ast.BoolOp(ast.And(), held or [ast.Constant(True)]), dict(state.scope.made_from))
    summary.yes = None if len(summary.yes) >= _MOST_ANSWERS else [*summary.yes, yes]


def _yes(each: list[Yes]) -> ast.expr:
    """When a function says yes, in terms of its parameters."""
    answers = []
    for one in each:
        answer = one.condition
        for _ in range(_DEPTH if one.made_from else 0):
            if _size(answer) <= _LARGEST:
                answer = _put(answer, {name: made.expression for name, made in one.made_from.items()})
        answers.append(answer)
    return ast.BoolOp(ast.Or(), answers)


def _size(expression: ast.expr) -> int:
    return sum(1 for _ in ast.walk(expression))


def of_case(case: ast.match_case, subject: ast.expr) -> ast.expr:
    """The condition under which a ``case`` is taken."""
    test, pattern = ast.Constant(True) if case.guard is None else case.guard, case.pattern
    while isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        pattern = pattern.pattern
    if isinstance(pattern, ast.MatchAs):
        return test
    each = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
    values = [one.value for one in each if isinstance(one, ast.MatchValue)]
    if len(values) < len(each):
        return test if case.guard is not None else ast.Name("_", ast.Load())
    asked = ast.Compare(subject, [ast.In()], [ast.Tuple(list[ast.expr](values), ast.Load())])
    return asked if case.guard is None else ast.BoolOp(ast.And(), [asked, test])


def of_each(given: ast.expr) -> ast.expr:
    """The test in ``any(test for one in those)``, for its items."""
    if not isinstance(given, ast.GeneratorExp | ast.ListComp) or not isinstance(given.generators[0].target, ast.Name):
        return given
    each = given.generators[0]
    return ast.BoolOp(ast.And(), [_put(given.elt, {each.target.id: each.iter}), *each.ifs])  # type: ignore[attr-defined]
