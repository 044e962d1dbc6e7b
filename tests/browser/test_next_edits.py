"""Next edits in real editors: what should follow an edit is marked, shown by Tab and taken by Tab, without a model. And refactorings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.lab import Notebook, code, markdown

if TYPE_CHECKING:
    from playwright.sync_api import Locator

LOAD = "import pandas as pd\ndf = pd.DataFrame({'price': [1, 2]})"
CELLS = [code(LOAD), markdown("What df holds"), code("df.price.sum()"), code("total = len(df)\nprint(total, df)")]
RENAMED = [LOAD.replace("df", "sales"), "What df holds", "sales.price.sum()", "total = len(sales)\nprint(total, sales)"]


class Desk:
    """A notebook with Spark in its kernel, and no model that would answer."""

    def __init__(self, book: Notebook) -> None:
        self.book = book
        self.page = book.page

    @property
    def hint(self) -> Locator:
        return self.page.locator(".spark-NextEdit-hint")

    @property
    def places(self) -> Locator:
        return self.page.locator(".spark-NextEdit-place")

    def rename_in_first_cell(self) -> None:
        """Write ``sales`` for ``df`` in its second line, as a person does."""
        self.enter(0)
        for key in ("Control+End", "Home", "Delete", "Delete"):
            self.page.keyboard.press(key)
        self.page.keyboard.type("sales")

    def pause(self) -> None:
        """Type nothing for longer than it takes until it is asked what should follow."""
        self.page.wait_for_timeout(1000)

    def enter(self, index: int) -> None:
        self.book.cell(index).locator(".cm-content").first.click()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def holds(self, sources: Sequence[str]) -> None:
        self.book.wait_until("(cells, sources) => sources.every((one, at) => cells[at]?.source === one)", list(sources))

    def shows_diff_of(self, count: int) -> None:
        self.page.wait_for_function(
            "count => document.querySelectorAll('.jp-Notebook .spark-Diff').length === count", arg=count
        )


@pytest.fixture
def desk(notebook, model) -> Callable[..., Desk]:
    def open_desk(cells: Sequence[dict[str, Any]] = CELLS, *, answers: Sequence[dict[str, Any]] = ()) -> Desk:
        book: Notebook = notebook(cells, model([*answers, {"answer": "A model was asked.", "repeat": True}]))
        book.open_panel()
        book.box.type("w")
        book.panel.locator(".spark-Status-provider").wait_for()
        return Desk(book)

    return open_desk


def test_what_should_follow_a_rename_is_marked_shown_by_tab_taken_by_tab_and_reverted_as_one(desk) -> None:
    one = desk()
    one.rename_in_first_cell()
    one.hint.wait_for()
    assert one.hint.text_content() == "Tab: rename df to sales in 2 cells"
    assert one.places.all_text_contents() == ["df", "df", "df"]
    one.book.screenshot("next-edit-offered")
    one.press("Tab")
    one.shows_diff_of(2)
    one.holds([RENAMED[0], *[cell["source"] for cell in CELLS[1:]]])
    one.page.locator(".spark-Diff-content:focus").wait_for()
    one.book.screenshot("next-edit-shown")
    one.press("Tab")
    one.holds(RENAMED)
    one.shows_diff_of(0)
    (turn,) = one.book.panel.locator(".spark-Turn").all()
    turn.get_by_role("button", name="Revert").click()
    one.holds([RENAMED[0], *[cell["source"] for cell in CELLS[1:]]])


def test_escape_silences_an_offer_for_this_edit_and_an_edit_that_needs_nothing_has_none(desk) -> None:
    one = desk()
    one.rename_in_first_cell()
    one.hint.wait_for()
    one.press("Escape")
    one.hint.wait_for(state="detached")
    assert one.places.count() == 0
    one.page.keyboard.type("_2")
    one.pause()
    assert one.hint.count() == 0
    one.enter(3)
    one.press("Control+End", "Enter")
    one.page.keyboard.type("x = 1")
    one.holds([LOAD.replace("df", "sales_2"), CELLS[1]["source"], CELLS[2]["source"], f"{CELLS[3]['source']}\nx = 1"])
    one.pause()
    assert one.hint.count() == 0
    assert one.book.panel.locator(".spark-Turn").count() == 0


def offered_by_a_model(desk):
    """A notebook in which a model on this machine has offered what should follow an edit."""
    cells = [code('path = "data/orders.csv"'), code('size = len("data/orders.csv")')]
    follows = '@@ 2\n-size = len("data/orders.csv")\n+size = len("data/orders.json")\n'
    one = desk(cells, answers=[{"match": "## The edit", "answer": follows, "repeat": True}])
    one.enter(0)
    one.press("Control+End", "ArrowLeft", "Backspace", "Backspace", "Backspace")
    one.page.keyboard.type("json")
    one.hint.wait_for()
    return one


def test_what_a_model_on_this_machine_thinks_of_is_offered_as_its_own(desk) -> None:
    one = offered_by_a_model(desk)
    assert one.hint.text_content() == "Tab: follow that edit as the model suggests in 1 cell"


def test_what_a_model_offers_is_taken_as_any_other_offer(desk) -> None:
    one = offered_by_a_model(desk)
    one.press("Tab")
    one.shows_diff_of(1)
    one.press("Tab")
    one.holds(['path = "data/orders.json"', 'size = len("data/orders.json")'])


def test_an_offer_goes_when_a_cell_that_it_is_about_changes(desk) -> None:
    one = desk()
    one.rename_in_first_cell()
    one.hint.wait_for()
    one.enter(2)
    one.press("Control+Home")
    one.page.keyboard.type("# new\n")
    one.hint.wait_for(state="detached")
    assert one.places.count() == 0


def test_what_should_follow_a_fix_that_was_accepted_is_offered_too(desk) -> None:
    renamed = CELLS[0]["source"].replace("df", "orders")
    answer = {"answer": f"```python cell={CELLS[0]['id']}\n{renamed}\n```\n"}
    one = desk(answers=[answer])
    one.book.activate(0)
    one.book.panel.get_by_label("Edit this cell").check()
    one.book.prompt("call the table orders here")
    one.shows_diff_of(1)
    one.book.panel.get_by_role("button", name="Accept").first.click()
    one.places.first.wait_for()
    assert one.places.all_text_contents() == ["df", "df", "df"]


def test_rename_by_magic_and_in_words_changes_the_notebook_and_asks_no_model(desk) -> None:
    one = desk([*CELLS, code("%spark rename df sales")])
    one.book.activate(4)
    one.press("Control+Enter")
    one.shows_diff_of(3)
    one.book.panel.get_by_text("in 3 cells").wait_for()
    one.book.screenshot("rename-by-magic")
    one.book.panel.get_by_role("button", name="Accept all").click()
    one.holds(RENAMED)
    one.book.prompt("write sales for df in the text cells")
    one.shows_diff_of(1)
    assert "A model was asked." not in one.book.panel.text_content()
