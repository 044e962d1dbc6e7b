"""Sentences about deep work."""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.protocol.constants import DEEP_STATES
from spark_jupyter.protocol.deep_messages import DeepGear, DeepStep, DeepWork
from spark_jupyter.session.deep.plan import Plan
from spark_jupyter.source.invisible_text import printable

MARKS = {"to-do": "·", "writing": "…", "trying": "…", "done": "✓", "left-out": "✗"}

HOW = "%spark deep shows it, %spark deep steer WORDS | pause | go on | cancel | wait direct it"


def plan_text(plan: Plan) -> str:
    """A plan, as a person edits it and a model may have written it."""
    return printable(plan.text())


def state_text(work: DeepWork) -> str:
    """State of a deep work: ``writes step 2 of 4``."""
    now = next((number for number, step in enumerate(work.steps, 1) if step.state in ("writing", "trying")), 0)
    if work.rest:
        return f"retrying in {work.rest:,.0f} s"
    state = DEEP_STATES[work.state]
    return f"{state.removesuffix(' …')}, step {now} of {len(work.steps)}" if now else state


def spent_text(work: DeepWork) -> str:
    """Spent and allowed budget of a deep work. Whether a price is known shows when somebody has answered."""
    budget = work.budget
    parts = [f"{work.elapsed:,.0f} s of {budget.seconds / 60:,.3g} min", f"{work.tokens:,} of {budget.tokens:,} tokens"]
    if work.within:
        parts[0] = f"{work.elapsed / 60:,.3g} min, each answer within {work.within}"
    limit = f" of ${budget.dollars:g}" if budget.dollars is not None else ""
    if work.cost or limit or (work.cost is None and work.steps):
        parts.append(f"cost unknown{limit}" if work.cost is None else f"${work.cost:.4f}{limit}")
    return ", ".join(parts)


def deep_line(work: DeepWork) -> str:
    """It in one line."""
    return printable(f"⚙ deep: {state_text(work)} · {spent_text(work)}")


def step_line(number: int, step: DeepStep) -> str:
    """A step in a line."""
    rounds = f" (written {step.rounds} times)" if step.rounds > 1 else ""
    return printable(f"  {MARKS[step.state]} {number}. {step.text}{rounds}")


def log_lines(work: DeepWork, *, since: int = 0) -> list[str]:
    """Its log, from an entry on."""
    lines = []
    for entry in work.log[since:]:
        step = f"step {entry.step}: " if entry.step else ""
        lines.append(printable(f"  {entry.at:6.1f} s  {step}{entry.text}"))
    return lines


def news_lines(before: DeepWork | None, work: DeepWork) -> list[str]:
    """News of a deep work: its plan when it has come, and the new lines of its log."""
    known = before.log if before is not None and before.id == work.id else ()
    since = next((at for at in range(len(work.log), 0, -1) if known and work.log[at - 1] == known[-1]), 0)
    lines = log_lines(work, since=since)
    plan = [step.text for step in work.steps]
    if plan and (before is None or plan != [step.text for step in before.steps]):
        lines += [step_line(number, step) for number, step in enumerate(work.steps, 1)]
    return lines


def deep_lines(work: DeepWork) -> list[str]:
    """All of it: plan, log, what it could not do."""
    lines = [deep_line(work), *(printable(f"  {line}") for line in work.prompt.splitlines())]
    lines += [step_line(number, step) for number, step in enumerate(work.steps, 1)]
    lines += [printable(f"  check: {check}") for check in work.checks]
    lines += log_lines(work)
    lines += [printable(f"  could not: {one}") for one in work.undone]
    lines += [printable(f"  {one}") for one in (work.reason, work.lost) if one]
    if work.compared:
        lines += ["  against the fast answer:", *(printable(f"  {line}") for line in work.compared.splitlines())]
    return lines


def gear_text(gear: DeepGear) -> str:
    """Provider, model and limits of deep work."""
    who = gear.model or ("the default model" if gear.provider else "the model that answers turns")
    where = f" at {gear.provider}" if gear.provider else ""
    effort = f", effort {gear.effort}" if gear.effort else ""
    effort += f", tier {gear.tier}" if gear.tier else ""
    dollars = f", ${gear.budget.dollars:g}" if gear.budget.dollars is not None else ""
    used = f"at most {gear.budget.seconds / 60:,.3g} min, {gear.budget.tokens:,} tokens{dollars}"
    how = "Change it with %spark model --deep NAME [--effort LEVEL] [--tier NAME], %spark provider --deep PROFILE."
    return printable(f"Deep work: {who}{where}{effort}; {used}. {how}")


def handed_text(reason: str) -> str:
    """Offer of an answer to deep work."""
    return printable(f"⚙ {reason} %spark deepen hands it to the deep model.")


def status_lines(works: Sequence[DeepWork]) -> list[str]:
    """Lines of ``%spark status`` about deep works."""
    return [
        line for work in works for line in (deep_line(work), *(step_line(n, s) for n, s in enumerate(work.steps, 1)))
    ]
