"""The display below a cell: what it shows, when, and how long it listens."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from spark_jupyter.engine.follow import Chain
from spark_jupyter.protocol.messages import NotesAdded, Problem, TurnEnded, TurnStarted
from spark_jupyter.protocol.proposal_messages import ProposalChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Output, Proposal, Turn
from spark_jupyter.ui.turn_output import Paced, TurnDisplay, show_trial


class Loop:
    """An event loop whose time passes when the test says so."""

    def __init__(self):
        self.later = []

    def call_later(self, delay, callback):
        assert delay > 0
        self.later.append(callback)

    def pass_time(self):
        due, self.later = self.later, []
        for callback in due:
            callback()


class Shown:
    """A display of turn t1 that is given what an engine would give it."""

    def __init__(self, loop, published):
        self.chain = Chain("t1")
        self._display = TurnDisplay(self.chain, publish=published.append, loop=lambda: loop)

    def receive(self, *events):
        self._display.receive([event for event in events if self.chain.receive(event)])


def display():
    loop, shown = Loop(), []
    return Shown(loop, shown), loop, shown


def test_the_first_is_shown_at_once_and_the_last_without_waiting_for_another_event():
    loop, state, shown = Loop(), [0], []

    def show():
        shown.append(state[0])
        return 1

    paced = Paced(show, loop=lambda: loop)
    for number in range(1, 6):
        state[0] = number
        paced.ask()
    assert shown == [1]
    loop.pass_time()
    assert shown == [1, 5]
    loop.pass_time()
    loop.pass_time()
    assert shown == [1, 5]
    assert not loop.later, "a display at rest asks for no more calls"


def test_what_must_be_seen_at_once_does_not_wait():
    loop, shown = Loop(), []
    paced = Paced(lambda: len(shown.append("x") or ""), loop=lambda: loop)
    paced.ask()
    paced.ask(at_once=True)
    assert len(shown) == 2
    loop.pass_time()
    assert len(shown) == 2


def test_the_text_that_came_during_the_pause_is_shown_though_nothing_follows():
    shown_turn, loop, shown = display()
    shown_turn.receive(TurnStarted(turn=Turn(id="t1", prompt="p")), NotesAdded(turn_id="t1", text="one"))
    shown_turn.receive(NotesAdded(turn_id="t1", text=" two"))
    assert "one two" not in shown[-1]["text/plain"]
    loop.pass_time()
    assert "one two" in shown[-1]["text/plain"]


def test_a_steered_turn_is_followed_by_the_one_that_steers_it():
    shown_turn, loop, shown = display()
    shown_turn.receive(TurnStarted(turn=Turn(id="t1", prompt="first")))
    shown_turn.receive(TurnEnded(turn_id="t1", outcome="superseded"))
    assert not shown_turn.chain.ended
    shown_turn.receive(TurnStarted(turn=Turn(id="t2", prompt="second", steers="t1")))
    shown_turn.receive(TurnEnded(turn_id="t2", outcome="completed"))
    loop.pass_time()
    assert shown_turn.chain.ended
    assert "second" in shown[-1]["text/plain"]


def test_a_prompt_that_was_refused_says_why_in_place_of_an_endless_ellipsis():
    shown_turn, _, shown = display()
    refusal = Problem(code="session_error", message="The prompt is empty.", remedy="Say <what>.", turn_id="t1")
    shown_turn.receive(refusal)
    assert shown == [{"text/plain": "✗ The prompt is empty. Say <what>.", "text/html": shown[0]["text/html"]}]
    assert "&lt;what&gt;" in shown[0]["text/html"]
    assert shown_turn.chain.decided


def test_it_listens_until_every_proposal_is_decided():
    shown_turn, loop, shown = display()
    ready = Proposal(cell_id="t1-1", turn_id="t1", state="ready", source="x = 1")
    shown_turn.receive(TurnStarted(turn=Turn(id="t1", prompt="p")), ProposalChanged(proposal=ready))
    shown_turn.receive(TurnEnded(turn_id="t1", outcome="completed"))
    assert not shown_turn.chain.decided
    accepted = Proposal(cell_id="t1-1", turn_id="t1", state="accepted", source="x = 1")
    shown_turn.receive(ProposalChanged(proposal=accepted))
    loop.pass_time()
    assert shown_turn.chain.decided
    assert "accepted" in shown[-1]["text/plain"]


class Texts(HTMLParser):
    """The texts of a page, each as far as the next tag: what typesets formulas looks for them in these."""

    def __init__(self, html):
        super().__init__()
        self.texts = []
        self.feed(html)

    def handle_data(self, data):
        self.texts.append(data)


def formulas_in(html):
    return [text for text in Texts(html).texts if len(text) > 1 and ("$" in text or "\\" in text)]


FORMULAS = (r"$\unicode[x]{x41}$", r"$$\style{x}{y}$$", r"\(\href{x}{y}\)", r"\[x\]", r"\begin{a}\require{b}\end{a}")


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_page_finds_a_formula_to_typeset(formula):
    shown_turn, loop, shown = display()
    table = Output(kind="result", data={"text/html": f'<table><tr><td align="{formula}">{formula}</td></tr></table>'})
    shown_turn.receive(
        TurnStarted(turn=Turn(id="t1", prompt=formula)),
        NotesAdded(turn_id="t1", text=f"**bold** {formula}"),
        ProposalChanged(proposal=Proposal(cell_id="c", turn_id="t1", state="ready", source=formula)),
        TrialResult(cell_id="c", turn_id="t1", outputs=(table,), summary=formula, rehearsed=True),
        Problem(code="x", message=formula, remedy=formula, turn_id="t1"),
    )
    loop.pass_time()
    assert "".join(Texts(shown[-1]["text/html"]).texts).count(formula) >= 6
    assert formulas_in(shown[-1]["text/html"]) == []
    refused, _, told = display()
    refused.receive(Problem(code="x", message=formula, turn_id="t1"))
    assert formulas_in(told[-1]["text/html"]) == []


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_try_shows_neither_markdown_nor_formulas(formula, monkeypatch):
    bundles = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: bundles.append(data))
    table = f"<table><tr><td>{formula}</td></tr></table>"
    live = {"text/markdown": f"![x](http://a.b) {formula}", "text/latex": formula}
    datas = (live, {"text/html": table, "text/plain": "table"}, {"image/png": "aGk=", **live})
    outputs = tuple(Output(kind="display", data=data) for data in datas)
    show_trial(TrialResult(cell_id="c", turn_id="t1", outputs=outputs))
    assert [set(bundle) for bundle in bundles] == [
        {"text/plain"},
        {"text/html", "text/plain"},
        {"image/png", "text/plain"},
    ]
    assert bundles[0]["text/plain"] == live["text/markdown"]
    assert formulas_in(bundles[1]["text/html"]) == []
