"""Repairs of ValueError and FileNotFoundError."""

from __future__ import annotations

import ast
import re

from spark_jupyter.server.engines import rewrite
from spark_jupyter.server.engines.repairs.base import KNOWN, Failure, Repair, nearest
from spark_jupyter.server.engines.rewrite import quoted
from spark_jupyter.server.engines.tables.pandas_terms import converted


def value_error(failure: Failure) -> Repair | None:
    """The repair for the kind of ValueError that the message tells of."""
    message = failure.message
    if failure.tree() is None:
        return None
    if "truth value of a" in message:
        return _ambiguous(failure)
    if re.search(r"could not convert string to float|invalid literal for int\(\)|Unable to parse string", message):
        return _not_a_number(failure)
    if re.search("Expected 2D array|Expected a 2-dimensional", message):
        return _two_dimensional(failure)
    if "match format" in message and (found := _mixed_dates(failure)) is not None:
        return found
    if "values to unpack" in message:
        return _unpacking(failure)
    advice = next((says for pattern, says in KNOWN["advice_on_values"] if re.search(pattern, message)), None)
    return Repair(advice.format(message=re.split(r"\W*You might want to", message)[0])) if advice else None


def _ambiguous(failure: Failure) -> Repair | None:
    """``and``, ``or``, ``not`` between columns become ``&``, ``|``, ``~``."""
    outer = next((node for node in failure.nodes() if isinstance(node, ast.BoolOp)), None)
    if outer is None:
        return Repair(
            "A whole column has no single truth value: ask `.any()` or `.all()`, or select rows with `df[condition]`."
        )
    says = (
        "Columns are combined with `&`, `|` and `~`, each comparison in brackets; `and` and `or` are for single values."
    )
    return Repair(says, failure.replaced(outer, _elementwise(failure, outer)))


def _mixed_dates(failure: Failure) -> Repair | None:
    """Dates in several formats are read format by format."""
    for node in failure.nodes():
        match node:
            case ast.Call(func=ast.Attribute(attr="to_datetime"), args=[ast.Subscript() as of, *_]):
                table, label = failure.segment(of.value), getattr(of.slice, "value", "")
                known = failure.namespace.get(table)
                column = known.column(str(label)) if known is not None else None
                if column is not None and column.holds.startswith("mixed dates"):
                    says = f"The dates in `{label}` have several formats; each is read by itself."
                    return Repair(says, failure.replaced(node, converted(failure.segment(of), column.holds)))
    return None


def _elementwise(failure: Failure, node: ast.expr) -> str:
    if isinstance(node, ast.BoolOp):
        sign = " & " if isinstance(node.op, ast.And) else " | "
        return sign.join(_elementwise(failure, value) for value in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"~{_elementwise(failure, node.operand)}"
    text = failure.segment(node)
    return text if text.startswith("(") and text.endswith(")") and text.count("(") == 1 else f"({text})"


def _not_a_number(failure: Failure) -> Repair | None:
    found = re.search(r"""(?:: |string )(["'])(?P<text>.*)\1""", failure.message)
    text = found["text"] if found else ""
    for node in failure.nodes():
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called == "astype" and isinstance(node.func, ast.Attribute):
            return _converted(failure, node, called, node.func.value, text)
        if called in ("int", "float", "to_numeric") and len(node.args) == 1:
            return _converted(failure, node, str(called), node.args[0], text)
    return Repair(f"'{text}' can't be made a number. Look where it comes from, and leave it out or clean it first.")


def _converted(failure: Failure, call: ast.Call, called: str, value: ast.expr, text: str) -> Repair:
    marks, plain, says = _marks_in(text)
    is_column = called in ("astype", "to_numeric")
    new = failure.segment(value) + "".join(f'{".str" * is_column}.replace("{mark}", "{by}")' for mark, by in marks)
    if is_column:
        made = f"pd.to_numeric({new})" if says else f'pd.to_numeric({new}, errors="coerce")'
        return Repair(f"'{text}' {says or KNOWN['no_number']}.", failure.replaced(call, made))
    if called == "int" and re.fullmatch(r"\s*[-+]?\d+\.\d*\s*", text):
        plain, says = text, "has a decimal point: `float` reads it, `int` then cuts it"
    if not says:
        return Repair(f"'{text}' is no number. Ask again, or catch it: `try: … except ValueError: …`.")
    made = f"int(float({new}))" if called == "int" and "." in plain else f"{called}({new})"
    return Repair(f"'{text}' {says}.", failure.replaced(call, made))


def _marks_in(text: str) -> tuple[list[tuple[str, str]], str, str]:
    """What to replace in a number that Python can't read, the number then, and what it has; no words where it is none."""
    plain = text.strip("$€£ ")
    comma = "." if re.fullmatch(r"[-+]?(?!\d{1,3}(,\d{3})+$)(\d+|\d{1,3}(\.\d{3})+),\d+", plain) else ""
    marks = [(mark, comma * (mark == ",")) for mark in f"$€£{comma}," if mark in text]
    for mark, by in marks:
        plain = plain.replace(mark, by)
    is_number = marks and re.fullmatch(r"[-+]?\d+(\.\d+)?", plain)
    return (marks, plain, KNOWN["decimal_comma" if comma else "signs_in_number"]) if is_number else ([], text, "")


def _two_dimensional(failure: Failure) -> Repair | None:
    on_line = set(map(ast.dump, failure.nodes()))
    for call, _ in failure.calls(*KNOWN["methods_of_estimators"].split()):
        if not call.args or ast.dump(call) not in on_line:
            continue
        features = call.args[0]
        if isinstance(features, ast.Subscript) and isinstance(features.slice, ast.Constant):
            source = failure.replaced(features.slice, f"[{failure.segment(features.slice)}]")
            return Repair("scikit-learn wants a table: double brackets select a table of one column.", source)
        text = failure.segment(features)
        new = f"[{text}]" if isinstance(features, ast.List) else f"np.asarray({text}).reshape(-1, 1)"
        source = failure.replaced(features, new)
        if "np" in new and "np" not in failure.namespace.names and not re.search(r"\bas np\b", source):
            source = f"import numpy as np\n\n{source}"
        return Repair("scikit-learn wants a table, one row a sample.", source)
    return Repair('scikit-learn wants a table: `df[["column"]]`, or `values.reshape(-1, 1)`.')


def _unpacking(failure: Failure) -> Repair | None:
    for node in failure.nodes():
        if not isinstance(node, (ast.For, ast.comprehension)):
            continue
        if isinstance(node.target, ast.Tuple) and isinstance(node.iter, ast.Name):
            known = failure.namespace.get(node.iter.id)
            given = re.search(rf"(?m)^\s*{node.iter.id}\s*=\s*(\{{|dict\()", failure.source)
            if given or (known is not None and known.type == "dict"):
                source = failure.replaced(node.iter, f"{node.iter.id}.items()")
                return Repair("A loop over a dict gives its keys; `.items()` gives keys and values.", source)
    return Repair("There are more or fewer values than names on the left of `=`. Print what is on the right.")


_QUOTED_FILE = re.compile(r"""(["'])([\w./\\-]+\.\w{1,7})\1""")


def file_not_found(failure: Failure) -> Repair | None:
    """The near file name that another cell uses, else a cell that lists the files that are there."""
    found = re.search(r"'(?P<file>[^']+)'\s*$", failure.message)
    texts = (node.value for node in failure.nodes() if isinstance(node, ast.Constant) and isinstance(node.value, str))
    file = found["file"] if found else next((text for text in texts if "." in text), "")
    if not file:
        return None
    mentioned = [name for source in failure.earlier for _, name in _QUOTED_FILE.findall(source)]
    near = nearest(file, mentioned, least=80)
    if near and failure.tree() is not None:
        source = rewrite.rewrite(failure.source, [rewrite.Change(token=quoted(file), new=quoted(near), role="literal")])
        says = f"There is no file '{file}'; another cell uses '{near}'."
        return Repair(says, source if source != failure.source else None)
    ending = file.rpartition(".")[2] if "." in file else "*"
    folder = file.replace("\\", "/").rpartition("/")[0] or "."
    there = f"sorted(Path({quoted(folder)}).glob({quoted('*.' + ending)})) or sorted(Path().iterdir())"
    extra = f"from pathlib import Path\n\nprint(Path.cwd())\n{there}"
    says = f"There is no file '{file}' where the kernel runs. This cell shows where that is and which files are there."
    return Repair(says, None, extra)
