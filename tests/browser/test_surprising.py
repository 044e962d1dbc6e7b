"""Surprises of a copy, and a review of the notebook: both are read before anything is kept."""

from __future__ import annotations

from tests.browser.lab import code
from tests.browser.test_a11y import violations

GIVEN = "import numpy as np\ny = np.arange(5)\nguess = np.ones((5, 1))"


def test_a_surprise_leads_the_footer_and_is_left_out_of_accept_all(notebook, model) -> None:
    book = notebook([code(GIVEN, id="given")], model([{"answer": "```python\nerror = y - guess\n```\n"}]))
    book.open_panel()
    book.activate(0)
    book.command("notebook:run-cell")
    book.prompt("the error")
    book.wait_state("ready", 1)
    footer = book.footer(1)
    surprise = footer.locator(".spark-Surprise")
    surprise.wait_for()
    assert surprise.inner_text().startswith("Surprise: y and guess were combined to 5 × 5 values")
    assert footer.locator("> :first-child").get_attribute("class") == "spark-Surprises"
    assert footer.locator(".spark-mod-primary").count() == 0
    book.command("spark:focus-proposal")
    book.page.wait_for_function("() => document.activeElement?.classList.contains('spark-Surprises')")
    book.panel.locator(".spark-Surprise").wait_for()
    assert violations(book, ".spark-Footer", ".spark-Panel") == []
    book.screenshot("surprise", contrast=True)
    book.panel.get_by_role("button", name="Accept all").click()
    book.panel.get_by_text("blocked, failed or surprising").wait_for()
    assert footer.is_visible()
    book.button("accept", 1).click()
    footer.wait_for(state="detached")


def test_a_review_leads_to_its_cells_and_mends_what_can_be_mended(notebook, model) -> None:
    cells = [code("import yaml\ntext = yaml.load(given)", id="a"), code("given = 'x: 1'", id="b")]
    answer = {"answer": "```python cell=a\nimport yaml\ntext = yaml.safe_load('x: 1')\n```\n"}
    book = notebook(cells, model([answer]))
    book.command("spark:review")
    review = book.panel.locator(".spark-Review[data-state=done]")
    review.wait_for()
    review.get_by_text("unsafe-deserialisation").wait_for()
    review.get_by_role("button", name="Apply fix").click()
    book.wait_until("(cells, text) => cells[0].source === text", "import yaml\ntext = yaml.safe_load(given)")
    review.get_by_role("status").get_by_text("1 remark.").wait_for()
    review.get_by_role("button", name="Line 2").click()
    assert "Only the cell “given = 'x: 1'” below gives given a value" in review.inner_text()
    review.get_by_role("button", name="Run all in a copy").click()
    review.get_by_text("0 of 2 cells ran from the top, in a copy").wait_for()
    assert review.locator("[data-kind=fails]").count() == 1
    assert violations(book, ".spark-Panel") == []
    book.screenshot("review")
    book.reload()
    review.get_by_text("0 of 2 cells ran from the top, in a copy").wait_for()
    review.get_by_role("button", name="Fix it").click()
    book.footer(0).wait_for()
    book.button("accept", 0).click()
    book.wait_until("cells => cells[0].source.includes(\"safe_load('x: 1')\")")
    review.get_by_role("button", name="Close the review").click()
    book.panel.locator(".spark-Review").wait_for(state="detached")
