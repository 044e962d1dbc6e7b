"""Classes by name, as far as they are loaded."""

from __future__ import annotations

import builtins
import functools
import sys
import types

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality.abstract_values import UNKNOWN, Live, Of, Value, alternatives, either
from spark_jupyter.reality.signatures import home_of
from spark_jupyter.reality.static_lookup import (
    CACHED,
    MISSING,
    class_module,
    in_class,
    is_class,
    is_module,
    is_trusted,
    module_dict,
    root,
)

_NOT_KINDS = frozenset(
    {"object", "type", "property", "Any", "Hashable", "Callable", "Iterable", "Iterator", "Sequence", "Mapping"}
)


def numpy_class(name: str) -> type | None:
    return loaded_class("numpy", name)


def pandas_class(name: str) -> type | None:
    return loaded_class("pandas", name)


def series_class(frame: type) -> type | None:
    """The Series of a DataFrame's library."""
    return loaded_class(root(class_module(frame)), "Series")


def frame_class() -> type:
    return pandas_class("DataFrame") or object


def is_bunch(kind: type) -> bool:
    """True for the dicts of scikit-learn's and scipy's results, whose keys are attributes."""
    return issubclass(kind, dict) and is_trusted(kind) and in_class(kind, "__getattr__") is not MISSING


def sibling(kind: type, name: str) -> type | None:
    """A class beside ``kind`` in its module."""
    return loaded_class(class_module(kind), name)


def array() -> Value:
    """A numpy array, or a scalar of numpy's, which has the same methods."""
    kinds = [numpy_class("ndarray"), numpy_class("generic")]
    return either(Of(kind) for kind in kinds if kind is not None) if all(kinds) else UNKNOWN


def number(*kinds: type, numpy_name: str) -> Value:
    """A number of Python's or of numpy's."""
    scalar = numpy_class(numpy_name)
    return either([*(Of(kind, exact=True) for kind in kinds), *([Of(scalar)] if scalar else [])])


def alike(receiver: Value | None) -> Value:
    """Another value of the receiver's kind."""
    if receiver is None:
        return UNKNOWN
    kinds = []
    for option in alternatives(receiver):
        if isinstance(option, Of):
            kinds.append(Of(option.kind, exact=option.exact))
        elif isinstance(option, Live) and not (is_class(option.thing) or is_module(option.thing)):
            kinds.append(Of(type(option.thing)))
        else:
            return UNKNOWN
    return either(kinds)


def is_subclassed_data(value: Value | None) -> bool:
    """True if a value is of a subclass of pandas' data, such as geopandas' frame, or a list or dict of such.

    Its methods, and pandas' functions, are annotated as giving ``DataFrame``; they give what its ``_constructor`` makes.
    """
    data = tuple(kind for kind in (pandas_class("DataFrame"), pandas_class("Series")) if kind is not None)
    for option in alternatives(value) if value is not None else ():
        kind = option.kind if isinstance(option, Of) else type(option.thing) if isinstance(option, Live) else object
        if issubclass(kind, data) and root(class_module(kind)) != "pandas":
            return True
        if isinstance(option, Of) and any(map(is_subclassed_data, (*(option.items or ()), option.element))):
            return True
    return False


def kind_named(name: str, function: object) -> Value:
    """The class that an annotation or a docstring names, as the function's module sees it."""
    kind = _find_kind(name, home_of(function))
    return UNKNOWN if kind is None else Of(kind)


USUAL_ALIASES = {"np": "numpy", "pa": "pyarrow", "pd": "pandas", "pl": "polars", "sp": "scipy"}
"""Modules by the names under which libraries import them for type checkers only."""


def kind_at(path: str, function: object) -> Value:
    """The class at a dotted path in an annotation (``pd.DataFrame``), as the function's module sees it.

    The last name alone would not do: polars' ``to_pandas`` gives a ``pd.DataFrame``, and has a ``DataFrame`` of its own.
    """
    head, *rest = path.split(".")
    home = sys.modules.get(home_of(function))
    found = module_dict(home).get(head) if type(home) is types.ModuleType else None
    if isinstance(found, types.ModuleType):  # polars' stand-in for a library that is imported late knows its name
        found = sys.modules.get(str(module_dict(found).get("__name__")))
    elif found is None:
        found = sys.modules.get(USUAL_ALIASES.get(head, head))
    for name in rest:
        if not is_module(found):
            return UNKNOWN
        found = module_dict(found).get(name)
    if not is_class(found) or not (is_trusted(found) or root(class_module(found)) == root(home_of(function))):
        return UNKNOWN
    return UNKNOWN if in_class(found, "_is_protocol") is True else Of(found)


@functools.lru_cache(CACHED)
def _find_kind(name: str, home: str) -> type | None:
    if name in _NOT_KINDS:
        return None
    module = sys.modules.get(home)
    scope = module_dict(module) if type(module) is types.ModuleType else {}
    found = scope.get(name, builtins.__dict__.get(name))
    if found is None:
        found = anywhere_in(root(home), name)
    if name == "NDArray":
        found = numpy_class("ndarray")
    if not is_class(found) or not (is_trusted(found) or root(class_module(found)) == root(home)):
        return None
    return None if in_class(found, "_is_protocol") is True else found


def anywhere_in(package: str, name: str) -> object:
    """A class of that name that is defined in one module of the package only (imports for type checkers hide it)."""
    found: set[type] = set()
    for module_name, module in sys.modules.copy().items():
        if root(module_name) == package and type(module) is types.ModuleType:
            value = module_dict(module).get(name)
            if is_class(value):
                found.add(value)
    if len(found) > 1:  # matplotlib.text.Text is the Text that is meant
        found = {kind for kind in found if class_module(kind).rpartition(".")[2] == name.lower()}
    return found.pop() if len(found) == 1 else None
