"""Taint of function parameters.

Parameters of request handlers are input. Those of other functions become input where the notebook calls the function
with some.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail import taint_calls, taint_catalogue, untrusted_callbacks
from spark_jupyter.guardrail.evaluator import Evaluator
from spark_jupyter.guardrail.marked_paths import is_whole
from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_state import Scope, Summary
from spark_jupyter.guardrail.taint_values import UNKNOWN, Danger, Fact, Flows, Trust, Value, merge_flows, without, words

_CONVERTER: Final = re.compile(r"<(?:int|float|uuid):(\w+)>")
_OF_HANDLERS: Final = words("route websocket api_view view_config endpoint csrf_exempt require_http_methods")


def decorate(node: ast.expr, it: Evaluator) -> None:
    if isinstance(node, ast.Call):
        name = _dotted(node.func)
        it.evaluate(node)
        if name.endswith((".route", ".get")):
            it.state.on_get = name.endswith(".get") or _methods(node) <= {"GET", "HEAD"}
        for keyword in node.keywords:
            if keyword.arg == "response_class":
                it.state.decorators.append(_dotted(keyword.value).rpartition(".")[2])
            elif keyword.arg == "type" and _few(keyword.value) and node.args and isinstance(node.args[0], ast.Constant):
                it.state.converted.add(str(node.args[0].value).lstrip("-").replace("-", "_"))
        if node.args and isinstance(node.args[0], ast.Constant):
            it.state.routes.append(it.evaluate(node.args[0]))
    else:
        name = _dotted(node)
        it.evaluate(node)
    it.state.decorators.append(name)


def _methods(node: ast.Call) -> set[str]:
    """Methods that ``@app.route`` names, or its default."""
    named = next((word.value for word in node.keywords if word.arg == "methods"), None)
    if not isinstance(named, ast.List | ast.Tuple | ast.Set):
        return {"GET"} if named is None else set()
    return {str(one.value).upper() for one in named.elts if isinstance(one, ast.Constant)}


def _few(kind: ast.expr) -> bool:
    """``click.Choice([…])``, ``int``: a command line's option that can only be what does no harm."""
    name = _dotted(kind.func if isinstance(kind, ast.Call) else kind)
    return name.rpartition(".")[2] in ("Choice", "IntRange", "FloatRange", *taint_catalogue.SIMPLE_TYPES)


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def is_handler_decorator(name: str) -> bool:
    """``@app.route``, ``@router.get``, ``@api_view`` and their kind."""
    receiver, _, tail = name.rpartition(".")
    if tail not in taint_catalogue.HANDLER_DECORATORS:
        return False
    base = receiver.rpartition(".")[2].lower()
    return tail in _OF_HANDLERS or (not receiver or any(word in base for word in taint_catalogue.HANDLER_RECEIVERS))


def open_scope(node: ast.FunctionDef | ast.AsyncFunctionDef, indent: int, it: Evaluator) -> Scope:
    """The scope of a function with its parameters bound."""
    state = it.state
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    names = [argument.arg for argument in arguments]
    rest = [f"*{node.args.vararg.arg}"] if node.args.vararg is not None else []
    rest += [f"**{node.args.kwarg.arg}"] if node.args.kwarg is not None else []
    summary = Summary(node.name, [*names, *rest])
    scope = Scope("function", node.name, indent, summary)
    decorated = [name for name in state.decorators if name]
    scope.decorators = decorated
    tails = {name.rpartition(".")[2] for name in decorated}
    routed = any(is_handler_decorator(name) for name in decorated)
    in_class = state.scope.kind == "class" and state.scope.handler
    answers = in_class and (state.scope.open_ended or node.name in taint_catalogue.HANDLER_METHODS)
    serves = untrusted_callbacks.serves(state.scope.bases)
    scope.handler = not serves and (
        routed
        or (in_class and node.name in taint_catalogue.HANDLER_METHODS)
        or (bool(names) and names[0] in ("request", "req") and _may_be_request(arguments[0].annotation))
        or (names[:2] == ["self", "request"])
        or node.name in taint_catalogue.LAMBDA_NAMES
        or names[:2] in (["environ", "start_response"], ["event", "context"])
    )
    scope.on_get = (routed and state.on_get) or (in_class and node.name == "get")
    fed = serves or (not scope.handler and untrusted_callbacks.is_fed(names, tails, state))
    command_line = bool(tails & {"command", "argument", "option"}) and not routed
    converted = state.converted | {
        match for route in state.routes if route.text for match in _CONVERTER.findall(route.text)
    }
    positional = [*node.args.posonlyargs, *node.args.args][
        len(names) - len(node.args.kwonlyargs) - len(node.args.defaults) :
    ]
    given = [
        *zip(positional, node.args.defaults, strict=True),
        *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
    ]
    bounds = {argument.arg for argument, default in given if _bounded(default)}
    for argument, default in given:
        if default is not None:
            summary.defaults[argument.arg] = it.evaluate(default)
            it.assigned(default, argument.arg, "", UNKNOWN, summary.defaults[argument.arg])
    for argument in arguments:
        scope.variables[argument.arg] = _parameter(
            argument,
            scope.handler,
            routed or answers or (fed and not untrusted_callbacks.is_own(argument.arg)),
            command_line,
            converted,
            it,
            argument.arg in bounds,
        )
    for name, value in summary.defaults.items():
        whole = Fact.WHOLE if is_whole(value) else None
        kept = tuple(flow for flow in value.flows if flow[0].trust == Trust.OWN)
        if whole or kept:
            own = scope.variables[name]
            scope.variables[name] = own.but(fact=whole, flows=merge_flows(own.flows, kept))
    for event in state.awaited.pop(node.name, ()):
        _given_before(event, names, scope)
    if "errorhandler" in tails or "exception_handler" in tails:
        scope.variables.update({name: Value(fact=Fact.EXCEPTION) for name in names[-1:]})
    for extra in (node.args.vararg, node.args.kwarg):
        if extra is not None:
            scope.variables[extra.arg] = Value(
                extra.arg, flows=state.flow(f"the parameter {extra.arg}", Trust.PARAMETER, extra.arg)
            )
    state.decorators.clear()
    state.routes.clear()
    state.converted = set()
    state.on_get = False
    if state.scope.kind != "function" and len(state.context.functions) < 5_000:
        state.context.functions[node.name] = summary
        if state.scope.kind == "class":
            summary.owner = state.scope.name
            name = state.scope.name if node.name == "__init__" else f"{state.scope.name}.{node.name}"
            state.context.functions[name] = summary
    return scope


def _bounded(default: ast.expr | None) -> bool:
    """``Query(10, le=500)``: the framework refuses more."""
    return isinstance(default, ast.Call) and any(word.arg in ("le", "lt") for word in default.keywords)


def _may_be_request(annotation: ast.expr | None) -> bool:
    """True if a parameter called ``req`` may be a web request: in a package manager it is a requirement."""
    return annotation is None or "request" in ast.unparse(annotation).lower()


def _given_before(event: Call, names: list[str], scope: Scope) -> None:
    """Bind the parameters to the arguments of earlier calls."""
    for name in names:
        value = taint_calls.passed(event, names, name)
        flows = tuple(flow for flow in value.flows if flow[0].trust != Trust.PARAMETER)
        if (value.text or "").startswith(("http", "/")):
            flows = without(flows, Danger.URL | Danger.REDIRECT)  # the address's beginning is not theirs
        own = scope.variables[name]
        if flows and not own.safe:
            scope.variables[name] = own.but(flows=merge_flows(own.flows, flows))


_OF_THOSE: Final = words("Annotated Optional list List set Set tuple Tuple Sequence")


def _is_none(annotation: ast.expr) -> bool:
    return isinstance(annotation, ast.Constant) and annotation.value is None


def is_harmless(annotation: ast.expr | None, it: Evaluator) -> bool:
    """``int``, ``Literal["a", "b"]`` or an enumeration of the notebook: the framework refuses any other value."""
    if isinstance(annotation, ast.Name | ast.Attribute) and _dotted(annotation) in taint_catalogue.SIMPLE_TYPES:
        return True
    if isinstance(annotation, ast.Subscript):
        kind, inner = _dotted(annotation.value).rpartition(".")[2], annotation.slice
        if kind == "Annotated" and isinstance(inner, ast.Tuple):
            inner = inner.elts[0]
        return kind == "Literal" or (kind in _OF_THOSE and is_harmless(inner, it))
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):  # int | None
        return all(_is_none(side) or is_harmless(side, it) for side in (annotation.left, annotation.right))
    found = it.state.lookup(annotation.id) if isinstance(annotation, ast.Name) else None
    return found is not None and found.fact is Fact.ENUMERATION


def _parameter(
    argument: ast.arg,
    handler: bool,
    routed: bool,
    command_line: bool,
    converted: set[str],
    it: Evaluator,
    bounded: bool = False,
) -> Value:
    name = argument.arg
    annotation = _dotted(argument.annotation) if isinstance(argument.annotation, ast.Name | ast.Attribute) else ""
    if name in converted or is_harmless(argument.annotation, it):
        chosen = routed and annotation in ("int", "float") and not bounded
        return Value(name, safe=True, fact=Fact.NUMBER_OF_A_REQUEST if chosen else None)
    if name in ("self", "cls") or (handler and name in ("response", "resp")):
        return Value(name)  # the answer is the program's own
    kind = it.state.lookup(annotation) if annotation else None
    model = routed and kind is not None and kind.fact is Fact.MODEL
    if handler and name in ("request", "req", "websocket", "ws") and not model:
        return Value("request")
    if annotation in ("Session", "AsyncSession", "Connection", "BackgroundTasks", "Response", "HttpRequest", "Request"):
        return Value("request" if annotation.endswith("Request") else name)
    flows: Flows
    if routed or (handler and name in ("environ", "event", "body")):
        label = "an uploaded file" if annotation.endswith("UploadFile") else f"the request's {name}"
        flows = it.state.flow(label, Trust.REMOTE, name)
    elif taint_catalogue.USER_INPUT_NAME.match(name):
        flows = it.state.flow(f"the parameter {name}", Trust.LOCAL, name)
    elif command_line:
        flows = it.state.flow(f"the option {name}", Trust.LOCAL, name)
    elif handler and name not in ("start_response", "context", "db", "session"):
        flows = it.state.flow(f"the request's {name}", Trust.REMOTE, name)
    else:
        flows = it.state.flow(f"the parameter {name}", Trust.PARAMETER, name)
    own = (
        model
        or name in ("input", "open", "eval")
        or (name in ("req", "request") and not _may_be_request(argument.annotation))
    )
    fields = kind.items if model and kind is not None else None
    return Value("" if own else name, flows=flows, items=fields)
