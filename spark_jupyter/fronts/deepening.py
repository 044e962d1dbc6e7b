"""The magics of the deep gear: ``%spark deep``, ``%spark deepen``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.core.deep import plan
from spark_jupyter.exceptions import SessionError
from spark_jupyter.fronts.text import deep as words
from spark_jupyter.fronts.text.options import MagicLine
from spark_jupyter.host.follow import DeepChain
from spark_jupyter.ids import new_turn_id
from spark_jupyter.wire.deep import BeginDeep, ChooseDeep, DeepWork, DirectDeep, EditPlan, SteerDeep
from spark_jupyter.wire.values import Target

if TYPE_CHECKING:
    from spark_jupyter.fronts.pair import Pair
    from spark_jupyter.wire.messages import TurnEnded

DIRECTIONS = {"pause": "pause", "go on": "go-on", "go-on": "go-on", "resume": "go-on", "cancel": "cancel"}


def deep(pair: Pair, line: MagicLine, cell: str) -> TurnEnded | None:
    """``%spark deep …``: show, direct or begin deep work. Returns how it ended, where it was waited for."""
    text = line.text.strip()
    if text in DIRECTIONS and not cell:
        pair.engine.say(DirectDeep(work_id=_last(pair).id, what=DIRECTIONS[text]))  # type: ignore[arg-type]  # one of three
        print(words.deep_line(_last(pair)))
    elif text == "plan":
        _plan(pair, cell)
    elif text.startswith("steer ") and not cell:
        pair.engine.say(SteerDeep(work_id=_last(pair).id, text=text.removeprefix("steer ")))
        print(words.deep_line(_last(pair)))
    elif text or cell.strip():
        task = "\n".join(part for part in (text, cell.strip("\n")) if part)
        return _begin(pair, line, BeginDeep(work_id=new_turn_id(), text=task))
    else:
        print("\n".join(words.deep_lines(_last(pair))))
    return None


def deepen(pair: Pair, line: MagicLine) -> TurnEnded | None:
    """``%spark deepen …``: the last answer is handed to the deep model, with a word of what is wrong with it."""
    turns = pair.engine.read(lambda session: session.turns)
    done = [turn for turn in turns if turn.outcome == "completed"]
    if not done:
        raise SessionError("There is no answer yet.", remedy="Ask for one: %spark PROMPT, or %spark deep PROMPT")
    text = f"{done[-1].prompt}\n{line.text}" if line.text else ""
    return _begin(pair, line, BeginDeep(work_id=new_turn_id(), text=text, hands_up=done[-1].id))


def choose(pair: Pair, model: str) -> None:
    """``%spark model --deep NAME``: another model does deep work from now on; empty: say which one does."""
    if model:
        pair.engine.submit(ChooseDeep(model=model))
    print(words.gear_text(pair.engine.read(lambda session: pair.engine.hello()).deep))


def _begin(pair: Pair, line: MagicLine, command: BeginDeep) -> TurnEnded | None:
    options = line.options
    budget = pair.engine.hello().deep.budget
    changes = {"seconds": options.minutes and options.minutes * 60, "dollars": options.dollars}
    command = structs.replace(
        command,
        cells=pair.shell.cells(),
        target=Target(after=options.after or pair.shell.cell_id),
        checks=options.attempts.checks,
        ask_first=options.ask,
        budget=structs.replace(budget, **{name: value for name, value in changes.items() if value}),
    )
    if options.wait:
        return _follow(pair, command)
    pair.engine.say(command)
    print(words.deep_line(_last(pair)), "·", words.HOW)
    return None


def _follow(pair: Pair, command: BeginDeep) -> TurnEnded:
    """Show it until it has ended; a typed line steers it, Ctrl-C cancels it."""
    from spark_jupyter.fronts.terminal import TerminalFront, TerminalView

    front = TerminalFront(pair.engine, TerminalView(sys.stdout), new_turn_id=new_turn_id)
    return front.follow_chain(DeepChain(command.work_id), lambda: pair.engine.say(command))


def _plan(pair: Pair, cell: str) -> None:
    work = _last(pair)
    if cell.strip():
        new = plan.read(cell)
        pair.engine.say(EditPlan(work_id=work.id, steps=tuple(step.text for step in new.steps), checks=new.checks))
        work = _last(pair)
    print(plan.Plan(work.steps, work.checks).text())


def _last(pair: Pair) -> DeepWork:
    works = pair.engine.read(lambda session: session.deep_works)
    if not works:
        raise SessionError("There is no deep work.", remedy="Begin one: %spark deep PROMPT")
    return works[-1]
