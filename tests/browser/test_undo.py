"""Turns, cells and Undo agree in the browser."""

from __future__ import annotations

from tests.browser.lab import Notebook, code


def edits(notebook, model, *sources: str) -> Notebook:
    """A notebook whose only cell is edited as often, each edit accepted."""
    answers = [{"answer": f"```python\n{source}\n```\n"} for source in sources]
    book: Notebook = notebook([code("x = 1", id="own")], model([*answers, {"answer": "```python\nx = 9\n```\n"}]))
    for source in sources:
        edit(book)
        book.button("accept", 0).click()
        book.wait_until("(cells, source) => cells[0].source === source", source)
        book.footer(0).wait_for(state="detached")  # or the next edit would find this one's
    return book


def edit(book: Notebook) -> None:
    book.activate(0)
    book.command("spark:edit")
    book.prompt("another value")
    book.wait_state("ready", 0)


def rows(book: Notebook, *wanted: str) -> None:
    """Wait until the panel's rows say so."""
    book.page.wait_for_function(
        "wanted => [...document.querySelectorAll('.spark-CellLink-state')].map(one => one.textContent).join() === wanted",
        arg=",".join(wanted),
    )


def press_in_cell(book: Notebook, keys: str) -> None:
    book.cell(0).locator(".cm-content").first.click()
    book.page.keyboard.press(keys)


def marked(book: Notebook, turn: int) -> None:
    """Wait until the cell says that it is of that turn."""
    book.wait_until(
        "(cells, turn) => cells[0].getMetadata('spark')?.turn === document.querySelectorAll('.spark-Turn')[turn].dataset.turn",
        turn,
    )
    book.cell(0).locator('.spark-Mark[data-changed="false"]').wait_for()


def test_undo_and_redo_in_the_cell_are_followed_by_the_turns(notebook, model) -> None:
    book = edits(notebook, model, "x = 2", "x = 3")
    rows(book, "Accepted", "Accepted")
    press_in_cell(book, "Control+z")
    rows(book, "Accepted", "Reverted")
    assert book.sources() == ["x = 2"]
    marked(book, 0)
    press_in_cell(book, "Control+z")
    rows(book, "Reverted", "Reverted")
    assert book.sources() == ["x = 1"]
    book.cell(0).locator(".spark-Mark").wait_for(state="detached")
    press_in_cell(book, "Control+Shift+z")
    press_in_cell(book, "Control+Shift+z")
    rows(book, "Accepted", "Accepted")
    marked(book, 1)


def test_a_rejected_edit_leaves_the_older_turn_its_row_and_its_revert(notebook, model) -> None:
    book = edits(notebook, model, "x = 2")
    edit(book)
    book.button("reject", 0).click()
    rows(book, "Accepted", "Rejected")
    marked(book, 0)
    book.panel.get_by_role("button", name="Revert").click()
    rows(book, "Reverted", "Rejected")
    assert book.sources() == ["x = 1"]


def test_reverting_the_later_edit_gives_the_cell_back_to_the_older_one(notebook, model) -> None:
    book = edits(notebook, model, "x = 2", "x = 3")
    book.panel.get_by_role("button", name="Revert").first.click()
    book.panel.get_by_text("Revert the later turn first").wait_for()
    book.panel.get_by_role("button", name="Revert").last.click()
    rows(book, "Accepted", "Reverted")
    assert book.sources() == ["x = 2"]
    marked(book, 0)
    press_in_cell(book, "Control+z")
    rows(book, "Accepted", "Accepted")


def test_a_rejected_cell_that_undo_brings_back_waits_again(notebook, model) -> None:
    dangerous = "import os\nos.system('rm -rf / --no-preserve-root')"
    book = notebook([code("x = 1")], model([{"answer": f"```python\n{dangerous}\n```\n", "repeat": True}]))
    book.prompt("clean up")
    book.wait_state("blocked", 1)
    book.button("reject", 1).click()
    rows(book, "Rejected")
    book.activate(0)
    book.command("notebook:undo-cell-action")
    book.wait_state("blocked", 1)
    rows(book, "Blocked")


def test_a_deleted_cell_and_its_return(notebook, model) -> None:
    book = notebook([code("x = 1")], model([{"answer": "```python\ny = 2\n```\n"}]))
    book.prompt("two")
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    rows(book, "Accepted")
    book.activate(1)
    book.command("notebook:delete-cell")
    rows(book, "Reverted")
    book.command("notebook:undo-cell-action")
    rows(book, "Accepted")
