"""Verbs that save moments and go back to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.exceptions import SessionError
from spark_jupyter.sandbox import unavailable
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.magics.verb_table import verb
from spark_jupyter.working_folder import working_folder

if TYPE_CHECKING:
    from spark_jupyter.sandbox.checkpoints.moments import Moment
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine


@verb("NAME: keep the variables and the conversation as they are now, to go back to", "word")
def save(pair: Pair, line: MagicLine) -> None:
    _check_name(line.text)
    saved = pair.checkpoints.save(line.text)
    why = "" if saved.alive else f" Without its variables: {saved.why_lost}"
    print(printable(f"Saved: {saved.name}. %spark back {saved.name} goes back to it.{why}"))


def _check_name(name: str) -> None:
    if not name or name.isdecimal() or name == "cell" or name.startswith("-"):
        raise SessionError(
            "Give the moment a name that is not a number.", remedy="For example %spark save before-cleaning"
        )


@verb("list the moments; 2, cell 3, turn 1 or NAME: show what going back would change; --yes: go back", "moment")
def back(pair: Pair, line: MagicLine) -> None:
    """List the moments, preview a return, or do it."""
    from spark_jupyter.sandbox.checkpoints.moments import moment_named
    from spark_jupyter.ui.moment_text import timeline_lines

    if line.text.startswith("#"):
        pair.checkpoints.add_turn(line.text[1:])  # its prompt is edited, though nothing of it was accepted
    moments, runs = pair.checkpoints.moments, pair.checkpoints.runs
    if not line.text:
        print(printable("\n".join(timeline_lines(moments))))
        return
    if line.options.branch is not None:
        _check_name(line.options.branch)
    moment = moment_named(line.text, moments, runs)
    if moment is None:
        raise SessionError(f"There is no moment {line.text}.", remedy="%spark back lists those that there are.")
    if not moment.alive and not moment.unchanged:
        _without_variables(pair, moment, line)
    elif line.options.yes:
        _go(pair, moment, line)
    else:
        _preview(pair, moment, line.text)


def _preview(pair: Pair, moment: Moment, text: str) -> None:
    from spark_jupyter.ui.moment_text import changes_lines
    from spark_jupyter.ui.timeline import restoration

    with restoration(pair.shell.interactive, pair.checkpoints, moment) as ready:
        changes = ready.changes
    turns, left = pair.timeline.turns(moment), pair.timeline.left(moment)
    lines = changes_lines(moment, changes, left=left, turns=turns, cells=_cells(pair))
    pair.timeline.publish_preview(moment, changes)
    go = f"Go back: %spark back {text} --yes. The present state is saved as a moment, so you can return to it."
    print(printable("\n".join([*lines, go])))


def _go(pair: Pair, moment: Moment, line: MagicLine) -> None:
    from spark_jupyter.ui.moment_text import conversation_lines, staying
    from spark_jupyter.ui.timeline import restoration

    with restoration(pair.shell.interactive, pair.checkpoints, moment) as ready:
        left = _leave(pair, line)
        failed = ready.apply()
    turns = pair.timeline.turns(moment)
    pair.timeline.go(moment, left)
    changes = ready.changes
    names = ", ".join([*(one.name for one in changes.back), *(one for one in changes.parts)])
    parts = [f"{names} restored" if names else "", f"{', '.join(changes.gone)} removed" if changes.gone else ""]
    parts += changes.files_words
    stays = [*staying(changes), *failed]
    lines = [
        f"Went back: the kernel is as it was {moment.when}: {'; '.join(filter(None, parts)) or 'no variable had changed'}.",
        *conversation_lines(turns),
        f"  cells: {_cells(pair)}",
        *([f"Not restored: {'; '.join(stays)}."] if stays else []),
        f"Return to what you left: %spark back {left.name}" + ("" if left.alive else " (without its variables)"),
    ]
    print(printable("\n".join(lines)))


def _without_variables(pair: Pair, moment: Moment, line: MagicLine) -> None:
    """Where no checkpoint is kept: cells and conversation come back, and the cells that lead there are checked in a fresh process."""
    from spark_jupyter.sandbox.checkpoints.moments import Changes
    from spark_jupyter.ui.moment_text import conversation_lines

    lines = [
        f"The variables of {moment.label} are not kept. {moment.why_lost}".rstrip(),
        *conversation_lines(pair.timeline.turns(moment)),
        f"  cells: {_cells(pair)}",
    ]
    if not line.options.yes:
        numbers = ", ".join(f"[{run.number}]" for run in moment.runs) or "none"
        go = f"%spark back {moment.label} --yes brings the conversation back, and runs them in a fresh copy first."
        pair.timeline.publish_preview(moment, Changes())
        print(printable("\n".join([*lines, f"Cells to run again: {numbers}.", go])))
        return
    pair.timeline.go(moment, _leave(pair, line))
    if pair.hub.writer is None:
        pair.shell.set_next_input("\n\n".join(run.source.rstrip("\n") for run in moment.runs if not run.failed))
        where = "The next cell has them: run it where you want the variables."
    else:
        where = "Run the cells that came back where you want the variables."
    print(printable("\n".join([*lines, f"{_rerun_text(pair, moment)} {where}"])))


def _rerun_text(pair: Pair, moment: Moment) -> str:
    """Result of the runs that made a moment, in a fresh process."""
    if reason := unavailable():
        return f"They were not run in a fresh copy. {reason}"
    from spark_jupyter.sandbox.restart_check import Restart
    from spark_jupyter.sandbox.restart_process import Outcome
    from spark_jupyter.source.abridged_text import error_line

    outcomes: list[Outcome] = []
    failing = [number for number, run in enumerate(moment.runs) if run.failed]
    sources = [run.source for run in moment.runs]
    restart = Restart(sources, folder=str(working_folder()), may_fail=failing, named=pair.trials.named.paths())
    problem = restart.run(outcomes.append)
    for one in outcomes:
        if one.error and one.number not in failing:
            problem = f"[{moment.runs[one.number].number}] fails there: {error_line(one.error)}"
    return f"They were not all run in a fresh copy. {problem}" if problem else "They ran in a fresh copy."


def _cells(pair: Pair) -> str:
    """What becomes of the notebook's cells, in words."""
    if pair.hub.writer is None:
        return "they stay as they are, as no page of JupyterLab is attached"
    return "JupyterLab restores them with their outputs, if the notebook was open then"


def _leave(pair: Pair, line: MagicLine) -> Moment:
    """Have what is left as a moment of its own, under the name that a person gave it, if any, and with the last prompt that led there."""
    names, wanted = {one.name for one in pair.checkpoints.moments}, line.options.branch
    free = (name for number in range(1, len(names) + 2) if (name := f"{wanted or 'left'}-{number}") not in names)
    name = wanted if wanted and wanted not in names else next(free)
    turns = pair.engine.read(lambda session: session.turns)
    return pair.checkpoints.save(name, pinned=bool(wanted), line=turns[-1].prompt if turns else "")
