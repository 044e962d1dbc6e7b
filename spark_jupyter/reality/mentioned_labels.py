"""Strings and keywords of a source as possible labels.

They may become the labels of a table whose columns are unknown, and by that its attributes.
"""

from __future__ import annotations

import ast
import re

_MADE_BY_PANDAS = frozenset(
    "index level_0 level_1 variable value values key_0 count unique top freq mean std min max proportion year week day "
    "open high low close".split()
)
"""Labels that pandas' own methods give: ``describe``, ``memory_usage``, ``melt``, ``isocalendar``, ``ohlc``."""
_PLACES = re.compile(r"\{[^{}]*\}|%[sd]")
_LONG = 2000
MAX_PATTERNS = 200


def words_in(node: ast.AST) -> list[str]:
    """Labels that a node of the source may stand for, in small letters, as ``rename(columns=str.upper)`` changes them."""
    if isinstance(node, ast.keyword):
        return [node.arg.casefold()] if node.arg else []
    if isinstance(node, ast.Constant) and type(node.value) is str and len(node.value) < _LONG:
        return [word.casefold() for word in re.findall(r"[^\W\d]\w*", node.value)]
    return []


def patterns_in(node: ast.AST) -> list[str]:
    """Regular expressions of the labels that are put together: ``f"q{n}"``, ``"q{}".format(n)``, ``add_prefix("q_")``, suffixes."""
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
        text = "".join(part for part in parts if type(part) is str)
    elif isinstance(node, ast.Constant) and type(node.value) is str and len(node.value) < 80:
        text = node.value
        text = (
            "{}_{}" if text == "_" else f"{text}{{}}" if text[-1:] == "_" else "{}" + text if text[:1] == "_" else text
        )
    else:
        return []
    fixed = _PLACES.split(text)
    whole = "".join(fixed)
    if len(fixed) < 2 or not re.fullmatch(r"\w+", whole):
        return []
    return [r"\w+".join(map(re.escape, fixed))]


def may_be_label(name: str, words: set[str], patterns: set[str]) -> bool:
    """True if a label of this name may come from words of the source."""
    if re.fullmatch(r"(?:variable|level)_\d+", name):  # melt and reset_index count them
        return True
    if len(name) == 1 or name.casefold() in words or name.casefold() in _MADE_BY_PANDAS:  # a letter: list("abc")
        return True
    return len(patterns) >= MAX_PATTERNS or any(re.fullmatch(pattern, name) for pattern in patterns)
