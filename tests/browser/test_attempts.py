"""Attempts in the panel: asked for beside the prompt, told in tabs, and another one is proposed from its tab."""

from __future__ import annotations

import re

from tests.browser.lab import code
from tests.browser.test_panel import fenced


def test_attempts_race_and_another_one_can_be_proposed_from_its_tab(notebook, model) -> None:
    # Whichever request comes first gets the first answer, so what fails is told by its tab and not by its number.
    answers = [fenced("def f(x):\n    return x * offset"), fenced("def f(x):\n    return x + offset", delay=0.5)]
    book = notebook([code("offset = 2")], model(answers))
    book.open_panel()
    book.execute("offset = 2")
    panel = book.panel
    assert panel.get_by_label("Check", exact=True).count() == 0
    panel.get_by_label("Attempts", exact=True).select_option("2")
    panel.get_by_label("Check", exact=True).fill("assert f(3) == 5")
    book.activate(0)
    book.prompt("write f")
    book.wait_state("ready", 1)
    assert book.sources()[1] == "def f(x):\n    return x + offset"
    assert "ran in a copy" in book.footer(1).inner_text().lower()
    proposed = panel.get_by_role("tab", name=re.compile(r"passed, proposed"))
    failed = panel.get_by_role("tab", name=re.compile(r"failed$"))
    proposed.wait_for()
    failed.click()
    shown = panel.get_by_role("tabpanel")
    assert "assert f(3) == 5 failed: f(3) is 6" in shown.inner_text()
    assert "return x * offset" in shown.inner_text()
    book.screenshot("attempts")
    shown.get_by_role("button", name="Use this one").click()
    book.wait_until("cells => cells[1].source.includes('x * offset')")
    panel.get_by_role("tab", name=re.compile(r"failed, proposed")).wait_for()
    book.reload()
    book.open_panel()
    panel.get_by_role("tab", name=re.compile(r"failed, proposed")).wait_for()
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    assert book.sources()[1] == "def f(x):\n    return x * offset"
    panel.get_by_role("tab", name=re.compile(r"passed$")).click()
    panel.get_by_role("button", name="Use this one").wait_for(state="detached")
