"""Columns that depend on a condition: "pass if math is at least 50, else fail", "A >= 90, B >= 80 else F". Pure.

Rules as in ``spans.py``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query.marked import C, N
from spark_jupyter.server.engines.query.model import Change
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.making import Makers
    from spark_jupyter.server.engines.query.spans import Maker

_OP = (
    r"(?:>=|<=|>|<|(?:greater|larger|higher|more|less|lower|smaller|fewer)\s+than|above|below|over|under|at\s+least|at\s+most|"
    r"from)"
)
_LABEL = r"(?:⟨[qv]\d+⟩|(?!if\b|when\b|where\b|is\b|are\b|the\b|for\b|and\b|or\b|else\b|column\b|otherwise\b)[A-Za-z][\w+-]*)"
_ELSE = r"(?:[\s,;]*(?:and\s+)?\b(?:else|otherwise|or\s+else|the\s+rest(?:\s+is)?|everything\s+else(?:\s+is)?)"
_MAKE = r"(?:\b(?:please|add|make|create|give|set|me|a|an|new|the|boolean|flag|label)\s+)*"
_SIGNS = (
    (r">=|at\s+least|from", ">="), (r"<=|at\s+most", "<="), (r">|greater|larger|higher|more|above|over", ">"),
    (r"<|less|lower|smaller|fewer|below|under", "<"),
)  # fmt: skip


def _sign(said: str) -> str:
    return next(sign for pattern, sign in _SIGNS if re.match(pattern, said, re.IGNORECASE))


def _label(makers: Makers, said: str) -> str:
    key = said.strip()
    return makers.marked.said.get(key, makers.marked.value(key))


def _either(found: re.Match[str], makers: Makers) -> Change | None:
    """One of two labels: the second may stand in the column's name, "a pass/fail column"."""
    name, yes = makers.marked.value(found["c"]), _label(makers, found["yes"])
    named = re.search(
        rf"\b{re.escape(yes)}\s*(?:/|or)\s*([A-Za-z][\w-]*)|\b([A-Za-z][\w-]*)\s*(?:/|or)\s*{re.escape(yes)}\b",
        found[0],
    )
    no = _label(makers, found["no"]) if found["no"] else (named[1] or named[2]) if named else None
    if no is None or makers.columns[name].kind != "number":
        return None
    new = _name(found["new"], fallback=f"{yes}_{no}")
    cases = [(f"{_sign(found['op'])} {makers.marked.value(found['n'])}", yes)]
    return _chosen(name, new, cases, no)


def _graded(found: re.Match[str], makers: Makers) -> Change | None:
    """Labels from the first condition that holds; the rest has the last one."""
    name = makers.marked.value(found["c"])
    cases = [
        (f"{_sign(case['op'])} {makers.marked.value(case['n'])}", _label(makers, case["label"]))
        for case in re.finditer(
            rf"(?P<label>{_LABEL})\s*(?:is\s+|if\s+|for\s+|=\s+|:\s*)*(?P<op>{_OP})\s*(?P<n>{N})", found["cases"]
        )
    ]
    rest = _label(makers, found["no"]) if found["no"] else None
    if makers.columns[name].kind != "number" or not cases or (rest is None and len(cases) < 2):
        return None
    return _chosen(name, _name(found["new"], fallback=f"{name}_group"), cases, rest)


def _name(said: str | None, *, fallback: str) -> str:
    return re.sub(r"\W+", "_", (said or fallback).strip()).strip("_").lower()


def _chosen(column: str, new: str, cases: list[tuple[str, str]], rest: str | None) -> Change:
    """Rows without a value have no label."""
    source = f"{{t}}[{quoted(column)}]"
    conditions = ", ".join(f"{source} {test}" for test, _ in cases)
    labels = ", ".join(quoted(label) for _, label in cases)
    lines = (
        f"{{t}}[{quoted(new)}] = np.select([{conditions}], [{labels}], default={quoted(rest or '')})",
        f"{{t}}.loc[{source}.isna(), {quoted(new)}] = None",
    )
    return Change(lines=lines, columns=(new,), imports=("np",))


_NEW = r"(?:columns?\s+)?(?:(?:called|named)\s+)?(?P<new>(?!column\b)[A-Za-z_][\w/]*)?(?:\s+columns?)?"
RULES: tuple[tuple[str, Maker], ...] = (
    (
        (rf"{_MAKE}{_NEW}\s*[:,]?\s*(?:that\s+is\s+|with\s+|which\s+says\s+|=\s*)?(?P<yes>{_LABEL})\s+(?:if|when|where|for)\s+(?:the\s+)?"
            rf"(?P<c>{C})\s*(?:is|are|was)?\s*(?P<op>{_OP})\s*(?P<n>{N})(?:{_ELSE}\s*(?P<no>{_LABEL}))?)?"),
        _either,
    ),
    (
        (rf"{_MAKE}(?P<new>(?:[a-z]+\s+)?(?:grades?|labels?|categor(?:y|ies)|groups?|levels?))\s+(?:from|for|of|based\s+on|by|using|per)\s+(?:the\s+)?"
            rf"(?P<c>{C})\s*[:,;(]*\s*(?P<cases>{_LABEL}\s*(?:is\s+|if\s+|for\s+|=\s+|:\s*)*{_OP}\s*{N}"
            rf"(?:[\s,;]*(?:and\s+)?{_LABEL}\s*(?:is\s+|if\s+|for\s+|=\s+|:\s*)*{_OP}\s*{N})*)(?:{_ELSE}\s*(?P<no>{_LABEL}))?\)?)?"),
        _graded,
    ),
)  # fmt: skip
