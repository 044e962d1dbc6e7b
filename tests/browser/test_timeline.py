"""The timeline in the panel: back to a moment and forth, with cells, variables and conversation."""

from __future__ import annotations

from tests.browser.lab import Notebook, code
from tests.browser.test_panel import fenced


def ran(book: Notebook, index: int, wanted: str) -> None:
    """Run a cell, and wait for what it shows."""
    book.activate(index)
    book.command("notebook:run-cell")
    book.wait_until("(cells, [index, wanted]) => cells[index].getOutputs()[0]?.text === wanted", [index, wanted])


def begun(notebook, model, first: str = "x = 1", second: str = "x = 5") -> Notebook:
    """A notebook in which a cell has run twice since a turn was accepted."""
    book: Notebook = notebook([code(f"{first}\nprint(1)")], model([fenced("y = 2")]))
    book.prompt("a second variable")
    book.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    ran(book, 0, "1\n")
    book.page.evaluate(
        "source => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[0].setSource(source)",
        f"{second}\nprint(5)",
    )
    ran(book, 0, "5\n")
    return book


def test_a_run_is_left_with_its_cells_and_variables_and_come_forth_to(notebook, model) -> None:
    book = begun(notebook, model)
    book.panel.get_by_role("button", name="Timeline").click()
    moments = book.panel.locator(".spark-Moment")
    book.panel.locator('.spark-Moment[data-kind="turn"]').wait_for()
    moments.first.locator(".spark-Moment-open").click()
    preview = book.panel.locator(".spark-Moment-preview")
    preview.get_by_text("x: 5 → 1").wait_for()
    assert "1 changed back" in (preview.text_content() or "")
    book.screenshot("timeline", contrast=True)
    preview.get_by_role("button", name="Go back").click()
    book.wait_until("cells => cells[0].getOutputs()[0]?.text === '1\\n'")
    book.panel.locator(".spark-Turn").wait_for()
    assert book.sources()[:2] == ["x = 5\nprint(5)", "y = 2"], "the cell was typed in before that run"
    book.panel.get_by_role("button", name="Timeline").click()
    left = book.panel.locator('.spark-Moment[data-kind="named"] .spark-Moment-open')
    left.click()
    preview.get_by_text("x: 1 → 5").wait_for()
    preview.get_by_role("button", name="Go back").click()
    book.wait_until("cells => cells[0].getOutputs()[0]?.text === '5\\n'")


def test_back_to_before_a_prompt_takes_its_cells_and_what_the_model_knows_of_it(notebook, model) -> None:
    book = begun(notebook, model)
    book.panel.locator(".spark-Turn").hover()
    book.panel.get_by_role("button", name="Back to before this prompt").click()
    preview = book.panel.locator(".spark-Moment-preview")
    preview.get_by_text("turns that the model no longer knows: 1").wait_for()
    preview.get_by_role("button", name="Go back").click()
    book.wait_until("cells => cells.length === 1 && cells[0].source === 'x = 1\\nprint(1)'")
    book.wait_until("cells => cells[0].getOutputs().length === 0")
    book.page.evaluate("window.jupyterapp.shell.currentWidget.content.model.sharedModel.undo()")
    book.wait_until("cells => cells.length === 2 && cells[0].source === 'x = 5\\nprint(5)'")


def test_files_that_come_back_are_named_first(notebook, model) -> None:
    first = "%config SparkMagics.back_files = True\nwith open('sales.csv', 'w') as file: file.write('day')"
    second = "with open('sales.csv', 'w') as file: file.write('month')\nopen('chart.png', 'w').close()"
    book = begun(notebook, model, first, second)
    book.panel.get_by_role("button", name="Timeline").click()
    book.panel.locator(".spark-Moment-open").first.click()
    files = book.panel.get_by_role("list", name="Files")
    files.get_by_text("chart.png removed").wait_for()
    assert files.locator("li").all_text_contents() == ["sales.csv restored", "chart.png removed"]
    book.screenshot("timeline-files", contrast=True)
    book.panel.get_by_role("button", name="Go back").click()
    book.wait_until("cells => cells[0].getOutputs()[0]?.text === '1\\n'")


def test_moments_without_variables_say_why(notebook, model) -> None:
    book = begun(notebook, model)
    book.execute("%config SparkMagics.checkpoints = 'off'")
    book.panel.get_by_role("button", name="Timeline").click()
    timeline = book.panel.get_by_role("region", name="Timeline")
    timeline.get_by_text("moments are without variables. Checkpoints were switched off.").wait_for()
    book.panel.locator(".spark-Moment-lost").first.hover()
    assert book.panel.locator(".spark-Moment-lost").first.get_attribute("title") == "Checkpoints were switched off."
    book.screenshot("timeline-lost")
