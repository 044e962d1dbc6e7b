"""Turns of an earlier kernel life, restored from a notebook.

A notebook may come from anybody, so nothing in it says that a cell may run: undecided proposals are judged as if a model had written them
now, their own allowances do not count, and blocked ones need a second yes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from spark_jupyter.prompting.request_text import fenced
from spark_jupyter.protocol.messages import Restore, TurnStarted
from spark_jupyter.protocol.proposal_messages import ProposalChanged
from spark_jupyter.protocol.values import DECIDED, NotebookCell, Proposal, Turn
from spark_jupyter.session.actions import InspectCell
from spark_jupyter.session.answer_guard import AnswerGuard
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.turn_history import TurnHistory
from spark_jupyter.session.unrun_cells import not_run

KERNEL_GONE = "The kernel went away while it was written."


def restore(command: Restore, history: TurnHistory, shared: SharedState) -> None:
    """Add a notebook's turns and proposals. Those that are known already, from another client or before a reload, stay as they are."""
    turns = {turn.id: _ended(turn) for turn in command.turns if history.get(turn.id) is None}
    fresh = tuple(turn for turn in turns.values() if turn.id not in history)
    history.restore(fresh)
    shared.events += [TurnStarted(turn=turn) for turn in fresh]
    cells = {cell.id: cell for cell in command.cells}
    proposed = [_draft_of(one, turns[one.turn_id], cells) for one in command.proposals if one.turn_id in turns]
    last = {one.turn_id: one.cell_id for one in proposed}
    for draft in shared.store.restore(list({(one.turn_id, one.cell_id): one for one in proposed}.values())):
        cut = turns[draft.turn_id].outcome in ("failed", "cancelled")
        ends = cut and last[draft.turn_id] == draft.cell_id
        if not draft.decided and (inspect := judge(draft, shared.guard, command.cells, cut=cut, ends=ends)) is not None:
            shared.actions.append(inspect)
        shared.events.append(ProposalChanged(proposal=draft.proposal(), held=True))


def with_cut_text(turn: Turn, proposals: Sequence[Proposal]) -> Turn:
    """The turn; of one that its kernel did not end, what it had written of cells is a part of its words."""
    if turn.outcome is not None:
        return turn
    blocks = [fenced("python" if one.cell_type == "code" else "markdown", one.source) for one in proposals]
    return structs.replace(turn, notes="\n\n".join(filter(None, [turn.notes, *blocks])))


def _ended(turn: Turn) -> Turn:
    if turn.outcome is not None:
        return structs.replace(turn, may_go_on=False)
    return structs.replace(turn, outcome="failed", reason=KERNEL_GONE)


def _draft_of(proposal: Proposal, turn: Turn, cells: Mapping[str, NotebookCell]) -> Draft:
    """The draft of a restored proposal. The type and text of a cell in the notebook count, not those of its proposal. Findings on decided
    proposals are shown as they were."""
    cell = cells.get(proposal.cell_id)
    waits = proposal.state not in DECIDED
    draft = Draft(
        cell_id=proposal.cell_id,
        turn_id=turn.id,
        kind=proposal.kind,
        cell_type="code" if cell is not None and cell.cell_type == "code" else proposal.cell_type,
        base=proposal.base,
        operation=proposal.operation if proposal.kind == "edit" else None,
    )
    is_cells_text = proposal.kind == "insert" or draft.does("move") or draft.does("run")
    draft.source = cell.source if cell is not None and waits and is_cells_text else proposal.source
    draft.reused = turn.target.reuse == proposal.cell_id
    draft.surprises = proposal.surprises
    draft.none_passed = proposal.may_run == "when-asked" and not proposal.surprises
    draft.findings = proposal.findings
    draft.tried, draft.decided_by = proposal.tried, proposal.decided_by
    draft.state = "ready" if proposal.state == "streaming" else proposal.state
    return draft


def judge(
    draft: Draft, guard: Guard, cells: Sequence[NotebookCell], *, cut: bool = False, ends: bool = False
) -> InspectCell | None:
    """Judge an undecided draft among the notebook's ``cells``. Returns the request for its slower checks. ``cut``: its turn did not end by
    itself, so a text that does not parse may be unfinished; it ``ends`` where the turn was cut, so its last line may be, too."""
    draft.findings = ()
    if draft.cell_type != "code":
        draft.findings = tuple(guard.markdown(draft.source) if draft.cell_type == "markdown" else ())
        draft.state = draft.undecided_state
        return None
    others = [cell for cell in cells if cell.cell_type == "code" and cell.id != draft.cell_id]
    before = [cell.source for cell in others]
    answer_guard = AnswerGuard(guard, before, [cell.source for cell in others if not_run(cell)])
    draft.unfinished = guard.missing(draft.source) if cut else ""
    unfinished = (ends or bool(draft.unfinished)) and not draft.source.endswith("\n")
    found = [
        *answer_guard.open(draft),
        *answer_guard.flush(draft.cell_id, unfinished=unfinished),
        *(guard.parsed(draft.source) if not draft.unfinished else ()),
    ]
    draft.add_findings(list(dict.fromkeys(found)))
    draft.state, draft.inspecting = draft.undecided_state, True
    return answer_guard.close(draft, unfinished=unfinished)
