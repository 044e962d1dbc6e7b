"""Running a proposal where it stands, and what must be said before a blocked one runs."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.lab import Notebook, code

if TYPE_CHECKING:
    from playwright.sync_api import Locator

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


@pytest.mark.parametrize("gesture", ["Run All", "Shift+Enter"])
def test_cells_below_a_magic_that_runs_a_proposal_run_behind_the_proposal(notebook, model, gesture) -> None:
    cells = ["%%spark --wait\ngo", "%spark run", "order.append('check')", "print(order)"]
    book = notebook([code("%load_ext spark_jupyter\norder = []"), *map(code, cells)])
    book.configure(model([fenced("order.append('proposed')", repeat=True)]))
    book.activate(0)
    book.command("notebook:run-cell-and-select-next")
    book.command("notebook:run-cell-and-select-next")
    book.wait_state("ready", 2)
    if gesture == "Run All":
        book.start("notebook:run-all-below")
    else:
        for _ in cells[1:]:
            book.page.keyboard.press("Shift+Enter")
    book.page.get_by_text("['proposed', 'check']").wait_for()
    assert book.sources()[2] == "order.append('proposed')"
    book.cell(2).locator(".jp-InputPrompt", has_text=re.compile("[0-9]")).wait_for()


@pytest.mark.own_page
def test_run_all_is_right_while_the_panel_is_not_there_yet(notebook, model) -> None:
    cells = ["%%spark --wait\ngo", "%spark run", "order.append('check')", "print(order)"]
    book = notebook([code("%load_ext spark_jupyter\norder = []"), *map(code, cells)])
    book.configure(model([fenced("order.append('proposed')", repeat=True)]))
    book.start("notebook:run-all-cells")
    book.page.get_by_text("['proposed', 'check']").wait_for()


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


def blocked(notebook, model, **options: Any) -> Notebook:
    book: Notebook = notebook([code("x = 1")], model([fenced(DANGEROUS, repeat=True)]), **options)
    book.execute("import os; os.system = lambda command: print('RAN', command)")
    book.prompt("clean up")
    book.wait_state("blocked", 1)
    return book


def question(book: Notebook) -> Locator:
    return book.page.locator(".spark-Footer-question")


def make_and_say_yes(book: Notebook, gesture: str) -> None:
    """Make it, and say with the keyboard that the cell is to run all the same."""
    make(book, gesture)
    wait_focus(book, "dont-run")
    book.page.keyboard.press("Tab")
    wait_focus(book, "run-anyway")
    book.page.keyboard.press("Enter")
    book.cell(1).get_by_text("RAN rm").wait_for()
    assert book.metadata(1)["spark"]["accepted_by"] == "running"


def wait_focus(book: Notebook, action: str) -> None:
    book.page.wait_for_function("action => document.activeElement?.dataset.action === action", arg=action)


def test_a_blocked_proposal_asks_once_more_and_says_why(notebook, model) -> None:
    book = blocked(notebook, model)
    assert book.footer(1).locator('.spark-Finding[data-severity="block"]').count() >= 1
    book.button("run", 1).click()
    question(book).wait_for()
    reason = book.footer(1).locator(".spark-Finding-text").first.inner_text()
    assert reason.split(".")[0] in (question(book).get_attribute("aria-description") or "")
    wait_focus(book, "dont-run")
    book.page.keyboard.press("Enter")
    question(book).wait_for(state="detached")
    assert book.footer(1).get_attribute("data-state") == "blocked"
    assert "RAN" not in book.cell(1).inner_text()


def test_a_blocked_proposal_runs_after_the_second_yes(notebook, model) -> None:
    book = blocked(notebook, model)
    book.button("run", 1).click()
    book.button("run-anyway", 1).click()
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


# --- by whatever gesture -------------------------------------------------------------------------------------------------

GESTURES = [
    *("Shift+Enter", "Control+Enter", "Alt+Enter", "Shift+Enter on two cells"),
    *("notebook:run-all-cells", "notebook:run-all-below", "notebook:run-all-above", "runmenu:run"),
]


def make(book: Notebook, gesture: str) -> None:
    book.activate(1)
    if gesture == "Shift+Enter on two cells":
        book.start("notebook:extend-marked-cells-above")
        book.page.keyboard.press("Shift+Enter")
    elif gesture == "notebook:run-all-above":
        book.start("notebook:insert-cell-below")
        book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 2")
        book.start(gesture)
    elif ":" in gesture:
        book.start(gesture)
    else:
        book.page.keyboard.press(gesture)


@pytest.mark.parametrize("gesture", GESTURES)
def test_a_proposal_that_is_run_by_a_gesture_is_accepted_and_says_so(notebook, model, gesture) -> None:
    book = notebook([code("x = 20")], model([fenced("print(21 * 2)")]))
    book.prompt("print it")
    book.wait_state("ready", 1)
    make(book, gesture)
    book.cell(1).locator(".jp-OutputArea").get_by_text("42", exact=True).wait_for()
    book.footer().wait_for(state="detached")
    assert book.metadata(1)["spark"]["accepted_by"] == "running"
    assert "Accepted by running it" in (book.cell(1).locator(".spark-Mark").get_attribute("title") or "")
    book.panel.get_by_text("Accepted by running it").wait_for()


@pytest.mark.parametrize("gesture", GESTURES)
def test_a_blocked_proposal_does_not_run_by_a_gesture_before_a_second_yes(notebook, model, gesture) -> None:
    book = blocked(notebook, model)
    make(book, gesture)
    wait_focus(book, "dont-run")
    book.page.keyboard.press("Escape")
    question(book).wait_for(state="detached")
    book.execute("pass")
    assert "RAN" not in book.cell(1).inner_text()
    assert book.footer(1).get_attribute("data-state") == "blocked"
    make_and_say_yes(book, gesture)


@pytest.mark.own_page
def test_with_the_debugger_on_what_nobody_decided_on_is_asked_about_as_ever(lab, notebook, model) -> None:
    lab.add_kernel("debugged", [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], debugger=True)
    book = blocked(notebook, model, metadata={"kernelspec": {"name": "debugged", "display_name": "debugged"}})
    book.page.locator(".jp-DebuggerBugButton:not([aria-disabled=true])").click()
    book.page.locator(".jp-DebuggerBugButton[aria-pressed=true]").wait_for()
    make(book, "Shift+Enter")
    wait_focus(book, "dont-run")
    book.page.keyboard.press("Escape")
    question(book).wait_for(state="detached")
    assert "RAN" not in book.cell(1).inner_text()
    make_and_say_yes(book, "Shift+Enter")


SENT = """() => {
  const cell = window.jupyterapp.shell.currentWidget.content.activeCell;
  const last = cell.editor.lineCount - 1;
  cell.editor.setSelection({ start: { line: 0, column: 0 }, end: { line: last, column: cell.editor.getLine(last).length } });
}"""


@pytest.mark.own_page
def test_run_in_console_asks_for_a_second_yes_too(notebook, model) -> None:
    book = blocked(notebook, model)
    for answer in ("Escape", "Enter"):
        book.activate(1)
        book.page.evaluate(SENT)
        book.start("notebook:run-in-console")
        wait_focus(book, "dont-run")
        if answer == "Enter":
            book.page.keyboard.press("Tab")
            wait_focus(book, "run-anyway")
        book.page.keyboard.press(answer)
        question(book).wait_for(state="detached")
        assert answer == "Enter" or book.page.locator(".jp-CodeConsole").count() == 0
    book.panel.get_by_text("Accepted by running it").wait_for()
    book.page.locator(".jp-CodeConsole").wait_for()


def test_what_another_way_to_the_kernel_sends_is_refused_there(notebook, model) -> None:
    book = blocked(notebook, model)
    said: str = book.page.evaluate(
        """async code => {
          const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
          const future = kernel.requestExecute({ code });
          let said = '';
          future.onIOPub = message => { said += message.content.text ?? ''; };
          await future.done;
          return said;
        }""",
        DANGEROUS,
    )
    assert "belongs to a blocked proposal" in said
    assert "RAN" not in said


def test_a_cell_with_an_edit_that_waits_runs_as_it_is_and_says_so(notebook, model) -> None:
    book = notebook([code("print('old')", id="own")], model([fenced("print('new')")]))
    book.activate(0)
    book.command("spark:edit")
    book.prompt("new")
    book.wait_state("ready", 0)
    book.activate(0)
    book.page.keyboard.press("Control+Enter")
    book.cell(0).locator(".jp-OutputArea").get_by_text("old", exact=True).wait_for()
    book.page.get_by_text("The cell ran without the proposed edit").first.wait_for()
    book.page.get_by_role("button", name="Accept and run").click()
    book.cell(0).locator(".jp-OutputArea").get_by_text("new", exact=True).wait_for()


def test_walking_through_the_notebook_in_haste_is_no_second_yes(notebook, model) -> None:
    book = blocked(notebook, model)
    book.activate(1)
    for _ in range(4):
        book.page.keyboard.press("Shift+Enter")
    book.page.wait_for_timeout(300)
    book.execute("pass")
    assert "RAN" not in book.cell(1).inner_text()
    assert book.footer(1).get_attribute("data-state") == "blocked"


def test_run_all_stops_at_a_blocked_proposal_and_says_so(notebook, model) -> None:
    book = notebook(
        [code("print('first')"), code("print('below')"), code("print('last')")], model([fenced(DANGEROUS, repeat=True)])
    )
    book.execute("import os; os.system = lambda command: print('RAN', command)")
    book.activate(0)
    book.prompt("clean up")
    book.wait_state("blocked", 1)
    book.start("notebook:run-all-cells")
    wait_focus(book, "dont-run")
    book.cell(0).locator(".jp-OutputArea").get_by_text("first").wait_for()
    book.screenshot("question-blocked")
    book.button("dont-run", 1).click()
    book.page.get_by_text("The 2 cells after it did not run either").first.wait_for()
    book.execute("pass")
    assert all(
        word not in book.page.locator(".jp-Notebook").inner_text().replace("print('", "") for word in ("RAN", "below\n")
    )
    assert book.cell(2).locator(".jp-OutputArea-output").count() == 0
    assert book.cell(3).locator(".jp-OutputArea-output").count() == 0


def test_run_all_goes_on_after_the_second_yes_in_order(notebook, model) -> None:
    book = notebook([code("order = ['first']"), code("print(order)")], model([fenced(DANGEROUS, repeat=True)]))
    book.execute("import os; os.system = lambda command: order.append('blocked')")
    book.activate(0)
    book.prompt("clean up")
    book.wait_state("blocked", 1)
    book.start("notebook:run-all-cells")
    wait_focus(book, "dont-run")
    book.button("run-anyway", 1).click()
    book.cell(2).locator(".jp-OutputArea").get_by_text("['first', 'blocked']").wait_for()


def test_what_is_below_a_cell_that_failed_meanwhile_does_not_run(notebook, model) -> None:
    book = notebook([code("1 / 0"), code("print('below')")], model([fenced("print('proposed')")]))
    book.activate(0)
    book.prompt("print it")
    book.wait_state("ready", 1)
    book.start("notebook:run-all-cells")
    book.cell(0).get_by_text("ZeroDivisionError").first.wait_for()
    book.page.wait_for_timeout(300)
    book.execute("pass")
    assert book.cell(1).locator(".jp-OutputArea-output").count() == 0
    assert book.cell(2).locator(".jp-OutputArea-output").count() == 0


def test_a_cell_that_is_still_written_does_not_run(notebook, model) -> None:
    server = model([fenced("print('early')\n" + "\n".join(f"x{n} = {n}" for n in range(400)))], rate=100)
    book = notebook([code("x = 20")], server)
    book.prompt("print it")
    book.wait_until("cells => cells.length > 1 && cells[1].source.includes('x3 = 3')")
    make(book, "Control+Enter")
    book.page.get_by_text("still being written").first.wait_for()
    book.command("spark:cancel")
    assert book.cell(1).locator(".jp-OutputArea-output").count() == 0


def test_credentials_are_back_in_the_code_that_a_gesture_runs(notebook, model) -> None:
    key = "sk-" + "proj-" + "Zb81kQx07LmWs93Tuv65" * 2
    book = notebook(
        [code(f"key = '{key}'")],
        model([{"match": "SPARK_SECRET", "answer": "```python\nprint(len('SPARK_SECRET_1_KEY'))\n```\n"}]),
    )
    book.prompt("how long is it?")
    book.wait_state("ready", 1)
    make(book, "Shift+Enter")
    book.cell(1).locator(".jp-OutputArea-output").wait_for()
    held = book.sources()[1]
    shown = int(book.output(1).split()[-1])
    assert shown == len(held) - len("print(len(''))")


def test_accept_all_leaves_out_what_is_blocked_and_says_how_many(notebook, model) -> None:
    answer = f"```python\ny = 1\n```\n\n```python\n{DANGEROUS}\n```\n"
    book = notebook([code("x = 1")], model([{"answer": answer, "repeat": True}]))
    book.prompt("two")
    book.wait_state("blocked", 2)
    book.panel.get_by_role("button", name="Accept all").click()
    book.panel.get_by_text("1 proposal was left out").wait_for()
    assert "spark" in book.metadata(1)
    assert book.footer(2).get_attribute("data-state") == "blocked"
