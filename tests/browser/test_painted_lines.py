"""Lines that come fast: painted behind the editor's text, and written in batches, with nothing lost, twice or out of place."""

from __future__ import annotations

import pytest

from tests.browser.lab import Notebook, code, program

WATCH = """() => {
  const seen = window.seen = { painted: 0, wrong: [], text: '', tails: 0, unseen: 0, longest: 0 };
  const panel = window.jupyterapp.shell.currentWidget;
  const frame = () => {
    if (panel.isDisposed) return; // tests that follow in this page would pay for it
    const cell = panel.content.widgets[1];
    if (!cell) return requestAnimationFrame(frame);
    const box = cell.node.querySelector('.spark-LiveText');
    const text = cell.model.sharedModel.source + (box?.textContent ?? '');
    const near = cell.node.getBoundingClientRect().bottom < innerHeight + 400; // what nobody can see is not painted
    if (near && !text.startsWith(seen.text)) seen.wrong.push(['text', seen.text.slice(-60), text.slice(-60)]);
    seen.text = text;
    const line = box?.querySelector('.cm-line');
    if (line) {
      seen.painted += 1;
      const last = [...cell.node.querySelectorAll('.cm-content > .cm-line')].at(-1);
      const newest = [...box.querySelectorAll('.cm-line')].at(-1);
      const [here, there, end, room, page] = [line, last, newest, box.firstChild, box.closest('.jp-WindowedPanel-outer')].map(
        one => one.getBoundingClientRect()
      );
      const [down, right] = [room.top - there.top, here.left - there.left];
      if (Math.abs(down) > 1 || Math.abs(right) > 1) seen.wrong.push(['place', down, right]);
      const over = there.top - here.top; // the end is seen where there is no room for all
      if (over < -1 || (over > 1 && Math.abs(end.bottom - room.bottom) > 1)) seen.wrong.push(['lines', over, end.bottom - room.bottom]);
      seen.tails += over > 1;
      seen.unseen = end.top >= page.top && end.top < page.bottom ? 0 : seen.unseen + 1;
      seen.longest = Math.max(seen.longest, seen.unseen);
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
SEEN = "() => window.seen"
ORDER = """() => {
  const order = window.order = [];
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) {
    if ((typeof data === 'string' ? data : new TextDecoder().decode(data)).includes('Cancel')) {
      order.push('told');
      WebSocket.prototype.send = send;
    }
    return send.call(this, data);
  };
  document.addEventListener('keydown', () => order.push('key'), { capture: true, once: true });
  const { cells } = window.jupyterapp.shell.currentWidget.content.model.sharedModel;
  cells[1].changed.connect((_, change) => { if (change.sourceChange) order.push('written'); });
}"""
SHOWN = "() => document.querySelector('.spark-LiveText .cm-line') !== null"


def asked(notebook, model, text: str, rate: int) -> Notebook:
    book = notebook([code("x = 1")], model([{"answer": f"```python\n{text}\n```\n"}], rate=rate))
    book.open_panel()
    book.page.evaluate(WATCH)
    return book


@pytest.mark.parametrize("rate", [1000, 5000])
@pytest.mark.parametrize("editor", [{}, {"lineNumbers": True, "lineWrap": True}])
def test_every_frame_shows_a_beginning_of_the_answer_in_its_place(notebook, model, editor, rate: int) -> None:
    text = program(2000).replace("# línea 40 ", "# " + "a long line " * 20)
    book = asked(notebook, model, text, rate)
    book.page.evaluate(
        """editor => {
          const { content } = window.jupyterapp.shell.currentWidget;
          content.editorConfig = { ...content.editorConfig, code: { ...content.editorConfig.code, ...editor } };
        }""",
        editor,
    )
    book.prompt("write")
    book.wait_state("ready", timeout=60_000)
    seen = book.page.evaluate(SEEN)
    assert seen["wrong"] == []
    assert seen["painted"] > 0
    assert book.sources() == ["x = 1", text]
    assert book.page.locator(".spark-LiveText").count() == 0


@pytest.mark.parametrize("rate", [1000, 5000])
def test_what_is_painted_is_in_view_in_a_low_window_and_on_a_slow_page(notebook, model, devtools, rate: int) -> None:
    book = asked(notebook, model, program(3000), rate)
    book.page.set_viewport_size({"width": 1280, "height": 520})
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 3})
    book.prompt("write")
    book.wait_state("ready", timeout=60_000)
    seen = book.page.evaluate(SEEN)
    assert seen["painted"] > 0
    assert seen["wrong"] == []
    assert seen["longest"] < 8  # frames in a row; a page that is busy may be late by one or two


def test_a_click_in_a_growing_cell_is_one_in_its_text(notebook, model) -> None:
    text = program(6000)
    book = asked(notebook, model, text, 1000)
    book.prompt("write")
    book.page.wait_for_function(SHOWN, timeout=60_000)
    book.cell(1).locator(".cm-line").first.click()
    book.page.wait_for_function("() => document.activeElement.closest('.jp-Cell') !== null")
    book.wait_until(
        "cells => { window.grown ??= cells[1].source.length; return cells[1].source.length > window.grown }"
    )
    assert book.page.locator(".spark-LiveText").count() == 0  # who may type there sees the text itself
    book.wait_state("ready", timeout=60_000)
    assert book.page.evaluate(SEEN)["wrong"] == []
    assert book.sources() == ["x = 1", text]


def test_what_stands_is_in_the_document_when_it_is_stopped(notebook, model) -> None:
    text = program(20_000)
    book = asked(notebook, model, text, 1000)
    book.prompt("write")
    book.page.wait_for_function(SHOWN, timeout=60_000)
    book.page.evaluate(ORDER)
    book.box.press("Escape")
    book.panel.locator('.spark-Turn[data-outcome="cancelled"]').wait_for(timeout=60_000)
    order = book.page.evaluate("() => window.order")
    assert order[order.index("key") + 1] == "told"  # to write what waits may take longer than a frame
    seen = book.page.evaluate(SEEN)
    assert seen["wrong"] == []
    assert book.page.locator(".spark-LiveText").count() == 0
    assert text.startswith(book.sources()[1])


def test_each_of_two_views_of_a_notebook_paints(notebook, model) -> None:
    text = program(4000)
    book = asked(notebook, model, text, 1000)
    book.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:clone').then(() => null)")
    book.page.wait_for_function("() => document.querySelectorAll('.jp-NotebookPanel .jp-Cell').length >= 2")
    book.prompt("write")
    book.wait_state("ready", timeout=60_000)
    assert book.sources() == ["x = 1", text]
    assert book.page.locator(".spark-LiveText").count() == 0
