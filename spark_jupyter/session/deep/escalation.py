"""Reasons to offer a fast answer to the deep model.

It is an offer: nothing happens until a person says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark_jupyter.guardrail.security_logic import security_logic
from spark_jupyter.protocol.values import Proposal
from spark_jupyter.session.transitions import MOST_CORRECTIONS

_ITEM = re.compile(r"^\s*(?:\d+[.)]|[-*+•])\s+\S", re.MULTILINE)
_THEN = re.compile(r"\b(?:then|after that|afterwards|finally|next(?=,))\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:step by step|end[- ]to[- ]end|from start to finish"
    r"|a (?:whole|full|complete) (?:notebook|analysis|report|pipeline|project|study))\b",
    re.IGNORECASE,
)


def is_a_plan(prompt: str) -> bool:
    """True if a prompt asks for more than a cell or two: a list, a sequence, or a whole analysis."""
    return len(_ITEM.findall(prompt)) >= 3 or len(_THEN.findall(prompt)) >= 3 or _WHOLE.search(prompt) is not None


def escalation_reason(*, prompt: str, corrections: int, none_passed: bool, proposals: Sequence[Proposal]) -> str:
    """The reason why the deep model should look at an answer, as a sentence; empty where there is none."""
    code = [proposal for proposal in proposals if proposal.cell_type == "code"]
    logic = next(filter(None, (security_logic(proposal.source) for proposal in code)), "")
    if logic:
        return f"It holds security logic ({logic}), which a fast model should not write alone."
    if none_passed:
        return "No attempt passed."
    if corrections >= MOST_CORRECTIONS and any(proposal.state == "blocked" for proposal in code):
        return "It was corrected twice, and is still blocked."
    if is_a_plan(prompt):
        return "This looks like several steps: a plan, written and run step by step, may do better."
    return ""
