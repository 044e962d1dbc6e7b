"""Limits of administrators in the panel: what is switched off is grey, and says who decided it."""

from __future__ import annotations

import pytest

from tests.browser.lab import code
from tests.browser.test_panel import fenced
from tests.test_policy import write

POLICY = """
decided_by = "Physics IT"
auto_run = false
rehearsal = false
images = false
models = ["script"]
"""


@pytest.mark.own_page  # a panel that is open already would load Spark before the policy is there
def test_what_a_policy_switches_off_is_grey_and_says_who_decided(notebook, model, tmp_path) -> None:
    write(tmp_path, POLICY)
    book = notebook([code("x = 1")], model([fenced("print('ran', 6 * 7)", repeat=True)]))
    book.execute(f"import os; os.environ['JUPYTER_CONFIG_PATH'] = {str(tmp_path)!r}")
    book.open_panel()
    book.panel.get_by_text("Trying cells unasked is not allowed by Physics IT.").wait_for()
    auto_run = book.options.get_by_label("Auto-run")
    assert auto_run.is_disabled()
    assert not auto_run.is_checked()
    told = book.options.locator("label", has_text="Auto-run").get_attribute("title")
    assert told is not None
    assert "Running cells without asking is not allowed by Physics IT." in told
    book.screenshot("policy-options")
    book.page.keyboard.press("Escape")
    book.prompt("print")
    book.wait_state("ready", 1)
    assert "ran 42" not in book.cell(1).locator(".jp-Cell-outputWrapper").inner_text()
    book.panel.get_by_role("button", name="Connect a model…").first.click()
    limits = book.page.get_by_role("note").filter(has_text="Limits on this Jupyter")
    limits.get_by_text("models: script").wait_for()
    limits.scroll_into_view_if_needed()
    book.screenshot("policy-connect")
    book.page.keyboard.press("Escape")
