"""Findings as they are told: what is said of several lines in the same words is said once. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import structs

from spark_jupyter.wire.values import Finding


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


def said_once(findings: Sequence[Finding], source: str) -> list[Finding]:
    """What both judges say of one call, once: by the one that blocks, and by the guardrail, which says why, where both do. What to do
    instead of a function that is gone the guardrail knows."""
    theirs = [finding for finding in findings if finding.origin == "reality" and finding.rule in _OF_A_CALL]
    if not theirs or len(theirs) == len(findings):
        return list(findings)
    lines = source.split("\n")
    told = list(findings)
    for own in findings:
        for other in theirs if own.origin == "guardrail" else ():
            if own in told and other in told and _is_of_one_call(own, other, lines):
                told.remove(own if other.blocks and not own.blocks else other)
                told = [structs.replace(one, remedy=own.remedy) if one is other else one for one in told]
    return told


def _is_of_one_call(own: Finding, other: Finding, lines: Sequence[str]) -> bool:
    """Whether nothing but the call's name stands between the two places."""
    if own.line != other.line or own.line > len(lines):
        return False
    between = lines[own.line - 1].encode()[own.column : other.column].decode(errors="replace")
    return own.column <= other.column and re.fullmatch(r"[\w.]*", between) is not None
