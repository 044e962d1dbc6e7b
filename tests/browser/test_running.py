"""Running a proposal where it stands, and what must be said before a blocked one runs."""

from __future__ import annotations

import re

from tests.browser.lab import Notebook, code

DANGEROUS = "import os\nos.system('rm -rf / --no-preserve-root')"


def fenced(source: str, **fields: object) -> dict[str, object]:
    return {"answer": f"```python\n{source}\n```\n", **fields}


def test_a_proposal_is_run_in_place_and_its_output_is_shown(notebook, model) -> None:
    book = notebook([code("x = 20"), code("last")], model([fenced("print(21 * 2)")]))
    book.activate(0)
    book.prompt("print it")
    book.wait_state("ready", 1)
    book.button("run", 1).click()
    book.cell(1).get_by_text("42", exact=True).wait_for()
    book.footer().wait_for(state="detached")
    assert book.sources() == ["x = 20", "print(21 * 2)", "last"]
    assert "spark" in book.metadata(1)
    assert book.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex") == 2


def test_a_magic_that_runs_a_proposal_leaves_the_next_cell_the_one_that_shift_enter_runs(notebook, model) -> None:
    book = notebook([code("%load_ext spark_jupyter"), code("%spark --wait go"), code("%spark run"), code("after = 1")])
    book.configure(model([fenced("print(21 * 2)")]))
    book.activate(0)
    book.command("notebook:run-cell-and-select-next")
    book.command("notebook:run-cell-and-select-next")
    book.wait_state("ready", 2)
    book.page.keyboard.press("Shift+Enter")
    book.cell(2).get_by_text("42", exact=True).wait_for()
    book.page.keyboard.press("Shift+Enter")
    book.cell(4).locator(".jp-InputPrompt", has_text=re.compile("[0-9]")).wait_for()


def test_what_the_user_typed_into_the_proposal_is_what_runs(notebook, model) -> None:
    book = notebook([code("x = 20")], model([fenced("print(21 * 2)")]))
    book.prompt("print it")
    book.wait_state("ready", 1)
    book.cell(1).locator(".cm-content").first.click()
    book.page.keyboard.press("Control+End")
    book.page.keyboard.type("\nprint('and mine')")
    book.button("run", 1).click()
    book.cell(1).locator(".jp-OutputArea").get_by_text("and mine").wait_for()
    assert book.sources()[1].endswith("print('and mine')")


def blocked(notebook, model) -> Notebook:
    book: Notebook = notebook([code("x = 1")], model([fenced(DANGEROUS, repeat=True)]))
    book.execute("import os; os.system = lambda command: print('RAN', command)")
    book.prompt("clean up")
    book.wait_state("blocked", 1)
    return book


def test_a_blocked_proposal_asks_once_more_and_says_why(notebook, model) -> None:
    book = blocked(notebook, model)
    assert book.footer(1).locator('.spark-Finding[data-severity="block"]').count() >= 1
    book.button("run", 1).click()
    dialog = book.page.locator(".jp-Dialog")
    dialog.wait_for()
    reason = book.footer(1).locator(".spark-Finding-text").first.inner_text()
    assert reason.split(".")[0] in dialog.inner_text()
    book.page.keyboard.press("Enter")  # Cancel has the focus
    dialog.wait_for(state="detached")
    assert book.footer(1).get_attribute("data-state") == "blocked"
    assert "RAN" not in book.cell(1).inner_text()


def test_a_blocked_proposal_runs_after_the_second_yes(notebook, model) -> None:
    book = blocked(notebook, model)
    book.button("run", 1).click()
    book.page.locator(".jp-Dialog").get_by_role("button", name="Run it").click()
    book.cell(1).get_by_text("RAN rm").wait_for()


def test_nothing_runs_by_itself(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("print('ran by itself')")]))
    book.prompt("print")
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    book.execute("pass")
    assert "ran by itself" not in book.cell(1).locator(".jp-Cell-outputWrapper").inner_text()


def test_a_finding_leads_to_its_line(notebook, model) -> None:
    book = blocked(notebook, model)
    book.footer(1).locator(".spark-Finding-jump").first.click()
    book.page.wait_for_function(
        """() => {
          const { content } = window.jupyterapp.shell.currentWidget;
          return content.activeCellIndex === 1 && content.activeCell.editor.getCursorPosition().line >= 1;
        }"""
    )
