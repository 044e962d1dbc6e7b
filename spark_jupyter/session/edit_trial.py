"""Request to try a turn's edits together with its new cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.session.answer_trials import TryAnswer
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.job_owners import TurnOwner


def edit_trial(drafts: Sequence[Draft], prompt: Prompt, cover: Callable[[str], str]) -> TryAnswer | None:
    """The request to run the code cells of a turn in one copy, in the order of the notebook, so that new cells find what the edits define;
    None where the turn has not both, or one of the cells is blocked.

    ``cover`` takes credentials out of a source that a copy must not see."""
    code = {draft.cell_id: draft for draft in drafts if draft.cell_type == "code"}
    if {draft.kind for draft in code.values()} != {"edit", "insert"} or any(
        one.state != "ready" for one in code.values()
    ):
        return None
    layout = notebook_layout(tuple(code.values()), prompt)
    cells = [code[cell_id] for cell_id, _ in layout if cell_id in code]
    return TryAnswer(
        owner=TurnOwner(prompt.turn_id),
        cells=tuple(cover(draft.source) for draft in cells),
        ids=tuple(draft.cell_id for draft in cells),
        notebook=layout,
        apart=True,
    )


def notebook_layout(drafts: Sequence[Draft], prompt: Prompt) -> tuple[tuple[str, str | None], ...]:
    """The notebook's code cells with their sources, and the new ones of these ``drafts`` (None), in order."""
    layout: list[tuple[str, str | None]] = [(cell.id, cell.source) for cell in prompt.cells if cell.cell_type == "code"]
    for draft in drafts:
        if draft.kind == "insert":
            _place(draft, layout)
    return tuple(layout)


def _place(draft: Draft, layout: list[tuple[str, str | None]]) -> None:
    """Put a new cell into the notebook, below the cell that it follows; at the end where that is none of code."""
    ids = [cell_id for cell_id, _ in layout]
    if draft.cell_id not in ids:
        above = draft.block().after
        layout.insert(ids.index(above) + 1 if above in ids else len(ids), (draft.cell_id, None))
