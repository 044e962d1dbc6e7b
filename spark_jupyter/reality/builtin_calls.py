"""Results of calls to built-in functions."""

from __future__ import annotations

import ast
from collections.abc import Callable

from spark_jupyter.reality import callbacks, constant_texts, dict_keys, frame_columns, inline_data, static_lookup
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Invocation,
    Live,
    Of,
    Value,
    alternatives,
    constant,
    constants,
)
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.operators import element_of
from spark_jupyter.reality.source_definitions import Written
from spark_jupyter.reality.string_arguments import say, text_of

_NAME_MAKERS = frozenset({"exec", "globals", "locals", "vars", "eval", "setattr"})


def value_of(run: Run, name: str, call: Invocation) -> Value | None:
    """The result of a built-in function; None where its signature and annotations suffice."""
    if name == "vars" and call.positional and (own := dict_keys.of_instance(call.positional[0][1])) is not None:
        return own
    if name in _NAME_MAKERS:
        _makes_names(run, name, call)
        return UNKNOWN
    callbacks.given_to_builtin(name, call)
    _check_number(run, name, call)
    named = constant_texts.mapped(name, call)
    if named is not None:
        return named
    if name in {"map", "filter"} and call.positional and not isinstance(call.positional[0][1], Written):
        frame_columns.may_change(call.moved())  # by a function that can't be seen
    if name in _COLLECTING and len(call.positional) == 1:
        given = call.positional[0][1]
        items = _listed(given) if name != "sorted" else None
        return Of(_COLLECTING[name], exact=True, items=items, element=None if items else element_of(given))
    if name in {"enumerate", "zip", "reversed", "next", "min", "max"} and call.positional and not call.stars:
        return _of_iterated(name, call)
    if name == "dict" and (made := _new_dict(call)) is not None:
        return made
    if name == "isinstance" and len(call.positional) == 2:
        known = _is_instance(call.positional[0][1], call.positional[1][1])
        return Of(bool, exact=True) if known is None else Live(known)
    if name in _MADE:
        return _MADE[name](call)
    if name == "open":
        run.outside_data = True
        return UNKNOWN
    return UNKNOWN if name in _UNKNOWN else None


_UNKNOWN = frozenset("type super sum iter abs round pow getattr map filter".split())
"""Functions of whose results nothing is said."""
_COLLECTING: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "sorted": list}


_NUMBERS: dict[str, type[int] | type[float]] = {"int": int, "float": float}


def _check_number(run: Run, name: str, call: Invocation) -> None:
    """``float("nann")``: a text of which no number is made."""
    plain = name in _NUMBERS and len(call.positional) == 1 and not call.keywords
    given = text_of(call.positional[0]) if plain else None
    if given is None or len(given[1]) > _DIGITS or not isinstance(given[0], ast.Constant):
        return
    try:
        _NUMBERS[name](given[1])
    except ValueError:
        say(run, given, f"a number that `{name}()` reads", ["nan", "inf"] if name == "float" else [])


_DIGITS = 40


def _of_iterated(name: str, call: Invocation) -> Value:
    """The result of a function that goes through iterables, or picks one item of one."""
    parts = [element_of(value) for _, value in call.positional]
    if name == "enumerate":
        return Of(enumerate, exact=True, element=Of(tuple, exact=True, items=(Of(int, exact=True), parts[0])))
    if name == "zip":
        return Of(zip, exact=True, element=Of(tuple, exact=True, items=tuple(parts)))
    if name == "reversed":
        return Of(reversed, element=parts[0])
    if len(parts) > 1:  # of several things, or with a default
        return UNKNOWN
    return parts[0]


def _new_dict(call: Invocation) -> Value | None:
    if len(call.positional) == 1 and not call.keywords:
        return _paired(call.positional[0])
    if call.positional or call.stars:
        return None
    items = tuple(value for _, value in call.keywords.values())
    return Of(dict, exact=True, items=items, keys=tuple(call.keywords))


def _paired(argument: tuple[ast.expr, Value]) -> Value | None:
    """``dict(zip(["a", "b"], values))``: the keys that there may be."""
    node, value = argument
    pair = value.element if isinstance(value, Of) and value.kind is zip else None
    if not isinstance(pair, Of) or pair.items is None or len(pair.items) != 2 or not isinstance(node, ast.Call):
        return None
    keys = node.args[0]
    if not isinstance(keys, ast.List | ast.Tuple) or not all(isinstance(key, ast.Constant) for key in keys.elts):
        return None
    named = tuple(dict.fromkeys(key.value for key in keys.elts if isinstance(key, ast.Constant)))
    return Of(dict, exact=True, items=(pair.items[1],) * len(named), keys=named)


def _listed(value: Value) -> tuple[Value, ...] | None:
    """The items of a list made of a constant string or of another display."""
    single = constant(value)
    if type(single) is str and len(single) <= 200:
        return tuple(Live(letter) for letter in single)
    if isinstance(value, Of) and value.kind in (list, tuple) and constants(value) is not None:
        return value.items
    return None


_MADE: dict[str, Callable[[Invocation], Value]] = {
    "range": lambda call: Of(range, exact=True, items=_counted(call)),
    "StringIO": inline_data.text_file,
}


def _counted(call: Invocation) -> tuple[Value, ...] | None:
    ends = [end for _, value in call.positional if type(end := constant(value)) is int]
    if call.stars or not 0 < len(ends) == len(call.positional) <= 3 or 0 in ends[2:]:
        return None
    numbers = range(*ends)
    return tuple(map(Live, numbers)) if 0 < len(numbers) <= FEW_NUMBERS else None


FEW_NUMBERS = 30
"""A comprehension over a longer range is not gone through number by number."""


def _makes_names(run: Run, name: str, call: Invocation) -> None:
    if name == "setattr":
        attribute = call.constant("name", 1)
        if type(attribute) is str:
            run.stored.add(attribute)
        elif attribute is NO_CONSTANT and call.positional:
            run.trusts_nothing = True
    elif name in {"exec", "globals", "locals", "vars"}:
        run.open_names = True
        run.trusts_nothing = run.trusts_nothing or name == "exec"


def _is_instance(value: Value, kinds: Value) -> bool | None:
    """True if a value is of a class or of one of several; None where it can't be known."""
    given = kinds.items if isinstance(kinds, Of) and kinds.kind is tuple else (kinds,)
    classes = [one.thing for one in given or () if isinstance(one, Live)]
    if not classes or len(classes) < len(given or ()):
        return None
    answers = {_is_one(option, kind) for option in alternatives(value) for kind in classes}
    if len(alternatives(value)) == 1 and True in answers:
        return True
    return answers.pop() if len(answers) == 1 else None


def _is_one(value: Value, kind: object) -> bool | None:
    own = value.kind if isinstance(value, Of) else type(value.thing) if isinstance(value, Live) else None
    if (
        own is None
        or not static_lookup.is_class(kind)
        or not (type(kind) is type and static_lookup.is_plain_class(own))
    ):
        return None
    if kind in static_lookup.mro(own):
        return True
    return False if frame_columns.is_frame(own) or frame_columns.is_series(own) or own in _PLAIN else None


_PLAIN = (str, int, float, bool, bytes, list, tuple, dict, set, type(None))
