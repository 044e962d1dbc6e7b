"""Repairs of TypeError: mixed types, missing arguments, wrong brackets."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable

from spark_jupyter.server.engines import rewrite
from spark_jupyter.server.engines.repairs.attributes import of_none
from spark_jupyter.server.engines.repairs.base import Failure, Repair
from spark_jupyter.source.splices import Positions, Splice


def type_error(failure: Failure) -> Repair | None:
    """The repair for the kind of TypeError that the message tells of."""
    if failure.tree() is None:
        return None
    for pattern, repair in _KINDS:
        match = re.search(pattern, failure.message)
        if match:
            return repair(failure, match)
    return None


def _text_and_number(failure: Failure, match: re.Match[str]) -> Repair | None:
    for node in failure.nodes():
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
            continue
        sides = [(node.left, _kind(failure, node.left)), (node.right, _kind(failure, node.right))]
        texts = [side for side, kind in sides if kind == "str"]
        others = [side for side, kind in sides if kind != "str"]
        if len(texts) == 1 and _from_input(failure, texts[0]):
            break
        if len(texts) == 1 and len(others) == 1:
            says = "Text and numbers can't be added: the number has to become text first."
            return Repair(says, failure.replaced(others[0], f"str({failure.segment(others[0])})"))
    return _input_to_number(failure) or Repair(
        "A text and a number meet here. Make the number a text with `str(…)`, or the text a number with `int(…)` or `float(…)`."
    )


def _kind(failure: Failure, node: ast.expr) -> str:
    """The type of a side of ``+`` as far as can be seen: ``str``, another type's name, or nothing."""
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    if isinstance(node, ast.JoinedStr):
        return "str"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return "str" if "str" in (_kind(failure, node.left), _kind(failure, node.right)) else ""
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return "str" if called in ("input", "join", "upper", "lower", "format") else str(called)
    if isinstance(node, ast.Name):
        known, assigned = failure.namespace.get(node.id), _assigned(failure, node.id)
        return known.type if known else _kind(failure, assigned) if assigned is not None else ""
    return ""


def _assigned(failure: Failure, name: str) -> ast.expr | None:
    """The value that the name is first given, None where that uses the name itself."""
    value = next((value for target, value in failure.assignments() if target == name), None)
    used = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)} if value is not None else set()
    return None if name in used else value


def _is_input(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "input"


def _from_input(failure: Failure, node: ast.expr) -> bool:
    return _is_input(node) or (isinstance(node, ast.Name) and _is_input(_assigned(failure, node.id)))


def _input_to_number(failure: Failure) -> Repair | None:
    used = {node.id for node in failure.nodes() if isinstance(node, ast.Name)}
    for target, value in failure.assignments():
        if _is_input(value) and target in used:
            says = "`input` always gives text; `int` makes a whole number of it."
            return Repair(says, failure.replaced(value, f"int({failure.segment(value)})"))
    return None


def _comparison(failure: Failure, match: re.Match[str]) -> Repair | None:
    return _input_to_number(failure) or Repair(
        f"A {match['left']} can't be compared with a {match['right']}. Convert one of them: `int(…)`, `float(…)` or `str(…)`."
    )


def _self_missing(failure: Failure, match: re.Match[str]) -> Repair | None:
    name = match["name"].rpartition(".")[2]
    classes = (node for node in failure.walk() if isinstance(node, ast.ClassDef))
    for item in (item for node in classes for item in node.body):
        if isinstance(item, ast.FunctionDef) and item.name == name and not _has_self(item):
            start, _ = Positions(failure.source).span(item)
            at = failure.source.index("(", start) + 1
            comma = ", " if item.args.args else ""
            source = rewrite.apply_spans(failure.source, [Splice(at, at, f"self{comma}")])
            return Repair(f"A method's first parameter is the object itself: `{name}(self, …)`.", source)
    return Repair(f"`{name}` was given {match['given']} arguments and takes {match['takes']}. Leave some out.")


def _has_self(item: ast.FunctionDef) -> bool:
    names = [one.arg for one in item.args.args]
    decorated = {getattr(one, "id", "") for one in item.decorator_list} & {"staticmethod", "classmethod"}
    return bool(decorated) or names[:1] == ["self"]


def _not_callable(failure: Failure, match: re.Match[str]) -> Repair | None:
    kind = match["type"]
    for node in failure.nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if name in dir(builtins):
                return Repair(f"A variable called `{name}` hides Python's own: give it another name, and `del {name}`.")
            if kind in _WITH_ITEMS and len(node.args) == 1 and not node.keywords:
                text = f"{name}[{failure.segment(node.args[0])}]"
                return Repair(f"`{name}` is a {kind}: its items are in square brackets.", failure.replaced(node, text))
    return Repair(f"A {kind} is called like a function here. Look for brackets too many, or a `*` that is missing.")


def _not_iterable(failure: Failure, match: re.Match[str]) -> Repair | None:
    if match["type"] == "NoneType":
        return of_none(failure)
    for node in failure.nodes():
        if isinstance(node, (ast.For, ast.comprehension)) and match["type"] in ("int", "float"):
            text = f"range({failure.segment(node.iter)})"
            return Repair("A number can't be looped over; `range` counts up to it.", failure.replaced(node.iter, text))
    return Repair(f"A {match['type']} can't be looped over or unpacked.")


def _as_integer(failure: Failure, match: re.Match[str]) -> Repair | None:
    for node in failure.nodes():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            text = f"{failure.segment(node.left)} // {failure.segment(node.right)}"
            return Repair("`/` always gives a float; `//` divides to a whole number.", failure.replaced(node, text))
    for node in failure.nodes():
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range" and len(node.args) == 1:
            text = f"int({failure.segment(node.args[0])})"
            return Repair("`range` takes whole numbers only.", failure.replaced(node.args[0], text))
    return _input_to_number(failure) or Repair("A whole number is needed here: use `int(…)`.")


def _not_subscriptable(failure: Failure, match: re.Match[str]) -> Repair | None:
    kind = match["type"]
    if kind == "NoneType":
        return of_none(failure)
    if kind in ("builtin_function_or_method", "method", "function", "type"):
        for node in failure.nodes():
            if isinstance(node, ast.Subscript) and isinstance(node.value, (ast.Name, ast.Attribute)):
                name = failure.segment(node.value)
                says = f"`{name}` is a function: it is called with round brackets."
                return Repair(says, failure.replaced(node, f"{name}({failure.segment(node.slice)})"))
    return Repair(f"A {kind} has no items, so square brackets can't follow it.")


def _numbers_only(failure: Failure, match: re.Match[str]) -> Repair | None:
    positions, on_line = Positions(failure.source), set(map(ast.dump, failure.nodes()))
    calls = (call for call, _ in failure.calls(*_REDUCTIONS) if not call.keywords and ast.dump(call) in on_line)
    ends = [positions.span(call)[1] - 1 for call in calls]
    if not ends:
        return Repair("Only columns of numbers can be calculated with; choose those with `df.select_dtypes('number')`.")
    source = rewrite.apply_spans(failure.source, [Splice(end, end, "numeric_only=True") for end in ends])
    return Repair("Some columns are text: `numeric_only=True` leaves them out.", source)


_REDUCTIONS = ("mean", "median", "std", "var", "sum", "corr", "cov", "quantile", "sem", "skew")
_WITH_ITEMS = ("list", "dict", "tuple", "str", "DataFrame", "Series", "ndarray")

_KINDS: tuple[tuple[str, Callable[[Failure, re.Match[str]], Repair | None]], ...] = (
    (r"can only concatenate str|must be str, not|unsupported operand type\(s\) for \+=?: '(?:int|float|str)' and '(?:int|float|str)'",
     _text_and_number),
    (r"unsupported operand type\(s\) for (?:-|\*|/|//|%|\*\*).*'str'|can't multiply sequence by non-int", _text_and_number),
    (r"'[<>]=?' not supported between instances of '(?P<left>\w+)' and '(?P<right>\w+)'", _comparison),
    (r"(?P<name>[\w.<>]+)\(\) takes (?P<takes>\d+) positional arguments? but (?P<given>\d+) (?:was|were) given", _self_missing),
    (r"'(?P<type>\w+)' object is not callable", _not_callable),
    (r"(?:cannot unpack non-iterable |')(?P<type>\w+)'? object(?: is not iterable)?$", _not_iterable),
    (r"'float' object cannot be interpreted as an integer|indices must be integers or slices, not float", _as_integer),
    (r"'str' object cannot be interpreted as an integer", _as_integer),
    (r"'(?P<type>\w+)' object is not subscriptable", _not_subscriptable),
    (r"agg function failed|[Cc]ould not convert .* to numeric|does not support (?:reduction|operation)|Cannot perform reduction",
     _numbers_only),
)  # fmt: skip
