"""Deep work in the panel: it is begun, directed and read there, and the notebook is not touched before it is done."""

from __future__ import annotations

from typing import Any

from tests.browser.lab import Notebook, code
from tests.browser.test_a11y import violations


def plan(text: str) -> dict[str, object]:
    return {"match": "## Intent\nplan", "answer": text}


def step(title: str, answer: str, **fields: object) -> dict[str, object]:
    return {"match": f"## Request\n{title}", "answer": answer, **fields}


def python(source: str) -> str:
    return f"```python\n{source}\n```\n"


def card(book: Notebook, state: str = "") -> Any:
    """The deep work, when it stands so."""
    found = book.panel.locator(f".spark-Deep{f'[data-state={state}]' if state else ''}")
    found.wait_for()
    return found


def test_it_is_planned_edited_paused_and_proposed_and_a_reload_changes_nothing(notebook, model) -> None:
    answers = [
        plan("1. Make numbers\n2. Sum them up\n"),
        step("Make numbers", python("numbers = [1, 2]")),
        step("Sum them up", "", pieces=["```python\n"], stall_after=1),
        step("Take the mean", python("mean = sum(numbers) / 2")),
    ]
    book = notebook([code("x = 1")], model(answers))
    book.open_panel()
    book.activate(0)
    book.options.get_by_label("Deep", exact=True).check()
    book.prompt("a report on numbers")
    card(book, "writing").locator("li[data-state=done]").wait_for()
    card(book).locator("li[data-state=writing]", has_text="Sum them up").wait_for()
    assert len(book.sources()) == 1
    book.screenshot("deep-writing")
    book.reload()
    book.open_panel()
    card(book, "writing").get_by_role("button", name="Pause").click()
    card(book, "paused").get_by_role("button", name="Edit plan").click()
    box = card(book).get_by_label("The plan, a step in each line")
    assert box.input_value() == "Make numbers\nSum them up"
    box.fill("Make numbers\nTake the mean")
    card(book).get_by_role("button", name="Use this plan").click()
    card(book, "paused").get_by_role("button", name="Go on").click()
    book.wait_state("ready", 2)
    assert book.sources()[1:] == ["numbers = [1, 2]", "mean = sum(numbers) / 2"]
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()  # its log is another than the card's
    book.panel.get_by_text("Log:").click()
    book.panel.get_by_text("You changed the plan.").wait_for()
    book.screenshot("deep-proposed")
    book.panel.get_by_role("button", name="Accept all").click()
    book.footer().wait_for(state="detached")
    book.panel.get_by_role("button", name="Revert").click()
    book.wait_until("cells => cells.length === 1")


def test_after_a_restart_it_says_what_is_lost_and_goes_on_from_its_plan(notebook, model) -> None:
    answers = [
        plan("1. Make numbers\n2. Sum them up\n"),
        step("Make numbers", python("numbers = [1, 2]"), repeat=True),
        step("Sum them up", "", pieces=["```python\n"], stall_after=1),
        step("Sum them up", python("total = sum(numbers)")),
    ]
    served = model(answers)
    book = notebook([code("x = 1")], served)
    book.open_panel()
    book.prompt("/deep a report on numbers")
    card(book, "writing").locator("li[data-state=writing]", has_text="Sum them up").wait_for()
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    card(book, "paused")
    book.configure(served)
    book.execute("%load_ext spark_jupyter")
    card(book, "paused").get_by_text("What 1 step had written is lost, too.").wait_for()
    book.screenshot("deep-restarted")
    card(book).get_by_role("button", name="Go on").click()
    book.wait_state("ready", 2)
    assert book.sources()[1:] == ["numbers = [1, 2]", "total = sum(numbers)"]


def test_what_gave_up_says_why_and_its_card_can_be_taken_away(notebook, model) -> None:
    answers = [plan("1. Make numbers\n"), step("Make numbers", "No: I can't count.", repeat=True)]
    book = notebook([code("x = 1")], model(answers))
    book.open_panel()
    book.prompt("/deep a report on numbers")
    given_up = card(book, "gave-up")
    given_up.locator(".spark-Deep-note", has_text="I can't count.").wait_for()
    book.screenshot("deep-gave-up")
    given_up.get_by_role("button", name="Dismiss").click()
    given_up.wait_for(state="detached")


def test_an_answer_with_security_logic_is_offered_and_the_deep_one_is_a_diff_against_it(notebook, model) -> None:
    fast = "def check_password(given, stored):\n    return given == stored"
    better = "import hmac\n\ndef check_password(given, stored):\n    return hmac.compare_digest(given, stored)"
    answers = [
        plan("1. Compare in constant time\n"),
        {"match": "## Request\nCompare in constant time", "answer": f"```python cell=own\n{better}\n```\n"},
        {"answer": python(fast)},
    ]
    book = notebook([code("", id="own")], model(answers))
    book.open_panel()
    book.activate(0)
    book.prompt("check a password")
    book.wait_state("ready", 0)
    offer = book.panel.locator(".spark-HandUp")
    offer.get_by_text("authentication").wait_for()
    book.screenshot("deep-offered")
    offer.get_by_role("button", name="Hand to the deep model").click()
    log = book.panel.locator(".spark-Turn .spark-Deep-log")
    log.wait_for()
    log.locator("summary").click()
    assert "+    return hmac.compare_digest(given, stored)" in log.locator("pre").inner_text()
    assert violations(book, ".spark-Panel") == []
    book.screenshot("deep-handed-up")
    book.button("accept", 0).click()
    book.wait_until("cells => cells[0].source.startsWith('import hmac')")
