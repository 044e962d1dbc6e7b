"""A turn's output below its own cell, in notebooks where no front end of ours is: updated from the engine's thread.

Only ``update_display_data`` finds its cell from a thread, so one display is made by the magic and updated from then on, at
most :data:`RATE` times a second: the notebook server drops messages above 1,000 a second, the user's own prints with them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from spark_jupyter.engine import Engine
from spark_jupyter.messages import EventFrame, TurnEnded, TurnStarted
from spark_jupyter.render import turn_html, turn_text
from spark_jupyter.turnview import TurnView

RATE = 10.0


class TurnDisplay:
    """Shows one turn, and those that steer it, in one display."""

    def __init__(self, turn_id: str, *, publish: Callable[[dict[str, str]], None], clock: Callable[[], float]) -> None:
        self._turn_id = turn_id
        self._publish = publish
        self._clock = clock
        self._view = TurnView()
        self._next = 0.0
        self.ended = False

    def receive_frame(self, frame: EventFrame) -> None:
        """Take in a frame, and show the state where it is due."""
        for event in frame.msgs:
            self._view.receive(event)
            if isinstance(event, TurnStarted) and event.turn.steers == self._turn_id:
                self._turn_id = event.turn.id
            if isinstance(event, TurnEnded) and event.turn_id == self._turn_id and event.outcome != "superseded":
                self.ended = True
        turn = self._view.turns.get(self._turn_id)
        if turn is None or (self._clock() < self._next and not self.ended):
            return
        self._next = self._clock() + 1 / RATE
        data = {"text/html": turn_html(self._view, turn), "text/plain": turn_text(self._view, turn)}
        self._publish(data)


def show_turn(engine: Engine, turn_id: str) -> None:
    """Show a turn in the output of the cell that runs, from now until it has ended. Returns at once."""
    from IPython.display import display

    handle: Any = display({"text/plain": "⚡ …"}, raw=True, display_id=True)

    shown = TurnDisplay(turn_id, publish=lambda data: handle.update(data, raw=True), clock=time.monotonic)

    def receive_frame(frame: EventFrame) -> None:
        shown.receive_frame(frame)
        if shown.ended:
            unsubscribe()

    unsubscribe = engine.subscribe(receive_frame)
