"""Limits on an answer without end, and the note on one that may have been cut."""

from __future__ import annotations

import pytest

from spark_jupyter.prompting.answer_decoder import ONLY_THOUGHT
from spark_jupyter.protocol.messages import (
    Meter,
    NotesAdded,
    TurnEnded,
)
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.providers.base import (
    PromptProgress,
    ReasoningDelta,
    TextDelta,
)
from spark_jupyter.session.actions import DropRequest
from spark_jupyter.session.answer_limits import (
    MOST_CELLS,
    MOST_IN_A_LINE,
    MOST_LINES,
    NOTHING,
    REPEATED,
    AnswerLimiter,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("".join(f"# {n}\n" for n in range(40_000)), "20,000 lines"),
        ("x = " + " + ".join(map(str, range(200_000))), "a line of more than 100,000 characters"),
        (
            "".join("# " + "".join(f"{n + m} word " for m in range(700)) + "\n" for n in range(1_000)),
            "1,000,000 characters",
        ),
        ("x = 1\n" * 40_000, "the same over and over"),
        ("x = " + "1" * 3_000_000, "the same over and over"),
    ],
)
def test_an_answer_without_end_is_stopped_with_a_reason_and_kept(play, text, said):
    play.prompt()
    whole = "```python\n" + text
    for start in range(0, len(whole), 4096):
        play.text(whole[start : start + 4096])
    assert play.ends == [("t1", "completed")]
    assert said in play.of(TurnEnded)[0].reason
    assert play.session.store.proposals[0].source.startswith(text[:20])
    assert len(play.session.store.proposals[0].source) <= 1_000_000
    assert DropRequest(job_id=play.requests[0].job_id) in play.actions


def test_an_edit_may_repeat_what_its_cell_repeats(play):
    source = "x = 1\n" * 1_000
    play.prompt("tidy", intent="edit", target=Target(edit="c"), cells=(NotebookCell(id="c", source=source),))
    play.answer(f"```python cell=c\n{source}```\n")
    assert play.of(TurnEnded)[0].reason == ""
    assert play.view.proposals["c"].source == source.rstrip()


def test_where_an_answer_that_repeats_itself_is_cut_does_not_depend_on_its_pieces():
    text = "before\n" + "for i in range(10):\n    print(i)\n" * 200

    def kept(size: int) -> str:
        measure, taken = AnswerLimiter(), ""
        for start in range(0, len(text), size):
            piece, reason = measure.take(text[start : start + size])
            taken += piece
            if reason:
                break
        return taken

    assert len({kept(size) for size in (1, 3, 250, 251, 4096, len(text))}) == 1
    assert REPEATED <= len(kept(3)) < REPEATED + 500


def test_what_counts_on_is_not_taken_for_a_repetition():
    text = "".join(f"print({number})\n" for number in range(5_000))
    assert AnswerLimiter().take(text) == (text, "")


def test_an_answer_whose_code_is_whole_but_for_its_fence_says_that_it_may_have_been_cut(play):
    play.prompt()
    play.answer("```python\nx = 1\n")
    (ended,) = play.of(TurnEnded)
    assert (ended.outcome, "inside of a code block" in ended.reason) == ("completed", True)
    assert play.view.proposals["t1-1"].state == "ready"


@pytest.mark.parametrize("text", ["```python\nx = 1\n```", "x = 1\n", "Only words.", "```python\nx = 1\n```\nWords."])
def test_an_answer_that_has_ended_its_blocks_is_whole(play, text):
    play.prompt()
    play.answer(text)
    assert play.of(TurnEnded)[0].reason == ""


def test_a_local_model_is_told_how_much_it_may_write(play):
    play.prompt()
    assert play.requests[-1].request.max_output_tokens is None
    play.session.dialogue.most_output = 2_000
    play.prompt(turn_id="t2")
    assert play.requests[-1].request.max_output_tokens == 2_000


def test_how_far_the_prompt_is_read_is_told_until_the_first_text(play):
    play.prompt()
    request = play.requests[-1]

    def tell(event: object) -> Meter:
        play.session.receive_model_event(request.job_id, request.attempt, event, at=next(play.clock))
        play.drain()
        return play.of(Meter)[-1]

    assert tell(PromptProgress(total=0, waiting=3)).waiting == 3
    meter = tell(PromptProgress(total=2000, cached=200, processed=920))
    assert meter.waiting == 0
    assert (meter.reading_tokens, meter.read_tokens) == (1800, 720)
    meter = tell(TextDelta("```python\n"))
    assert (meter.reading_tokens, meter.read_tokens) == (0, 0)


def test_a_turn_has_no_more_cells_than_a_person_could_look_at(play):
    play.prompt()
    for number in range(MOST_CELLS + 50):
        play.text(f"```python\nx{number} = 1\n```\n")
    assert len(play.session.store.proposals) == MOST_CELLS
    assert f"more than {MOST_CELLS} cells" in play.of(TurnEnded)[0].reason
    assert {proposal.state for proposal in play.session.store.proposals} == {"ready"}


@pytest.mark.parametrize("text", ["#\n" * 250_000, "y" * 900_000])
def test_the_bounds_hold_within_one_piece_of_text(play, text):
    play.prompt()
    play.text("```python\n" + text)
    source = play.session.store.proposals[0].source
    assert source.count("\n") <= MOST_LINES
    assert max(map(len, source.split("\n"))) <= MOST_IN_A_LINE
    assert play.ends == [("t1", "completed")]


def test_an_answer_of_nothing_ends_with_a_word_and_one_of_thinking_alone_with_its_own(play):
    play.prompt()
    play.done()
    assert (play.ends, play.of(TurnEnded)[0].reason) == ([("t1", "completed")], NOTHING)
    play.prompt(turn_id="t2")
    play.text("<thought>Hm.")
    play.done()
    assert play.of(TurnEnded)[1].reason == ""
    assert "ended while it was thinking" in "".join(note.text for note in play.of(NotesAdded))


def test_an_answer_that_came_as_reasoning_alone_says_so(play):
    play.prompt()
    play.done(ReasoningDelta("The sum of the list is wanted."))
    play.done()
    assert (play.ends, play.of(TurnEnded)[0].reason) == ([("t1", "completed")], ONLY_THOUGHT)
