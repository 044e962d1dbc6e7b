"""Conditions that choose one file of a home folder by its name or age.

``if path.suffix == ".tmp": path.unlink()`` deletes not everything that is there: the path is no longer :data:`Fact.WHOLE`, until the
block ends. ``if not name.endswith(".tmp"): continue`` chooses for what comes after it. What leaves out a few chooses nothing.
"""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Fact, words

_ASKS: Final = words("startswith endswith match fullmatch search fnmatch fnmatchcase")
_EXISTENCE: Final = words("exists lexists isfile isdir islink is_file is_dir is_symlink access")
_PUT_TOGETHER: Final = ("join()", "joinpath()", "/")
"""Ends of the names of paths made from a folder and the name of what is in it."""


def chosen(test: ast.expr, state: State, *, holds: bool = True) -> set[str]:
    """Variables that stand for a few files only where the condition holds, or where it does not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return chosen(test.operand, state, holds=not holds)
    if isinstance(test, ast.BoolOp):
        each = [chosen(value, state, holds=holds) for value in test.values]
        return set.union(*each) if isinstance(test.op, ast.And) is holds else set.intersection(*each)
    if isinstance(test, ast.Compare):
        excludes = isinstance(test.ops[0], ast.NotEq | ast.NotIn | ast.IsNot)
        ordered = isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        asks = ordered or excludes is not holds
    else:
        asks = holds and isinstance(test, ast.Call) and _last(test) in _ASKS
    return _whole(test, state) if asks else set()


def _last(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _whole(test: ast.expr, state: State) -> set[str]:
    """The one variable of the condition that stands for everything, where it is compared with something that is a choice."""
    names, constants = set[str](), list[object]()
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and (value := state.lookup(node.id)) and value.fact is Fact.WHOLE:
            names.add(node.id)
        elif isinstance(node, ast.Constant):
            constants.append(node.value)
        elif isinstance(node, ast.Call) and _last(node) in _EXISTENCE:
            return set()
    chooses = not constants or any(one != 0 and any(map(str.isalnum, str(one))) for one in constants)
    return names if len(names) == 1 and chooses else set()


def narrow(names: set[str], state: State) -> None:
    """Let these variables stand for single files, and the paths that were put together from them."""
    paths = [
        name
        for name, value in (state.scope.variables.items() if names else ())
        if value.fact is Fact.WHOLE and value.name.endswith(_PUT_TOGETHER)
    ]
    for name in (*names, *paths):
        if (value := state.lookup(name)) is not None:
            state.change(name, value.but(fact=None))


def enter(test: ast.expr, state: State, indent: int) -> None:
    """Remember at an ``if`` what its block chooses, and what a ``continue`` in it leaves."""
    here, after = chosen(test, state), chosen(test, state, holds=False)
    if here or after:
        before = {name: value for name, value in state.scope.variables.items() if value.fact is Fact.WHOLE}
        before |= {name: value for name in here if (value := state.lookup(name)) is not None}
        state.choices.append((indent, before, after))


def leave(state: State, indent: int) -> None:
    """End the blocks that a line at this indent ends."""
    while state.choices and indent <= state.choices[-1][0]:
        _, before, _ = state.choices.pop()
        for name, value in before.items():
            if (now := state.lookup(name)) is not None and now.name == value.name:
                state.change(name, value)


def skip(state: State) -> None:
    """``continue``: what the condition of the block around it does not hold of is what comes after it."""
    if not state.choices:
        return
    indent, before, after = state.choices.pop()
    narrow(after, state)
    state.choices.append((indent, {} if after else before, after))
