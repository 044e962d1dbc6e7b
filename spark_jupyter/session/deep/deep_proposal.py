"""A deep work that has ended well, as the answer of a turn. Pure."""

from __future__ import annotations

from spark_jupyter.protocol.deep_messages import DeepWork
from spark_jupyter.protocol.values import Turn
from spark_jupyter.session.deep.deep_work import Work
from spark_jupyter.session.live_turn import LiveTurn, SharedState
from spark_jupyter.session.race import Entry


def turn_of(work: Work, shared: SharedState, *, runs: bool) -> LiveTurn:
    """The turn that proposes all of it. Where it ``runs`` by itself what is proposed, edits are tried from where the work began."""
    value = work.value
    turn = Turn(
        id=value.id,
        prompt=value.prompt,
        model=value.model,
        started_at=value.started_at,
        target=value.target,
        withheld=shared.dialogue.redactor.withheld,
    )
    kept = work.edited if work.from_checkpoint and runs else ()
    return LiveTurn.of(turn, work.prompt, work.conversation(), shared, mode="off", meter=work.account, kept=kept)


def entry_of(work: Work, note: str) -> Entry:
    """All that it wrote, in one answer, with what its last run in a copy showed."""
    bench = work.bench()
    return Entry(
        index=0,
        model=work.value.model,
        answer=bench.answer(note),
        source="\n\n".join(cell.source for cell in bench.code),
        passed=work.passed,
        results=work.results,
    )


def note_of(work: DeepWork) -> str:
    """What it did, and what it could not do, as the turn's notes (Markdown)."""
    done = sum(step.state == "done" for step in work.steps)
    lines = [f"Deep work: {done} of {len(work.steps)} steps done, run in a copy."]
    if work.reason:
        lines.append(work.reason)
    if work.undone:
        lines.append("It could not do all of it:")
        lines.append("\n".join(f"- {one}" for one in work.undone))
    return "\n\n".join(lines)
