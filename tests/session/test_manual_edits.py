"""Turns, cells and Undo agree, whatever the order."""

from __future__ import annotations

import contextlib
import itertools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.agent_messages import ProposedCell
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import Accept, CellEdited, ProposalChanged, Reject, Revert
from spark_jupyter.protocol.values import TAKEN_BACK, NotebookCell, Target
from spark_jupyter.session.agent_access import as_agent
from tests.session.play import Play


class Cell:
    """A cell's text with its Undo and Redo."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.undo: list[str] = []
        self.redo: list[str] = []

    def write(self, source: str) -> None:
        if source != self.source:
            self.undo.append(self.source)
            self.redo.clear()
            self.source = source

    def step(self, back: list[str], forth: list[str]) -> None:
        if back:
            forth.append(self.source)
            self.source = back.pop()


class Notebook:
    """A session, a notebook with a writer, and a person's hand."""

    def __init__(self) -> None:
        self.play = Play()
        self.cells: dict[str, Cell] = {"own": Cell("x = 1")}
        self.bin: dict[str, Cell] = {}
        self.taken = 0
        self.numbers = itertools.count(1)

    # --- the writer ------------------------------------------------------------------------------------------------

    def follow(self) -> None:
        events, self.taken = self.play.events[self.taken :], len(self.play.events)
        for event in events:
            if isinstance(event, ProposalChanged) and not event.held:
                self.bring(event)

    def bring(self, event: ProposalChanged) -> None:
        one = event.proposal
        cell = self.cells.get(one.cell_id)
        if one.kind == "insert" and one.state == "ready" and cell is None:
            self.cells[one.cell_id] = Cell("")
            self.cells[one.cell_id].write(one.source or self.play.view.proposals[one.cell_id].source)
        elif cell is not None and one.kind == "insert" and one.state in TAKEN_BACK:
            if one.state == "rejected" or cell.source == one.source:
                self.bin[one.cell_id] = self.cells.pop(one.cell_id)
                self.tell(one.cell_id)
        elif cell is not None and one.kind == "edit":
            if one.state == "accepted":
                cell.write(one.source)
            elif one.state == "reverted" and cell.source == one.source:
                cell.write(one.base)

    def tell(self, cell_id: str) -> None:
        cell = self.cells.get(cell_id)
        self.say(CellEdited(cell_id=cell_id, source=None if cell is None else cell.source))

    def say(self, command: object) -> None:
        with contextlib.suppress(SessionError):
            self.play.say(command)
        self.follow()

    # --- what a person does ----------------------------------------------------------------------------------------

    def ask(self, cell_id: str | None = None) -> None:
        number = next(self.numbers)
        cells = tuple(NotebookCell(id=name, source=cell.source) for name, cell in self.cells.items())
        target = Target(edit=cell_id) if cell_id in self.cells else Target()
        intent = "edit" if target.edit else "generate"
        self.play.prompt(f"prompt {number}", f"t{number}", cells=cells, target=target, intent=intent)
        where = f" cell={target.edit}" if target.edit else ""
        self.play.answer(f"```python{where}\nvalue = {number % 3}\n```\n")
        self.follow()

    def act(self, verb: str, cell_id: str) -> None:
        cell = self.cells.get(cell_id)
        match verb:
            case "accept" if cell is not None:
                one = self.play.view.proposals.get(cell_id)
                source = cell.source if one is not None and one.kind == "insert" else None
                self.say(Accept(cell_id=cell_id, before=cell.source, source=source))
            case "keep":
                self.ask(cell_id)
                self.act("accept", cell_id)
            case "reject":
                self.say(Reject(cell_id=cell_id))
            case "edit":
                self.ask(cell_id)
            case "undo" if cell is not None:
                cell.step(cell.undo, cell.redo)
                self.tell(cell_id)
            case "redo" if cell is not None:
                cell.step(cell.redo, cell.undo)
                self.tell(cell_id)
            case "type" if cell is not None:
                cell.write(cell.source + "#")
                self.tell(cell_id)
            case "delete" if cell is not None:
                self.bin[cell_id] = self.cells.pop(cell_id)
                self.tell(cell_id)
            case "undelete" if cell_id in self.bin:
                self.cells[cell_id] = self.bin.pop(cell_id)
                self.tell(cell_id)

    # --- what must hold --------------------------------------------------------------------------------------------

    def check(self, rows: int) -> None:
        view, store = self.play.view, self.play.session.store
        assert tuple(view.all_proposals) == store.proposals, "the reducer knows what the session knows"
        assert len(store.proposals) >= rows, "no turn's row goes"
        for cell_id, one in view.proposals.items():
            cell = self.cells.get(cell_id)
            if cell is None:
                assert all(p.state in TAKEN_BACK for p in store.proposals if p.cell_id == cell_id), "it is gone"
            elif one.kind == "insert" and one.source.strip() and one.source in cell.source:
                assert one.state not in TAKEN_BACK, "a model's text that stands in the notebook is not the user's own"
            elif one.kind == "edit" and one.base != one.source:
                assert not (one.state == "accepted" and cell.source == one.base), "Undo leaves nothing accepted"
                assert not (one.state == "reverted" and cell.source == one.source), "Redo leaves nothing reverted"


VERBS = ("accept", "reject", "edit", "keep", "keep", "undo", "undo", "redo", "type", "delete", "undelete")
ON_ONE = st.tuples(st.sampled_from(VERBS), st.sampled_from(["own", "own", "t1-1"]))
REVERTS = st.tuples(st.just("revert"), st.integers(1, 6).map(lambda n: f"t{n}"))
STEPS = st.lists(st.one_of(ON_ONE, ON_ONE, ON_ONE, REVERTS), max_size=14)


TWO_ON_ONE_TEXT = [
    ("edit", "own"),
    ("keep", "own"),
    ("undo", "own"),
    ("keep", "own"),
    ("revert", "t4"),
    *[("undo", "own")] * 2,
]


@given(STEPS)
@example(TWO_ON_ONE_TEXT)
@example(
    [("accept", "t1-1"), ("undo", "t1-1"), ("type", "t1-1")]
)  # what is typed into the emptied cell is the person's
@settings(max_examples=150)
def test_turns_cells_and_undo_agree_whatever_the_order(steps):
    desk = Notebook()
    desk.ask()
    rows = 1
    for verb, name in steps:
        if verb == "revert":
            desk.say(Revert(turn_id=name))
        else:
            desk.act(verb, name)
        desk.check(rows)
        rows = len(desk.play.session.store.proposals)


@pytest.fixture
def desk() -> Notebook:
    return Notebook()


def states(desk: Notebook) -> dict[str, str]:
    return {one.turn_id: one.state for one in desk.play.session.store.proposals}


def test_a_rejected_edit_leaves_the_older_turn_its_row(desk):
    for verb in ("edit", "accept", "edit", "reject"):
        desk.act(verb, "own")
    assert states(desk) == {"t1": "accepted", "t2": "rejected"}
    assert desk.play.view.proposals["own"].turn_id == "t1"
    desk.say(Revert(turn_id="t1"))
    assert desk.cells["own"].source == "x = 1"


def test_two_edits_are_undone_and_redone_one_by_one(desk):
    for verb in ("edit", "accept", "edit", "accept"):
        desk.act(verb, "own")
    assert states(desk) == {"t1": "accepted", "t2": "accepted"}
    seen = []
    for verb in ("undo", "undo", "redo", "redo"):
        desk.act(verb, "own")
        seen.append((desk.cells["own"].source, *states(desk).values()))
    assert seen == [
        ("value = 1", "accepted", "reverted"),
        ("x = 1", "reverted", "reverted"),
        ("value = 1", "accepted", "reverted"),
        ("value = 2", "accepted", "accepted"),
    ]


def test_a_turn_is_reverted_after_the_later_one_that_built_on_it(desk):
    for verb in ("edit", "accept", "edit", "accept"):
        desk.act(verb, "own")
    with pytest.raises(SessionError, match="Revert the later turn first"):
        desk.play.say(Revert(turn_id="t1"))
    for turn_id in ("t2", "t1"):
        desk.say(Revert(turn_id=turn_id))
    assert desk.cells["own"].source == "x = 1"
    assert states(desk) == {"t1": "reverted", "t2": "reverted"}


def test_what_the_user_changed_by_hand_since_is_not_taken_back(desk):
    for verb in ("edit", "accept", "type"):
        desk.act(verb, "own")
    with pytest.raises(SessionError, match="was changed after it was accepted"):
        desk.play.say(Revert(turn_id="t1"))
    assert states(desk) == {"t1": "accepted"}


def test_a_rejected_cell_that_undo_brings_back_is_undecided_again(desk):
    desk.ask()
    desk.act("reject", "t1-1")
    assert "t1-1" not in desk.cells
    desk.act("undelete", "t1-1")
    assert states(desk) == {"t1": "ready"}


def test_a_deleted_cell_that_undo_brings_back_stands_as_before(desk):
    desk.ask()
    for verb in ("accept", "type", "delete"):
        desk.act(verb, "t1-1")
    assert states(desk) == {"t1": "reverted"}
    desk.act("undelete", "t1-1")
    assert states(desk) == {"t1": "accepted"}


def test_a_cell_that_waits_is_accepted_by_its_turn_while_an_edit_of_it_waits_too(desk):
    desk.ask()
    desk.act("edit", "t1-1")
    desk.say(Accept(cell_id="t1-1", turn_id="t1"))
    assert states(desk) == {"t1": "accepted", "t2": "ready"}


def test_who_keeps_the_edit_of_a_cell_that_waits_keeps_the_cell(desk):
    desk.ask()
    for verb in ("edit", "accept"):
        desk.act(verb, "t1-1")
    assert states(desk) == {"t1": "accepted", "t2": "accepted"}


def proposed(desk: Notebook, cell_id: str, kind: str, turn_id: str, base: str = "x = 1") -> None:
    """An agent proposes to delete or move a cell between two others, and the person accepts."""
    change = ProposedCell(operation=kind, edits=cell_id, source_hash=content_hash(base), after="z")
    cells = tuple(NotebookCell(id=name, source=base if name == cell_id else "") for name in ("a", cell_id, "b", "z"))
    desk.play.say(as_agent(Prompt(turn_id=turn_id, text="Change", cells=cells, proposes=(change,)), "Ada"))
    desk.play.say(Accept(cell_id=cell_id, before=base))


def told(desk: Notebook, source: str | None, moved: bool | None = None) -> list[str]:
    desk.play.say(CellEdited(cell_id="own", source=source, turn_id=None if moved is None else "m", moved=moved))
    return [*states(desk).values()]


def test_a_move_follows_undo_and_redo_whatever_is_typed(desk):
    proposed(desk, "own", "move", "m")
    assert told(desk, "typed") == ["accepted"]
    assert told(desk, "x = 1", moved=False) == ["reverted"]
    assert told(desk, "x = 1", moved=False) == ["reverted"]
    assert told(desk, "other", moved=True) == ["accepted"]
    desk.play.say(Revert(turn_id="m"))  # what was typed stays, as a move changes no text
    assert [*states(desk).values()] == ["reverted"]


def test_a_deletion_follows_undo_and_redo_whatever_the_cell_held(desk):
    proposed(desk, "own", "delete", "d", base="")
    assert told(desk, "") == ["reverted"]
    assert told(desk, None) == ["accepted"]
    assert told(desk, "typed") == ["reverted"]
    assert told(desk, "") == ["reverted"]  # emptied, and there


def test_a_text_and_a_place_are_taken_back_each_for_itself(desk):
    for verb in ("edit", "accept"):
        desk.act(verb, "own")
    proposed(desk, "own", "move", "m", base="value = 1")
    assert told(desk, "x = 1") == ["reverted", "accepted"]
    assert told(desk, "value = 1") == ["accepted", "accepted"]
    desk.play.say(Revert(turn_id="t1"))
    assert [*states(desk).values()] == ["reverted", "accepted"]


def test_a_moved_cell_that_was_deleted_and_came_back_is_still_moved(desk):
    proposed(desk, "own", "move", "m")
    assert told(desk, None) == ["reverted"]
    assert told(desk, "x = 1") == ["accepted"]


def test_undo_of_a_deletion_and_of_the_edit_before_it_take_back_both(desk):
    for verb in ("edit", "accept"):
        desk.act(verb, "own")
    proposed(desk, "own", "delete", "d", base="value = 1")
    assert told(desk, "x = 1") == ["reverted", "reverted"]
