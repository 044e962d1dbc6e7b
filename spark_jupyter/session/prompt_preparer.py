"""Preparation of a prompt and its turn before it is answered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import structs

from spark_jupyter.exceptions import SessionError, StaleCell
from spark_jupyter.prompting.conversation import Answer, Block, Conversation, Note
from spark_jupyter.prompting.dialogue import Dialogue
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.agent_messages import ProposedCell
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.values import CellId, CellOperation, NotebookCell, Turn
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.refactoring.refactoring_answer import answer
from spark_jupyter.session.answer_checks import asserts_in
from spark_jupyter.session.draft import Draft


class PromptPreparer:
    """Answers what needs no model, sets the number of attempts, and shares equal cells with the prompt before to save memory."""

    def __init__(self) -> None:
        self._cells: tuple[NotebookCell, ...] = ()

    def prepare(
        self, command: Prompt, surroundings: Surroundings, redactor: Redactor, *, attempts: int, tries: bool
    ) -> tuple[Prompt, Answer | None]:
        """The prompt to answer, and its answer where it is known without a model.

        Args:
            attempts: How many answers race where the prompt can be checked and does not say how many.
            tries: Whether answers may be tried without being asked.
        """
        if surroundings.explained and not surroundings.tried:
            return structs.replace(command, hint=0), Answer((Note(surroundings.explained),))
        if command.takes:
            return command, surroundings.drafted
        if command.proposes:
            return command, agent_answer(command, hide=redactor.withhold)
        command = structs.replace(_with_attempts(command, attempts, tries=tries), cells=self._shared(command.cells))
        if command.attempts.races or command.intent == "draft":
            return command, None
        return command, answer(command, surroundings.tables, surroundings.refined)

    def _shared(self, cells: Iterable[NotebookCell]) -> tuple[NotebookCell, ...]:
        known = {cell.id: cell for cell in self._cells}
        self._cells = tuple(known[cell.id] if known.get(cell.id) == cell else cell for cell in cells)
        return self._cells


def refuse_unanswerable(command: Prompt) -> None:
    """Raise :class:`~spark_jupyter.exceptions.SessionError` for a prompt that can't be answered."""
    if not command.text.strip() and command.intent == "generate":
        raise SessionError("The prompt is empty.", remedy="Say what the cell should do.")
    if command.attempts.races and command.intent == "explain":
        raise SessionError("An explanation can't be tried, so it takes no attempts and no checks.")


def with_proposals(cells: Sequence[NotebookCell], drafts: Iterable[Draft]) -> tuple[NotebookCell, ...]:
    """The notebook's ``cells`` with the undecided new cells among ``drafts`` that no client has inserted.

    Only a cell that the model is shown can be changed by its id. A client with a notebook sends such cells itself, a terminal does not.
    """
    found = list(cells)
    ids = [cell.id for cell in cells]
    for draft in drafts:
        if draft.kind == "insert" and draft.state in ("ready", "blocked") and draft.cell_id not in ids:
            after = draft.block().after
            place = ids.index(after) + 1 if after in ids else len(ids)
            found.insert(place, NotebookCell(id=draft.cell_id, cell_type=draft.cell_type, source=draft.source))
            ids.insert(place, draft.cell_id)
    return tuple(found)


def other_conversation(
    command: Prompt, surroundings: Surroundings, dialogue: Dialogue, *, proposed: Collection[CellId]
) -> tuple[tuple[Conversation, ...], tuple[str, ...]]:
    """The conversation for the second prompt of a comparison, if it has one, and the names of what was withheld from it.

    Raises :class:`~spark_jupyter.exceptions.SessionError` for a comparison of an answer with itself."""
    wish = command.attempts
    if not wish.compare:
        return (), ()
    if not wish.other.strip():
        if len(set(wish.models)) != 2:
            raise SessionError(
                "There is only one answer, and two are compared.", remedy="Give a second prompt, or two models."
            )
        return (), ()
    conversation = dialogue.begin(structs.replace(command, text=wish.other), surroundings, proposed=proposed)
    return (conversation,), dialogue.redactor.withheld


def begun_turn(command: Prompt, model: str, dialogue: Dialogue, *, is_known: bool, hints: int, at: float) -> Turn:
    """The value of the turn that a prompt begins at the time ``at`` (Unix seconds), for ``model`` if the prompt names none; ``hints`` is
    the furthest step of a hint.

    ``is_known``: the answer is a refactoring or an agent's, and no model is asked. That of a draft is the model's."""
    is_known = is_known and not command.takes
    return Turn(
        id=command.turn_id,
        prompt=command.text,
        model=command.agent if is_known else command.model or model,
        agent=command.agent,
        by=command.by,
        document=command.document,
        started_at=at,
        target=command.target,
        intent="refactor" if is_known else command.intent,
        withheld=() if is_known else dialogue.redactor.withheld,
        folded=0 if is_known else dialogue.folded,
        hint=command.hint,
        hints=hints if command.hint else 0,
    )


def _with_attempts(command: Prompt, attempts: int, *, tries: bool) -> Prompt:
    wish = command.attempts
    is_decided = wish.count > 1 or wish.models or wish.until_green or command.intent == "explain"
    can_be_checked = wish.checks or (tries and asserts_in(command.text))
    if attempts == 1 or is_decided or not can_be_checked:
        return command
    return structs.replace(command, attempts=structs.replace(wish, count=attempts))


# --- Answer that an agent proposes, checked against the notebook ---
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
