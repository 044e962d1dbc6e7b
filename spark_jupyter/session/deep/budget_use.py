"""Use of a deep work's budget."""

from __future__ import annotations

from msgspec import structs

from spark_jupyter.protocol.deep_messages import DeepBudget, DeepWork, Within

HOURS: dict[Within, int] = {"": 0, "2h": 2, "8h": 8}
"""Length of the windows."""


def why_spent(work: DeepWork, budget: DeepBudget) -> str:
    """The part of the budget that is used up, in a sentence; empty where none is."""
    if work.elapsed >= budget.seconds:
        return f"Timed out after {budget.seconds:,.0f} s."
    if work.tokens >= budget.tokens:
        return f"Its budget of {budget.tokens:,} tokens is used up."
    if budget.dollars is not None and (work.cost or 0.0) >= budget.dollars:
        return f"Its budget of ${budget.dollars:g} is used up."
    return ""


def undone_steps(work: DeepWork) -> list[str]:
    """The steps that were not done, a sentence each."""
    if not work.steps:
        return ["There is no plan."]
    left = [(number, step) for number, step in enumerate(work.steps, 1) if step.state in ("to-do", "writing", "trying")]
    return [f"Step {number} was not done: {step.text}" for number, step in left]


def overnight_budget(budget: DeepBudget) -> DeepBudget:
    """The budget of a work for which nobody waits: a day, which tokens and dollars limit."""
    return structs.replace(budget, seconds=86_400.0)


def next_window(within: Within, elapsed: float) -> Within:
    """The window of the next request: the work's own while half of that is left, then the shorter one, then none. A day has more hours than
    a night."""
    left = HOURS[within] * 3600 - elapsed
    return next(
        (window for window in ("8h", "2h") if HOURS[window] <= HOURS[within] and left >= HOURS[window] * 1800), ""
    )


def lower_budget(kept: DeepBudget, own: DeepBudget) -> DeepBudget:
    """The budget of a restored work: a notebook may come from anybody, so it can lower the user's ``own`` budget, never raise it."""
    dollars = [each for each in (kept.dollars, own.dollars) if each is not None]
    return DeepBudget(
        seconds=min(kept.seconds, own.seconds),
        tokens=min(kept.tokens, own.tokens),
        dollars=min(dollars, default=None),
    )


def sanitised_use(kept: DeepWork) -> DeepWork:
    """A restored work without negative use."""
    cost = None if kept.cost is None else max(kept.cost, 0.0)
    return structs.replace(kept, elapsed=max(kept.elapsed, 0.0), tokens=max(kept.tokens, 0), cost=cost)
