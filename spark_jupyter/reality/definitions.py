"""Functions, lambdas and classes defined in the cell.

A body is gone through twice: where it stands, with parameters of which nothing is known but what their annotations say, and again for each
call that is met, with what the call gives. So ``def g(df): …`` is silent until ``g(sales.copy())`` tells what ``df`` is.
"""

from __future__ import annotations

import ast
import enum
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from msgspec.structs import replace

from spark_jupyter.reality import calls, dataclass_fields, frame_columns
from spark_jupyter.reality.abstract_values import (
    RECURSION,
    UNKNOWN,
    Invocation,
    Live,
    Of,
    Recursion,
    Table,
    Value,
    either,
    guess,
)
from spark_jupyter.reality.check_state import Evaluator, Executor, Run
from spark_jupyter.reality.function_bodies import (
    Body,
    Function,
    bound,
    is_dynamic,
    is_generator,
    parameters_of,
    role_of,
    stored_in,
)
from spark_jupyter.reality.operators import element_of
from spark_jupyter.reality.source_definitions import Instance, Written, WrittenClass
from spark_jupyter.reality.static_lookup import is_class
from spark_jupyter.reality.syntax_dispatch import evaluate, execute_block
from spark_jupyter.reality.syntax_trees import nodes_of
from spark_jupyter.reality.visible_names import Scope
from spark_jupyter.source.changed_names import last_name
from spark_jupyter.source.python_parser import body_of

MAX_DEPTH = 8
"""Calls inside calls that are followed."""
MAX_ENTERED = 20
"""Times that one body is gone through with arguments; further calls are not followed."""


# --- Functions ---


def define_function(run: Run, node: Function) -> None:
    """``def``: the body is gone through with unknown parameters, and the name stands for it."""
    decorators = [evaluate(run, decorator) for decorator in node.decorator_list]
    defaults = _defaults(run, node.args)
    _judge_notes(run, node)
    body = Body(
        node.args,
        node.body,
        run.scope,
        run.first_line,
        tuple(stored_in(node.body)),
        run.quiet > 0,
        is_generator(node.body),
        defaults,
    )
    plain = isinstance(node, ast.FunctionDef)
    value: Value = _written(run, node.name, body, followed=plain)
    role = role_of(node)
    if role is not None and len(decorators) == 1 and isinstance(value, Written):
        value.role = role
    elif not plain:
        value = UNKNOWN
    else:
        for decorator, place in zip(reversed(decorators), reversed(node.decorator_list), strict=True):
            value = _decorated(run, decorator, place, value)
    run.store(node.name, value)
    _first_look(run, body)
    if run.scope is run.module and isinstance(value, Written):
        run.defined[node.name] = (value, body)


def judge_by_last_use(run: Run) -> None:
    """Functions of the cell that nothing in it calls are judged with what the kernel last called those of their names with; as they
    may be meant for something else now, what is found is a warning."""
    for name, (function, body) in run.defined.items():
        call = last_call(name, function.parameters, run.namespace) if body.entered == 0 else None
        if call is None or function.enter is None:
            continue
        with run.silence():
            given = Invocation(call, [(part, evaluate(run, part)) for part in call.args])
            given.keywords = {k.arg: (k.value, evaluate(run, k.value)) for k in call.keywords if k.arg is not None}
            given.stars = len(given.keywords) < len(call.keywords)
        before = len(run.findings)
        function.enter(given)
        run.findings[before:] = [replace(found, severity="warn") for found in run.findings[before:]]
    run.defined.clear()


def _judge_notes(run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Check the attributes of modules in annotations: ``pd.DataFrme``."""
    notes = [node.returns, *(parameter.annotation for parameter in parameters_of(node.args))]
    with run.silence(when=run.late_annotations):
        for part in nodes_of([note for note in notes if note is not None]):
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and run.look_up(part.value.id):
                evaluate(run, part)


def _lambda(run: Run, node: ast.Lambda) -> Value:
    defaults = _defaults(run, node.args)
    result = ast.copy_location(ast.Return(value=node.body), node)
    body = Body(node.args, [result], run.scope, run.first_line, (), run.quiet > 0, defaults=defaults)
    _first_look(run, body)
    return _written(run, "<lambda>", body, followed=True)


def _written(run: Run, name: str, body: Body, *, followed: bool) -> Written:
    arguments = body.arguments
    count = len(arguments.posonlyargs) + len(arguments.args)
    return Written(
        name,
        parameters=tuple(a.arg for a in (*arguments.args, *arguments.kwonlyargs)),
        positional=None if arguments.vararg else count,
        allows_any=arguments.kwarg is not None,
        enter=partial(_enter, run, body) if followed else None,
    )


def _decorated(run: Run, decorator: Value, place: ast.expr, value: Value) -> Value:
    """The function after a decorator: followed where that is of the cell itself, or is known to change nothing."""
    if isinstance(decorator, Written) and decorator.enter is not None:
        return decorator.enter(Invocation.of(place, value))
    name = last_name(place.func if isinstance(place, ast.Call) else place)
    return value if name in {"cache", "lru_cache", "wraps"} else UNKNOWN


def _defaults(run: Run, arguments: ast.arguments) -> dict[str, Value]:
    """Defaults are evaluated where the function is defined."""
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    found = {
        name: evaluate(run, default)
        for name, default in zip(names[len(names) - len(arguments.defaults) :], arguments.defaults, strict=True)
    }
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            found[parameter.arg] = evaluate(run, default)
    return found


def _first_look(run: Run, body: Body) -> None:
    """The body with what the annotations say of its parameters, which is all that is known before a call."""
    with _inside(run, body):
        for parameter in parameters_of(body.arguments):
            run.scope.names[parameter.arg] = _annotation(run, parameter)
        run.delayed += 1
        run.returned.append([])
        run.yielded.append([])
        try:
            execute_block(run, body.statements)
        finally:
            run.returned.pop()
            run.yielded.pop()
            run.delayed -= 1


def _yield(run: Run, node: ast.Yield | ast.YieldFrom) -> Value:
    """``yield``; what a caller sends back is not known."""
    value = evaluate(run, node.value) if node.value is not None else Live(None)
    if run.yielded and not isinstance(value, Recursion):
        run.yielded[-1].append(value if isinstance(node, ast.Yield) else element_of(value))
    return UNKNOWN


def _annotation(run: Run, parameter: ast.arg) -> Value:
    note = parameter.annotation
    if not isinstance(note, ast.Name | ast.Attribute):
        return UNKNOWN
    with run.silence():
        value = evaluate(run, note)
    kind = value.thing if isinstance(value, Live) else None
    if not is_class(kind) or kind in (object, type, list, dict, tuple, float):
        return UNKNOWN
    labelled = frame_columns.is_frame(kind) or frame_columns.is_series(kind)
    exact = kind.__module__ == "builtins"
    return guess(Of(kind, exact=exact, table=Table(None, levels=None) if labelled else None))


# --- Calls of them ---


def _enter(run: Run, body: Body, call: Invocation) -> Value:
    """Go through a body with the arguments of a call; what it returns."""
    tired = body.entered >= MAX_ENTERED or len(run.returned) >= MAX_DEPTH or run.left <= 0
    if tired or body.running:
        frame_columns.may_change(call)
        body.recurs = body.recurs or run.gone_through[-1:] == [body]
        return RECURSION if not tired and run.gone_through[-1:] == [body] else UNKNOWN
    run.left -= len(body.statements) + 1
    body.entered += 1
    with run.silence(when=body.silent):
        values, yielded = _gone_through(run, body, bound(body, call))
    if body.recurs:  # the next call may take the other ways, and be given something else
        with run.silence():
            values, yielded = _gone_through(run, body, {})
    return Of(types.GeneratorType, exact=True, element=either(yielded)) if body.generates else either(values)


def _gone_through(run: Run, body: Body, given: dict[str, Value]) -> tuple[list[Value], list[Value]]:
    """The values that a body returns and yields where its parameters are as ``given``, else unknown."""
    with _inside(run, body):
        run.scope.names.update(dict.fromkeys(run.scope.parameters, UNKNOWN) | given)
        body.running = True
        run.gone_through.append(body)
        run.returned.append([])
        run.yielded.append([])
        try:
            ended = execute_block(run, body.statements)
        finally:
            body.running = False
            run.gone_through.pop()
            values, yielded = run.returned.pop(), run.yielded.pop()
    return (values if ended else [*values, Live(None)]), yielded


@contextmanager
def _inside(run: Run, body: Body) -> Iterator[None]:
    """In a scope of the body's own, in which what it stores is not known yet."""
    outer, line, journal, journal_scope = run.scope, run.first_line, run.journal, run.journal_scope
    run.scope, run.first_line = Scope(body.scope, is_function=True), body.first_line
    run.scope.names.update(dict.fromkeys(body.own, UNKNOWN))
    run.scope.parameters = frozenset(parameter.arg for parameter in parameters_of(body.arguments))
    try:
        yield
    finally:
        run.scope, run.first_line, run.journal, run.journal_scope = outer, line, journal, journal_scope


# --- Classes ---


def define_class(run: Run, node: ast.ClassDef) -> None:
    """``class``: its members, and what makes an instance."""
    bases = [evaluate(run, base) for base in node.bases]
    decorators = [evaluate(run, part.func if isinstance(part, ast.Call) else part) for part in node.decorator_list]
    for part in [*node.decorator_list, *(k.value for k in node.keywords)]:
        evaluate(run, part)
    outer = run.scope
    run.scope = Scope(outer, is_class=True)
    run.scope.names["__class__"] = UNKNOWN
    try:
        execute_block(run, node.body)
    finally:
        members, run.scope = run.scope.names, outer
    completed = len(decorators) == 1 and dataclass_fields.is_decorator(node.decorator_list[0], decorators[0])
    made = _class_of(run, node, bases, members, decorated=bool(decorators) and not completed)
    if completed and isinstance(made, WrittenClass):
        _complete(run, made, node, bases)
    run.store(node.name, made)


def _complete(run: Run, made: WrittenClass, node: ast.ClassDef, bases: list[Value]) -> None:
    """Give a dataclass its fields and what it begins with."""
    for base in bases:
        made.fields |= base.fields if isinstance(base, WrittenClass) else {}
    made.fields |= {name: partial(_default, run, field) for name, field in dataclass_fields.fields(node.body).items()}
    if not any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in node.body):
        made.members["__init__"] = dataclass_fields.initialiser(made.fields, partial(_after, run, made))
    for name in made.fields:
        made.members.pop(name, None)  # each instance has its own


def _default(run: Run, field: ast.AnnAssign) -> Value:
    """The value of a field that a call leaves out."""
    how, given = dataclass_fields.default_of(field)
    with run.silence():
        if given is None:
            return _annotation(run, ast.arg(arg="", annotation=field.annotation))
        value = evaluate(run, given)
        return calls.value_of_call(run, value, Invocation.of(given)) if how == "factory" else value


def _after(run: Run, made: WrittenClass, instance: Instance, call: Invocation) -> None:
    then = made.members.get("__post_init__")
    if isinstance(then, Written):
        calls.value_of_call(run, then.on(instance), Invocation.of(call.node.func))


def _class_of(run: Run, node: ast.ClassDef, bases: list[Value], members: dict[str, Value], *, decorated: bool) -> Value:
    """The class where all that makes its instances is written in the cell."""
    if decorated or node.keywords:
        return UNKNOWN
    inherited: dict[str, Value] = {}
    counted = [base for base in bases if isinstance(base, Live) and any(base.thing is one for one in _ENUMERATIONS)]
    for base in reversed(bases):
        if isinstance(base, WrittenClass):
            inherited |= base.members
        elif base not in counted and not (isinstance(base, Live) and base.thing is object):
            return UNKNOWN
    closed = all(base.closed for base in bases if isinstance(base, WrittenClass)) and not is_dynamic(node)
    made = WrittenClass(node.name, inherited | members, closed=closed)
    if counted:
        _enumerate(made, next(base.thing for base in counted if isinstance(base, Live)))
    return made


_ENUMERATIONS = (enum.Enum, enum.IntEnum, enum.StrEnum)


def _enumerate(kind: WrittenClass, base: object) -> None:
    """The members of an enumeration are its instances, each with a name and a value; so is what a call of it gives. What they can do
    besides is the ``base``'s: a ``StrEnum`` has texts."""
    kind.members.pop("__class__", None)
    for name, value in kind.members.items():
        if not name.startswith("_") and not isinstance(value, Written):
            member = Instance(kind)
            given = UNKNOWN if isinstance(value, Of) and value.kind is enum.auto else value
            member.attributes |= {"name": Live(name), "value": given}
            kind.members[name] = member
    kind.enumeration = base


EVALUATORS: dict[type, Evaluator] = {ast.Lambda: _lambda, ast.Yield: _yield, ast.YieldFrom: _yield}
EXECUTORS: dict[type, Executor] = {
    ast.FunctionDef: define_function,
    ast.AsyncFunctionDef: define_function,
    ast.ClassDef: define_class,
}


# --- Last call of a function in what the kernel has run ---
# A function's new body is checked with the arguments of that call.
CELLS = 200
"""So many cells are looked through, from the last one back."""
LONGEST = 20_000
"""Longer cells are not parsed."""


def last_call(name: str, parameters: tuple[str, ...], namespace: Mapping[str, object]) -> ast.Call | None:
    """The last call of a function that the kernel has, with these parameters, at the top level of a cell that it ran.

    None where it has none of that name or one with other parameters: then old calls say nothing of the new one.
    """
    live, cells = namespace.get(name), namespace.get("In")
    if type(live) is not types.FunctionType or type(cells) is not list:
        return None
    code = live.__code__
    if code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] != parameters:
        return None
    for cell in cells[: -CELLS - 1 : -1]:
        if type(cell) is str and len(cell) <= LONGEST and name + "(" in cell:
            found = _call_in(cell, name)
            if found is not None:
                return found
    return None


def _call_in(cell: str, name: str) -> ast.Call | None:
    plain = [statement for statement in body_of(cell) if isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign)]
    calls = [
        node
        for node in nodes_of(plain)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]
    return calls[-1] if calls else None
