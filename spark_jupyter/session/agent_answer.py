"""Answer that an agent proposes, checked against the notebook."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spark_jupyter.exceptions import SessionError, StaleCell
from spark_jupyter.prompting.conversation import Answer, Block
from spark_jupyter.protocol.agent_messages import ProposedCell
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.values import CellId, CellOperation, NotebookCell


def agent_answer(prompt: Prompt, *, hide: Callable[[str], str]) -> Answer:
    """The cells that the agent proposes, as an answer. ``hide`` takes the credentials out of a cell, as when the agent read it.

    Raises :class:`~spark_jupyter.exceptions.StaleCell` where an edit is of another text than the cell holds, and
    :class:`~spark_jupyter.exceptions.SessionError` where the changes do not fit together; then nothing is proposed."""
    cells = {cell.id: cell for cell in prompt.cells}
    edited = [proposed.edits for proposed in prompt.proposes if proposed.edits is not None]
    if len(set(edited)) < len(edited):
        raise SessionError(
            "A turn can change a cell once only.", remedy="Put both changes into one, or propose them one by one."
        )
    blocks: list[Block] = []
    after = prompt.cells[-1].id if prompt.cells else None
    for number, proposed in enumerate(prompt.proposes, 1):
        if proposed.edits is None:
            place = after if proposed.after is None else proposed.after
            if place is not None and place not in cells and place not in {block.cell_id for block in blocks}:
                raise StaleCell(f"There is no cell {place}.", remedy="Read the notebook again.")
            after = _new_id(prompt, number)
            blocks.append(Block(cell_id=after, source=proposed.source, cell_type=proposed.cell_type, after=place))
            continue
        cell = cells.get(proposed.edits)
        if cell is None:
            raise StaleCell(f"There is no cell {proposed.edits}.", remedy="Read the notebook again.")
        if proposed.source_hash not in (present := (content_hash(hide(cell.source)), content_hash(cell.source))):
            raise StaleCell(
                f"Cell {cell.id} has changed since it was read; its hash is now {present[0]}.",
                remedy="Read it again, then propose the edit with that hash.",
            )
        blocks.append(_edit(proposed, cell, order=[*cells]))
    return Answer(tuple(blocks))


def _new_id(prompt: Prompt, number: int) -> CellId:
    return f"{prompt.turn_id}-{number}"


def _edit(proposed: ProposedCell, cell: NotebookCell, *, order: Sequence[CellId]) -> Block:
    if proposed.operation is None:
        source, cell_type, operation = proposed.source, proposed.cell_type, None
    else:
        source = "" if proposed.operation == "delete" else cell.source
        cell_type, operation = cell.cell_type, _operation(proposed, cell, order)
    return Block(
        cell_id=cell.id, source=source, kind="edit", cell_type=cell_type, base=cell.source, operation=operation
    )


def _operation(proposed: ProposedCell, cell: NotebookCell, order: Sequence[CellId]) -> CellOperation:
    assert proposed.operation is not None
    place = order.index(cell.id)
    above = order[place - 1] if place else None
    if proposed.operation == "run" and cell.cell_type != "code":
        raise SessionError(f"Cell {cell.id} has no code to run.")
    if proposed.operation != "move":
        return CellOperation(kind=proposed.operation, above=above)
    below = proposed.after or order[-1]
    if below not in order or below in (cell.id, above):
        raise SessionError(
            f"Cell {cell.id} can't be moved below {below}.", remedy="Name another cell that is in the notebook."
        )
    return CellOperation(kind="move", below=below, above=above)
