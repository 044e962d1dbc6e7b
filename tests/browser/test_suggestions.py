"""Ghost text in real editors: a scripted model says what comes at the cursor, the kernel and JupyterLab are real."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.browser.lab import code

if TYPE_CHECKING:
    from playwright.sync_api import WebSocket


HANG_UP = """
import gc
for line in [one for one in gc.get_objects() if type(one).__name__ == '_Line']:
    line._transport._loop.call_soon_threadsafe(line.end)
"""


SEEN = """selector => {
  const inside = document.querySelector('.jp-NotebookPanel .jp-WindowedPanel-outer').getBoundingClientRect();
  return [...document.querySelectorAll(selector)].every(one => {
    const { top, bottom } = one.getBoundingClientRect();
    return top >= inside.top && bottom <= inside.bottom;
  });
}"""

TO_THE_LOWER_EDGE = """() => {
  const cell = window.jupyterapp.shell.currentWidget.content.widgets[1];
  cell.node.scrollIntoView({ block: 'end' });
}"""


def test_ghost_text_is_shown_and_taken_by_tab_as_one_undo_step(writing) -> None:
    one = writing([code("values = [1, 2]\n")], {"total = su": "m(values)"})
    one.write("total = su")
    one.shows("m(values)")
    one.press("Tab")
    one.holds("values = [1, 2]\ntotal = sum(values)")
    one.shows_nothing()
    assert one.book.metadata(0)["spark"]["suggested"] == len("m(values)")
    one.press("Control+z")
    one.holds("values = [1, 2]\ntotal = su")


def test_they_come_by_the_short_way_once_it_stands_and_by_the_comm_without_it(writing) -> None:
    one = writing([code("values = [1, 2]\n")], {f"{name} = su": "m(values)" for name in "abcd"})
    lines: list[WebSocket] = []
    heard: list[str] = []

    def listen(socket: WebSocket) -> None:
        if "/spark/line/" in socket.url:
            lines.append(socket)
            socket.on("framereceived", lambda frame: heard.append(str(frame)))

    def type_along(names: str) -> None:
        for name in names:
            one.write(f"{name} = su")
            one.shows("m(values)")
            one.page.keyboard.type("m(values)\n")

    one.page.on("websocket", listen)
    type_along("a")
    deadline = time.monotonic() + 60
    while not heard:  # the first question opens it; it stands when the kernel has answered there
        assert time.monotonic() < deadline, "the kernel said nothing on the line"
        one.page.wait_for_timeout(50)
    type_along("b")
    assert any("Completed" in frame for frame in heard)
    with lines[0].expect_event("close"):
        one.book.execute(HANG_UP)
    heard.clear()
    type_along("cd")
    assert len(lines) == 1
    assert not heard


def test_a_word_a_line_and_all_of_it_are_taken_in_mid_line_and_on_a_blank_line(writing) -> None:
    one = writing(
        [code("f()"), code("rows = []\n")], {"f(": "1000, 2000", "rows = []\n": "for row in rows:\n    print(row)"}
    )
    one.enter(0)
    one.press("Control+End", "ArrowLeft", "Alt+\\")
    one.shows("1000, 2000")
    one.press("Control+ArrowRight")
    one.holds("f(1000)")
    one.shows(", 2000")
    one.press("Alt+ArrowRight", "Alt+ArrowRight")
    one.holds("f(1000, 2000)")
    one.write(" ", 1)
    one.press("Backspace")
    one.shows("for row in rows:\n    print(row)")
    one.press("Control+Alt+ArrowDown")
    one.holds("rows = []\nfor row in rows:", 1)
    one.press("Tab")
    one.holds("rows = []\nfor row in rows:\n    print(row)", 1)
    assert one.book.metadata(1)["spark"]["suggested"] == len("for row in rows:\n    print(row)")


def test_at_the_lower_edge_of_the_notebook_all_lines_of_it_are_seen_and_so_is_the_cursor(writing) -> None:
    block = "x in values:\n    y = x + 1\n    z = y * 2\n    print(x, y, z)"
    one = writing([code("values = [1, 2]\n" * 60), code("")], {"for ": block})
    one.run(0)
    one.page.evaluate(TO_THE_LOWER_EDGE)
    one.write("for ", 1)
    one.shows(block)
    one.page.wait_for_function(f"() => ({SEEN})('.spark-Ghost') && ({SEEN})('.jp-mod-active .cm-line')")


def test_escape_hides_it_and_stays_in_the_cell(writing) -> None:
    one = writing([code("")], {"total = su": "m([1, 2])", "\nmore = ": "2"})
    one.write("total = su")
    one.shows("m([1, 2])")
    one.press("Escape")
    one.shows_nothing()
    assert one.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.mode") == "edit"
    one.press("Alt+\\")  # by a key it comes back
    one.shows("m([1, 2])")
    one.press("Escape")
    one.page.keyboard.type("m\nmore = ")
    one.shows("2")
    one.press("Escape", "Escape")
    assert one.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.mode") == "command"
    one.holds("total = sum\nmore = ")


def test_a_screen_reader_is_told_what_is_suggested_and_nothing_of_that_stays_in_the_page(writing) -> None:
    one = writing([code("")], {"total = su": "m([1, 2])"})
    one.write("total = su")
    region = one.page.locator("body > .spark-Announcer")
    said = region.filter(has_text="Suggestion: m([1, 2]). Tab takes it.")
    said.wait_for(state="attached")
    region.wait_for(state="detached")
    one.shows("m([1, 2])")
    one.press("Escape", "Alt+\\")
    said.wait_for(state="attached")
    one.press("Escape")
    region.wait_for(state="detached")


def test_typing_what_it_says_asks_nothing_and_typing_something_else_asks_anew(writing) -> None:
    one = writing([code("")], {"x = 1": "00 + 20", "x = 10": "wrong", "x = 12": " * 3"})
    one.write("x = 1")
    one.shows("00 + 20")
    asked = one.requests()
    one.page.keyboard.type("00 +")
    one.shows(" 20")
    one.press(*["Backspace"] * 4)
    one.shows("00 + 20")
    assert one.requests() == asked
    one.page.keyboard.type("2")
    one.shows(" * 3")
    assert one.requests() == asked + 1
    one.holds("x = 12")


def test_another_one_is_asked_for_and_the_first_is_gone_back_to(writing) -> None:
    one = writing([code("")], {"x = 1": "00"})
    one.write("x = 1")
    one.shows("00")
    one.press("Alt+]")
    one.page.get_by_text("Spark has no suggestion").wait_for()
    one.shows("00")


def test_what_comes_next_is_suggested_in_the_empty_cell_after_one_has_run(writing) -> None:
    one = writing([code("values = [1, 2]")], {"## This cell\n": "sum(values)"})
    one.enter(0)
    one.press("Shift+Enter")
    one.shows("sum(values)")
    one.press("Tab")
    one.holds("sum(values)", 1)


def test_a_notebook_switches_them_off_whatever_the_user_chose(writing) -> None:
    one = writing([code("")], {"df.": "head()"})
    one.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.setMetadata('spark', { suggestions: 'off' })"
    )
    one.write("df.")
    one.press("Alt+\\")
    one.page.locator(".Toastify__toast", has_text="switched off by this notebook").wait_for()
    assert one.ghost.count() == 0
    one.book.page.locator('.spark-StatusItem [data-mode="off"]').wait_for()
    options = one.book.options
    options.locator('.spark-Suggestions[data-mode="off"]', has_text="switched off by this notebook").wait_for()
    assert options.get_by_label("Autocomplete in this notebook").is_disabled()


def test_neither_a_run_nor_a_save_nor_a_prompt_waits_for_a_provider_that_keeps_silent(writing) -> None:
    one = writing([code("su = 2\n"), code("")], {"total = su": "m([1, 2])"}, delay=3600)
    one.write("total = su")
    one.page.wait_for_function(
        "() => localStorage.getItem('spark-jupyter:suggestions:tally')?.includes('\"requests\":')"
    )
    one.press("Control+Enter")
    one.book.wait_until("cells => cells[0].execution_count !== null")
    one.book.command("docmanager:save")
    one.book.wait_until("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    one.book.prompt("say nothing")
    one.book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    one.holds("su = 2\ntotal = su")
    assert one.ghost.count() == 0


def test_with_several_cursors_a_selection_or_an_open_completer_none_is_shown(writing) -> None:
    one = writing([code("values = 1\n")], {"total = va": "lues"})
    one.write("total = va")
    one.shows("lues")
    one.book.start("completer:invoke-notebook")
    one.page.locator(".jp-Completer:not(.lm-mod-hidden)").wait_for()
    one.shows_nothing()
    one.press("Escape")
    one.shows("lues")
    one.page.evaluate(
        """() => {
          const view = window.jupyterapp.shell.currentWidget.content.activeCell.editor.editor;
          const { constructor: Selection, main } = view.state.selection;
          view.dispatch({ selection: Selection.create([Selection.cursor(3), Selection.cursor(main.head)], 1) });
        }"""
    )
    one.shows_nothing()
    one.press("Control+End")
    one.shows("lues")
    one.press("Shift+ArrowLeft")
    one.shows_nothing()


def test_a_near_miss_stands_there_with_the_real_name_marked(writing) -> None:
    one = writing([code("customers = [1, 2]"), code("")], {"y = su": "m(custumers)"})
    one.run(0)
    one.write("y = su", 1)
    one.shows("m(customers)")
    mend = one.ghost.locator(".spark-Ghost-mend")
    assert mend.text_content() == "customers"
    assert "custumers" in mend.get_attribute("title")
    one.press("Tab")
    one.holds("y = sum(customers)", 1)


def test_an_unfinished_character_asks_for_nothing_and_the_finished_one_does(writing, devtools) -> None:
    one = writing([code("")], {'name = "日本': '語"'})
    one.write('name = "')
    one.page.wait_for_timeout(300)
    before = one.requests()
    devtools.send("Input.imeSetComposition", {"text": "にほん", "selectionStart": 3, "selectionEnd": 3})
    one.book.wait_until("cells => cells[0].source.includes('にほん')")
    assert one.requests() == before
    assert one.ghost.count() == 0
    devtools.send("Input.insertText", {"text": "日本"})
    one.shows('語"')
    one.press("Tab")
    one.book.wait_until("cells => cells[0].source.startsWith('name = \"日本語\"')")


def test_right_to_left_text_is_shown_and_taken_in_its_own_direction(writing) -> None:
    one = writing([code("")], {'name = "של': 'ום"'})
    one.write('name = "')
    one.page.keyboard.insert_text("של")
    one.press("Alt+\\")
    one.shows('ום"')
    assert one.ghost.get_attribute("dir") == "auto"
    one.press("Tab")
    one.book.wait_until("cells => cells[0].source.startsWith('name = \"שלום')")


def test_undo_takes_a_suggestion_away_and_brings_no_ghost(writing) -> None:
    one = writing([code("")], {"x = su": "m([1])", "y = ma": "x([2])"})
    one.write("x = su")
    one.shows("m([1])")
    one.press("Tab", "Enter")
    one.page.keyboard.type("y = ma")
    one.shows("x([2])")
    one.press("Control+z")
    one.shows_nothing()
    assert "y = ma" not in one.book.sources()[0]


def test_the_kernel_that_makes_none_is_not_asked(writing) -> None:
    one = writing([code("%spark suggestions off"), code("")], {"total = su": "m([1])"})
    one.run(0)
    one.book.options.locator('.spark-Suggestions[data-mode="off"]', has_text="%spark suggestions on").wait_for()
    one.write("total = su", 1)
    one.press("Alt+\\")
    one.page.locator(".Toastify__toast", has_text="Autocomplete is off in this kernel").wait_for()
    one.book.execute("get_ipython().run_line_magic('spark', 'suggestions on')")
    one.book.options.locator('.spark-Suggestions[data-mode="on"]').wait_for()
    one.enter(1)
    one.press("Control+End", "Alt+\\")
    one.shows("m([1])")
