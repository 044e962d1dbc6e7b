"""Ghost text at IPython's prompt, by IPython's own auto-suggestion.

The user's own suggestion (as a rule from the history) is shown at once, and stays where the model has none. Ours replaces it when it
arrives; nothing waits for it, and typing along needs no request.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from msgspec import Struct
from prompt_toolkit.auto_suggest import AutoSuggest, Suggestion

from spark_jupyter.protocol.completion_messages import Complete, Completed, DropCompletion
from spark_jupyter.protocol.constants import LONGEST_AROUND
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Warm
from spark_jupyter.source.ipython_lines import asks_spark
from spark_jupyter.ui.shell import Shell

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.document import Document

    from spark_jupyter.ui.pair import Pair

PAUSE = 0.06
"""Seconds without a key after which the model is asked."""


def suggest_in_terminal(session: PromptSession[str], pair: Pair) -> Callable[[], None]:
    """Let completions be shown where somebody types at this prompt. Returns what ends that."""
    before = session.auto_suggest
    ours = session.auto_suggest = SparkSuggest(pair, before)
    if (loop := session.app.loop) is not None:  # somebody types already, while the session begins in idle time
        loop.call_soon_threadsafe(ours.ask_now, session.default_buffer, loop)

    def end() -> None:
        ours.close()
        if session.auto_suggest is ours:
            session.auto_suggest = before

    return end


class _Asked(Struct, frozen=True):
    """A completion that somebody typed for: where, and what was shown there before."""

    completion_id: str
    buffer: Buffer
    document: Document
    loop: asyncio.AbstractEventLoop


class SparkSuggest(AutoSuggest):
    """prompt_toolkit's way to be asked for a suggestion after each key. ``fallback`` is what the user had."""

    def __init__(self, pair: Pair, fallback: AutoSuggest | None) -> None:
        self._pair = pair
        self._engine = pair.engine
        self._fallback = fallback
        self._ids = (f"t{number}" for number in count(1))
        self._asked: _Asked | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._shown = ("", "")  # a text, and what was suggested behind it
        self._unsubscribe = self._engine.subscribe(self._receive)

    def close(self) -> None:
        self._cancel()
        self._unsubscribe()

    def get_suggestion(self, buffer: Buffer, document: Document) -> Suggestion | None:
        return self._fallback.get_suggestion(buffer, document) if self._fallback is not None else None

    async def get_suggestion_async(self, buffer: Buffer, document: Document) -> Suggestion | None:
        """Suggestion that is known at once; a later one is shown when it arrives."""
        self._cancel()
        if asks_spark(document.text):
            self._engine.submit(Warm())
        text, suggested = self._shown
        typed = document.text.removeprefix(text)
        if text and document.text == text + typed and suggested.startswith(typed) and suggested != typed:
            return Suggestion(suggested[len(typed) :])
        if _is_asked_for(document):
            loop = asyncio.get_running_loop()
            asked = _Asked(next(self._ids), buffer, document, loop)
            self._timer = loop.call_later(PAUSE, self._ask, asked)
        if self._fallback is None:
            return None
        return await self._fallback.get_suggestion_async(buffer, document)

    def ask_now(self, buffer: Buffer, loop: asyncio.AbstractEventLoop) -> None:
        """Ask for what stands at the prompt; on the prompt's thread."""
        if _is_asked_for(buffer.document):
            self._ask(_Asked(next(self._ids), buffer, buffer.document, loop))

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if (asked := self._asked) is not None:
            self._asked = None
            self._engine.answer_alone(self._receive, DropCompletion(completion_id=asked.completion_id))

    def _ask(self, asked: _Asked) -> None:
        self._asked = asked
        shell: Shell = self._pair.shell
        cells = shell.cells(all_inputs=True)
        command = Complete(
            completion_id=asked.completion_id,
            cell_id="terminal",
            before=asked.document.text[-LONGEST_AROUND:],
            cells=cells,
            position=len(cells),
        )
        self._engine.answer_alone(self._receive, command)

    def _receive(self, frame: EventFrame) -> None:
        """On the engine's thread."""
        for event in frame.msgs:
            asked = self._asked
            if isinstance(event, Completed) and asked is not None and event.completion_id == asked.completion_id:
                line = event.text.split("\n")[0]
                if line.strip():
                    with contextlib.suppress(RuntimeError):  # the prompt has ended, and its loop with it
                        asked.loop.call_soon_threadsafe(self._show, asked, line)

    def _show(self, asked: _Asked, line: str) -> None:
        """On the prompt's own thread: shown where nothing was typed since."""
        if asked is not self._asked or asked.buffer.document != asked.document:
            return
        self._shown = (asked.document.text, line)
        asked.buffer.suggestion = Suggestion(line)
        asked.buffer.on_suggestion_set.fire()


def _is_asked_for(document: Document) -> bool:
    return document.is_cursor_at_the_end and bool(document.text.strip()) and not asks_spark(document.text)
