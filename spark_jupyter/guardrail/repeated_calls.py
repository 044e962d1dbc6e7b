"""Functions of the notebook, read again with what they are given.

``def clean(folder): shutil.rmtree(folder)`` says nothing of what is deleted; ``clean(Path.home())`` does. The lines of a short function are
kept, and read once more where an argument is a place, a command or a connection.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail import taint_calls
from spark_jupyter.guardrail.line_parser import Parsed
from spark_jupyter.guardrail.marked_paths import is_marked
from spark_jupyter.guardrail.rule import Call, Hit, Rule
from spark_jupyter.guardrail.taint_state import Context, Scope, State, Summary
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
    """Note for the functions around a line what is found in it whatever they are given."""
    for scope in state.scopes if hits else ():
        if scope.summary is not None:
            scope.summary.found.update((rule.id, hit.severity) for rule, hit in hits)


def state_of(event: Call, summary: Summary, context: Context) -> State | None:
    """The state in which the function is read again, or None where nothing in the call asks for that."""
    owner = event.name.rpartition(".")[0].removesuffix("()")
    own = owner in ("", "self", "cls") or (owner[:1].isupper() and "." not in owner)
    if (
        not (own and summary.reaches)
        or not 0 < len(summary.lines) <= _LINES
        or not any(map(is_marked, (*event.args, *event.kwargs.values())))
    ):
        return None
    state = State(context)
    scope = Scope("call", summary.name)
    for name in summary.parameters:
        plain = name.lstrip("*")
        given = taint_calls.passed(event, summary.parameters, plain)
        given = Value(items=event.args, flows=given.flows) if name != plain and "**" not in name else given
        if name in ("self", "cls") and event.receiver.name:
            given = event.receiver
        scope.variables[plain] = given if given is not UNKNOWN else summary.defaults.get(plain, Value(plain))
    context.has_places |= any(value.fact is Fact.WHOLE for value in scope.variables.values())
    state.scopes.append(scope)
    return state


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
