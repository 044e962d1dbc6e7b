"""Bodies of functions and classes.

The statements that a call runs, and what can be read off their text alone.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from spark_jupyter.reality.abstract_values import UNKNOWN, Invocation, Of, Value
from spark_jupyter.reality.source_definitions import Role
from spark_jupyter.reality.syntax_trees import nodes_of
from spark_jupyter.reality.visible_names import Scope
from spark_jupyter.source.changed_names import bound_by

_DYNAMIC = frozenset({"setattr", "__dict__", "vars", "__getattr__", "__getattribute__", "__slots__", "__new__"})
_ROLES = {role.value: role for role in Role if role is not Role.METHOD}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True, eq=False)
class Body:
    """The parameters and statements that a call runs, and where they were written."""

    arguments: ast.arguments
    statements: list[ast.stmt]
    scope: Scope
    first_line: int
    own: tuple[str, ...]
    """Names that the body stores."""
    silent: bool
    generates: bool = False
    """True if a call gives a generator of the yielded values."""
    defaults: dict[str, Value] = field(default_factory=dict)
    entered: int = 0
    running: bool = False
    recurs: bool = False
    """True if it calls itself."""


def parameters_of(arguments: ast.arguments) -> list[ast.arg]:
    stars = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *stars]


def bound(body: Body, call: Invocation) -> dict[str, Value]:
    """The values of the parameters in a call; unknown for those that it does not determine."""
    arguments = body.arguments
    places = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    names = {a.arg for a in parameters_of(arguments)}
    values = {name: value for name, (_, value) in call.keywords.items() if name in names}
    found: dict[str, Value] = dict.fromkeys(names, UNKNOWN)
    if not call.stars:
        found |= body.defaults
    if not any(isinstance(argument, ast.Starred) for argument in call.node.args) or not call.stars:
        for name, (_, value) in zip(places, call.positional, strict=False):
            found[name] = value
    if not call.stars:
        if arguments.vararg is not None:
            rest = tuple(value for _, value in call.positional[len(places) :])
            found[arguments.vararg.arg] = Of(tuple, exact=True, items=rest)
        if arguments.kwarg is not None:
            more = {name: value for name, (_, value) in call.keywords.items() if name not in names}
            found[arguments.kwarg.arg] = Of(dict, exact=True, items=tuple(more.values()), keys=tuple(more))
    return found | values


def role_of(node: Function) -> Role | None:
    """The role that its one decorator gives a method."""
    decorators = node.decorator_list
    name = decorators[0].id if len(decorators) == 1 and isinstance(decorators[0], ast.Name) else ""
    return _ROLES.get(name)


def is_generator(body: list[ast.stmt]) -> bool:
    """True if a function with this body is a generator."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes_of(body))


def is_dynamic(node: ast.ClassDef) -> bool:
    """True if instances may get attributes under names that can't be seen in the class."""
    for part in nodes_of([node]):
        name = part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", getattr(part, "name", None))
        if name in _DYNAMIC:
            return True
    return False


def stored_in(body: list[ast.stmt]) -> list[str]:
    """Names that a function's body makes its own. Those of functions inside it come along; they do no harm."""
    nodes = nodes_of(body)
    shared = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    return [name for name in bound_by(nodes) if name not in shared]
