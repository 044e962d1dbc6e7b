"""What follows for a session from the link that it has: model, prices, how much fits, what is asked where it can't answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.speech.budget import ANSWER_SHARE

if TYPE_CHECKING:
    from spark_jupyter.core.session import Session
    from spark_jupyter.host.link import Link


def stand(session: Session, link: Link, *, effort: str | None) -> None:
    """Have the session go by what is known of the link. ``effort`` is how much a model may think, None: as its profile says."""
    session.model = session.model or link.model
    session.jobs.price = link.price
    session.jobs.effort = effort or link.effort
    session.jobs.fallback = link.fallback.told if link.fallback is not None else None
    session.checked_attempts = link.attempts
    session.dialogue.window = link.window
    session.dialogue.most_output = int(link.window * ANSWER_SHARE) if link.local else None
