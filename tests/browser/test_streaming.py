"""Cells that grow live, and what a person does meanwhile."""

from __future__ import annotations

import pytest

from tests.browser.lab import code, markdown, program


def answer(*cells: str, **fields: object) -> dict[str, object]:
    return {"answer": "\n\n".join(f"```python\n{cell}\n```" for cell in cells) + "\n", **fields}


@pytest.mark.parametrize("rate", [1000, 5000])
def test_two_thousand_tokens_arrive_character_for_character(notebook, model, rate: int) -> None:
    text = program(2000)
    book = notebook([code("x = 1")], model([answer(text)], rate=rate))
    book.prompt("write a lot")
    book.wait_state("ready", timeout=60_000)
    assert book.sources() == ["x = 1", text]


def test_a_cell_that_was_followed_shows_the_beginning_of_its_lines(notebook, model) -> None:
    long = "total = " + " + ".join(str(n) for n in range(1000, 1060))
    book = notebook([code("x = 1")], model([answer(f"{program(400)}\n{long}\nlast = 1\n{long}")], rate=1000))
    book.prompt("write")
    book.wait_state("ready", 1)
    editors = book.page.locator(".jp-Notebook .cm-scroller")
    wide, left = editors.nth(1).evaluate("node => [node.scrollWidth > node.clientWidth, node.scrollLeft]")
    assert (wide, left) == (True, 0)


def test_the_keyboard_stays_in_the_prompt_box_while_cells_appear(notebook, model) -> None:
    book = notebook([code("x = 1")], model([answer(program(300))], rate=600))
    book.prompt("write")
    book.wait_state("ready")
    assert book.page.evaluate("() => document.activeElement.tagName") == "TEXTAREA"
    assert book.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex") == 0


def test_cells_of_several_kinds_come_in_order_below_the_active_cell(notebook, model) -> None:
    text = "```python\na = 1\n```\n\n```markdown\n# Title\n```\n\n```python\nb = 2\n```\n"
    book = notebook([code("x = 1"), code("y = 2")], model([{"answer": text}]))
    book.activate(0)
    book.prompt("three cells")
    book.wait_state("ready", 3)
    assert book.sources() == ["x = 1", "a = 1", "# Title", "b = 2", "y = 2"]
    assert book.cell(2).evaluate("node => node.classList.contains('jp-RawCell')")
    book.button("accept", 2).click()
    book.cell(2).locator("h1").wait_for()
    assert book.cell(2).evaluate("node => node.classList.contains('jp-MarkdownCell')")


def test_an_empty_active_cell_is_written_into(notebook, model) -> None:
    book = notebook([code("x = 1"), code("")], model([answer("y = 2")]))
    book.activate(1)
    book.prompt("go on")
    book.wait_state("ready", 1)
    assert book.sources() == ["x = 1", "y = 2"]


def test_accepting_keeps_the_cell_and_says_where_it_came_from(notebook, model) -> None:
    book = notebook([code("x = 1")], model([answer("y = x + 1")]))
    book.prompt("add one")
    book.wait_state("ready")
    book.button("accept").click()
    book.footer().wait_for(state="detached")
    book.cell(1).locator(".spark-Mark").wait_for()
    spark = book.metadata(1)["spark"]
    assert spark["prompt"] == "add one"
    assert spark["model"] == "script"
    from spark_jupyter.protocol.notebook import content_hash

    assert spark["hash"] == content_hash("y = x + 1")


def test_a_cell_that_was_changed_after_it_was_accepted_says_so(notebook, model) -> None:
    book = notebook([code("x = 1")], model([answer("y = x + 1")]))
    book.prompt("add one")
    book.wait_state("ready")
    book.button("accept").click()
    book.cell(1).locator('.spark-Mark[data-changed="false"]').wait_for()
    book.cell(1).locator(".cm-content").first.click()
    book.page.keyboard.type("0")
    book.cell(1).locator('.spark-Mark[data-changed="true"]').wait_for()


def test_rejecting_leaves_the_notebook_as_it_was(notebook, model) -> None:
    book = notebook([code("x = 1")], model([answer("y = 2", "z = 3")]))
    book.prompt("two cells")
    book.wait_state("ready", 2)
    book.button("reject", 1).click()
    book.wait_until("cells => cells.length === 2")
    book.button("reject", 1).click()
    book.wait_until("cells => cells.length === 1")
    assert book.sources() == ["x = 1"]


def test_one_undo_takes_back_all_that_was_written_and_nothing_else(notebook, model) -> None:
    book = notebook([code("x = 1"), code("")], model([answer(program(150), pause_after=40, pause=0.9)], rate=800))
    book.activate(1)
    book.prompt("write")
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    book.cell(1).locator(".cm-content").click()
    book.page.keyboard.press("Control+z")
    book.wait_until("cells => cells[1].source === ''")
    book.page.keyboard.press("Control+Shift+z")
    book.wait_until("(cells, text) => cells[1].source === text", program(150))
    assert book.sources()[0] == "x = 1"


def test_the_user_types_in_another_cell_meanwhile(notebook, model) -> None:
    text = program(400)
    book = notebook([code("x = 1")], model([answer(text)], rate=150))
    book.prompt("write")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 0")
    book.cell(0).locator(".cm-content").click()
    book.page.keyboard.press("End")
    book.page.keyboard.type(" + 22222", delay=20)
    book.wait_state("ready")
    assert book.sources() == ["x = 1 + 22222", text]


def test_what_the_user_types_behind_the_growing_text_stays_behind_it(notebook, model) -> None:
    text = program(400)
    book = notebook([code("x = 1")], model([answer(text)], rate=400))
    book.prompt("write")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 50")
    book.page.evaluate(
        """() => {
          const cell = window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[1];
          cell.updateSource(cell.source.length, cell.source.length, '# mine');
          cell.updateSource(0, 0, '# top\\n');
        }"""
    )
    book.wait_state("ready")
    assert book.sources()[1] == f"# top\n{text}# mine"


def test_a_growing_cell_that_is_moved_goes_on_growing(notebook, model) -> None:
    text = program(400)
    book = notebook([code("x = 1"), code("y = 2")], model([answer(text)], rate=400))
    book.activate(0)
    book.prompt("write")
    book.wait_until("cells => cells.length === 3 && cells[1].source.length > 50")
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.moveCell(1, 2)")
    book.wait_state("ready", 2)
    assert book.sources() == ["x = 1", "y = 2", text]


def test_deleting_a_growing_cell_stops_the_writing(notebook, model) -> None:
    book = notebook([code("x = 1")], model([answer(program(8000), "after = 1")], rate=300))
    book.prompt("write")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 50")
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.deleteCell(1)")
    book.panel.locator('.spark-Turn[data-outcome="cancelled"]').wait_for()
    book.panel.locator('.spark-CellLink[data-state="rejected"]').wait_for()
    assert book.sources() == ["x = 1"]


def test_the_tail_is_followed_until_the_user_scrolls(notebook, model) -> None:
    book = notebook([code(f"x{n} = {n}") for n in range(12)], model([answer(program(20_000))], rate=700))
    book.activate(11)
    book.prompt("write")
    book.wait_until("cells => cells.length === 13 && cells[12].source.length > 3000")
    top = "() => window.jupyterapp.shell.currentWidget.content.outerNode.scrollTop"
    book.page.wait_for_function(f"({top})() > 200")
    book.page.locator(".jp-WindowedPanel-outer").hover()
    book.page.mouse.wheel(0, -100_000)
    book.page.wait_for_function(f"({top})() === 0")  # a step that the editor had still to make does not come upon it
    grown = len(book.sources()[12])
    book.wait_until("(cells, grown) => cells[12].source.length > grown + 2000", grown)
    assert book.page.evaluate(top) == 0


def test_a_markdown_proposal_is_rendered_only_when_it_is_accepted(notebook, model) -> None:
    text = "```markdown\n# Title\n\n![x](http://127.0.0.1:9/never.png)\n```\n"
    book = notebook([markdown("start")], model([{"answer": text}]))
    requests: list[str] = []
    book.page.on("request", lambda request: requests.append(request.url))
    book.prompt("a title")
    book.wait_state("ready", 1)
    assert not any("never.png" in url for url in requests)
    assert book.cell(1).locator(".jp-RenderedMarkdown h1").count() == 0
    book.button("accept", 1).click()
    book.cell(1).locator(".jp-RenderedMarkdown h1").wait_for()
