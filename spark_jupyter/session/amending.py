"""Which proposal a request goes on from: "no, strip the $ first", "same for qty", "and sort it". Pure."""

from __future__ import annotations

import re

from spark_jupyter.protocol.constants import FOLLOW_UP
from spark_jupyter.protocol.values import Proposal
from spark_jupyter.session.session import Session

_FOLLOW_UP = re.compile(FOLLOW_UP, re.IGNORECASE)


def goes_on(text: str) -> bool:
    """Whether a request reads as if it went on from the last answer."""
    return _FOLLOW_UP.search(text.split("\n", 1)[0]) is not None


def last_proposal(session: Session) -> Proposal | None:
    """The cell of code that the last turn which proposed any proposed last, and that a person has not rejected; None where there is none,
    or it is being written still. What was answered in words alone, a No too, takes nobody's place."""
    answers = (session.store.of_turn(turn.id) for turn in reversed(session.turns))
    drafts = next((drafts for drafts in answers if drafts), [])
    kept = [draft for draft in drafts if draft.cell_type == "code" and draft.state in ("ready", "blocked", "accepted")]
    return kept[-1].proposal() if kept else None
