"""Who answers: the links to the providers of turns and of deep work, what follows of them for a session, and the choice of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spark_jupyter.engine.choosing import Choices
from spark_jupyter.engine.gears import Gears
from spark_jupyter.engine.link import Connect, Link, LinkKeeper
from spark_jupyter.engine.loop import LoopThread
from spark_jupyter.engine.standing import Standing
from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.messages import Event
from spark_jupyter.protocol.provider_messages import Configure
from spark_jupyter.session.session import Session


class Answerers:
    """Those of one engine. ``connect`` makes the link of turns, ``own`` is the kernel's configuration as it begins, ``effort`` how much a
    model may think; ``ideas`` and ``model_folder`` are what can be chosen from. ``changed`` is called when another one answers, or it is
    known who does. Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        connect: Connect,
        own: Configure,
        *,
        effort: str | None,
        no_try: str,
        ideas: Callable[[], Sequence[str]],
        model_folder: str,
        thread: LoopThread,
        send: Callable[[Sequence[Event]], None],
        changed: Callable[[], None],
    ) -> None:
        self._changed = changed
        self.links = LinkKeeper(connect, made=self._linked)
        self.gears = Gears(
            session, self.links, deep=own.deep or ChooseDeep(), changed=self._gear_changed, no_try=no_try
        )
        self.standing = Standing(
            session,
            self.links,
            effort=effort,
            trust_local=own.withhold == "remote",
            elsewhere=lambda: self.gears.elsewhere,
        )
        self.choices = Choices(
            session,
            self.links,
            self.gears,
            spawn=thread.spawn,
            send=send,
            linked=self._linked,
            ideas=ideas,
            model_folder=model_folder,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self.links.close()
        await self.gears.close()

    def _linked(self, link: Link) -> None:
        self.standing.take(link)
        self._changed()

    def _gear_changed(self) -> None:
        self.standing.refresh()
        self._changed()
