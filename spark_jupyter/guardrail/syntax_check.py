"""Check of cells for syntax errors.

IPython would not even begin to run such a cell.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.line_parser import SIZE_LIMIT
from spark_jupyter.guardrail.severities import Policy
from spark_jupyter.protocol.values import Finding
from spark_jupyter.source.ipython_lines import cell_magic, unread_program
from spark_jupyter.source.lexer import logical_lines
from spark_jupyter.source.python_parser import compile_python, parse_python, symbols

RULE: Final = "does-not-parse"
"""Name of the rule in a finding."""
UNREAD: Final = "unread-program"

_MOST_FINALLY: Final = 6
_PROMPT: Final = re.compile(r"(?m)^[ \t]*(?:>>>|\.\.\.|In \[\d+\]:|\.{3,}:)(?: |$)")
_REMEDY: Final = "Close every bracket and string, and put # before text that is not code."


def check_syntax(source: str, *, what: str = "cell") -> Finding | None:
    """The finding on a whole cell that is no Python, with what IPython transforms (magics, commands of the shell, help, an indented
    cell, prompts of a console) taken as it takes it; None where it parses. What is longer than code ever is, is data: not looked at."""
    error = _unparsed(source)
    if error is None:
        return None
    line, reason = error
    message = f"The {what} does not parse: {reason} (line {line})."
    return Finding(rule=RULE, severity="block", line=line, message=message, remedy=_REMEDY)


def check_language(source: str, policy: Policy) -> Finding | None:
    """The finding on a cell that another interpreter runs: nobody has judged it, and it may do whatever Python may."""
    program = unread_program(source)
    if not program:
        return None
    return Finding(
        rule=UNREAD,
        severity=policy.severity(UNREAD, "block"),
        line=1,
        message=f"This cell is a program for {program}, which is not judged.",
        remedy="Read it yourself; where you trust such cells, put unread-program into guardrail.toml as a warning.",
    )


def what_is_missing(source: str) -> str:
    """Describe in a sentence the missing end of a truncated cell; empty if the cell parses."""
    error = _unparsed(source)
    if error is None:
        return ""
    last = source.rstrip().count("\n") + 1
    line, reason = error
    where = f" (line {line})" if line != last else ""
    return f"Stopped at line {last}: {reason.rstrip('.')}{where}."


def _unparsed(source: str) -> tuple[int, str] | None:
    """The line at which a cell does not parse, and why."""
    magic = cell_magic(source)
    if len(source) > SIZE_LIMIT or (magic is not None and magic.body != "here"):
        return None
    error, stripped = _error(source), _as_ipython_strips(source)
    if error is None or (stripped != source and _error(stripped) is None):
        return None
    return min(max(error.lineno or 1, 1), source.count("\n") + 1), error.msg[:200]


def _error(source: str) -> SyntaxError | None:
    text = _without_escapes(source)
    try:
        tree = parse_python(text)
        if not _compiles(tree, text):
            _refuse_out_of_place(tree)
            symbols(text)
    except SyntaxError as error:
        return error
    except UnicodeEncodeError as error:  # JSON can hold it, UTF-8 can't
        line = source.count("\n", 0, source.find(error.object[error.start])) + 1
        return SyntaxError("half a character, which no file can hold", ("", line, None, None))
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error) or type(error).__name__)
    return None


def _compiles(tree: ast.Module, text: str) -> bool:
    """Return whether the compiler takes text that parses; False where it is not asked, or can't tell. Raises its SyntaxError."""
    if _nested_finally(tree) > _MOST_FINALLY:
        return False
    try:
        compile_python(text)
    except SyntaxError as error:
        if "__future__" not in error.msg:  # IPython compiles each statement alone, so that one may stand anywhere
            raise
        return False
    except (RecursionError, MemoryError):  # the stack is higher here than where a cell runs
        return False
    return True


def _nested_finally(tree: ast.AST) -> int:
    """The most ``try`` statements with a ``finally`` around each other: the code of such blocks doubles with each."""
    most, waiting = 0, [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        depth += bool(getattr(node, "finalbody", None))
        most = max(most, depth)
        waiting += [(one, depth) for one in ast.iter_child_nodes(node)]
    return most


def _refuse_out_of_place(tree: ast.AST) -> None:
    """Raise the compiler's SyntaxError for a ``return`` or ``yield`` outside of a function, a ``break`` outside of a loop."""
    waiting = [(tree, False, False)]
    while waiting:
        node, in_function, in_loop = waiting.pop()
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and not in_function:
            raise _at(node, f"'{'return' if isinstance(node, ast.Return) else 'yield'}' outside function")
        if isinstance(node, ast.Break | ast.Continue) and not in_loop:
            raise _at(node, f"'{type(node).__name__.lower()}' outside loop")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            in_function, in_loop = not isinstance(node, ast.ClassDef), False
        loops = {id(one) for one in node.body} if isinstance(node, ast.For | ast.AsyncFor | ast.While) else ()
        waiting += [(one, in_function, in_loop or id(one) in loops) for one in ast.iter_child_nodes(node)]


def _at(node: ast.stmt | ast.expr, message: str) -> SyntaxError:
    return SyntaxError(message, ("", node.lineno, node.col_offset + 1, ""))


def _without_escapes(source: str) -> str:
    """Replace each line of IPython or another language by ``pass``; no line moves."""
    lines = source.split("\n")
    for line in logical_lines(source):
        if line.kind != "code":
            start = line.number - 1
            lines[start : start + line.height] = [line.text[: line.indent] + "pass", *[""] * (line.height - 1)]
    return "\n".join(lines)


def _as_ipython_strips(source: str) -> str:
    """Remove the prompts of a console, and the indentation of the first line."""
    text = _PROMPT.sub("", source).lstrip("\n")
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    return re.sub(f"(?m)^{indent}", "", text) if indent else text
