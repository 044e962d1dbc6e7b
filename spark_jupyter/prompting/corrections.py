"""Steering texts for answers that a check or a trial refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.prompting.request_text import fenced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.protocol.values import Finding


def correction(findings: Sequence[Finding], line: str) -> str:
    """The steering text for findings that cut the answer at ``line``: what is wrong with it, why, and what to write
    instead."""
    quoted = line.strip("\n")
    reasons = [f"- {finding.rule}: {finding.message} {finding.remedy}".rstrip() for finding in findings]
    what = (
        [f"This was taken out of the cell, and must not be written again:\n{fenced('python', quoted)}"]
        if quoted
        else []
    )
    return "\n".join(
        [
            *what,
            "The check says:",
            *reasons,
            "Go on with ```python continue from the line before it, and do it in the way named, or do without it.",
        ]
    )


def failure(reason: str) -> str:
    """The steering text for an answer that was tried in a copy of the kernel and failed, for a ``reason`` in our own words."""
    return "\n".join(
        [
            "The answer so far was run in a copy of the kernel, and it failed:",
            fenced("text", reason),
            "Find the cause and write the whole answer again, from its first block on, so that it runs and its checks pass.",
        ]
    )


def surprise(reason: str) -> str:
    """The steering text for an answer that ran in a copy of the kernel and surprised, for a ``reason`` in our own words."""
    return "\n".join(
        [
            "The answer so far was run in a copy of the kernel. It ran, but did what a person would want to know first:",
            fenced("text", reason),
            "If that is a mistake, find its cause and write the whole answer again, from its first block on.",
            "If the task wants it so, say why in one sentence, and write no cell.",
        ]
    )
