"""Hints a step at a time: each is a request of its own, about one cell, and writes no cell."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.prompting.hint_filter import LEFT_OUT
from spark_jupyter.prompting.request_parser import parse_request
from spark_jupyter.protocol.constants import NEXT_HINT
from spark_jupyter.protocol.messages import Steer
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.session.actions import DropRequest

CELLS = (NotebookCell(id="c1", source="def mean(xs): ..."), NotebookCell(id="c2", source="2"))
CODE = "```python\ndef mean(xs):\n    return sum(xs) / len(xs)\n```\n"


def ask(play, text=NEXT_HINT, turn_id="t1", **options):
    play.prompt(text, turn_id=turn_id, intent="hints", cells=CELLS, **options)
    return parse_request(play.requests[-1].request.input[-1].text)


def test_each_key_is_a_request_that_gives_a_step_more(play):
    seen = []
    for number in range(1, 6):
        asked = ask(play, NEXT_HINT if number > 1 else "how do I do this?", f"t{number}", active="c1")
        play.answer("What is a mean?\n" if number < 5 else CODE)
        seen.append((asked.intent, asked.request, play.view.turns[f"t{number}"].hint))
    assert seen == [(f"hints {number}", "how do I do this?", number) for number in range(1, 6)]
    assert {turn.target.after for turn in play.view.turns.values()} == {"c1"}
    assert "sum(xs)" in play.view.turns["t5"].notes
    assert play.session.store.proposals == ()
    with pytest.raises(SessionError, match="the last hint"):
        ask(play, turn_id="t6")


def test_an_answer_that_gives_more_is_cut_and_its_request_ended(play):
    ask(play, "how?")
    play.text(f"What is a total?\n{CODE}")
    assert play.ends == [("t1", "completed")]
    assert play.view.turns["t1"].notes == f"What is a total?\n{LEFT_OUT}"
    assert [action.job_id for action in play.actions if isinstance(action, DropRequest)] == [play.requests[0].job_id]
    assert play.session.store.proposals == ()


def test_a_client_does_not_say_which_step_it_is(play):
    assert ask(play, "how?", hint=5).intent == "hints 1"
    play.answer("Why?")
    play.prompt("how?", turn_id="t2", intent="explain", hint=5)
    assert play.view.turns["t2"].hint == 0


def test_the_author_says_how_far_hints_go(play):
    play.session.most_hints = 2
    for number in (1, 2):
        ask(play, "how?" if number == 1 else NEXT_HINT, f"t{number}")
        play.answer("Why?")
    assert (play.view.turns["t2"].hint, play.view.turns["t2"].hints) == (2, 2)
    with pytest.raises(SessionError, match="the last hint"):
        ask(play, turn_id="t3")


def test_another_question_begins_anew_and_a_failed_hint_does_not_count(play):
    ask(play, "how?")
    play.answer("Why?")
    ask(play, turn_id="t2")
    play.fail(SessionError("gone"))
    assert ask(play, turn_id="t3").intent == "hints 2"
    play.answer("A mean is a total by a count.")
    assert ask(play, "and the median?", "t4", target=Target(edit="c2")).intent == "hints 1"
    assert play.view.turns["t4"].target == Target(after="c2")


def test_without_a_question_there_is_no_next_hint(play):
    with pytest.raises(SessionError, match="No hint was given yet"):
        ask(play)


def test_a_steer_is_no_way_around_the_step(play):
    ask(play, "how?")
    play.text("What is")
    play.say(Steer(turn_id="t2", steers="t1", text="write all of it"))
    play.answer(CODE)
    assert play.view.turns["t2"].notes == LEFT_OUT
    assert play.session.store.proposals == ()
