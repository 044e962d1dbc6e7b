"""Undo of a run: the kernel comes back to the moment before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from spark_jupyter.exceptions import SessionError
from spark_jupyter.sandbox.checkpoints.checkpoint_store import OFF, Checkpoints
from spark_jupyter.sandbox.checkpoints.moments import THINNED, Changes, Run


class Undone(Struct, frozen=True, kw_only=True):
    """Result of an undo."""

    run: Run
    changes: Changes


def undo(
    shell: Any,
    checkpoints: Checkpoints,
    *,
    partly: bool = False,
    report: Callable[[str], object] = lambda sentence: None,
) -> Undone:
    """Undo the last run; see :func:`~spark_jupyter.sandbox.checkpoints.restoration.prepared`."""
    found = checkpoints.last_run()
    if found is None:
        raise SessionError("Nothing to undo: no cell has run since Spark was loaded, or every run is undone already.")
    run, kept = found
    moment = checkpoints.before_run(run.number)
    if moment is None or kept is None:
        why = checkpoints.why_none()
        reason = moment.why_lost if moment else THINNED
        reason = why if why == OFF else f"No checkpoints are taken. {why}" if why else reason
        raise SessionError(f"There is no checkpoint from before [{run.number}]. {reason}")
    from spark_jupyter.sandbox.checkpoints.restoration import prepared  # where there is no fork it can't be

    with prepared(shell, checkpoints, moment, partly=partly, report=report) as restoration:
        restoration.apply()
    checkpoints.forget(run)
    return Undone(run=run, changes=restoration.changes)


def undone_lines(undone: Undone) -> list[str]:
    number, changes = undone.run.number, undone.changes
    back = ", ".join([*(one.name for one in changes.back), *changes.parts])
    parts = [
        f"{back} restored" if back else "",
        f"{', '.join(changes.gone)} removed" if changes.gone else "",
        *changes.files_words,
    ]
    lines = [f"Undid the run of [{number}]: {'; '.join(filter(None, parts)) or 'no variable had changed'}."]
    stays = [
        *(f"{name} stays as it is" for name in changes.as_it_is),
        *(f"{name} was written and stays" for name in changes.files),
    ]
    lines += [f"Not undone: {'; '.join(stays)}."] if stays else []
    return [*lines, "Cell numbers and effects outside this kernel are not undone."]
