"""State of the page and the server that tests share, from one test to the next."""

from __future__ import annotations

import json

from tests.browser.lab import VIEWPORT, clear, code
from tests.browser.test_painted_lines import asked

FRAMES = """() => new Promise(done => {
  const ask = window.requestAnimationFrame;
  let asked = 0;
  window.requestAnimationFrame = frame => { asked += 1; return ask(frame); };
  const end = () => { window.requestAnimationFrame = ask; done(asked); };
  const wait = left => ask(() => (left ? wait(left - 1) : end()));
  wait(20);
})"""
"""How many frames are asked for in twenty, by all but itself."""


def test_nobody_looks_at_each_frame_when_a_notebook_is_closed(notebook, model) -> None:
    book = asked(notebook, model, "y = 1", 1000)
    book.prompt("write")
    book.wait_state("ready")
    assert book.page.evaluate(FRAMES) >= 19
    clear(book.page)
    assert book.page.evaluate(FRAMES) < 10


def test_the_window_and_the_media_are_as_at_first(notebook) -> None:
    book = notebook([code("x = 1")])
    book.page.set_viewport_size({"width": 700, "height": 520})
    book.page.emulate_media(forced_colors="active", reduced_motion="reduce")
    clear(book.page)
    shown = "() => ['(forced-colors: active)', '(prefers-reduced-motion: reduce)'].map(one => matchMedia(one).matches)"
    assert book.page.evaluate(shown) == [False, False]
    assert book.page.evaluate("() => ({ width: innerWidth, height: innerHeight })") == VIEWPORT


def test_a_kernel_needs_no_port_that_another_process_may_have_taken(notebook, lab) -> None:
    notebook([code("x = 1")])
    files = list(lab.runtime.glob("kernel-*.json"))
    assert [json.loads(file.read_text())["transport"] for file in files] == ["ipc"]
