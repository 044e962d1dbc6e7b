"""Values that a prompt gives: lists, texts in quotes, numbers. Pure."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import marks

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTS = (list, tuple)
_KINDS: dict[str, tuple[type, ...]] = {
    "list": _LISTS,
    "number list": _LISTS,
    "text list": _LISTS,
    "set": (set,),
    "dict": (dict,),
    "text variable": (str,),
}
_OPENING = re.compile(r"[\[({]")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_LONGEST = 2_000
_DATE = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w%]|[.,]\d)")


def of_kind(kind: str, text: str) -> str | None:
    """The Python source of the first value in ``text`` that can be what a book calls ``kind`` (``"list"`` …), or None."""
    wanted = _KINDS.get(kind)
    if wanted is None:
        return None
    if kind == "text variable":
        texts = quoted_texts(text)
        return repr(texts[0]) if texts else None
    for source in _displays(text):
        value = _value(source)
        if isinstance(value, wanted) and value and _holds(kind, value):
            return source
    return None


def displays_out(text: str) -> str:
    """``text`` without the lists, tuples and dictionaries that are written out in it."""
    for source in _displays(text):
        if _value(source) is not None:
            text = text.replace(source, " list ", 1)
    return text


def quoted_texts(text: str) -> list[str]:
    """The texts in quotes, without names of files."""
    found = (next(group for group in match.groups() if group is not None) for match in marks.QUOTED.finditer(text))
    return [one for one in found if not marks.is_file(one)]


def numbers(text: str) -> list[str]:
    """The numbers that stand for themselves: not in a list, a date, a file's name, a word or quotes."""
    for pattern in (marks.FILE, marks.QUOTED, _DATE):
        text = pattern.sub(" ", text)
    return [match[0] for match in _NUMBER.finditer(displays_out(text))]


def _displays(text: str) -> Iterator[str]:
    """What stands in ``text`` between an opening bracket and the bracket that closes it, brackets included."""
    end = 0
    for opening in _OPENING.finditer(text):
        if opening.start() < end:
            continue
        depth = 0
        for at in range(opening.start(), min(len(text), opening.start() + _LONGEST)):
            depth += (text[at] in "[({") - (text[at] in "])}")
            if depth == 0:
                end = at + 1
                if text[at] == _CLOSING[opening[0]]:
                    yield text[opening.start() : end]
                break


def _holds(kind: str, values: object) -> bool:
    wanted = {"number list": (int, float, complex), "text list": (str,)}.get(kind, (object,))
    return isinstance(values, (list, tuple, set, dict)) and all(isinstance(value, wanted) for value in values)


def _value(source: str) -> object:
    """The value of a display of constants; None where it is none, or a number in parentheses."""
    try:
        value = ast.literal_eval(source)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, (list, tuple, set, dict)) else None
