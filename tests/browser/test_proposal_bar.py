"""The bar over a notebook: several open proposals, and one that landed out of sight."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tests.browser.lab import Notebook, code
from tests.browser.test_a11y import violations

if TYPE_CHECKING:
    from playwright.sync_api import Locator

LONG = "\n".join(f"line_{n} = {n}" for n in range(12))

SCROLL_TO_END = "() => { const view = window.jupyterapp.shell.currentWidget.content.outerNode; view.scrollTop = view.scrollHeight; }"


def bar(book: Notebook) -> Locator:
    return book.page.get_by_role("group", name="Open proposals in this notebook")


def is_in_sight(book: Notebook, place: Locator) -> bool:
    shown = book.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer").bounding_box()
    box = place.bounding_box()
    assert shown is not None
    return (
        box is not None and box["y"] >= shown["y"] - 1 and box["y"] + box["height"] <= shown["y"] + shown["height"] + 1
    )


def test_a_proposal_out_of_sight_is_announced_with_a_jump_and_one_in_sight_has_its_footer_alone(
    notebook, model
) -> None:
    cells = [code("x = 1", id="first"), *[code(LONG) for _ in range(8)]]
    may_end = threading.Event()
    book = notebook(cells, model([{"answer": "```python cell=first\nx = 2\n```\n"}], may_end=may_end))
    book.activate(0)
    book.open_panel()
    book.panel.get_by_label("Edit this cell").check()
    book.prompt("two instead")
    book.panel.locator('.spark-Turn[data-outcome="streaming"]').wait_for()
    book.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer").hover()
    book.page.mouse.wheel(0, 2_000)  # as a person does: who has not moved is shown the edit
    may_end.set()
    bar(book).get_by_role("button", name="1 proposal above").wait_for()
    book.screenshot("proposal-above")
    bar(book).get_by_role("button", name="1 proposal above").click()
    bar(book).wait_for(state="detached")
    assert is_in_sight(book, book.footer(0))


def test_a_fix_above_a_long_output_is_announced_with_a_jump_and_what_it_mends_no_longer_offers_one(
    notebook, model
) -> None:
    failing = "for n in range(90):\n    print(n)\n1 / 0"
    cells = [*[code(LONG) for _ in range(4)], code(failing, id="last")]
    book = notebook(cells, model([{"answer": "```python cell=last\nx = 2\n```\n"}]))
    book.open_panel()
    book.activate(4)
    book.command("notebook:run-cell")
    failed = book.panel.get_by_text("The active cell failed")
    failed.wait_for()
    book.panel.get_by_role("button", name="Fix it").click()
    book.wait_state("ready", 4)
    book.footer(4).locator(".spark-Footer-digest", has_text="Tried").wait_for()
    book.page.evaluate(SCROLL_TO_END)
    bar(book).get_by_role("button", name="1 proposal above").click()
    bar(book).wait_for(state="detached")
    assert is_in_sight(book, book.footer(4))
    assert failed.count() == 0
    book.button("accept", 4).click()
    book.footer().wait_for(state="detached")
    assert failed.count() == 0


def test_several_proposals_are_stepped_through_and_kept_from_the_notebook(notebook, model) -> None:
    answer = f"```python\n{LONG}\n```\n\n```python\ny = 2\n```\n"
    book = notebook([code("x = 1")], model([{"answer": answer}]))
    book.activate(0)
    book.prompt("go")
    book.wait_state("ready", 1)
    book.wait_state("ready", 2)
    bar(book).get_by_text("2 proposals").wait_for()
    assert violations(book, ".spark-ProposalBar", ".spark-Footer") == []
    book.screenshot("two-proposals")
    bar(book).get_by_role("button", name="Next proposal").click()
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 1")
    bar(book).get_by_role("button", name="Accept all").click()
    book.footer().wait_for(state="detached")
    bar(book).wait_for(state="detached")
    assert book.sources() == ["x = 1", LONG, "y = 2"]


def test_the_first_line_and_the_buttons_of_a_finished_proposal_are_in_sight(notebook, model) -> None:
    cells = [code(LONG) for _ in range(4)]
    long = "\n".join(f"value_{n} = {n}" for n in range(20))
    book = notebook(cells, model([{"answer": f"```python\n{long}\n```\n"}]))
    book.activate(3)
    book.prompt("go")
    book.wait_state("ready", 4)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.button("accept", 4).wait_for()
    deadline = time.monotonic() + 60
    parts = (book.cell(4).locator(".cm-line").first, book.button("accept", 4))
    while not all(is_in_sight(book, part) for part in parts):  # the checks still add to the footer
        assert time.monotonic() < deadline, "it is not in sight"
        book.page.wait_for_timeout(100)


def test_after_an_undo_new_cells_are_tried_and_its_notice_leaves_the_bar_free(notebook, model) -> None:
    cells = [code("orders = [1, 2, 3]"), code("orders = orders[1:]\nbig = sum(orders)")]
    book = notebook(cells, model([{"answer": "```python\nlen(orders)\n```\n\n```python\nmax(orders)\n```\n"}]))
    book.open_panel()
    for index in range(2):
        book.activate(index)
        book.command("notebook:run-cell")
        book.wait_until("(cells, index) => cells[index].execution_count !== null", index)
        if index == 0:  # Spark is there before the run that it undoes
            book.box.type("u")
            book.panel.locator(".spark-Status-provider").wait_for()
    book.start("spark:undo-run")
    book.page.locator(".Toastify__toast", has_text="Undid the run").hover()  # it stays under the mouse
    book.prompt("how many, and the largest")
    for index, shown in ((2, "3"), (3, "3")):
        book.footer(index).locator(".spark-Footer-digest", has_text=f"✓ Tried · {shown}").wait_for()
    assert book.page.locator(".Toastify__toast", has_text="Undid the run").is_visible()
    bar(book).get_by_role("button", name="Accept all").click()
    book.footer().wait_for(state="detached")
