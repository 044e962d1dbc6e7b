"""Turn that shows the other answer of a comparison after one was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.prompting.conversation import Answer, Block
from spark_jupyter.protocol.values import TurnId
from spark_jupyter.session.live_turn import LiveTurn
from spark_jupyter.session.shared_state import SharedState

if TYPE_CHECKING:
    from spark_jupyter.session.race import Entry


def opened_answer(turn: LiveTurn, entry: Entry, shared: SharedState, *, turn_id: TurnId, at: float) -> LiveTurn:
    """A turn ``turn_id`` that proposes what was written and not kept: the one in which it was written has been decided."""
    prompt, conversation = turn.asked(entry)
    value = structs.replace(
        turn.value,
        id=turn_id,
        prompt=prompt.text,
        model=entry.model,
        started_at=at,
        outcome=None,
        reason="",
        notes="",
        corrections=0,
    )
    prompt, answer = structs.replace(prompt, turn_id=turn_id), _renamed(entry.answer, turn_id)
    return LiveTurn.of(value, prompt, conversation, shared, mode="off", known=answer)


def _renamed(answer: Answer, turn_id: TurnId) -> Answer:
    """The answer with new ids for its new cells: those of the other turn may stand in the notebook."""
    new = [block.cell_id for block in answer.blocks if block.kind == "insert"]
    ids = {cell_id: f"{turn_id}-{number}" for number, cell_id in enumerate(new, 1)}
    return Answer(tuple(_moved(part, ids) if isinstance(part, Block) else part for part in answer.parts))


def _moved(block: Block, ids: dict[str, str]) -> Block:
    after = ids.get(block.after, block.after) if block.after is not None else None
    return structs.replace(block, cell_id=ids.get(block.cell_id, block.cell_id), after=after)
