"""Start of turns from a magic, and their display."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from spark_jupyter.exceptions import SessionError
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.messages import Prompt, Steer
from spark_jupyter.protocol.values import Target
from spark_jupyter.ui.magics.proposal_choice import pending_of, settle
from spark_jupyter.ui.text import words
from spark_jupyter.ui.text.deep_text import handed_text

if TYPE_CHECKING:
    from spark_jupyter.protocol.messages import TurnEnded
    from spark_jupyter.protocol.values import Intent, NotebookCell
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine


def place_of(pair: Pair, line: MagicLine) -> Target:
    """Place of a line's new cells: below the cell that it names, else below the one that runs."""
    return Target(after=line.options.after or pair.shell.cell_id)


def prompt_with(
    pair: Pair,
    line: MagicLine,
    text: str,
    target: Target,
    *,
    intent: Intent = "generate",
    edited: NotebookCell | None = None,
) -> None:
    """Start a turn with this prompt. ``edited`` is the cell that it is about, as it stands."""
    cells = pair.shell.cells()
    if edited is not None:
        cells = (*(cell for cell in cells if cell.id != edited.id), edited)
    prompt = Prompt(
        turn_id=new_turn_id(),
        text=text,
        target=target,
        cells=cells,
        active=None if edited is None else edited.id,
        model=line.options.model,
        intent=intent,
        attempts=line.options.attempts,
    )
    start(pair, line, prompt)


def start(pair: Pair, line: MagicLine, command: Prompt | Steer) -> None:
    """Start a turn; wait for its end where the options, the settings or a terminal want that.

    Raises :class:`~spark_jupyter.exceptions.SessionError` for a turn that failed where a program runs the notebook (nbconvert, papermill):
    it would go on as if all were well.
    """
    if line.options.run:
        pair.engine.policy.refuse("auto_run")
    if notice := pair.take_notice():
        print(notice)
    _say_limits(pair)
    if not _waits(pair, line):
        _start_in_background(pair, command)
        return
    ended = _follow(pair, command, offer=not line.options.accept)
    if ended.outcome == "completed" and line.options.accept:
        settle(pair, line, ended)
    if pair.shell.is_run_by_program:
        _fail_for_program(pair, line, ended)


def _say_limits(pair: Pair) -> None:
    """Say how many prompts are left, and once who reads them."""
    info = pair.engine.read(lambda _: pair.engine.policy_info(None))
    if info.logged_by != pair.prompt_reader:
        pair.prompt_reader = info.logged_by
        print(words.logged_text(info))
    if info.prompts_left:
        print(words.left_text(info))


def _fail_for_program(pair: Pair, line: MagicLine, ended: TurnEnded) -> None:
    if ended.outcome == "failed":
        raise SessionError("The turn failed, so this cell fails too.", remedy="Run it again, or use another provider.")
    if line.options.run and not any(one.state == "accepted" for one in pair.view.of_turn(ended.turn_id)):
        raise SessionError("Nothing of the answer was run, so this cell fails.", remedy="See above why.")


def keep_typed(pair: Pair, unsent: str) -> None:
    """Put what was typed too late for a turn at the next prompt."""
    if unsent:
        pair.shell.set_next_input(unsent)


def _waits(pair: Pair, line: MagicLine) -> bool:
    if line.options.wait is not None:
        return line.options.wait
    return pair.preferences.wait or pair.shell.waits or line.options.accept


def _start_in_background(pair: Pair, command: Prompt | Steer) -> None:
    """Let the engine's thread run the turn; show it below the magic where no client writes its cells."""
    if _hand_over(pair, command, waits=False):
        return
    if pair.hub.writer is None:
        from spark_jupyter.ui.turn_output import show_turn

        show_turn(pair.engine, command.turn_id)
    pair.engine.submit(command)


def _hand_over(pair: Pair, command: Prompt | Steer, *, waits: bool) -> bool:
    """Let the client that has the notebook send a prompt, with the cells as they are and their outputs. False without such a client."""
    return isinstance(command, Prompt) and pair.hub.request_prompt(command, waits=waits)


def _follow(pair: Pair, command: Prompt | Steer, *, offer: bool) -> TurnEnded:
    """Show a turn until it has ended. ``offer``: name the magics for its proposals then."""
    with pair.trials.waiting():
        ended = _shown_until_ended(pair, command)
    if isinstance(command, Prompt) and command.attempts.races and ended.outcome != "failed":
        print(words.KEEP_ONE if command.attempts.compare else words.AFTER_RACE)
    if (reason := pair.view.handed.get(ended.turn_id)) is not None:
        print(handed_text(reason))
    mine = pending_of(pair, ended.turn_id)
    if offer and ended.outcome != "failed" and mine and pair.shell.is_terminal:
        for stopped in [proposal for proposal in mine if proposal.unfinished]:
            print(stopped.unfinished)
        print(" · ".join(words.decision_magics(mine)))
    return ended


def _shown_until_ended(pair: Pair, command: Prompt | Steer) -> TurnEnded:
    """In a notebook as the output of the magic, in a terminal line by line."""

    def begin() -> None:
        if not _hand_over(pair, command, waits=True):
            pair.engine.say(command)

    if not pair.shell.is_terminal:
        from spark_jupyter.ui.turn_output import follow_turn

        return follow_turn(pair.engine, command.turn_id, begin, placed=pair.hub.writer is not None)
    from spark_jupyter.ui.terminal import TerminalFront, TerminalView

    front = TerminalFront(pair.engine, TerminalView(sys.stdout), new_turn_id=new_turn_id)
    ended = front.follow(command.turn_id, begin)
    keep_typed(pair, front.unsent)
    return ended
