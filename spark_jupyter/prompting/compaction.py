"""Compaction of the oldest exchanges to one line each.

Compaction goes down to half of the room, so that the next turns repeat what was sent before: the provider's cache of the conversation
holds until the next compaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spark_jupyter.prompting.budget import estimate_tokens
from spark_jupyter.prompting.conversation import Answer, Exchange
from spark_jupyter.protocol.values import CellId, ProposalState

LONGEST_SAID = 200
"""Characters of a request, and of an answer in words, in a line."""
_DECIDED: Mapping[ProposalState, str] = {"accepted": "kept", "rejected": "rejected", "reverted": "taken back"}


def to_fold(sizes: Sequence[int], *, room: int, most: int) -> int:
    """Number of the oldest exchanges to fold. ``sizes`` are the sizes of all in tokens, oldest first. None are folded while all fit
    the ``room`` and are at most ``most``; then so many that the rest takes half of both."""
    if len(sizes) <= most and sum(sizes) <= room:
        return 0
    kept, left = 0, room / 2
    for size in reversed(sizes):
        left -= size
        if left < 0 or kept >= most // 2:
            break
        kept += 1
    return len(sizes) - kept


def line(exchange: Exchange, decided: Mapping[CellId, ProposalState], *, words: bool = True) -> str:
    """An exchange in a line: its prompt, and the decision on each of its cells; with ``words`` also its answer, if that was prose alone."""
    question, answer = exchange.question, exchange.answer
    asked = "; then: ".join(map(_short, (question.request, *question.steers)))
    cells = [f"cell {cell_id} {_DECIDED.get(state, 'not decided on')}" for cell_id, state in decided.items()]
    if cells:
        return f"{asked} → {', '.join(cells)}"
    said = _short(answer.notes if isinstance(answer, Answer) else answer) if words else ""
    return f"{asked} → answered: {said}" if said else asked


def lines(folded: Sequence[str], *, room: int) -> tuple[str, ...]:
    """Return the lines that go along: the youngest, in at most ``room`` tokens (estimated), and how many there were
    before them."""
    kept: list[str] = []
    for each in reversed(folded):
        room -= estimate_tokens(each)
        if room < 0:
            break
        kept.append(each)
    gone = len(folded) - len(kept)
    return (*([f"… {gone} before these"] if gone else []), *reversed(kept))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_SAID else f"{flat[: LONGEST_SAID - 1]}…"
