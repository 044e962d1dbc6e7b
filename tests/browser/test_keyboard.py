"""The keys: none is taken from JupyterLab, each can be changed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.lab import Notebook, code, program

SHORTCUTS = "@jupyterlab/shortcuts-extension:shortcuts"


def fenced(source: str) -> dict[str, str]:
    return {"answer": f"```python\n{source}\n```\n"}


def bindings(book: Notebook) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = book.page.evaluate(
        """() => window.jupyterapp.commands.keyBindings.map(one => ({
          command: one.command, keys: one.keys.join(', '), selector: one.selector
        }))"""
    )
    return found


def test_no_key_is_taken_from_jupyterlab(notebook) -> None:
    book = notebook([code("x = 1")])
    everything = bindings(book)
    ours = [one for one in everything if one["command"].startswith("spark:")]
    assert len(ours) >= 10
    others = {one["keys"] for one in everything if not one["command"].startswith("spark:")}
    # The keys of a diff and of a footer are plain ones; they hold only while it has the focus, where a cell's do not matter.
    general = [one for one in ours if ":focus" not in one["selector"]]
    assert [one for one in general if one["keys"] in others] == []


def test_the_keys_of_a_diff_do_nothing_in_command_mode(notebook, model) -> None:
    answer = "```python cell=first\nx = 100\n```\n"
    book = notebook([code("x = 1", id="first"), code("y = 2")], model([{"answer": answer}]))
    book.activate(0)
    book.prompt("edit")
    book.wait_state("ready", 0)
    book.activate(1)
    for key in ("n", "p", "y"):
        book.page.keyboard.press(key)
    assert book.footer(0).get_attribute("data-state") == "ready"
    assert book.sources() == ["x = 1", "y = 2"]


def test_a_shortcut_can_be_changed_in_the_settings(notebook, request) -> None:
    book = notebook([code("x = 1")])
    request.addfinalizer(lambda: book.set(SHORTCUTS, "shortcuts", None))
    book.set(SHORTCUTS, "shortcuts", [{"command": "spark:open", "keys": ["Ctrl Alt J"], "selector": "body"}])
    book.page.wait_for_function(
        "() => window.jupyterapp.commands.keyBindings.some(one => one.command === 'spark:open' && one.keys[0] === 'Ctrl Alt J')"
    )
    book.activate(0)
    book.page.keyboard.press("Control+Alt+J")
    book.box.wait_for()


def test_every_command_is_in_the_palette(notebook) -> None:
    book = notebook([code("x = 1")])
    book.command("apputils:activate-command-palette")
    book.page.locator(".lm-CommandPalette-input").fill("spark")
    palette = book.page.locator(".lm-CommandPalette-content")  # is filled a moment after the key
    for label in ("Spark: Open the Panel", "Spark: Explain the Cell", "Spark: Edit the Cell…"):
        palette.get_by_text(label, exact=True).first.wait_for()
    assert (
        book.page.evaluate(
            "() => window.jupyterapp.commands.listCommands().filter(id => id.startsWith('spark:')).length"
        )
        >= 16
    )
    book.page.keyboard.press("Escape")


@pytest.mark.parametrize("action", ["reject", "accept"])
def test_after_an_edit_is_decided_by_its_button_the_keys_are_the_notebook_s(notebook, model, action) -> None:
    book = notebook(
        [code("x = 1", id="first"), code("y = 2")], model([{"answer": "```python cell=first\nx = 2\n```\n"}])
    )
    book.activate(0)
    book.open_panel()
    book.panel.get_by_label("Edit this cell").check()
    book.prompt("two")
    book.wait_state("ready", 0)
    book.button(action, 0).click()
    book.footer(0).wait_for(state="detached")
    book.page.wait_for_function("() => document.activeElement?.closest('.jp-Notebook')")
    book.page.keyboard.press("ArrowDown")
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 1")


FOCUS = """([place, mode]) => document.activeElement?.closest(place) !== null
  && window.jupyterapp.shell.currentWidget.content.mode === mode"""


def focused(book: Notebook, place: str, mode: str = "command") -> None:
    """Wait until what has the focus is in that place, and the notebook in that mode."""
    book.page.wait_for_function(FOCUS, arg=[place, mode])


def test_escape_in_a_footer_goes_back_to_the_cell_as_it_was(notebook, model) -> None:
    book = notebook([code("x = 1"), code("y = 2")], model([fenced("z = 3")]))
    book.activate(0)
    book.prompt("three")
    book.wait_state("ready", 1)
    book.activate(1)
    book.button("reject", 1).focus()
    book.page.keyboard.press("Escape")
    book.page.wait_for_function("() => document.activeElement === document.querySelectorAll('.jp-Cell')[1]")
    book.page.keyboard.press("ArrowDown")
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 2")
    book.cell(1).locator(".cm-content").click()
    focused(book, ".cm-content", "edit")
    book.button("accept", 1).focus()
    focused(book, ".spark-Footer")
    book.page.keyboard.press("Escape")
    focused(book, ".cm-content", "edit")
    book.page.keyboard.press("End")
    book.page.keyboard.type("0")
    book.wait_until("cells => cells[1].source === 'z = 30'")
    assert book.footer(1).get_attribute("data-state") == "ready"


def test_escape_in_a_footer_stops_what_runs_there(notebook, model) -> None:
    sleeps = "import time\nwhile True:\n    time.sleep(0.01)"
    book = notebook([code("x = 1")], model([fenced(program(3000)), fenced(sleeps)], rate=200))
    book.prompt("long")
    book.button("stop", 1).focus()
    book.page.keyboard.press("Escape")
    book.panel.locator('.spark-Turn[data-outcome="cancelled"]').wait_for()
    book.wait_state("ready", 1)
    focused(book, ".spark-Footer")
    book.button("reject", 1).click()
    book.prompt("wait")
    book.wait_state("ready", 1)
    book.button("try", 1).click()
    book.button("cancel-try", 1).focus()
    book.page.keyboard.press("Escape")
    book.footer(1).locator(".spark-Trial", has_text="The Try was cancelled.").wait_for()
    focused(book, ".spark-Footer")


def test_escape_in_a_diff_that_hides_it_gives_the_keys_to_the_notebook(notebook, model) -> None:
    book = notebook([code("x = 1", id="first"), code("y = 2")], model([fenced("x = 2")]))
    book.activate(0)
    book.open_panel()
    book.panel.get_by_label("Edit this cell").check()
    book.prompt("two")
    book.wait_state("ready", 0)
    book.command("spark:focus-proposal")
    focused(book, ".spark-Diff-content")
    book.page.keyboard.press("Escape")
    book.page.wait_for_function("() => document.activeElement === document.querySelectorAll('.jp-Cell')[0]")
    book.page.keyboard.press("ArrowDown")
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 1")
