"""First lines of blocks: loops and undefined functions.

Loops go over values that exist; functions are called and not written yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from keyword import iskeyword

from spark_jupyter.completions.offline.cursor import code_above, is_text, without_strings
from spark_jupyter.completions.offline.kernel_facts import Facts
from spark_jupyter.completions.situation import Situation

_FOR = re.compile(r"(?P<block>\A\s*)?\bfor (?P<begun>\w*(?: |, \w*)?)\Z")
_IN = re.compile(r"(?P<block>\A\s*)?\bfor (?P<begun>\w+(?:, \w+)? in? ?)\Z")
_GONE_THROUGH = ("list", "tuple", "set", "dict", "Series", "ndarray", "Index")
_CALLED = re.compile(r"(?<![\w.])(?P<name>[^\W\d]\w*)\((?P<arguments>[^()]*)\)")


def loops(situation: Situation, facts: Facts) -> Iterator[str]:
    """``for city``: a loop over the cities in the kernel; inside brackets, the text before ``for`` names what is looped over."""
    line = situation.line_before
    match = _FOR.search(line) or _IN.search(line)
    if match is None or is_text(situation):
        return
    said = _said(line[: match.start()], facts) if match["block"] is None else None
    begun = line[match.start("begun") :]
    for items, many in _many(situation, facts):
        text = f"{items} in {many}{':' if said is None else ''}"
        if text.startswith(begun) and items != many and (said is None or said == set(items.split(", "))):
            yield text[len(begun) :]


def _said(before: str, facts: Facts) -> set[str]:
    """The names that only the loop behind a comprehension's element can give their values."""
    words = re.findall(
        r"(?<![\w.])[^\W\d]\w*(?!\w*=[^=])", without_strings(re.split(r"[\[{(](?=[^\[{(]*\Z)|= [\[{(]", before)[-1])
    )
    return {word for word in words if not facts.is_defined(word) and not iskeyword(word)}


def _many(situation: Situation, facts: Facts) -> list[tuple[str, str]]:
    """Return the names that a loop can go through, each with names for its items."""
    made = re.findall(r"(?m)^\s*([^\W\d]\w*) = [\[{(](?![\]})])", "\n".join(code_above(situation)))
    known = [name for name in facts.names() if facts.kind(name) in _GONE_THROUGH]
    return [(_one_of(name), name) for name in dict.fromkeys([*known, *made])]


def _one_of(many: str) -> str:
    """Return the singular: ``city`` of ``cities``; the same word where there is none."""
    if many.endswith("ies"):
        return f"{many[:-3]}y"
    if re.search(r"(?:ss|x|ch|sh)es\Z", many):
        return many[:-2]
    return many[:-1] if many.endswith("s") and not many.endswith("ss") and len(many) > 2 else many


def definitions(situation: Situation, facts: Facts) -> Iterator[str]:
    """``def ``: a function that is called, and that nothing defines."""
    match = re.fullmatch(r"def (\w*)", situation.line_before)
    if match is None or situation.line_after.strip():
        return
    cells = [cell.source for cell in (*situation.above, *situation.below) if cell.cell_type == "code"]
    code = without_strings("\n".join([*cells, situation.before, situation.after]))
    for call in _CALLED.finditer(code):
        name, arguments = call["name"], [one.strip() for one in call["arguments"].split(",") if one.strip()]
        is_bound = re.search(rf"\b(?:def|class|import|as) {name}\b|\b{name}\s*=[^=]", code) is not None
        is_free = not is_bound and not facts.is_defined(name) and all(one.isidentifier() for one in arguments)
        if is_free and name.startswith(match[1]) and name != match[1]:
            yield f"{name[len(match[1]) :]}({', '.join(dict.fromkeys(arguments))}):"
