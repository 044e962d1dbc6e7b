"""Functions, lambdas and classes defined in the cell.

A body is gone through twice: where it stands, with parameters of which nothing is known but what their annotations say, and again for each
call that is met, with what the call gives. So ``def g(df): …`` is silent until ``g(sales.copy())`` tells what ``df`` is.
"""

from __future__ import annotations

import ast
import enum
import types
from abc import abstractmethod
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
from spark_jupyter.reality.call_history import last_call
from spark_jupyter.reality.expressions import Expressions
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
from spark_jupyter.reality.syntax_trees import nodes_of
from spark_jupyter.reality.visible_names import Scope

MAX_DEPTH = 8
"""Calls inside calls that are followed."""
MAX_ENTERED = 20
"""How often one body is gone through with arguments; further calls are not followed."""
MAX_STATEMENTS = 600
"""Statements in bodies that one top-level statement may make the check go through."""


class Definitions(Expressions):
    """Evaluates what defines functions and classes. The other statements are in :mod:`spark_jupyter.reality.interpreter`."""

    def __init__(self, namespace: Mapping[str, object]) -> None:
        super().__init__(namespace)
        self._handlers[ast.Lambda] = self._lambda
        self._handlers[ast.Yield] = self._yield
        self._handlers[ast.YieldFrom] = self._yield
        self.late_annotations = False
        """Annotations are never evaluated: ``from __future__ import annotations``."""
        self.defined: dict[str, tuple[Written, Body]] = {}
        """The functions at the top level of the source."""
        self.returned: list[list[Value]] = []
        """What the bodies that are being gone through have returned so far."""
        self.yielded: list[list[Value]] = []
        """What they have yielded."""
        self.left = MAX_STATEMENTS
        self.gone_through: list[Body] = []
        """The bodies that calls have led into."""

    @abstractmethod
    def block(self, body: list[ast.stmt]) -> bool:
        """Go through the statements of a block; whether it is certainly left before its end."""

    # --- Functions ---

    def function(self, node: ast.stmt) -> None:
        """``def``: the body is gone through with unknown parameters, and the name stands for it."""
        assert isinstance(node, Function)
        decorators = [self.evaluate(decorator) for decorator in node.decorator_list]
        defaults = self._defaults(node.args)
        self._judge_notes(node)
        body = Body(
            node.args,
            node.body,
            self.scope,
            self.first_line,
            tuple(stored_in(node.body)),
            self.quiet > 0,
            is_generator(node.body),
            defaults,
        )
        plain = isinstance(node, ast.FunctionDef)
        value: Value = self._written(node.name, body, followed=plain)
        role = role_of(node)
        if role is not None and len(decorators) == 1 and isinstance(value, Written):
            value.role = role
        elif not plain:
            value = UNKNOWN
        else:
            for decorator, place in zip(reversed(decorators), reversed(node.decorator_list), strict=True):
                value = self._decorated(decorator, place, value)
        self.store(node.name, value)
        self._first_look(body)
        if self.scope is self.module and isinstance(value, Written):
            self.defined[node.name] = (value, body)

    def judge_by_last_use(self) -> None:
        """Functions of the cell that nothing in it calls are judged with what the kernel last called those of their names with; as they
        may be meant for something else now, what is found is a warning."""
        for name, (function, body) in self.defined.items():
            call = last_call(name, function.parameters, self.namespace) if body.entered == 0 else None
            if call is None or function.enter is None:
                continue
            with self.silence():
                given = Invocation(call, [(part, self.evaluate(part)) for part in call.args])
                given.keywords = {k.arg: (k.value, self.evaluate(k.value)) for k in call.keywords if k.arg is not None}
                given.stars = len(given.keywords) < len(call.keywords)
            before = len(self.findings)
            function.enter(given)
            self.findings[before:] = [replace(found, severity="warn") for found in self.findings[before:]]
        self.defined.clear()

    def _judge_notes(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """What annotations name of modules: ``pd.DataFrme``."""
        notes = [node.returns, *(parameter.annotation for parameter in parameters_of(node.args))]
        with self.silence(when=self.late_annotations):
            for part in nodes_of([note for note in notes if note is not None]):
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and self.look_up(part.value.id):
                    self.evaluate(part)

    def _lambda(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Lambda)
        defaults = self._defaults(node.args)
        result = ast.copy_location(ast.Return(value=node.body), node)
        body = Body(node.args, [result], self.scope, self.first_line, (), self.quiet > 0, defaults=defaults)
        self._first_look(body)
        return self._written("<lambda>", body, followed=True)

    def _written(self, name: str, body: Body, *, followed: bool) -> Written:
        arguments = body.arguments
        count = len(arguments.posonlyargs) + len(arguments.args)
        return Written(
            name,
            parameters=tuple(a.arg for a in (*arguments.args, *arguments.kwonlyargs)),
            positional=None if arguments.vararg else count,
            allows_any=arguments.kwarg is not None,
            enter=partial(self._enter, body) if followed else None,
        )

    def _decorated(self, decorator: Value, place: ast.expr, value: Value) -> Value:
        """What a decorator makes of a function: followed where it is of the cell itself, or is known to change nothing."""
        if isinstance(decorator, Written) and decorator.enter is not None:
            return decorator.enter(Invocation.of(place, value))
        target = place.func if isinstance(place, ast.Call) else place
        name = target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""
        return value if name in {"cache", "lru_cache", "wraps"} else UNKNOWN

    def _defaults(self, arguments: ast.arguments) -> dict[str, Value]:
        """Defaults are evaluated where the function is defined."""
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        found = {
            name: self.evaluate(default)
            for name, default in zip(names[len(names) - len(arguments.defaults) :], arguments.defaults, strict=True)
        }
        for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                found[parameter.arg] = self.evaluate(default)
        return found

    def _first_look(self, body: Body) -> None:
        """The body with what the annotations say of its parameters, which is all that is known before a call."""
        with self._inside(body):
            for parameter in parameters_of(body.arguments):
                self.scope.names[parameter.arg] = self._annotation(parameter)
            self.delayed += 1
            self.returned.append([])
            self.yielded.append([])
            try:
                self.block(body.statements)
            finally:
                self.returned.pop()
                self.yielded.pop()
                self.delayed -= 1

    def _yield(self, node: ast.expr) -> Value:
        """``yield``; what a caller sends back is not known."""
        assert isinstance(node, ast.Yield | ast.YieldFrom)
        value = self.evaluate(node.value) if node.value is not None else Live(None)
        if self.yielded and not isinstance(value, Recursion):
            self.yielded[-1].append(value if isinstance(node, ast.Yield) else element_of(value))
        return UNKNOWN

    def _annotation(self, parameter: ast.arg) -> Value:
        note = parameter.annotation
        if not isinstance(note, ast.Name | ast.Attribute):
            return UNKNOWN
        with self.silence():
            value = self.evaluate(note)
        kind = value.thing if isinstance(value, Live) else None
        if not is_class(kind) or kind in (object, type, list, dict, tuple, float):
            return UNKNOWN
        labelled = frame_columns.is_frame(kind) or frame_columns.is_series(kind)
        exact = kind.__module__ == "builtins"
        return guess(Of(kind, exact=exact, table=Table(None, levels=None) if labelled else None))

    # --- Calls of them ---

    def _enter(self, body: Body, call: Invocation) -> Value:
        """Go through a body with the arguments of a call; what it returns."""
        tired = body.entered >= MAX_ENTERED or len(self.returned) >= MAX_DEPTH or self.left <= 0
        if tired or body.running:
            frame_columns.may_change(call)
            body.recurs = body.recurs or self.gone_through[-1:] == [body]
            return RECURSION if not tired and self.gone_through[-1:] == [body] else UNKNOWN
        self.left -= len(body.statements) + 1
        body.entered += 1
        with self.silence(when=body.silent):
            values, yielded = self._gone_through(body, bound(body, call))
        if body.recurs:  # the next call may take the other ways, and be given something else
            with self.silence():
                values, yielded = self._gone_through(body, {})
        return Of(types.GeneratorType, exact=True, element=either(yielded)) if body.generates else either(values)

    def _gone_through(self, body: Body, given: dict[str, Value]) -> tuple[list[Value], list[Value]]:
        """What a body returns and yields where its parameters are what is ``given``, else unknown."""
        with self._inside(body):
            self.scope.names.update(dict.fromkeys(self.scope.parameters, UNKNOWN) | given)
            body.running = True
            self.gone_through.append(body)
            self.returned.append([])
            self.yielded.append([])
            try:
                ended = self.block(body.statements)
            finally:
                body.running = False
                self.gone_through.pop()
                values, yielded = self.returned.pop(), self.yielded.pop()
        return (values if ended else [*values, Live(None)]), yielded

    @contextmanager
    def _inside(self, body: Body) -> Iterator[None]:
        """In a scope of the body's own, in which what it stores is not known yet."""
        outer, line, journal, journal_scope = self.scope, self.first_line, self.journal, self.journal_scope
        self.scope, self.first_line = Scope(body.scope, is_function=True), body.first_line
        self.scope.names.update(dict.fromkeys(body.own, UNKNOWN))
        self.scope.parameters = frozenset(parameter.arg for parameter in parameters_of(body.arguments))
        try:
            yield
        finally:
            self.scope, self.first_line, self.journal, self.journal_scope = outer, line, journal, journal_scope

    # --- Classes ---

    def class_(self, node: ast.stmt) -> None:
        """``class``: its members, and what makes an instance."""
        assert isinstance(node, ast.ClassDef)
        bases = [self.evaluate(base) for base in node.bases]
        decorators = [self.evaluate(part.func if isinstance(part, ast.Call) else part) for part in node.decorator_list]
        for part in [*node.decorator_list, *(k.value for k in node.keywords)]:
            self.evaluate(part)
        outer = self.scope
        self.scope = Scope(outer, is_class=True)
        self.scope.names["__class__"] = UNKNOWN
        try:
            self.block(node.body)
        finally:
            members, self.scope = self.scope.names, outer
        completed = len(decorators) == 1 and dataclass_fields.is_decorator(node.decorator_list[0], decorators[0])
        made = self._class_of(node, bases, members, decorated=bool(decorators) and not completed)
        if completed and isinstance(made, WrittenClass):
            self._complete(made, node, bases)
        self.store(node.name, made)

    def _complete(self, made: WrittenClass, node: ast.ClassDef, bases: list[Value]) -> None:
        """Give a dataclass its fields and what it begins with."""
        for base in bases:
            made.fields |= base.fields if isinstance(base, WrittenClass) else {}
        made.fields |= {
            name: partial(self._default, field) for name, field in dataclass_fields.fields(node.body).items()
        }
        if not any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in node.body):
            made.members["__init__"] = dataclass_fields.initialiser(made.fields, partial(self._after, made))
        for name in made.fields:
            made.members.pop(name, None)  # each instance has its own

    def _default(self, field: ast.AnnAssign) -> Value:
        """What a field is where a call does not give it."""
        how, given = dataclass_fields.default_of(field)
        with self.silence():
            if given is None:
                return self._annotation(ast.arg(arg="", annotation=field.annotation))
            value = self.evaluate(given)
            return calls.value_of_call(self, value, Invocation.of(given)) if how == "factory" else value

    def _after(self, made: WrittenClass, instance: Instance, call: Invocation) -> None:
        then = made.members.get("__post_init__")
        if isinstance(then, Written):
            calls.value_of_call(self, then.on(instance), Invocation.of(call.node.func))

    def _class_of(self, node: ast.ClassDef, bases: list[Value], members: dict[str, Value], *, decorated: bool) -> Value:
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
            _enumerate(made)
        return made


_ENUMERATIONS = (enum.Enum, enum.IntEnum, enum.StrEnum)


def _enumerate(kind: WrittenClass) -> None:
    """The members of an enumeration are its instances, each with a name and a value; so is what a call of it gives."""
    kind.members.pop("__class__", None)
    for name, value in kind.members.items():
        if not name.startswith("_") and not isinstance(value, Written):
            member = Instance(kind)
            member.attributes |= {"name": Live(name), "value": value}
            kind.members[name] = member
    kind.is_enumeration = True
