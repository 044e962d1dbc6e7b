"""Edits of a cell: a diff laid over it, and the document written once."""

from __future__ import annotations

import threading

import pytest

from tests.browser.lab import Notebook, code

BEFORE = "import math\n\na = 1\nb = 2\nc = 3\n\nprint(a, b, c)\n\nd = 4\nprint(d)"
AFTER = "import numpy\n\na = 1\nb = 20\nc = 3\n\nprint(a, b, c)\n\nd = 4\nprint(d, 'end')"


def edit(text: str = AFTER) -> dict[str, object]:
    return {"answer": f"```python cell=first\n{text}\n```\n"}


def ask(book: Notebook, words: str, *, state: str = "ready") -> None:
    """Prompt for an edit of the first cell, and wait until it is so far."""
    book.activate(0)
    book.open_panel()
    book.panel.get_by_label("Edit this cell").check()
    book.prompt(words)
    book.wait_state(state, 0)


@pytest.fixture
def edited(notebook, model) -> Notebook:
    """A notebook whose first cell has an edit with three hunks proposed."""
    book: Notebook = notebook([code(BEFORE, id="first"), code("last")], model([edit()]))
    ask(book, "use numpy")
    return book


def test_the_document_is_not_touched_before_the_edit_is_accepted(edited: Notebook) -> None:
    assert edited.sources() == [BEFORE, "last"]
    assert edited.footer(0).locator(".spark-Footer-count").inner_text() == "1 of 3"
    edited.save()
    assert edited.server.read(edited.name).cells[0].source == BEFORE


def test_two_of_three_hunks_are_accepted(edited: Notebook) -> None:
    edited.button("accept-hunk", 0).hover()
    assert edited.button("accept-hunk", 0).get_attribute("title") == "Accept this change (Y)"
    edited.button("accept-hunk", 0).click()
    edited.button("reject-hunk", 0).click()
    assert edited.sources()[0] == BEFORE
    edited.button("accept-hunk", 0).click()
    edited.footer(0).wait_for(state="detached")
    assert edited.sources()[0] == BEFORE.replace("math", "numpy").replace("print(d)", "print(d, 'end')")


def test_a_long_cell_is_shown_where_it_changes(notebook, model) -> None:
    before = "\n".join(f"a{n} = {n}" for n in range(400))
    after = before.replace("a100 = 100", "a100 = 0").replace("a300 = 300", "a300 = 0")
    book = notebook([code(before, id="first")], model([edit(after)]))
    ask(book, "zeros")
    folded = book.cell(0).locator(".cm-collapsedLines")
    folded.nth(2).wait_for()
    assert folded.all_inner_texts() == ["97 unchanged lines", "193 unchanged lines", "97 unchanged lines"]
    assert book.cell(0).locator(".cm-changedLine").all_inner_texts() == ["a100 = 0", "a300 = 0"]
    marks = "one => ['::before', '::after'].map(side => getComputedStyle(one, side).content)"
    assert folded.first.evaluate(marks) == ["none", "none"]  # not every font has CodeMirror's
    book.screenshot("folded-edit")
    folded.nth(1).click()
    book.cell(0).get_by_text("a104 = 104").wait_for()
    book.button("accept-hunk", 0).click()
    book.button("reject-hunk", 0).click()
    book.footer(0).wait_for(state="detached")
    assert book.sources()[0] == before.replace("a100 = 100", "a100 = 0")


def labels(book: Notebook) -> list[str]:
    """What the footer's buttons say."""
    return book.footer(0).locator("button[data-action]").all_inner_texts()


def test_an_edit_of_one_change_is_accepted_or_rejected_and_not_one_by_one_besides(notebook, model) -> None:
    book = notebook([code(BEFORE, id="first")], model([edit(BEFORE.replace("b = 2", "b = 20"))]))
    ask(book, "twenty")
    book.cell(0).locator(".spark-Diff .cm-changedLine").first.wait_for()
    assert labels(book) == ["Accept", "Run", "Diff", "Try", "Reject"]
    book.screenshot("edit-of-one-change")
    book.command("spark:focus-proposal")
    book.page.keyboard.press("x")
    book.footer(0).wait_for(state="detached")
    assert book.sources() == [BEFORE]


def test_a_last_line_that_stays_is_not_shown_as_replaced(notebook, model) -> None:
    book = notebook([code("a = 1\nb = 2", id="first")], model([edit("a = 1\nb = 2\nc = 3")]))
    ask(book, "add a line")
    diff = book.cell(0).locator(".spark-Diff")
    diff.locator(".cm-changedLine").first.wait_for()
    assert diff.locator(".cm-changedLine").all_inner_texts() == ["c = 3"]
    assert diff.locator(".cm-deletedLine").count() == 0
    numbers = [one for one in diff.locator(".cm-lineNumbers .cm-gutterElement:visible").all_inner_texts() if one]
    assert numbers[-1] == "3"
    book.screenshot("edit-that-adds-a-last-line")
    book.button("accept", 0).click()
    book.wait_until("cells => cells[0].source === 'a = 1\\nb = 2\\nc = 3'")


def test_the_last_of_several_changes_is_still_accepted_by_itself(edited: Notebook) -> None:
    edited.button("accept-hunk", 0).click()
    edited.button("reject-hunk", 0).click()
    edited.footer(0).locator(".spark-Footer-count", has_text="1 of 1").wait_for()
    assert {"Accept all", "Reject all"} <= set(labels(edited))
    hunk = edited.cell(0).locator(".spark-Diff .cm-chunkButtons")
    assert [one.split() for one in hunk.all_inner_texts()] == [["Accept", "Reject"]]


def test_the_hunks_are_decided_by_key(edited: Notebook) -> None:
    edited.command("spark:focus-proposal")
    edited.page.keyboard.press("n")
    edited.page.wait_for_function("() => document.querySelector('.spark-Footer-count').textContent === '2 of 3'")
    edited.page.keyboard.press("x")
    edited.page.wait_for_function("() => document.querySelector('.spark-Footer-count').textContent === '2 of 2'")
    edited.page.keyboard.press("Enter")
    edited.footer(0).wait_for(state="detached")
    assert edited.sources()[0] == AFTER.replace("b = 20", "b = 2")
    assert len(edited.sources()) == 2


def test_accepting_all_writes_the_document_once_and_one_undo_takes_it_back(edited: Notebook) -> None:
    edited.page.evaluate(
        """() => {
          window.writes = 0;
          const cell = window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[0];
          cell.changed.connect((_, change) => { window.writes += change.sourceChange ? 1 : 0; });
        }"""
    )
    edited.button("accept", 0).click()
    edited.wait_until("(cells, text) => cells[0].source === text", AFTER)
    assert edited.page.evaluate("() => window.writes") == 1
    edited.footer(0).wait_for(state="detached")
    edited.cell(0).locator(".jp-InputArea-editor .cm-content").click()
    edited.page.keyboard.press("Control+z")
    edited.wait_until("(cells, text) => cells[0].source === text", BEFORE)


def test_rejecting_all_shows_the_cell_again(edited: Notebook) -> None:
    edited.button("reject", 0).click()
    edited.footer(0).wait_for(state="detached")
    assert edited.sources()[0] == BEFORE
    assert edited.cell(0).locator(".jp-InputArea-editor").is_visible()
    assert "spark" not in edited.metadata(0)


def change(book: Notebook, before: str, after: str) -> None:
    """Change the first cell's document, as another view of it would."""
    book.page.evaluate(
        """([before, after]) => {
          const cell = window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[0];
          const from = cell.source.indexOf(before);
          cell.updateSource(from, from + before.length, after);
        }""",
        [before, after],
    )


def test_what_the_user_changes_meanwhile_is_kept_and_so_is_what_was_decided(edited: Notebook) -> None:
    edited.button("reject-hunk", 0).click()
    change(edited, "c = 3", "c = 3  # mine")
    edited.footer(0).get_by_text("Your change is kept").wait_for()
    assert edited.footer(0).locator(".spark-Footer-count").inner_text() == "1 of 2"
    edited.screenshot("edit-rebased")
    edited.button("accept", 0).click()
    edited.footer(0).wait_for(state="detached")
    assert edited.sources()[0] == AFTER.replace("numpy", "math").replace("c = 3", "c = 3  # mine")


def test_where_both_changed_a_line_the_footer_says_so(edited: Notebook) -> None:
    change(edited, "b = 2\n", "b = 200\n")
    edited.footer(0).get_by_text("In one place both changed the same lines").wait_for()
    edited.screenshot("edit-conflict")
    edited.button("accept-hunk", 0).click()
    edited.button("reject-hunk", 0).click()
    edited.button("accept-hunk", 0).click()
    edited.footer(0).wait_for(state="detached")
    assert edited.sources()[0] == AFTER.replace("b = 20", "b = 200")


def test_accepting_all_from_the_panel_keeps_what_was_decided_and_what_was_typed(edited: Notebook) -> None:
    edited.button("reject-hunk", 0).click()
    change(edited, "import math", "# mine\nimport math")
    edited.panel.get_by_role("button", name="Accept all").click()
    edited.footer(0).wait_for(state="detached")
    assert edited.sources()[0] == "# mine\n" + AFTER.replace("numpy", "math")


def test_the_diff_can_be_put_away_and_shown_again(edited: Notebook) -> None:
    assert not edited.cell(0).locator(".jp-InputArea-editor").is_visible()
    edited.button("diff", 0).click()
    edited.cell(0).locator(".jp-InputArea-editor").wait_for()
    edited.button("diff", 0).click()
    edited.cell(0).locator(".spark-Diff").wait_for()


def test_while_an_edit_streams_what_it_has_not_come_to_stays_on_the_screen(notebook, model) -> None:
    may_end = threading.Event()
    pieces = ["```python cell=first\nimport num", AFTER.removeprefix("import num") + "\n```\n"]
    book = notebook([code(BEFORE, id="first")], model([{"pieces": pieces}], may_end=may_end))
    ask(book, "use numpy", state="streaming")
    book.page.wait_for_function("() => document.querySelector('.spark-Diff')?.textContent.includes('import num')")
    assert "print(d)" in book.cell(0).locator(".spark-Diff").inner_text()
    book.save()
    assert book.server.read(book.name).cells[0].source == BEFORE
    may_end.set()
    book.wait_state("ready", 0)
