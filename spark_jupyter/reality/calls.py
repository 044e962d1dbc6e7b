"""Calls: signature check, named columns and result."""

from __future__ import annotations

import enum
import re
import sys
import types
from functools import partial
from io import StringIO

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality import (
    builtin_calls,
    callbacks,
    column_values,
    constant_texts,
    dict_keys,
    duckdb_calls,
    estimators,
    file_reads,
    frame_columns,
    frame_results,
    inline_data,
    kernel_effects,
    lazy_frames,
    literal_arguments,
    named_columns,
    pandas_calls,
    polars_frames,
    removed_names,
    rows,
    signatures,
    static_lookup,
    subplots,
)
from spark_jupyter.reality.abstract_values import (
    UNKNOWN,
    Bound,
    Invocation,
    Live,
    Of,
    Table,
    Unknown,
    Value,
    alternatives,
    either,
    guess,
    is_guess,
    options_of,
)
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.class_names import is_subclassed_data, numpy_class
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.operators import fresh, is_vector
from spark_jupyter.reality.return_values import result
from spark_jupyter.reality.signature_check import check_signature, check_written
from spark_jupyter.reality.source_definitions import Instance, Written, WrittenClass
from spark_jupyter.reality.static_lookup import class_module, class_name


def value_of_call(run: Run, function: Value, call: Invocation) -> Value:
    """Check a call and say what it gives."""
    kernel_effects.note(run, function, call)
    receiver = function.receiver if isinstance(function, Bound) else None
    file_reads.note_given(run, _name_called(function), receiver, call)
    if isinstance(function, Unknown):
        frame_columns.may_change(call)
        return UNKNOWN
    options = list(alternatives(function))
    if len(options) == 1:
        return _one_call(run, options[0], call)
    agreed = not all(map(_is_of_numpy, options))
    return run.for_each(options, lambda option: _one_call(run, option, call), agreed=agreed)


def _is_of_numpy(function: Value) -> bool:
    """True if this is a method of numpy's arrays or scalars, which stand for one value and share their signatures. Of others that a name
    may stand for one may be right."""
    receivers = options_of(function.receiver) if isinstance(function, Bound) else ()
    return any(static_lookup.root(class_module(one.kind)) == "numpy" for one in receivers)


def _one_call(run: Run, function: Value, call: Invocation) -> Value:
    if isinstance(function, Written):
        check_written(run, function, call)
        if function.enter is not None:
            return function.enter(call)
        frame_columns.may_change(call)
        return UNKNOWN
    if isinstance(function, WrittenClass):
        return UNKNOWN if function.enumeration is not None else _instance(run, function, call)
    if isinstance(function, Bound):
        return _method(run, function, call)
    if isinstance(function, Of):
        method = static_lookup.in_class(function.kind, "__call__")
        known = type(method) is types.FunctionType and static_lookup.is_trusted(function.kind)
        return _method(run, Bound(method, function, class_name(function.kind)), call) if known else UNKNOWN
    if not isinstance(function, Live):
        return UNKNOWN
    thing = function.thing
    if type(thing) is types.MethodType:
        if not signatures.is_function(thing.__func__):
            return UNKNOWN
        return _method(
            run, Bound(thing.__func__, frame_columns.live_value(thing.__self__), thing.__func__.__name__), call
        )
    if static_lookup.is_module(thing):
        return UNKNOWN
    if not static_lookup.is_class(thing) and not signatures.is_function(thing):
        method = static_lookup.in_class(type(thing), "__call__")
        if type(method) is types.FunctionType:
            return _method(run, Bound(method, function, class_name(type(thing))), call)
        return UNKNOWN
    return _function(run, thing, call)


def _instance(run: Run, kind: WrittenClass, call: Invocation) -> Value:
    """A new instance, gone through its ``__init__``."""
    made = Instance(kind)
    start = kind.members.get("__init__")
    if isinstance(start, Written):
        value_of_call(run, start.on(made), call)
    elif start is not None or call.positional or call.keywords or call.stars:
        made.forget()
        frame_columns.may_change(call)
    return made


_LOOKING = frozenset({"pandas", "polars", "numpy", "seaborn", "plotly", "matplotlib", "sklearn", "scipy"})
_ASKING = frozenset({"len", "print", "isinstance", "type", "repr", "str", "id", "display"})
"""Functions that give nothing out of a list or dict that they are given."""


def _function(run: Run, thing: object, call: Invocation) -> Value:
    name = _name_of(thing)
    home = static_lookup.root(signatures.home_of(thing))
    known = _of_what_it_is_given(thing, home, name, call)
    if known is not None:
        return known
    if home not in _LOOKING | lazy_frames.PACKAGES and name not in _ASKING:
        for _, value in [*call.positional, *call.keywords.values()]:
            frame_columns.let_go(value)
    file_reads.check(run, home, name, call)
    check_signature(run, thing, name, call, skip=0)
    literal_arguments.check(run, thing, name, call)
    if home in {"builtins", "posix"} or home in sys.builtin_module_names:
        special = builtin_calls.value_of(run, name, call)
        if special is not None:
            return special
    _deprecated(run, thing, name, call)
    if home in {"seaborn", "plotly"}:
        for node, column, table in named_columns.plot_columns(call, home):
            run.absent_columns([(node, column)], table)
    elif home not in static_lookup.TRUSTED | lazy_frames.PACKAGES:
        frame_columns.may_change(call)
    if home == "sklearn" and name in {"set_config", "config_context"}:
        run.pandas_output = True
    made = _library_function(run, home, thing, name, call)
    if made is not None:
        return made
    value = result(thing, None, keywords=_asked(call), name=name)
    if home == "sklearn":
        return estimators.made(run, thing, name, call, value)
    return _of_arrays(run, home, thing, name, call, value)


def _of_what_it_is_given(thing: object, home: str, name: str, call: Invocation) -> Value | None:
    """The result of functions and classes of the standard library that only combine their arguments."""
    if name == "reduce" and home == "_functools":
        return callbacks.reduced(call)
    if issubclass(type(thing), enum.EnumMeta) and not static_lookup.members_of(thing):  # type: ignore[arg-type]
        return UNKNOWN  # a new enumeration
    if dict_keys.is_asdict(thing) and len(call.positional) == 1:
        return dict_keys.of_instance(call.positional[0][1])
    return None


def _of_arrays(run: Run, home: str, thing: object, name: str, call: Invocation, value: Value) -> Value:
    if home == "matplotlib" and name == "gca" and not (_PROJECTIONS | {"3d"}) & run.mentioned:
        return guess(value)
    if home == "matplotlib" and ("gca" in name or not _PROJECTIONS.isdisjoint(call.keywords)):
        return UNKNOWN  # axes of a projection have more methods, of classes that may not be loaded yet
    return _of_numpy(thing, name, call, value) if home == "numpy" else value


_TRANSFORMS = frozenset({"transform", "fit_transform", "inverse_transform"})


def _of_estimator(run: Run, name: str, value: Value) -> Value:
    """Transformers give arrays, sparse matrices for sparse input, and DataFrames if ``set_output`` says so."""
    if name == "set_output":
        run.pandas_output = True
    if name not in _TRANSFORMS or isinstance(value, Unknown):
        return value
    kind = loaded_class("scipy.sparse", "csr_matrix")
    if run.pandas_output or kind is None:
        return UNKNOWN
    return either([value, Of(kind)])


_PROJECTIONS = frozenset({"projection", "polar", "subplot_kw"})


def _holds_objects(value: Value) -> bool:
    """True if an array made of this may hold objects that are no numbers or texts."""
    if isinstance(value, Of) and value.kind in (list, tuple):
        within = (value.element,) if value.items is None else value.items
        return any(one is None or isinstance(one, Unknown) or _holds_objects(one) for one in within)
    if isinstance(value, Of) and value.kind is numpy_class("ndarray") and value.items:
        return True
    if not isinstance(value, Of | Live):
        return isinstance(value, Instance)
    kind = value.kind if isinstance(value, Of) else type(value.thing)
    home = static_lookup.root(class_module(kind))
    if home == "pandas":  # a Timestamp is an object
        return not (frame_columns.is_frame(kind) or frame_columns.is_series(kind) or class_name(kind).endswith("Index"))
    return home not in {"builtins", "numpy", "polars"}


def _of_numpy(thing: object, name: str, call: Invocation, value: Value) -> Value:
    """numpy's functions of one element, and those that call a method of their argument, give pandas for pandas."""
    given = [argument for _, argument in call.positional]
    made = name in {"array", "asarray", "asanyarray"} and signatures.home_of(thing) == "numpy"  # not numpy.ma's
    holding = any(map(_holds_objects, given)) and not static_lookup.is_class(thing)
    if holding or (made and any(isinstance(one, Unknown) for one in given)):
        return subplots.array_of(UNKNOWN) if made else UNKNOWN
    held, kind = column_values.of_choice(name, call), numpy_class("ndarray")
    if held is not None and kind is not None:
        return Of(kind, table=Table(None, levels=None, held=held))
    passes_on = (
        type(thing) is numpy_class("ufunc")
        or static_lookup.in_class(numpy_class("ndarray") or object, name) is not static_lookup.MISSING
    )
    if not passes_on or static_lookup.is_class(thing):
        return value
    if type(thing) is numpy_class("ufunc") and len(call.positional) == 1 and is_vector(call.positional[0][1]):
        return fresh(call.positional[0][1])
    for _, argument in call.positional[:2]:
        if isinstance(argument, Unknown):
            return UNKNOWN
        if any(static_lookup.root(class_module(option.kind)) == "pandas" for option in options_of(argument)):
            return UNKNOWN
    return value


def _library_function(run: Run, home: str, thing: object, name: str, call: Invocation) -> Value | None:
    """The result of a library's function, where more is known than its annotation says."""
    if home == "pandas" and any(is_subclassed_data(value) for _, value in [*call.positional, *call.keywords.values()]):
        return UNKNOWN
    if home == "matplotlib" and name == "subplots":
        return subplots.subplots(call, with_figure=True)
    if home == "polars" or (home == "dask" and name == "concat"):
        return polars_frames.made(name, call)
    if home == "collections" and name == "defaultdict":
        return dict_keys.new_default(call)
    if home == "json" and name == "loads":
        return inline_data.loaded(call)
    if home == "re" and name in {"sub", "escape"} and type(call.constant("pattern", 0)) is str:
        return Of(str, exact=True)
    if home in {"functools", "_functools"} and name == "partial":
        _check_partial(run, call)
    if home in duckdb_calls.DUCKDB:
        return duckdb_calls.queried(run, thing, None, name, call)
    return pandas_calls.of_function(run, thing, name, call) if home == "pandas" else None


def _check_partial(run: Run, call: Invocation) -> None:
    """``partial(f, rate=2)`` of a function of the cell, which will be given these keywords."""
    function = call.positional[0][1] if call.positional else UNKNOWN
    if isinstance(function, Written):
        check_written(run, function, Invocation(call.node, [], call.keywords, stars=True, places=call.places))


def _deprecated(run: Run, thing: object, name: str, call: Invocation) -> None:
    said = removed_names.notice(thing) if not run.quiet else ""
    if said:
        run.say(Rule.DEPRECATED, f"`{name}()` is deprecated.", call.node, remedy=said, severity="warn")


def _method(run: Run, bound: Bound, call: Invocation) -> Value:
    receiver = bound.receiver
    owner = receiver.thing if isinstance(receiver, Live) else None
    certain = not is_guess(receiver)
    check_signature(run, bound.function, bound.name, call, skip=bound.skip, owner=owner, certain=certain)
    literal_arguments.check(run, bound.function, bound.name, call, receiver, skip=bound.skip)
    _deprecated(run, bound.function, bound.name, call)
    tabled = [option for option in options_of(receiver) if option.table is not None]
    for option in tabled:
        pandas_calls.check_columns(run, option, bound.name, call)
    home = static_lookup.root(signatures.home_of(bound.function)) or static_lookup.root(_owner_of(receiver))
    if home not in static_lookup.TRUSTED | lazy_frames.PACKAGES:
        frame_columns.may_change(call)
    for known in (
        constant_texts.made,
        partial(lazy_frames.value_of, run),
        partial(polars_frames.value_of, run),
        rows.iterated,
        callbacks.entered,
        pandas_calls.of_method,
        _of_plots,
        _of_generator,
        partial(_of_duckdb, run),
    ):
        given = known(bound, call)
        if given is not None:
            return given
    if isinstance(receiver, Of) and (bound.name in _MUTATING or receiver.kind is StringIO):
        _changed(run, receiver, bound.name, call)
    value = result(bound.function, receiver, keywords=_given(bound.function, call), name=bound.name)
    if home == "sklearn":
        estimators.check(run, bound.function, bound.name, call, receiver)
        value = _of_estimator(run, bound.name, value)
    if home == "matplotlib" and (bound.name == "gca" or not _PROJECTIONS.isdisjoint(call.keywords)):
        return UNKNOWN
    if call.constant("inplace", None, False) is True:
        for option in tabled:
            if option.table is not None:
                frame_results.change_in_place(bound.name, option.table, call)
        return UNKNOWN
    if bound.name in {"insert", "update"} and tabled and tabled[0].table is not None:
        frame_results.change_in_place(bound.name, tabled[0].table, call)
    return pandas_calls.with_table(value, bound, call)


def _of_duckdb(run: Run, bound: Bound, call: Invocation) -> Value | None:
    """The result of a method of DuckDB's connections and relations."""
    known = (
        static_lookup.root(signatures.home_of(bound.function)) in duckdb_calls.DUCKDB
        or static_lookup.root(_owner_of(bound.receiver)) in duckdb_calls.DUCKDB
    )
    return duckdb_calls.queried(run, bound.function, bound.receiver, bound.name, call) if known else None


def _of_plots(bound: Bound, call: Invocation) -> Value | None:
    """``figure.subplots(…)``, and its arrays in one dimension."""
    receiver = bound.receiver
    if bound.name == "subplots" and static_lookup.root(_owner_of(receiver)) == "matplotlib":
        return subplots.subplots(call, with_figure=False)
    if isinstance(receiver, Of) and class_name(receiver.kind) == "PlotAccessor":
        return subplots.of_pandas(call)
    of_objects = isinstance(receiver, Of) and receiver.items is not None and receiver.kind is numpy_class("ndarray")
    if isinstance(receiver, Of) and bound.name == "to_numpy" and _owner_of(receiver).startswith("pandas"):
        return subplots.array_of(UNKNOWN)
    return subplots.flattened(receiver) if of_objects and bound.name in {"ravel", "flatten"} else None  # type: ignore[arg-type]


def _of_generator(bound: Bound, call: Invocation) -> Value | None:
    """``generator.permutation(objects)``."""
    drawn = _owner_of(bound.receiver).startswith("numpy.random")
    return UNKNOWN if drawn and any(_holds_objects(argument) for _, argument in call.positional) else None


def _given(function: object, call: Invocation) -> tuple[str, ...]:
    """The names of the parameters that a call gives, by position too where the docstring has the signature: ``normal(0, 1, 50)``."""
    text = getattr(function, "__doc__", None) if class_name(type(function)) == "cython_function_or_method" else None
    listed = re.match(r"\s*\w+\(([^()]*)\)", text) if type(text) is str else None
    names = [part.partition("=")[0].strip() for part in listed[1].split(",")] if listed is not None else []
    return (*_asked(call), *names[: len(call.positional)])


def _asked(call: Invocation) -> tuple[str, ...]:
    """The keywords of a call, those that are switched on or off also with that: ``return_counts=True``."""
    return (
        *call.keywords,
        *(f"{name}={call.constant(name)}" for name in call.keywords if type(call.constant(name)) is bool),
    )


def _changed(run: Run, receiver: Of, method: str, call: Invocation) -> None:
    """A list, dict or set changes in place. A list of which all is known that was ever put in stays known by that."""
    if dict_keys.changed(run, receiver, method, call):
        return
    items = receiver.element or (either(receiver.items) if receiver.items else None)
    is_known = receiver.element is not None or receiver.items is not None
    receiver.forget_items()
    if method == "append" and receiver.kind is list and is_known and len(call.positional) == 1:
        added = call.positional[0][1]
        receiver.element = _known(frame_columns.alike(items, added) if items is not None else added)
    elif method in {"sort", "reverse", "pop", "remove"} and receiver.kind is list and items is not None:
        receiver.element = _known(items)


def _known(value: Value) -> Value | None:
    return None if isinstance(value, Unknown) else value


_MUTATING = frozenset(
    {"append", "extend", "insert", "update", "setdefault", "pop", "clear", "remove", "popitem", "sort", "reverse"}
)


def _name_of(thing: object) -> str:
    name = getattr(thing, "__name__", "") if signatures.is_function(thing) or static_lookup.is_class(thing) else ""
    return name if type(name) is str else ""


def _name_called(function: Value) -> str:
    if isinstance(function, Bound):
        return function.name
    return _name_of(function.thing) if isinstance(function, Live) else ""


def _owner_of(receiver: Value) -> str:
    for option in options_of(receiver):
        return class_module(option.kind)
    return class_module(type(receiver.thing)) if isinstance(receiver, Live) else ""
