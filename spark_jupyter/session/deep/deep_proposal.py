"""Turn that proposes the result of a deep work."""

from __future__ import annotations

from spark_jupyter.protocol.deep_messages import DeepWork
from spark_jupyter.protocol.values import Turn
from spark_jupyter.session.deep.deep_work import Work
from spark_jupyter.session.live_turn import LiveTurn
from spark_jupyter.session.race import Entry
from spark_jupyter.session.shared_state import SharedState


def turn_of(work: Work, shared: SharedState, *, runs: bool) -> LiveTurn:
    """The turn for a work's result. ``runs``: edits are proven at the checkpoint where the work's copy began."""
    value = work.value
    turn = Turn(
        id=value.id,
        prompt=value.prompt,
        model=value.model,
        started_at=value.started_at,
        target=value.target,
        withheld=shared.dialogue.redactor.withheld,
    )
    checkpoints = work.edited if work.from_checkpoint and runs else ()
    return LiveTurn.of(
        turn, work.prompt, work.conversation(), shared, mode="off", meter=work.meter, checkpoints=checkpoints
    )


def entry_of(work: Work, note: str) -> Entry:
    """The work's whole answer with the results of its last run."""
    notebook = work.notebook()
    return Entry(
        index=0,
        model=work.value.model,
        answer=notebook.answer(note),
        source="\n\n".join(cell.source for cell in notebook.code),
        passed=work.passed,
        results=work.results,
    )


def note_of(work: DeepWork) -> str:
    """The turn's notes (Markdown): what the work did, and what it could not do."""
    done = sum(step.state == "done" for step in work.steps)
    lines = [f"Deep work: {done} of {len(work.steps)} steps done, run in a copy."]
    if work.reason:
        lines.append(work.reason)
    if work.undone:
        lines.append("It could not do all of it:")
        lines.append("\n".join(f"- {one}" for one in work.undone))
    return "\n\n".join(lines)
