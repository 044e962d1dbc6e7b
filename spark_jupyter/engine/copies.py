"""Whether answers are run in copies of the kernel by themselves."""

from __future__ import annotations

import functools

from spark_jupyter.engine.checks import Checks
from spark_jupyter.session.rehearsal_feed import Rehearse
from spark_jupyter.session.session import Session


class Copies:
    """``rehearse`` is when new cells are run in one while they are written. Only used on the engine's loop."""

    def __init__(self, checks: Checks, *, rehearse: Rehearse) -> None:
        self._checks = checks
        self._mode: Rehearse = "off"
        self.use(rehearse)

    def use(self, rehearse: Rehearse) -> None:
        """From the next turn on."""
        self._mode = rehearse if self._checks.rehearse is not None else "off"

    @functools.cached_property
    def unavailable(self) -> str:
        """Why no answer is run in a copy by itself; empty where it is. Found out once: it may take some milliseconds."""
        return self._checks.try_unavailable or (self._checks.no_rehearsal() if self._checks.no_rehearsal else "")

    def allow(self, session: Session) -> None:
        """Have the session run by itself what it may."""
        tries = self._checks.try_proposal is not None and not self._checks.try_unavailable
        session.rehearse = "off" if self.unavailable else self._mode
        session.try_by_itself(tries and not self.unavailable)
