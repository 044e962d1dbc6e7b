"""Type hints from defaults, annotations, operations and returned values.

Nothing is guessed from names.
"""

from __future__ import annotations

import ast

from spark_jupyter.server.engines import rewrite
from spark_jupyter.server.engines.edits import base
from spark_jupyter.source.splices import Positions, Splice

_METHODS = {kind: frozenset(methods.split()) for kind, methods in base.WORDS["methods_of"].items()}
_CALLS: dict[str, str] = base.WORDS["results_of_calls"]
_TEXT_METHODS: dict[str, str] = base.WORDS["results_of_text_methods"]


def add_type_hints(source: str) -> str:
    """The code with hints where it has none and the code itself shows what they are."""
    tree = base.parse(source)
    positions = Positions(source)
    spans: list[Splice] = []
    imports = (alias for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names)
    has_pandas = any(alias.asname == "pd" for alias in imports)
    for function in base.functions(tree):
        given = base.defaults(function)
        known: dict[str, str] = {}
        for one in base.parameters(function):
            hint = (
                ast.unparse(one.annotation) if one.annotation else of_parameter(function, one.arg, given.get(one.arg))
            )
            if hint:
                known[one.arg] = hint
            if hint and one.annotation is None and ("pd." not in hint or has_pandas):
                spans.append(_hinted(source, one, hint, given.get(one.arg), positions))
        result = of_result(function, known)
        if function.returns is None and result:
            at = _before_colon(source, function, positions)
            spans.append(Splice(at, at, f" -> {result}"))
    return rewrite.apply_spans(source, spans)


def _hinted(source: str, one: ast.arg, hint: str, default: ast.expr | None, positions: Positions) -> Splice:
    """The hint behind the parameter; where a default follows, with spaces around ``=`` (PEP 8)."""
    end = positions.span(one)[1]
    start = positions.span(default)[0] if default is not None else end
    if source[end:start].strip() == "=":
        return Splice(end, start, f": {hint} = ")
    return Splice(end, end, f": {hint}")


def _before_colon(source: str, function: base.Function, positions: Positions) -> int:
    body = positions.span(function.body[0])[0]
    ends = [positions.span(node)[1] for node in ast.walk(function.args) if hasattr(node, "end_lineno")]
    start = max([positions.span(function)[0], *ends])
    return source.index(")", start, body) + 1


def of_parameter(function: base.Function, name: str, default: ast.expr | None) -> str:
    if default is not None:
        if isinstance(default, ast.Constant) and default.value is None:
            used = _by_use(function, name)
            return f"{used} | None" if used else ""
        return _of_value(default, {})
    return _by_use(function, name)


def _by_use(function: base.Function, name: str) -> str:
    """The type of the parameter by its uses; "" where they contradict each other."""
    found: set[str] = set()
    for node in base.own(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
            found |= {kind for kind, methods in _METHODS.items() if node.attr in methods}
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Pow, ast.Sub, ast.FloorDiv)):
            if name in (getattr(node.left, "id", ""), getattr(node.right, "id", "")):
                found.add("float")
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range":
            found |= {"int"} & ({"int"} if any(getattr(one, "id", "") == name for one in node.args) else set())
    if found == {"int", "float"}:
        return "int"
    return found.pop() if len(found) == 1 else ""


def of_result(function: base.Function, known: dict[str, str]) -> str:
    nodes = list(base.own(function))
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes):
        return ""
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    values = [value for value in returned if value is not None]
    if not values:
        return "None"
    kinds = {_of_value(value, known) for value in values}
    if "" in kinds or len(kinds) > 2:
        return ""
    if len(kinds) == 1 and len(values) == len(returned) and _always_returns(function.body):
        return kinds.pop()
    names = kinds | (set() if len(values) == len(returned) and _always_returns(function.body) else {"None"})
    return " | ".join(sorted(names, key=lambda one: (one == "None", one)))


def _always_returns(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _always_returns(last.body) and _always_returns(last.orelse)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return _always_returns(last.body)
    if isinstance(last, ast.Try):
        return _always_returns(last.body) and all(_always_returns(one.body) for one in last.handlers)
    return isinstance(last, (ast.Return, ast.Raise)) or (
        isinstance(last, ast.While) and ast.unparse(last.test) == "True"
    )


def _of_value(node: ast.expr, known: dict[str, str]) -> str:
    if isinstance(node, ast.Constant):
        return "None" if node.value is None else type(node.value).__name__ if node.value is not ... else ""
    if isinstance(node, (ast.JoinedStr, ast.Compare)):
        parts = (node.left, *node.comparators) if isinstance(node, ast.Compare) else ()
        array = any(isinstance(part, ast.Subscript) for part in parts)
        return "str" if isinstance(node, ast.JoinedStr) else "" if array else "bool"
    if isinstance(node, (ast.List, ast.Set)):
        return _of_items("list" if isinstance(node, ast.List) else "set", node.elts)
    if isinstance(node, (ast.Dict, ast.DictComp, ast.ListComp, ast.SetComp, ast.Tuple)):
        return {"Dict": "dict", "DictComp": "dict", "ListComp": "list", "SetComp": "set", "Tuple": "tuple"}[
            type(node).__name__
        ]
    if isinstance(node, ast.Name):
        return known.get(node.id, "")
    if isinstance(node, ast.UnaryOp):
        return "bool" if isinstance(node.op, ast.Not) else _of_value(node.operand, known)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "round" and len(node.args) == 1:
            return "int"
        return (_TEXT_METHODS if isinstance(node.func, ast.Attribute) else _CALLS).get(str(name), "")
    return _of_operation(node, known) if isinstance(node, ast.BinOp) else ""


def _of_items(kind: str, items: list[ast.expr]) -> str:
    kinds = {_of_value(item, {}) for item in items}
    only = kinds.pop() if len(kinds) == 1 else ""
    return f"{kind}[{only}]" if only else kind


def _of_operation(node: ast.BinOp, known: dict[str, str]) -> str:
    left, right = _of_value(node.left, known), _of_value(node.right, known)
    if not left or not right or not {left, right} <= {"int", "float", "str"}:
        return ""
    if isinstance(node.op, ast.Div):
        return "float"
    if left == right:
        return left
    return "float" if {left, right} == {"int", "float"} else "str" if isinstance(node.op, (ast.Mod, ast.Mult)) else ""
