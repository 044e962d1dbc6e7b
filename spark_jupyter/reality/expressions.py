"""What an expression is worth: every part of it is looked at once, and what does not exist is reported on the way."""

# ruff: noqa: SIM905 (lists of words read better as words)
from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from spark_jupyter.reality import calls, tables
from spark_jupyter.reality.attributes import Attributes
from spark_jupyter.reality.kinds import array, numpy_class
from spark_jupyter.reality.lookup import class_name
from spark_jupyter.reality.operators import (
    combined,
    element_of,
    fresh,
    in_display,
    is_array,
    is_mask,
    is_vector,
    stays,
)
from spark_jupyter.reality.values import (
    NO_CONSTANT,
    UNKNOWN,
    Bound,
    Live,
    Of,
    Table,
    Value,
    alternatives,
    constant,
    constants,
    either,
    options_of,
)

if TYPE_CHECKING:
    pass

IPYTHON_NAMES = frozenset(
    "get_ipython In Out display exit quit _ __ ___ _i _ii _iii _ih _oh _dh __file__ __name__ __doc__ __builtins__ __spec__ "
    "__loader__ __package__ __annotations__ __debug__ _exit_code reveal_type __vsc_ipynb_file__ __session__".split()
)
MAX_DEPTH = 150
"""Deeper expressions than this are not followed; no person writes them, and Python's stack is finite."""


class Scope:
    """The names of a module, a function, a class or a comprehension."""

    __slots__ = ("globals_", "is_class", "is_function", "names", "parent")

    def __init__(self, parent: Scope | None = None, *, is_function: bool = False, is_class: bool = False) -> None:
        self.names: dict[str, Value] = {}
        self.parent = parent
        self.is_function = is_function
        self.is_class = is_class
        self.globals_: set[str] = set()


class Expressions(Attributes):
    """Evaluates expressions in scopes. The statements are in :mod:`spark_jupyter.reality.interpreter`."""

    def __init__(self, namespace: Mapping[str, object]) -> None:
        super().__init__()
        self.namespace = namespace
        self.module = Scope()
        self.scope = self.module
        self.open_names = False
        """Names may come from where they can't be seen: a star import, ``exec``, ``%run``."""
        self.deferred: list[tuple[str, int, int]] = []
        """Names used in functions and not defined yet: (name, line, column)."""
        self.delayed = 0
        """Depth of functions and lambdas, whose bodies run later."""
        self._depth = 0
        self._handlers: dict[type, Callable[[ast.expr], Value]] = {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Constant: lambda node: Live(node.value),  # type: ignore[attr-defined]
            ast.Subscript: self._subscript,
            ast.BinOp: self._binary,
            ast.Compare: self._compare,
            ast.UnaryOp: self._unary,
            ast.BoolOp: self._boolean,
            ast.IfExp: self._conditional,
            ast.List: lambda node: self._display(node, list),
            ast.Tuple: lambda node: self._display(node, tuple),
            ast.Set: lambda node: self._display(node, set),
            ast.Dict: self._dict,
            ast.JoinedStr: self._joined,
            ast.ListComp: lambda node: self._comprehension(node, list),
            ast.SetComp: lambda node: self._comprehension(node, set),
            ast.DictComp: lambda node: self._comprehension(node, dict),
            ast.GeneratorExp: lambda node: self._comprehension(node, types.GeneratorType),
            ast.Lambda: self._lambda,
            ast.NamedExpr: self._walrus,
            ast.Starred: self._starred,
        }

    def evaluate(self, node: ast.expr) -> Value:
        """What ``node`` is worth."""
        handler = self._handlers.get(type(node))
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                return UNKNOWN
            if handler is not None:
                return handler(node)
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.evaluate(child)
            return UNKNOWN
        finally:
            self._depth -= 1

    # --- Names ---

    def look_up(self, name: str) -> Value | None:
        """The value of a name; None where it is not defined."""
        scope: Scope | None = self.scope
        while scope is not None:
            if name in scope.names and (scope is self.scope or not scope.is_class):
                value = scope.names[name]
                if scope is self.module and self.delayed and not stays(value):
                    return UNKNOWN  # it may be another one when the function runs
                return value
            scope = scope.parent
        if name in self.removed:
            return None
        if name in self.namespace:
            try:
                value = tables.live_value(self.namespace[name])
            except KeyError:  # the kernel deleted it just now
                return UNKNOWN
            if self.delayed and not stays(value):
                return UNKNOWN
            if isinstance(value, Of):
                self.module.names[name] = value  # one value for all uses: its table may change
            return value
        found = builtins.__dict__.get(name, NO_CONSTANT)
        if found is not NO_CONSTANT:
            return Live(found)
        return UNKNOWN if name in IPYTHON_NAMES or (name[:1] == "_" and name.strip("_io").isdigit()) else None

    def _name(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Name)
        value = self.look_up(node.id)
        if value is not None:
            return value
        if not self.open_names and not self.quiet:
            if self.delayed:
                self.deferred.append((node.id, node.lineno, node.col_offset))
            else:
                self.undefined(node.id, node.lineno, node.col_offset)
        return UNKNOWN

    def undefined(self, name: str, line: int, column: int) -> None:
        """Report a name that nothing defines."""
        if self.is_full():
            return
        known = [*self.module.names, *(n for n in list(self.namespace) if type(n) is str), *builtins.__dict__]
        self.report_name(name, [n for n in known if not n.startswith("_")], line, column)

    def store(self, name: str, value: Value) -> None:
        """``name = value``."""
        scope = self.module if name in self.scope.globals_ else self.scope
        if self.journal is not None and scope is self.journal_scope:
            self.journal.setdefault(name, scope.names.get(name))
        scope.names[name] = value
        self.removed.discard(name)

    # --- Attributes and calls ---

    def _attribute(self, node: ast.expr, *, called: bool = False) -> Value:
        assert isinstance(node, ast.Attribute)
        value = self.evaluate(node.value)
        return self.attribute(value, node, called=called)

    def _call(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Call)
        target = node.func
        function = self._attribute(target, called=True) if isinstance(target, ast.Attribute) else self.evaluate(target)
        call = tables.Call(node)
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                call.stars = True
                self.evaluate(argument.value)
            else:
                call.positional.append((argument, self._argument(argument, function, call, "")))
        for keyword in node.keywords:
            if keyword.arg is None:
                call.stars = True
                self.evaluate(keyword.value)
            else:
                call.keywords[keyword.arg] = (keyword.value, self._argument(keyword.value, function, call, keyword.arg))
        return calls.value_of_call(self, function, call)

    def _argument(self, node: ast.expr, function: Value, call: tables.Call, name: str) -> Value:
        """An argument; a lambda given to a DataFrame's method gets that DataFrame."""
        if isinstance(node, ast.Lambda) and isinstance(function, Bound) and function.name in {"assign", "pipe"}:
            given = next(options_of(function.receiver), None)
            if given is not None and tables.is_frame(given.kind):
                if function.name == "assign" and given.table is not None:
                    table = given.table.copy()
                    table.add(*call.keywords, name)
                    given = Of(given.kind, table=table)
                return self._lambda(node, first=given)
        return self.evaluate(node)

    # --- Subscripts ---

    def _subscript(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Subscript)
        value = self.evaluate(node.value)
        index = self.evaluate(node.slice)
        options = [self._item(option, index, node) for option in alternatives(value)]
        return either(options) if isinstance(node.ctx, ast.Load) else UNKNOWN

    def _item(self, value: Value, index: Value, node: ast.Subscript) -> Value:
        if isinstance(value, Bound):
            return UNKNOWN
        if isinstance(value, Live) and type(value.thing) is str:
            return Of(str)
        if not isinstance(value, Of):
            return UNKNOWN
        if value.items is not None:
            return in_display(value, constant(index), isinstance(node.slice, ast.Slice))
        name = class_name(value.kind)
        if tables.is_frame(value.kind):
            return self._of_frame(value, index, node)
        if tables.is_grouped(value.kind):
            return self._of_grouped(value, index, node)
        if value.kind in (numpy_class("ndarray"), numpy_class("generic")):
            return UNKNOWN if type(constant(index)) is str else array()
        if name in {"_LocIndexer", "_iLocIndexer", "_AtIndexer", "_iAtIndexer"}:
            return self._located(value, name, node)
        if value.kind in (str, bytes) or (isinstance(node.slice, ast.Slice) and value.kind in (list, tuple)):
            return Of(value.kind)
        if tables.is_series(value.kind) and (isinstance(node.slice, ast.Slice) or is_mask(index)):
            return Of(value.kind)
        return UNKNOWN

    def _of_frame(self, frame: Of, index: Value, node: ast.Subscript) -> Value:
        if frame.table is not None:
            self.absent_columns(tables.subscript_absent(node.slice, index, frame.table), frame.table)
        series = self.series_class(frame.kind)
        if isinstance(index, Of) and index.kind is list:
            names = constants(index)
            listed = names is not None and NO_CONSTANT not in names and all(type(name) is str for name in names)
            if names is not None and listed and frame.table is not None and frame.table.columns is not None:
                return Of(frame.kind, table=Table(names, levels=frame.table.levels))
            return Of(frame.kind, table=frame.table.copy() if frame.table is not None else None)
        if isinstance(node.slice, ast.Slice) or is_mask(index):
            return Of(frame.kind, table=frame.table.copy() if frame.table is not None else None)
        table = frame.table
        if series is None or table is None or table.columns is None or table.has_tuples:
            return UNKNOWN
        return Of(series) if type(constant(index)) is str else UNKNOWN

    def _of_grouped(self, grouped: Of, index: Value, node: ast.Subscript) -> Value:
        if grouped.table is not None:
            self.absent_columns(tables.subscript_absent(node.slice, index, grouped.table), grouped.table)
        if isinstance(index, Of) and index.kind is list:
            return Of(grouped.kind, table=grouped.table)
        one = self.sibling(grouped.kind, "SeriesGroupBy")
        return Of(one) if one is not None and type(constant(index)) is str else UNKNOWN

    def _located(self, indexer: Of, name: str, node: ast.Subscript) -> Value:
        """``frame.loc[…]``: the column in ``loc[rows, column]`` is checked."""
        if name not in {"_LocIndexer", "_AtIndexer"} or not indexer.table or not isinstance(node.slice, ast.Tuple):
            return self._rows(indexer, node)
        parts = node.slice.elts
        if len(parts) == 2 and isinstance(node.ctx, ast.Load) and indexer.table.one_level:
            column = self._quietly(parts[1])
            self.absent_columns(tables.subscript_absent(parts[1], column, indexer.table), indexer.table)
        elif len(parts) == 2 and isinstance(node.ctx, ast.Store):
            self.add_columns(indexer.table, self._quietly(parts[1]))
        return UNKNOWN

    def _rows(self, indexer: Of, node: ast.Subscript) -> Value:
        """``frame.iloc[rows]``: one row is a Series whose labels are the columns."""
        frame, series = self.frame_class(), self.series_class(self.frame_class())
        if isinstance(node.slice, ast.Tuple) or indexer.table is None or series is None:
            return UNKNOWN
        if isinstance(node.slice, ast.Slice):
            return Of(frame, table=indexer.table.copy())
        plain = isinstance(node.slice, ast.Constant) and indexer.table.columns is not None
        return (
            either([Of(series, table=Table(indexer.table.columns)), Of(frame, table=indexer.table)])
            if plain
            else UNKNOWN
        )

    def _quietly(self, node: ast.expr) -> Value:
        """The value of a node that has been looked at already."""
        self.quiet += 1
        try:
            return self.evaluate(node)
        finally:
            self.quiet -= 1

    def add_columns(self, table: Table, index: Value) -> None:
        """``frame[index] = …``."""
        names = constants(index)
        if names is None or NO_CONSTANT in names:
            if not is_mask(index):
                table.forget()
        else:
            table.add(*names)

    # --- Operators ---

    def _binary(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.BinOp)
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return combined(left, right, node.op)

    def _compare(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Compare)
        values = [self.evaluate(side) for side in (node.left, *node.comparators)]
        if any(isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot) for op in node.ops):
            return Of(bool)
        for value in values:
            if is_vector(value):
                return fresh(value)
        plain = all(constant(value) is not NO_CONSTANT for value in values)
        return Of(bool) if plain else UNKNOWN

    def _unary(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.UnaryOp)
        value = self.evaluate(node.operand)
        single = constant(value)
        if isinstance(node.op, ast.USub) and type(single) in (int, float):
            return Live(-single)  # type: ignore[operator]
        if isinstance(node.op, ast.Not):
            return Of(bool)
        return fresh(value) if is_vector(value) else UNKNOWN

    def _boolean(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.BoolOp)
        first, *rest = node.values
        values = [self.evaluate(first)]
        # `hasattr(x, "y") and x.y`, `"a" in df and df["a"]`: the first part guards the others
        with self.guarded_by(first):
            values += [self.evaluate(value) for value in rest]
        return either(values)

    def _conditional(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.IfExp)
        self.evaluate(node.test)
        with self.guarded_by(node.test):
            return either([self.evaluate(node.body), self.evaluate(node.orelse)])

    # --- Displays and comprehensions ---

    def _display(self, node: ast.expr, kind: type) -> Value:
        assert isinstance(node, ast.List | ast.Tuple | ast.Set)
        values = tuple(self.evaluate(item) for item in node.elts)
        starred = any(isinstance(item, ast.Starred) for item in node.elts)
        return Of(kind, exact=True, items=None if starred or len(values) > 2000 else values)

    def _dict(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Dict)
        keys = tuple(NO_CONSTANT if key is None else constant(self.evaluate(key)) for key in node.keys)
        values = tuple(self.evaluate(value) for value in node.values)
        whole = None not in node.keys
        return Of(dict, exact=True, items=values if whole else None, keys=keys if whole else None)

    def _joined(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.JoinedStr)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.evaluate(part.value)
                if part.format_spec is not None:
                    self.evaluate(part.format_spec)
        return Of(str, exact=True)

    def _starred(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Starred)
        self.evaluate(node.value)
        return UNKNOWN

    def _comprehension(self, node: ast.expr, kind: type) -> Value:
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
        outer = self.scope
        first = self.evaluate(node.generators[0].iter)
        self.scope = Scope(outer)
        try:
            for number_, generator in enumerate(node.generators):
                iterated = first if number_ == 0 else self.evaluate(generator.iter)
                self.bind(generator.target, element_of(iterated))
                for test in generator.ifs:
                    self.evaluate(test)
            parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            guards = [test for generator in node.generators for test in generator.ifs]
            with self.guarded_by(*guards):
                for part in parts:
                    self.evaluate(part)
        finally:
            self.scope = outer
        return Of(kind, exact=True)

    def _lambda(self, node: ast.expr, *, first: Value = UNKNOWN) -> Value:
        assert isinstance(node, ast.Lambda)
        self.defaults(node.args)
        outer = self.scope
        self.scope = Scope(outer, is_function=True)
        names = calls.parameter_names(node.args)
        for index, name in enumerate(names):
            self.scope.names[name] = first if index == 0 else UNKNOWN
        self.delayed += 1
        try:
            self.evaluate(node.body)
        finally:
            self.delayed -= 1
            self.scope = outer
        return calls.written("<lambda>", node.args)

    def defaults(self, arguments: ast.arguments) -> None:
        """Defaults are evaluated where the function is defined."""
        for default in [*arguments.defaults, *arguments.kw_defaults]:
            if default is not None:
                self.evaluate(default)

    def _walrus(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.NamedExpr)
        value = self.evaluate(node.value)
        scope = self.scope
        while scope.parent is not None and not scope.is_function and not scope.is_class:
            scope = scope.parent
        scope.names[node.target.id] = value
        return value

    # --- Binding ---

    def bind(self, target: ast.expr, value: Value) -> None:
        """``target = value`` for any kind of target."""
        if isinstance(target, ast.Name):
            self.store(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._bind_all(target.elts, value)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, Of(list))
        elif isinstance(target, ast.Attribute):
            self._bind_attribute(target)
        elif isinstance(target, ast.Subscript):
            self._bind_item(target)

    def _bind_all(self, targets: list[ast.expr], value: Value) -> None:
        items = value.items if isinstance(value, Of) and value.kind in (list, tuple) else None
        fits = items is not None and len(items) == len(targets) and not any(isinstance(t, ast.Starred) for t in targets)
        vectors = array() if is_array(value) else UNKNOWN
        for index, target in enumerate(targets):
            self.bind(target, items[index] if items is not None and fits else vectors)

    def _bind_attribute(self, target: ast.Attribute) -> None:
        owner = self.evaluate(target.value)
        self.stored.add(target.attr)
        if target.attr in {"columns", "index"}:
            for option in options_of(owner):
                if option.table is not None:
                    option.table.forget()

    def _bind_item(self, target: ast.Subscript) -> None:
        owner = self.evaluate(target.value)
        index = self.evaluate(target.slice)
        for option in options_of(owner):
            if tables.is_frame(option.kind) and option.table is not None:
                self.add_columns(option.table, index)
            elif class_name(option.kind) in {"_LocIndexer", "_AtIndexer"} and option.table is not None:
                parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else []
                if len(parts) == 2:
                    self.add_columns(option.table, self._quietly(parts[1]))
            elif option.kind in (list, dict):
                option.items = option.keys = None
            elif tables.is_series(option.kind) and option.table is not None:
                option.table.forget()
