"""Request to prove all edits of a turn together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.session.actions import ProveEdits, TryProposal
from spark_jupyter.session.draft import Draft


def proof_request(
    drafts: Sequence[Draft], prompt: Prompt, cover: Callable[[str], str], results: Sequence[TrialResult] = ()
) -> ProveEdits | None:
    """The request for the edits among ``drafts``; None where there are none, or where one of the code cells is blocked or has failed.

    ``cover`` takes credentials out of a source that a copy must not see. ``results`` are earlier results of the cells."""
    code = [draft for draft in drafts if draft.cell_type == "code"]
    edits = [draft for draft in code if draft.kind == "edit"]
    if not edits or any(draft.state != "ready" or draft.failed for draft in code):
        return None
    before, after = bound_in(draft.base for draft in edits), bound_in(draft.source for draft in code)
    return ProveEdits(
        turn_id=prompt.turn_id,
        edits=tuple(
            TryProposal(
                turn_id=draft.turn_id,
                cell_id=draft.cell_id,
                source=cover(draft.source),
                source_hash=content_hash(draft.source),
                allow=(),
                base=cover(draft.base),
            )
            for draft in edits
        ),
        new=tuple((cover(draft.source), _below(draft, drafts)) for draft in code if draft.kind == "insert"),
        gone=before - after,
        fresh=after - before,
        renamed=_renamed(prompt),
        order=tuple(cell.id for cell in prompt.cells),
        results=tuple(results),
    )


def _below(new: Draft, drafts: Sequence[Draft]) -> str | None:
    """The id of the nearest cell of the notebook above a new one, across other new cells."""
    places = {draft.cell_id: draft.block().after for draft in drafts if draft.kind == "insert"}
    below, seen = places[new.cell_id], {new.cell_id}
    while below in places and below not in seen:
        seen.add(below)
        below = places[below]
    return below


def bound_in(sources: Iterable[str]) -> frozenset[str]:
    """The variables that these cells bind."""
    from spark_jupyter.refactoring.scopes import names  # off the path of %load_ext

    return frozenset(name for source in sources for name in names(source).bound)


def _renamed(prompt: Prompt) -> tuple[str, str] | None:
    """The old and the new name where the prompt renames a variable or a column."""
    from spark_jupyter.refactoring.intent import RenameColumn, RenameVariable, read

    wish = read(prompt.text) if prompt.intent in ("generate", "edit", "refactor") else None
    return (wish.old, wish.new) if isinstance(wish, (RenameColumn, RenameVariable)) else None
