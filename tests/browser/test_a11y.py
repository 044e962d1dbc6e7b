"""With the keyboard alone, with a screen reader, and without motion."""

from __future__ import annotations

import os

import pytest

from tests.browser.lab import ROOT, SCREENSHOTS, Notebook, code, program

AXE = ROOT / "labextension" / "node_modules" / "axe-core" / "axe.min.js"
BLOCKED = "import os\nos.system('rm -rf / --no-preserve-root')"


def fenced(*cells: str, notes: str = "", **fields: object) -> dict[str, object]:
    return {"answer": notes + "\n\n".join(f"```python\n{cell}\n```" for cell in cells) + "\n", **fields}


def violations(book: Notebook, *places: str) -> list[str]:
    """What axe-core finds there."""
    book.page.add_script_tag(path=AXE)
    found = book.page.evaluate(
        """places => axe.run({ include: places.map(place => [place]) }, { resultTypes: ['violations'] })""",
        [place for place in places if book.page.locator(place).count()],
    )
    return [
        f"{one['id']}: {node['html'][:160]} {node['any'][:1] and node['any'][0]['message']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"])
def test_the_panel_and_the_footers_pass_an_accessibility_scan(notebook, model, theme: str) -> None:
    edit = "```python cell=first\nx = 100\n```\n\n"
    answers = [
        fenced("y = 2", BLOCKED, notes=f"Words and [a link](https://example.org/).\n\n{edit}", repeat=True),
    ]
    book = notebook([code("x = 1", id="first"), code("1 / 0")], model(answers))
    book.theme(theme)
    book.page.locator("#jupyterlab-splash").wait_for(state="detached")
    book.open_panel()
    assert violations(book, ".spark-Panel") == []
    book.activate(1)
    book.command("notebook:run-cell")
    book.panel.get_by_text("The active cell failed").wait_for()
    book.prompt("several")
    book.page.wait_for_selector('.spark-Turn[data-outcome="completed"]')
    book.wait_state("ready", 0)
    book.panel.locator(".spark-Finding").first.wait_for()
    assert violations(book, ".spark-Panel", ".spark-Footer", ".spark-Diff") == []
    book.box.type("/")
    book.panel.get_by_role("option").first.wait_for()
    assert violations(book, ".spark-Completions") == []
    book.theme("JupyterLab Light")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"])
def test_what_the_panel_opens_passes_an_accessibility_scan(notebook, model, theme: str) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2")]))
    book.theme(theme)
    book.prompt("two")
    book.wait_state("ready", 1)
    book.button("run", 1).click()
    book.footer().wait_for(state="detached")
    assert book.options.is_visible()
    assert violations(book, ".spark-Panel") == []
    book.page.keyboard.press("Escape")
    for name in ("Conversations", "Timeline"):
        book.panel.get_by_role("button", name=name, exact=True).click()
        book.panel.locator(f'button[aria-label="{name}"][aria-pressed="true"]').wait_for()
        assert violations(book, ".spark-Panel") == [], name
        book.panel.get_by_role("button", name=name, exact=True).click()
    book.panel.get_by_role("button", name="Connect a model…").first.click()
    form = book.page.get_by_role("form", name="Connect a model")
    form.locator("[data-provider]").first.wait_for()
    assert violations(book, ".jp-Dialog") == []
    book.page.keyboard.press("Escape")
    form.wait_for(state="detached")
    book.theme("JupyterLab Light")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"])
def test_the_settings_page_passes_an_accessibility_scan(notebook, theme: str) -> None:
    book = notebook([code("x = 1")])
    book.theme(theme)
    book.command("spark:settings")
    page = book.page.locator(".jp-SettingsPanel")
    page.get_by_text("Panel: open at start").first.wait_for()
    unnamed = ("label", "select-name")  # JupyterLab ties the name of no field to it, whoever's settings they are
    assert [one for one in violations(book, ".jp-SettingsPanel") if not one.startswith(unnamed)] == []
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.close()")
    page.wait_for(state="detached")
    book.theme("JupyterLab Light")


def test_what_a_diff_takes_out_is_struck_through_where_the_system_chooses_the_colours(notebook, model) -> None:
    book = notebook([code("x = 1\ny = 2", id="first")], model([{"answer": "```python cell=first\nx = 1\n```\n"}]))
    book.prompt("edit")
    book.wait_state("ready", 0)
    book.page.emulate_media(forced_colors="active")
    gone = book.page.locator(".spark-Diff .cm-deletedLine").first
    assert "line-through" in gone.evaluate("node => getComputedStyle(node).textDecorationLine")
    pressed = book.button("diff", 0).evaluate("node => getComputedStyle(node).backgroundColor")
    assert pressed != book.button("reject", 0).evaluate("node => getComputedStyle(node).backgroundColor")
    if "SCREENSHOTS" in os.environ:
        book.page.screenshot(path=SCREENSHOTS / "forced-colours.png")


def test_what_is_announced_is_one_sentence_and_not_every_token(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced(program(900))], rate=600))
    book.open_panel()
    # What was said of the notebook before is gone.
    book.page.wait_for_function("() => document.querySelector('.spark-Announcer').textContent === ''")
    book.page.evaluate(
        """() => {
          window.said = [];
          window.listener = new MutationObserver(() => window.said.push(document.querySelector('.spark-Announcer')?.textContent));
          listener.observe(document.querySelector('.spark-Panel'), { subtree: true, childList: true, characterData: true });
        }"""
    )
    book.prompt("write")
    book.wait_state("ready", 1)
    book.page.wait_for_function("() => document.querySelector('.spark-Announcer').textContent.includes('1 cell waits')")
    book.page.evaluate("() => listener.disconnect()")  # the panel outlives the test
    said: list[str] = book.page.evaluate("() => window.said.filter((text, n, all) => text && text !== all[n - 1])")
    assert said == ["Spark is writing.", "Spark is done. 1 cell waits for your decision."]
    live = book.panel.locator("[aria-live], [role=status], [role=alert]").evaluate_all(
        "nodes => nodes.map(node => node.className)"
    )
    assert live == ["spark-Announcer"]


def test_nothing_moves_for_who_asked_for_reduced_motion(notebook, model) -> None:
    book = notebook([code("x = 1")], model([{**fenced("y = 2"), "delay": 30}]))
    book.page.emulate_media(reduced_motion="reduce")
    book.prompt("write")
    book.page.locator(".spark-Spinner").wait_for()
    moving = book.page.evaluate(
        """() => document.getAnimations().filter(one => one.effect?.target?.closest?.('[class*="spark-"]')).length"""
    )
    assert moving == 0
    book.page.emulate_media(reduced_motion="no-preference")
    book.page.wait_for_function("() => document.getAnimations().some(one => one.animationName === 'spark-spin')")
    book.box.press("Escape")


def test_prompt_steer_accept_and_run_with_the_keyboard_alone(notebook, model) -> None:
    answers = [
        fenced("print('steered', 6 * 7)", match="## Steer"),
        fenced(program(8000), match="first prompt"),
        fenced("kept = 1", match="second prompt"),
    ]
    book = notebook([code("x = 1")], model(answers, rate=400))
    book.activate(0)
    keyboard = book.page.keyboard
    keyboard.press("Alt+Shift+S")
    book.page.wait_for_function("() => document.activeElement.closest('.spark-InlinePrompt') !== null")
    keyboard.type("first prompt")
    keyboard.press("Alt+Enter")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 100")
    keyboard.type("steer it")
    keyboard.press("Enter")
    book.wait_state("ready", 1)
    book.footer(1).locator(".spark-Footer-digest", has_text="✓ Tried").wait_for()
    keyboard.press("Alt+Shift+P")
    book.page.wait_for_function("() => document.activeElement.dataset.action === 'run'")
    keyboard.press("Enter")
    book.cell(1).get_by_text("steered 42", exact=True).wait_for()
    keyboard.press("Alt+Shift+S")
    keyboard.press("Alt+Shift+S")  # once more: in the panel
    book.page.wait_for_function("() => document.activeElement.closest('.spark-Panel') !== null")
    keyboard.type("second prompt")
    keyboard.press("Enter")
    book.wait_until("cells => cells.some(cell => cell.source === 'kept = 1')")
    book.footer().locator(".spark-Footer-digest", has_text="✓ Tried").wait_for()
    keyboard.press("Alt+Shift+P")
    book.page.wait_for_function("() => document.activeElement.dataset.action === 'run'")
    keyboard.press("Shift+Tab")
    book.page.wait_for_function("() => document.activeElement.dataset.action === 'accept'")
    keyboard.press("Space")
    book.footer().wait_for(state="detached")
    assert "kept = 1" in book.sources()
    assert book.page.evaluate("() => document.activeElement !== document.body")
