"""Auto-run: off unless it was chosen, and it stops at findings."""

from __future__ import annotations

from tests.browser.lab import code
from tests.browser.test_panel import FINDING, fenced


def test_nothing_runs_by_itself_unless_that_was_chosen_here(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("print('ran', 6 * 7)", repeat=True)]))
    book.prompt("print")
    book.wait_state("ready", 1)
    assert "ran 42" not in book.cell(1).locator(".jp-Cell-outputWrapper").inner_text()
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.options.get_by_label("Auto-run").check()
    assert "ran 42" not in book.cell(1).locator(".jp-Cell-outputWrapper").inner_text()
    book.activate(1)
    book.prompt("print")
    book.cell(2).locator(".jp-OutputArea").get_by_text("ran 42", exact=True).wait_for()
    assert book.page.evaluate("() => document.activeElement.tagName") == "TEXTAREA"
    assert "ran 42" not in book.cell(1).locator(".jp-Cell-outputWrapper").inner_text()


def test_auto_run_stops_at_what_a_finding_blocks(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced(FINDING, "print('ran', 6 * 7)", repeat=True)]))
    book.open_panel()
    book.options.get_by_label("Auto-run").check()
    book.prompt("clean up")
    book.wait_state("blocked", 1)
    book.wait_state("ready", 2)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.execute("pass")
    assert [book.footer(n).get_attribute("data-state") for n in (1, 2)] == ["blocked", "ready"]


LATE_OPINION = """
import threading
from spark_jupyter.ui import pair
from spark_jupyter.protocol.values import Finding
may_end = threading.Event()
def late(self, action):
    may_end.wait(60)
    return [Finding(rule="S1", severity="block", line=1, message="Too dangerous.", origin="second-opinion")]
pair.Pair._second_opinion = late
import spark_jupyter.engine.check_runners
spark_jupyter.engine.check_runners.PATIENCE_OF_RUN = 60.0
"""


def test_auto_run_and_run_wait_for_the_second_opinion(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("print('ran', 6 * 7)")]))
    book.execute(LATE_OPINION)
    book.open_panel()
    book.options.get_by_label("Auto-run").check()
    book.prompt("print")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.footer(1).get_by_text("Checking…").wait_for()
    book.screenshot("checking")
    book.button("run", 1).click()
    book.execute("may_end.set()")
    book.wait_state("blocked", 1)
    question = book.page.locator(".spark-Footer-question")
    question.wait_for()
    assert "Too dangerous." in (question.get_attribute("aria-description") or "")
    book.button("dont-run", 1).click()
    question.wait_for(state="detached")
    book.execute("pass")
    assert book.footer(1).get_attribute("data-state") == "blocked"
    assert "ran 42" not in book.cell(1).locator(".jp-Cell-outputWrapper").inner_text()
