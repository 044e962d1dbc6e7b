"""Verbs that save moments and go back to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.exceptions import SessionError
from spark_jupyter.prompting.dialogue import Heard
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.magics.verb_table import verb
from spark_jupyter.working_folder import working_folder

if TYPE_CHECKING:
    from spark_jupyter.sandbox.checkpoints.moments import Moment, Run
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine


@verb("NAME: keep the variables and the conversation as they are now, to go back to", "word")
def save(pair: Pair, line: MagicLine) -> None:
    """Save a moment."""
    if not line.text or line.text.isdecimal() or line.text == "cell":
        raise SessionError("A moment needs a name that is no number.", remedy="For example %spark save before-cleaning")
    saved = pair.checkpoints.save(line.text)
    why = "" if saved.alive else f" Without its variables: {pair.checkpoints.why_none() or 'no copy could be made.'}"
    print(printable(f"Saved: {saved.name}. %spark back {saved.name} goes back to it.{why}"))


@verb("list the moments; 2, cell 3 or NAME: show what going back would change; --yes: go back", "moment")
def back(pair: Pair, line: MagicLine) -> None:
    """List the moments, preview a return, or do it."""
    from spark_jupyter.sandbox.checkpoints.moments import moment_named
    from spark_jupyter.ui.moment_text import timeline_lines

    moments, runs = pair.checkpoints.moments, pair.checkpoints.runs
    if not line.text:
        print(printable("\n".join(timeline_lines(moments, runs))))
        return
    moment = moment_named(line.text, moments, runs)
    if moment is None:
        raise SessionError(f"There is no moment {line.text}.", remedy="%spark back lists those that there are.")
    left = [run for run in runs if run not in moment.runs]
    if not moment.alive:
        _without_variables(pair, moment, yes=line.options.yes)
    elif line.options.yes:
        _go(pair, moment)
    else:
        _preview(pair, moment, line.text, left)


def _preview(pair: Pair, moment: Moment, text: str, left: list[Run]) -> None:
    from spark_jupyter.sandbox.checkpoints.restoration import prepared
    from spark_jupyter.ui.moment_text import changes_lines

    with prepared(pair.shell.interactive, pair.checkpoints, moment, partly=True, report=print) as restoration:
        lines = changes_lines(moment, restoration.changes, left=left, turns=_turns(pair, moment))
    go = f"Go back: %spark back {text} --yes. What you leave becomes a moment, so you can come forth again."
    print(printable("\n".join([*lines, go])))


def _go(pair: Pair, moment: Moment) -> None:
    from spark_jupyter.sandbox.checkpoints.restoration import prepared
    from spark_jupyter.ui.moment_text import conversation_lines, staying

    shell, checkpoints = pair.shell.interactive, pair.checkpoints
    with prepared(shell, checkpoints, moment, partly=True, report=print) as restoration:
        left = checkpoints.save(_free_name(checkpoints.moments), pinned=False)
        failed = restoration.apply()
    turns = _turns(pair, moment)
    _resume(pair, moment)
    checkpoints.came_back(moment)
    changes = restoration.changes
    names = ", ".join([*(one.name for one in changes.back), *(one for one in changes.parts)])
    parts = [f"{names} as before" if names else "", f"{', '.join(changes.gone)} gone" if changes.gone else ""]
    stays = [*staying(changes), *failed]
    lines = [
        f"Back: the kernel is as it was {moment.when}: {'; '.join(filter(None, parts)) or 'no variable had changed'}.",
        *conversation_lines(turns),
        *([f"Not back: {'; '.join(stays)}."] if stays else []),
        f"What you left: %spark back {left.name}" + ("" if left.alive else " (without its variables)"),
    ]
    print(printable("\n".join(lines)))


def _without_variables(pair: Pair, moment: Moment, *, yes: bool) -> None:
    """Where no checkpoint is kept: the conversation comes back, and the cells that lead there are checked in a fresh process."""
    from spark_jupyter.ui.moment_text import conversation_lines

    lines = [
        f"The variables of {moment.label} are not kept. {pair.checkpoints.why_none()}".rstrip(),
        *conversation_lines(_turns(pair, moment)),
    ]
    if not yes:
        numbers = ", ".join(f"[{run.number}]" for run in moment.runs) or "none"
        go = f"%spark back {moment.label} --yes brings the conversation back, and runs them in a fresh copy first."
        print(printable("\n".join([*lines, f"Cells that lead there, to be run again: {numbers}.", go])))
        return
    _resume(pair, moment)
    print(printable("\n".join([*lines, _rerun_text(pair, moment)])))
    pair.shell.set_next_input("\n\n".join(run.source.rstrip("\n") for run in moment.runs if not run.failed))


def _rerun_text(pair: Pair, moment: Moment) -> str:
    """Result of the runs that made a moment, in a fresh process."""
    from spark_jupyter.sandbox.restart_check import Outcome, Restart
    from spark_jupyter.source.abridged_text import error_line

    outcomes: list[Outcome] = []
    failing = [number for number, run in enumerate(moment.runs) if run.failed]
    sources = [run.source for run in moment.runs]
    restart = Restart(sources, folder=str(working_folder()), may_fail=failing, named=pair.trials.named.paths())
    problem = restart.run(outcomes.append)
    for one in outcomes:
        if one.error and one.number not in failing:
            problem = f"[{moment.runs[one.number].number}] fails there: {error_line(one.error)}"
    ran = f"They were not all run in a fresh copy. {problem}" if problem else "They ran in a fresh copy."
    return f"{ran} The next cell has them: run it where you want the variables."


def _turns(pair: Pair, moment: Moment) -> tuple[int, int]:
    """Numbers of the turns that a return takes from the model's memory, and of those that it brings back."""
    now = pair.heard().turns
    then = moment.conversation.turns if isinstance(moment.conversation, Heard) else now
    return len(now - then), len(then - now)


def _resume(pair: Pair, moment: Moment) -> None:
    heard = moment.conversation
    if isinstance(heard, Heard):
        pair.engine.read(lambda session: session.dialogue.resume(heard))


def _free_name(moments: tuple[Moment, ...]) -> str:
    names = {one.name for one in moments}
    return next(name for number in range(1, len(names) + 2) if (name := f"left-{number}") not in names)
