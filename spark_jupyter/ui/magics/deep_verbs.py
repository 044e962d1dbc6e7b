"""Verbs of deep work: ``%spark deep`` and ``%spark deepen``."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.engine.command_dispatcher import refuse
from spark_jupyter.exceptions import SessionError
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.deep_messages import BeginDeep, ChooseDeep, DirectDeep, EditPlan, SteerDeep
from spark_jupyter.protocol.values import Target
from spark_jupyter.session.deep.budget_use import overnight_budget
from spark_jupyter.ui.magics.proposal_choice import settle
from spark_jupyter.ui.magics.turn_runner import keep_typed
from spark_jupyter.ui.magics.verb_table import verb
from spark_jupyter.ui.text import deep_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.protocol.deep_messages import DeepWork
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine

DIRECTIONS = {"pause": "pause", "go on": "go-on", "resume": "go-on", "cancel": "cancel"}


@verb("let a slower model work on it in the background; without a task: show its state", "task")
def deep(pair: Pair, line: MagicLine) -> None:
    """Begin deep work, direct it, or show it."""
    text = line.text.strip()
    alone = not line.cell
    if text in DIRECTIONS and alone:
        pair.say(DirectDeep(work_id=_last_work(pair).id, what=DIRECTIONS[text]))  # type: ignore[arg-type]  # one of three
        print(deep_text.deep_line(_last_work(pair)))
    elif text == "plan":
        _plan(pair, line.cell)
    elif text == "wait" and alone:
        _wait(pair, line)
    elif text.startswith("steer ") and alone:
        pair.say(SteerDeep(work_id=_last_work(pair).id, text=text.removeprefix("steer ")))
        print(deep_text.deep_line(_last_work(pair)))
    elif task := line.text_and_cell.strip():
        _begin(pair, line, BeginDeep(work_id=new_turn_id(), text=task))
    else:
        print("\n".join(deep_text.deep_lines(_last_work(pair))))


@verb("hand the last answer to the slower model, with a word on what is wrong with it", "task")
def deepen(pair: Pair, line: MagicLine) -> None:
    """Begin deep work on the last answer."""
    turns = pair.engine.read(lambda session: session.turns)
    done = [turn for turn in turns if turn.outcome == "completed"]
    if not done:
        raise SessionError("There is no answer yet.", remedy="Ask for one: %spark PROMPT, or %spark deep PROMPT")
    said = line.text_and_cell
    text = f"{done[-1].prompt}\n{said}" if said else ""
    _begin(pair, line, BeginDeep(work_id=new_turn_id(), text=text, hands_up=done[-1].id))


def choose_deep(pair: Pair, choice: ChooseDeep) -> None:
    """Choose who does deep work (``%spark model --deep NAME``); an empty choice only shows who does."""
    if choice != ChooseDeep():
        pair.say(choice)
    else:
        pair.engine.wait_until_connected(5)  # whose profile says who does
    print(deep_text.gear_text(pair.engine.read(lambda session: pair.engine.hello()).deep))


def _begin(pair: Pair, line: MagicLine, command: BeginDeep) -> None:
    options = line.options
    refuse(command, pair.engine.policy)  # a client that sends it would be told, and not who typed it
    if options.run:
        pair.engine.policy.refuse("auto_run")
    budget = pair.engine.hello().deep.budget
    if options.within:
        budget = overnight_budget(budget)
    changes = {"seconds": options.minutes and options.minutes * 60, "dollars": options.dollars}
    command = structs.replace(
        command,
        cells=pair.shell.cells(),
        target=Target(after=options.after or pair.shell.cell_id),
        checks=options.attempts.checks,
        ask_first=options.ask,
        within=options.within,
        budget=structs.replace(budget, **{name: value for name, value in changes.items() if value}),
    )
    if options.wait:
        _follow(pair, line, command.work_id, partial(_say, pair, command))
    elif pair.hub.request_prompt(command, waits=False):
        print("Deep work is asked for.", deep_text.HOW)
    else:
        pair.say(command)
        print(deep_text.deep_line(_last_work(pair)), "·", deep_text.HOW)


def _say(pair: Pair, command: BeginDeep) -> None:
    """Begin deep work, with the notebook of the client that has it where there is one."""
    if not pair.hub.request_prompt(command, waits=True):
        pair.say(command)


def _wait(pair: Pair, line: MagicLine) -> None:
    """Show deep work until it has ended or needs the user."""
    work = _last_work(pair)
    if work.running:
        _follow(pair, line, work.id, lambda: None)
    else:
        print(deep_text.deep_line(work))


def _follow(pair: Pair, line: MagicLine, work_id: str, begin: Callable[[], None]) -> None:
    """Show deep work until it has ended or needs the user; a typed line steers it, Ctrl-C cancels it."""
    from spark_jupyter.engine.follow import DeepChain
    from spark_jupyter.ui.terminal import TerminalFront, TerminalView

    front = TerminalFront(pair.engine, TerminalView(sys.stdout), new_turn_id=new_turn_id)
    pair.followed = work_id
    try:
        with pair.trials.waiting():
            ended = front.follow_chain(DeepChain(work_id), begin)
    finally:
        pair.followed = ""
    keep_typed(pair, front.unsent)
    if ended is None:
        print(deep_text.deep_line(_last_work(pair)), "·", deep_text.HOW)
    elif ended.outcome == "completed" and line.options.accept:
        settle(pair, line, ended)


def _plan(pair: Pair, cell: str) -> None:
    """Show the plan; a cell's text replaces it."""
    from spark_jupyter.session.deep import plan

    if cell.strip():
        new = plan.read(cell)
        steps = tuple(f"{'[alone] ' * step.fast}{step.text}" for step in new.steps)
        pair.say(EditPlan(work_id=_last_work(pair).id, steps=steps, checks=new.checks))
    work = _last_work(pair)
    print(deep_text.plan_text(plan.Plan(work.steps, work.checks)))


def _last_work(pair: Pair) -> DeepWork:
    works = pair.engine.read(lambda session: session.deep_works)
    if not works:
        raise SessionError("There is no deep work.", remedy="Start it: %spark deep PROMPT")
    return works[-1]
