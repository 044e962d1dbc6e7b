"""A turn's output below its own cell, in notebooks where no front end of ours is: updated from the engine's thread.

Only ``update_display_data`` finds its cell from a thread, so one display is made by the magic and updated from then on, a few
times a second: the notebook server drops messages above 1,000 a second, the user's own prints with them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Protocol

from spark_jupyter.fronts.interrupts import POLL, on_interrupt
from spark_jupyter.fronts.render import problem_html, turn_html, turn_text
from spark_jupyter.host.engine import Engine
from spark_jupyter.wire.messages import Cancel, EventFrame, Problem, TurnEnded, TurnStarted
from spark_jupyter.wire.turnview import TurnView

INTERVAL = 0.1
"""Seconds between two pictures of what grows."""
CHARACTERS_A_SECOND = 1_000_000
"""A long answer is shown anew less often: its whole text goes over the wire each time."""


class Loop(Protocol):
    """What is used of an event loop."""

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
        turn_id: str,
        *,
        publish: Callable[[dict[str, str]], None],
        loop: Callable[[], Loop] = asyncio.get_running_loop,
    ) -> None:
        self._turn_id = turn_id
        self._publish = publish
        self._view = TurnView()
        self._paced = Paced(self._show, loop=loop)
        self.outcome: TurnEnded | None = None

    def receive_frame(self, frame: EventFrame) -> None:
        """Take in a frame, and show the state where it is due."""
        for event in frame.msgs:
            self._view.receive(event)
            if isinstance(event, TurnStarted) and event.turn.steers == self._turn_id:
                self._turn_id = event.turn.id
            if isinstance(event, TurnEnded) and event.turn_id == self._turn_id and event.outcome != "superseded":
                self.outcome = event
            if isinstance(event, Problem) and event.turn_id == self._turn_id and event.turn_id not in self._view.turns:
                self._refuse(event)
        if self._turn_id in self._view.turns:
            self._paced.ask(at_once=self.ended)

    @property
    def ended(self) -> bool:
        """Whether the turn, or the last that steers it, has ended."""
        return self.outcome is not None

    @property
    def turn_id(self) -> str:
        """The turn, or the last that steers it."""
        return self._turn_id

    @property
    def settled(self) -> bool:
        """Whether it has ended, and what is tried of it by itself has, too."""
        return self.ended and not any(one.trying for one in self._view.of_turn(self._turn_id))

    @property
    def decided(self) -> bool:
        """Whether nothing of the turn waits any more: it has ended, and each proposal was accepted or rejected."""
        waiting = ("streaming", "ready", "blocked")
        return self.ended and all(one.state not in waiting for one in self._view.of_turn(self._turn_id))

    def _refuse(self, problem: Problem) -> None:
        """The turn was not even begun."""
        self.outcome = TurnEnded(turn_id=self._turn_id, outcome="failed", reason=problem.message)
        text = f"✗ {problem.message} {problem.remedy}".rstrip()
        self._publish({"text/html": problem_html(problem.message, problem.remedy), "text/plain": text})

    def _show(self) -> int:
        turn = self._view.turns[self._turn_id]
        data = {"text/html": turn_html(self._view, turn), "text/plain": turn_text(self._view, turn)}
        self._publish(data)
        return sum(map(len, data.values()))


def show_turn(engine: Engine, turn_id: str) -> None:
    """Show a turn in the output of the cell that runs, from now until it is decided. Returns at once."""
    _show(engine, turn_id, threading.Event())


def follow_turn(engine: Engine, turn_id: str, begin: Callable[[], None]) -> TurnEnded:
    """As :func:`show_turn`, but wait until it has ended and what is tried of it by itself has. ``begin`` submits the prompt. An interrupt
    cancels it; one that comes too late for that is raised."""
    settled = threading.Event()
    shown, unsubscribe = _show(engine, turn_id, settled)
    with on_interrupt(lambda: engine.submit(Cancel(turn_id=shown.turn_id))) as interrupts:
        try:
            begin()
        except BaseException:
            unsubscribe()  # it was refused: nothing will come
            raise
        while not settled.wait(POLL):
            pass
    assert shown.outcome is not None
    interrupts.raise_unless(shown.outcome.outcome == "cancelled")
    return shown.outcome


def _show(engine: Engine, turn_id: str, settled: threading.Event) -> tuple[TurnDisplay, Callable[[], None]]:
    from IPython.display import display

    make: Any = display
    handle: Any = make({"text/plain": "⚡ …"}, raw=True, display_id=True)

    shown = TurnDisplay(turn_id, publish=lambda data: handle.update(data, raw=True))

    def receive_frame(frame: EventFrame) -> None:
        shown.receive_frame(frame)
        if shown.settled:
            settled.set()
        if shown.decided:
            unsubscribe()

    unsubscribe = engine.subscribe(receive_frame)
    return shown, unsubscribe
