"""Findings as they are told: what is said of several lines in the same words is said once. Pure."""

from __future__ import annotations

from collections.abc import Iterable

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
