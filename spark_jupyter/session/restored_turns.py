"""Turns that ended before this kernel's life, as a notebook has kept them. Pure.

A notebook may come from anybody, so that nothing in it says that a cell may run: what still waits is judged here as if a model had written
it now, its own allowances count for nothing, and what a finding blocks asks for a second yes as ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from spark_jupyter.protocol.messages import ProposalChanged, Restore, TurnStarted
from spark_jupyter.protocol.values import DECIDED, NotebookCell, Proposal, Turn
from spark_jupyter.session.actions import InspectCell
from spark_jupyter.session.answer_guard import AnswerGuard
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.live_turn import SharedState
from spark_jupyter.session.turn_history import TurnHistory
from spark_jupyter.session.unrun_cells import not_run

GONE = "The kernel went away while it was written."


def restore(command: Restore, history: TurnHistory, shared: SharedState) -> None:
    """Take a notebook's turns in. What is known stays as it is: another front end, or the same one before a reload, may have said it."""
    turns = {turn.id: _ended(turn) for turn in command.turns if turn.id not in history}
    history.restore(tuple(turns.values()))
    shared.events += [TurnStarted(turn=turn) for turn in turns.values()]
    cells = {cell.id: cell for cell in command.cells}
    proposed = [_draft_of(one, turns[one.turn_id], cells) for one in command.proposals if one.turn_id in turns]
    for draft in shared.store.restore(list({(one.turn_id, one.cell_id): one for one in proposed}.values())):
        if not draft.decided and (inspect := _judge(draft, shared.guard, command.cells)) is not None:
            shared.actions.append(inspect)
        shared.events.append(ProposalChanged(proposal=draft.proposal(), held=True))


def _ended(turn: Turn) -> Turn:
    """The turn as it is when nothing more can come of it."""
    if turn.outcome is not None:
        return structs.replace(turn, may_go_on=False)
    return structs.replace(turn, outcome="failed", reason=GONE)


def _draft_of(proposal: Proposal, turn: Turn, cells: Mapping[str, NotebookCell]) -> Draft:
    """What a turn proposed. Of a cell that stands in the notebook its own type and text count. Findings on what is decided are shown as
    they were; they decide nothing."""
    cell = cells.get(proposal.cell_id)
    waits = proposal.state not in DECIDED
    draft = Draft(
        cell_id=proposal.cell_id,
        turn_id=turn.id,
        kind=proposal.kind,
        cell_type="code" if cell is not None and cell.cell_type == "code" else proposal.cell_type,
        base=proposal.base,
    )
    draft.source = cell.source if cell is not None and waits and proposal.kind == "insert" else proposal.source
    draft.reused = turn.target.reuse == proposal.cell_id
    draft.surprises = proposal.surprises
    draft.none_passed = proposal.may_run == "when-asked" and not proposal.surprises
    draft.findings = proposal.findings
    draft.tried = proposal.tried
    draft.state = "ready" if proposal.state == "streaming" else proposal.state
    return draft


def _judge(draft: Draft, guard: Guard, cells: Sequence[NotebookCell]) -> InspectCell | None:
    """Judge what waits anew, among the notebook's ``cells``. Returns what the slower checks are to look at."""
    draft.findings = ()
    if draft.cell_type != "code":
        draft.findings = tuple(guard.markdown(draft.source) if draft.cell_type == "markdown" else ())
        draft.state = draft.undecided
        return None
    others = [cell for cell in cells if cell.cell_type == "code" and cell.id != draft.cell_id]
    before = [cell.source for cell in others]
    watching = AnswerGuard(guard, before, [cell.source for cell in others if not_run(cell)])
    found = [*watching.open(draft), *watching.flush(draft.cell_id, unfinished=False), *guard.parsed(draft.source)]
    draft.take(list(dict.fromkeys(found)))
    draft.state, draft.inspecting = draft.undecided, True
    return watching.close(draft)
