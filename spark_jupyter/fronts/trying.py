"""A Try at a prompt: wait for it, show it, and say later whether the source is still the one that was tried."""

from __future__ import annotations

import threading

from msgspec import structs

from spark_jupyter.core.trying import rehearsal
from spark_jupyter.fronts.interrupts import POLL, on_interrupt
from spark_jupyter.fronts.terminal import trial_lines
from spark_jupyter.host.engine import Engine
from spark_jupyter.wire.messages import CancelTry, EventFrame, Proposal, TrialResult, Try
from spark_jupyter.wire.notebook import content_hash


def wait_for_trial(engine: Engine, command: Try) -> TrialResult:
    """Try, and wait for what comes of it; Ctrl-C ends it.

    Raises a :class:`~spark_jupyter.exceptions.SessionError` where it does not fit the state.
    """
    results: list[TrialResult] = []
    done = threading.Event()

    def receive(frame: EventFrame) -> None:
        for event in frame.msgs:
            if isinstance(event, TrialResult) and event.cell_id == command.cell_id:
                results.append(event)
                done.set()

    unsubscribe = engine.subscribe(receive)
    try:
        with on_interrupt(lambda: engine.submit(CancelTry(cell_id=command.cell_id))):
            engine.say(command)
            while not done.wait(POLL):
                pass
    finally:
        unsubscribe()
    return results[-1]


def show(result: TrialResult, *, rich: bool) -> None:
    """Print a Try; where the front end can show pictures and tables (``rich``), they are displayed."""
    if not rich:
        print("\n".join([*trial_lines(result), rehearsal([result])]))
        return
    from IPython.display import display

    print(result.summary or result.problem)
    for output in result.outputs:
        if output.data:
            display(output.data, raw=True)
        else:
            print(output.text, end="" if output.text.endswith("\n") else "\n")
    print("\n".join([*trial_lines(structs.replace(result, outputs=()))[1:], rehearsal([result])]))


def since_the_try(proposal: Proposal) -> str:
    """Whether the source changed since it was tried; nothing where it never was."""
    if proposal.tried is None:
        return ""
    if proposal.tried == content_hash(proposal.source):
        return "Unchanged since it was tried."
    return "Changed since it was tried."
