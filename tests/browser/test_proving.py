"""Proofs as a person sees them: of a rename, of an edit that differs, of a better text; and undo of a run from the palette."""

from __future__ import annotations

from tests.browser.lab import Notebook, code
from tests.browser.test_a11y import violations

LOAD = "%load_ext spark_jupyter"
ROWS = "import pandas as pd\ndf = pd.DataFrame({'price': [1.25, 3.1, 2.7] * 5_000, 'qty': [3, 4, 5] * 5_000})"
LOOP = "total = 0\nfor _, row in df.iterrows():\n    total += row['price'] * row['qty']\ntotal"

LONG = "dear = []\nfor price in df['price']:\n    if price > 3:\n        dear.append(price)\nlen(dear)"


ANY_IS_SLOW = "import spark_jupyter.sandbox.refinement_runner; spark_jupyter.sandbox.refinement_runner.SLOW = 0.0"


def ran(notebook, model, *sources: str, answers: tuple[dict[str, str], ...] = (), first: str = "") -> Notebook:
    """A notebook in which Spark is loaded and these cells have run, behind what is in no cell."""
    cells = [code(LOAD), *(code(source, id=f"cell-{number}") for number, source in enumerate(sources, 1))]
    book: Notebook = notebook(cells, model(list(answers)))
    book.execute(first)
    book.activate(0)
    for number in range(len(cells)):
        book.activate(number)
        book.command("notebook:run-cell")
    book.command("spark:open")
    return book


def test_a_rename_is_proven_in_the_footer_of_each_of_its_cells_and_accepted_at_once(notebook, model) -> None:
    book = ran(notebook, model, "price = [1, 2]", "total = sum(price)\ntotal")
    book.prompt("rename price to cost")
    for number in (1, 2):
        said = book.footer(number).locator(".spark-Trial-headline")
        said.get_by_text("Same result for all 2 cells").wait_for()
        assert book.button("accept", number).get_attribute("class") == "spark-Button spark-mod-primary"
    book.screenshot("proof-same")
    book.panel.get_by_role("button", name="Accept all").click()
    book.wait_until("(cells, text) => cells[2].source === text", "total = sum(cost)\ntotal")
    assert book.sources()[1] == "cost = [1, 2]"


def test_what_differs_is_said_with_the_cells_below_that_read_it(notebook, model) -> None:
    answer = {"answer": "```python cell=cell-1\nprice = [1, 3]\ncount = 2\n```\n"}
    book = ran(notebook, model, "price = [1, 2]\ncount = 2", "total = sum(price)\ntotal", answers=(answer,))
    book.activate(1)
    book.panel.get_by_label("Edit this cell").check()
    book.prompt("another price")
    footer = book.footer(1)
    footer.locator(".spark-Trial-headline").get_by_text(
        "Result changes: price: 1 row differs, first at [1] (2 → 3)"
    ).wait_for()
    below = footer.locator(".spark-Proof").get_by_role("button", name="total = sum(price)")
    below.wait_for()
    assert footer.locator(".spark-Footer-digest").inner_text().strip() == "Result changes · price: new values"
    assert footer.locator(".spark-mod-primary").get_attribute("data-action") == "accept"
    assert violations(book, ".spark-Footer", ".spark-Panel") == []
    book.screenshot("proof-differs", contrast=True)
    below.click()
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 2")


def test_a_slow_cell_gets_a_better_text_in_idle_time_whose_diff_is_shown_when_it_is_wanted(notebook, model) -> None:
    book = ran(notebook, model, ROWS, LOOP, first=ANY_IS_SLOW)
    mark = book.cell(2).locator(".spark-Refinement")
    mark.get_by_text("Same to 13 digits, better").wait_for()
    book.screenshot("refinement")
    mark.get_by_role("button", name="Show").click()
    book.footer(2).locator(".spark-Trial-headline").get_by_text("Differs only after 13 digits").wait_for()
    assert mark.count() == 0
    book.button("accept", 2).click()
    book.wait_until("cells => !cells[2].source.includes('iterrows')")


def test_a_cell_that_says_at_length_what_python_says_in_a_line_gets_that_line(notebook, model) -> None:
    book = ran(notebook, model, ROWS, LONG)
    mark = book.cell(2).locator(".spark-Refinement")
    mark.get_by_text("Same result, better: 5 lines → 2").wait_for()
    book.screenshot("refinement-shorter", contrast=True)
    mark.get_by_role("button", name="Show").click()
    book.footer(2).locator(".spark-Trial-headline").get_by_text("Same result").wait_for()
    book.button("accept", 2).click()
    book.wait_until("cells => cells[2].source.startsWith('dear = [price for price in')")


def test_the_last_run_is_undone_from_the_palette(notebook, model) -> None:
    book = ran(notebook, model, "prices = [1, 2]", "prices.append(3)\nprices", "prices")
    book.activate(2)
    book.command("notebook:run-cell")
    prompt = book.cell(2).locator(".jp-OutputPrompt", has_text="[5]:")
    prompt.wait_for()
    book.page.keyboard.press("Control+Shift+C")
    search = book.page.locator("#modal-command-palette input, .lm-CommandPalette-input").last
    search.fill("Undo the Last Run")
    book.page.locator(".lm-CommandPalette-item").get_by_text("Undo the Last Run").first.click()
    book.page.get_by_text("prices restored").wait_for()
    book.cell(2).locator(".jp-InputPrompt", has_text="[ ]:").wait_for()  # its last run is none
    prompt.wait_for(state="detached")  # nor is its output that of a run
    book.cell(2).locator(".jp-OutputArea", has_text="[1, 2, 3, 3]").wait_for()
    book.cell(3).locator(".jp-InputPrompt", has_text="[4]:").wait_for()
    book.activate(3)
    book.command("notebook:run-cell")
    book.wait_until("cells => JSON.stringify(cells[3].getOutputs()).includes('[1, 2, 3]')")


def test_undo_says_what_there_is_to_say_where_spark_was_not_loaded_and_where_not_all_can_come_back(notebook) -> None:
    book = notebook(
        [
            code("import threading\nlock_of_writers = threading.Lock()\ncount = 1"),
            code("lock_of_writers = None\ncount = 2"),
            code("count"),
        ]
    )
    book.open_panel()
    book.start("spark:undo-run")
    toast = book.page.locator(".Toastify__toast")
    nothing = toast.filter(has_text="no cell has run since Spark was loaded")
    nothing.wait_for()
    book.page.wait_for_function(  # it slides in, and leaves the prompt box free
        """() => document.querySelector('.Toastify__toast').getBoundingClientRect().right
          <= document.querySelector('.spark-Panel').getBoundingClientRect().left"""
    )
    for number in (0, 1):
        book.activate(number)
        book.command("notebook:run-cell")
    book.wait_until("cells => cells[1].execution_count !== null")
    book.start("spark:undo-run")
    toast.get_by_text("Can't be restored: lock_of_writers (a lock)").wait_for()
    nothing.wait_for(state="detached")
    assert toast.filter(has_text="UsageError").count() == 0
    book.screenshot("undo-partly")
    toast.get_by_role("button", name="Restore the rest").click()
    toast.get_by_text("count restored").wait_for()
    toast.get_by_role("button", name="Show all").click()
    dialog = book.page.locator(".jp-Dialog")
    dialog.get_by_text("lock_of_writers (a lock) stays as it is").wait_for()
    dialog.get_by_text("outside this kernel are not undone.").wait_for()
    dialog.get_by_role("button", name="Close").click()
    book.activate(2)
    book.command("notebook:run-cell")
    book.wait_until("cells => JSON.stringify(cells[2].getOutputs()).includes('\"1\"')")
