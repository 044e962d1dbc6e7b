"""A refactoring is a turn that asks no model: several edits, one Revert."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt, TurnEnded, TurnStarted
from spark_jupyter.protocol.proposal_messages import Accept, ProposalChanged, Revert
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import Attempts, NotebookCell, Target
from spark_jupyter.session.actions import InspectCell, ProveEdits, SendRequest
from spark_jupyter.session.proof_request import proof_request
from spark_jupyter.session.session import Session

CELLS = (
    NotebookCell(id="load", source="df = load()", execution_count=1),
    NotebookCell(id="text", cell_type="markdown", source="What df says"),
    NotebookCell(id="use", source="df.head()", execution_count=2),
)


def asked(text: str, **kwargs: object) -> tuple[Session, list[object]]:
    session = Session(model="a-model")
    session.receive_command(Prompt(turn_id="t", text=text, cells=CELLS, **kwargs), at=1.0)  # type: ignore[arg-type]
    return session, list(session.actions_to_take())


def test_a_rename_in_words_is_one_turn_with_an_edit_of_each_cell_and_no_request():
    session, actions = asked("rename df to sales")
    assert not [action for action in actions if isinstance(action, SendRequest)]
    assert {action.cell_id for action in actions if isinstance(action, InspectCell)} == {"load", "use"}
    assert [(one.cell_id, one.kind, one.state, one.source) for one in session.store.proposals] == [
        ("load", "edit", "ready", "sales = load()"),
        ("use", "edit", "ready", "sales.head()"),
    ]
    events = session.events_to_send()
    (started,) = [event for event in events if isinstance(event, TurnStarted)]
    assert (started.turn.model, started.turn.intent) == ("", "refactor")
    (ended,) = [event for event in events if isinstance(event, TurnEnded)]
    assert ended.outcome == "completed"
    view = TurnView()
    view.receive_all(tuple(events))
    assert view.proposals["use"].source == "sales.head()"


def test_what_was_left_is_said_and_offered():
    session, _ = asked("rename df to sales")
    notes = session.turns[0].notes
    assert "Renamed `df` to `sales` in 2 cells." in notes
    assert "cell 2" in notes
    assert "- Ask: “write sales for df in the text cells”" in notes


def test_one_revert_takes_all_of_it_back():
    session, _ = asked("rename df to sales")
    for cell in ("load", "use"):
        session.receive_command(Accept(cell_id=cell), at=2.0)
    session.events_to_send()
    session.receive_command(Revert(turn_id="t"), at=3.0)
    reverted = [event.proposal for event in session.events_to_send() if isinstance(event, ProposalChanged)]
    assert {(one.cell_id, one.state, one.base) for one in reverted} == {
        ("load", "reverted", "df = load()"),
        ("use", "reverted", "df.head()"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "rename price to cost",
        "use polars here",
        "rename the files to lowercase",
        "make a table",
        "extract the year from date as year",
    ],
)
def test_what_names_nothing_of_the_notebook_is_a_models(text):
    _, actions = asked(text)
    assert [action for action in actions if isinstance(action, SendRequest)]


def test_a_race_and_an_explanation_are_a_models():
    for wish in ({"attempts": Attempts(count=2)}, {"intent": "explain"}):
        _, actions = asked("rename df to sales", **wish)
        assert [action for action in actions if isinstance(action, SendRequest)]


def test_asked_for_by_name_what_can_not_be_done_is_refused_and_nothing_changes():
    session = Session(model="a-model")
    for text in ("rename price to cost", "use polars here"):
        with pytest.raises(RefactoringError):
            session.receive_command(Prompt(turn_id="t", text=text, cells=CELLS, intent="refactor"), at=1.0)
    assert not session.turns
    assert not session.events_to_send()


def test_in_words_what_would_break_the_notebook_is_answered_with_a_refusal():
    session, actions = asked("rename df to list")
    assert not actions
    assert session.turns[0].notes.startswith("No: `list` is a reserved or built-in Python name.")


def test_this_is_the_active_cell():
    session, _ = asked("make this a function called peek", active="use", target=Target(after="use"))
    (proposal,) = session.store.proposals
    assert proposal.cell_id == "use"
    assert proposal.source == "def peek(df):\n    return df.head()\n\n\npeek(df)"


def test_new_cells_come_with_the_edits():
    cells = (NotebookCell(id="a", source="import math\n\ndef f(x):\n    return math.sqrt(x)"),)
    session = Session(model="a-model")
    session.receive_command(Prompt(turn_id="t", text="move f to helpers.py", cells=cells), at=1.0)
    new, edit = session.store.proposals
    assert (new.kind, new.source.split("\n")[0]) == ("insert", "%%writefile helpers.py")
    assert (edit.kind, edit.source) == ("edit", "import math\n\nfrom helpers import f")


def test_what_was_done_goes_along_with_the_next_prompt():
    session, _ = asked("rename df to sales")
    session.receive_command(Prompt(turn_id="u", text="sort it", cells=CELLS), at=2.0)
    (request,) = [action.request for action in session.actions_to_take() if isinstance(action, SendRequest)]
    assert "sales = load()" in "".join(message.text for message in request.input)


def test_credentials_of_a_cell_that_is_changed_are_kept_from_the_next_prompt():
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    cells = (NotebookCell(id="a", source=f'df = load("{key}")'), NotebookCell(id="b", source="df"))
    session = Session(model="a-model")
    session.receive_command(Prompt(turn_id="t", text="rename df to sales", cells=cells), at=1.0)
    assert session.store.proposals[0].source == f'sales = load("{key}")'
    session.actions_to_take()
    session.receive_command(Prompt(turn_id="u", text="sort it", cells=cells), at=2.0)
    (request,) = [action.request for action in session.actions_to_take() if isinstance(action, SendRequest)]
    assert key not in "".join(message.text for message in request.input)


def kept(*cells: str, text: str = "rename df to sales", rehearse: str = "standard") -> list[ProveEdits]:
    session = Session(model="a-model", tries=True)
    session.rehearse = rehearse  # type: ignore[assignment]
    session.receive_command(
        Prompt(turn_id="t", text=text, cells=CELLS), at=1.0, surroundings=Surroundings(checkpoints=cells)
    )
    assert {one.cell_id for one in session.store.proposals if one.trying} <= {"load", "use"}
    return [one for one in session.actions_to_take() if isinstance(one, ProveEdits)]


def test_all_edits_are_tried_as_one_where_a_state_is_kept_in_which_one_of_the_cells_began():
    (wanted,) = kept("use")
    assert [(edit.cell_id, edit.base, edit.source) for edit in wanted.edits] == [
        ("load", "df = load()", "sales = load()"),
        ("use", "df.head()", "sales.head()"),
    ]
    assert (wanted.gone, wanted.fresh, wanted.renamed) == ({"df"}, {"sales"}, ("df", "sales"))
    assert kept() == kept("another") == kept("use", rehearse="off") == []


def test_a_text_that_a_finding_blocks_keeps_all_of_it_from_being_tried():
    session = Session(model="a-model", tries=True)
    session.rehearse = "standard"
    cells = (NotebookCell(id="load", source="df = 1"), NotebookCell(id="use", source="df = ("))
    prompt = Prompt(turn_id="t", text="rename df to sales", cells=cells)
    session.receive_command(prompt, at=1.0, surroundings=Surroundings(checkpoints=("load",)))
    for draft in session.store.of_turn("t"):
        draft.state = "blocked"
    session.actions_to_take()
    assert proof_request(session.store.of_turn("t"), prompt, str) is None
