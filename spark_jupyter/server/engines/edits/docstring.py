"""Docstrings from parameters, results and errors that the code shows."""

from __future__ import annotations

import ast
import re

from spark_jupyter.server.engines import rewrite
from spark_jupyter.server.engines.edits import base
from spark_jupyter.source.splices import Positions, Splice

_VERBS = frozenset(base.WORDS["verbs"].split())
_SPECIAL: dict[str, str] = base.WORDS["special_methods"]


def add_docstrings(source: str) -> str:
    """The code with a docstring in each function and class that has none."""
    tree = base.parse(source)
    positions = Positions(source)
    lines = source.split("\n")
    spans: list[Splice] = []
    for node in ast.walk(tree):
        if (
            not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            or ast.get_docstring(node) is not None
        ):
            continue
        first = node.body[0]
        start = positions.span(first)[0]
        if first.lineno == node.lineno:  # def f(): return 1
            indent = " " * (node.col_offset + 4)
            before = len(source[:start].rstrip())
            spans.append(Splice(before, start, f"\n{indent}{_docstring(node, indent)}\n{indent}"))
        else:
            line = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", []))]) - 1
            while line > node.lineno and re.match(r"\s*(#|$)", lines[line - 1]):
                line -= 1
            start = positions.offset(line + 1, 0)
            indent = " " * first.col_offset
            spans.append(Splice(start, start, f"{indent}{_docstring(node, indent)}\n"))
    return rewrite.apply_spans(source, spans)


def _docstring(node: base.Function | ast.ClassDef, indent: str) -> str:
    if isinstance(node, ast.ClassDef):
        return f'"""{_sentence(base.in_words(node.name), a=True)}"""'
    if node.name.startswith("__") and node.name.endswith("__"):
        return f'"""{_SPECIAL.get(node.name, "Do what Python asks of this method.")}"""'
    lines = [_summary(node)]
    given = base.defaults(node)
    named = list(base.parameters(node))
    if named:
        lines += ["", "Args:"]
        lines += [f"    {one.arg}: {_about(one, given.get(one.arg))}" for one in named]
    nodes = list(base.own(node))
    returned = [one.value for one in nodes if isinstance(one, ast.Return) and one.value is not None]
    if any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in nodes):
        lines += ["", "Yields:", "    The next value."]
    elif returned:
        lines += ["", "Returns:", f"    {_what(returned)}"]
    raised = dict.fromkeys(_exception(one) for one in nodes if isinstance(one, ast.Raise) and one.exc is not None)
    if raised:
        lines += ["", "Raises:"] + [f"    {name}: if {reason}." for name, reason in raised]
    if len(lines) == 1:
        return f'"""{lines[0]}"""'
    body = "\n".join(f"{indent}{line}" if line else "" for line in lines[1:])
    return f'"""{lines[0]}\n{body}\n{indent}"""'


def _summary(node: base.Function) -> str:
    text = base.in_words(node.name)
    verb = text.split()[0] if text else ""
    if verb in ("is", "has", "can", "should"):
        named = [one.arg for one in base.parameters(node)[:1]] if verb == "is" else []
        return f"Say whether {(named or ['it'])[0]} {text}."
    return _sentence(text) if verb in _VERBS else f"Give the {text}."


def _sentence(text: str, *, a: bool = False) -> str:
    article = ("An " if text[:1] in "aeiou" else "A ") if a else ""
    whole = f"{article}{text}"
    return f"{whole[:1].upper()}{whole[1:]}."


def _about(one: ast.arg, default: ast.expr | None) -> str:
    kind = f" ({ast.unparse(one.annotation)})" if one.annotation else ""
    ending = f"; {ast.unparse(default)} if not given" if default is not None else ""
    return f"the {base.in_words(one.arg)}{kind}{ending}.".replace("  ", " ")


def _what(returned: list[ast.expr]) -> str:
    texts = list(dict.fromkeys(ast.unparse(one) for one in returned))
    if all(isinstance(one, ast.Constant) and isinstance(one.value, bool) for one in returned) or all(
        isinstance(one, (ast.Compare, ast.BoolOp)) for one in returned
    ):
        return "True or False."
    if len(texts) == 1 and isinstance(returned[0], ast.Name):
        return f"The {base.in_words(texts[0])}."
    short = [text.replace("\\", "\\\\").replace('"""', "'''") for text in texts if len(text) <= 50]
    shown = len(short) == len(texts) <= 3
    return f"{' or '.join(f'`{text}`' for text in short)}." if shown else "The result."


def _exception(node: ast.Raise) -> tuple[str, str]:
    raised = node.exc
    name = ast.unparse(raised.func) if isinstance(raised, ast.Call) else ast.unparse(raised) if raised else "Exception"
    if isinstance(raised, ast.Call) and raised.args and isinstance(raised.args[0], ast.Constant):
        text = str(raised.args[0].value).strip().rstrip(".").replace("\\", "\\\\").replace('"', "'")
        return name, text.split("\n")[0]
    return name, "something is wrong"
