"""Replacements for code that warns.

They follow the library's own words in the warning.

A warning's text is the library's, for people, so what is read from it is a guess. Nobody is offered it before it was proven that the same
comes out and the warning does not (:mod:`spark_jupyter.sandbox.refinement_runner`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from spark_jupyter.refactoring.changes import Better, spliced_keeping_comments
from spark_jupyter.source.python_parser import tree_of
from spark_jupyter.source.splices import Positions, Splice

_NAME = r"[`'\"]{0,2}([A-Za-z_][\w.\-]*)(?:\(\))?[`'\"]{0,2}"
_INSTEAD = r"(?:\b[Uu]se(?: either)?|\bto|\bfavou?r of|\breplaced by|\brenamed)\s+(?::\w+:)?[`'\"]{1,2}~?"
_INPLACE = re.compile(r"\binplace keyword in (?:\w+\.)*(\w+) is deprecated")
_KEYWORD = re.compile(rf"{_NAME} (?:keyword|argument|parameter)\b[^.]*?(?:deprecated|renamed|removed)")
_NEEDLESS = re.compile(rf"[Dd]o not (?:specify|pass|set) (?:the )?{_NAME} (?:keyword|argument|parameter)")
_OTHER_KEYWORD = re.compile(_INSTEAD + r"([A-Za-z_]\w*)=?[`'\"]")
_GONE = re.compile(
    rf"{_NAME}(?: alias| function| method| class)? (?:is|was|has been|will be) (?:a )?(?:deprecated|renamed)"
)
_OTHER = re.compile(_INSTEAD + r"([A-Za-z_][\w.]*)|\b[Uu]se ([A-Za-z_][\w.]*\([^()]*\))")

_Mend = Callable[[str, ast.Module, str], str | None]


def mended(source: str, warned: Sequence[str]) -> Iterator[Better]:
    """Rewrites of a cell that gave these warnings, the most complete first; none if it is not plain Python."""
    whole, one_by_one = source, list[str]()
    for text in dict.fromkeys(warned):
        fresh = _without(source, text)
        if fresh is not None:
            one_by_one.append(fresh)
            whole = _without(whole, text) or whole
    for fresh in dict.fromkeys([whole, *one_by_one]):
        if fresh != source:
            yield Better(fresh, "without what is deprecated")


def _without(source: str, warning: str) -> str | None:
    tree = tree_of(source)
    if tree is None:
        return None
    mends: tuple[_Mend, ...] = (_in_place, _keyword, _called)
    found = (mend(source, tree, warning) for mend in mends)
    return next((fresh for fresh in found if fresh is not None and fresh != source), None)


# --- by what is warned of ------------------------------------------------------------------------------------------------


def _in_place(source: str, tree: ast.Module, warning: str) -> str | None:
    """``df.drop(columns="b", inplace=True)`` → ``df = df.drop(columns="b")``"""
    match = _INPLACE.search(warning)
    at, splices = Positions(source), []
    for statement in ast.walk(tree) if match is not None else ():
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=table), attr=name)) as call):
                in_place = [one for one in call.keywords if one.arg == "inplace" and _is_true(one.value)]
                if match is not None and name == match[1] and in_place:
                    start = at.start(statement)
                    splices += [Splice(start, start, f"{table} = "), at.without_argument(call, in_place[0])]
    return spliced_keeping_comments(source, splices)


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def _keyword(source: str, tree: ast.Module, warning: str) -> str | None:
    """Rename a keyword, or remove it if it has no new name."""
    needless = _NEEDLESS.search(warning)
    known = needless or _KEYWORD.search(warning)
    if known is None:
        return None
    other = None if needless else _OTHER_KEYWORD.search(warning, known.end(1))
    at, splices = Positions(source), []
    for call in _calls(tree):
        for one in call.keywords:
            if one.arg == known[1] and other is not None:
                splices.append(Splice(at.start(one), at.start(one) + len(known[1]), other[1]))
            elif one.arg == known[1]:
                splices.append(at.without_argument(call, one))
    return spliced_keeping_comments(source, splices)


def _called(source: str, tree: ast.Module, warning: str) -> str | None:
    """Rename a function or an option string."""
    gone = _GONE.search(warning)
    other = _OTHER.search(warning, gone.end()) if gone is not None else None
    if gone is None or other is None:
        return None
    name, fresh = gone[1].rpartition(".")[2], _last(other[1] or other[2])
    at, splices = Positions(source), []
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text == gone[1]:
                splices.append(Splice(*at.span(node), repr(other[1] or other[2])))
            case ast.Call(func=ast.Attribute(attr=attr, value=owner), args=[], keywords=[]) if "(" in fresh:
                if attr == name:
                    splices.append(Splice(at.end(owner), at.end(node), f".{fresh}"))
            case ast.Attribute(attr=attr, value=owner) if attr == name and "(" not in fresh:
                splices.append(Splice(at.end(owner), at.end(node), f".{fresh}"))
    return spliced_keeping_comments(source, splices)


def _last(path: str) -> str:
    """``Timestamp.now('UTC')`` → ``now('UTC')``"""
    name, bracket, rest = path.partition("(")
    return name.rpartition(".")[2] + bracket + rest


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))
