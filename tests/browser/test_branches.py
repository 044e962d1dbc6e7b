"""Two answers to try in the panel: side by side, compared by value, one kept, and the other opened later."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.lab import code
from tests.browser.test_a11y import violations
from tests.browser.test_panel import fenced
from tests.browser.test_timeline import ran

SALES = "prices = [3, 1, 2, 9]"
DRAW = "import matplotlib.pyplot as plt\nplt.figure(figsize=(4, 2.5))\nplt.{}\nplt.show()"
MEAN = f"middle = sum(prices) / len(prices)\nprint(middle)\n{DRAW.format('plot(prices)')}"
MEDIAN = f"middle = sorted(prices)[2]\nprint(middle)\n{DRAW.format('bar(range(4), prices)')}"


def test_two_prompts_stand_side_by_side_and_the_one_that_is_kept_is_proposed(notebook, model) -> None:
    answers = [{"match": "by the mean", **fenced(MEAN)}, {"match": "by the median", **fenced(MEDIAN)}]
    book = notebook([code(SALES)], model(answers))
    book.open_panel()
    book.execute(f"{SALES}\nimport matplotlib.pyplot")  # which takes longer than a copy may, on a busy machine
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
    assert violations(book, ".spark-Panel") == []
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


def test_an_earlier_prompt_is_edited_and_what_followed_it_is_a_branch_that_can_be_gone_back_to(notebook, model) -> None:
    answers = [
        {"match": "double the price", **fenced("total = price * 2\nprint(total)")},
        {"match": "add the tax", **fenced("taxed = total + 1\nprint(taxed)")},
        {"match": "triple the price", **fenced("total = price * 3\nprint(total)")},
    ]
    book = notebook([code("price = 10\nprint(price)")], model(answers))
    panel = book.panel
    ran(book, 0, "10\n")
    for index, (prompt, shown) in enumerate((("double the price", "20\n"), ("add the tax", "21\n")), 1):
        book.prompt(prompt)
        book.wait_state("ready", index)
        panel.locator('.spark-Turn[data-outcome="completed"]').nth(index - 1).wait_for()
        book.button("accept", index).click()
        book.footer(index).wait_for(state="detached")
        ran(book, index, shown)
    first = panel.locator(".spark-Turn").first
    first.hover()
    first.get_by_role("button", name="Edit prompt").click()
    note = panel.get_by_role("group", name="Edit an earlier prompt")
    note.get_by_text("branch-double-the-price").wait_for()
    note.get_by_text("What changes").click()
    note.get_by_text("Removed: taxed, total").wait_for()
    assert "2 removed" in (note.text_content() or "")
    assert "turns that the model no longer knows: 2" in (note.text_content() or "")
    book.screenshot("edit-prompt")
    book.say("triple the price")
    book.wait_until("cells => cells.length === 2 && cells[1].source.includes('price * 3')")
    book.wait_state("ready", 1)
    expect(note).to_have_count(0)
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    ran(book, 1, "30\n")
    branch = panel.get_by_role("button", name="branch-double-the-price: 2 turns")
    branch.wait_for()
    expect(panel.locator(".spark-Turn")).to_have_count(1)
    book.screenshot("edited-prompt")
    branch.click()
    preview = panel.locator(".spark-Moment-preview")
    preview.get_by_text("total: 30 → 20").wait_for()
    preview.get_by_role("button", name="Go back").click()
    book.wait_until("cells => cells.length === 3 && cells[2].getOutputs()[0]?.text === '21\\n'")
    assert [source.split("\n")[0] for source in book.sources()] == [
        "price = 10",
        "total = price * 2",
        "taxed = total + 1",
    ]
    panel.get_by_role("button", name="left-1: 1 turn").wait_for()
    expect(panel.locator(".spark-Turn")).to_have_count(2)


def test_a_prompt_none_of_whose_cells_were_accepted_is_edited_as_any_other(notebook, model) -> None:
    answers = [
        {"match": "halve the price", **fenced("total = price / 2")},
        {"match": "double the price", **fenced("total = price * 2\nprint(total)")},
        {"match": "triple the price", **fenced("total = price * 3")},
    ]
    book = notebook([code("price = 10\nprint(price)")], model(answers))
    panel = book.panel
    ran(book, 0, "10\n")
    book.prompt("halve the price")
    book.wait_state("ready", 1)
    book.button("reject", 1).click()
    book.footer().wait_for(state="detached")
    book.prompt("double the price")
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    ran(book, 1, "20\n")
    first = panel.locator(".spark-Turn").first
    first.hover()
    first.get_by_role("button", name="Edit prompt").click()
    note = panel.get_by_role("group", name="Edit an earlier prompt")
    note.get_by_text("branch-halve-the-price").wait_for()
    note.get_by_text("What changes").click()
    note.get_by_text("Removed: total").wait_for()
    assert "turns that the model no longer knows: 2" in (note.text_content() or "")
    book.say("triple the price")
    book.wait_until("cells => cells.length === 2 && cells[1].source.includes('price * 3')")
    panel.get_by_role("button", name="branch-halve-the-price: 2 turns").wait_for()
    expect(note).to_have_count(0)
