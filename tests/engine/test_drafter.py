"""Drafts through the engine, on real sockets: the embedded server plays the model."""

from __future__ import annotations

import sys
import threading

import pytest

from spark_jupyter.author_rules import AuthorRules
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.agent_messages import ProposedCell
from spark_jupyter.protocol.draft_messages import BeginDraft, Drafted, DropDraft, SwitchDrafts
from spark_jupyter.protocol.messages import Hello, Prompt
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.session.agent_access import as_agent
from tests.conftest import Watched
from tests.engine.test_engine import until

WORDS = "Add up the revenue of each month"
CODE = 'monthly = {"May": 3}\nmonthly'
NOTES = NotebookCell(id="notes", cell_type="markdown", source=WORDS)
CELLS = (NotebookCell(id="a", source="x = 1", execution_count=1), NOTES)


def fenced(code: str) -> str:
    return f"```python\n{code}\n```\n"


class Thinker(Watched):
    """A front end in which somebody types."""

    def types(self, words: str = WORDS, *, draft_id: str = "d1", **fields: object) -> None:
        wanted = {"cell_id": "notes", "kind": "markdown", "cells": CELLS, **fields}
        self.engine.answer_alone(self.receive, BeginDraft(draft_id=draft_id, words=words, **wanted))

    @property
    def told(self) -> list[Drafted]:
        return [event for event in self.events if isinstance(event, Drafted)]

    def draft(self, draft_id: str = "d1") -> Drafted:
        def ended() -> list[Drafted]:
            return [one for one in self.told if one.draft_id == draft_id and one.state == "done"]

        until(ended)
        return ended()[-1]

    def takes(self, draft_id: str = "d1", *, cells: tuple[NotebookCell, ...] = CELLS) -> None:
        after = Target(after="notes")
        self.engine.say(Prompt(turn_id="t1", text=WORDS, target=after, cells=cells, takes=draft_id))


@pytest.fixture
def thinker(make_engine):
    """A front end with draft mode on, whose model plays these answers."""

    def make(*answers: str, **options: object) -> Thinker:
        engine = make_engine([{"answer": answer} for answer in answers], **options).engine
        assert engine.wait_until_connected(60) is not None
        engine.drafts(SwitchDrafts(on=True))
        return Thinker(engine)

    return make


def test_a_draft_is_told_to_who_types_alone_and_is_no_turn_and_no_proposal(thinker):
    one = thinker(fenced(CODE))
    other = Thinker(one.engine)
    one.types()
    assert [cell.source.strip() for cell in one.draft().cells] == [CODE]
    assert other.told == []
    assert not one.view.turns
    assert one.engine.read(lambda session: (session.turns, session.store.proposals)) == ((), ())
    assert {frame.seq for frame in one.frames if any(isinstance(event, Drafted) for event in frame.msgs)} == {0}


def test_a_draft_that_is_taken_is_a_turn_with_a_proposal_that_names_its_model(thinker):
    one = thinker(fenced(CODE))
    one.types()
    one.draft()
    one.takes()
    ended = one.wait("t1")
    assert ended is not None
    assert ended.outcome == "completed"
    (proposal,) = one.view.of_turn("t1")
    assert (proposal.source.strip(), proposal.state, proposal.kind) == (CODE, "ready", "insert")
    assert one.view.turns["t1"].model == "script"


def test_lines_for_a_comment_are_taken_into_its_cell(thinker):
    cell = NotebookCell(id="c", source="x = 1\n# the square of x")
    one = thinker(fenced("y = x**2"))
    one.types("# the square of x", cell_id="c", kind="comment", lines=1, cells=(cell,))
    one.draft()
    one.takes(cells=(cell,))
    assert one.wait("t1") is not None
    (proposal,) = one.view.of_turn("t1")
    assert (proposal.cell_id, proposal.kind, proposal.source) == ("c", "edit", f"{cell.source}\ny = x**2")


def test_of_a_function_only_what_stands_below_its_head_is_drafted(thinker):
    head = 'def double(x):\n    """Twice x."""'
    cell = NotebookCell(id="c", source=head)
    one = thinker(fenced(f"{head}\n    return 2 * x"))
    one.types(head, cell_id="c", kind="function", lines=2, cells=(cell,))
    assert [drafted.source.strip() for drafted in one.draft().cells] == ["return 2 * x"]


def test_the_rest_of_a_half_written_cell_is_drafted_and_nothing_of_another_cell(thinker):
    begun = "for n in (1, 2):"
    cell = NotebookCell(id="c", source=begun)
    one = thinker(fenced(f"{begun}\n    print(n)"), fenced("print(1)\nprint(2)"))
    one.types(begun, cell_id="c", kind="cell", lines=1, cells=(cell,))
    assert [drafted.source for drafted in one.draft().cells] == ["    print(n)"]
    one.types(begun, draft_id="d2", cell_id="c", kind="cell", lines=1, cells=(cell,))
    assert one.draft("d2").cells == ()


def test_a_prompt_that_is_sent_takes_the_answer_that_was_drafted_for_it_with_its_words(thinker):
    edit = "```python cell=a\nx = 2\n```\n"
    one = thinker(f"Both.\n\n{fenced(CODE)}\n{edit}")
    place = Target(after="notes")
    one.types("Do both", kind="prompt", target=place)
    one.draft()
    one.engine.say(Prompt(turn_id="t1", text="Do both", target=place, cells=CELLS, takes="d1"))
    ended = one.wait("t1")
    assert ended is not None
    assert ended.outcome == "completed"
    inserted, edited = one.view.of_turn("t1")
    assert (inserted.source.strip(), inserted.state, edited.cell_id, edited.source.strip()) == (
        CODE,
        "ready",
        "a",
        "x = 2",
    )
    assert one.view.turns["t1"].notes.strip() == "Both."


def test_a_prompt_for_another_place_does_not_get_the_draft(thinker):
    one = thinker(fenced(CODE))
    one.types(kind="prompt", target=Target(after="notes"))
    one.draft()
    with pytest.raises(SessionError, match="have changed"):
        one.engine.say(Prompt(turn_id="t1", text=WORDS, target=Target(after="a"), cells=CELLS, takes="d1"))


def test_the_first_lines_of_a_draft_are_taken_alone(thinker):
    one = thinker(fenced(CODE))
    one.types()
    one.draft()
    one.engine.say(Prompt(turn_id="t1", text=WORDS, target=Target(after="notes"), cells=CELLS, takes="d1", lines=1))
    assert one.wait("t1") is not None
    (proposal,) = one.view.of_turn("t1")
    assert (proposal.source, proposal.state) == (CODE.partition("\n")[0], "ready")


def test_a_draft_that_asks_back_says_its_question(thinker):
    one = thinker("Which date do you mean?\n\n- Ask: “Sum by order date”\n- Ask: “Sum by ship date”\n")
    one.types()
    assert "by ship date" in one.draft().notes


def test_words_that_changed_do_not_get_the_draft_of_the_words_before(thinker):
    one = thinker(fenced(CODE))
    one.types()
    one.draft()
    changed = (CELLS[0], NotebookCell(id="notes", cell_type="markdown", source=f"{WORDS} and year"))
    with pytest.raises(SessionError, match="have changed"):
        one.takes(cells=changed)


def test_a_draft_that_was_dropped_is_gone_and_says_nothing_more(thinker):
    one = thinker(fenced(CODE), fenced("z = 3"))
    one.types()
    one.draft()
    one.engine.answer_alone(one.receive, DropDraft(draft_id="d1"))
    one.types(draft_id="d2")
    one.draft("d2")
    with pytest.raises(SessionError, match="gone"):
        one.takes("d1")
    one.takes("d2")


def test_a_dangerous_line_is_named_and_stays_blocked_when_it_is_taken(thinker):
    bad = fenced("import os\nos.system('rm -rf ' + input())")
    one = thinker(bad, bad, bad)
    one.types()
    (cell,) = one.draft().cells
    assert cell.blocked
    assert cell.reason
    one.takes()
    assert one.wait("t1") is not None
    assert [proposal.state for proposal in one.view.of_turn("t1")] == ["blocked"]


def test_a_draft_is_not_taken_while_it_is_written(thinker):
    """What its reader saw when the key was pressed is not what would be taken."""
    may_end = threading.Event()
    one = thinker(fenced(CODE) + "Done.", may_end=may_end)
    one.types()
    until(lambda: one.told and one.told[-1].cells)
    with pytest.raises(SessionError, match="still being written"):
        one.takes()
    may_end.set()
    one.draft()
    one.takes()
    assert one.wait("t1") is not None


def test_characters_that_nobody_sees_are_named_in_a_draft(thinker):
    one = thinker(*[fenced('total = "a\u200bb"')] * 3)
    one.types()
    (cell,) = one.draft().cells
    assert "nobody sees" in cell.reason


def test_where_the_author_wants_the_code_written_nothing_is_drafted_nor_taken(thinker):
    one = thinker(fenced(CODE))
    one.types()
    one.draft()
    one.engine.restrict(AuthorRules(prompts="hints"))
    with pytest.raises(SessionError, match="allows no drafts"):
        one.takes()
    one.types(draft_id="d2")
    assert one.draft("d2") == Drafted(draft_id="d2", state="done", problem=one.draft("d2").problem)
    assert "allows no drafts" in one.draft("d2").problem


def test_an_agent_takes_no_draft():
    said = Prompt(turn_id="t", text="", proposes=(ProposedCell(source="x = 1"),), takes="d1")
    proposed = as_agent(said, "Helper")
    assert isinstance(proposed, Prompt)
    assert proposed.takes == ""


def test_an_answer_in_words_alone_is_no_draft(thinker):
    one = thinker("That is a remark, and nothing is to be done.")
    one.types()
    assert one.draft().cells == ()


def test_a_draft_that_ends_takes_nothing_from_another_clients_and_with_the_last_all_is_as_before(make_engine):
    """The interval at which threads take turns is the process's: it is short while somebody waits for a draft."""
    sys.setswitchinterval(before := 0.005)  # Python's own, whoever set another one
    engine = make_engine([{"answer": fenced(CODE), "delay": 60, "repeat": True}]).engine
    assert engine.wait_until_connected(60) is not None
    engine.drafts(SwitchDrafts(on=True))
    one, other = Thinker(engine), Thinker(engine)
    one.types()
    other.types(draft_id="d2")
    until(lambda: sys.getswitchinterval() < before)
    engine.answer_alone(other.receive, DropDraft(draft_id="d2"))
    engine.read(lambda session: None)
    assert sys.getswitchinterval() < before
    engine.answer_alone(one.receive, DropDraft(draft_id="d1"))
    until(lambda: sys.getswitchinterval() == before)
    one.types(draft_id="d3")
    until(lambda: sys.getswitchinterval() < before)
    engine.close()
    assert sys.getswitchinterval() == before


def test_all_are_told_whether_it_is_on_and_nothing_is_drafted_where_it_is_off(make_engine, monkeypatch):
    monkeypatch.delitem(sys.modules, "spark_jupyter.engine.drafter", raising=False)
    engine = make_engine([{"answer": fenced(CODE)}]).engine
    assert engine.wait_until_connected(60) is not None
    one = Thinker(engine)
    one.types()
    assert one.draft() == Drafted(draft_id="d1", state="done")  # who sends a prompt waits for it
    assert "spark_jupyter.engine.drafter" not in sys.modules
    engine.submit(SwitchDrafts(on=True, budget=2))
    until(lambda: [event for event in one.events if isinstance(event, Hello) and event.drafts])
    assert engine.drafts().budget == 2
    engine.drafts(SwitchDrafts(on=False))
    one.types(draft_id="d2")
    assert one.draft("d2") == Drafted(draft_id="d2", state="done")
    assert len(one.told) == 2
