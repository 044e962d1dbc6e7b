"""A turn or a Try as the output of its cell.

For notebooks without a client of ours. A thread can only reach its cell by ``update_display_data``, so the magic makes one display that is
updated a few times a second: the notebook server drops messages above 1,000 a second, the user's prints among them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.follow import Chain, Follow
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.messages import Event, NotesAdded, Problem, TurnEnded
from spark_jupyter.protocol.proposal_messages import CellsChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.text.html_rendering import problem_html, trial_output_data, turn_html, without_formulas
from spark_jupyter.ui.text.words import (
    effect_lines,
    kept_text,
    output_text,
    problem_line,
    surprise_lines,
    turn_text,
)

INTERVAL = 0.1
"""Seconds between two pictures of what grows."""
CHARACTERS_A_SECOND = 1_000_000
"""A long answer is shown again less often: its whole text goes over the wire each time."""


class Loop(Protocol):
    """Part of an event loop that is used here."""

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Any:
        """Call after so many seconds."""


class Paced:
    """Calls ``show`` soon after :meth:`ask`, and not too often. ``show`` returns how many characters it sent.

    The first is shown at once; what is asked for meanwhile is shown when the interval is over, so nothing waits for the next event.
    """

    def __init__(self, show: Callable[[], int], *, loop: Callable[[], Loop] = asyncio.get_running_loop) -> None:
        self._show = show
        self._loop = loop
        self._resting = False
        self._asked = False

    def ask(self, *, at_once: bool = False) -> None:
        """Have it shown; on the loop's thread."""
        self._asked = True
        if at_once or not self._resting:
            self._do()

    def _do(self) -> None:
        self._asked = False
        resting, self._resting = self._resting, True
        sent = self._show()
        if not resting:
            self._loop().call_later(INTERVAL + sent / CHARACTERS_A_SECOND, self._rested)

    def _rested(self) -> None:
        self._resting = False
        if self._asked:
            self._do()


class TurnDisplay:
    """Shows one turn, and those that steer it, in one display."""

    def __init__(
        self,
        chain: Chain,
        *,
        publish: Callable[[dict[str, str]], None],
        placed: bool = False,
        loop: Callable[[], Loop] = asyncio.get_running_loop,
    ) -> None:
        self._chain = chain
        self._publish = publish
        self._placed = placed
        self._view = TurnView()
        self._begun = False  # whether a part of the answer was shown
        self._paced = Paced(self._show, loop=loop)

    def receive(self, events: list[Event]) -> None:
        """Take in events of these turns, and show the state where it is due."""
        self._view.receive_all(events)
        if self._chain.turn_id in self._view.turns:
            first = not self._begun and any(isinstance(one, NotesAdded | CellsChanged) for one in events)
            self._begun = self._begun or first
            self._paced.ask(at_once=first or self._chain.ended is not None)
        elif self._chain.ended is not None:
            self._refuse(self._view.problems[-1])

    def _refuse(self, problem: Problem) -> None:
        """The turn was not even begun."""
        html, text = problem_html(problem.message, problem.remedy), problem_line(problem.message, problem.remedy)
        self._publish({"text/html": without_formulas(html), "text/plain": text})

    def _show(self) -> int:
        turn = self._view.turns[self._chain.turn_id]
        data = {
            "text/html": without_formulas(turn_html(self._view, turn, placed=self._placed)),
            "text/plain": turn_text(self._view, turn, placed=self._placed),
        }
        self._publish(data)
        return sum(map(len, data.values()))


def show_turn(engine: Engine, turn_id: str, *, placed: bool = False) -> Follow[Chain]:
    """Show a turn in the output of the cell that runs, from now until it is decided. Returns at once. ``placed``: a front end writes its
    new cells into the notebook, so their code is not shown once more."""
    from IPython.display import display

    make: Any = display
    handle: Any = make({"text/plain": "⚡ …"}, raw=True, display_id=True)
    chain = Chain(turn_id)
    shown = TurnDisplay(chain, publish=lambda data: handle.update(data, raw=True), placed=placed)
    return Follow(engine, chain, receive=shown.receive)


def follow_turn(engine: Engine, turn_id: str, begin: Callable[[], None], *, placed: bool = False) -> TurnEnded:
    """As :func:`show_turn`, but wait until it has ended and what is tried of it by itself has. ``begin`` submits the prompt. Ctrl-C
    cancels it; one that comes too late for that is raised."""
    shown = show_turn(engine, turn_id, placed=placed)
    try:
        ended = engine.follow(turn_id).wait(begin).ended
    except SessionError:  # the prompt was refused: nothing will come
        shown.close()
        raise
    assert ended is not None  # or it would wait on
    return ended


def show_trial(result: TrialResult) -> None:
    """Show a Try as the output of the cell that runs: its pictures and tables as such, the rest in lines."""
    from IPython.display import display

    show: Any = display
    print("\n".join([*surprise_lines(result.surprises), printable(result.summary or result.problem)]))
    for output in result.outputs:
        if output.data:
            show(trial_output_data(output), raw=True)
        else:
            print(output_text(output).removesuffix("\n"))
    print("\n".join([*effect_lines(result), kept_text([result])]))
