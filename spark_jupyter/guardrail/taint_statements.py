"""Effects of statements on the taint state.

One function a kind of statement; :data:`EXECUTORS` finds it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from spark_jupyter.guardrail import (
    function_parameters,
    marked_paths,
    meant_conditions,
    path_choices,
    sanitising_conditions,
    taint_calls,
    taint_catalogue,
)
from spark_jupyter.guardrail.evaluator import Evaluator
from spark_jupyter.guardrail.indirect_calls import canonical
from spark_jupyter.guardrail.line_parser import Parsed
from spark_jupyter.guardrail.rule import Return
from spark_jupyter.guardrail.taint_state import BASE, Scope
from spark_jupyter.guardrail.taint_values import SAFE, UNKNOWN, Fact, Value, concatenate, merge_flows

_ALWAYS: Final = ast.Constant(True)


def _expr(statement: ast.Expr, it: Evaluator, indent: int) -> None:
    value = statement.value
    if isinstance(value, ast.Constant):
        return
    if isinstance(value, ast.Yield | ast.YieldFrom):
        value = value.value or value
        summary = it.state.scope.summary
        if summary is not None:
            given = it.quietly(value)
            summary.fact = Fact.WHOLE if marked_paths.is_whole(given) else summary.fact
            summary.returned = merge_flows(summary.returned, it.state.still_dangerous(given.flows))
    it.evaluate(value)
    sanitising_conditions.statement(value, it)


def _named_lambda(name: ast.Name, node: ast.Lambda, it: Evaluator, indent: int) -> None:
    """``f = lambda x: …`` is ``def f(x): return …``."""
    body = ast.copy_location(ast.Return(node.body), node)
    function = ast.FunctionDef(
        name=name.id, args=node.args, body=[body], decorator_list=[], returns=None, type_comment=None
    )
    _function_def(ast.copy_location(function, node), it, indent)
    it.state.store(name.id, Value(name.id))


def _assign(statement: ast.Assign, it: Evaluator, indent: int) -> None:
    if (
        isinstance(statement.value, ast.Lambda)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
    ):
        _named_lambda(statement.targets[0], statement.value, it, indent)
        return
    value = it.evaluate(statement.value)
    for target in statement.targets:
        it.bind(target, value, indent)
        meant_conditions.remember(target, statement.value, it.state)


def _ann_assign(statement: ast.AnnAssign, it: Evaluator, indent: int) -> None:
    if isinstance(statement.annotation, ast.Call):  # outside of functions it is run
        it.evaluate(statement.annotation)
    if statement.value is not None:
        it.bind(statement.target, it.evaluate(statement.value), indent)
        meant_conditions.remember(statement.target, statement.value, it.state)
    model = it.state.lookup(it.state.scope.name) if it.state.scope.kind == "class" else None
    if model is not None and model.fact is Fact.MODEL and isinstance(statement.target, ast.Name):
        harmless = function_parameters.is_harmless(statement.annotation, it)
        given = it.state.lookup(statement.target.id) if statement.value is not None else None
        known = given if given is not None and given.name and not given.flows else UNKNOWN
        model.items[statement.target.id] = SAFE if harmless else known  # type: ignore[index,call-overload]


def _aug_assign(statement: ast.AugAssign, it: Evaluator, indent: int) -> None:
    old = it.evaluate(statement.target)
    new = it.evaluate(statement.value)
    if isinstance(statement.op, ast.Add) and (old.text is not None or new.text is not None):
        value = concatenate([old, new])
    elif isinstance(old.items, list) and isinstance(new.items, list):
        value = Value(items=(old.items + new.items)[:64], flows=merge_flows(old.flows, new.flows))
    else:
        safe = (old.safe or old.is_constant) and (new.safe or new.is_constant)
        value = Value(old.name, flows=merge_flows(old.flows, new.flows), safe=safe)
    it.bind(statement.target, value, indent)


def _import(statement: ast.Import, it: Evaluator, indent: int) -> None:
    for alias in statement.names:
        it.state.context.modules.add(alias.name.partition(".")[0])
        name = canonical(alias.name)
        bound = alias.asname or alias.name.partition(".")[0]
        it.state.store(bound, Value(name if alias.asname else canonical(bound)))
    it.show("statement", statement)


def _import_from(statement: ast.ImportFrom, it: Evaluator, indent: int) -> None:
    module = canonical(statement.module or "")
    it.state.context.modules.add((statement.module or "").partition(".")[0])
    for alias in statement.names:
        if alias.name == "*":
            it.state.context.stars.add(module)
        else:
            it.state.store(alias.asname or alias.name, Value(canonical(f"{module}.{alias.name}")))
    it.show("statement", statement)


def _if(statement: ast.If, it: Evaluator, indent: int) -> None:
    it.guard(statement.test)
    depth = len(it.state.blocks)
    path_choices.enter(statement.test, it.state, indent)
    it.show("statement", statement)
    it.run(statement.body, indent)
    if statement.orelse:
        path_choices.end(it.state, depth)
        path_choices.enter(_ALWAYS, it.state, indent)
        it.run(statement.orelse, indent)


def _skip(statement: ast.Continue | ast.Break | ast.Raise, it: Evaluator, indent: int) -> None:
    for part in ast.iter_child_nodes(statement):
        it.evaluate(part)  # type: ignore[arg-type]
    path_choices.skip(it.state)


def _while(statement: ast.While, it: Evaluator, indent: int) -> None:
    it.guard(statement.test)
    path_choices.begin(it.state, indent, statement.test)
    it.run(statement.body, indent)


def _assert(statement: ast.Assert, it: Evaluator, indent: int) -> None:
    it.guard(statement.test)
    path_choices.narrow_by(statement.test, it.state)
    it.show("statement", statement)


def _for(statement: ast.For | ast.AsyncFor, it: Evaluator, indent: int) -> None:
    path_choices.begin(it.state, indent)
    it.bind(statement.target, taint_calls.element_of(it.evaluate(statement.iter)))
    it.run(statement.body, indent)


def _with(statement: ast.With | ast.AsyncWith, it: Evaluator, indent: int) -> None:
    for item in statement.items:
        value = it.evaluate(item.context_expr)
        if item.optional_vars is not None:
            it.bind(item.optional_vars, value)
    it.run(statement.body, indent)


def _try(statement: ast.Try, it: Evaluator, indent: int) -> None:
    it.run(statement.body, indent)
    for handler in statement.handlers:
        it.evaluate(handler.type)
        if handler.name:
            it.state.store(handler.name, Value(fact=Fact.EXCEPTION))
        it.run(handler.body, indent)
    it.run(statement.orelse, indent)
    it.run(statement.finalbody, indent)


def _match(statement: ast.Match, it: Evaluator, indent: int) -> None:
    """A whole statement, its first line (with a ``case _`` put there), or one ``case`` of a ``match _`` that was put there."""
    state, value = it.state, it.evaluate(statement.subject)
    subject = statement.subject
    if isinstance(subject, ast.Name) and subject.id == "_":
        above = [at for at in state.subjects if at < indent]
        subject = state.subjects[max(above)] if above else subject
        value = it.quietly(subject)
    else:
        state.subjects = {at: one for at, one in state.subjects.items() if at < indent} | {indent: subject}
        if isinstance(statement.cases[0].body[0], ast.Pass) and len(statement.cases) == 1:
            return  # its cases come line by line
    depth = len(state.blocks)
    for case in statement.cases:
        path_choices.end(state, depth) if case is not statement.cases[0] else None
        for part in ast.walk(case.pattern):
            if isinstance(part, ast.MatchAs) and part.name is not None:
                it.bind(name := ast.Name(part.name, ast.Store()), value)
                meant_conditions.remember(name, subject, state)
        it.evaluate(case.guard)
        path_choices.enter(meant_conditions.of_case(case, subject), state, indent)
        it.run(case.body, indent)


def _return(statement: ast.Return, it: Evaluator, indent: int) -> None:
    value = it.evaluate(statement.value)
    scope = next((one for one in reversed(it.state.scopes) if one.kind == "function"), None)
    if scope is not None and scope.summary is not None:
        scope.summary.gives = value.name
        if (
            value.name
            and not value.flows
            and not {"property", "functools.cached_property"}.isdisjoint(scope.decorators)
        ):
            own = next((one.name for one in reversed(it.state.scopes) if one.kind == "class"), "")
            it.state.store_member(own, scope.name, value)
        if scope.summary.fact is not Fact.WHOLE:
            scope.summary.fact = value.fact
        scope.summary.may_be_none |= statement.value is None or value.const is None
        scope.summary.returned = merge_flows(scope.summary.returned, it.state.still_dangerous(value.flows))
        answered = statement.value is not None and sanitising_conditions.answer(statement.value, it)
        scope.summary.answers = answered and scope.summary.answers is not False
        meant_conditions.answered(statement.value, scope.summary, it.state)
    path_choices.skip(it.state)
    it.show("returned", Return(statement, value, scope is not None and scope.handler))


def _delete(statement: ast.Delete, it: Evaluator, indent: int) -> None:
    for target in statement.targets:
        if isinstance(target, ast.Name):
            it.state.scope.variables.pop(target.id, None)
        else:
            it.evaluate(target)


def _class_def(statement: ast.ClassDef, it: Evaluator, indent: int) -> None:
    bases = [it.evaluate(base) for base in statement.bases]
    for keyword in statement.keywords:
        it.evaluate(keyword.value)
    scope = Scope("class", statement.name, indent)
    scope.bases = tuple(base.name for base in bases)
    scope.handler = any(taint_catalogue.HANDLER_BASES.search(base.name) for base in bases)
    scope.open_ended = scope.handler and any(taint_catalogue.OPEN_ENDED_BASES.search(base.name) for base in bases)
    names = {base.name.rpartition(".")[2] for base in bases}
    if names & {"Enum", "IntEnum", "StrEnum"}:
        it.state.store(statement.name, Value(fact=Fact.ENUMERATION))
    elif names & {"BaseModel", "SQLModel", "NamedTuple"} or any(
        name.endswith("dataclass") for name in it.state.decorators
    ):
        it.state.store(statement.name, Value(fact=Fact.MODEL, items={}))
    it.state.decorators.clear()
    if bases and bases[0].name:
        it.state.store_member(statement.name, BASE, bases[0])
    it.state.scopes.append(scope)
    it.run(statement.body, indent + 1)
    if not _is_open(statement):
        it.state.scopes.pop()


def _function_def(statement: ast.FunctionDef | ast.AsyncFunctionDef, it: Evaluator, indent: int) -> None:
    for decorator in statement.decorator_list:
        function_parameters.decorate(decorator, it)
    scope = function_parameters.open_scope(statement, indent, it)
    it.state.scopes.append(scope)
    depth = len(it.state.blocks)
    path_choices.begin(it.state, indent)
    it.show("function", statement)
    it.run(statement.body, indent + 1)
    if not _is_open(statement):
        path_choices.end(it.state, depth)
        it.state.scopes.pop()
        if scope.summary is not None:
            scope.summary.lines = [(Parsed(statement.body, 0, 0, ""), indent + 1)]


def _is_open(statement: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True if the body is only the ``pass`` that completed a header (on a line of its own, one column in)."""
    last = statement.body[-1]
    return isinstance(last, ast.Pass) and last.col_offset == 1 and len(statement.body) == 1


EXECUTORS: Final[dict[type, Callable[[Any, Evaluator, int], None]]] = {
    ast.Expr: _expr,
    ast.Assign: _assign,
    ast.AnnAssign: _ann_assign,
    ast.AugAssign: _aug_assign,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.If: _if,
    ast.Continue: _skip,
    ast.Break: _skip,
    ast.Raise: _skip,
    ast.While: _while,
    ast.Assert: _assert,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Return: _return,
    ast.Delete: _delete,
    ast.ClassDef: _class_def,
    ast.FunctionDef: _function_def,
    ast.AsyncFunctionDef: _function_def,
}
