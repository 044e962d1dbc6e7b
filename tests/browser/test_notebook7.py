"""Notebook 7: the same labextension in the page that has one notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import Notebook, blank_page, code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext, Page


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that fails the test where our scripts do. Notebook 7.6.5 has an error of its own at every start, without us too; with us it
    passes through what asks before a command runs code elsewhere."""
    page = blank_page(context)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"{error}\n{error.stack}"))
    yield page
    page.close()
    ours = [error for error in errors if "spark-jupyter" in error]
    assert [error for error in ours if "'filebrowser:open-path' not registered" not in error] == []


def test_in_notebook_7_the_panel_opens_and_a_prompt_becomes_cells(lab, page, model) -> None:
    server = model([{"answer": "A number.\n\n```python\ny = 2\n```\n"}])
    book = Notebook(lab, page, lab.write("notebook-7.ipynb", [code("x = 1")]))
    try:
        page.goto(f"{lab.url}/notebooks/{book.name}?token={lab.token}")
        book.wait_ready().configure(server)
        page.locator('.jp-NotebookPanel-toolbar [data-command="spark:open"]').click()
        book.box.wait_for(state="visible")
        book.prompt("one")
        book.wait_state("ready", 1)
        assert book.sources() == ["x = 1", "y = 2"]
        book.panel.get_by_text("A number.").wait_for()
        book.screenshot("notebook-7")
        book.button("run", 1).click()
        book.page.wait_for_function("() => document.querySelectorAll('.jp-InputPrompt')[1].textContent === '[1]:'")
        assert book.metadata(1)["spark"]["prompt"] == "one"
    finally:
        book.leave()
        lab.tidy()


def test_in_notebook_7_a_blocked_proposal_that_is_run_by_a_gesture_asks_once_more(lab, page, model) -> None:
    server = model(
        [{"answer": "```python\nimport os\nos.system('rm -rf / --no-preserve-root')\n```\n", "repeat": True}]
    )
    book = Notebook(lab, page, lab.write("notebook-7-asks.ipynb", [code("x = 1")]))
    try:
        page.goto(f"{lab.url}/notebooks/{book.name}?token={lab.token}")
        book.wait_ready().configure(server)
        book.execute("import os; os.system = lambda command: print('RAN', command)")
        page.locator('.jp-NotebookPanel-toolbar [data-command="spark:open"]').click()
        book.prompt("clean up")
        book.wait_state("blocked", 1)
        for gesture in ("Control+Enter", "notebook:run-all-cells", "notebook:run-all-below", "Shift+Enter"):
            book.activate(1)
            if ":" in gesture:
                book.start(gesture)
            else:
                page.keyboard.press(gesture)
            page.wait_for_function("() => document.activeElement?.dataset.action === 'dont-run'")
            assert "RAN" not in book.cell(1).inner_text()
            if gesture != "Shift+Enter":
                page.keyboard.press("Escape")
                book.button("dont-run", 1).wait_for(state="detached")
        book.button("run-anyway", 1).click()
        book.cell(1).get_by_text("RAN rm").wait_for()
    finally:
        book.leave()
        lab.tidy()


def test_in_notebook_7_drafts_stand_below_what_is_typed_and_are_taken(lab, page, model) -> None:
    server = model([{"answer": "```python\ntotal = 42\ntotal\n```\n", "repeat": True}])
    book = Notebook(lab, page, lab.write("notebook-7-drafts.ipynb", [code("# ")]))
    try:
        page.goto(f"{lab.url}/notebooks/{book.name}?token={lab.token}")
        book.wait_ready().configure(server)
        book.autocomplete("off")
        book.start("spark:drafts")
        page.wait_for_function("() => window.jupyterapp.commands.isToggled('spark:drafts')")
        book.cell(0).locator(".cm-content").click()
        page.keyboard.press("Control+End")
        page.keyboard.type("show the total of everything")
        page.locator(".spark-Draft[data-state=done] .spark-Draft-line").first.wait_for()
        book.screenshot("notebook-7-draft")
        page.keyboard.press("Tab")
        book.wait_until("cells => cells[0].source === '# show the total of everything\\ntotal = 42\\ntotal'")
    finally:
        book.leave()
        lab.tidy()
