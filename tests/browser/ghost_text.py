"""A notebook in which suggestions are made, for the tests of ghost text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.lab import Notebook

if TYPE_CHECKING:
    from playwright.sync_api import Locator


class Writing:
    """A notebook in which suggestions are made, and what a person sees of them."""

    def __init__(self, book: Notebook, model_code: str = "") -> None:
        self.book = book
        self.model_code = model_code
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

    def run(self, index: int) -> None:
        """Run a cell, and wait for its end."""
        self.enter(index)
        self.press("Control+Enter")
        self.book.wait_until("(cells, index) => cells[index].execution_count !== null", index)

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

    def requests(self) -> int:
        """How many were asked for in this browser, by its own meter; it stores that by a timer, which is due before the one here."""
        counted: int = self.page.evaluate(
            """async () => {
              await new Promise(done => setTimeout(done, 400));
              return JSON.parse(localStorage.getItem('spark-jupyter:suggestions:tally')).requests;
            }"""
        )
        return counted

    def holds(self, source: str, index: int = 0) -> None:
        self.book.wait_until("(cells, [index, source]) => cells[index]?.source === source", [index, source])
