"""Check of call arguments against signatures.

Keywords that a signature lacks, and arguments that are too many or missing.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import partial

from spark_jupyter.protocol.values import Severity
from spark_jupyter.reality import edited_modules, findings, keywords, removed_names, signatures, stubs
from spark_jupyter.reality.abstract_values import Invocation
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.source_definitions import Written
from spark_jupyter.reality.static_lookup import root

Text = Callable[[], str]
"""A signature as text, made only where it is shown."""


def check_signature(
    run: Run,
    thing: object,
    name: str,
    call: Invocation,
    *,
    skip: int,
    owner: object = None,
    certain: bool = True,
) -> None:
    """Report keywords that a signature refuses, and arguments that are too many or missing. Where it is not ``certain`` that this is
    what is called, and of keywords that only a docstring tells, it warns."""
    if run.quiet:
        return
    severity: Severity = "block" if certain else "warn"
    found, library = signatures.signature(thing), root(signatures.home_of(thing))
    known = _extra_keywords(thing, owner, name, call) if found is None or _is_open(found) else None
    if found is None:
        if known is not None:
            _check_keywords(run, name, list(known), str, call, severity, library=library)
        return
    if edited_modules.takes_others(thing, found.parameters):
        return
    parameters = list(found.parameters.values())
    if skip and parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        parameters = parameters[skip:]
    by_name = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    text = partial(signatures.signature_text, thing, name, skip=len(found.parameters) - len(parameters))
    if known is not None or not _is_open(found):
        _check_keywords(
            run,
            name,
            [*by_name, *(known or ())],
            text,
            call,
            "warn" if known is not None else severity,
            library=library,
        )
    if call.stars or signatures.decides_itself(thing):
        return
    if not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        most = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
        _check_count(run, name, most, text, call, severity)
    _check_required(run, name, parameters, text, call, severity)


def _is_open(signature: inspect.Signature) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())


_OF_REDUCTIONS = ("numeric_only", "min_count", "skipna", "ddof", "q", "interpolation", "engine", "engine_kwargs")
"""Keywords of the methods of groups that a pivot table names (pandas' docstrings of DataFrameGroupBy's reductions)."""
_REDUCING = frozenset("sum prod mean median min max std var sem skew kurt any all cumsum cumprod cummin cummax".split())
_IGNORED = "have no effect but might be accepted"
_OF_NUMPY = ("axis", "dtype", "out", "keepdims", "initial", "where")
"""Keywords that pandas' reductions accept and ignore (``pandas.compat.numpy.function``); they refuse any other."""
_PASSING_ON = frozenset({"apply", "pipe", "agg", "aggregate", "transform"})
"""Methods that give a function which they are given the keywords that they do not know."""


def _extra_keywords(thing: object, owner: object, name: str, call: Invocation) -> tuple[str, ...] | None:
    """The keywords that ``**kwargs`` stands for, where it is known; None where it is not."""
    shapes = signatures.distribution_shapes(owner, name)
    if shapes is not None:
        return (*shapes, "loc", "scale", "size", "random_state", "moments", "confidence")
    if thing in (json.dumps, json.dump) and "cls" not in call.keywords:
        encoder = signatures.signature(json.JSONEncoder)
        return tuple(encoder.parameters) if encoder is not None else None
    text = getattr(thing, "__doc__", None) or ""
    if name in _REDUCING and _IGNORED in text and root(signatures.home_of(thing)) == "pandas":
        return _OF_NUMPY
    if name == "pivot_table" and type(call.constant("aggfunc", None, "mean")) is str:
        return _OF_REDUCTIONS
    function = call.positional[0][1] if call.positional else None
    if name in _PASSING_ON and isinstance(function, Written):
        return None if function.allows_any else function.parameters
    return signatures.documented_keywords(thing) or keywords.passed_on(thing, call) or stubs.parameters(thing)


def _check_keywords(
    run: Run, name: str, known: list[str], text: Text, call: Invocation, severity: Severity, *, library: str = ""
) -> None:
    for keyword, place in call.places.items():
        if keyword not in known:
            close = findings.nearest(keyword, known)
            remedy = removed_names.keyword(library, name, keyword) or findings.did_you_mean(close)
            if own := text():
                remedy = f"{remedy} Its signature: `{own}`.".strip()
            message = f"`{name}()` takes no keyword argument `{keyword}`."
            run.say(Rule.UNKNOWN_KEYWORD, message, place, remedy=remedy, severity=severity, wrong=keyword, meant=close)


def _check_required(
    run: Run, name: str, parameters: list[inspect.Parameter], text: Text, call: Invocation, severity: Severity
) -> None:
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = [*positional[len(call.positional) :], *(p for p in parameters if p.kind is p.KEYWORD_ONLY)]
    needed = [p.name for p in rest if p.default is p.empty and p.name not in call.keywords]
    if {"default", "annotation"} <= set(needed):
        return  # inspect's own classes, whose default it is to have no default
    if needed and call.keywords.keys() <= {p.name for p in parameters}:
        message = f"`{name}()` needs {', '.join(f'`{n}`' for n in needed)}, which the call does not give."
        remedy = f"Its signature: `{own}`." if (own := text()) else ""
        run.say(Rule.MISSING_ARGUMENT, message, call.node, remedy=remedy, severity=severity)


def _check_count(run: Run, name: str, most: int, text: Text, call: Invocation, severity: Severity) -> None:
    given = len(call.positional)
    if given > most:
        message = f"`{name}()` takes at most {most} positional arguments, and {given} are given."
        remedy = f"Its signature: `{own}`." if (own := text()) else ""
        run.say(Rule.TOO_MANY_ARGUMENTS, message, call.node, remedy=remedy, severity=severity)


def _written_text(function: Written) -> str:
    return f"{function.name}({', '.join(function.parameters)})"


def check_written(run: Run, function: Written, call: Invocation) -> None:
    text = partial(_written_text, function)
    if not function.allows_any:
        _check_keywords(run, function.name, list(function.parameters), text, call, "block")
    if function.positional is not None and not call.stars:
        _check_count(run, function.name, function.positional, text, call, "block")
