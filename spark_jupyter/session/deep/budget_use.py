"""What a deep work has used, and whether that is enough. Pure."""

from __future__ import annotations

from msgspec import structs

from spark_jupyter.protocol.deep_messages import DeepBudget, DeepWork


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


def smaller(told: DeepBudget, own: DeepBudget) -> DeepBudget:
    """What may be used where a notebook says so: it may have come from anybody, who can ask for less than the user's ``own`` and never for
    more."""
    dollars = [each for each in (told.dollars, own.dollars) if each is not None]
    return DeepBudget(
        seconds=min(told.seconds, own.seconds),
        tokens=min(told.tokens, own.tokens),
        dollars=min(dollars, default=None),
    )


def used(told: DeepWork) -> DeepWork:
    """A work as a notebook tells of it: none has used less than nothing."""
    cost = None if told.cost is None else max(told.cost, 0.0)
    return structs.replace(told, elapsed=max(told.elapsed, 0.0), tokens=max(told.tokens, 0), cost=cost)
