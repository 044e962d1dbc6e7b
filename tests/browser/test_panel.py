"""The side panel: where the next message goes, the turns so far, and what is decided there."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.browser.lab import Notebook, code, program

FINDING = "import os\nos.system('rm -rf ' + input())"


def fenced(*cells: str, notes: str = "", **fields: object) -> dict[str, object]:
    return {"answer": notes + "\n\n".join(f"```python\n{cell}\n```" for cell in cells) + "\n", **fields}


def destination(book: Notebook, text: str) -> None:
    book.panel.locator(".spark-Prompt-destination", has_text=re.compile(text)).wait_for()


def test_where_the_next_message_goes_is_shown_before_enter(notebook, model) -> None:
    book = notebook([code("x = 1"), code(""), code("y = 2")], model([fenced(program(8000))], rate=300))
    book.open_panel()
    book.activate(0)
    destination(book, "Insert below cell 1")
    book.activate(1)
    destination(book, "Fill empty cell 2")
    book.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[1].updateSource(0, 0, '#')"
    )
    destination(book, "Insert below cell 2")
    book.panel.get_by_label("Edit this cell").check()
    destination(book, "Edit cell 2")
    book.panel.get_by_label("Edit this cell").uncheck()
    book.prompt("write")
    destination(book, "Steer the answer being written")
    book.wait_until("cells => cells.length === 4 && cells[2].source !== ''")  # what is stopped before leaves no cell
    book.screenshot("streaming")
    book.box.press("Escape")
    destination(book, "Insert below cell 3")


def test_that_a_cell_is_to_be_edited_goes_for_its_notebook_only(notebook) -> None:
    book = notebook([code("x = 1")])
    book.open_panel()
    book.panel.get_by_label("Edit this cell").check()
    notebook([code("y = 2")])
    destination(book, "Insert below cell 1")
    assert not book.panel.get_by_label("Edit this cell").is_checked()


def test_shift_enter_makes_a_line_and_enter_sends(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2")]))
    book.open_panel()
    book.box.type("one")
    book.box.press("Shift+Enter")
    book.box.type("two")
    book.in_box("one\ntwo")
    book.box.press("Enter")
    book.in_box("")
    book.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.in_box("")
    assert book.panel.locator(".spark-Turn-prompt").inner_text() == "one\ntwo"


def test_what_is_typed_stands_where_the_caret_was(notebook) -> None:
    book = notebook([code("x = 1")])
    book.open_panel()
    attempts = book.options.get_by_label("Attempts", exact=True)
    attempts.select_option("2")
    for box in (book.box, book.options.get_by_label("Check", exact=True)):
        box.press_sequentially("sot")
        box.press("ArrowLeft")
        box.press_sequentially("rten")
        assert box.input_value() == "sortent"
        box.fill("")
    attempts.select_option("1")


def test_what_an_input_method_composes_is_left_alone(notebook, devtools) -> None:
    book = notebook([code("x = 1")])
    book.open_panel()
    book.box.focus()
    for text in ("に", "にほ", "にほん"):
        devtools.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        book.in_box(text)
    devtools.send("Input.insertText", {"text": "日本"})
    book.in_box("日本")


def test_what_is_ticked_and_what_is_sent_is_drawn_before_the_next_key(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2")]))
    book.open_panel()
    attempts = book.options.get_by_label("Attempts", exact=True)
    attempts.select_option("2")
    for box in (book.panel.get_by_label("Edit this cell"), book.options.get_by_label("Keep")):
        box.wait_for()
        for ticked in (True, False):
            assert box.evaluate("node => { node.click(); return node.checked; }") is ticked
    attempts.select_option("1")
    book.box.fill("hello")
    press = """async node => {
      node.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
      await null;  // the end of the event
      return node.value;
    }"""
    assert book.box.evaluate(press) == ""
    book.wait_state("ready", 1)


def test_the_model_is_picked_from_the_providers_own_list(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2", repeat=True)]))
    book.prompt("one")
    book.wait_state("ready", 1)
    picker = book.panel.get_by_label("Model", exact=True)
    picker.focus()
    picker.locator('option[value="other"]').wait_for(state="attached")
    picker.select_option("other")
    book.prompt("two")
    book.panel.locator(".spark-Turn").nth(1).locator(".spark-Meter").wait_for()
    book.wait_until("cells => cells.length === 3")
    book.command("spark:accept-all")
    book.footer().wait_for(state="detached")
    assert {book.metadata(n)["spark"]["model"] for n in (1, 2)} == {"script", "other"}


def test_a_turn_shows_its_notes_its_meter_and_its_cells(notebook, model) -> None:
    notes = "Some **bold** words and [a link](https://example.org/).\n\n"
    book = notebook([code("x = 1")], model([fenced("y = 2", notes=notes)]))
    book.prompt("one")
    book.panel.locator(".spark-Notes strong", has_text="bold").wait_for()
    assert book.panel.locator(".spark-Notes a").get_attribute("href") == "https://example.org/"
    meter = book.panel.locator(".spark-Meter", has_text=re.compile(r"\d s"))
    meter.wait_for()
    assert re.search(r"first token \d+ ms[\s\S]* tokens", meter.get_attribute("title") or "")
    book.screenshot("notes-and-meter")
    book.panel.get_by_role("button", name="Proposed y = 2").click()
    book.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 1")


def test_a_panel_that_is_opened_again_shows_the_newest_turn(notebook, model) -> None:
    book = notebook([code("x = 1")], model([{"answer": "\n\n".join(f"A paragraph, the {n}th." for n in range(80))}]))
    book.prompt("tell me much")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.page.evaluate("() => window.jupyterapp.shell.collapseRight()")
    book.panel.wait_for(state="hidden")
    book.open_panel()
    book.page.wait_for_function(
        """() => {
          const turns = document.querySelector('.spark-Turns');
          return turns.scrollHeight > turns.clientHeight && turns.scrollHeight - turns.scrollTop - turns.clientHeight < 2;
        }"""
    )


def test_a_finding_in_the_panel_leads_to_its_line(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced(FINDING, repeat=True)]))
    book.prompt("clean up")
    book.wait_state("blocked", 1)
    book.panel.get_by_role("button", name="Retry").wait_for()  # the last that comes, and moves what is above it
    book.panel.locator(".spark-Finding-jump").first.click()
    book.page.wait_for_function(
        """() => {
          const { content } = window.jupyterapp.shell.currentWidget;
          return content.activeCellIndex === 1 && content.activeCell.editor.getCursorPosition().line === 1;
        }"""
    )


def test_all_proposals_are_accepted_or_rejected_at_once(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("a = 1", "b = 2", repeat=True)]))
    book.prompt("two")
    book.wait_state("ready", 2)
    book.panel.get_by_text("2 proposals", exact=True).wait_for()
    book.panel.get_by_role("button", name="Reject all").click()
    book.wait_until("cells => cells.length === 1")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.prompt("two again")
    book.wait_state("ready", 2)
    book.panel.get_by_role("button", name="Accept all").click()
    book.footer().wait_for(state="detached")
    assert book.sources() == ["x = 1", "a = 1", "b = 2"]
    book.panel.locator(".spark-Decisions").wait_for(state="detached")
    book.screenshot("history")


def test_a_failed_cell_is_fixed_from_its_menu_and_from_the_panel(notebook, model) -> None:
    answer = "```python cell=bad\n1 / 1\n```\n"
    book = notebook([code("1 / 0", id="bad")], model([{"match": "## Intent\nfix", "answer": answer, "repeat": True}]))
    book.open_panel()
    assert book.panel.get_by_text("The active cell failed").count() == 0
    book.activate(0)
    book.command("notebook:run-cell")
    book.panel.get_by_text("The active cell failed").wait_for()
    book.cell(0).locator('.jp-cell-toolbar [data-command="spark:fix"]').wait_for()
    book.panel.get_by_role("button", name="Fix it").click()
    book.wait_state("ready", 0)
    book.footer(0).locator('.spark-Footer-digest[title*="Runs now, output 1.0"]').wait_for()
    book.screenshot("fix-already-tried")
    book.button("reject", 0).click()
    book.footer().wait_for(state="detached")
    book.cell(0).click(button="right")
    book.page.locator(".lm-Menu-item", has_text="Fix with Spark").click()
    book.wait_state("ready", 0)
    book.button("accept", 0).click()
    book.wait_until("cells => cells[0].source === '1 / 1'")


def test_a_cell_that_did_not_fail_offers_to_explain_and_to_edit_but_not_to_fix(notebook, model) -> None:
    answers = [{"match": "## Intent\nexplain", "answer": "It says **one**."}]
    book = notebook([code("x = 1")], model(answers))
    book.cell(0).click(button="right")
    menu = book.page.locator(".lm-Menu")
    menu.get_by_text("Explain with Spark").wait_for()
    assert not menu.get_by_text("Fix with Spark").is_visible()
    menu.get_by_text("Explain with Spark").click()
    book.panel.locator(".spark-Notes strong", has_text="one").wait_for()
    assert book.sources() == ["x = 1"]
    book.command("spark:edit")
    book.panel.get_by_role("checkbox", name="Edit this cell", checked=True).wait_for()


@pytest.mark.parametrize("way", ["menu", "toolbar", "prompt"])
def test_explain_is_about_the_active_cell(notebook, model, way: str) -> None:
    cells = [code("first = 1", id="first"), code("second = 2", id="second"), code("third = 3", id="third")]
    book = notebook(cells, model([{"match": "## Active cell\nsecond", "answer": "It says **two**."}]))
    book.activate(1)
    if way == "menu":
        book.cell(1).click(button="right")
        book.page.locator(".lm-Menu").get_by_text("Explain with Spark").click()
    elif way == "toolbar":
        book.cell(1).hover()
        book.cell(1).locator('.jp-cell-toolbar [data-command="spark:explain"]').click()
    else:
        book.prompt("explain this cell")
    book.panel.locator(".spark-Notes strong", has_text="two").wait_for(timeout=60_000)


def test_words_that_nobody_can_take_stay_in_the_box(notebook, model) -> None:
    server = model([fenced("y = 2")])
    book = notebook([code("x = 1")], server)
    book.open_panel()
    book.panel.locator(
        ".spark-Status-provider"
    ).wait_for()  # JupyterLab fails where a kernel ends while it waits for a subshell
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    book.panel.get_by_text("This notebook has no kernel").wait_for()
    book.box.fill("do not lose me")
    book.box.press("Enter")
    assert book.panel.get_by_role("button", name="Send").is_disabled()
    book.in_box("do not lose me")
    book.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.changeKernel({ name: 'python3' }).then(() => null)"
    )
    book.wait_ready()
    book.configure(server)
    book.box.press("Enter")
    book.wait_state("ready", 1)
    assert book.sources() == ["x = 1", "y = 2"]


def saves_the_panel_on_the_left(request) -> bool:
    if request.method != "PUT" or "/lab/api/workspaces/" not in request.url:
        return False
    layout = json.loads(request.post_data)["data"].get("layout-restorer:data", {})
    return "spark-panel" in (layout.get("left", {}).get("widgets") or [])


@pytest.mark.own_page  # where the panel stands is a setting
def test_the_draft_the_turns_and_the_place_survive_a_move_and_a_reload(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2")]))
    book.prompt("one")
    book.wait_state("ready", 1)
    book.box.fill("half a sentence")
    book.page.locator('.jp-SideBar [data-id="spark-panel"]').click(button="right")
    with book.page.expect_request(saves_the_panel_on_the_left):
        book.page.locator(".lm-Menu-item", has_text="Switch Sidebar Side").click()
    book.page.locator("#jp-left-stack .spark-Panel .spark-Turn").wait_for()
    book.in_box("half a sentence")
    book.screenshot("panel-left")
    book.save()
    book.reload()
    book.page.locator("#jp-left-stack .spark-Panel .spark-Turn").wait_for()
    book.in_box("half a sentence")
    assert book.page.locator("#jp-right-stack .spark-Panel").count() == 0


def test_one_setting_hides_all_of_it_and_brings_it_back(notebook, model, request) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2")]))
    book.prompt("one")
    book.wait_state("ready", 1)
    set_hidden(book, True)
    request.addfinalizer(lambda: set_hidden(book, False))
    book.panel.wait_for(state="detached")
    book.footer().wait_for(state="detached")
    book.page.wait_for_function(
        """() => [...document.querySelectorAll('[class*="spark-"]')].every(node => {
          const { width, height } = node.getBoundingClientRect();
          return width * height === 0 || !node.checkVisibility({ visibilityProperty: true });
        })"""
    )
    book.cell(0).click(button="right")
    book.page.locator(".lm-Menu").wait_for()
    assert book.page.locator(".lm-Menu-item:visible", has_text="Spark").count() == 0
    book.page.keyboard.press("Escape")
    book.page.wait_for_function(
        "() => [...document.querySelectorAll('[data-command^=\"spark:\"]')].every(node => !node.checkVisibility())"
    )
    set_hidden(book, False)
    book.wait_state("ready", 1)
    book.open_panel()
    book.panel.locator(".spark-Turn").wait_for()


def set_hidden(book: Notebook, hidden: bool) -> None:
    book.set("spark-jupyter:plugin", "hidden", hidden)


def test_a_cell_with_the_edit_magic_is_compared_with_its_body(notebook, model) -> None:
    source = "%%spark edit use numbers\na = 'one'\nb = 'two'"
    answer = "```python\na = 1\nb = 'two'\n```\n"
    book = notebook([code("%load_ext spark_jupyter"), code(source, id="magic")], model([{"answer": answer}]))
    book.activate(0)
    book.command("notebook:run-cell-and-select-next")
    book.command("notebook:run-cell")
    book.wait_state("ready", 1)
    diff = book.cell(1).locator(".spark-Diff")
    diff.wait_for()
    assert "%%spark" not in diff.inner_text()
    assert book.button("accept", 1).inner_text() == "Accept"  # one change: its head, the magic, is none
    assert book.footer(1).get_by_text("was changed after this edit began").count() == 0
    assert book.sources()[1] == source
    book.button("accept", 1).click()
    book.wait_until("cells => cells[1].source === \"a = 1\\nb = 'two'\"")
    book.open_panel()
    book.panel.get_by_role("button", name="Revert").click()
    book.wait_until("(cells, source) => cells[1].source === source", source)


class Listing(BaseHTTPRequestHandler):
    """A model server as far as discovery asks it."""

    def do_GET(self) -> None:
        body = b'{"object": "list", "data": [{"id": "llama"}]}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_a_model_server_that_was_found_is_used_after_a_yes(lab, notebook) -> None:
    profiles = lab.root.parent / "config" / "spark_jupyter" / "profiles.toml"
    with ThreadingHTTPServer(("127.0.0.1", 0), Listing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        profiles.parent.mkdir(exist_ok=True)
        profiles.write_text(f'[ollama]\nbase_url = "http://127.0.0.1:{server.server_port}/v1"\n')
        try:
            book = notebook([code("%load_ext spark_jupyter")])
            book.execute("import spark_jupyter.connection.discovery as busy; busy.PATIENCE = 60.0")
            book.open_panel()
            book.activate(0)
            book.command("notebook:run-cell")
            offer = book.panel.locator("[data-offered='ollama']")
            offer.get_by_text("found on this machine").wait_for()
            assert "Offline recipes" in book.panel.locator(".spark-Status-provider").inner_text()
            book.screenshot("offered")
            offer.get_by_role("button", name="Use it").click()
            offer.wait_for(state="detached")
            assert "Ollama" in book.panel.locator(".spark-Status-provider").inner_text()
        finally:
            profiles.unlink()
            server.shutdown()


def test_where_the_author_allows_hints_only_no_prompt_writes_a_cell(notebook, model) -> None:
    answers = [{"answer": "What is a total?\n\n```python\nsum(xs)\n```\n", "repeat": True}]
    metadata = {"spark": {"prompts": "hints", "hints": 2}}
    book = notebook([code("xs = [1, 2]")], model(answers), metadata=metadata)
    book.open_panel()
    book.panel.locator(".spark-Welcome-who").wait_for()
    assert book.panel.locator(".spark-Idea").count() == 0
    book.prompt("add the numbers up")
    book.panel.locator(".spark-Notes", has_text="further than this hint may").wait_for()
    book.panel.locator('[data-policy="hints"]').wait_for()
    book.panel.get_by_text("Hint 1 of 2").wait_for()
    assert book.panel.locator(".spark-Problem").count() == 0
    assert book.panel.get_by_text("Edit this cell").count() == 0
    book.screenshot("hints")
    book.panel.get_by_role("button", name="Next hint").click()
    book.panel.get_by_text("Hint 2 of 2").wait_for()
    assert book.panel.get_by_role("button", name="Next hint").count() == 0
    assert book.sources() == ["xs = [1, 2]"]
    noted = book.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[0].getMetadata('spark')"
    )
    assert noted == {"hints": [1, 2]}
    book.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.setMetadata('spark', { prompts: 'off' })"
    )
    book.panel.locator('[data-policy="off"]').wait_for()
    assert book.box.is_disabled()
    book.activate(0)
    book.page.keyboard.press("b")
    book.page.keyboard.press("Enter")
    book.page.keyboard.type("%spark add the numbers up")
    book.page.keyboard.press("Control+Enter")
    book.panel.locator(".spark-Problem", has_text="wants you to write the code yourself").wait_for()
    assert len(book.sources()) == 2
