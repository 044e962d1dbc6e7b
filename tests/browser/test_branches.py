"""Two answers to try in the panel: side by side, compared by value, one kept, and the other opened later."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.lab import code
from tests.browser.test_panel import fenced

SALES = "prices = [3, 1, 2, 9]"
DRAW = "import matplotlib.pyplot as plt\nplt.figure(figsize=(4, 2.5))\nplt.{}\nplt.show()"
MEAN = f"middle = sum(prices) / len(prices)\nprint(middle)\n{DRAW.format('plot(prices)')}"
MEDIAN = f"middle = sorted(prices)[2]\nprint(middle)\n{DRAW.format('bar(range(4), prices)')}"


def test_two_prompts_stand_side_by_side_and_the_one_that_is_kept_is_proposed(notebook, model) -> None:
    answers = [{"match": "by the mean", **fenced(MEAN)}, {"match": "by the median", **fenced(MEDIAN)}]
    book = notebook([code(SALES)], model(answers))
    book.open_panel()
    book.execute(SALES)
    panel = book.panel
    options = book.options
    options.get_by_role("button", name="Try both…").click()
    other = panel.get_by_role("group", name="Try both")
    book.activate(0)
    other.get_by_label("Second prompt").fill("the middle by the median, with bars")
    box = panel.get_by_label("Prompt", exact=True)
    box.fill("the middle by the mean, with a line")
    book.screenshot("try-both-box")
    box.press("Enter")
    both = panel.get_by_role("region", name="Two answers")
    differs = both.get_by_text("What differs, from 1 to 2:")
    differs.wait_for()
    expect(other).to_have_count(0)
    assert "middle 3.75 → 3" in " ".join((both.text_content() or "").split())
    expect(both.get_by_role("img")).to_have_count(2)
    assert book.sources() == [SALES], "nothing is proposed before one is kept"
    book.screenshot("try-both")
    answer = both.get_by_role("listitem", name="Answer 2")
    answer.get_by_role("button", name="Keep this one").click()
    book.wait_state("ready", 1)
    assert book.sources()[1] == MEDIAN
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    first = both.get_by_role("listitem", name="Answer 1")
    first.get_by_role("button", name="Open this one").click()
    book.wait_until("cells => cells[1].source.includes('plot(prices)')")
    book.wait_state("ready", 1)
    assert book.sources() == [SALES, MEAN, MEDIAN]
    expect(panel.locator(".spark-Turn")).to_have_count(2)
