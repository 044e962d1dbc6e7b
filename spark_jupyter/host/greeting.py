"""What is told to who attaches: who is here, and how everything stands."""

from __future__ import annotations

from msgspec import structs

from spark_jupyter import __version__
from spark_jupyter.core.session import Session
from spark_jupyter.host.checks import Checks
from spark_jupyter.host.copies import Copies
from spark_jupyter.host.gears import Gears
from spark_jupyter.host.link import LinkKeeper
from spark_jupyter.host.reviews import Reviews
from spark_jupyter.host.sources import Sources
from spark_jupyter.wire.messages import Hello, Snapshot


class Greeting:
    """Reads it off the parts of an engine. Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        links: LinkKeeper,
        gears: Gears,
        checks: Checks,
        *,
        copies: Copies,
        sources: Sources,
        reviews: Reviews,
    ) -> None:
        self._session = session
        self._links = links
        self._gears = gears
        self._checks = checks
        self._copies = copies
        self._sources = sources
        self._reviews = reviews

    def hello(self) -> Hello:
        """Who is here: package, provider, model. The fronts fill in what only they know."""
        link = self._links.link
        return Hello(
            package=__version__,
            provider=link.provider if link else "",
            model=self._session.model,
            banner=link.banner if link else "",
            offline=link.offline if link else False,
            try_unavailable=self._checks.try_unavailable,
            rehearsal_unavailable=self._copies.unavailable,
            offered=link.offered.name if link and link.offered else "",
            offered_title=link.offered.title if link and link.offered else "",
            deep=self._gears.gear,
            suggestions=self._sources.mode,
        )

    def snapshot(self) -> Snapshot:
        """How everything stands."""
        return structs.replace(self._session.snapshot(), review=self._reviews.shown)
