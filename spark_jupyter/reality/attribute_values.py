"""Attributes of abstract values.

A missing one becomes a finding.
"""

from __future__ import annotations

import ast
import enum
import functools
import pathlib
import types

from spark_jupyter.reality import (
    column_accessors,
    estimators,
    frame_columns,
    grouped_results,
    kernel_labels,
    lazy_frames,
    missing_attributes,
    module_lookup,
    relabelling,
    removed_names,
    static_lookup,
    stubs,
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
    options_of,
)
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.class_names import array, is_bunch, is_subclassed_data, numpy_class, pandas_class
from spark_jupyter.reality.mentioned_labels import may_be_label
from spark_jupyter.reality.numpydoc import attribute_of, documented
from spark_jupyter.reality.object_dicts import own_dict
from spark_jupyter.reality.private_texts import is_private
from spark_jupyter.reality.return_annotations import annotation_of
from spark_jupyter.reality.source_definitions import Instance, Role, Written, WrittenClass
from spark_jupyter.reality.static_lookup import MAYBE, MISSING, class_module, class_name

_PLAIN = (str, int, float, bool, bytes, complex, type(None))
_ARRAY_PROPERTIES = frozenset({"T", "real", "imag", "mT"})
_INDEXERS = {"loc": "_LocIndexer", "iloc": "_iLocIndexer", "at": "_AtIndexer", "iat": "_iAtIndexer"}


def attribute(run: Run, value: Value, node: ast.Attribute, *, called: bool = False) -> Value:
    """The value of ``value.name``; reported where it is certainly missing."""
    name = node.attr
    options = alternatives(value)
    of_written = {
        id(option): member
        for option in options
        if isinstance(option, Instance | WrittenClass) and isinstance(node.ctx, ast.Load)
        if (member := _of_written(run, option, name, node)) is not None
    }
    if len(of_written) == len(options):
        return either(of_written.values())
    if isinstance(value, Unknown) or name in run.stored or run.trusts_nothing or not isinstance(node.ctx, ast.Load):
        return UNKNOWN
    found: list[Value] = []
    lacking: list[Value] = []
    for option in options:
        result = of_written.get(id(option)) or _attribute_of(run, option, name, called)
        if result is None:
            lacking.append(option)
        else:
            found.append(result)
    if found:
        return either(found)
    if name in run.labels:
        return UNKNOWN
    missing_attributes.report_missing(run, lacking[0], node, certain=isinstance(value, Live))
    return UNKNOWN


def _attribute_of(run: Run, value: Value, name: str, called: bool) -> Value | None:
    """``value.name``, None where it is missing."""
    if isinstance(value, Live):
        return _of_live(run, value, name)
    if isinstance(value, Of):
        return _of_instance(run, value, name, called)
    if isinstance(value, Instance) or (isinstance(value, WrittenClass) and value.enumeration is not None):
        known = _is_own(name) or hasattr(
            value.made_by.enumeration if isinstance(value, Instance) else value.enumeration, name
        )
        return None if value.closed and not known else UNKNOWN
    if isinstance(value, Bound) and type(value.function) in static_lookup.METHOD_KINDS:
        known = hasattr(types.MethodType, name) or hasattr(types.FunctionType, name)
        if type(value.function) is types.FunctionType:
            known = known or name in value.function.__dict__ or name in dir(types.FunctionType)
        return UNKNOWN if known or name.startswith("_") else None
    return UNKNOWN


def _is_own(name: str) -> bool:
    """True if Python itself gives the attribute to every instance, or the class to itself."""
    return name.startswith("_") or hasattr(type, name)


def _of_written(run: Run, value: Instance | WrittenClass, name: str, node: ast.Attribute) -> Value | None:
    """An attribute of what is made by a class of the cell; None where nothing in it is called so."""
    kind = value.made_by if isinstance(value, Instance) else value
    if isinstance(value, Instance) and name in value.attributes:
        return value.attributes[name]
    member = kind.members.get(name)
    if not isinstance(member, Written) or member.role is Role.STATIC:
        return member
    if member.role is Role.CLASS:
        return member.on(kind)
    if isinstance(value, WrittenClass):
        return member
    bound = member.on(value)
    if member.role is Role.PROPERTY:
        return bound.enter(Invocation.of(node)) if bound.enter is not None else UNKNOWN
    return bound


def _of_live(run: Run, value: Live, name: str) -> Value | None:
    thing = value.thing
    if static_lookup.is_module(thing):
        return _plain_value(module_lookup.on_module(thing, name), run.met, name)
    if static_lookup.is_class(thing):
        return _class_attribute(thing, static_lookup.on_class(thing, name), value, name)
    own = own_dict(thing)
    if own is None:
        return UNKNOWN
    if name in own:
        return _plain_value(own[name], run.met, name)
    kind = type(thing)
    if issubclass(kind, pathlib.PurePath) and class_module(kind).startswith("pathlib") and name in _PARTS_OF_PATHS:
        return Live(getattr(thing, name))
    is_known = not name.startswith("_") and id(thing) not in run.handed_on and kind is not types.FunctionType
    found = static_lookup.on_instance(kind, name, exact=True, is_known=is_known)
    if found is MISSING and kind is types.FunctionType:
        found = MAYBE if name.startswith("_") else MISSING
    return _instance_attribute(found, value, name)


def _of_instance(run: Run, value: Of, name: str, called: bool) -> Value | None:
    kind = value.kind
    if value.keys is not None and (is_bunch(kind) or class_name(kind) == "Pipeline"):
        known = estimators.part(value, name)
        if known is not None or is_bunch(kind):
            return known
    if value.element is not None and name in {"best_estimator_", "estimator"}:
        return value.element
    if frame_columns.is_frame(kind) or frame_columns.is_series(kind) or frame_columns.is_grouped(kind):
        if column_accessors.refused(run, value, name):
            return None
        special = _labelled(run, value, name, called)
        if special is not None:
            return special
        if static_lookup.in_class(kind, name) is MISSING:
            return None if not name.startswith("_") else UNKNOWN
    elif (
        (grouped_results.is_of_groups(kind) or lazy_frames.is_column(kind))
        and static_lookup.in_class(kind, name) is MISSING
        and called
    ):
        return None
    elif (
        (frame_columns.is_lazy(kind) or lazy_frames.is_groups(kind))
        and not frame_columns.is_relation(kind)
        and static_lookup.in_class(kind, name) is MISSING
    ):
        return lazy_frames.attribute(value, name)
    elif frame_columns.is_relation(kind) and static_lookup.in_class(kind, name) is MISSING and not name.startswith("_"):
        lacks = called or (value.table is not None and not value.table.has(name))
        return None if lacks else UNKNOWN
    found = static_lookup.on_instance(kind, name, exact=value.exact)
    return _instance_attribute(found, value, name)


def _labelled(run: Run, value: Of, name: str, called: bool) -> Value | None:
    """An attribute of a DataFrame, a Series or a GroupBy that is no member of the class; None goes on with the class."""
    kind, table = value.kind, value.table
    if static_lookup.in_class(kind, name) is not MISSING:
        return _frame_member(value, name)
    if any(name in (own_dict(thing) or ()) for thing, _ in run.met.values()):  # ``df.source = "a.csv"``
        return UNKNOWN
    if class_module(kind).startswith("polars"):
        return None
    if table is not None and table.columns is not None:
        if name not in table.columns:
            return None
        if frame_columns.is_grouped(kind):
            return grouped_results.column_of(value, name)
        return frame_columns.column_of(value, name) if not frame_columns.is_series(kind) else UNKNOWN
    # labels that can't be seen: they are read rather than called, and come from somewhere: a file, the source, objects of the kernel
    may_be = run.outside_data or may_be_label(name, run.mentioned, run.patterns) or not _is_slip(run, kind, name)
    return None if called or not may_be else UNKNOWN


def _is_slip(run: Run, kind: type, name: str) -> bool:
    """True if a name that could be a label is a misspelt or removed member, or a misspelt label of the kernel."""
    if any(table.table is None or table.table.has(name) for _, table in run.met.values()):
        return False
    plain = name.lower().replace("_", "").rstrip("s")
    slips = len(plain) > 2 and any(
        plain == member.lower().replace("_", "").rstrip("s") for member in static_lookup.names_of(kind)
    )
    slips = slips or name in _ACCESSORS or bool(removed_names.name("pandas", name))
    return slips or kernel_labels.is_misspelt(run.namespace, name)


_ACCESSORS = frozenset({"string", "strings", "date_time", "datetimes", "categorical"})
"""Names written by mistake for ``.str``, ``.dt`` and ``.cat``."""


def _frame_member(value: Of, name: str) -> Value | None:
    kind = value.kind
    if name in _INDEXERS and not frame_columns.is_grouped(kind):
        indexer = static_lookup.in_class(kind, name)
        found = static_lookup.loaded("pandas.core.indexing", _INDEXERS[name])
        if indexer is not MISSING and static_lookup.is_class(found) and frame_columns.is_frame(kind):
            return Of(found, exact=True, table=value.table or Table(None, levels=None))
        labelled = frame_columns.is_series(kind) and name in {"loc", "at"} and value.table is not None
        if labelled and static_lookup.is_class(found):
            return Of(found, exact=True, table=value.table, element=value)
        return UNKNOWN
    if (name == "columns" and frame_columns.is_frame(kind)) or name == "index":
        index, known = pandas_class("Index"), value.table if name == "columns" else None
        labels = Table(known.columns, levels=None) if known is not None and known.columns is not None else None
        return Of(index, table=labels) if index is not None else UNKNOWN
    if name == "values":
        return subplots.array_of(UNKNOWN) if frame_columns.is_frame(kind) else UNKNOWN
    if name == "T" and frame_columns.is_frame(kind):
        of_pandas = value.table is not None and not class_module(kind).startswith("polars")
        return Of(kind, table=relabelling.turned(value.table) if of_pandas and value.table is not None else None)
    if name == "T" and frame_columns.is_series(kind):
        return value
    return None


def _instance_attribute(found: object, receiver: Value, name: str) -> Value | None:
    """A looked-up attribute of an instance, bound to it."""
    if found is MISSING:
        return None
    kind = type(found)
    if found is MAYBE:
        return _described(receiver, name)
    if not static_lookup.is_plain_class(kind):
        return UNKNOWN
    if kind in static_lookup.METHOD_KINDS or class_name(kind) in {"cython_function_or_method", "nb_method"}:
        return Bound(found, receiver, name)
    if kind is staticmethod:
        return Bound(found.__func__, receiver, name, skip=0)  # type: ignore[attr-defined]
    if kind is classmethod:
        return Bound(found.__func__, receiver, name)  # type: ignore[attr-defined]
    if kind is property or kind is functools.cached_property:
        if isinstance(receiver, Of) and class_module(receiver.kind).partition(".")[0] == "pathlib":
            return _of_path(receiver, name)
        return _of_property(found, receiver, name)
    if class_name(kind) == "_AvailableIfDescriptor":
        return Bound(static_lookup.plain_function(found), receiver, name)
    if class_name(kind) in {"CachedAccessor", "Accessor"} and class_module(kind).startswith("pandas"):
        return _accessor(getattr(found, "_accessor", None), receiver)
    if kind in (types.GetSetDescriptorType, types.MemberDescriptorType):
        return _of_slot(found, receiver, name)
    return _plain_or_class(found, name)


def _described(receiver: Value, name: str) -> Value:
    """An attribute that only instances have: as the class's docstring (of what fitting sets) or its stub says."""
    if not isinstance(receiver, Of):
        return UNKNOWN
    known = stubs.attribute(receiver.kind, name) if not name.endswith("_") else UNKNOWN
    return known if not isinstance(known, Unknown) else attribute_of(receiver.kind, name)


def _of_slot(found: object, receiver: Value, name: str) -> Value:
    """An attribute that a class written in C keeps: of arrays as numpy's documentation says, else as the stub does."""
    if name in {"flat", "T"} and isinstance(receiver, Of) and receiver.items:
        return subplots.flattened(receiver) if name == "flat" else UNKNOWN
    owner = found.__objclass__  # type: ignore[attr-defined]
    if owner in (numpy_class("ndarray"), numpy_class("generic")):
        return array() if name in _ARRAY_PROPERTIES else _getset(owner, name)
    return stubs.attribute(receiver.kind, name) if isinstance(receiver, Of) else UNKNOWN


def _accessor(kind: object, receiver: Value) -> Value:
    """``frame.plot`` and ``series.str``, which know whose they are."""
    if not static_lookup.is_class(kind):
        return UNKNOWN
    owner = next(options_of(receiver), None)
    if owner is None or class_name(kind) not in {"PlotAccessor", "StringMethods"}:
        return Of(kind)
    if class_name(kind) == "PlotAccessor":
        return Of(kind, table=owner.table if frame_columns.is_frame(owner.kind) else None)
    known = owner.table or Table(None, levels=None)
    if class_name(owner.kind) == "Index":
        known = known.copy()
        known.of_labels = True
        return Of(kind, table=known)
    return Of(kind, table=known if frame_columns.is_series(owner.kind) else None)


def _plain_value(found: object, met: frame_columns.Tables, name: str) -> Value | None:
    """An attribute of a module or of an instance's own, as a value."""
    if found is MISSING:
        return None
    if found is MAYBE:
        return UNKNOWN
    return frame_columns.live_value(found, met, name=name)


def _plain_or_class(found: object, name: str) -> Value:
    known = type(found) in _PLAIN or static_lookup.is_class(found)
    return Live(found) if known and not is_private(name, found) else UNKNOWN


def _class_attribute(kind: type, found: object, receiver: Value, name: str) -> Value | None:
    if found is MISSING:
        return None
    if found is MAYBE:
        return UNKNOWN
    if type(kind) is enum.EnumMeta and name in static_lookup.members_of(kind):
        return Live(static_lookup.members_of(kind)[name])
    sort = type(found)
    if not static_lookup.is_plain_class(sort):
        return UNKNOWN
    if sort is staticmethod:
        return Bound(found.__func__, receiver, name, skip=0)  # type: ignore[attr-defined]
    if sort is classmethod:
        return Bound(found.__func__, Of(kind), name)  # type: ignore[attr-defined]
    if sort is types.ClassMethodDescriptorType:
        return Bound(found, Of(kind), name)
    if sort in static_lookup.METHOD_KINDS:
        of_class_itself = static_lookup.in_class(kind, name) is MISSING  # an attribute of the metaclass
        return Bound(found, receiver if of_class_itself else UNKNOWN, name, skip=int(of_class_itself))
    return _plain_or_class(found, name)


_PARTS_OF_PATHS = frozenset({"name", "stem", "suffix", "parent", "anchor"})
_TEXT_OF_PATHS = frozenset({"name", "stem", "suffix", "anchor", "drive", "root"})


def _of_path(path: Of, name: str) -> Value:
    """A part of a path (pathlib's documentation, "Methods and properties"): its properties have no annotations."""
    if name in _TEXT_OF_PATHS:
        return Of(str, exact=True)
    return Of(path.kind) if name == "parent" else UNKNOWN


def _of_property(found: object, receiver: Value, name: str) -> Value:
    function = static_lookup.plain_function(found)
    value = annotation_of(function, receiver)
    if is_subclassed_data(receiver):
        return UNKNOWN
    if isinstance(value, Unknown) and isinstance(receiver, Of):
        value = (
            subplots.of_grid(receiver, name) or _of_categories(receiver, name) or stubs.attribute(receiver.kind, name)
        )
    return value if not isinstance(value, Unknown) else documented(function, receiver, ())


def _of_categories(receiver: Of, name: str) -> Value | None:
    """An attribute that ``.cat`` passes on (pandas' API reference, "Categorical accessor")."""
    kind = pandas_class({"categories": "Index", "codes": "Series"}.get(name, ""))
    return Of(kind) if kind is not None and class_name(receiver.kind) == "CategoricalAccessor" else None


def _getset(owner: object, name: str) -> Value:
    kinds = {"shape": tuple, "strides": tuple, "ndim": int, "size": int, "nbytes": int, "itemsize": int}
    dtype = numpy_class("dtype")
    if owner in (numpy_class("ndarray"), numpy_class("generic")):
        if name in kinds:
            return Of(kinds[name])
        return Of(dtype) if name == "dtype" and dtype is not None else UNKNOWN
    return UNKNOWN
