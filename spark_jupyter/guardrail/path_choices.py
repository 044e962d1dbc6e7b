"""Conditions that choose one file of a home folder by its name or age.

``if path.suffix == ".csv": path.unlink()`` deletes not everything that is there: the path is :data:`Fact.CHOSEN` until the block ends,
and nothing special where it has the name of a cache or a temporary file. ``if not name.endswith(".tmp"): continue`` chooses for what
comes after it. What leaves out a few chooses nothing, and nothing chooses among places: a home folder stays one.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.marked_paths import CACHES, MANY, is_listed, is_place
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Fact, Value, words

_ASKS: Final = words("startswith endswith match fullmatch search fnmatch fnmatchcase")
_EXISTENCE: Final = words("exists lexists isfile isdir islink is_file is_dir is_symlink access")
_NOW: Final = words("time now today utcnow")
_TEMPORARY: Final = re.compile(r"te?mp\b.*|te?mp_.*", re.IGNORECASE)
_PUT_TOGETHER: Final = ("join()[]", "joinpath()[]", "Path()[]", "/[]")
"""Ends of the names of paths made from a folder and the name of what is in it."""


def chosen(test: ast.expr, state: State, *, holds: bool = True) -> dict[str, Fact | None]:
    """Variables that stand for a few files only where the condition holds, or where it does not, with what is known of these."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return chosen(test.operand, state, holds=not holds)
    if isinstance(test, ast.BoolOp):
        each = [chosen(value, state, holds=holds) for value in test.values]
        both = isinstance(test.op, ast.And) is holds
        names = (set[str].union if both else set[str].intersection)(*map(set[str], each))
        facts = {name: [one[name] for one in each if name in one] for name in names}
        return {name: None if (None in of if both else not any(of)) else Fact.CHOSEN for name, of in facts.items()}
    if isinstance(test, ast.Compare):
        excludes = isinstance(test.ops[0], ast.NotEq | ast.NotIn | ast.IsNot)
        ordered = isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        asks = ordered or excludes is not holds
    else:
        asks = holds and isinstance(test, ast.Call) and _last(test) in _ASKS
    return _whole(test, state) if asks else {}


def _last(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _whole(test: ast.expr, state: State) -> dict[str, Fact | None]:
    """The one variable of the condition that stands for everything listed, where it is compared with something that is a choice."""
    names, constants = set[str](), list[object]()
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and (value := state.lookup(node.id)) and is_listed(value):
            names.add(node.id)
        elif isinstance(node, ast.Constant):
            constants.append(node.value)
        elif isinstance(node, ast.Call) and _last(node) in _EXISTENCE:
            return {}
    given = [one for one in constants if one != 0 and any(map(str.isalnum, str(one))) and not is_place(str(one))]
    now = isinstance(test, ast.Compare) and any(
        isinstance(side, ast.Call) and _last(side) in _NOW for side in test.comparators
    )
    if len(names) != 1 or now or (constants and not given):
        return {}
    return dict.fromkeys(names, None if given and all(map(_may_go, given)) else Fact.CHOSEN)


def _may_go(name: object) -> bool:
    """True for the name of a cache or a temporary file, or for its end."""
    text = str(name)
    return any(CACHES.fullmatch(form) for form in (text, f"*{text}")) or _TEMPORARY.fullmatch(text) is not None


def narrow(names: dict[str, Fact | None], state: State) -> None:
    """Let these variables stand for single files, and the paths that were put together from them."""
    if not names:
        return
    fact = next(iter(names.values()))
    paths = dict.fromkeys([name for name, value in _many(state).items() if value.name.endswith(_PUT_TOGETHER)], fact)
    for name, known in (paths | names).items():
        if (value := state.lookup(name)) is not None:
            state.change(name, value.but(fact=known))


def _many(state: State) -> dict[str, Value]:
    return {name: value for name, value in state.scope.variables.items() if value.fact in MANY}


def enter(test: ast.expr, state: State, indent: int) -> None:
    """Remember at an ``if`` what its block chooses, and what a ``continue`` in it leaves."""
    here, after = chosen(test, state), chosen(test, state, holds=False)
    if here or after:
        before = _many(state)
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
