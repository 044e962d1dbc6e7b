"""The panel made of widgets, in a real browser, in a JupyterLab without the labextension."""

from __future__ import annotations

import threading

import pytest

from tests.browser.lab import code
from tests.browser.server import LabServer
from tests.browser.test_a11y import violations

pytestmark = pytest.mark.own_server


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A Jupyter server without our labextension, in place of the one with it."""
    server = LabServer(tmp_path_factory.mktemp("plain-lab"), labextension=False)
    yield server
    server.close()


SHORT = {
    "answer": "Ten squares.\n\n```python\ntotal = sum(n * n for n in range(10))\nprint('total', total)\n```\n",
    "repeat": True,
}
LONG = {"answer": "```python\n" + "\n".join(f"value_{n} = {n}" for n in range(400)) + "\n```\n", "repeat": True}
STEERED = {"match": "## Steer", "answer": "```python continue\nlast = 'steered'\n```\n", "repeat": True}


def shown(notebook, model, page, answers, **options):
    """A notebook that shows the widget's panel; the panel's element."""
    book = notebook([code("%load_ext spark_jupyter"), code("%spark panel"), code("")], model(answers, **options))
    for index in (0, 1):
        book.activate(index)
        book.command("notebook:run-cell")
    panel = book.cell(1).locator(".jp-OutputArea-output .widget-vbox").first
    panel.locator("input[type=text]").wait_for(state="visible", timeout=60_000)
    return book, panel


def ask(panel, text):
    """Say something. The kernel empties the box where it has taken it: what was typed before that would go, too."""
    box = panel.locator("input[type=text]")
    box.fill(text)
    box.press("Enter")
    panel.page.wait_for_function("box => box.value === ''", arg=box.element_handle())


def test_a_prompt_is_answered_in_the_panel_and_run_shows_its_output(notebook, model, page):
    book, panel = shown(notebook, model, page, [SHORT])
    ask(panel, "sum of squares")
    panel.locator("button", has_text="Run").click()
    panel.get_by_text("total 285").locator("visible=true").first.wait_for(
        timeout=60_000
    )  # the rehearsal has it, too, folded
    assert violations(book, ".jp-OutputArea-output .widget-vbox") == []
    book.screenshot("widget-ran")
    assert "Ten squares." in panel.inner_text()


PICTURE = {
    "answer": "```python\nimport pandas as pd\nimport matplotlib.pyplot as plt\nrain = pd.DataFrame({'city': ['Rome', 'Oslo']})\n"
    "plt.plot([1, 2, 1])\nplt.show()\nopen('made.txt', 'w')\n```\n"
}


def test_a_try_in_the_panel_shows_its_figure_and_what_was_refused(notebook, model, page):
    book, panel = shown(notebook, model, page, [PICTURE])
    book.execute("%matplotlib inline")
    ask(panel, "a figure")
    panel.locator("button", has_text="Try").click()
    picture = panel.locator("img")
    picture.wait_for(timeout=60_000)
    assert picture.evaluate("node => node.decode().then(() => node.naturalWidth)") > 100
    panel.get_by_text("made.txt (refused)").wait_for()
    picture.scroll_into_view_if_needed()
    book.screenshot("widget-tried")
    assert not (book.server.root / "made.txt").exists()


def test_steer_and_cancel_work_in_the_panel_while_a_cell_runs(notebook, model, page):
    book, panel = shown(notebook, model, page, [STEERED, LONG], rate=60)
    book.execute("import time\nwhile True:\n    time.sleep(0.01)", wait=False)
    ask(panel, "many values")
    panel.get_by_text("value_5 = 5").wait_for(timeout=60_000)
    book.screenshot("widget-streaming")
    ask(panel, "stop here")
    panel.get_by_text("last = 'steered'").wait_for(timeout=60_000)
    panel.locator("button:disabled", has_text="Cancel").wait_for()  # what is said before the answer ends steers it
    ask(panel, "many values again")
    panel.get_by_role("button", name="Cancel").click()
    panel.get_by_text("(stopped)").wait_for(timeout=60_000)
    assert page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status") == "busy"


def test_what_is_typed_while_the_answer_ends_stays_in_the_box(notebook, model, page):
    may_end = threading.Event()
    _, panel = shown(notebook, model, page, [SHORT], may_end=may_end)
    ask(panel, "many values")
    panel.get_by_role("button", name="Steer").wait_for()
    box = panel.locator("input[type=text]")
    box.press_sequentially("and then")
    may_end.set()
    panel.locator("button:disabled", has_text="Cancel").wait_for()
    assert box.input_value() == "and then"
    box.press("Enter")
    panel.get_by_text("and then").wait_for()
