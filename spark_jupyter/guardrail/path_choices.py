"""Conditions that choose one file of a home folder by its name or age.

``if path.suffix == ".csv": path.unlink()`` deletes not everything that is there: the path is :data:`Fact.CHOSEN` until the block ends,
and nothing special where it has the name of a cache or a temporary file. ``else``, ``case`` and what comes after a ``continue`` are
blocks too. What leaves out a few chooses nothing, and nothing chooses among places: a home folder stays one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from spark_jupyter.guardrail.marked_paths import CACHES, MANY, is_listed, is_place
from spark_jupyter.guardrail.meant_conditions import meant, of_each
from spark_jupyter.guardrail.taint_state import Block, Choice, Chosen, Failed, State
from spark_jupyter.guardrail.taint_values import Fact, Value, words

_ASKS: Final = words("startswith endswith match fullmatch search fnmatch fnmatchcase full_match islink is_symlink")
_EXISTENCE: Final = words("exists lexists isfile isdir is_file is_dir access")
_KINDS: Final = _EXISTENCE | words("islink is_symlink")
_NOW: Final = words("time now today utcnow")
_PARTS: Final = words(
    "split rsplit partition rpartition strip lstrip rstrip replace decode encode timedelta round strftime"
)
"""Calls whose arguments say which part of a name or an age is asked, not what it is to be."""
_OF_PATHS: Final = words("os pathlib shutil str repr bool len print")
_TEMPORARY: Final = re.compile(r"te?mp\b.*|te?mp_.*", re.IGNORECASE)
_OF_PATTERNS: Final = re.compile(r"^\^|^\.\*|\\(?=\W)|\$$|\\Z$")
_MOST_TESTS: Final = 65
"""Failed tests that are kept to say what a function answers: of so many the answer is too large to be told (meant_conditions.py)."""
_CLAUSES: Final = ("elif", "else", "case")


def _choice(test: ast.expr, state: State) -> Choice:
    if not state.context.has_places:
        return {}, {}
    test = meant(test, state)
    here = dict.fromkeys(_asked_here(test, state), Fact.CHOSEN)
    return _chosen(test, state, holds=True) | here, _chosen(test, state, holds=False) | here


def _asked_here(test: ast.expr, state: State) -> set[str]:
    """Variables for what is listed in the working folder that are tested for more than their kind. Leaving out a few counts as a
    choice, too: people clean a working folder by naming what stays."""
    if isinstance(test, ast.BoolOp):
        return set().union(*(_asked_here(value, state) for value in test.values))
    if isinstance(test, ast.UnaryOp):
        return _asked_here(test.operand, state)
    if isinstance(test, ast.Call) and _last(test) in _KINDS:
        return set()
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    known = {name: value for name in names if (value := state.lookup(name)) is not None}
    return {name for name, value in known.items() if value.fact is Fact.HERE and is_listed(value)}


def _both(one: Choice | None, other: Choice | None) -> Choice | None:
    """What two conditions choose together; None is one that always holds."""
    if one is None or other is None:
        return one or other
    return _together([one[0], other[0]], both=True), _together([one[1], other[1]], both=False)


def _together(each: list[Chosen], *, both: bool) -> Chosen:
    """What is chosen where all of these are, or one of them is."""
    names = (set[str].union if both else set[str].intersection)(*map(set[str], each))
    facts = {name: [one[name] for one in each if name in one] for name in names}
    return {name: None if (None in of if both else not any(of)) else Fact.CHOSEN for name, of in facts.items()}


def _chosen(test: ast.expr, state: State, *, holds: bool) -> Chosen:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _chosen(test.operand, state, holds=not holds)
    if isinstance(test, ast.BoolOp):
        each = [_chosen(value, state, holds=holds) for value in test.values]
        return _together(each, both=isinstance(test.op, ast.And) is holds)
    if isinstance(test, ast.Compare):
        answer = test.comparators[0]
        if isinstance(answer, ast.Constant) and (answer.value is None or isinstance(answer.value, bool)):
            yes = isinstance(test.ops[0], ast.Is | ast.Eq) is bool(answer.value)
            return _chosen(test.left, state, holds=holds is yes)
        excludes = isinstance(test.ops[0], ast.NotEq | ast.NotIn | ast.IsNot)
        ordered = isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        asks = ordered or excludes is not holds
    elif isinstance(test, ast.Call) and _last(test) in ("any", "bool") and len(test.args) == 1:
        return _chosen(of_each(test.args[0]), state, holds=holds)
    else:
        asks = holds and isinstance(test, ast.Call) and (_last(test) in _ASKS or _is_foreign(test, state))
    return _whole(test, state) if asks else {}


def _last(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _is_foreign(call: ast.Call, state: State) -> bool:
    """A function of a library, such as ``click.confirm(f"{path}?")``: it chooses somehow."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    known = state.lookup(owner.id) if isinstance(owner, ast.Name) else None
    imported = known is not None and known.name.partition(".")[0] in state.context.modules
    return imported and known is not None and known.name.partition(".")[0] not in _OF_PATHS


def _whole(test: ast.expr, state: State) -> Chosen:
    """The one variable of the condition that stands for everything listed, where it is compared with something that is a choice."""
    names, constants, waiting = set[str](), list[object](), [test]
    while waiting:
        node: ast.AST = waiting.pop()
        if isinstance(node, ast.Name) and (value := state.lookup(node.id)) is not None:
            names |= {node.id} if is_listed(value) else set()
            constants += _known(value)
        elif isinstance(node, ast.Constant):
            constants.append(node.value)
        elif isinstance(node, ast.Call) and _last(node) in _EXISTENCE:
            return {}
        if isinstance(node, ast.Subscript):
            waiting.append(node.value)
        elif isinstance(node, ast.Call) and _last(node) in _PARTS:
            waiting.append(node.func)
        else:
            waiting += ast.iter_child_nodes(node)  # type: ignore[arg-type]
    given = [one for one in constants if one != 0 and (any(map(str.isalnum, str(one))) or _may_go(one))]
    given = [one for one in given if _may_go(one) or not is_place(str(one))]
    now = isinstance(test, ast.Compare) and any(
        isinstance(side, ast.Call) and _last(side) in _NOW for side in test.comparators
    )
    if len(names) != 1 or now or (constants and not given):
        return {}
    return dict.fromkeys(names, None if given and all(map(_may_go, given)) else Fact.CHOSEN)


def _known(value: Value) -> list[object]:
    """Constants that a variable holds."""
    items = value.items if isinstance(value.items, list) else [value]
    return [item.const for item in items if item.is_constant and isinstance(item.const, str | int | float)]


def _may_go(name: object) -> bool:
    """True for the name of a cache or a temporary file, or for its end."""
    text = str(name)
    text = _OF_PATTERNS.sub("", text) if "\\" in text or text.startswith((".*", "^")) else text
    return any(CACHES.fullmatch(form) for form in (text, f"*{text}")) or _TEMPORARY.fullmatch(text) is not None


def narrow(names: Chosen, state: State) -> None:
    """Let these variables stand for single files, and the paths that were made from them, until the block ends."""
    if not names:
        return
    names = dict(names)
    for scope in state.scopes:
        for name, made in scope.made_from.items():
            if name not in names and (known := [names[part] for part in made.names if part in names]):
                names[name] = known[0]
    block = state.blocks[-1] if state.blocks else None
    for name, fact in names.items():
        value = state.lookup(name)
        if value is not None and value.fact in MANY:
            if block is not None:
                block.before.setdefault(name, value)
            state.change(name, value.but(fact=fact if value.fact is not Fact.HERE else None))


def narrow_by(test: ast.expr, state: State) -> None:
    """Let what holds from here on choose: an ``assert``, the ``if`` of a comprehension."""
    narrow(_choice(test, state)[0], state)


def enter(test: ast.expr, state: State, indent: int) -> None:
    """Begin the block of a condition; the conditions of the clauses above do not hold there."""
    earlier, state.earlier = state.earlier, Failed()
    held: list[ast.expr] = [ast.UnaryOp(ast.Not(), one) for one in earlier.tests]
    always, choice = isinstance(test, ast.Constant) and test.value, _choice(test, state)
    failed = Failed((*earlier.tests, test)[:_MOST_TESTS], _both(earlier.choice, (choice[1], choice[0])))
    held_choice = _both(earlier.choice, None if always else choice)
    state.blocks.append(Block(indent, held if always else [*held, test], held_choice, failed))
    narrow(held_choice[0] if held_choice else {}, state)


def begin(state: State, indent: int, *held: ast.expr) -> None:
    """Begin the body of a loop or a function."""
    state.earlier = Failed()
    choice = _choice(_all([*held]), state) if held else None
    state.blocks.append(Block(indent, [*held], choice, Failed()))
    narrow(choice[0] if choice else {}, state)


def _all(conditions: list[ast.expr]) -> ast.expr:
    return ast.BoolOp(ast.And(), conditions or [ast.Constant(True)])


def leave(state: State, indent: int, word: str = "") -> None:
    """End the blocks that a line at this indent ends; ``word`` begins it."""
    state.earlier = Failed()
    while state.blocks and indent <= state.blocks[-1].indent:
        block = _end(state)
        state.earlier = block.failed if block.indent == indent and word in _CLAUSES else Failed()


def end(state: State, depth: int) -> None:
    """End the blocks but these first ones."""
    while len(state.blocks) > depth:
        state.earlier = _end(state).failed


def _end(state: State) -> Block:
    block = state.blocks.pop()
    _restore(block, state)
    return block


def _restore(block: Block, state: State) -> None:
    before, block.before = block.before, {}
    for name, value in before.items():
        if (now := state.lookup(name)) is not None and now.name == value.name:
            state.change(name, value)


@contextmanager
def holding(test: ast.expr, state: State) -> Iterator[None]:
    """The time in which an expression is evaluated that stands behind a condition."""
    depth, earlier = len(state.blocks), state.earlier
    state.earlier = Failed()
    enter(test, state, state.scope.indent)
    yield
    end(state, depth)
    state.earlier = earlier


def skip(state: State) -> None:
    """``continue``, ``return``: the lines after it run only where the condition of its block does not hold."""
    if not state.blocks or not state.blocks[-1].failed.tests:
        return
    block = state.blocks.pop()
    _restore(block, state)
    against: Choice = (block.choice[1], block.choice[0]) if block.choice else ({}, {})
    if state.blocks:
        state.blocks[-1].held.append(ast.UnaryOp(ast.Not(), _all(block.held)))
        state.blocks[-1].choice = _both(state.blocks[-1].choice, against)
    narrow(against[0], state)
    state.blocks.append(block)
