"""Next edits by a model, through the engine: the embedded server plays the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark_jupyter.author_rules import AuthorRules
from spark_jupyter.policy import RuleFile, Rules
from spark_jupyter.protocol.messages import Problem, Prompt
from spark_jupyter.protocol.next_edit_messages import Edited, FindNextEdits, NextEdits
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.values import NotebookCell
from tests.conftest import Watched
from tests.engine.test_engine import until

BEFORE = 'path = "data/orders.csv"'
CELLS = (
    NotebookCell(id="a", source='path = "data/orders.json"'),
    NotebookCell(id="b", source='size = len("data/orders.csv")'),
)
ANSWER = '@@ 2\n-size = len("data/orders.csv")\n+size = len("data/orders.json")\n'


class Editor(Watched):
    """A front end in which a cell was edited."""

    def asks(self, **fields: object) -> NextEdits:
        edited = Edited(cell_id="a", before=BEFORE)
        wanted = {"offer_id": "n1", "edited": edited, "cells": CELLS, "by_model": "always", **fields}
        self.engine.answer_alone(self.receive, FindNextEdits(**wanted))
        until(lambda: any(isinstance(event, NextEdits) for event in self.events))
        return next(event for event in self.events if isinstance(event, NextEdits))


@pytest.fixture
def editor(make_engine):
    """A front end of an engine whose model says this."""

    def make(answer: str) -> Editor:
        engine = make_engine([{"answer": answer}]).engine
        assert engine.wait_until_connected(60) is not None
        return Editor(engine)

    return make


def test_where_the_trees_find_nothing_a_model_does_and_what_it_found_can_be_taken(editor):
    one = editor(ANSWER)
    found = one.asks()
    assert found.by_model
    (edit,) = found.edits
    assert (edit.cell_id, edit.source) == ("b", 'size = len("data/orders.json")')
    assert edit.source_hash == content_hash(CELLS[1].source)
    follows = Edited(cell_id="a", before=BEFORE, offered=found.edits)
    one.engine.submit(Prompt(turn_id="t1", text=found.words, cells=CELLS, intent="refactor", follows=follows))
    ended = one.wait("t1", 60)
    assert ended is not None
    assert ended.outcome == "completed"
    assert one.view.proposals["b"].source == edit.source


def test_what_was_offered_for_other_cells_is_not_made(editor):
    one = editor(ANSWER)
    changed = (CELLS[0], NotebookCell(id="b", source="size = 0"))
    follows = Edited(cell_id="a", before=BEFORE, offered=one.asks().edits)
    one.engine.submit(Prompt(turn_id="t1", text="x", cells=changed, intent="refactor", follows=follows))
    until(lambda: any(isinstance(event, Problem) and "changed since" in event.message for event in one.events))
    assert one.view.proposals == {}


@pytest.mark.parametrize("by_model", ["never", "always"])
def test_what_the_judges_have_something_against_is_not_offered(editor, by_model):
    invented = ANSWER.replace("+size = len(", "+size = lengthy(") if by_model == "always" else ANSWER
    assert editor(invented).asks(by_model=by_model).edits == ()


def test_a_provider_that_is_not_on_this_machine_is_not_asked_unless_that_is_wished(editor, monkeypatch):
    from msgspec import structs

    one = editor(ANSWER)
    keeper = one.engine._routing.turns
    monkeypatch.setattr(keeper, "link", structs.replace(keeper.link, local=False))
    assert one.asks(by_model="local").edits == ()


def test_a_model_on_this_machine_is_asked(editor):
    assert editor(ANSWER).asks(by_model="local").edits != ()


@pytest.mark.parametrize("limits", [{"offline": True}, {"models": ("other*",)}, {"suggestions": False}])
def test_no_model_is_asked_where_a_lesson_or_a_hub_does_not_allow_it(editor, limits: dict[str, Any]):
    one = editor(ANSWER)
    lesson = RuleFile(path=Path("lesson.ipynb"), rules=Rules(**limits))
    one.engine.restrict(AuthorRules(signed=(lesson,), keys=("k",)))
    assert one.asks().edits == ()
