"""Buttons of the panel stay in place while they are pressed, and a form stays with its notebook."""

from __future__ import annotations

from tests.browser.lab import code


def noted(lines: int, cell: str) -> dict[str, str]:
    return {
        "answer": "".join(f"Line {n} of what it says before the code.\n\n" for n in range(lines))
        + f"```python\n{cell}\n```\n"
    }


def test_a_click_counts_where_the_answer_grows_between_press_and_release(notebook, model) -> None:
    book = notebook([code("x = 1")], model([noted(8, "y = 2"), noted(80, "z = 3")], rate=250))
    book.prompt("first")
    book.panel.get_by_role("button", name="Retry").wait_for()
    book.panel.get_by_role("button", name="Edit prompt").hover()
    book.page.mouse.down()
    book.start("spark:explain")
    book.wait_until(
        "cells => cells.length === 3"
    )  # what was written meanwhile stands in the notebook, and the panel waits
    book.page.mouse.up()
    book.page.wait_for_function("() => document.querySelector('.spark-Prompt-box').value === 'first'")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').nth(1).wait_for()


def test_the_form_that_connects_a_model_closes_with_the_notebook_it_was_opened_for(notebook, model) -> None:
    served = model([])
    book = notebook([code("x = 1")], served)
    book.open_panel()
    book.panel.get_by_role("button", name="Connect a model…").first.click()
    book.page.locator(".spark-Connect").wait_for()
    other = notebook([code("y = 2")], served)
    other.page.locator(".spark-Connect").wait_for(state="detached")
    other.box.focus()
    other.panel.get_by_role("button", name="Connect a model…").first.click()
    other.page.locator(".spark-Connect").wait_for()
