"""Parser of plans: numbered steps and checks.

A plan is a numbered list of steps, and a list of asserts under "Checks"::

    1. Load sales.csv and look at it
    2. [alone] Draw the revenue by month
    3. [alone] List the ten best customers

    Checks:
    - assert len(sales) > 0

``[alone]`` marks steps that need nothing of the neighbouring steps with that mark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from spark_jupyter.protocol.constants import LONGEST_DEEP_STEP, MOST_DEEP_CHECKS, MOST_DEEP_STEPS
from spark_jupyter.protocol.deep_messages import DeepStep
from spark_jupyter.session.answer_checks import asserts_in

_ITEM = re.compile(r"\s*(?:step\s+)?(?:\d{1,3}[.):]|[-*+•])\s+(?P<text>\S.*)", re.IGNORECASE)
_NUMBERED = re.compile(r"\s*(?:step\s+)?\d{1,3}[.):]\s+\S", re.IGNORECASE)
_ALONE = re.compile(r"\[alone\]\s*", re.IGNORECASE)


class Plan(Struct, frozen=True):
    """The steps in order, and the asserts that must hold after the last."""

    steps: tuple[DeepStep, ...]
    checks: tuple[str, ...] = ()

    def text(self) -> str:
        """The plan as a person edits it: one step a line, then the checks. :func:`read` parses it again."""
        steps = [f"{number}. {'[alone] ' * step.fast}{step.text}" for number, step in enumerate(self.steps, 1)]
        return "\n".join([*steps, *(f"- {check}" for check in self.checks)])


def read(text: str) -> Plan:
    """Parse the plan in a text. Where lines are numbered, only those are steps; without a plan there are none."""
    lines = [line for line in _prose(text) if not asserts_in(line)]
    numbered = [line for line in lines if _NUMBERED.match(line)]
    items = [found["text"] for line in numbered or lines if (found := _ITEM.match(line))]
    return of_lines(items, asserts_in(text))


def of_lines(lines: Sequence[str], checks: Sequence[str] = ()) -> Plan:
    """The plan with these lines as steps."""
    steps = [_step(line) for line in lines]
    return Plan(
        tuple(step for step in steps if step.text)[:MOST_DEEP_STEPS],
        tuple(check for check in checks if len(check) <= LONGEST_DEEP_STEP)[:MOST_DEEP_CHECKS],
    )


def changed(old: Sequence[DeepStep], new: Sequence[DeepStep]) -> tuple[DeepStep, ...]:
    """The new steps; those before the first difference keep their state."""
    same = 0
    while same < min(len(old), len(new)) and old[same].text == new[same].text:
        same += 1
    return (*old[:same], *new[same:])


def _step(line: str) -> DeepStep:
    text = " ".join(_ALONE.sub("", line).replace("**", "").split())
    return DeepStep(text=text[:LONGEST_DEEP_STEP], fast=_ALONE.search(line) is not None)


def _prose(text: str) -> list[str]:
    """The lines outside of fenced blocks."""
    outside, fence = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fence = not fence
        elif not fence:
            outside.append(line)
    return outside
