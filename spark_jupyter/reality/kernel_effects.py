"""Effects of functions of the kernel on what else is known.

A function that an earlier cell defined, and that the source calls or passes on, may set global names, keys, columns and attributes. Its
bytecode says which, and that of all functions and classes of the kernel that it names; where it doesn't, any may be set.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from functools import partial

from spark_jupyter.reality.abstract_values import UNKNOWN, Bound, Invocation, Live, Of, Value, alternatives, options_of
from spark_jupyter.reality.bytecode import effects_of
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.frame_columns import let_go
from spark_jupyter.reality.static_lookup import (
    class_dict,
    codes_of,
    is_class,
    is_plain_class,
    is_trusted,
    mro,
    plain_function,
)

_AT_MOST = 300
"""Functions that are reached from one call; behind more nothing is looked at."""


def note(run: Run, function: Value, call: Invocation) -> None:
    """Take note of what a call may change: what it calls, and what it is given to be called."""
    given = [function, *(value for _, value in (*call.positional, *call.keywords.values()))]
    for option in (one for value in given for one in alternatives(value)):
        receiver = option.receiver if isinstance(option, Bound) else option
        if isinstance(receiver, Live):
            run.handed_on.add(id(receiver.thing))
    starts = [thing for value in given for thing in _own(run, value)]
    if not starts:
        return
    found = [effects_of(code) for code in _reached(run, starts)]
    is_open = any(effects.is_open for effects in found)
    scope, run.scope = run.scope, run.module
    if is_open or any(effects.sets_items for effects in found):
        run.labels.update(*(effects.texts for effects in found))
        for name in frozenset().union(*(effects.names | effects.texts for effects in found)):
            if name in run.namespace:
                _changed(run, name, is_open=is_open)
    run.stored.update(*(effects.attributes for effects in found))
    for name in (name for effects in found for name in effects.names_set):
        run.store(name, UNKNOWN)
    run.scope = scope


def _changed(run: Run, name: str, *, is_open: bool) -> None:
    """What a global name stands for has other items or columns, of names that are known unless ``is_open``."""
    if is_open:
        run.forget_global(name)
        return
    for option in options_of(run.look_up(name) or UNKNOWN):
        let_go(option)
        if option.table is not None:
            option.table.holds.clear()
        elif option.items is not None and option.keys is not None:
            option.items = (UNKNOWN,) * len(option.keys)
        else:
            option.forget_items()


def _own(run: Run, value: Value) -> Iterator[object]:
    """The functions and classes of the kernel's own cells that a value is, or is a method of."""
    for option in alternatives(value):
        thing: object = None
        if isinstance(option, Live):
            thing = option.thing
            if type(thing) is partial:
                thing = thing.func
            if type(thing) is types.MethodType:
                yield from (part for part in (thing.__func__, type(thing.__self__)) if _is_own(run, part))
                continue
        elif isinstance(option, Bound):
            thing = option.function
            receiver = option.receiver
            kind = (
                receiver.kind
                if isinstance(receiver, Of)
                else type(receiver.thing)
                if isinstance(receiver, Live)
                else None
            )
            if _is_own(run, kind):
                yield kind
        if _is_own(run, thing):
            yield thing
        elif isinstance(option, Live) and not is_class(thing) and _is_own(run, type(thing)):
            yield type(thing)


def _is_own(run: Run, thing: object) -> bool:
    if is_class(thing):
        return (
            is_plain_class(thing)
            and not is_trusted(thing)
            and any(_is_own(run, member) for member in list(class_dict(thing).values()))
        )
    function = plain_function(thing)
    if type(function) is not types.FunctionType:
        return False
    home = function.__globals__.get("__name__")
    return function.__globals__ is run.namespace or (type(home) is str and home == "__main__")


def _reached(run: Run, starts: list[object]) -> list[types.CodeType]:
    """The bytecode of functions, and of all that they may call: own ones that they name, and that their closures hold."""
    waiting, seen, codes = list(starts), {id(one) for one in starts}, []
    while waiting and len(seen) < _AT_MOST:
        for function in map(plain_function, _functions(run, waiting.pop())):
            if type(function) is not types.FunctionType:
                continue
            found = list(codes_of(function))
            codes += found
            named = [run.namespace[name] for code in found for name in code.co_names if name in run.namespace]
            for one in (one for other in [*named, *_enclosed(function)] for one in _own(run, Live(other))):
                if id(one) not in seen:
                    seen.add(id(one))
                    waiting.append(one)
    return codes


def _functions(run: Run, thing: object) -> list[object]:
    if not is_class(thing):
        return [thing]
    return [member for base in mro(thing) if _is_own(run, base) for member in list(class_dict(base).values())]


def _enclosed(function: types.FunctionType) -> Iterator[object]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not given a value yet
            continue
