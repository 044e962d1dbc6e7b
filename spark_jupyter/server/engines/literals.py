"""Lists, quoted texts, numbers and file names in a prompt."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_ENDINGS = (
    "csv|tsv|xlsx?|json|jsonl|txt|parquet|png|jpe?g|pdf|svg|db|sqlite3?|xml|ya?ml|html?|md|log|zip|gz|py|ipynb|toml|ini|"
    "feather|pkl|pickle|npy|npz|wav"
)
_IN_QUOTES = rf"(?<=[\"'`“])[^\"'`“”\n:]*[^\"'`“”\n:\s]\.(?:{_ENDINGS})(?=[\"'`”])"
"""Only there a name may have spaces and brackets."""
FILE = re.compile(rf"{_IN_QUOTES}|(?<![\w/])[\w~./\\-]*[\w-]\.(?:{_ENDINGS})\b", re.IGNORECASE)
QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)|“([^”\n]+)”")


def is_file(said: str) -> bool:
    """True if a text in quotes is the name of a file."""
    found = FILE.match(f'"{said}"', 1)
    return found is not None and found[0] == said


_LISTS = (list, tuple)
_KINDS: dict[str, tuple[type, ...]] = dict.fromkeys(("list", "number list", "text list"), _LISTS)
_KINDS |= {"set": (set,), "dict": (dict,), "text variable": (str,)}
_OPENING = re.compile(r"[\[({]")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_LONGEST = 2_000
DATE = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")
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
    found = (next(group for group in match.groups() if group is not None) for match in QUOTED.finditer(text))
    return [one for one in found if not is_file(one)]


def numbers(text: str) -> list[str]:
    """The numbers that stand for themselves: not in a list, a date, a file's name, a word or quotes."""
    for pattern in (FILE, QUOTED, DATE):
        text = pattern.sub(" ", text)
    return [match[0] for match in _NUMBER.finditer(displays_out(text))]


def _displays(text: str) -> Iterator[str]:
    """The bracketed parts of ``text``, brackets included."""
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
