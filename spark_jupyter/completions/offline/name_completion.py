"""Names of the notebook and of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.completions.offline.cursor import code_above, is_text, without_strings
from spark_jupyter.completions.offline.kernel_facts import Facts
from spark_jupyter.completions.situation import Situation

_TYPED = re.compile(r"(?<![\w.\"'])[^\W\d]\w{2,}\Z")
_NEW = re.compile(r"\b(?:def|class|as|import|from|lambda|for)\s+(?:\w+\s*,\s*)*\w*\Z")
"""Text before a word that is a new name, as a rule."""
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")
_LEAST = 2
"""Characters for which a key is worth pressing."""
_HANDED_ON = re.compile(
    r"(?:\.(?:apply|map|transform|pipe|agg|filter)\(|(?<![\w.])(?:map|filter|partial|reduce)\(|\b(?:key|func|target)=)\s*\w*\Z"
)
"""Text before a function that is not called there."""
_CALLED = ("function", "builtin_function_or_method", "type", "ABCMeta")
_PYTHON = (
    "print( range( sorted( enumerate( isinstance( return import lambda True False None round( reversed( filter( "
    "while assert raise continue break finally: except class"
).split()

_INSIDE = ("return", "continue", "break", "raise")
"""Words inside a block."""


def names(situation: Situation, facts: Facts) -> Iterator[str]:
    """``tot``: the one name of this notebook, or of Python, that begins so."""
    line = situation.line_before
    match = _TYPED.search(line)
    if match is None or is_text(situation) or _NEW.search(line) or re.match(r"\w|\(", situation.line_after):
        return
    typed = match[0]
    ours = _ours(situation, facts)
    if typed in ours:
        return
    fitting = sorted(name for name in ours if name.startswith(typed))
    handed_on = _HANDED_ON.search(line) is not None
    found = [f"{name}(" if facts.kind(name) in _CALLED and not handed_on else name for name in fitting]
    if not found or (line.strip() == typed and "print(".startswith(typed)):  # which begins as many a line as any name
        found += _pythons(typed, line)
    if all(len(word) - len(typed) >= _LEAST for word in found):
        yield from (word[len(typed) :] for word in found)


def _pythons(typed: str, line: str) -> list[str]:
    at_margin = line == typed
    fitting = [word for word in _PYTHON if word.startswith(typed) and word.rstrip("(:") != typed]
    return [word for word in fitting if not (at_margin and word in _INSIDE)]


def _ours(situation: Situation, facts: Facts) -> set[str]:
    """The variables of the kernel, and the names in the cells' own code."""
    written = _WORD.findall(without_strings("\n".join(code_above(situation))))
    return {*facts.names(), *(word for word in written if len(word) > _LEAST)}
