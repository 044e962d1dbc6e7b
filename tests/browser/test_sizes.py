"""The panel's width at its first opening, and the conversation's part of its height."""

from __future__ import annotations

import pytest

from tests.browser.lab import code
from tests.browser.test_agents import PANEL_WIDTH
from tests.browser.test_panel import fenced


@pytest.mark.own_page  # it is the first opening of the panel, in a window of its own size
def test_the_panel_opens_wide_enough_and_the_conversation_has_most_of_its_height(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2")]))
    book.page.set_viewport_size({"width": 1280, "height": 720})
    book.open_panel()
    book.page.wait_for_function("() => document.querySelector('.spark-Panel').offsetWidth >= 300")
    width = book.page.evaluate("() => document.querySelector('.spark-Panel').offsetWidth")
    assert 340 <= width <= 380
    book.prompt("two")
    book.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    turns, panel = (
        book.page.evaluate("place => document.querySelector(place).offsetHeight", place)
        for place in (".spark-Turns", ".spark-Panel")
    )
    assert turns >= 0.6 * panel


@pytest.mark.own_page  # it changes the panel's width
def test_the_end_of_the_conversation_stays_in_view_where_the_panel_becomes_narrow(notebook, model) -> None:
    notes = "\n\n".join(f"Paragraph {n} of an answer whose lines are broken anew in a narrow panel." for n in range(30))
    book = notebook([code("x = 1")], model([fenced("y = 2", notes=f"{notes}\n\n")]))
    book.open_panel()
    book.prompt("two")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    for width in (380, 260, 340, 260):
        book.page.evaluate(PANEL_WIDTH, width)
        book.page.wait_for_function(
            """width => {
              const list = document.querySelector('.spark-Turns');
              const isNarrow = Math.abs(document.querySelector('.spark-Panel').offsetWidth - width) < 3;
              return isNarrow && list.scrollHeight - list.scrollTop - list.clientHeight < 3;
            }""",
            arg=width,
        )
