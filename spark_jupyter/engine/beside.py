"""What goes on beside turns: what one subscriber asks for alone, reviews of the notebook, better texts that are looked for in idle time."""

from __future__ import annotations

from collections.abc import Callable

from spark_jupyter.engine.alone import Alone, AskedAlone
from spark_jupyter.engine.answerers import Answerers
from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.checks import Checks
from spark_jupyter.engine.kernel import Kernel
from spark_jupyter.engine.loop import LoopThread
from spark_jupyter.engine.refinements import Refinements
from spark_jupyter.engine.reviews import Reviews
from spark_jupyter.engine.situations import Situations
from spark_jupyter.engine.sources import Sources, Wish
from spark_jupyter.engine.spending import Spending
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.session import Session


class Beside:
    """That of one engine. ``suggest`` says who makes suggestions, ``kernel`` is what they are judged by; ``waits`` is told whether somebody
    waits for ghost text. Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        answerers: Answerers,
        checks: Checks,
        *,
        kernel: Kernel,
        guard: Guard,
        suggest: Wish,
        spending: Spending | None,
        thread: LoopThread,
        broadcast: Broadcast,
        waits: Callable[[bool], None],
    ) -> None:
        self._alone = Alone(
            Sources(answerers.links, model=lambda: session.model, wish=suggest),
            thread=thread,
            broadcast=broadcast,
            kernel=kernel,
            situations=Situations(kernel, session.dialogue.redactor, answerers.standing.withholds),
            guard=guard,
            waits=waits,
            spending=spending,
        )
        self.reviews = Reviews(checks.review, spawn=thread.spawn, send=broadcast.send)
        self.refinements = Refinements(
            checks.refining,
            spawn=thread.spawn,
            send=broadcast.send,
            quiet=lambda: not (session.streaming or session.trying),
            by_model=self._alone.refining,
        )

    @property
    def sources(self) -> Sources:
        """Who makes suggestions."""
        return self._alone.sources

    def receive(self, subscriber: Subscriber, command: AskedAlone) -> None:
        """Answer who asks, and nobody else."""
        self.refinements.stir()
        self._alone.receive(subscriber, command)

    def forget(self, subscriber: Subscriber) -> None:
        """The subscriber is gone, with all that it has told."""
        self._alone.forget(subscriber)

    async def close(self) -> None:
        """Let go of who makes suggestions; nothing is refined any more."""
        self.refinements.begins()
        await self._alone.close()
