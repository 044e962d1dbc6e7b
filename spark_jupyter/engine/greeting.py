"""What is told to who attaches: who is here, and how everything stands."""

from __future__ import annotations

from msgspec import structs

from spark_jupyter import __version__
from spark_jupyter.engine.answerers import Answerers
from spark_jupyter.engine.beside import Beside
from spark_jupyter.engine.checks import Checks
from spark_jupyter.engine.copies import Copies
from spark_jupyter.protocol.messages import Hello, Snapshot
from spark_jupyter.session.session import Session


class Greeting:
    """Reads it off the parts of an engine. Only used on the engine's loop."""

    def __init__(self, session: Session, answerers: Answerers, beside: Beside, checks: Checks, copies: Copies) -> None:
        self._session = session
        self._answerers = answerers
        self._beside = beside
        self._checks = checks
        self._copies = copies

    def hello(self) -> Hello:
        """Who is here: package, provider, model. The fronts fill in what only they know."""
        link = self._answerers.links.link
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
            deep=self._answerers.gears.gear,
            suggestions=self._beside.sources.mode,
        )

    def snapshot(self) -> Snapshot:
        """How everything stands."""
        return structs.replace(self._session.snapshot(), review=self._beside.reviews.shown)
