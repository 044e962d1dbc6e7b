"""What a deep work has used, and whether that is enough. Pure."""

from __future__ import annotations

from spark_jupyter.wire.deep import DeepBudget, DeepWork


def why_spent(work: DeepWork, budget: DeepBudget) -> str:
    """Which part of its budget is used up, in a sentence; empty where none is."""
    if work.elapsed >= budget.seconds:
        return f"Its time is up ({budget.seconds:,.0f} s)."
    if work.tokens >= budget.tokens:
        return f"Its budget of {budget.tokens:,} tokens is used up."
    if budget.dollars is not None and (work.cost or 0.0) >= budget.dollars:
        return f"Its budget of ${budget.dollars:g} is used up."
    return ""


def what_is_left(work: DeepWork) -> list[str]:
    """The steps of its plan that were not done, a sentence each."""
    if not work.steps:
        return ["There is no plan."]
    left = [(number, step) for number, step in enumerate(work.steps, 1) if step.state in ("to-do", "writing", "trying")]
    return [f"Step {number} was not done: {step.text}" for number, step in left]
