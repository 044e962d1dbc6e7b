"""Results of rehearsals, and of edits tried with new cells."""

from __future__ import annotations

from msgspec import structs

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.session.answer_trials import AnswerTrial
from spark_jupyter.session.live_turn import LiveTurn
from spark_jupyter.session.rehearsal_feed import Rehearsed
from spark_jupyter.session.shared_state import SharedState


def receive_rehearsal(turn: LiveTurn, rehearsed: Rehearsed, shared: SharedState, at: float) -> None:
    """Handle a result of running an answer while it is written. A failure cuts and corrects the answer; when the turn is over, it blocks
    the proposal."""
    generation, finding = turn.generation, rehearsed.finding
    cuts = generation.receive_rehearsed(rehearsed)
    if finding is not None and cuts and not generation.object_to(rehearsed.cell_id, finding, at):
        draft = shared.store.draft(rehearsed.cell_id)
        if draft is not None and not draft.decided:
            shared.events += shared.store.add_findings(rehearsed.cell_id, shared.guard.judged([finding]))
    turn.follow(at)
    draft = shared.store.draft(rehearsed.cell_id)
    if rehearsed.result is not None and draft is not None:
        shared.events += shared.store.receive_trial(_as_proposed(rehearsed.result, draft.source, shared))
    generation.end_if_rehearsed(at)
    turn.follow(at)


def receive_edit_trial(turn_id: str, trial: AnswerTrial, shared: SharedState) -> None:
    """Give each new cell of a turn its result; its edits have results of their own. The cells behind one that failed have none."""
    store = shared.store
    for draft in [one for one in store.of_turn(turn_id) if one.trying and one.kind == "insert"]:
        covered = content_hash(shared.dialogue.cover(draft.source))
        result = next((one for one in trial.results if one.source_hash == covered), None)
        if result is None and trial.problem:
            result = TrialResult(turn_id=turn_id, cell_id="", problem=trial.problem, summary=trial.problem)
        if result is None:
            shared.events += store.mark_trying(draft, on=False)
        else:
            result = structs.replace(result, turn_id=turn_id, cell_id=draft.cell_id)
            shared.events += store.receive_trial(_as_proposed(result, draft.source, shared))


def _as_proposed(result: TrialResult, source: str, shared: SharedState) -> TrialResult:
    """The result with the hash of the proposal, where a copy ran it without the credentials that it has."""
    is_covered = result.source_hash == content_hash(shared.dialogue.cover(source))
    return structs.replace(result, source_hash=content_hash(source)) if is_covered else result
