"""What copies showed of the proposals on which nobody has decided: kept for a front end that comes later, as a page that is loaded again.
Pure."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.session.draft import Draft

MOST_CHARACTERS = 4_000_000
"""Of all that is kept of outputs, pictures in base64 among them: those of the youngest proposals."""


def shown(drafts: Iterable[Draft]) -> tuple[TrialResult, ...]:
    """What is known of those that still wait, of each cell the one that it is about; oldest first."""
    return tuple(draft.trial for draft in drafts if draft.trial is not None and not draft.decided)


def spare(drafts: Iterable[Draft]) -> None:
    """Keep no more than there is room for: of older proposals what changed and the first line stay, the outputs go. Of those that were
    decided on nothing stays."""
    room = MOST_CHARACTERS
    for draft in reversed(list(drafts)):
        if draft.trial is None:
            continue
        room -= _characters(draft.trial)
        if draft.decided:
            draft.trial = None
        elif room < 0:
            draft.trial = structs.replace(draft.trial, outputs=())


def _characters(result: TrialResult) -> int:
    return sum(len(output.text) + sum(map(len, output.data.values())) for output in result.outputs)
