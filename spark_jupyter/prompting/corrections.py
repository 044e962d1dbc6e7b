"""Steering texts for answers that a check or a trial refused."""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.prompting.request_text import fenced
from spark_jupyter.protocol.values import Finding


def correction(findings: Sequence[Finding], cut: str) -> str:
    """The steering text for findings because of which ``cut`` was taken out of the answer: what is wrong, and where to begin again.

    Where a finding has a cause above its own line, the cut begins there. Not all of the cut is wrong, so nothing forbids to write it again.
    """
    quoted = cut.strip("\n")
    reasons = [f"- {finding.rule}: {finding.message} {finding.remedy}".rstrip() for finding in findings]
    taken = [f"This was taken out of the cell:\n{fenced('python', quoted)}"] if quoted else []
    first = quoted.partition("\n")[0].strip()
    if any(finding.cause for finding in findings) and first:
        begin = f"The fault is made in `{first}`: begin there, write that line right, and after it what follows."
    else:
        begin = "Write the statement at fault in the way named, or do without it; keep what was right."
    return "\n".join([*taken, "The check says:", *reasons, begin])


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
