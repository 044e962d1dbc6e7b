"""News of deep work and late repairs, printed above IPython's prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from prompt_toolkit.application import run_in_terminal

from spark_jupyter.protocol.deep_messages import DeepChanged, DeepState, DeepWork
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import TurnEnded, TurnStarted
from spark_jupyter.session.live_turn import REPAIR
from spark_jupyter.ui.text.deep_text import deep_line

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import Application

    from spark_jupyter.ui.pair import Pair

_NEWS: tuple[DeepState, ...] = ("planned", "proposed", "gave-up")
"""States that no command of a person has caused."""


def announce_in_terminal(session: PromptSession[str], pair: Pair) -> Callable[[], None]:
    """Say it where somebody types at this prompt. Returns what ends that."""
    announcer = Announcer(session.app)
    stop = pair.engine.subscribe(lambda frame: announcer.receive(frame, followed=pair.followed))

    def end() -> None:
        stop()
        announcer.close()

    return end


def _repaired(ended: TurnEnded) -> str:
    """A turn that repaired by itself, in a line. It began when the turn before had ended, so nobody watches it."""
    if ended.outcome == "completed":
        return "The cell failed in a copy, so it was rewritten · %spark status shows it"
    return " ".join(("The cell failed in a copy and was not rewritten.", ended.reason)).strip()


class Announcer:
    """Says it at once where the prompt is shown, else with the next one: while a cell runs, the terminal is the cell's."""

    def __init__(self, app: Application[str]) -> None:
        self._app = app
        self._under_way: set[str] = set()
        self._lines: list[str] = []
        app.after_render += self._show

    def receive(self, frame: EventFrame, *, followed: str = "") -> None:
        """Take in what has happened, on the engine's thread. A deep work that is ``followed`` is shown already."""
        for event in frame.msgs:
            match event:
                case DeepChanged(work=work):
                    self._hear(work, followed)
                case TurnStarted(turn=turn) if turn.prompt == REPAIR:
                    self._under_way.add(turn.id)
                case TurnEnded(turn_id=turn_id) if turn_id in self._under_way:
                    self._under_way.remove(turn_id)
                    self._say(_repaired(event))

    def close(self) -> None:
        self._app.after_render -= self._show

    def _hear(self, work: DeepWork, followed: str) -> None:
        if work.running:
            self._under_way.add(work.id)
        elif work.id in self._under_way:
            self._under_way.remove(work.id)
            if work.state in _NEWS and work.id != followed:
                self._say(f"{deep_line(work)} · %spark deep shows it")

    def _say(self, line: str) -> None:
        self._lines.append(line)
        self._app.invalidate()  # from any thread; it renders where it is shown, and then says it

    def _show(self, _: object) -> None:
        if self._lines:
            lines, self._lines = self._lines, []
            run_in_terminal(lambda: print("\n".join(lines)))
