"""Grouping of findings: equal ones, and those of two judges."""

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
    return tuple(_merged(same) for same in lines.values())


def _merged(same: list[Finding]) -> Finding:
    first = min(same, key=lambda finding: (finding.line, finding.column))
    also = sorted({finding.line for finding in same} - {first.line})
    return structs.replace(first, also=tuple(also)) if also else first


_OF_A_CALL = frozenset({"missing-attribute", "missing-argument", "unknown-keyword", "unknown-value", "deprecated"})
"""Rules of the reality check about a called function or its arguments."""

_GONE = "obsolete-function"
"""The guardrail's rule for a function that Python no longer has; its message begins with the function's name."""


def merge_judges(findings: Sequence[Finding], source: str) -> list[Finding]:
    """The findings with one of each pair in which both judges report the same call or the same removed function.

    The one that blocks stays; where both do, the guardrail's, which says why. A removed function keeps the guardrail's remedy."""
    kept = list(findings)
    if len({finding.origin for finding in kept}) < 2:
        return kept
    lines = source.split("\n")
    for own in [finding for finding in kept if finding.origin == "guardrail"]:
        for other in [finding for finding in kept if finding.origin == "reality"]:
            if own in kept and (_is_of_one_call(own, other, lines) or _are_both_gone(own, other)):
                kept.remove(own if other.blocks and not own.blocks else other)
                kept = [structs.replace(one, remedy=own.remedy) if one is other else one for one in kept]
    return kept


def _is_of_one_call(own: Finding, other: Finding, lines: Sequence[str]) -> bool:
    """True if only the call's name is between the two places."""
    if other.rule not in _OF_A_CALL or own.line != other.line or own.line > len(lines):
        return False
    between = lines[own.line - 1].encode()[own.column : other.column].decode(errors="replace")
    return own.column <= other.column and re.fullmatch(r"[\w.]*", between) is not None


def _are_both_gone(own: Finding, other: Finding) -> bool:
    """True if the reality check misses the module or function that the guardrail reports as removed."""
    return own.rule == _GONE and other.wrong in own.message.partition("(")[0].split(".")
