"""What Undo, Redo and the user's own hand do to proposals that are decided. Pure.

Of one cell there may be several proposals, each made on what the one before has left: a new cell, then edits of it. Those that are
accepted stand; the text of the cell says how far. Where it holds what it held before an accepted one, that one and what came after it
are reverted; where it holds again what a reverted one had given it, that one is accepted. Any other text is the user's own, and says
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spark_jupyter.protocol.values import ProposalState
from spark_jupyter.session.draft import Draft

Decision = tuple[Draft, ProposalState]


def decided_by_text(drafts: Sequence[Draft], text: str) -> list[Decision]:
    """What it says of a cell's proposals, oldest first, that the cell holds ``text`` now. Of several readings the nearest counts."""
    chain = [draft for draft in drafts if draft.state in ("accepted", "reverted")]
    standing = [draft for draft in chain if draft.state == "accepted"]
    if standing and standing[-1].source == text:
        return []
    after = chain[chain.index(standing[-1]) + 1 :] if standing else chain
    undone = [standing[place:] for place, draft in enumerate(standing) if _held_before(draft, text)]
    redone = [after[: place + 1] for place, draft in enumerate(after) if draft.source == text]
    nearest: list[Draft] = min([*undone, *redone], key=len, default=[])
    state: ProposalState = "reverted" if nearest in undone else "accepted"
    return [(draft, state) for draft in nearest]


def _held_before(draft: Draft, text: str) -> bool:
    """Whether the cell held ``text`` before the proposal: a new cell nothing."""
    return not text.strip() if draft.kind == "insert" else draft.base == text


def decided_by_deletion(drafts: Sequence[Draft]) -> list[Decision]:
    """The cell was deleted: what waited is not wanted, what was accepted is taken back."""
    ends: dict[ProposalState, ProposalState] = {"ready": "rejected", "blocked": "rejected", "accepted": "reverted"}
    return [(draft, ends[draft.state]) for draft in drafts if draft.state in ends]


def decided_by_return(drafts: Sequence[Draft], states: Mapping[str, ProposalState], text: str) -> list[Decision]:
    """A cell is there that was gone, by Undo: all is as it was when it went, in ``states`` by turn. A new cell that had gone because it was
    rejected is undecided again, or else a model's text would pass for the user's own."""
    decisions: list[Decision] = []
    for draft in drafts:
        was = states.get(draft.turn_id, draft.state)
        if draft.kind == "insert" and was == "rejected" and (not draft.reused or draft.source == text):
            was = draft.undecided
        if was != draft.state:
            decisions.append((draft, was))
    return decisions
