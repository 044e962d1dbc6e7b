"""Functions of the notebook, read again with the arguments of each call.

``def clean(folder): shutil.rmtree(folder)`` says nothing of what is deleted; ``clean(Path.home())`` does. The lines of a short function are
kept, and read once more where an argument is a place, a command or a connection.
"""

from __future__ import annotations

import ast
import itertools
from typing import Final

from spark_jupyter.guardrail import taint_calls
from spark_jupyter.guardrail.line_parser import Parsed
from spark_jupyter.guardrail.marked_paths import is_marked
from spark_jupyter.guardrail.rule import Call, Hit, Rule
from spark_jupyter.guardrail.taint_state import BASE, Scope, State, Summary
from spark_jupyter.guardrail.taint_values import UNKNOWN, Fact, Value, words

DEEP: Final = 3
"""Calls within calls that are read again."""
MOST: Final = 60
"""Calls of a cell that are read again."""
_LINES: Final = 40
"""Longest function that is kept."""
RULES: Final = words("destructive-command startup-file reverse-shell remote-script")
"""Rules that ask what is given, not who gave it."""


def keep(parsed: Parsed, indent: int, state: State) -> None:
    """Keep a line for the functions around it."""
    for scope in state.scopes:
        if scope.summary is not None and len(scope.summary.lines) <= _LINES:
            scope.summary.lines.append((parsed, indent))


def reach(state: State) -> None:
    """Note for the functions around a call that a rule asks what it is given."""
    for scope in state.scopes:
        if scope.summary is not None:
            scope.summary.reaches = True


def note(hits: list[tuple[Rule, Hit]], state: State) -> None:
    """Note for the functions around a line the findings in it that no argument changes."""
    for scope in state.scopes if hits else ():
        if scope.summary is not None:
            scope.summary.found.update((rule.id, hit.severity) for rule, hit in hits)


def called(event: Call, state: State) -> Summary | None:
    """The notebook's function that is called: of the class of the object, or of one that it is derived from."""
    context, owner = state.context, event.name.rpartition(".")[0].removesuffix("()")
    if owner == "super":
        owner = next((scope.bases[0] for scope in reversed(state.scopes) if scope.bases), "")
    if owner and event.tail == "__init__":
        base = context.variables.get(f"{owner}.{BASE}")
        return context.functions.get(owner) or context.functions.get(base.name if base is not None else "")
    for name in (f"{owner}.{event.tail}", event.tail):
        if name in context.functions:
            return context.functions[name]
        base = context.variables.get(f"{owner or name}.{BASE}")
        if base is not None and (found := context.functions.get(f"{base.name}.{event.tail}" if owner else base.name)):
            return found
    return None


def fields(event: Call, state: State) -> dict[str, Value]:
    """What is known to be in the object whose method is called."""
    items = event.receiver.items if event.receiver.fact is Fact.RECORD else None
    known = {name: value for name, value in items.items() if isinstance(name, str)} if isinstance(items, dict) else {}
    owner = getattr(event.node.func, "value", None)
    start = f"{owner.id}." if isinstance(owner, ast.Name) and owner.id in state.context.holders else ""
    of_class = event.name.rpartition(".")[0].removesuffix("()")
    starts = [one for one in (f"{of_class}." if of_class in state.context.holders else "", start) if one]
    for scope, one in itertools.product(state.scopes, starts):
        known |= {name[len(one) :]: value for name, value in scope.variables.items() if name.startswith(one)}
    return known


def state_of(event: Call, summary: Summary, caller: State) -> State | None:
    """The state in which the function is read again, or None where nothing in the call asks for that."""
    owner, context = event.name.rpartition(".")[0].removesuffix("()"), caller.context
    own = owner in ("", "self", "cls", "super") or (owner[:1].isupper() and "." not in owner)
    if not (own and (summary.reaches or summary.name == "__init__")) or not 0 < len(summary.lines) <= _LINES:
        return None
    if event.tail == "__init__" and owner != "super":  # A.__init__(self, path)
        event = event._replace(args=event.args[1:])
    known = fields(event, caller)
    if not any(map(is_marked, (*event.args, *event.kwargs.values(), *known.values()))):
        return None
    state = State(context)
    scope = Scope("call", summary.name)
    base = context.variables.get(f"{summary.owner}.{BASE}")
    scope.bases = (base.name,) if base is not None else ()
    for name in summary.parameters:
        plain = name.lstrip("*")
        given = taint_calls.passed(event, summary.parameters, plain)
        given = Value(items=event.args, flows=given.flows) if name != plain and "**" not in name else given
        if name in ("self", "cls") and event.receiver.name:
            given = event.receiver
        scope.variables[plain] = given if given is not UNKNOWN else summary.defaults.get(plain, Value(plain))
    scope.variables |= {f"self.{name}": value for name, value in known.items()}
    context.has_places |= any(value.fact in (Fact.WHOLE, Fact.HERE) for value in scope.variables.values())
    state.scopes.append(scope)
    return state


def made(state: State, event: Call, summary: Summary, caller: State) -> Value | None:
    """The object of a class whose ``__init__`` was read in this state; where one calls another, the object is its own."""
    if summary.name != "__init__":
        return None
    if event.tail == "__init__":
        for name, value in state.scopes[1].variables.items():
            if name.startswith("self."):
                caller.store(name, value)
        return None
    own: dict[object, Value] = {
        name[5:]: value for name, value in state.scopes[1].variables.items() if name.startswith("self.")
    }
    return Value(f"{event.name}()", items=own, fact=Fact.RECORD)


def found(hits: list[tuple[Rule, Hit]], event: Call, summary: Summary) -> list[tuple[Rule, Hit]]:
    """What the call makes of the function, at the call."""
    where = f" (It happens in {summary.name}(), called here.)"
    return [
        (
            rule,
            hit._replace(
                node=event.node, line=None, message=(hit.message or rule.message).partition(" (It")[0] + where
            ),
        )
        for rule, hit in hits
        if rule.id in RULES and not hit.flows and (rule.id, hit.severity) not in summary.found
    ]
