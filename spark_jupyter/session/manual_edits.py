"""Decisions that follow from Undo, Redo and typing.

A cell may have several proposals, each made on the text that the one before left: a new cell, then edits of it. The cell's text says how
many of them are in effect. Where it is the text from before an accepted one, that one and the later ones are reverted; where it is the
text that a reverted one had given it, that one is accepted. Any other text is the user's own, and decides nothing. Deletions and moves
follow from whether the cell is there, and where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spark_jupyter.protocol.values import ProposalState, TurnId
from spark_jupyter.session.draft import Draft

Decision = tuple[Draft, ProposalState]


def decided_by_text(drafts: Sequence[Draft], text: str) -> list[Decision]:
    """The decisions that follow from the cell's present ``text`` for its proposals, oldest first. The reading with the fewest decisions
    counts."""
    chain = [draft for draft in drafts if draft.operation is None and draft.state in ("accepted", "reverted")]
    standing = [draft for draft in chain if draft.state == "accepted"]
    if standing and standing[-1].source == text:
        return []
    after = chain[chain.index(standing[-1]) + 1 :] if standing else chain
    undone = [standing[place:] for place, draft in enumerate(standing) if _held_before(draft, text)]
    redone = [_chain_to(draft, after[:place]) for place, draft in enumerate(after) if draft.source == text]
    nearest: list[Draft] = min([*undone, *redone], key=len, default=[])
    state: ProposalState = "reverted" if nearest in undone else "accepted"
    return [(draft, state) for draft in nearest]


def _chain_to(draft: Draft, before: Sequence[Draft]) -> list[Draft]:
    """A draft with those ``before`` it on which it was made. Another one that was made on the same text is none of them."""
    chain = [draft]
    for one in reversed(before):
        if one.base != chain[0].base or one.kind != chain[0].kind:
            chain.insert(0, one)
    return chain


def _held_before(draft: Draft, text: str) -> bool:
    """True if the cell held ``text`` before the proposal; a new cell held nothing."""
    return not text.strip() if draft.kind == "insert" else draft.base == text


def decided_by_place(drafts: Sequence[Draft], turn_id: TurnId | None, *, moved: bool) -> list[Decision]:
    """The decision that follows from where the cell stands: the turn's move of it was undone, or done again (``moved``)."""
    states: tuple[ProposalState, ProposalState] = ("reverted", "accepted")
    before, after = states if moved else states[::-1]
    return [(one, after) for one in drafts if one.does("move") and one.turn_id == turn_id and one.state == before]


def decided_by_deletion(drafts: Sequence[Draft]) -> list[Decision]:
    """The decisions that follow from the deletion of a cell: undecided proposals are rejected, accepted ones reverted. Where one is the
    deletion itself, and none was accepted after it, it is accepted so, and those that were accepted before stay it."""
    last = next((draft for draft in reversed(drafts) if draft.does("delete") or draft.state == "accepted"), None)
    deletion = last if last is not None and last.does("delete") and last.state != "rejected" else None
    ends: dict[ProposalState, ProposalState] = {"ready": "rejected", "blocked": "rejected"}
    if deletion is None:
        ends["accepted"] = "reverted"
    decisions = [(draft, ends[draft.state]) for draft in drafts if draft.state in ends and draft is not deletion]
    return decisions if deletion is None or deletion.state == "accepted" else [*decisions, (deletion, "accepted")]


def decided_by_return(drafts: Sequence[Draft], states: Mapping[str, ProposalState], text: str) -> list[Decision]:
    """The decisions that follow from the return of a deleted cell by Undo: its proposals have the states that they had, by turn, and no
    deletion of it is accepted.

    A new cell that was removed by its rejection is undecided again; otherwise a model's text would pass for the user's own."""
    decisions: list[Decision] = []
    for draft in drafts:
        was = states.get(draft.turn_id, draft.state)
        if draft.kind == "insert" and was == "rejected" and (not draft.reused or draft.source == text):
            was = draft.undecided_state
        if draft.does("delete") and was == "accepted":
            was = "reverted"
        if was != draft.state:
            decisions.append((draft, was))
    return decisions
