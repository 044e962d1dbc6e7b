"""A view as HTML: everything is there, and nothing that a model wrote is live."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.protocol.messages import Problem, TurnStarted
from spark_jupyter.protocol.proof_values import Difference, Proof
from spark_jupyter.protocol.proposal_messages import AttemptChanged, Findings, ProposalChanged
from spark_jupyter.protocol.provider_messages import Models
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import Effect, Finding, ModelInfo, Output, Proposal, Surprise, Turn
from spark_jupyter.ui.text import html_rendering, words
from spark_jupyter.ui.text.html_rendering import (
    MOST_HIGHLIGHTED,
    _prose_html,
    code_html,
    diff_html,
    proposal_html,
    turn_html,
)
from tests.proportion import assert_in_proportion

ALLOWED = {"b", "code", "div", "pre", "s", "span"}


class Tags(HTMLParser):
    """Every element and attribute of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = set(), set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def text_of(html):
    return unescape(re.sub("<[^>]*>", "", html))


def view_of(proposal, **turn):
    view = TurnView()
    view.receive_all(
        [TurnStarted(turn=Turn(**{"id": "t1", "prompt": "p", **turn})), ProposalChanged(proposal=proposal)]
    )
    return view


def edit(base, source, **fields):
    return Proposal(cell_id="c", turn_id="t1", kind="edit", state="ready", base=base, source=source, **fields)


@given(text=st.text(alphabet="<>&\"' ab\n#=x'", max_size=60))
def test_whatever_is_written_only_our_own_elements_are_live(text):
    finding = Finding(rule="rule", severity="block", line=1, message=text, remedy=text)
    hint = Finding(rule=text, severity="hint", line=1, message=text)
    view = view_of(edit(text, text + "x", findings=(finding, hint)), prompt=text, notes=text, withheld=(text,))
    view.receive(Findings(turn_id="t1", cell_id="c", findings=(finding,), cut=text))
    view.receive(Problem(code="c", message=text, remedy=text, turn_id="t1"))
    parser = Tags()
    parser.feed(turn_html(view, view.turns["t1"]))
    assert parser.tags <= ALLOWED
    assert parser.attributes <= {"class", "style"}


@given(source=st.text(max_size=200).filter(lambda text: "\r" not in text))
def test_a_coloured_source_reads_as_it_was_written(source):
    assert text_of(code_html(source)) == source


def test_a_long_cell_is_shown_without_colours():
    source = "x = 1\n" * (MOST_HIGHLIGHTED // 6 + 1)
    assert code_html(source) == source
    assert "<span" in code_html("x = 1")


def test_a_source_of_blank_lines_takes_no_longer_than_others():
    assert_in_proportion(lambda size: code_html.__wrapped__("x = 1\n" + " \n" * size), 2_000)


def test_an_edit_is_shown_as_a_diff_and_as_the_whole_cell_where_asked():
    proposal = edit("a = 1\nb = 2", "a = 1\nb = 3")
    view = view_of(proposal)
    as_diff = text_of(proposal_html(view, proposal, 1))
    assert "-b = 2" in as_diff
    assert "+b = 3" in as_diff
    assert "No newline" not in as_diff
    assert "+++" not in as_diff
    whole = text_of(proposal_html(view, proposal, 1, as_diff=False))
    assert "a = 1\nb = 3" in whole
    assert "b = 2" not in whole


def test_a_line_of_the_cell_that_begins_with_a_backslash_is_in_the_diff():
    proposal = edit("a = 1", "a = 1\n\\\\frac")
    assert "+\\\\frac" in text_of(proposal_html(view_of(proposal), proposal, 1))


def test_an_edit_that_changes_nothing_says_so():
    proposal = edit("a = 1", "a = 1")
    assert "No changes." in proposal_html(view_of(proposal), proposal, 1)


@pytest.mark.parametrize(("state", "there"), [("streaming", True), ("accepted", True), ("rejected", False)])
def test_a_rejected_source_is_no_longer_shown(state, there):
    proposal = Proposal(cell_id="t1-1", turn_id="t1", state=state, source="value = 1")
    assert ("value = 1" in text_of(proposal_html(view_of(proposal), proposal, 1))) is there


def test_what_can_be_said_to_a_proposal_is_shown_while_it_waits():
    waiting = edit("a = 1", "a = 2")
    view = view_of(waiting)
    assert "%spark diff" in turn_html(view, view.turns["t1"])
    view.receive(
        ProposalChanged(proposal=Proposal(cell_id="c", turn_id="t1", kind="edit", state="accepted", source="a = 2"))
    )
    assert "%spark" not in turn_html(view, view.turns["t1"])


def test_a_choice_of_model_does_not_empty_the_list_of_models():
    view = TurnView()
    view.receive(Models(models=(ModelInfo(id="a"), ModelInfo(id="b")), selected="a"))
    view.receive(Models(models=(), selected="b"))
    assert [model.id for model in view.models] == ["a", "b"]
    assert view.model == "b"


def test_the_attempts_of_a_race_are_told_with_their_code_behind_them_and_nothing_live():
    view = view_of(Proposal(cell_id="c", turn_id="t1", state="ready", source="x = 2"))
    for index, state in enumerate(("failed", "passed")):
        view.receive(
            AttemptChanged(
                turn_id="t1",
                index=index,
                model="<b>m",
                state=state,
                source=f"x = '<script>{index}'",
                reason="<img src=x>" if state == "failed" else "",
                proposed=state == "passed",
            )
        )
    html = turn_html(view, view.turns["t1"])
    tags = Tags()
    tags.feed(html)
    assert tags.tags <= ALLOWED | {"details", "summary"}
    assert tags.attributes <= {"class", "style"}
    assert "1 failed (<b>m): <img src=x>" in text_of(html)
    assert "<script>0" in text_of(html)
    assert "<script>1" not in text_of(html), "the proposed one stands above already"
    assert "%spark attempts N" in text_of(html)


def test_two_answers_that_are_compared_stand_side_by_side_with_what_differs_and_nothing_live():
    view = view_of(Proposal(cell_id="c", turn_id="t1", state="ready", source="x = 2"))
    proof = Proof(verdict="differs", differences=(Difference(kind="variable", name="<b>x", detail="1 → <i>2"),))
    for index, prompt in enumerate(("<h1>mean", "median")):
        result = TrialResult(turn_id="t1", cell_id="", outputs=(Output(kind="stdout", text=f"<script>{index}"),))
        view.receive(
            AttemptChanged(
                turn_id="t1",
                index=index,
                model="m",
                state="passed",
                source="x = 1",
                prompt=prompt,
                results=(result,),
                compared=proof if index else None,
            )
        )
    html = turn_html(view, view.turns["t1"])
    tags = Tags()
    tags.feed(html)
    assert tags.tags <= ALLOWED | {"details", "summary"}
    for said in ("1 <h1>mean: passed", "2 median: passed", "<script>0", "<script>1", "≠ <b>x: 1 → <i>2"):
        assert said in text_of(html)


def test_what_a_try_showed_has_its_pictures_and_tables_and_nothing_live():
    view = TurnView()
    view.receive(TurnStarted(turn=Turn(id="t1", prompt="p")))
    view.receive(ProposalChanged(proposal=Proposal(cell_id="t1-1", turn_id="t1", source="show()", state="ready")))
    outputs = (
        Output(kind="stdout", text="\x1b[31mred\x1b[0m <b>\n"),
        Output(kind="display_data", data={"image/png": 'AAAA" onerror="x', "text/plain": "<Figure>"}),
        Output(
            kind="execute_result",
            data={"text/html": "<table><tr><td onclick='x'>1</td></tr></table><script>x</script>"},
        ),
    )
    effects = (Effect(kind="file", action="written", name="<i>a.txt", refused=True),)
    view.receive(TrialResult(turn_id="t1", cell_id="t1-1", summary="ran in a copy", outputs=outputs, effects=effects))
    html = proposal_html(view, view.proposals["t1-1"], 1)
    tags = Tags()
    tags.feed(html)
    assert tags.tags <= ALLOWED | {"img", "table", "tbody", "tr", "td"}
    assert not {name for name in tags.attributes if name.startswith("on")}
    assert "ran in a copy" in html
    assert "red &lt;b&gt;" in html
    assert 'src="data:image/png;base64,AAAA&quot;' in html
    assert "<td>1</td>" in html
    assert "written file &lt;i&gt;a.txt (refused)" in html


def test_a_diff_does_not_repeat_the_credential_that_it_takes_out() -> None:
    url = "postgresql://me:s3cr3tPa55word@db/shop"
    proposal = Proposal(
        cell_id="c", turn_id="t", kind="edit", base=f"x = '{url}'\ny = 1", source="x = address()\ny = 1"
    )
    shown = diff_html(proposal)
    assert "s3cr3tPa55word" not in shown
    assert "address()" in shown
    assert "SPARK_SECRET" in shown


def test_code_that_stands_in_the_notebook_already_is_not_shown_once_more():
    view = view_of(Proposal(cell_id="c", turn_id="t1", state="ready", source="value = 1"))
    assert "value" in text_of(turn_html(view, view.turns["t1"]))
    placed = text_of(turn_html(view, view.turns["t1"], placed=True))
    assert "value" not in placed
    assert "cell · " in placed
    view = view_of(edit("a", "b"))
    assert "b" in text_of(turn_html(view, view.turns["t1"], placed=True)), "an edit stands nowhere yet"


def test_what_surprises_leads_the_lines_of_a_try_and_drives_nothing():
    surprise = Surprise(rule="became-missing", message="`a<b>\x1b[31m` is missing.", remedy="Look.")
    result = TrialResult(
        turn_id="t1", cell_id="c", summary="ran in a copy: no effects", surprises=(surprise,), rehearsed=True
    )
    lines = words.trial_lines(result)
    assert lines[0].startswith("! Surprise: ")
    assert "\x1b" not in lines[0]
    page = html_rendering.trial_html(result)
    assert page.index("Surprise: ") < page.index("ran in a copy")
    assert "<b>" not in page


def test_accept_all_says_what_it_leaves_out_and_why():
    surprise = Surprise(rule="became-missing", message="`a` is missing.")
    left = Proposal(cell_id="c", turn_id="t1", state="ready", may_run="when-asked", surprises=(surprise,))
    failed = Proposal(cell_id="d", turn_id="t1", state="ready", may_run="when-asked")
    assert words.left_out([left, failed]).startswith("Left out: 1 with a surprise, 1 not run well in a copy.")
    assert words.before_run(left) == ["! Surprise: `a` is missing."]


@pytest.mark.parametrize("html", ["<script>x</script>", "<div>" * 60_000])
def test_where_nothing_is_left_of_html_its_text_is_shown(html):
    output = Output(kind="display_data", data={"text/html": html, "text/plain": "said in words"})
    trial = TrialResult(turn_id="t", cell_id="c", source_hash="x", outputs=(output,))
    assert "said in words" in html_rendering.trial_html(trial)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("choose *Connect…* or `%spark model`", "choose <em>Connect…</em> or <code>%spark model</code>"),
        ("**never** <b>", "<b>never</b> &lt;b&gt;"),
        ("2 * 3 * 4, a*b*c, `x * y * z`", "2 * 3 * 4, a*b*c, <code>x * y * z</code>"),
    ],
)
def test_words_that_markdown_marks_are_marked_and_all_is_escaped(said, shown):
    assert _prose_html(said) == shown
