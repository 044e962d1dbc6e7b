"""Abstract values of expressions.

Each part is visited once; names that do not exist become findings on the way.
"""

from __future__ import annotations

import ast
import types
from functools import partial

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
from spark_jupyter.reality.check_state import Evaluator, Run
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
from spark_jupyter.reality.syntax_dispatch import evaluate
from spark_jupyter.reality.visible_names import Scope

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


# --- Attributes and calls ---


def _attribute(run: Run, node: ast.Attribute, *, called: bool = False) -> Value:
    value = evaluate(run, node.value)
    return attribute(run, value, node, called=called)


def _call(run: Run, node: ast.Call) -> Value:
    target = node.func
    function = _attribute(run, target, called=True) if isinstance(target, ast.Attribute) else evaluate(run, target)
    call = Invocation(node)
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            _spread(run, argument.value, call)
        else:
            call.positional.append((argument, evaluate(run, argument)))
    for keyword in node.keywords:
        if keyword.arg is None:
            _spread(run, keyword.value, call)
        else:
            call.keywords[keyword.arg] = (keyword.value, evaluate(run, keyword.value))
            call.places[keyword.arg] = keyword
    return calls.value_of_call(run, function, call)


def _spread(run: Run, node: ast.expr, call: Invocation) -> None:
    """``*items`` and ``**items`` in a call."""
    value = evaluate(run, node)
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


def _subscript(run: Run, node: ast.Subscript) -> Value:
    value, index = evaluate(run, node.value), evaluate(run, node.slice)
    item = subscripts.item_of(run, value, index, node)
    return item if isinstance(node.ctx, ast.Load) else UNKNOWN


# --- Operators ---


def _binary(run: Run, node: ast.BinOp) -> Value:
    left, right = evaluate(run, node.left), evaluate(run, node.right)
    return combined(left, right, node.op)


def _compare(run: Run, node: ast.Compare) -> Value:
    values = [evaluate(run, side) for side in (node.left, *node.comparators)]
    if any(isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot) for op in node.ops):
        return compared(node.ops, values)
    for value in values:
        if is_vector(value):
            return fresh(value)
    return compared(node.ops, values)


def _unary(run: Run, node: ast.UnaryOp) -> Value:
    value = evaluate(run, node.operand)
    single = constant(value)
    if isinstance(node.op, ast.USub) and type(single) in (int, float):
        return Live(-single)  # type: ignore[operator]
    if isinstance(node.op, ast.Not):
        known = truth(value)
        return Of(bool) if known is None else Live(not known)
    if is_vector(value):
        return fresh(value)
    return value if isinstance(value, Of) and value.kind.__module__.startswith("polars") else UNKNOWN


def _boolean(run: Run, node: ast.BoolOp) -> Value:
    first, *rest = node.values
    values = [evaluate(run, first)]
    # `hasattr(x, "y") and x.y`, `"a" in df and df["a"]`: the first part guards the others
    decided = truth(values[0]) is isinstance(node.op, ast.Or)
    with run.guarded_by(first), run.silence(when=decided):
        values += [evaluate(run, value) for value in rest]
    return chosen(node.op, values)


def _conditional(run: Run, node: ast.IfExp) -> Value:
    known = truth(evaluate(run, node.test))
    if known is not None:
        with run.silence():
            evaluate(run, node.orelse if known else node.body)
        return evaluate(run, node.body if known else node.orelse)
    with run.guarded_by(node.test):
        return either([evaluate(run, node.body), evaluate(run, node.orelse)])


# --- Displays and comprehensions ---


def _display(run: Run, node: ast.List | ast.Tuple | ast.Set, kind: type) -> Value:
    values = tuple(evaluate(run, item) for item in node.elts)
    starred = any(isinstance(item, ast.Starred) for item in node.elts)
    return Of(kind, exact=True, items=None if starred or len(values) > 2000 else values)


def _dict(run: Run, node: ast.Dict) -> Value:
    keys = tuple(NO_CONSTANT if key is None else constant(evaluate(run, key)) for key in node.keys)
    values = tuple(evaluate(run, value) for value in node.values)
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


def _joined(run: Run, node: ast.JoinedStr) -> Value:
    text: list[str] | None = []
    for part in node.values:
        value = evaluate(run, part.value) if isinstance(part, ast.FormattedValue) else evaluate(run, part)
        plain = not isinstance(part, ast.FormattedValue) or (part.conversion == -1 and part.format_spec is None)
        if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
            evaluate(run, part.format_spec)
        single = constant(value)
        known = plain and type(single) in (str, int)
        text = [*text, str(single)] if known and text is not None and len(text) < 20 else None
    return Live("".join(text)) if text is not None else Of(str, exact=True)


def _starred(run: Run, node: ast.Starred) -> Value:
    frame_columns.let_go(evaluate(run, node.value))
    return UNKNOWN


def _comprehension(run: Run, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, kind: type) -> Value:
    outer = run.scope
    first = evaluate(run, node.generators[0].iter)
    run.scope = Scope(outer)
    try:
        items = (few_items(first) or _numbers(first)) if _is_plain(node.generators) else None
        if items is not None and run.may_go_round(len(items)):
            return _of_rounds(run, node, kind, items)
        labels = _labels_of_rounds(run, node, first) if isinstance(node, ast.ListComp) else None
        for number_, generator in enumerate(node.generators):
            iterated = first if number_ == 0 else evaluate(run, generator.iter)
            bind(run, generator.target, element_of(iterated))
            for test in generator.ifs:
                evaluate(run, test)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        guards = [test for generator in node.generators for test in generator.ifs]
        with run.guarded_by(*guards):
            values = [evaluate(run, part) for part in parts]
        for key in values[:-1]:
            frame_columns.let_go(Of(tuple, items=(key,)))
    finally:
        run.scope = outer
    return Of(kind, exact=True, element=values[-1], table=labels)


def _of_rounds(run: Run, node: Comprehension, kind: type, items: tuple[Value, ...]) -> Value:
    """A comprehension over few things, gone through for each that its conditions do not leave out."""
    generator = node.generators[0]
    keys, values = [], []
    certain = True
    for item in items:
        bind(run, generator.target, item)
        known = [truth(evaluate(run, test)) for test in generator.ifs]
        if False in known:
            continue
        certain = certain and None not in known
        with run.guarded_by(*generator.ifs):
            keys.append(constant(evaluate(run, node.key)) if isinstance(node, ast.DictComp) else NO_CONSTANT)
            values.append(evaluate(run, node.value if isinstance(node, ast.DictComp) else node.elt))
    if not certain or (kind is dict and NO_CONSTANT in keys):
        for value in values:
            frame_columns.let_go(Of(tuple, items=(value,)))
        return Of(kind, exact=True, element=either(values) if values else None)
    if kind is dict:
        pairs = dict(zip(keys, values, strict=True))
        return Of(dict, exact=True, items=tuple(pairs.values()), keys=tuple(pairs))
    return Of(kind, exact=True, items=tuple(values))


def _labels_of_rounds(run: Run, node: ast.ListComp, iterated: Value) -> Table | None:
    """The labels that ``["_".join(pair) for pair in frame.columns]`` may list; None: any."""
    known = iterated.table if isinstance(iterated, Of) and not frame_columns.is_frame(iterated.kind) else None
    if known is None or not known.columns or not _is_plain(node.generators):
        return None
    labels = constant_texts.deep(known)
    if len(labels) > constant_texts.EACH or len(node.generators[0].ifs) > 2 or not run.may_go_round(len(labels)):
        return None
    found: list[object] = []
    with run.silence():
        for label in labels:
            bind(run, node.generators[0].target, constant_texts.label_value(label))
            if False not in [truth(evaluate(run, test)) for test in node.generators[0].ifs]:
                found.append(constant(evaluate(run, node.elt)))
    return None if NO_CONSTANT in found else Table(found, levels=None)


def _walrus(run: Run, node: ast.NamedExpr) -> Value:
    value = evaluate(run, node.value)
    scope = run.scope
    while scope.parent is not None and not scope.is_function and not scope.is_class:
        scope = scope.parent
    scope.names[node.target.id] = value
    return value


# --- Binding ---


def bind(run: Run, target: ast.expr, value: Value) -> None:
    """``target = value`` for any kind of target."""
    if isinstance(target, ast.Name):
        run.store(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _bind_all(run, target.elts, value)
    elif isinstance(target, ast.Starred):
        bind(run, target.value, Of(list))
    elif isinstance(target, ast.Attribute):
        _bind_attribute(run, target, value)
    elif isinstance(target, ast.Subscript):
        subscripts.store_item(run, evaluate(run, target.value), evaluate(run, target.slice), target, value)


def _bind_all(run: Run, targets: list[ast.expr], value: Value) -> None:
    items = value.items if isinstance(value, Of) and value.kind in (list, tuple) else None
    fits = items is not None and len(items) == len(targets) and not any(isinstance(t, ast.Starred) for t in targets)
    alike = is_array(value) or (isinstance(value, Of) and value.kind in (list, tuple))
    vectors = element_of(value) if items is None and alike else UNKNOWN
    if items is None and is_array(value) and isinstance(vectors, Unknown):
        vectors = array()
    for index, target in enumerate(targets):
        bind(run, target, items[index] if items is not None and fits else vectors)


def _bind_attribute(run: Run, target: ast.Attribute, value: Value) -> None:
    owner = evaluate(run, target.value)
    if isinstance(owner, Instance):
        old = owner.attributes.get(target.attr)
        owner.attributes[target.attr] = value if run.journal is None or old is None else either([old, value])
    if target.attr not in _LABELS or not (isinstance(owner, Unknown) or all(map(_is_labelled, options_of(owner)))):
        run.stored.add(target.attr)
    if target.attr in {"name", "names"} and isinstance(target.value, ast.Attribute) and target.value.attr == "index":
        for option in options_of(evaluate(run, target.value.value)):
            if option.table is not None:
                given = constants(value) if run.journal is None else None
                option.table.levels = None if given is None or NO_CONSTANT in given else given
    for option in options_of(owner):
        if option.table is not None:
            option.table.holds.pop(target.attr, None)
    if target.attr in _LABELS:
        for option in options_of(owner):
            relabelling.relabelled(option, target.attr, value, certain=run.journal is None)


_LABELS = frozenset({"columns", "index"})
"""Attributes that tables have and that are set; that they are set says nothing of other objects."""


def _is_labelled(value: Of) -> bool:
    return frame_columns.is_frame(value.kind) or frame_columns.is_series(value.kind)


def _numbers(value: Value) -> tuple[Value, ...] | None:
    return value.items if isinstance(value, Of) and value.kind is range else None


def _is_plain(generators: list[ast.comprehension]) -> bool:
    return len(generators) == 1 and not generators[0].is_async


EVALUATORS: dict[type, Evaluator] = {
    ast.Name: Run.use,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Constant: lambda run, node: Live(node.value),
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.List: partial(_display, kind=list),
    ast.Tuple: partial(_display, kind=tuple),
    ast.Set: partial(_display, kind=set),
    ast.Dict: _dict,
    ast.JoinedStr: _joined,
    ast.ListComp: partial(_comprehension, kind=list),
    ast.SetComp: partial(_comprehension, kind=set),
    ast.DictComp: partial(_comprehension, kind=dict),
    ast.GeneratorExp: partial(_comprehension, kind=types.GeneratorType),
    ast.NamedExpr: _walrus,
    ast.Starred: _starred,
}
