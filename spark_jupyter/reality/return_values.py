"""Results of calls, without making them.

Order of trust: the class that is called; the tables here; the return annotation (:mod:`~spark_jupyter.reality.return_annotations`); the
stub (:mod:`~spark_jupyter.reality.stubs`); the "Returns" section of the docstring (:mod:`~spark_jupyter.reality.numpydoc`). What does
not name a class for certain is unknown.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterable

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality.abstract_values import UNKNOWN, Of, Unknown, Value, alternatives, guess, is_guess, options_of
from spark_jupyter.reality.class_names import array, is_subclassed_data, numpy_class, pandas_class
from spark_jupyter.reality.numpydoc import documented
from spark_jupyter.reality.return_annotations import annotation_of
from spark_jupyter.reality.signatures import home_of
from spark_jupyter.reality.static_lookup import class_module, class_name, in_class, is_class, plain_function
from spark_jupyter.reality.stubs import returned

_BUILTIN_RETURNS: dict[type, dict[str, type]] = {
    str: {
        **dict.fromkeys(
            "capitalize casefold center expandtabs format format_map join ljust lower lstrip removeprefix removesuffix replace "
            "rjust rstrip strip swapcase title translate upper zfill".split(),
            str,
        ),
        **dict.fromkeys("split rsplit splitlines".split(), list),
        **dict.fromkeys("partition rpartition".split(), tuple),
        **dict.fromkeys("count find index rfind rindex".split(), int),
        **dict.fromkeys("startswith endswith isalpha isdigit isupper islower isspace isnumeric".split(), bool),
        "encode": bytes,
    },
    bytes: {"decode": str, "split": list, "hex": str, "strip": bytes, "replace": bytes},
    list: {
        **dict.fromkeys("append extend insert remove reverse sort clear".split(), type(None)),
        **dict.fromkeys("count index".split(), int),
        "copy": list,
    },
    dict: {
        "copy": dict,
        "items": type({}.items()),
        "keys": type({}.keys()),
        "values": type({}.values()),
        "update": type(None),
    },
    set: {
        **dict.fromkeys("add clear discard remove update".split(), type(None)),
        **dict.fromkeys("union intersection difference symmetric_difference copy".split(), set),
    },
    tuple: {"count": int, "index": int},
    int: {"bit_length": int, "to_bytes": bytes},
    float: {"is_integer": bool, "hex": str, "as_integer_ratio": tuple},
}
_FUNCTION_RETURNS: dict[object, type] = {
    len: int, sorted: list, repr: str, input: str, print: type(None), dir: list, ord: int, chr: str, hex: str, bin: str,
    isinstance: bool, callable: bool, hasattr: bool, all: bool, any: bool, id: int, hash: int, format: str,
}  # fmt: skip
_ARRAY_METHODS_GIVING_NONE = frozenset("sort fill put resize setflags partition setfield tofile dump".split())
_NO_ARRAY_METHODS = {"tolist": None, "item": None, "view": None, "tobytes": bytes, "dumps": bytes, "nonzero": tuple}


def result(function: object, receiver: Value | None, *, keywords: Iterable[str] = (), name: str = "") -> Value:
    """The value of a call. ``receiver`` is what a method is called on."""
    if is_class(function):
        return Of(function, exact=is_exact(function))
    try:
        special = _special(function, receiver, name)
    except TypeError:  # an object that can't be a key
        special = None
    if special is not None:
        return guess(special) if is_guess(receiver) else special
    if is_subclassed_data(receiver):
        value = _by_text(function, receiver, tuple(keywords))
        of_pandas = any(class_module(one.kind).startswith("pandas") for one in options_of(value))
        return UNKNOWN if of_pandas else value
    if receiver is not None and _is_delegating(receiver):
        return _of_moments(receiver, name)
    if "size" in keywords and _draws(receiver):
        return array()
    if class_name(type(function)) in {"nb_method", "nb_func"}:
        return _native(function)
    return _by_text(function, receiver, tuple(keywords))


def _by_text(function: object, receiver: Value | None, keywords: tuple[str, ...]) -> Value:
    """The result by the function's annotation, else by its stub, else by its docstring."""
    plain = plain_function(function)
    annotated = annotation_of(plain, receiver, keywords)
    value = guess(annotated) if is_guess(receiver) else annotated
    if isinstance(value, Unknown):
        value = returned(plain, receiver)
    if isinstance(value, Unknown):
        value = documented(plain, receiver, keywords)
    of_axes = home_of(plain).startswith("pandas.plotting") and any(
        one.kind is numpy_class("ndarray") for one in options_of(value)
    )
    return UNKNOWN if of_axes else value  # an array of Axes, not of numbers


def _native(function: object) -> Value:
    """The result by a nanobind function's docstring, whose first line is ``execute(self, …) -> _duckdb.DuckDBPyConnection``."""
    text = getattr(function, "__doc__", None)
    found = re.search(r"-> ([\w.]+)\.(\w+)$", text.partition("\n")[0]) if type(text) is str else None
    made = loaded_class(found[1], found[2]) if found is not None else None
    return Of(made) if made is not None else UNKNOWN


_NO_SERIES = frozenset({"isocalendar", "to_pydatetime", "to_pytimedelta"})


def _of_moments(receiver: Value, name: str) -> Value:
    """A method of ``.dt`` gives a Series of its results (pandas' user guide, ".dt accessor"), but for a few: a table, objects."""
    kinds = [class_name(one.kind) for one in alternatives(receiver) if isinstance(one, Of)]
    series = pandas_class("Series")
    dated = all(kind.endswith("Properties") for kind in kinds)
    return Of(series) if series is not None and dated and name not in _NO_SERIES else UNKNOWN


def _draws(receiver: Value | None) -> bool:
    """True for numpy's random generators, which were asked for an array of a ``size``."""
    return isinstance(receiver, Of) and class_module(receiver.kind).startswith("numpy.random")


def is_exact(kind: type) -> bool:
    """True if calling the class gives an instance of exactly it: nothing in its bases makes another choice."""
    new = plain_function(in_class(kind, "__new__"))
    return type(new) is not types.FunctionType and class_module(kind).partition(".")[0] not in {"pandas", "pathlib"}


def _special(function: object, receiver: Value | None, name: str) -> Value | None:
    if type(function) in (types.BuiltinFunctionType, types.FunctionType) and function in _FUNCTION_RETURNS:
        return Of(_FUNCTION_RETURNS[function], exact=True)
    owner = getattr(function, "__objclass__", None) if type(function) is types.MethodDescriptorType else None
    if owner in _BUILTIN_RETURNS:
        kind = _BUILTIN_RETURNS[owner].get(name)
        element = Of(owner, exact=True) if kind is list and owner in (str, bytes) else None
        return Of(kind, exact=True, element=element) if kind is not None else UNKNOWN
    if owner is not None and owner in (numpy_class("ndarray"), numpy_class("generic")):
        of_objects = isinstance(receiver, Of) and bool(receiver.items)
        return UNKNOWN if of_objects else _array_method(name)
    ufunc = numpy_class("ufunc")
    if ufunc is not None and type(function) is ufunc:
        return array() if function.nout == 1 else UNKNOWN  # type: ignore[attr-defined]
    return None


def _array_method(name: str) -> Value:
    if name in _ARRAY_METHODS_GIVING_NONE:
        return Of(type(None), exact=True)
    if name in _NO_ARRAY_METHODS:
        kind = _NO_ARRAY_METHODS[name]
        if name == "nonzero":
            return Of(tuple, element=array())
        return UNKNOWN if kind is None else Of(kind)
    return array()


def _is_delegating(receiver: Value) -> bool:
    """True if a value is an accessor of pandas' that passes on to another class, like ``.dt`` and ``.cat``: what it says of itself is that
    class's. ``.plot`` says that ``bar`` and the like give a ``PlotAccessor`` (pandas 3); they give Axes, or an array of them."""
    kinds = [class_name(option.kind) for option in alternatives(receiver) if isinstance(option, Of)]
    return any(name in ("CategoricalAccessor", "PlotAccessor") or name.endswith("Properties") for name in kinds)
