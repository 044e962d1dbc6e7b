"""What follows for a session from the link that it has: model, prices, how much fits, what is asked where it can't answer, and whether
credentials are kept from it."""

from __future__ import annotations

from collections.abc import Callable

from spark_jupyter.engine.link import Link, LinkKeeper
from spark_jupyter.prompting.budget import ANSWER_SHARE
from spark_jupyter.session.session import Session


class Standing:
    """Has the session go by what is known of its link. ``effort`` is how much a model may think, None: as its profile says. With
    ``trust_local`` nothing is withheld from a model that is on this machine, unless ``elsewhere``: deep work goes to another provider.
    Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        links: LinkKeeper,
        *,
        effort: str | None,
        trust_local: bool,
        elsewhere: Callable[[], bool],
    ) -> None:
        self._session = session
        self._links = links
        self._effort = effort
        self._trust_local = trust_local
        self._elsewhere = elsewhere

    def take(self, link: Link) -> None:
        """There is a link, or another one."""
        session = self._session
        session.model = session.model or link.model
        session.jobs.price = link.price
        session.jobs.effort = self._effort or link.effort
        session.jobs.fallback = link.fallback.told if link.fallback is not None else None
        session.checked_attempts = link.attempts
        session.dialogue.window = link.window
        session.dialogue.most_output = int(link.window * ANSWER_SHARE) if link.local else None
        session.dialogue.withholds = self.withholds(link)

    def think(self, effort: str | None) -> None:
        """The model may think so much, from the next request on."""
        self._effort = effort
        if self._links.link is not None:
            self.take(self._links.link)

    def trust(self, *, local: bool) -> None:
        """Whether credentials may go to a model that is on this machine."""
        self._trust_local = local
        self.refresh()

    def refresh(self) -> None:
        """Who does deep work may have changed."""
        self._session.dialogue.withholds = self._links.link is None or self.withholds(self._links.link)

    def withholds(self, link: Link) -> bool:
        """Whether credentials are kept from what the link leads to; and from it, too, where another provider is asked for deep work, or
        where this one can't answer."""
        near = link.local and (link.fallback is None or link.fallback.local)
        return not (self._trust_local and near) or self._elsewhere()
