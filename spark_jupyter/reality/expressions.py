"""Abstract values of expressions.

Each part is visited once; names that do not exist become findings on the way.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping

from spark_jupyter.reality import calls, constant_texts, frame_columns, relabelling, subscripts
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Invocation,
    Live,
    Of,
    Table,
    Unknown,
    Value,
    constant,
    constants,
    either,
    options_of,
)
from spark_jupyter.reality.attribute_values import attribute
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.class_names import array
from spark_jupyter.reality.operators import (
    chosen,
    combined,
    compared,
    element_of,
    few_items,
    fresh,
    is_array,
    is_vector,
    truth,
)
from spark_jupyter.reality.source_definitions import Instance
from spark_jupyter.reality.visible_names import Scope

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
MAX_DEPTH = 150
"""Deeper expressions than this are not followed; no person writes them, and Python's stack is finite."""


class Expressions(Run):
    """Evaluates expressions in scopes. The statements are in :mod:`spark_jupyter.reality.interpreter`."""

    def __init__(self, namespace: Mapping[str, object]) -> None:
        super().__init__(namespace)
        self._depth = 0
        self._handlers: dict[type, Callable[[ast.expr], Value]] = {
            ast.Name: self.use,
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

    # --- Attributes and calls ---

    def _attribute(self, node: ast.expr, *, called: bool = False) -> Value:
        assert isinstance(node, ast.Attribute)
        value = self.evaluate(node.value)
        return attribute(self, value, node, called=called)

    def _call(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Call)
        target = node.func
        function = self._attribute(target, called=True) if isinstance(target, ast.Attribute) else self.evaluate(target)
        call = Invocation(node)
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                self._spread(argument.value, call)
            else:
                call.positional.append((argument, self.evaluate(argument)))
        for keyword in node.keywords:
            if keyword.arg is None:
                self._spread(keyword.value, call)
            else:
                call.keywords[keyword.arg] = (keyword.value, self.evaluate(keyword.value))
                call.places[keyword.arg] = keyword
        return calls.value_of_call(self, function, call)

    def _spread(self, node: ast.expr, call: Invocation) -> None:
        """``*items`` and ``**items`` in a call."""
        value = self.evaluate(node)
        items = value.items if isinstance(value, Of) else None
        if items is None or not isinstance(value, Of):
            call.stars = True
        elif value.kind in (list, tuple):
            call.positional += [(node, item) for item in items]
        elif value.kind is dict and all(type(key) is str for key in value.keys or ()):
            for key, item in zip(value.keys or (), items, strict=True):
                call.keywords[str(key)] = (node, item)
                call.places[str(key)] = node
        else:
            call.stars = True

    def _subscript(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Subscript)
        value, index = self.evaluate(node.value), self.evaluate(node.slice)
        item = subscripts.item_of(self, value, index, node)
        return item if isinstance(node.ctx, ast.Load) else UNKNOWN

    # --- Operators ---

    def _binary(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.BinOp)
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return combined(left, right, node.op)

    def _compare(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Compare)
        values = [self.evaluate(side) for side in (node.left, *node.comparators)]
        if any(isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot) for op in node.ops):
            return compared(node.ops, values)
        for value in values:
            if is_vector(value):
                return fresh(value)
        return compared(node.ops, values)

    def _unary(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.UnaryOp)
        value = self.evaluate(node.operand)
        single = constant(value)
        if isinstance(node.op, ast.USub) and type(single) in (int, float):
            return Live(-single)  # type: ignore[operator]
        if isinstance(node.op, ast.Not):
            known = truth(value)
            return Of(bool) if known is None else Live(not known)
        if is_vector(value):
            return fresh(value)
        return value if isinstance(value, Of) and value.kind.__module__.startswith("polars") else UNKNOWN

    def _boolean(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.BoolOp)
        first, *rest = node.values
        values = [self.evaluate(first)]
        # `hasattr(x, "y") and x.y`, `"a" in df and df["a"]`: the first part guards the others
        decided = truth(values[0]) is isinstance(node.op, ast.Or)
        with self.guarded_by(first), self.silence(when=decided):
            values += [self.evaluate(value) for value in rest]
        return chosen(node.op, values)

    def _conditional(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.IfExp)
        known = truth(self.evaluate(node.test))
        if known is not None:
            with self.silence():
                self.evaluate(node.orelse if known else node.body)
            return self.evaluate(node.body if known else node.orelse)
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
        found: dict[object, Value] | None = {}
        for place, key, value in zip(node.keys, keys, values, strict=True):
            if place is None:
                frame_columns.let_go(value)
                more = frame_columns.pairs_of(value)
                found = found | more if found is not None and more is not None else None
            elif found is not None:
                found[key if key is not NO_CONSTANT else (NO_CONSTANT, len(found))] = value
        if found is None:
            return Of(dict, exact=True)
        known = tuple(NO_CONSTANT if type(key) is tuple and NO_CONSTANT in key else key for key in found)
        return Of(dict, exact=True, items=tuple(found.values()), keys=known)

    def _joined(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.JoinedStr)
        text: list[str] | None = []
        for part in node.values:
            value = self.evaluate(part.value) if isinstance(part, ast.FormattedValue) else self.evaluate(part)
            plain = not isinstance(part, ast.FormattedValue) or (part.conversion == -1 and part.format_spec is None)
            if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
                self.evaluate(part.format_spec)
            single = constant(value)
            known = plain and type(single) in (str, int)
            text = [*text, str(single)] if known and text is not None and len(text) < 20 else None
        return Live("".join(text)) if text is not None else Of(str, exact=True)

    def _starred(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Starred)
        frame_columns.let_go(self.evaluate(node.value))
        return UNKNOWN

    def _comprehension(self, node: ast.expr, kind: type) -> Value:
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
        outer = self.scope
        first = self.evaluate(node.generators[0].iter)
        self.scope = Scope(outer)
        try:
            items = (few_items(first) or _numbers(first)) if _is_plain(node.generators) else None
            if items is not None:
                return self._of_rounds(node, kind, items)
            labels = self._labels_of_rounds(node, first) if isinstance(node, ast.ListComp) else None
            for number_, generator in enumerate(node.generators):
                iterated = first if number_ == 0 else self.evaluate(generator.iter)
                self.bind(generator.target, element_of(iterated))
                for test in generator.ifs:
                    self.evaluate(test)
            parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            guards = [test for generator in node.generators for test in generator.ifs]
            with self.guarded_by(*guards):
                values = [self.evaluate(part) for part in parts]
            for key in values[:-1]:
                frame_columns.let_go(Of(tuple, items=(key,)))
        finally:
            self.scope = outer
        return Of(kind, exact=True, element=values[-1], table=labels)

    def _of_rounds(self, node: Comprehension, kind: type, items: tuple[Value, ...]) -> Value:
        """A comprehension over few things, gone through for each that its conditions do not leave out."""
        generator = node.generators[0]
        keys, values = [], []
        certain = True
        for item in items:
            self.bind(generator.target, item)
            known = [truth(self.evaluate(test)) for test in generator.ifs]
            if False in known:
                continue
            certain = certain and None not in known
            with self.guarded_by(*generator.ifs):
                keys.append(constant(self.evaluate(node.key)) if isinstance(node, ast.DictComp) else NO_CONSTANT)
                values.append(self.evaluate(node.value if isinstance(node, ast.DictComp) else node.elt))
        if not certain or (kind is dict and NO_CONSTANT in keys):
            for value in values:
                frame_columns.let_go(Of(tuple, items=(value,)))
            return Of(kind, exact=True, element=either(values) if values else None)
        if kind is dict:
            pairs = dict(zip(keys, values, strict=True))
            return Of(dict, exact=True, items=tuple(pairs.values()), keys=tuple(pairs))
        return Of(kind, exact=True, items=tuple(values))

    def _labels_of_rounds(self, node: ast.ListComp, iterated: Value) -> Table | None:
        """The labels that ``["_".join(pair) for pair in frame.columns]`` may list; None: any."""
        known = iterated.table if isinstance(iterated, Of) and not frame_columns.is_frame(iterated.kind) else None
        if known is None or not known.columns or not _is_plain(node.generators):
            return None
        labels = constant_texts.deep(known)
        if len(labels) > constant_texts.EACH or len(node.generators[0].ifs) > 2:
            return None
        found: list[object] = []
        with self.silence():
            for label in labels:
                self.bind(node.generators[0].target, constant_texts.label_value(label))
                if False not in [truth(self.evaluate(test)) for test in node.generators[0].ifs]:
                    found.append(constant(self.evaluate(node.elt)))
        return None if NO_CONSTANT in found else Table(found, levels=None)

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
            self._bind_attribute(target, value)
        elif isinstance(target, ast.Subscript):
            subscripts.store_item(self, self.evaluate(target.value), self.evaluate(target.slice), target, value)

    def _bind_all(self, targets: list[ast.expr], value: Value) -> None:
        items = value.items if isinstance(value, Of) and value.kind in (list, tuple) else None
        fits = items is not None and len(items) == len(targets) and not any(isinstance(t, ast.Starred) for t in targets)
        alike = is_array(value) or (isinstance(value, Of) and value.kind in (list, tuple))
        vectors = element_of(value) if items is None and alike else UNKNOWN
        if items is None and is_array(value) and isinstance(vectors, Unknown):
            vectors = array()
        for index, target in enumerate(targets):
            self.bind(target, items[index] if items is not None and fits else vectors)

    def _bind_attribute(self, target: ast.Attribute, value: Value) -> None:
        owner = self.evaluate(target.value)
        if isinstance(owner, Instance):
            old = owner.attributes.get(target.attr)
            owner.attributes[target.attr] = value if self.journal is None or old is None else either([old, value])
        if target.attr not in _LABELS or not (isinstance(owner, Unknown) or all(map(_is_labelled, options_of(owner)))):
            self.stored.add(target.attr)
        if (
            target.attr in {"name", "names"}
            and isinstance(target.value, ast.Attribute)
            and target.value.attr == "index"
        ):
            for option in options_of(self.evaluate(target.value.value)):
                if option.table is not None:
                    given = constants(value) if self.journal is None else None
                    option.table.levels = None if given is None or NO_CONSTANT in given else given
        for option in options_of(owner):
            if option.table is not None:
                option.table.holds.pop(target.attr, None)
        if target.attr in _LABELS:
            for option in options_of(owner):
                relabelling.relabelled(option, target.attr, value, certain=self.journal is None)


_LABELS = frozenset({"columns", "index"})
"""Attributes that tables have and that are set; that they are set says nothing of other objects."""


def _is_labelled(value: Of) -> bool:
    return frame_columns.is_frame(value.kind) or frame_columns.is_series(value.kind)


def _numbers(value: Value) -> tuple[Value, ...] | None:
    """The numbers of a short range."""
    return value.items if isinstance(value, Of) and value.kind is range else None


def _is_plain(generators: list[ast.comprehension]) -> bool:
    """Whether a comprehension goes over one thing."""
    return len(generators) == 1 and not generators[0].is_async
