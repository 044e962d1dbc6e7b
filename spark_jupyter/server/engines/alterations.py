"""Alterations of any code: function, names, comments, order.

Each works on the syntax tree's positions, so that what it does not concern stays as it was written.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines import rewrite, scope
from spark_jupyter.server.engines.rewrite import Change, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_IDENTIFIER = r"[`'\"]?(?P<name>[A-Za-z_]\w*)[`'\"]?"
CALLED = re.compile(
    rf"\b(?:called|named|(?:call|name)\s+(?:it|this|that|the\s+(?:function|variable|result|class))(?:\s+as)?|"
    rf"rename\s+(?:it|this|the\s+\w+)\s+(?:to|as))\s+{_IDENTIFIER}",
    re.IGNORECASE,
)
_RENAME = re.compile(rf"\brename\s+`?(?P<old>[A-Za-z_]\w*)`?\s+(?:to|as|into)\s+{_IDENTIFIER}", re.IGNORECASE)
_AS_FUNCTION = re.compile(
    r"\b(?:as|in|into|inside|make it|turn (?:it|this) into)\s+(?:a\s+|one\s+)?(?:re-?usable\s+)?(?:function|def)\b|"
    r"\bmake (?:it )?a function\b|\b(?:function|funktion)\s+(?:that|which|to|zum)\b",
    re.IGNORECASE,
)
_NO_COMMENTS = re.compile(
    r"\b(?:without|no|remove|drop|delete|strip)\s+(?:the\s+|all\s+|any\s+)?comments?\b", re.IGNORECASE
)
_SHORTER = re.compile(r"\b(?:shorter|more compact|more concise|shorten|too long)\b", re.IGNORECASE)
_DESCENDING = re.compile(
    r"\bdescending\b|\bdesc\b|\breverse(?:d)? order\b|\b(?:largest|biggest|highest|newest|latest) first\b",
    re.IGNORECASE,
)
_ASCENDING = re.compile(r"\bascending\b|\basc\b|\b(?:smallest|lowest|oldest|earliest) first\b", re.IGNORECASE)
_SORTERS = {
    "sort_values": "ascending",
    "sort_index": "ascending",
    "sorted": "reverse",
    "sort": "reverse",
    "rank": "ascending",
}


class Alteration(Struct, frozen=True):
    """Something that can be done to a source. ``says`` tells the user what was done; ``apply`` gives the new source, the
    same one where there was nothing to do; ``said`` are the words that ask for it."""

    says: str
    apply: Callable[[str], str]
    said: str


def asked_of(instruction: str, *, parameters: Sequence[str] = ()) -> list[Alteration]:
    """The alterations that the instruction names. ``parameters`` are names that a function should take."""
    found: list[Alteration] = []
    called = CALLED.search(instruction)
    name = called["name"] if called and called["name"].isidentifier() else ""
    function = _AS_FUNCTION.search(instruction) or (
        re.search(r"\bfunction\b", instruction, re.IGNORECASE) if name else None
    )
    if function:
        said = f"{function[0]} {called[0]}" if called else function[0]
        found.append(Alteration("As a function.", lambda s: as_function(s, name=name, parameters=parameters), said))
    elif called and name:
        found.append(Alteration(f"Named `{name}`.", lambda source: rename_main(source, name), called[0]))
    if rename := _RENAME.search(instruction):
        change = Change(token=rename["old"], new=rename["name"])
        says = f"`{change.token}` is `{change.new}` now."
        found.append(Alteration(says, lambda source: rewrite.rewrite(source, [change]), rename[0]))
    if comments := _NO_COMMENTS.search(instruction):
        found.append(Alteration("Without the comments.", without_comments, comments[0]))
    if short := _SHORTER.search(instruction):
        found.append(Alteration("Shorter: without comments and blank lines.", shorter, short[0]))
    if falling := _DESCENDING.search(instruction):
        found.append(Alteration("Sorted in descending order.", partial(sort_direction, descending=True), falling[0]))
    elif rising := _ASCENDING.search(instruction):
        found.append(Alteration("Sorted in ascending order.", partial(sort_direction, descending=False), rising[0]))
    return found


# --- Names ------------------------------------------------------------------------------------------------------------


def main_name(source: str) -> str:
    """The name that the code is about: the function or class that it defines first, else what it assigns last."""
    body = ast.parse(source).body
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return node.name
    assigned = [
        target.id
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    return assigned[-1] if assigned else ""


def rename_main(source: str, name: str) -> str:
    """The code with its main name changed to ``name``."""
    old = main_name(source)
    return rewrite.rewrite(source, [Change(token=old, new=name)]) if old and old != name else source


# --- Functions --------------------------------------------------------------------------------------------------------


def as_function(source: str, *, name: str = "", parameters: Sequence[str] = ()) -> str:
    """The code as the body of a function, its imports above it and a call below.

    It takes what the code needs from before it and returns what the code ends with. Code that defines a function already
    only has it renamed.
    """
    body = ast.parse(source).body
    if any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) for node in body):
        return rename_main(source, name) if name else source
    imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    rest = [node for node in body if node not in imports]
    if not rest:
        return source
    name = name or "run"
    found = scope.names(source)
    takes = [one for one in parameters if one in found.needed]
    takes += sorted(found.needed - set(takes))
    text = _without_spans(source, imports)
    text, result = _with_return(text)
    indented = _indent(text.strip("\n"))
    signature = ", ".join(takes)
    head = "\n".join(ast.unparse(node) for node in imports)
    call = f"{name}({signature})"
    call = f"result = {call}\nresult" if result else call
    return f"{head}\n\n\ndef {name}({signature}):\n{indented}\n\n\n{call}".lstrip("\n")


def _without_spans(source: str, nodes: Iterable[ast.stmt]) -> str:
    positions = rewrite.Positions(source)
    spans = []
    for node in nodes:
        start, end = positions.span(node)
        end += source[end : end + 1] == "\n"
        spans.append(Span(start, end, ""))
    return rewrite.apply_spans(source, spans)


def _with_return(source: str) -> tuple[str, bool]:
    """The body with a ``return`` of what it ends with, and whether that is a value worth keeping."""
    last = ast.parse(source).body[-1]
    start, end = rewrite.Positions(source).span(last)
    if isinstance(last, ast.Expr):
        called = last.value.func if isinstance(last.value, ast.Call) else None
        ending = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if ending in {"show", "print", "display", "savefig"}:
            return source, False
        return source[:start] + "return " + source[start:], True
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
        return f"{source[:end]}\nreturn {last.targets[0].id}{source[end:]}", True
    return source, False


def _indent(text: str) -> str:
    """Every line four columns further in, but for the insides of strings over several lines."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT and token.end[0] > token.start[0] and token.string.strip():
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    lines = text.split("\n")
    return "\n".join(
        line if number in inside or not line.strip() else "    " + line for number, line in enumerate(lines, start=1)
    )


# --- Comments ---------------------------------------------------------------------------------------------------------


def without_comments(source: str) -> str:
    """The code without its comments; a line that was only a comment goes altogether."""
    lines = source.split("\n")
    whole: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            kept = lines[row - 1][:column].rstrip()
            lines[row - 1] = kept
            if not kept:
                whole.add(row - 1)
    return "\n".join(line for number, line in enumerate(lines) if number not in whole).strip("\n")


def shorter(source: str) -> str:
    """The code without comments, docstrings and blank lines, all of which it works without."""
    tree = ast.parse(source)
    strings = [
        node.body[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef))
        and len(node.body) > 1
        and ast.get_docstring(node) is not None
    ]
    text = without_comments(_without_spans(source, strings))
    inside: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and (node.end_lineno or 0) > node.lineno:
            inside.update(range(node.lineno, (node.end_lineno or 0) + 1))
    return "\n".join(line for number, line in enumerate(text.split("\n"), 1) if line.strip() or number in inside)


# --- Order ------------------------------------------------------------------------------------------------------------


def sort_direction(source: str, *, descending: bool) -> str:
    """The code with its sorts in the other direction."""
    positions = rewrite.Positions(source)
    spans = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        keyword = _SORTERS.get(str(called))
        if keyword is None:
            continue
        value = str((not descending) if keyword == "ascending" else descending)
        given = next((one for one in node.keywords if one.arg == keyword), None)
        if given is not None:
            spans.append(Span(*positions.span(given.value), value))
        elif value != ("True" if keyword == "ascending" else "False"):
            end = positions.span(node)[1] - 1
            comma = ", " if (node.args or node.keywords) else ""
            spans.append(Span(end, end, f"{comma}{keyword}={value}"))
    return rewrite.apply_spans(source, spans)
