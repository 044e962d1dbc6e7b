"""Prompts for plans and their steps.

:mod:`spark_jupyter.session.deep` reads the plan that the model writes.
"""

from __future__ import annotations

from collections.abc import Sequence

INTENT = "plan"
"""Stands under Intent in the message that asks for a plan."""

PLAN_INTENT = f"""\
{INTENT}: plan this work. Another message asks for each step later. Now answer with a plan only: a numbered list, one step a line, in the
order in which they are done.

- A step is one sentence that says what its cells do, with the names of variables, columns and files it uses and makes.
- As few steps as the task needs, twelve at most. Each is one to three cells and can be run when the ones before it have.
- Put [alone] in front of a step that needs nothing of its neighbours, so that it can be written beside them.
- Below the list, under "Checks:", write up to six asserts, one a line, that must hold when all steps have run.
- No code but the asserts. If the task can't be met, say so in one sentence and write no list."""
"""Text under Intent. The instructions are those of every request, so that a plan and its steps share their beginning."""


def plan_text(task: str, steps: Sequence[str]) -> str:
    """The section of a step's message that says what it is a step of, the same for all of them."""
    return "\n".join([f"Task: {task}", *(f"{number}. {step}" for number, step in enumerate(steps, 1))])


def handed_up(cells: Sequence[str], reason: str) -> str:
    """Return the addition to a task that takes on a fast model's answer, whose new cells have these ids."""
    which = f" It stands in the notebook as {', '.join(cells)}." if cells else ""
    why = f" {reason}" if reason else ""
    return (
        f"A quicker model has answered this already.{which}{why} Check it with care, keep what is right, and replace what is not "
        "with ```python cell=ID."
    )
