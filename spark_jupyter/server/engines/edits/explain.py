"""Explanations and comments for code, statement by statement, from its syntax tree.

They say what is done, not why.
"""

from __future__ import annotations

import ast
import re

from spark_jupyter.server.engines.edits import base

_OPERATORS = {
    ast.Add: "plus", ast.Sub: "minus", ast.Mult: "times", ast.Div: "divided by", ast.FloorDiv: "divided to a whole number by",
    ast.Mod: "modulo", ast.Pow: "to the power of",
}  # fmt: skip
_KNOWN = {
    "head": "the first rows of {0}", "describe": "summary statistics of {0}", "dropna": "{0} without its rows with missing values",
    "fillna": "{0} with its missing values filled", "sort_values": "{0} sorted", "groupby": "{0} grouped by {1}", "mean": "the mean of {0}",
    "sum": "the sum of {0}", "median": "the median of {0}", "max": "the largest of {0}", "min": "the smallest of {0}",
    "count": "the count of {0}", "value_counts": "how often each value of {0} occurs", "unique": "the different values of {0}",
    "merge": "{0} joined with {1}", "isna": "where {0} is missing", "append": "append {1} to {0}", "upper": "{0} in capitals",
    "lower": "{0} in small letters", "strip": "{0} without spaces at its ends", "split": "{0} cut into pieces",
    "show": "show the figure", "hist": "a histogram", "scatter": "a scatter plot", "bar": "a bar chart", "plot": "a plot",
    "savefig": "save the figure in {1}", "to_csv": "save {0} in {1}", "fit": "{0} fitted to the data", "predict": "the predictions of {0}",
}  # fmt: skip
_FUNCTIONS = {
    "print": "print {0}", "len": "the number of items in {0}", "range": "the numbers of range({all})", "sum": "the sum of {0}",
    "sorted": "{0} sorted", "max": "the largest of {all}", "min": "the smallest of {all}", "open": "the opened file {0}",
    "int": "{0} as a whole number", "float": "{0} as a number", "str": "{0} as text", "list": "{0} as a list", "set": "{0} without doubles",
    "input": "what the user types", "enumerate": "{0} with its positions", "zip": "{all} side by side", "round": "{0} rounded",
    "abs": "the absolute value of {0}", "read_csv": "the table read from {0}",
}  # fmt: skip


def explain(source: str) -> str:
    """Markdown: what the code does, one line for each statement, blocks indented. Raises :class:`SyntaxError`."""
    tree = base.parse(source)
    lines = [line for statement in tree.body for line in _statement(statement, 0)]
    return "\n".join(lines) if lines else "There is nothing in it that runs."


def comment(source: str) -> str:
    """The code with a comment above each statement of the top level that has none."""
    lines = source.split("\n")
    for statement in reversed(base.parse(source).body):
        at = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))]) - 1
        above = lines[at - 1].strip() if at else ""
        if (
            isinstance(statement, (ast.Import, ast.ImportFrom))
            or above.startswith("#")
            or lines[at].lstrip().startswith("#")
        ):
            continue
        if _is_text(statement) or lines[at][: statement.col_offset].strip():
            continue
        text = re.sub(r"[`*]", "", _statement(statement, 0)[0].partition(": ")[2])
        lines.insert(at, f"# {text.rstrip(':.')}")
    return "\n".join(lines)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _statement(node: ast.stmt, depth: int) -> list[str]:
    text = _sentence(node)
    lines = [f"{'  ' * depth}- Line {node.lineno}: {text[:1].upper()}{text[1:]}"]
    for name in ("body", "orelse", "finalbody"):
        inner = getattr(node, name, None)
        if isinstance(inner, list) and inner:
            if name == "orelse" and not (len(inner) == 1 and isinstance(inner[0], ast.If)):
                lines.append(f"{'  ' * depth}- Otherwise:")
            lines += [
                line
                for child in inner
                for line in _statement(child, depth + 1 - (name == "orelse" and isinstance(child, ast.If)))
            ]
    for handler in getattr(node, "handlers", []):
        caught = _text(handler.type) if handler.type else "any error"
        lines.append(f"{'  ' * depth}- Line {handler.lineno}: If {caught} is raised there:")
        lines += [line for child in handler.body for line in _statement(child, depth + 1)]
    return lines


def _sentence(node: ast.stmt) -> str:  # noqa: C901  # a table of statement kinds
    match node:
        case ast.Import() | ast.ImportFrom():
            return _import(node)
        case ast.Assign(targets=[ast.Name(id=name)]):
            return f"`{name}` becomes {_value(node.value)}."
        case ast.Assign():
            return f"{' and '.join(_text(one) for one in node.targets)} becomes {_value(node.value)}."
        case ast.AnnAssign():
            return f"{_text(node.target)} (a `{ast.unparse(node.annotation)}`)" + (
                f" becomes {_value(node.value)}." if node.value else "."
            )
        case ast.AugAssign():
            return f"{_text(node.target)} becomes itself {_OPERATORS.get(type(node.op), 'combined with')} {_value(node.value)}."
        case ast.For() | ast.AsyncFor():
            return f"for each {_text(node.target)} in {_value(node.iter)}:"
        case ast.While():
            return f"as long as {_text(node.test)} is true:"
        case ast.If():
            return f"if {_text(node.test)}:"
        case ast.With() | ast.AsyncWith():
            return f"with {', '.join(_value(item.context_expr) for item in node.items)}, closed afterwards:"
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            names = ", ".join(f"`{one.arg}`" for one in base.parameters(node))
            return f"define the function `{node.name}`" + (f", which takes {names}:" if names else ":")
        case ast.ClassDef():
            bases = ", ".join(_text(one) for one in node.bases)
            return f"define the class `{node.name}`" + (f", a kind of {bases}:" if bases else ":")
        case ast.Return():
            return f"give back {_value(node.value)}." if node.value else "leave the function."
        case ast.Raise():
            return f"raise the error {_text(node.exc)}." if node.exc else "raise the error again."
        case ast.Assert():
            return f"make sure that {_text(node.test)}; otherwise raise an AssertionError."
        case ast.Delete():
            return f"delete {', '.join(_text(one) for one in node.targets)}."
        case ast.Try():
            return "try the following:"
        case ast.Expr(value=ast.Constant(value=str())):
            return "a text that documents what is around it."
        case ast.Expr():
            return _expression(node.value)
        case ast.Global() | ast.Nonlocal():
            return f"{', '.join(f'`{name}`' for name in node.names)} means the variable outside the function."
        case ast.Pass():
            return "do nothing."
        case ast.Break():
            return "leave the loop."
        case ast.Continue():
            return "go on with the loop's next item."
    return f"`{ast.unparse(node)}`."


def _import(node: ast.Import | ast.ImportFrom) -> str:
    names = " and ".join(f"`{one.name}`" + (f" as `{one.asname}`" if one.asname else "") for one in node.names)
    return f"make {names} available" + (f" from `{node.module}`." if isinstance(node, ast.ImportFrom) else ".")


def _expression(node: ast.expr) -> str:
    value = _value(node)
    acts = ("print", "append", "show", "save")
    return (
        f"{value}."
        if value.startswith(acts)
        else f"call {value}."
        if value.startswith("`") and isinstance(node, ast.Call)
        else f"show {value}."
    )


def _value(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in _FUNCTIONS and node.args:
            return _filled(_FUNCTIONS[name], [_text(one) for one in node.args])
        case ast.Call(func=ast.Attribute(attr=name, value=owner)) if name in _FUNCTIONS and node.args:
            return _filled(_FUNCTIONS[name], [_text(one) for one in node.args])
        case ast.Call(func=ast.Attribute(attr=name, value=owner)) if name in _KNOWN:
            inner = _value(owner) if isinstance(owner, ast.Call) else _text(owner)
            return _filled(_KNOWN[name], [inner, *(_text(one) for one in node.args)])
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() if ast.unparse(node) in ("[]", "()", "{}"):
            return {"List": "an empty list", "Tuple": "an empty tuple", "Dict": "an empty dict"}[type(node).__name__]
        case ast.ListComp():
            loop = node.generators[0]
            only = f", only where {' and '.join(_text(one) for one in loop.ifs)}" if loop.ifs else ""
            return f"a list of {_text(node.elt)} for each {_text(loop.target)} in {_text(loop.iter)}{only}"
        case ast.BinOp():
            return f"{_text(node.left)} {_OPERATORS.get(type(node.op), 'combined with')} {_text(node.right)}"
        case ast.Lambda():
            return f"a small function that gives {_text(node.body)}"
    return _text(node)


def _filled(pattern: str, values: list[str]) -> str:
    text = pattern.replace("{all}", ", ".join(values))
    for number in range(2):
        text = text.replace(f"{{{number}}}", values[number] if number < len(values) else "it")
    return text


def _text(node: ast.AST) -> str:
    text = ast.unparse(node)
    text = text if len(text) <= 80 else f"{text[:77]}…"
    return f"`` {text} ``" if "`" in text else f"`{text}`"
