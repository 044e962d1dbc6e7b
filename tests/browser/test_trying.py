"""Try from the footer: a real kernel runs the proposal in a copy of itself, and the page shows what came of it."""

from __future__ import annotations

from tests.browser.lab import Notebook, code

SHOW = """\
import matplotlib.pyplot as plt
import pandas as pd
total = x + 1
df = pd.DataFrame({'city': ['Rome', 'Oslo'], 'rain': [80, 76]})
print('\\x1b[31mtotal\\x1b[0m', total)
hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
display({'text/html': '<table><tr><td>kept</td></tr></table>' + hostile}, raw=True)
plt.bar(df['city'], df['rain'])
plt.show()
df"""
ASKED_FOR = '[data-rehearsed="false"]'
FAIL = "import contextlib\nwith contextlib.suppress(OSError): file = open('made.txt', 'w')\nfile.write('x'), 1 / 0"


def fenced(source: str, **fields: object) -> dict[str, object]:
    return {"answer": f"```python\n{source}\n```\n", **fields}


def tried(notebook, model, source: str) -> Notebook:
    """A notebook in which a proposal was tried."""
    book: Notebook = notebook([code("x = 41")], model([fenced(source)]))
    book.execute("%matplotlib inline")
    book.activate(0)
    book.command("notebook:run-cell")
    book.prompt("show it")
    book.wait_state("ready", 1)
    book.button("try", 1).click()
    book.footer(1).locator(".spark-Trial" + ASKED_FOR).wait_for()
    return book


def test_html_that_needs_its_style_is_shown_as_text_and_a_table_as_a_table(notebook, model) -> None:
    book = tried(
        notebook,
        model,
        "class Model:\n    def __repr__(self): return 'Model(alpha=1)'\n"
        "    def _repr_html_(self): return '<style>b { display: none }</style><div><b>rerun this cell</b></div>'\n"
        "display({'text/html': '<div><table><tr><td>kept</td></tr></table></div>', 'text/plain': 'a table'}, raw=True)\n"
        "display(Model())\nprint('end')",
    )
    trial = book.footer(1).locator(".spark-Trial" + ASKED_FOR)
    trial.get_by_text("Model(alpha=1)").wait_for()
    assert trial.locator("td").all_text_contents() == ["kept"]
    assert trial.get_by_text("rerun this cell").count() == 0


def test_a_new_cell_has_been_rehearsed_when_it_is_whole(notebook, model) -> None:
    book = notebook([code("x = 41")], model([fenced("total = x + 1\nprint('sum', total)\ntotal")]))
    book.activate(0)
    book.command("notebook:run-cell")
    book.prompt("add one")
    book.wait_state("ready", 1)
    trial = book.footer(1).locator('.spark-Trial[data-rehearsed="true"]')
    trial.wait_for()
    headline = trial.locator(".spark-Trial-headline").text_content() or ""
    assert "Ran in a copy in" in headline
    assert "1 new variable" in headline
    assert book.footer(1).locator(".spark-Footer-digest").inner_text().strip() == "✓ Tried · 42"
    assert trial.locator(".spark-Trial-output").first.is_visible()
    assert not trial.locator(".spark-Effect").first.is_visible(), "it takes a line, until somebody wants to know more"
    book.footer(1).locator('[data-action="run"][title*="exactly what was tried"]').wait_for()
    trial.get_by_text("1 effect").click()
    assert trial.locator(".spark-Effect").first.is_visible()
    book.screenshot("rehearsed")
    book.execute("assert 'total' not in globals()")


def test_a_try_shows_its_summary_outputs_and_effects_and_keeps_nothing(notebook, model) -> None:
    book = tried(notebook, model, SHOW)
    trial = book.footer(1).locator(".spark-Trial" + ASKED_FOR)
    headline = trial.locator(".spark-Trial-headline").inner_text()
    assert "Ran in a copy" in headline
    assert "while the kernel was running" not in headline
    assert trial.locator(".spark-Trial-output").first.inner_text() == "total 42\n"
    assert trial.locator(".spark-Trial-html td", has_text="kept").count() == 1
    assert trial.locator(".spark-Trial-html td", has_text="Rome").count() == 1
    assert trial.locator("script, .spark-Trial-html img").count() == 0
    assert book.page.evaluate("() => window.hacked") is None
    picture = trial.locator("img.spark-Trial-image")
    assert picture.evaluate("node => node.decode().then(() => node.naturalWidth)") > 100
    effects = trial.locator(".spark-Effect-name").all_inner_texts()
    assert {"total", "df"} <= set(effects)
    book.panel.locator(".spark-CellLink-trial", has_text="✓ Tried").wait_for()  # the panel is drawn a frame later
    book.screenshot("try-outputs")
    book.execute("assert 'total' not in globals() and x == 41")
    assert "exactly what was tried" in book.button("run", 1).get_attribute("title")
    book.cell(1).locator(".cm-content").first.click()
    book.page.keyboard.press("Control+End")
    book.page.keyboard.type(" # changed")
    trial.get_by_text("Edited since this preview").wait_for()
    assert "edited since it was tried" in book.button("run", 1).get_attribute("title")
    book.screenshot("try-stale")


def test_a_try_that_was_refused_something_says_where_and_what_and_tries_again_with_that_allowed(
    notebook, model
) -> None:
    book = tried(notebook, model, FAIL)
    trial = book.footer(1).locator(".spark-Trial" + ASKED_FOR)
    assert trial.get_attribute("data-failed") == "false"
    result = book.footer(1).locator(".spark-Footer-digest")
    assert "Not tried: it continues after something" in (result.text_content() or ""), "no fault of the code"
    assert (trial.locator(".spark-Trial-headline").text_content() or "").startswith(
        "The rest ran in a copy: 1 file refused."
    )
    refused = trial.locator('.spark-Effect[data-refused="true"]')
    assert "made.txt" in refused.inner_text()
    assert not (book.server.root / "made.txt").exists()
    trial.locator("summary").click()
    assert "Traceback" in trial.locator(".spark-Trial-error").inner_text()
    book.screenshot("try-failed", contrast=True)
    book.footer(1).get_by_role("button", name="Line 3").click()
    book.page.wait_for_function(
        """() => {
          const { content } = window.jupyterapp.shell.currentWidget;
          return content.activeCellIndex === 1 && content.activeCell.editor.getCursorPosition().line === 2;
        }"""
    )
    trial.get_by_role("button", name="Try again with files allowed").click()
    trial.get_by_text("its effects outside the copy are real").wait_for(state="attached")
    assert trial.get_attribute("data-failed") == "true"
    assert trial.locator(".spark-Effect", has_text="made.txt").locator(".spark-Effect-action").inner_text() == "written"
    assert (book.server.root / "made.txt").exists()


def test_a_try_that_takes_long_can_be_stopped(notebook, model) -> None:
    book = notebook([code("x = 41")], model([fenced("import time\ntime.sleep(60)")]))
    book.activate(0)
    book.prompt("wait")
    book.wait_state("ready", 1)
    book.button("try", 1).click()
    book.footer(1).get_by_text("Trying…").wait_for()
    book.button("cancel-try", 1).click()
    book.footer(1).locator(".spark-Trial", has_text="The Try was cancelled.").wait_for()
    book.button("try", 1).wait_for()
    book.wait_state("ready", 1)
