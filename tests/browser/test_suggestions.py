"""Ghost text in real editors: a scripted model says what comes at the cursor, the kernel and JupyterLab are real."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spark_jupyter.suggest.asking import CURSOR
from tests.browser.lab import Notebook, code

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playwright.sync_api import Locator


class Desk:
    """A notebook in which suggestions are made, and what a person sees of them."""

    def __init__(self, book: Notebook) -> None:
        self.book = book
        self.page = book.page

    @property
    def ghost(self) -> Locator:
        return self.page.locator(".spark-Ghost")

    def write(self, text: str, index: int = 0) -> None:
        """Type at the end of a cell, key by key."""
        self.enter(index)
        self.page.keyboard.press("Control+End")
        self.page.keyboard.type(text)

    def enter(self, index: int) -> None:
        self.book.cell(index).locator(".cm-content").first.click()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def shows(self, text: str) -> None:
        """Wait until just this is suggested."""
        self.page.wait_for_function(
            "text => [...document.querySelectorAll('.spark-Ghost')].map(one => one.textContent).join('\\n') === text",
            arg=text,
        )

    def shows_nothing(self) -> None:
        self.ghost.first.wait_for(state="detached")

    def holds(self, source: str, index: int = 0) -> None:
        self.book.wait_until("(cells, [index, source]) => cells[index]?.source === source", [index, source])


@pytest.fixture
def desk(notebook, model) -> Callable[..., Desk]:
    """``desk(cells, {"df.": "head()"})``: with what the model says behind which text."""

    def open_desk(cells: Sequence[dict[str, Any]], says: dict[str, str], *, mode: str = "on") -> Desk:
        answers = [{"match": f"{before}{CURSOR}", "answer": text, "repeat": True} for before, text in says.items()]
        book: Notebook = notebook(cells, model([*answers, {"answer": ""}]))
        book.open_panel()
        book.box.type("w")
        book.panel.locator(".spark-Status-provider").wait_for()
        book.page.get_by_label("Suggestions in this notebook").select_option(mode)
        return Desk(book)

    return open_desk


def test_ghost_text_is_shown_and_taken_by_tab_as_one_undo_step(desk) -> None:
    one = desk([code("values = [1, 2]\n")], {"total = su": "m(values)"})
    one.write("total = su")
    one.shows("m(values)")
    one.press("Tab")
    one.holds("values = [1, 2]\ntotal = sum(values)")
    one.shows_nothing()
    assert one.book.metadata(0)["spark"]["suggested"] == len("m(values)")
    one.press("Control+z")
    one.holds("values = [1, 2]\ntotal = su")
