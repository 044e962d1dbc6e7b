"""What is answered to one subscriber alone, unlogged, and is stale a moment later: ghost text, next edits, what may be mentioned.

Only used on the engine's loop.
"""

from __future__ import annotations

from collections.abc import Callable

from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.completions import Completions
from spark_jupyter.engine.foreseeing import Foresight
from spark_jupyter.engine.judges import Judges
from spark_jupyter.engine.kernel import Kernel
from spark_jupyter.engine.loop import LoopThread
from spark_jupyter.engine.next_edits import NextEditFinder
from spark_jupyter.engine.refining_by_model import RefiningByModel
from spark_jupyter.engine.situations import Situations
from spark_jupyter.engine.sources import Sources
from spark_jupyter.engine.spending import Spending
from spark_jupyter.protocol.completion_messages import Complete, DropCompletion
from spark_jupyter.protocol.next_edit_messages import FindNextEdits
from spark_jupyter.protocol.provider_messages import ListMentions, Mentions
from spark_jupyter.session.guard import Guard

AskedAlone = ListMentions | Complete | DropCompletion | FindNextEdits


class Alone:
    """Answers who asks, and nobody else. ``sources`` decides who makes suggestions, ``kernel`` is what they are judged by, and says
    what may be pointed at; ``waits`` is told whether somebody waits for ghost text."""

    def __init__(
        self,
        sources: Sources,
        *,
        thread: LoopThread,
        broadcast: Broadcast,
        kernel: Kernel,
        situations: Situations,
        guard: Guard,
        waits: Callable[[bool], None],
        spending: Spending | None = None,
    ) -> None:
        self.sources = sources
        self.refining = RefiningByModel(sources, situations, spending=spending, send=broadcast.send)
        self._broadcast = broadcast
        self._mentions = kernel.mentions
        self._completions = Completions(
            sources,
            spawn=thread.spawn,
            tell=broadcast.tell,
            kernel=kernel,
            situations=situations,
            judges=Judges(guard, kernel),
            waits=waits,
        )
        self._next_edits = NextEditFinder(
            spawn=thread.spawn,
            tell=broadcast.tell,
            namespace=kernel.namespace,
            foresight=Foresight(sources, kernel, situations),
        )

    def receive(self, subscriber: Subscriber, command: AskedAlone) -> None:
        """Answer, now or when it is known."""
        match command:
            case ListMentions(prefix=prefix):
                self._broadcast.tell(subscriber, [Mentions(prefix=prefix, items=tuple(self._mentions(prefix)))])
            case FindNextEdits():
                self._next_edits.find(subscriber, command)
            case _:
                self._completions.receive(subscriber, command)

    def forget(self, subscriber: Subscriber) -> None:
        """The subscriber is gone, with all that it has told."""
        self._completions.forget(subscriber)
        self._next_edits.forget(subscriber)

    async def close(self) -> None:
        """Let go of who makes suggestions."""
        await self.sources.close()
