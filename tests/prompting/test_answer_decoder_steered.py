"""Decoding of an answer that goes on after a steer or a cancel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spark_jupyter.prompting.answer_items import CellClosed, DraftCell, StreamItem
from spark_jupyter.protocol.values import AppendSource, DeleteCell, InsertCell, ReplaceSource
from tests.prompting.streams import cells, changes, decode, decoder

BEFORE = (DraftCell("p-1", source="import os\nx = 1\ny = 2"), DraftCell("p-2", source="print(x)"))


def steered(text: str, previous: Sequence[DraftCell] = BEFORE, **setup: Any) -> list[StreamItem]:
    return decode(decoder(setup, previous=previous), [text])


# --- After a Steer ---------------------------------------------------------------------------------------------------


def test_text_that_repeats_the_old_answer_changes_nothing() -> None:
    items = steered("```python\nimport os\nx = 1\ny = 2\n```\n```python\nprint(x)\n```\n")
    assert changes(items) == []


def test_the_first_difference_cuts_the_rest_of_the_old_cell() -> None:
    items = steered("```python\nimport os\nx = 10\n```\n```python\nprint(x)\n```\n")
    assert changes(items) == [
        ReplaceSource(cell_id="p-1", source="import os\nx = 1"),
        AppendSource(cell_id="p-1", text="0"),
    ]


def test_a_cell_that_ends_sooner_is_cut() -> None:
    items = steered("```python\nimport os\n```\n```python\nprint(x)\n```\n")
    assert changes(items) == [ReplaceSource(cell_id="p-1", source="import os")]


def test_cells_that_the_new_answer_does_not_reach_go() -> None:
    items = steered("```python\nimport os\nx = 1\ny = 2\n```\n")
    assert changes(items) == [DeleteCell(cell_id="p-2")]


def test_an_edit_that_the_new_answer_does_not_reach_returns_to_its_base() -> None:
    previous = [DraftCell("a", kind="edit", base="old", source="new")]
    assert changes(steered("```python\nz = 1\n```\n", previous, known={"a": "old"}))[-1] == ReplaceSource(
        cell_id="a", source="old"
    )


def test_a_reused_cell_that_is_not_reached_is_emptied_and_not_deleted() -> None:
    previous = [DraftCell("p-1", source="x"), DraftCell("e", source="y")]
    items = steered("```python\nx\n```\n", previous, known={"e": ""}, target={"reuse": "e"})
    assert changes(items) == [ReplaceSource(cell_id="e", source="")]


def test_a_reused_cell_is_reused_by_the_new_answer() -> None:
    items = steered("```python\nyy\n```", [DraftCell("e", source="y")], known={"e": ""}, target={"reuse": "e"})
    assert cells(items, [DraftCell("e", source="y")]) == [["e", "insert", "code", "yy"]]


def test_prose_alone_contradicts_nothing() -> None:
    assert changes(steered("It is the number of rows.\n")) == []


def test_more_cells_than_before_go_below_the_old_ones() -> None:
    text = "```python\nimport os\nx = 1\ny = 2\n```\n```python\nprint(x)\n```\n```python\nz\n```\n"
    assert changes(steered(text)) == [
        InsertCell(cell_id="t-1", after="p-2"),
        AppendSource(cell_id="t-1", text="z"),
    ]


def test_a_cell_of_another_type_does_not_take_over_the_old_one() -> None:
    items = steered("```markdown\nimport os\n```\n```python\nprint(x)\n```\n")
    assert cells(items, BEFORE) == [["p-2", "insert", "code", "print(x)"], ["t-1", "insert", "markdown", "import os"]]


def test_an_edit_finds_its_old_draft_by_the_cell() -> None:
    previous = [DraftCell("p-1", source="n"), DraftCell("a", kind="edit", base="x = 1", source="x = 2\ny")]
    items = steered("```python cell=a\nx = 2\nz\n```\n```python\nn\n```\n", previous, known={"a": "x = 1"})
    assert changes(items) == [
        ReplaceSource(cell_id="a", source="x = 2\n"),
        AppendSource(cell_id="a", text="z"),
    ]


def test_continue_goes_on_from_the_last_whole_line() -> None:
    previous = [BEFORE[1], BEFORE[0]]
    items = steered("```python continue\nz = 3\n```\n```python\nnew\n```\n", previous)
    assert changes(items) == [
        ReplaceSource(cell_id="p-1", source="import os\nx = 1\n"),
        AppendSource(cell_id="p-1", text="z = 3"),
        InsertCell(cell_id="t-1", after="p-1"),
        AppendSource(cell_id="t-1", text="new"),
    ]


def test_continue_cuts_nothing_from_a_line_that_was_ended() -> None:
    previous = [DraftCell("p-1", source="x = 1", whole_line=True)]
    assert changes(steered("```python continue\ny = 2\n```", previous)) == [
        AppendSource(cell_id="p-1", text="\ny = 2"),
    ]


def test_continue_in_another_language_begins_again() -> None:
    items = steered("```markdown continue\nSome words\n```\n", [BEFORE[0]])
    assert cells(items, [BEFORE[0]]) == [["t-1", "insert", "markdown", "Some words"]]


def test_continue_counts_only_on_the_first_block() -> None:
    previous = (BEFORE[0], DraftCell("p-2", source="a = 1\nprint(x)"))
    items = steered("```python\nimport os\nx = 1\ny = 2\n```\n```python continue\nprint(y)\n```\n", previous)
    assert cells(items, previous)[1] == ["p-2", "insert", "code", "print(y)"]


def test_new_cells_after_an_edit_that_went_on_go_below_the_last_new_one() -> None:
    previous = (DraftCell("p-1", source="x"), DraftCell("a", kind="edit", source="y\n"))
    items = steered("```python continue\nz\n```\n```python\nnew\n```\n", previous, known={"a": "", "b": ""})
    assert InsertCell(cell_id="t-1", after="p-1") in changes(items)


def test_an_old_cell_that_was_named_is_not_taken_over_again() -> None:
    items = steered("```python cell=p-1\nx\n```\n```python\ny\n```\n", [DraftCell("p-1", source="x")])
    assert cells(items, [DraftCell("p-1", source="x")]) == [
        ["p-1", "insert", "code", "x"],
        ["t-1", "insert", "code", "y"],
    ]


def test_a_cell_is_reused_once() -> None:
    previous = [DraftCell("e", source="x")]
    text = "```python\nx\n```\n```python\ny\n```\n"
    items = steered(text, previous, known={"e": ""}, target={"reuse": "e"})
    assert cells(items, previous) == [["e", "insert", "code", "x"], ["t-1", "insert", "code", "y"]]


def test_a_second_steer_gives_other_ids_than_the_first() -> None:
    items = steered("```python\na\n```\n```python\nb\n```\n", [DraftCell("t-1", source="a")])
    assert cells(items, [DraftCell("t-1", source="a")]) == [
        ["t-1", "insert", "code", "a"],
        ["t-2", "insert", "code", "b"],
    ]


# --- Cancel ------------------------------------------------------------------------------------------------------------


def test_a_cancelled_turn_keeps_what_was_written_and_what_was_held_back() -> None:
    made = decoder()
    items = made.decode("```python\nx = 1\ny = 2 #`") + made.abandon()
    assert cells(items) == [["t-1", "insert", "code", "x = 1\ny = 2 #`"]]
    assert items[-1] == CellClosed("t-1")


def test_a_cancelled_answer_after_a_steer_keeps_what_it_had_not_contradicted() -> None:
    made = decoder(previous=BEFORE)
    items = made.decode("```python\nimport os\n") + made.abandon()
    assert cells(items, BEFORE) == [
        ["p-1", *["insert", "code"], BEFORE[0].source],
        ["p-2", "insert", "code", "print(x)"],
    ]


def test_a_line_that_was_ended_when_the_answer_was_cut_is_known_to_be_whole() -> None:
    for rest in ("", "`", "```"):
        made = decoder()
        items = made.decode(f"```python\nx = 1\n{rest}") + made.abandon()
        assert cells(items) == [["t-1", "insert", "code", "x = 1\n"]], rest


def test_a_line_that_was_not_ended_is_not_taken_for_whole() -> None:
    made = decoder()
    items = made.decode("```python\nx = 1\ny =") + made.abandon()
    assert cells(items) == [["t-1", "insert", "code", "x = 1\ny ="]]


def test_a_cancelled_turn_need_not_be_resumable() -> None:
    made = decoder()
    items = made.decode("```python\nx = 1\n") + made.abandon(resumable=False)
    assert cells(items) == [["t-1", "insert", "code", "x = 1"]]
