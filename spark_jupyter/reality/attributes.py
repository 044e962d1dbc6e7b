"""Attributes of abstract values, and the reports of what is missing."""

from __future__ import annotations

import ast
import functools
import sys
import types
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from spark_jupyter.reality import lookup, report, signatures, tables
from spark_jupyter.reality.annotations import annotation_of
from spark_jupyter.reality.kinds import array, numpy_class, pandas_class
from spark_jupyter.reality.lookup import MAYBE, MISSING, class_module, class_name
from spark_jupyter.reality.numpydoc import documented
from spark_jupyter.reality.values import (
    UNKNOWN,
    Bound,
    Live,
    Of,
    Scope,
    Table,
    Unknown,
    Value,
    alternatives,
    either,
    is_guess,
    options_of,
)
from spark_jupyter.wire.messages import Finding, Severity

_PLAIN = (str, int, float, bool, bytes, complex, type(None))
_ARRAY_PROPERTIES = frozenset({"T", "real", "imag", "mT"})
_METHOD_KINDS = (types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
_INDEXERS = {"loc": "_LocIndexer", "iloc": "_iLocIndexer", "at": "_AtIndexer", "iat": "_iAtIndexer"}


MAX_FINDINGS = 200
"""After so many nothing more is said: nobody would read it, and each costs a search for the nearest name."""


class Attributes:
    """Looks attributes up and collects the findings."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.quiet = 0
        """Above 0, nothing is reported: in ``try`` bodies, behind guards."""
        self.stored: set[str] = set()
        """Attributes that the source sets on anything: they may exist on anything."""
        self.removed: set[str] = set()
        """Names that the source deleted."""
        self.mentioned: set[str] = set()
        """Strings and keyword names in the source, which may be labels of a Series."""
        self.met: tables.Tables = {}
        self.outside_data = False
        """Data comes from where its labels can't be seen."""
        self.trusts_nothing = False
        """Attributes are set under names that can't be seen."""
        self.pandas_output = False
        """scikit-learn was told to give DataFrames."""
        self.first_line = 1
        self.journal: dict[str, Value | None] | None = None
        self.journal_scope: Scope | None = None
        self._reported: set[tuple[str, int, int]] = set()

    # --- Reports ---

    def say(
        self,
        rule: str,
        message: str,
        node: ast.AST,
        *,
        remedy: str = "",
        severity: Severity = "block",
        column: int | None = None,
    ) -> None:
        """Report something about a node, once."""
        line = getattr(node, "end_lineno" if column is not None else "lineno", 1) + self.first_line - 1
        at = column if column is not None else getattr(node, "col_offset", 0)
        if self.quiet or (message, line, at) in self._reported or self.is_full():
            return
        self._reported.add((message, line, at))
        self.findings.append(
            report.finding(rule, message, line=line, column=max(at, 0), remedy=remedy, severity=severity)
        )

    def is_full(self) -> bool:
        """Whether enough has been said."""
        return len(self._reported) >= MAX_FINDINGS

    def report_name(self, name: str, known: list[str], line: int, column: int) -> None:
        """A name that is not defined."""
        place = ast.Name(id=name, lineno=line, col_offset=column)
        close = report.nearest(name, known)
        self.say("undefined-name", f"`{name}` is not defined.", place, remedy=report.did_you_mean(close))

    def absent_columns(self, uses: Iterable[tables.Use], table: Table) -> None:
        """Columns that a DataFrame does not have."""
        for node, column in uses:
            if self.quiet or self.trusts_nothing or column in self.stored or len(self._reported) >= MAX_FINDINGS:
                continue
            columns = [name for name in table.columns or () if type(name) is str]
            close = report.did_you_mean(report.nearest(str(column), columns))
            remedy = f"{close} The columns are: {report.listing(columns)}.".strip() if columns else close
            self.say("missing-column", f"The DataFrame has no column `{column}`.", node, remedy=remedy)

    def absent_labels(self, node: ast.expr, index: Value, table: Table) -> None:
        """A label that a row of a DataFrame, or another Series, does not have."""
        for _, label in tables.subscript_absent(node, index, table):
            if self.quiet or label in self.stored or self.trusts_nothing or self.is_full():
                continue
            labels = [name for name in table.columns or () if type(name) is str]
            close = report.did_you_mean(report.nearest(str(label), labels))
            remedy = f"{close} The labels are: {report.listing(labels)}.".strip() if labels else close
            self.say("missing-column", f"The Series has no label `{label}`.", node, remedy=remedy)

    @contextmanager
    def silence(self, *, when: bool = True) -> Iterator[None]:
        """Nothing is reported inside."""
        self.quiet += when
        try:
            yield
        finally:
            self.quiet -= when

    def guarded_by(self, *tests: ast.expr) -> AbstractContextManager[None]:
        """Silence, where a test asks whether something is there."""
        return self.silence(when=any(_is_guard(test) for test in tests))

    # --- Attributes ---

    def attribute(self, value: Value, node: ast.Attribute, *, called: bool = False) -> Value:
        """The value of ``value.name``; reported where it is certainly missing."""
        name = node.attr
        if (
            isinstance(value, Unknown)
            or name in self.stored
            or self.trusts_nothing
            or not isinstance(node.ctx, ast.Load)
        ):
            return UNKNOWN
        found: list[Value] = []
        lacking: list[Value] = []
        for option in alternatives(value):
            result = self._attribute_of(option, name, called)
            if result is None:
                lacking.append(option)
            else:
                found.append(result)
        if found:
            return either(found)
        self._report_missing(lacking[0], node, certain=isinstance(value, Live))
        return UNKNOWN

    def _attribute_of(self, value: Value, name: str, called: bool) -> Value | None:
        """``value.name``, None where it is missing."""
        if isinstance(value, Live):
            return self._of_live(value, name)
        if isinstance(value, Of):
            return self._of_instance(value, name, called)
        if isinstance(value, Bound) and type(value.function) in _METHOD_KINDS:
            known = hasattr(types.MethodType, name) or hasattr(types.FunctionType, name)
            if type(value.function) is types.FunctionType:
                known = known or name in value.function.__dict__ or name in dir(types.FunctionType)
            return UNKNOWN if known or name.startswith("_") else None
        return UNKNOWN

    def _of_live(self, value: Live, name: str) -> Value | None:
        thing = value.thing
        if lookup.is_module(thing):
            return _plain_value(lookup.on_module(thing, name), self.met)
        if lookup.is_class(thing):
            return _class_attribute(thing, lookup.on_class(thing, name), value, name)
        own = _own_dict(thing)
        if own is None:
            return UNKNOWN
        if name in own:
            return _plain_value(own[name], self.met)
        found = lookup.on_instance(type(thing), name, exact=True)
        if found is MISSING and type(thing) is types.FunctionType:
            found = MAYBE if name.startswith("_") else MISSING
        return self._instance_attribute(found, value, name)

    def _of_instance(self, value: Of, name: str, called: bool) -> Value | None:
        kind = value.kind
        if tables.is_frame(kind) or tables.is_series(kind) or tables.is_grouped(kind):
            special = self._labelled(value, name, called)
            if special is not None:
                return special
            if lookup.in_class(kind, name) is MISSING:
                return None if not name.startswith("_") else UNKNOWN
        elif class_name(kind) == "SeriesGroupBy" and lookup.in_class(kind, name) is MISSING and called:
            return None
        found = lookup.on_instance(kind, name, exact=value.exact)
        return self._instance_attribute(found, value, name)

    def _labelled(self, value: Of, name: str, called: bool) -> Value | None:
        """An attribute of a DataFrame, a Series or a GroupBy that is no member of the class; None goes on with the class."""
        kind, table = value.kind, value.table
        if lookup.in_class(kind, name) is not MISSING:
            return self._frame_member(value, name)
        if class_module(kind).startswith("polars"):
            return None
        if table is not None and table.columns is not None:
            if name not in table.columns:
                return None
            series = self.sibling(kind, "SeriesGroupBy") if tables.is_grouped(kind) else self.series_class(kind)
            return Of(series) if series is not None and not tables.is_series(kind) else UNKNOWN
        # labels that can't be seen: they are read rather than called, and come from somewhere
        return None if called or not (self.outside_data or name in self.mentioned) else UNKNOWN

    def _frame_member(self, value: Of, name: str) -> Value | None:
        kind = value.kind
        if name in _INDEXERS and not tables.is_grouped(kind):
            indexer = lookup.in_class(kind, name)
            module = sys.modules.get("pandas.core.indexing")
            found = lookup.module_dict(module).get(_INDEXERS[name]) if module is not None else None
            if indexer is not MISSING and lookup.is_class(found) and tables.is_frame(kind):
                return Of(found, exact=True, table=value.table or Table(None, levels=None))
            return UNKNOWN
        if (name == "columns" and tables.is_frame(kind)) or name == "index":
            index = pandas_class("Index")
            return Of(index) if index is not None else UNKNOWN
        if name == "values":
            return array() if tables.is_frame(kind) else UNKNOWN
        if name == "T" and tables.is_frame(kind):
            return Of(kind)
        if name == "T" and tables.is_series(kind):
            return value
        return None

    def _instance_attribute(self, found: object, receiver: Value, name: str) -> Value | None:
        """A looked-up attribute of an instance, bound to it."""
        if found is MISSING:
            return None
        if found is MAYBE:
            return UNKNOWN
        kind = type(found)
        if not lookup.is_plain_class(kind):
            return UNKNOWN
        if kind in _METHOD_KINDS or class_name(kind) == "cython_function_or_method":
            return Bound(found, receiver, name)
        if kind is staticmethod:
            return Bound(found.__func__, receiver, name, skip=0)  # type: ignore[attr-defined]
        if kind is classmethod:
            return Bound(found.__func__, receiver, name)  # type: ignore[attr-defined]
        if kind is property or kind is functools.cached_property:
            return _of_property(found, receiver)
        if class_name(kind) == "_AvailableIfDescriptor":
            return Bound(lookup.plain_function(found), receiver, name)
        if class_name(kind) in {"CachedAccessor", "Accessor"} and class_module(kind).startswith("pandas"):
            accessor = getattr(found, "_accessor", None)
            if not lookup.is_class(accessor):
                return UNKNOWN
            table = next((option.table for option in options_of(receiver) if tables.is_frame(option.kind)), None)
            return Of(accessor, table=table if class_name(accessor) == "PlotAccessor" else None)
        if kind is types.GetSetDescriptorType:
            owner = found.__objclass__  # type: ignore[attr-defined]
            arrays = (numpy_class("ndarray"), numpy_class("generic"))
            return array() if owner in arrays and name in _ARRAY_PROPERTIES else _getset(owner, name)
        return Live(found) if kind in _PLAIN or lookup.is_class(found) else UNKNOWN

    # --- Classes beside a class ---

    def series_class(self, frame: type) -> type | None:
        """The Series of a DataFrame's library."""
        module = sys.modules.get(lookup.root(class_module(frame)))
        found = lookup.module_dict(module).get("Series") if module is not None else None
        return found if lookup.is_class(found) else None

    def frame_class(self) -> type:
        """pandas' DataFrame."""
        return pandas_class("DataFrame") or object

    def sibling(self, kind: type, name: str) -> type | None:
        """A class beside ``kind`` in its module."""
        module = sys.modules.get(class_module(kind))
        found = lookup.module_dict(module).get(name) if module is not None else None
        return found if lookup.is_class(found) else None

    # --- Words ---

    def _report_missing(self, owner: Value, node: ast.Attribute, *, certain: bool) -> None:
        if self.quiet:
            return
        name = node.attr
        column = (node.end_col_offset or 0) - len(name.encode())
        thing = owner.thing if isinstance(owner, Live) else None
        if isinstance(owner, Bound):
            message = f"`{owner.name}` is a method; it has no attribute `{name}`. Is `()` missing?"
            self.say("missing-attribute", message, node, column=column)
            return
        where = (
            thing if (lookup.is_class(thing) or lookup.is_module(thing)) else type(thing) if thing is not None else None
        )
        if isinstance(owner, Of):
            where = owner.kind
        names = lookup.names_of(where)
        if lookup.is_class(where) and not isinstance(owner, Live):
            names += [stored for stored in lookup.stored_names(where) if not stored.startswith("_")]
        table = owner.table if isinstance(owner, Of) else None
        if table is not None:
            names += [column_name for column_name in table.columns or () if type(column_name) is str]
        close = report.nearest(name, names)
        remedy = report.did_you_mean(close, signature=self._signature_of(where, close))
        message = f"{_words_for(owner, where)} has no attribute `{name}`."
        severity: Severity = "block" if (certain or isinstance(owner, Of)) and not is_guess(owner) else "warn"
        self.say("missing-attribute", message, node, remedy=remedy, severity=severity, column=column)

    def _signature_of(self, where: object, name: str | None) -> str:
        if name is None:
            return ""
        if lookup.is_module(where):
            return signatures.signature_text(lookup.module_dict(where).get(name), name)
        found = lookup.in_class(where, name) if lookup.is_class(where) else None
        return signatures.signature_text(found, name, skip=1) if type(found) in _METHOD_KINDS else ""


def _words_for(owner: Value, where: object) -> str:
    if lookup.is_module(where):
        return f"Module `{lookup.module_dict(where).get('__name__', '?')}`"
    if lookup.is_class(where):
        kind = class_name(where)
        return f"Class `{kind}`" if isinstance(owner, Live) and owner.thing is where else f"`{kind}`"
    return "The object"


def _own_dict(thing: object) -> dict[str, object] | None:
    """The instance's own attributes; None where they can't be had without the class's own code."""
    kind = type(thing)
    if kind in _PLAIN:
        return {}
    slot = lookup.in_class(kind, "__dict__")
    if slot is MISSING:
        return {}
    if type(slot) not in (types.GetSetDescriptorType, types.MemberDescriptorType):
        return None
    try:
        found = slot.__get__(thing)  # type: ignore[attr-defined]
    except Exception:  # a C class that makes none for this instance
        return None
    return found if type(found) is dict else None


def _plain_value(found: object, met: tables.Tables) -> Value | None:
    """An attribute of a module or of an instance's own, as a value."""
    if found is MISSING:
        return None
    if found is MAYBE:
        return UNKNOWN
    return tables.live_value(found, met)


def _class_attribute(kind: type, found: object, receiver: Value, name: str) -> Value | None:
    if found is MISSING:
        return None
    if found is MAYBE:
        return UNKNOWN
    sort = type(found)
    if not lookup.is_plain_class(sort):
        return UNKNOWN
    if sort is staticmethod:
        return Bound(found.__func__, receiver, name, skip=0)  # type: ignore[attr-defined]
    if sort is classmethod:
        return Bound(found.__func__, Of(kind), name)  # type: ignore[attr-defined]
    if sort in _METHOD_KINDS:
        of_class_itself = lookup.in_class(kind, name) is MISSING  # it is from the metaclass
        return Bound(found, receiver if of_class_itself else UNKNOWN, name, skip=int(of_class_itself))
    return Live(found) if sort in _PLAIN or lookup.is_class(found) else UNKNOWN


def _of_property(found: object, receiver: Value) -> Value:
    function = lookup.plain_function(found)
    value = annotation_of(function, receiver)
    return value if not isinstance(value, Unknown) else documented(function, receiver, ())


def _getset(owner: object, name: str) -> Value:
    kinds = {"shape": tuple, "strides": tuple, "ndim": int, "size": int, "nbytes": int, "itemsize": int}
    dtype = numpy_class("dtype")
    if owner in (numpy_class("ndarray"), numpy_class("generic")):
        if name in kinds:
            return Of(kinds[name])
        return Of(dtype) if name == "dtype" and dtype is not None else UNKNOWN
    return UNKNOWN


_ASKING = frozenset(
    {
        "hasattr",
        "getattr",
        "isinstance",
        "callable",
        "locals",
        "globals",
        "dir",
        "platform",
        "version_info",
        "TYPE_CHECKING",
        "find_spec",
        "__version__",
        "name",
        "columns",
        "system",
    }
)
"""Names in a condition that asks what there is."""


def _is_guard(test: ast.expr) -> bool:
    """Whether a condition asks if something exists."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            return True
        if isinstance(node, ast.Name) and node.id in _ASKING:
            return True
        if isinstance(node, ast.Attribute) and node.attr in _ASKING:
            return True
    return False
