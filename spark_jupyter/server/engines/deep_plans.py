"""Plans of the recipe engine's deep gear.

A task in several parts becomes a step for each. A part that no recipe fits does, too: it is said in the end what could not be done.
"""

from __future__ import annotations

import re

from spark_jupyter.prompting.plan_prompts import INTENT

__all__ = ["INTENT", "LONGEST", "MOST", "parts", "plan"]

LONGEST = 300
"""Characters of a step."""
MOST = 12

_ITEM = re.compile(r"^\s*(?:\d+[.)]|[-*+•])\s+(\S.*)$", re.MULTILINE)
_PARTS = re.compile(
    r"\s*(?:;|\.\s+(?=[A-Za-z])|,?\s+and\s+(?:then|finally|afterwards)\s+|,\s*(?:then|finally|next)\s+|,?\s+after that,?\s+"
    r"|[.;]?\s+(?:then|finally)\s+)\s*",
    re.IGNORECASE,
)
_IN_A_LINE = re.compile(r"(?:^|\s)(\d{1,2})[.)]\s+(?=\S)")
_REPORT = re.compile(
    r"(?:(?:make|write|do|prepare|give me)\s+)?(?:an?|the)\s+(?:\w+\s+)?(?:report|analysis|overview|summary)\s[^:]{1,80}:\s+(\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_LISTED = re.compile(r",\s+(?:and\s+)?|;\s+|\s+and\s+")
_LEAD = re.compile(r"^(?:please|first(?:ly)?|then|next|finally|and|also|afterwards)[,:]?\s+", re.IGNORECASE)
_SHOWS = re.compile(
    r"^(?:draw|plot|show|list|count|print|describe|histogram|bar chart|line chart|how many|how much|which|what|who)\b",
    re.IGNORECASE,
)


def parts(task: str) -> list[str]:
    """The requests of a task, one after the other."""
    said = _in_a_line(task) or _ITEM.findall(task) or _reported(task) or _PARTS.split(" ".join(task.split()))
    wishes = [_LEAD.sub("", one.strip()).strip(" .,;") for one in said]
    return [one[:LONGEST] for one in wishes if one][:MOST]


def _in_a_line(task: str) -> list[str]:
    """``1. … 2. … 3. …`` in one line: what was a list before it was pasted behind a magic."""
    lead, *said = _IN_A_LINE.split(task.strip())
    numbers, wishes = said[0::2], said[1::2]
    begins = "\n" not in task.strip() and (not lead or lead.endswith(":"))
    counted = len(wishes) > 1 and numbers == [str(number + 1) for number in range(len(wishes))]
    return wishes if begins and counted else []


def _reported(task: str) -> list[str]:
    """``a report on sales: …``, whose parts stand behind the colon."""
    report = _REPORT.fullmatch(task.strip())
    return _LISTED.split(report[1]) if report else []


def plan(task: str) -> str:
    """The plan for a task, in the format of a model's answer. A step that only shows something does not depend on neighbours that do
    the same."""
    wishes = parts(task)
    shows = [_SHOWS.match(wish) is not None for wish in wishes]
    lines = []
    for number, wish in enumerate(wishes):
        beside = shows[number] and any(shows[other] for other in (number - 1, number + 1) if 0 <= other < len(shows))
        lines.append(f"{number + 1}. {'[alone] ' if beside else ''}{wish}")
    return "\n".join(lines) + "\n"
