"""Bounded cache of trial results for undecided proposals.

A client that attaches later, such as a reloaded page, is shown them.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.session.draft import Draft

MOST_CHARACTERS = 4_000_000
"""Limit for all outputs kept, pictures in base64 included. The youngest proposals keep theirs."""


def undecided_results(drafts: Iterable[Draft]) -> tuple[TrialResult, ...]:
    """The results of the drafts that wait for a decision, oldest first. Pass one draft for each cell."""
    return tuple(draft.trial for draft in drafts if draft.trial is not None and not draft.decided)


def evict(drafts: Iterable[Draft]) -> None:
    """Drop the results of decided drafts, and the outputs of the oldest others beyond :data:`MOST_CHARACTERS`.

    Effects and summary of a result stay.
    """
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
