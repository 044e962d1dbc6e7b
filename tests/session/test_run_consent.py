"""Consent to the runs of agents: asked for once, granted for a while, never for what speaks against itself."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import SessionError, SparkError, StaleCell
from spark_jupyter.protocol.agent_messages import AnswerRun, AskRun, ConsentChanged, ProposedCell, RevokeGrants
from spark_jupyter.protocol.messages import Event, Prompt
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import (
    Accept,
    CellEdited,
    ProposalChanged,
    Reject,
    Revert,
    Run,
    RunRequested,
)
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Finding, NotebookCell, Surprise
from spark_jupyter.session.actions import TryProposal
from spark_jupyter.session.session import Session

CELLS = (NotebookCell(id="first", source="x = 1"), NotebookCell(id="second", source="y = 2"))


def session_with(*proposes: ProposedCell) -> Session:
    session = Session(model="m")
    propose(session, *proposes)
    return session


def propose(session: Session, *proposes: ProposedCell, turn_id: str = "t1") -> None:
    prompt = Prompt(turn_id=turn_id, text="Adds a cell", cells=CELLS, proposes=proposes, agent="Helper")
    session.receive_command(prompt, at=0.0)


def running(cell: str | NotebookCell, *, operation: str = "run", **fields: str) -> ProposedCell:
    """A change of a cell that leaves its text."""
    cells = {one.id: one for one in CELLS}
    cell = cells.get(cell, NotebookCell(id=cell)) if isinstance(cell, str) else cell
    return ProposedCell(operation=operation, edits=cell.id, **{"source_hash": content_hash(cell.source), **fields})


def passes(session: Session, cell_id: str, *, surprises: tuple[Surprise, ...] = ()) -> None:
    """It was inspected, and ran in a copy."""
    source = session.store.draft(cell_id).source
    session.receive_inspected(cell_id, source)
    result = TrialResult(turn_id="t1", cell_id=cell_id, source_hash=content_hash(source), surprises=surprises)
    session.receive_trial(result)


def events(session: Session, kind: type[Event]) -> list:
    return [event for event in session.events_to_send() if isinstance(event, kind)]


def ask(session: Session, cell_id: str = "t1-1", *, request_id: str = "r1", at: float = 0.0) -> list[Event]:
    session.events_to_send()
    session.receive_command(AskRun(request_id=request_id, cell_id=cell_id, agent="Helper"), at=at)
    return session.events_to_send()


def ran(said: list[Event]) -> bool:
    return any(isinstance(event, RunRequested) for event in said)


def test_what_an_agent_proposes_is_a_turn_in_its_name():
    session = session_with(ProposedCell(source="z = x + y"))
    turn = session.turns[-1]
    assert (turn.agent, turn.model, turn.outcome) == ("Helper", "Helper", "completed")
    proposal = session.store.proposals[0]
    assert (proposal.cell_id, proposal.source, proposal.state) == ("t1-1", "z = x + y", "ready")


def test_what_an_agent_says_is_not_told_to_the_model_as_the_users_words():
    session = session_with(ProposedCell(source="z = 1"))
    session.actions_to_take()
    session.receive_command(Prompt(turn_id="t2", text="Plot z.", cells=CELLS), at=1.0)
    sent = "".join(message.text for action in session.actions_to_take() for message in action.request.input)
    assert "Plot z." in sent
    assert "Adds a cell" not in sent


def test_several_cells_come_one_below_the_other():
    session = session_with(ProposedCell(source="a = 1", after="first"), ProposedCell(source="b = 2"))
    assert [draft.block().after for draft in session.store.of_turn("t1")] == ["first", "t1-1"]


def test_its_code_is_judged_as_a_models():
    session = session_with(ProposedCell(source="import os\nname = input()\nos.system('ls ' + name)"))
    assert session.store.proposals[0].state == "blocked"


def test_an_edit_of_another_text_is_refused_with_the_present_hash():
    session = Session(model="m")
    stale = ProposedCell(source="x = 3", edits="first", source_hash=content_hash("x = 0"))
    with pytest.raises(StaleCell, match=content_hash("x = 1")):
        propose(session, stale)
    assert not session.store.proposals
    propose(session, ProposedCell(source="x = 3", edits="first", source_hash=content_hash("x = 1")))
    assert (session.store.proposals[0].kind, session.store.proposals[0].base) == ("edit", "x = 1")


def test_a_run_waits_for_a_person():
    session = session_with(ProposedCell(source="z = x + y"))
    said = ask(session)
    assert not ran(said)
    assert [one.cell_id for one in said[-1].asked] == ["t1-1"]
    session.receive_command(AnswerRun(request_id="r1", allowed=True), at=1.0)
    said = session.events_to_send()
    assert ran(said)
    assert said[-1] == ConsentChanged(decided={"r1": True})


def test_a_person_says_no():
    session = session_with(ProposedCell(source="z = x + y"))
    ask(session)
    session.receive_command(AnswerRun(request_id="r1", allowed=False, minutes=30), at=1.0)
    assert session.events_to_send() == [ConsentChanged(decided={"r1": False})]
    assert not session.consent.granted("Helper", at=1.0)


def test_an_agent_that_is_refused_again_and_again_has_to_wait():
    session = session_with(ProposedCell(source="z = x + y"))
    for number in range(3):
        ask(session, request_id=f"r{number}", at=float(number))
        session.receive_command(AnswerRun(request_id=f"r{number}", allowed=False), at=float(number))
    with pytest.raises(SessionError, match="refused 3 runs"):
        ask(session, request_id="r3", at=59.0)
    ask(session, request_id="r3", at=61.0)
    session.receive_command(AnswerRun(request_id="r3", allowed=True), at=61.0)
    assert not session.consent.value


@pytest.mark.parametrize(("command", "answer"), [(Run(cell_id="t1-1"), True), (Reject(cell_id="t1-1"), False)])
def test_the_usual_ways_of_deciding_answer_too(command, answer):
    session = session_with(ProposedCell(source="z = x + y"))
    ask(session)
    session.receive_command(command, at=1.0)
    assert session.events_to_send()[-1] == ConsentChanged(decided={"r1": answer})


def test_a_grant_runs_what_is_clean_until_it_ends_or_is_revoked():
    session = session_with(ProposedCell(source="a = 1"), ProposedCell(source="b = 2"), ProposedCell(source="c = 3"))
    for number in (1, 2, 3):
        passes(session, f"t1-{number}")
    ask(session)
    session.receive_command(AnswerRun(request_id="r1", allowed=True, minutes=30), at=0.0)
    assert ran(ask(session, "t1-2", request_id="r2", at=1799.0))
    assert not ran(ask(session, "t1-3", request_id="r3", at=1801.0))
    session.receive_command(AnswerRun(request_id="r3", allowed=True, minutes=30), at=1801.0)
    session.receive_command(RevokeGrants(), at=1802.0)
    assert not session.consent.granted("Helper", at=1802.0)


def test_a_grant_covers_nothing_that_was_not_tried_or_surprised_or_was_found():
    session = session_with(*(ProposedCell(source=f"a{number} = 1") for number in range(4)))
    passes(session, "t1-1")
    passes(session, "t1-2", surprises=(Surprise(rule="many-rows", message="It has more rows."),))
    passes(session, "t1-4")
    session.receive_findings("t1", "t1-4", [Finding(rule="r", severity="warn", line=1, message="It is odd.")], at=0.0)
    ask(session)
    session.receive_command(AnswerRun(request_id="r1", allowed=True, minutes=30), at=0.0)
    assert not any(ran(ask(session, f"t1-{number}", request_id=f"r{number}")) for number in (2, 3, 4))


def test_a_blocked_proposal_always_asks_and_needs_a_second_yes():
    session = session_with(ProposedCell(source="import os\nname = input()\nos.system('ls ' + name)"))
    assert not ran(ask(session))
    with pytest.raises(SessionError, match="A finding blocks"):
        session.receive_command(AnswerRun(request_id="r1", allowed=True), at=0.0)
    session.receive_command(AnswerRun(request_id="r1", allowed=True, confirmed=True), at=0.0)
    assert ran(session.events_to_send())


def test_another_text_than_the_one_that_was_asked_about_does_not_run():
    session = session_with(ProposedCell(source="z = 1"))
    ask(session)
    session.store.draft("t1-1").source = "z = 2"
    with pytest.raises(SessionError, match="has changed since"):
        session.receive_command(AnswerRun(request_id="r1", allowed=True), at=0.0)
    assert session.consent.value.asked  # as every client shows it, until it is refused
    session.receive_command(AnswerRun(request_id="r1", allowed=False), at=0.0)
    assert not session.consent.value
    assert not ran(session.events_to_send())


def test_an_agent_withdraws_its_own_undecided_turn_alone():
    session = session_with(ProposedCell(source="z = 1"))
    with pytest.raises(SessionError, match="its own turn"):
        session.receive_command(Revert(turn_id="t1", agent="Another"), at=0.0)
    session.receive_command(Run(cell_id="t1-1"), at=0.0)
    with pytest.raises(SessionError, match="its own turn"):
        session.receive_command(Revert(turn_id="t1", agent="Helper"), at=0.0)
    propose(session, ProposedCell(source="w = 1"), turn_id="t2")
    session.events_to_send()
    session.receive_command(Revert(turn_id="t2", agent="Helper"), at=0.0)
    assert [event.proposal.state for event in events(session, ProposalChanged)] == ["rejected"]


def test_a_client_that_attaches_is_told_what_waits():
    session = session_with(ProposedCell(source="z = 1"))
    assert session.snapshot().consent is None
    ask(session)
    assert session.snapshot().consent.asked[0].agent == "Helper"


def test_an_existing_cell_is_run_as_it_is_after_a_yes():
    session = session_with(running("second"))
    proposal = session.store.proposals[0]
    assert (proposal.kind, proposal.source, proposal.base, proposal.operation.kind) == ("edit", "y = 2", "y = 2", "run")
    assert not ran(ask(session, "second"))
    session.receive_command(AnswerRun(request_id="r1", allowed=True), at=1.0)
    assert ran(session.events_to_send())


def test_an_existing_cell_that_a_copy_runs_well_is_covered_by_a_grant():
    session = session_with(ProposedCell(source="a = 1"))
    passes(session, "t1-1")
    ask(session)
    session.receive_command(AnswerRun(request_id="r1", allowed=True, minutes=30), at=0.0)
    session.try_by_itself(True)
    propose(session, running("second"), turn_id="t2")
    assert any(isinstance(action, TryProposal) and action.cell_id == "second" for action in session.actions_to_take())
    passes(session, "second")
    assert ran(ask(session, "second", request_id="r2", at=2.0))


def test_a_persons_own_cell_is_judged_before_an_agent_may_run_it():
    dangerous = NotebookCell(
        id="theirs", source="import os\nname = input()\nos.system('ls ' + name)", execution_count=1
    )
    session = Session(model="m")
    prompt = Prompt(turn_id="t1", text="Run", cells=(dangerous,), proposes=(running(dangerous),), agent="Helper")
    session.receive_command(prompt, at=0.0)
    assert session.store.proposals[0].state == "blocked"


def test_a_cell_is_moved_and_deleted_as_a_proposal_that_says_where_it_was():
    session = session_with(running("first", operation="move"), running("second", operation="delete"))
    moved, deleted = session.store.proposals
    assert (moved.operation.below, moved.operation.above, moved.source) == ("second", None, "x = 1")
    assert (deleted.operation.above, deleted.source, deleted.base) == ("first", "", "y = 2")
    session.receive_command(Accept(cell_id="second"), at=1.0)
    session.receive_command(Revert(turn_id="t1"), at=2.0)
    assert [one.state for one in session.store.proposals] == ["rejected", "reverted"]


def test_the_deletion_of_a_cell_by_hand_accepts_its_proposal_and_undo_asks_again():
    session = session_with(running("second", operation="delete"))
    session.receive_command(CellEdited(cell_id="second", source=None), at=1.0)
    assert session.store.proposals[0].state == "accepted"
    session.receive_command(CellEdited(cell_id="second", source="y = 2"), at=2.0)
    assert session.store.proposals[0].state == "ready"


def test_an_accepted_deletion_follows_undo_and_redo():
    session = session_with(running("second", operation="delete"))
    session.receive_command(Accept(cell_id="second"), at=1.0)
    session.receive_command(CellEdited(cell_id="second", source="y = 2"), at=2.0)
    assert session.store.proposals[0].state == "reverted"
    session.receive_command(CellEdited(cell_id="second", source=None), at=3.0)
    assert session.store.proposals[0].state == "accepted"


@pytest.mark.parametrize(
    "wrong",
    [
        running("second", operation="move", after="second"),
        running("second", operation="move", after="first"),
        running("second", operation="move", after="nowhere"),
        running("third"),
        running("second", source_hash="0" * 8),
    ],
)
def test_a_change_that_does_not_fit_is_refused_and_nothing_of_its_turn_is_proposed(wrong):
    session = Session(model="m")
    with pytest.raises(SparkError):
        propose(session, ProposedCell(source="a = 1"), wrong)
    assert not session.store.proposals


def test_a_turn_changes_a_cell_once():
    with pytest.raises(SessionError, match="once only"):
        session_with(running("first"), running("first", operation="delete"))


@pytest.mark.parametrize("operation", ["delete", "move"])
def test_a_deletion_or_a_move_is_not_run(operation):
    session = session_with(running("first", operation=operation))
    for command in (AskRun(request_id="r1", cell_id="first", agent="Helper"), Run(cell_id="first")):
        with pytest.raises(SessionError):
            session.receive_command(command, at=0.0)
    assert session.store.draft("first").state == "ready"
    assert session.consent.value is None
