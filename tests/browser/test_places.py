"""Places of new cells, of the view and of the keyboard focus: the user's place is the user's."""

from __future__ import annotations

import re

import pytest

from tests.browser.lab import Notebook, code, program

FENCES = "```python\n{}\n```\n"


def answer(*cells: str, **fields: object) -> dict[str, object]:
    return {"answer": "\n".join(FENCES.format(cell) for cell in cells), **fields}


def top(book: Notebook) -> float:
    place: float = book.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.outerNode.scrollTop")
    return place


def destination(book: Notebook, text: str) -> None:
    book.panel.locator(".spark-Prompt-destination", has_text=re.compile(text)).wait_for()


def ask(book: Notebook, prompt: str, *, first: int, last: int) -> None:
    """Ask for cells that come at these indices."""
    book.prompt(prompt)
    book.wait_state("ready", last)
    book.panel.locator(".spark-Turn").last.locator(".spark-Meter").wait_for()
    assert book.cell(first).locator(".spark-Footer").count() == 1


# --- where new cells come ------------------------------------------------------------------------------------------------


def test_what_is_asked_next_goes_below_what_was_answered_last(notebook, model) -> None:
    answers = [answer("a = 1", "b = 2"), answer("c = 3"), answer("d = 4")]
    book = notebook([code("x = 1"), code("y = 2")], model(answers))
    book.activate(0)
    ask(book, "first", first=1, last=2)
    book.panel.get_by_role("button", name="Accept all").click()
    book.footer().wait_for(state="detached")
    destination(book, "Insert below cell 3")
    ask(book, "second", first=3, last=3)
    book.button("accept", 3).click()
    book.footer().wait_for(state="detached")
    ask(book, "third", first=4, last=4)
    assert book.sources() == ["x = 1", "a = 1", "b = 2", "c = 3", "d = 4", "y = 2"]


def test_running_what_was_answered_goes_on_below_it(notebook, model) -> None:
    book = notebook([code("x = 1"), code("y = 2")], model([answer("a = 1", "b = 2"), answer("c = 3")]))
    book.activate(0)
    ask(book, "first", first=1, last=2)
    book.button("run", 1).click()
    book.button("run", 2).click()
    book.footer().wait_for(state="detached")
    ask(book, "second", first=3, last=3)
    assert book.sources() == ["x = 1", "a = 1", "b = 2", "c = 3", "y = 2"]


def test_who_goes_to_another_cell_asks_from_there(notebook, model) -> None:
    book = notebook([code("x = 1"), code("y = 2")], model([answer("a = 1"), answer("b = 2")]))
    book.activate(0)
    ask(book, "first", first=1, last=1)
    book.activate(2)
    destination(book, "Insert below cell 3")
    book.activate(0)
    destination(book, "Insert below cell 1")
    book.activate(2)
    ask(book, "second", first=3, last=3)
    assert book.sources() == ["x = 1", "a = 1", "y = 2", "b = 2"]


def test_what_was_rejected_is_no_place(notebook, model) -> None:
    book = notebook([code("x = 1"), code("y = 2")], model([answer("a = 1", "b = 2"), answer("c = 3")]))
    book.activate(0)
    ask(book, "first", first=1, last=2)
    book.panel.get_by_role("button", name="Reject all").click()
    book.wait_until("cells => cells.length === 2")
    destination(book, "Insert below cell 1")


# --- the keyboard ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opened", [False, True])
def test_edit_from_the_toolbar_puts_the_keyboard_into_the_prompt(notebook, opened: bool) -> None:
    book = notebook([code("print(6 * 7)")])
    book.command("notebook:run-cell")
    book.cell(0).locator(".jp-OutputArea-output").wait_for()
    if opened:
        book.open_panel()
    book.cell(0).hover()
    book.cell(0).locator('.jp-cell-toolbar [data-command="spark:edit"]').click()
    book.page.wait_for_function("() => document.activeElement?.tagName === 'TEXTAREA'")
    book.page.wait_for_timeout(300)  # what a button does with the focus after its click has been done
    book.page.keyboard.type("rdd")
    book.in_box("rdd")
    assert book.cell(0).evaluate("node => node.classList.contains('jp-CodeCell')")
    assert "42" in book.output(0)


# --- the view --------------------------------------------------------------------------------------------------------------

LONG = [code("\n".join(f"x{n}_{line} = {line}" for line in range(12)), id=f"cell{n}") for n in range(14)]


def wait_footer_in_sight(book: Notebook) -> None:
    """Wait until the whole footer is in sight, and takes more than the room that is left below what is written."""
    book.page.wait_for_function(
        """() => {
          const { top, bottom, height } = document.querySelector('.spark-Footer').getBoundingClientRect();
          const view = window.jupyterapp.shell.currentWidget.content.outerNode.getBoundingClientRect();
          return height > 64 && top >= view.top && bottom <= view.bottom + 1;
        }"""
    )


@pytest.mark.parametrize("way", ["row", "key"])
def test_going_to_a_proposal_shows_its_footer_also_in_a_long_notebook(notebook, model, way: str) -> None:
    book = notebook(LONG, model([answer("last = 1")]))
    book.activate(13)
    book.prompt("go on")
    book.wait_state("ready", 14)
    book.page.locator(".jp-WindowedPanel-outer").hover()
    book.page.mouse.wheel(0, -100_000)
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.outerNode.scrollTop === 0")
    if way == "row":
        book.panel.locator(".spark-CellLink").click()
    else:
        book.command("spark:focus-proposal")
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.outerNode.scrollTop > 200")
    book.page.wait_for_function("() => document.activeElement?.closest('.jp-Cell')?.querySelector('.spark-Footer')")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    wait_footer_in_sight(book)


def test_the_view_stays_where_the_user_types(notebook, model) -> None:
    book = notebook(LONG[:6], model([answer(program(8000))], rate=500))
    book.activate(5)
    book.prompt("write")
    book.wait_until("cells => cells.length === 7 && cells[6].source.length > 300")
    book.cell(5).locator(".cm-line").last.click()
    book.page.keyboard.type(" + 1", delay=30)
    place, grown = top(book), len(book.sources()[6])
    book.wait_until("(cells, grown) => cells[6].source.length > grown + 2500", grown)
    assert abs(top(book) - place) < 30


def test_the_footer_is_in_sight_when_the_turn_ends(notebook, model) -> None:
    book = notebook(LONG[:3], model([answer(program(500) + "\nfor n in range(9):\n    print(n)")], rate=900))
    book.activate(2)
    book.prompt("write")
    book.wait_state("ready", 3, timeout=60_000)
    book.footer().locator(".spark-Footer-digest").wait_for()
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    wait_footer_in_sight(book)


def test_an_answer_that_edits_another_cell_leaves_the_place_of_the_next_one(notebook, model) -> None:
    edit = {"answer": "```python cell=two\ny = 20\n```\n", "repeat": True}
    book = notebook(
        [code(f"x{n} = {n}", id=name) for n, name in enumerate(["one", "two", "three", "four"])], model([edit])
    )
    book.activate(3)
    for decision in ("reject", "accept"):
        book.prompt("make y larger in cell two")
        book.wait_state("ready", 1)
        book.button(decision, 1).click()
        book.footer().wait_for(state="detached")
        destination(book, "Insert below cell 4")


def test_the_options_close_by_a_press_elsewhere_and_when_an_answer_begins(notebook, model) -> None:
    book = notebook([code("x = 1")], model([answer("a = 1", "b = 2")]))
    book.open_panel()
    options = book.options
    options.get_by_label("Attempts", exact=True).focus()
    options.wait_for()
    book.cell(0).locator(".cm-content").first.click()
    options.wait_for(state="detached")
    book.options.wait_for()
    ask(book, "first", first=1, last=2)
    options.wait_for(state="detached")
    book.panel.get_by_role("button", name="Accept all").click()
    book.footer().wait_for(state="detached")


@pytest.mark.parametrize("far", [False, True], ids=["below-its-output", "far-away"])
def test_an_edit_is_in_sight_when_the_turn_ends_wherever_it_was_asked_from(notebook, model, far: bool) -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": "\n".join(map(str, range(80)))}
    cells = [code("x = [3]\nx[1]", id="edited", outputs=[printed], execution_count=1), *(LONG if far else [])]
    edit = {"answer": "```python cell=edited\nx = [3]\nx[0]\n```\n"}
    book = notebook(cells, model([edit]))
    book.open_panel()
    book.activate(len(cells) - 1)
    scroller = "document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer')"
    book.page.evaluate(f"() => {{ {scroller}.scrollTop = {scroller}.scrollHeight; }}")
    book.page.wait_for_timeout(500)  # the hand has left the view
    book.prompt("mend the edited cell")
    book.wait_state("ready", 0)
    wait_footer_in_sight(book)
    first = book.cell(0).locator(".spark-Diff .cm-line").first.bounding_box()
    shown = book.page.locator(".jp-WindowedPanel-outer").first.bounding_box()
    assert first["y"] >= shown["y"]
