"""Findings as they are told: what is said of several lines in the same words is said once. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import structs

from spark_jupyter.protocol.values import Finding


def grouped(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding for all that differ only in their place: the first of them, with the other lines in ``also``."""
    lines: dict[Finding, list[Finding]] = {}
    for finding in findings:
        lines.setdefault(structs.replace(finding, line=1, column=0), []).append(finding)
    return tuple(_told(same) for same in lines.values())


def _told(same: list[Finding]) -> Finding:
    first = min(same, key=lambda finding: (finding.line, finding.column))
    also = sorted({finding.line for finding in same} - {first.line})
    return structs.replace(first, also=tuple(also)) if also else first


_OF_A_CALL = frozenset({"missing-attribute", "missing-argument", "unknown-keyword", "unknown-value", "deprecated"})
"""What the reality check says of the function that a call names, or of how it is called."""

_GONE = "obsolete-function"
"""What the guardrail says of a function that Python no longer has: its message begins with the function's name."""


def said_once(findings: Sequence[Finding], source: str) -> list[Finding]:
    """What both judges say, of one call or of a function that is gone, once: by the one that blocks, and by the guardrail, which says
    why, where both do. What to do instead of a function that is gone the guardrail knows."""
    told = list(findings)
    if len({finding.origin for finding in told}) < 2:
        return told
    lines = source.split("\n")
    for own in [finding for finding in told if finding.origin == "guardrail"]:
        for other in [finding for finding in told if finding.origin == "reality"]:
            if own in told and (_is_of_one_call(own, other, lines) or _are_both_gone(own, other)):
                told.remove(own if other.blocks and not own.blocks else other)
                told = [structs.replace(one, remedy=own.remedy) if one is other else one for one in told]
    return told


def _is_of_one_call(own: Finding, other: Finding, lines: Sequence[str]) -> bool:
    """Whether nothing but the call's name stands between the two places."""
    if other.rule not in _OF_A_CALL or own.line != other.line or own.line > len(lines):
        return False
    between = lines[own.line - 1].encode()[own.column : other.column].decode(errors="replace")
    return own.column <= other.column and re.fullmatch(r"[\w.]*", between) is not None


def _are_both_gone(own: Finding, other: Finding) -> bool:
    """Whether the reality check misses the module or the function, perhaps where it is imported, of which the guardrail says that it
    is gone."""
    return own.rule == _GONE and other.wrong in own.message.partition("(")[0].split(".")
