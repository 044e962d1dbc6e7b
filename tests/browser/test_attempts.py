"""Attempts in the panel: asked for beside the prompt, told in tabs, and another one is proposed from its tab."""

from __future__ import annotations

import re

from tests.browser.lab import code
from tests.browser.test_a11y import violations
from tests.browser.test_panel import fenced

BEST = "def f(x):\n    return x * offset"
OTHER = "f = 1 / 0"


def test_attempts_race_and_another_one_can_be_proposed_from_its_tab(notebook, model) -> None:
    # Both fail, so the order in which they come and are tried decides nothing: the one that ran is the best.
    book = notebook([code("offset = 2")], model([fenced(OTHER), fenced(BEST)]))
    book.open_panel()
    book.execute("offset = 2")
    panel = book.panel
    options = book.options
    assert options.get_by_label("Check", exact=True).count() == 0
    options.get_by_label("Attempts", exact=True).select_option("2")
    options.get_by_label("Check", exact=True).fill("assert f(3) == 5")
    book.activate(0)
    book.prompt("write f")
    book.wait_state("ready", 1)
    assert book.sources()[1] == BEST
    panel.locator(".spark-Turn-reason", has_text="None of 2 attempts passed.").wait_for()
    assert "assert f(3) == 5 failed: f(3) is 6" in panel.locator(".spark-Turn-reason").inner_text()
    best = panel.get_by_role("tab", name=re.compile(r"failed, proposed"))
    best.wait_for()
    panel.get_by_role("tab", name=re.compile(r"failed$")).click()
    shown = panel.get_by_role("tabpanel")
    assert "ZeroDivisionError" in shown.inner_text()
    assert OTHER in shown.inner_text()
    assert violations(book, ".spark-Panel") == []
    book.screenshot("attempts")
    shown.get_by_role("button", name="Use this one").click()
    book.wait_until("cells => cells[1].source.includes('1 / 0')")
    shown.get_by_role("button", name="Use this one").wait_for(state="detached")
    book.reload()
    book.open_panel()
    panel.get_by_role("tab", name=re.compile(r"failed$")).click()
    shown.get_by_role("button", name="Use this one").wait_for()
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    assert book.sources()[1] == OTHER
    shown.get_by_role("button", name="Use this one").wait_for(state="detached")
    assert BEST in shown.inner_text()
