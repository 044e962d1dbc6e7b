"""A conversation that goes on in the panel: follow-ups, what @ and / complete, what was typed before, once more."""

from __future__ import annotations

import re

from tests.browser.lab import code
from tests.browser.test_a11y import violations
from tests.browser.test_lifecycle import attached_anew
from tests.browser.test_panel import destination, fenced

FIRST = "prices = ['$1', '$2']"


def test_words_never_decide_that_a_cell_is_changed_and_an_edit_is_one_click_away(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced(FIRST), fenced("prices = [1, 2]"), fenced("prices = [3]")]))
    book.prompt("list the prices")
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    book.box.type("no, strip the $ first")
    destination(book, "Insert below cell 2")
    book.box.press("Enter")
    book.wait_state("ready", 2)
    assert book.sources()[1] == FIRST, "what was accepted is nobody's to change"
    book.panel.locator('.spark-Turn[data-outcome="completed"]').nth(1).wait_for()
    book.activate(2)
    book.panel.get_by_label("Edit this cell").check()
    book.box.type("and three instead")
    destination(book, "Edit cell 3")
    book.screenshot("follow-up", contrast=True)
    book.box.press("Enter")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').nth(2).wait_for()
    assert book.sources()[2] == "prices = [1, 2]", "nothing changes before it is accepted"
    book.screenshot("follow-up-answered")


def test_reject_all_rejects_new_cells_under_edits_too(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("a = 1", "b = 2"), fenced("b = 3")]))
    book.prompt("two")
    book.wait_state("ready", 2)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.activate(2)
    book.panel.get_by_label("Edit this cell").check()
    book.prompt("three")
    book.page.wait_for_selector('.spark-Footer[aria-label="Spark: Proposed edit"]')
    book.panel.locator('.spark-Turn[data-outcome="completed"]').nth(1).wait_for()
    book.panel.get_by_role("button", name="Reject all").click()
    book.wait_until("cells => cells.length === 1")
    book.footer().wait_for(state="detached")
    assert book.sources() == ["x = 1"]


def test_only_the_latest_proposal_for_a_cell_is_decided_on_in_the_panel(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2"), fenced("y = 3")]))
    book.prompt("two")
    book.wait_state("ready", 1)
    accepts = book.panel.locator(".spark-ProposalLink").get_by_role("button", name="Accept")
    accepts.wait_for()
    first = book.panel.locator(".spark-ProposalLink").first.get_by_role("button", name="Accept")
    book.activate(1)
    book.panel.get_by_label("Edit this cell").check()
    book.prompt("three")
    book.page.wait_for_selector('.spark-Footer[aria-label="Spark: Proposed edit"]')
    first.wait_for(state="detached")
    accepts.wait_for()
    book.button("reject", 1).click()
    first.wait_for()


def test_a_new_conversation_goes_without_the_turns_so_far(notebook, model) -> None:
    leaked = fenced("leaked = 1", match="remember the zebra", repeat=True)
    answers = [fenced("a = 1", match="remember the zebra"), leaked, fenced("fresh = 2", repeat=True)]
    book = notebook([code("x = 1")], model(answers))
    book.prompt("remember the zebra")
    book.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.panel.get_by_role("button", name="New conversation").click()
    book.panel.locator(".spark-Turn").first.wait_for(state="detached")
    assert book.panel.get_by_role("button", name="New conversation").count() == 0
    book.prompt("go on")
    book.wait_state("ready", 2)
    assert book.sources()[2] == "fresh = 2"
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.prompt("/new and once more")
    book.wait_until("cells => cells.length === 4 && cells[3].source === 'fresh = 2'")
    assert book.panel.locator(".spark-Turn-prompt").all_inner_texts() == ["and once more"]
    book.screenshot("new-conversation")


def test_what_is_pointed_at_is_completed_from_the_kernel(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2", repeat=True)]))
    book.execute("import pandas as pd\nsales = pd.DataFrame({'price': [1], 'unit price': [2]})")
    book.prompt("hello")
    book.wait_state("ready", 1)
    offered = book.panel.get_by_role("option")
    book.box.type("sum @sal")
    offered.filter(has_text="sales").wait_for()
    book.screenshot("mentions", contrast=True)
    book.box.press("Tab")
    book.in_box("sum @sales")
    book.box.type(".")
    offered.filter(has_text='sales["unit price"]').wait_for()
    book.box.press("ArrowDown")
    book.box.press("Enter")
    book.in_box('sum @sales["unit price"]')
    book.box.press("Enter")
    book.panel.locator(".spark-Turn").nth(1).locator(".spark-Turn-prompt", has_text="unit price").wait_for()


def test_slash_commands_are_listed_and_what_is_wrong_is_said_and_stays(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2", repeat=True)]))
    book.prompt("hello")
    book.wait_state("ready", 1)
    book.box.type("/")
    book.panel.get_by_role("option", name=re.compile("^explain")).wait_for()
    book.screenshot("slash", contrast=True)
    book.box.type("fi")
    book.box.press("Tab")
    book.box.press("Enter")
    book.panel.locator(".spark-Problem", has_text="did not fail").wait_for()
    book.in_box("/fix ")
    book.box.fill("/attempts many of it")
    book.box.press("Escape")
    book.box.press("Enter")
    book.panel.locator(".spark-Problem", has_text="a number from 1 to 8").wait_for()
    book.box.fill("/try")
    destination(book, "/try: run the proposal in a copy")
    book.box.press("Enter")
    book.panel.locator(".spark-CellLink-trial").wait_for()
    book.in_box("")


def test_up_brings_back_what_was_typed_and_again_asks_it_once_more(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2"), fenced("y = 3", repeat=True)]))
    book.prompt("first of all")
    book.wait_state("ready", 1)
    book.box.press("ArrowUp")
    book.in_box("first of all")
    book.box.press("ArrowDown")
    book.in_box("")
    book.panel.get_by_role("button", name="Retry").click()
    book.wait_until("cells => cells.length === 2 && cells[1].source === 'y = 3'")
    book.panel.locator(".spark-Turn").nth(1).wait_for()
    assert book.panel.locator(".spark-Turn").count() == 2
    book.panel.locator(".spark-Turn").nth(1).get_by_role("button", name="Edit prompt").click()
    book.in_box("first of all")
    assert re.search("first", book.panel.locator(".spark-Turn-prompt").nth(1).inner_text())


def test_an_answer_in_words_stands_where_it_was_asked_for_and_the_panel_may_stay_closed(notebook, model) -> None:
    said = {"match": "what is it", "answer": "It is **one**.", "repeat": True}
    edit = {"match": "make it two", "answer": "```python\nx = 2\n```\n"}
    book = notebook([code("x = 1")], model([edit, said]))
    book.activate(0)
    keyboard = book.page.keyboard
    keyboard.press("Alt+Shift+S")
    prompt = book.cell(0).locator(".spark-InlinePrompt")
    prompt.wait_for()
    keyboard.type("what is it")
    keyboard.press("Enter")
    prompt.locator("strong", has_text="one").wait_for()
    book.screenshot("inline-answer", contrast=True)
    prompt.get_by_text("Edit cell 1").wait_for()  # it can be said otherwise at once
    keyboard.type("then make it two")
    keyboard.press("Enter")
    prompt.wait_for(state="detached")
    book.command("spark:accept-all")
    book.wait_until("cells => cells[0].source === 'x = 2'")


def test_a_prompt_opens_at_the_cell_and_edits_it_and_goes_when_it_is_answered(notebook, model) -> None:
    book = notebook([code("x = 1"), code("y = 2")], model([fenced("y = 3", repeat=True)]))
    book.activate(1)
    keyboard = book.page.keyboard
    keyboard.press("Alt+Shift+S")
    prompt = book.cell(1).locator(".spark-InlinePrompt")
    prompt.get_by_text("Edit cell 2").wait_for()
    keyboard.type("dd it should be three")  # in the notebook's command mode this would delete the cell
    assert violations(book, ".spark-InlinePrompt") == []
    book.screenshot("inline-prompt", contrast=True)
    keyboard.press("Enter")
    prompt.wait_for(state="detached")
    assert book.sources() == ["x = 1", "y = 2"]
    book.command("spark:accept-all")
    book.wait_until("cells => cells[1].source === 'y = 3'")
    keyboard.press("Alt+Shift+S")
    prompt.wait_for()
    keyboard.press("Escape")
    prompt.wait_for(state="detached")
    assert book.page.evaluate("() => document.activeElement.closest('.jp-Notebook') !== null")
    book.open_panel()
    destination(book, "Insert below")


def wait_listed(book, *titles: str) -> None:
    book.page.wait_for_function(
        "titles => { const shown = [...document.querySelectorAll('.spark-Conversation-title')].map(one => one.textContent);"
        " return shown.length >= titles.length && titles.every((title, n) => shown[n] === title); }",
        arg=titles,
    )


def test_conversations_are_listed_searched_opened_renamed_and_deleted(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("a = 1"), fenced("b = 2")]))
    book.prompt("remember the okapi")
    book.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.panel.get_by_role("button", name="New conversation").click()
    book.prompt("count the cells")
    book.wait_state("ready", 2)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    history = book.panel.get_by_role("button", name="Conversations", exact=True)
    history.click()
    wait_listed(book, "count the cells", "remember the okapi")
    book.screenshot("conversations", contrast=True)
    book.panel.get_by_role("searchbox").fill("OKAPI a = 1")
    wait_listed(book, "remember the okapi")
    book.panel.locator(".spark-Conversation-open").click()
    book.panel.locator(".spark-Turn-prompt", has_text="remember the okapi").wait_for()
    assert book.panel.locator(".spark-Turn-prompt").all_inner_texts() == ["remember the okapi"]
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    attached_anew(book)
    book.panel.locator(".spark-Turn-prompt", has_text="remember the okapi").wait_for()
    assert book.panel.locator(".spark-Turn-prompt").all_inner_texts() == ["remember the okapi"]
    history.click()
    book.panel.get_by_role("button", name="Rename").first.click(force=True)
    book.page.locator(".jp-Dialog input").fill("Animals")
    book.page.locator(".jp-Dialog").get_by_role("button", name="Rename").click()
    wait_listed(book, "Animals", "count the cells")
    book.panel.get_by_role("button", name="Delete", exact=True).nth(1).click(force=True)
    book.page.locator(".jp-Dialog").get_by_role("button", name="Delete").click()
    book.page.wait_for_function(
        "() => !document.querySelector('.spark-Conversations').innerText.includes('count the cells')"
    )
    book.panel.get_by_role("button", name="Delete all").click()
    book.page.locator(".jp-Dialog").get_by_role("button", name="Delete all").click()
    book.panel.get_by_text("No conversation is kept yet.").wait_for()
    book.box.press("Escape")
    book.panel.get_by_role("searchbox").press("Escape")
    book.panel.get_by_text("Say what the next cells should do").wait_for()


def test_what_is_asked_elsewhere_is_answered_in_place_of_the_list(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("a = 1"), {"answer": "It sets x."}]))
    book.prompt("name the walrus")
    book.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    history = book.panel.get_by_role("button", name="Conversations", exact=True)
    history.click()
    wait_listed(book, "name the walrus")
    book.activate(0)
    book.start("spark:explain")
    book.panel.locator(".spark-Turn-prompt", has_text="Explain this cell.").wait_for()
    history.click()
    book.panel.get_by_role("button", name="Delete all").click()
    book.page.locator(".jp-Dialog").get_by_role("button", name="Delete all").click()
    book.panel.get_by_text("No conversation is kept yet.").wait_for()
    book.panel.get_by_role("searchbox").press("Escape")
