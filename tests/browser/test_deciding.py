"""Decisions and the facts that they need: the most important comes first."""

from __future__ import annotations

import re

import pytest

from tests.browser.lab import Notebook, code


def fenced(*cells: str, notes: str = "", **fields: object) -> dict[str, object]:
    return {"answer": notes + "\n\n".join(f"```python\n{cell}\n```" for cell in cells) + "\n", **fields}


def primary(book: Notebook) -> str | None:
    """The one action of the second cell's footer that stands out."""
    return book.footer(1).locator(".spark-mod-primary").get_attribute("data-action")


def test_a_cell_that_was_stopped_in_mid_line_says_what_is_missing_and_is_continued(notebook, model) -> None:
    text = "first = 1\nprint(first, [first,\n" + "\n".join(f"  {n}," for n in range(2000)) + "\n])"
    finished = "first = 1\nprint(first, [first])"
    book = notebook([code("x = 1")], model([fenced(text), fenced(finished)], rate=200))
    book.prompt("write")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 60")
    book.box.press("Escape")
    book.wait_state("ready", 1)
    book.footer(1).get_by_text(re.compile("Stopped at line .* never closed")).wait_for()
    assert book.button("run", 1).count() == 0
    assert primary(book) == "continue"
    book.screenshot("stopped-in-mid-line")
    book.button("continue", 1).click()
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.button("accept", 1).click()
    book.wait_until("(cells, text) => cells[1].source === text", finished)


def test_what_failed_when_it_was_tried_says_so_first_and_accept_is_not_the_first_choice(notebook, model) -> None:
    book = notebook(
        [code("x = {}")], model([fenced("1 / len(x)"), fenced("len(x)"), fenced("print(6 * 7)")])
    )  # which no check foresees
    book.activate(0)
    book.command("notebook:run-cell")
    book.prompt("look it up")
    book.wait_state("ready", 1)
    book.button("try", 1).click()
    book.footer(1).locator('.spark-Footer-digest[data-failed="true"]', has_text="✗ ZeroDivisionError").wait_for()
    assert primary(book) == "fix"
    assert book.footer(1).locator("button[data-action]").first.get_attribute("data-action") == "fix"
    in_panel = book.panel.locator(".spark-ProposalLink").get_by_role("button", name="Fix")
    assert "F)" in book.button("fix", 1).get_attribute("title")
    assert "F)" in in_panel.get_attribute("title"), "each first choice names its key"
    book.page.keyboard.press("Alt+Shift+F")
    book.page.wait_for_selector('.spark-Footer[aria-label="Spark: Proposed edit"]')
    book.panel.locator('.spark-Turn[data-outcome="completed"]').nth(1).wait_for()
    book.panel.get_by_role("button", name="Reject all").click()
    book.footer().wait_for(state="detached")
    book.prompt("print")
    book.footer(1).locator(".spark-Footer-digest", has_text="✓ Tried · 42").wait_for()
    assert primary(book) == "run"
    assert re.search(r"\(.*Shift.*Y\)$", book.button("accept", 1).get_attribute("title"))


@pytest.mark.own_page  # it changes a setting
def test_a_cell_that_was_repaired_by_itself_says_so(notebook, model) -> None:
    book = notebook([code("x = {}")], model([fenced("1 / len(x)"), fenced("len(x)")]))
    book.set("spark-jupyter:trust", "repair", "on")
    book.activate(0)
    book.command("notebook:run-cell")
    book.prompt("look it up")
    book.footer(1).get_by_text("Proposed, repaired once").wait_for()
    book.footer(1).locator(".spark-Footer-digest", has_text="✓ Tried · 0").wait_for()
    assert book.sources()[1] == "len(x)"


def test_long_output_is_folded_and_a_short_one_is_open(notebook, model) -> None:
    book = notebook(
        [code("x = 1")],
        model(
            [
                fenced("for n in range(50):\n    print(n)"),
                fenced("print('one')\nprint('two')"),
                fenced("print('short')"),
            ]
        ),
    )
    book.prompt("count")
    trial = book.footer(1).locator(".spark-Trial")
    trial.get_by_text("Output, 50 lines").wait_for()
    assert not trial.locator("pre").first.is_visible()
    book.button("reject", 1).click()
    book.prompt("two")
    trial.locator("pre", has_text="one").wait_for()
    assert trial.locator("pre", has_text="one").is_visible()
    book.button("reject", 1).click()
    book.prompt("one")
    book.footer(1).locator(".spark-Footer-digest", has_text="short").wait_for()
    assert trial.locator("pre").count() == 0, "the first line has said it"


def test_the_same_finding_stands_once_with_all_its_lines(notebook, model) -> None:
    lines = "\n".join(f"os.system('ls ' + input())  # {n}" for n in range(3))
    book = notebook([code("x = 1")], model([fenced(f"import os\n{lines}", repeat=True)]))
    book.prompt("list")
    book.wait_state("blocked", 1)
    findings = book.footer(1).locator(".spark-Finding-lines").all_inner_texts()
    assert len(findings) == len(set(book.footer(1).locator(".spark-Finding-text").all_inner_texts()))


def test_formulas_in_notes_are_typeset(notebook, model) -> None:
    notes = "The mean is $\\bar{x} = \\frac{1}{n}\\sum x_i$, and *x_i_j* is text.\n"
    book = notebook([code("x = 1")], model([{"answer": notes}]))
    book.prompt("what is a mean")
    book.panel.locator(".spark-Notes mjx-container").wait_for()
    assert "\\frac" not in book.panel.locator(".spark-Notes").inner_text()


def test_a_kernel_that_is_busy_when_spark_is_asked_for_says_so(notebook, model) -> None:
    busy = "print('begun')\nimport pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.05)"
    book = notebook([code(busy)], model([fenced("y = 2")]))
    book.start_busy(0)
    book.prompt("go")
    book.panel.get_by_text("The kernel is running a cell").wait_for()
    (book.server.root / "go").touch()
    book.wait_state("ready", 1)


@pytest.mark.parametrize("how", ["Space", "mouse"])
def test_a_button_that_is_pressed_while_its_footer_changes_does_what_it_says(notebook, model, how: str) -> None:
    book = notebook([code("x = 1")], model([fenced("print(6 * 7)")]))
    book.prompt("print")
    book.wait_state("ready", 1)
    book.button("try", 1).click()
    tried = book.footer(1).locator(".spark-Footer-digest", has_text="42")
    tried.wait_for()
    reject = book.button("reject", 1)
    if how == "mouse":
        reject.hover()
        book.page.mouse.down()
    else:
        reject.focus()
        book.page.keyboard.down("Space")
    changed = book.page.evaluate(
        """() => {
          const cell = window.jupyterapp.shell.currentWidget.content.widgets[1];
          if (cell) cell.model.sharedModel.source += ' ';
          return cell !== undefined;
        }"""
    )
    assert changed or how == "Space", "a key presses as it goes down, and the cell may be gone already"
    book.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
    book.page.mouse.up() if how == "mouse" else book.page.keyboard.up("Space")
    book.footer().wait_for(state="detached")
    assert book.sources() == ["x = 1"]


def test_what_was_opened_below_a_cell_stays_open_when_its_footer_changes(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("for n in range(50):\n    print(n)")]))
    book.prompt("count")
    book.wait_state("ready", 1)
    book.button("try", 1).click()
    output = book.footer(1).locator(".spark-Trial pre").first
    book.footer(1).get_by_text("Output, 50 lines").click()
    output.wait_for()
    book.page.evaluate(
        "() => { window.jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.source += ' '; }"
    )
    book.footer(1).locator(".spark-Footer-digest").wait_for(state="detached")
    assert output.is_visible()


def test_a_package_that_is_not_known_is_told_aside_in_the_footer_and_in_the_panel(notebook, model) -> None:
    text = "import pandas as pd\n%pip install quantum-magic-helper scikitlearn-tools"
    book = notebook([code("x = 1")], model([fenced(text)]))
    book.prompt("install what is needed")
    book.wait_state("ready", 1)
    told = "Line 2 Unknown package: scikitlearn-tools (perhaps: scikit-learn), quantum-magic-helper."
    book.footer(1).get_by_text("Unknown package").wait_for()
    assert book.footer(1).locator(".spark-Footer-note").inner_text().startswith(told)
    assert book.panel.locator(".spark-CellLink-aside").inner_text().startswith(told)
    assert book.page.locator(".spark-Finding").count() == 0
    book.screenshot("told-aside")
    book.panel.locator(".spark-CellLink-aside button").click()
    book.button("accept", 1).click()
    book.wait_until("(cells, text) => cells[1].source === text", text)
    book.panel.locator(".spark-CellLink-aside").wait_for(state="detached")


def test_a_key_keeps_nothing_that_is_not_in_sight_and_goes_there_first(notebook, model) -> None:
    book = notebook([code(f"x = {n}") for n in range(40)], model([fenced("y = 2")]))
    content = "window.jupyterapp.shell.currentWidget.content"
    book.activate(0)
    book.prompt("set y")
    book.wait_state("ready", 1)
    book.activate(40)
    book.page.evaluate(f"() => {content}.scrollToItem(40, 'end')")
    book.page.keyboard.press("Alt+Shift+Y")
    book.wait_until(f"() => {content}.activeCellIndex === 1")
    book.wait_state("ready", 1)
    book.page.keyboard.press("Alt+Shift+Y")
    book.wait_until("cells => !cells[1].getMetadata('spark')?.proposed")
