"""Abstract evaluation of expressions.

Every call and comparison is shown to the rules on the way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from spark_jupyter.guardrail import (
    encoded_constants,
    indirect_calls,
    marked_paths,
    meant_conditions,
    path_choices,
    taint_calls,
    untrusted_callbacks,
)
from spark_jupyter.guardrail.evaluator import Evaluator
from spark_jupyter.guardrail.rule import Call, Compare, Literal
from spark_jupyter.guardrail.taint_catalogue import NAME_SOURCES, REQUEST_ATTRIBUTES, REQUEST_NAMES
from spark_jupyter.guardrail.taint_values import (
    HOLE,
    ITEM_LIMIT,
    MISSING,
    SAFE,
    UNKNOWN,
    Danger,
    Fact,
    Trust,
    Value,
    concatenate,
    join_values,
    merge_flows,
    without,
)

NAME_LIMIT: Final = 120
SECRET_LENGTH: Final = 12
"""Shortest string that is searched for keys and addresses with passwords."""


def parts(node: ast.AST, it: Evaluator) -> Value:
    """Combine expressions in an unknown way: the result has the flows of all of them."""
    flows = merge_flows(*[it.evaluate(part).flows for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)])
    return Value(flows=flows) if flows else UNKNOWN


def _constant(node: ast.Constant, it: Evaluator) -> Value:
    const = node.value
    if isinstance(const, str):
        if len(const) >= SECRET_LENGTH:
            it.show("literal", Literal(node, const))
        return Value(const=const, text=const[:4_000], flows=marked_paths.flows_of(const, it.state))
    if isinstance(const, bytes):
        return Value(const=const, text=const[:4_000].decode("latin-1"))
    return Value(const=const if const is not Ellipsis else None)


def _name(node: ast.Name, it: Evaluator) -> Value:
    found = it.state.lookup(node.id)
    if found is not None:
        return found
    for module in it.state.context.stars:
        if it.knows(f"{module}.{node.id}"):
            return Value(f"{module}.{node.id}")
    return Value(node.id)


def _attribute(node: ast.Attribute, it: Evaluator) -> Value:
    return _attribute_of(it.evaluate(node.value), node, it)


def _attribute_of(base: Value, node: ast.Attribute, it: Evaluator) -> Value:
    """``base.attr``: what was stored there, input of a request, or the base's flows under a longer name."""
    attr = node.attr
    if isinstance(node.value, ast.Name):
        stored = it.state.attribute(node.value.id, attr)
        if stored is not None:
            return stored
    if base.name.endswith("()") and (stored := it.state.member(base.name[:-2], attr)) is not None:
        return stored
    name = indirect_calls.renamed(f"{base.name}.{attr}") if base.name and len(base.name) < NAME_LIMIT else ""
    flows = base.flows
    source = NAME_SOURCES.get(name)
    if source is not None and (not name.startswith("self.") or it.state.handler_class):
        flows = it.state.flow(*source)
    elif attr in REQUEST_ATTRIBUTES and _is_request(base.name):
        flows = merge_flows(
            flows, it.state.flow("an uploaded file" if attr in ("files", "FILES") else "a request", Trust.REMOTE)
        )
    elif attr in ("name", "stem", "suffix") and base.name in ("pathlib.Path()", "pathlib.PurePath()"):
        ending = 0 if attr == "suffix" else Danger.UPLOAD
        flows = without(flows, Danger.PATH | ending)  # the last part only
    elif base.fact is Fact.ENUMERATION or (flows and untrusted_callbacks.names_itself(attr, it.state)):
        return SAFE  # a member; a number that a chat's service gave
    elif base.safe and attr in ("value", "name"):
        return SAFE  # of an enumeration's member
    elif isinstance(base.items, dict) and base.items.get(attr) is SAFE:
        return SAFE  # a field of a model that is a number
    elif base.fact is Fact.RECORD and isinstance(base.items, dict) and attr in base.items:
        return base.items[attr]
    if attr in ("name", "stem", "suffix"):
        flows = taint_calls.elsewhere(flows)
    carried = base.fact if base.fact in marked_paths.MANY and attr in ("path", "parent") else None
    return Value(name, flows=flows, fact=carried)


def _is_request(name: str) -> bool:
    """True if a value of this name is the request that a handler answers."""
    return name in REQUEST_NAMES or (
        name.endswith((".request", ".req")) and not name.startswith(("urllib", "http.client"))
    )


def _subscript(node: ast.Subscript, it: Evaluator) -> Value:
    base = it.evaluate(node.value)
    index = it.evaluate(node.slice)
    items = base.items
    if found := encoded_constants.part_of(base.const, node.slice) or indirect_calls.of_plumbum(node, base, index, it):
        return found
    if isinstance(index.const, str) and (found := indirect_calls.member(base, index.const, it.state)) is not None:
        return found
    if items is not None and index.const is not MISSING:
        key = index.const
        if isinstance(items, dict):
            if key in items:
                return items[key]
        elif isinstance(key, int) and -len(items) <= key < len(items):
            return items[key]
    if isinstance(items, dict) and items and all(item.is_constant or item.safe for item in items.values()):
        return SAFE
    text = HOLE if base.text is not None else None
    if base.name == "os.environ":
        home = Fact.WHOLE if index.const in marked_paths.HOMES else None
        return Value("os.environ[]", flows=it.state.flow("an environment variable", Trust.ENVIRONMENT), fact=home)
    if isinstance(index.const, str) and base.flows and taint_calls.is_forwarding(index.const):
        return Value("", flows=it.state.flow("a forwarding header", Trust.REMOTE))
    return Value(
        f"{base.name}[]" if base.name else "", flows=base.flows, safe=base.safe or (base.is_constant), text=text
    )


def _binary(node: ast.BinOp, it: Evaluator) -> Value:
    op = type(node.op)
    if op is ast.Add and isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Add):
        return _sum(node, it)
    left = it.evaluate(node.left)
    right = it.evaluate(node.right)
    if op is ast.Mult:
        it.show("division", node)
    if op is ast.Mod and left.text is not None:
        return percent(left, right)
    if op is ast.Add:
        if left.text is not None or right.text is not None:
            return concatenate([left, right])
        if isinstance(left.items, list):
            return _longer(left.items, [left, right])
    flows = merge_flows(left.flows, right.flows)
    safe = (left.safe or left.is_constant) and (right.safe or right.is_constant)
    if op is ast.Mult and (left.text is not None or right.text is not None):
        return Value(
            text=HOLE,
            flows=() if left.is_constant or right.is_constant else flows,
            safe=safe or left.is_constant or right.is_constant,
        )
    if op in (ast.Div, ast.FloorDiv, ast.Mod):
        it.show("division", node)
    name = f"{left.name}/" if op is ast.Div and left.name else ""
    text = f"{left.text}/{HOLE}" if op is ast.Div and left.text is not None else None
    value = Value(name[:NAME_LIMIT], flows=flows, safe=safe, text=text)
    return marked_paths.put_together(value, [left, right]) if op is ast.Div else value


def _longer(items: list[Value], values: list[Value]) -> Value:
    """``["git", "log"] + more``: the beginning is known, and what comes after stands as one item where it is not."""
    for value in values[1:]:
        items = [*items, *(value.items if isinstance(value.items, list) else [value])][:ITEM_LIMIT]
    return Value(items=items, flows=merge_flows(*[value.flows for value in values]))


def _sum(node: ast.BinOp, it: Evaluator) -> Value:
    """Evaluate a long ``a + b + c + …`` without recursion."""
    operands: list[ast.expr] = []
    current: ast.expr = node
    while isinstance(current, ast.BinOp) and isinstance(current.op, ast.Add):
        operands.append(current.right)
        current = current.left
    operands.append(current)
    values = [it.evaluate(operand) for operand in reversed(operands)]
    if any(value.text is not None for value in values):
        return concatenate(values)
    if isinstance(values[0].items, list):
        return _longer(values[0].items, values)
    safe = all(value.safe or value.is_constant for value in values)
    return Value(flows=merge_flows(*[value.flows for value in values]), safe=safe)


def percent(left: Value, right: Value) -> Value:
    """``"… %s" % right``. A template that asks for numbers only (``%d``) makes nothing dangerous."""
    pieces = (
        right.items.values() if isinstance(right.items, dict) else right.items if right.items is not None else [right]
    )
    values = list(pieces)
    text = left.text or ""
    template, holes = [], 0
    index = 0
    while (at := text.find("%", index)) >= 0:
        template.append(text[index:at])
        end = at + 1
        if text[end : end + 1] == "(":
            end = max(text.find(")", end) + 1, end + 1)
        while end < len(text) and text[end] in "#0- +.123456789*hlL":
            end += 1
        verb = text[end : end + 1]
        index = end + 1
        if verb == "%":
            template.append("%")
            continue
        piece = values[holes] if len(values) > holes and not isinstance(right.items, dict) else None
        holes += 1
        if verb in "dioxXeEfFgGc" and verb:
            template.append("0")
        else:
            template.append(piece.known_text or HOLE if piece is not None else HOLE)
    template.append(text[index:])
    if "%s" not in text and "%r" not in text and ")s" not in text and HOLE not in text:
        return Value(text="".join(template), safe=True, flows=() if holes else right.flows)
    safe = (
        (left.safe or left.is_constant)
        and all(value.safe or value.is_constant for value in values)
        and (bool(values) or right.safe)
    )
    return Value(text="".join(template)[:4_000], flows=merge_flows(left.flows, right.flows), safe=safe)


def _joined(node: ast.JoinedStr, it: Evaluator) -> Value:
    pieces = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = it.evaluate(part.value)
            spec = part.format_spec
            if spec is not None and isinstance(spec, ast.JoinedStr):
                it.evaluate(spec)
                text = "".join(str(one.value) for one in spec.values if isinstance(one, ast.Constant))
                if text and text[-1] in "dfgeFGE%xob":
                    value = SAFE
            if part.conversion == 114:
                value = taint_calls.repr_of(value)
            pieces.append(value if value.known_text is not None or value.text is not None else value.but(text=HOLE))
        else:
            pieces.append(it.evaluate(part))
    result = concatenate(pieces)
    return result if result.text is not None else result.but(text="")


def _call(node: ast.Call, it: Evaluator) -> Value:
    """Evaluate a call, and show it to the rules."""
    receiver = UNKNOWN
    if isinstance(node.func, ast.Attribute):
        receiver = it.evaluate(node.func.value)
        function = _attribute_of(receiver, node.func, it)
        tail = node.func.attr
    else:
        function = it.evaluate(node.func) if not isinstance(node.func, ast.Lambda) else Value("lambda")
        tail = function.name.rpartition(".")[2]
    args = [it.evaluate(arg) for arg in node.args]
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        value = it.evaluate(keyword.value)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value.items, dict):
            kwargs.update({key: item for key, item in value.items.items() if isinstance(key, str)})
        else:
            kwargs.setdefault("**", value)
    event = Call(node, function.name, tail, args, kwargs, receiver)
    if isinstance(node.func, ast.Lambda):
        return indirect_calls.run_lambda(node.func, args, it)
    if function.fact is Fact.PARTIAL:
        event = indirect_calls.bound(event._replace(tail=function.name.rpartition(".")[2]), function)
    it.called(event)
    if function.name in ("__import__", "importlib.import_module") and args and args[0].known_text:
        return Value(name="os" if args[0].known_text == "posix" else args[0].known_text)
    value = indirect_calls.stands_for(event) or taint_calls.result(event, function, it.state)
    return marked_paths.of_call(event, value, it.state) if event.tail in marked_paths.TAILS else value


def _sequence(node: ast.List | ast.Tuple | ast.Set, it: Evaluator) -> Value:
    values = [it.evaluate(item) for item in node.elts]
    flows = merge_flows(*[value.flows for value in values])
    safe = all(value.safe or value.is_constant for value in values)
    return Value(items=values[:ITEM_LIMIT], flows=flows, safe=safe)


def _dict(node: ast.Dict, it: Evaluator) -> Value:
    items: dict[object, Value] = {}
    flows = []
    for index, (key_node, value_node) in enumerate(zip(node.keys, node.values, strict=True)):
        value = it.evaluate(value_node)
        key = it.evaluate(key_node).const if key_node is not None else MISSING
        flows.append(value.flows)
        if index < ITEM_LIMIT:
            items[key if key is not MISSING else index] = value
        if isinstance(key, str):
            it.assigned(value_node, "", key, UNKNOWN, value)
    return Value(
        items=items, flows=merge_flows(*flows), safe=all(value.safe or value.is_constant for value in items.values())
    )


def _comparison(node: ast.Compare, it: Evaluator) -> Value:
    left = it.evaluate(node.left)
    for right_node in node.comparators:
        right = it.evaluate(right_node)
        it.show("compare", Compare(node, left, right))
        left = right
    return SAFE


def _choice(node: ast.IfExp, it: Evaluator) -> Value:
    it.guard(node.test)
    with path_choices.holding(node.test, it.state):
        value = it.evaluate(node.body)
    with path_choices.holding(ast.UnaryOp(ast.Not(), node.test), it.state):
        return join_values(value, it.evaluate(node.orelse))


def _logic(node: ast.BoolOp, it: Evaluator) -> Value:
    values = [it.evaluate(value) for value in node.values]
    result = values[0]
    for value in values[1:]:
        result = join_values(result, value)
    return result


def _unary(node: ast.UnaryOp, it: Evaluator) -> Value:
    value = it.evaluate(node.operand)
    if isinstance(node.op, ast.USub) and isinstance(value.const, int | float):
        return Value(const=-value.const)
    return SAFE if isinstance(node.op, ast.Not) else value


def _searches(condition: ast.expr, each: ast.expr) -> bool:
    """``[title for title in titles if text in title]``: a search, which says nothing of what is searched for."""
    if not isinstance(condition, ast.Compare) or not isinstance(condition.ops[0], ast.In | ast.NotIn):
        return False
    names = {node.id for node in ast.walk(each) if isinstance(node, ast.Name)}
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(condition.comparators[0]))


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, it: Evaluator) -> Value:
    for generator in node.generators:
        it.bind(generator.target, taint_calls.element_of(it.evaluate(generator.iter)))
        for condition in generator.ifs:
            it.evaluate(condition) if _searches(condition, generator.target) else it.guard(condition)
            path_choices.narrow_by(condition, it.state)
    if isinstance(node, ast.DictComp):
        it.evaluate(node.key)
        value = it.evaluate(node.value)
    else:
        value = it.evaluate(node.elt)
    return Value(flows=value.flows, safe=value.safe or value.is_constant, items=[value], fact=Fact.REPEATED)


def _lambda(node: ast.Lambda, it: Evaluator) -> Value:
    return Value("lambda", flows=indirect_calls.run_lambda(node, [], it).flows)


def _starred(node: ast.Starred, it: Evaluator) -> Value:
    return it.evaluate(node.value)


def _named(node: ast.NamedExpr, it: Evaluator) -> Value:
    value = it.evaluate(node.value)
    it.bind(node.target, value)
    meant_conditions.remember(node.target, node.value, it.state)
    return value


def _await(node: ast.Await, it: Evaluator) -> Value:
    return it.evaluate(node.value)


EVALUATORS: Final[dict[type, Callable[[Any, Evaluator], Value]]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.JoinedStr: _joined,
    ast.Call: _call,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.Compare: _comparison,
    ast.IfExp: _choice,
    ast.BoolOp: _logic,
    ast.UnaryOp: _unary,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Lambda: _lambda,
    ast.Starred: _starred,
    ast.NamedExpr: _named,
    ast.Await: _await,
}
