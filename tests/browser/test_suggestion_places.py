"""Places with and without ghost text: consoles, files, Markdown, JupyterLab's own completer."""

from __future__ import annotations

import time

import nbformat

from spark_jupyter.completions.completion_request import CURSOR
from tests.browser.ghost_text import Writing
from tests.browser.lab import ROOT, code, markdown

INLINE_COMPLETER = "@jupyterlab/completer-extension:inline-completer"


LESSON = ROOT / "notebooks" / "05-as-you-type.ipynb"


def test_they_come_while_a_cell_runs_and_in_markdown(writing) -> None:
    answers = {"total = su": "m([1, 2])", "The tota": "l is below."}
    one = writing(
        [code("print('begun')\nimport time\nwhile True: time.sleep(0.01)"), code(""), markdown("# Sums")], answers
    )
    one.book.start_busy(0)
    one.write("total = su", 1)
    one.shows("m([1, 2])")
    one.press("Tab")
    one.holds("total = sum([1, 2])", 1)
    one.book.cell(2).dblclick()
    one.write("\nThe tota", 2)
    one.shows("l is below.")
    one.press("Tab")
    one.holds("# Sums\nThe total is below.", 2)
    one.book.command("notebook:interrupt-kernel")


def test_they_come_in_a_console_of_the_same_kernel(writing) -> None:
    one = writing([code("")], {"total = su": "m([1, 2])"})
    one.book.start("notebook:create-console")
    prompt = one.page.locator(".jp-CodeConsole-promptCell .cm-content")
    prompt.wait_for()
    one.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.sessionContext?.session?.kernel?.status === 'idle'"
    )
    prompt.click()
    prompt.press_sequentially("total = su")
    one.press("Alt+\\")
    one.shows("m([1, 2])")
    one.press("Tab")
    one.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.console.promptCell.model.sharedModel.source === 'total = sum([1, 2])'"
    )


def test_the_key_loads_spark_where_it_is_not_loaded_yet_and_shows_what_is_said(notebook, model) -> None:
    answers = [{"match": f"total = su{CURSOR}", "answer": "m([1, 2])", "repeat": True}, {"answer": ""}]
    one = Writing(notebook([code("")], model(answers)))
    one.write("total = su")
    one.press("Alt+\\")
    one.shows("m([1, 2])")


def test_the_lesson_shows_offline_what_it_says(notebook) -> None:
    lesson = nbformat.read(LESSON, as_version=4)
    ids = [cell.id for cell in lesson.cells]
    one = Writing(notebook(lesson.cells))
    one.page.evaluate(
        "path => localStorage.setItem('spark-jupyter:suggestions:here', JSON.stringify([[path, 'on']]))", one.book.name
    )
    one.run(ids.index("load"))
    one.page.wait_for_function("() => localStorage.getItem('spark-jupyter:kernels')")
    one.run(ids.index("table"))
    one.enter(ids.index("next"))
    one.shows("sales.head()")
    one.press("Tab")
    one.holds("sales.head()", ids.index("next"))
    columns = ids.index("columns")
    one.write('sales["re', columns)
    one.shows('gion"]')
    one.press("Tab")
    one.holds('sales["region"]', columns)
    one.page.keyboard.type('\nsales[sales["region"] == "no')
    one.shows('rth"]')
    keys = ids.index("keys")
    one.write('sales["re', keys)
    one.shows('gion"]')
    one.press("Control+ArrowRight")
    one.holds('sales["region', keys)


def test_who_prefers_jupyterlabs_own_surface_gets_them_there_whole_and_ours_stays_away_and_says_so(writing) -> None:
    one = writing([code("")], {"total = su": "m([1, 2])"})
    one.book.set(INLINE_COMPLETER, "providers", {"spark-jupyter": {"enabled": True, "timeout": 5000}})
    try:
        says = one.book.options.locator('.spark-Suggestions[data-mode="off"]', has_text="Inline Completer")
        says.filter(has_text="(Spark)").wait_for()
        one.write("total = su")
        one.page.wait_for_function("() => document.querySelector('.jp-GhostText')?.textContent === 'm([1, 2])'")
        assert one.ghost.count() == 0
        one.page.evaluate("() => window.jupyterapp.commands.execute('inline-completer:accept')")
        one.holds("total = sum([1, 2])")
    finally:
        one.book.set(INLINE_COMPLETER, "providers", None)
    one.book.options.locator('.spark-Suggestions[data-mode="on"]').wait_for()


def test_in_a_read_only_cell_none_is_asked_for(writing) -> None:
    one = writing([code("total = su", metadata={"editable": False}), code("")], {"total = su": "m([1])"})
    one.write("total = su", 1)
    one.shows("m([1])")
    asked = one.requests()
    one.enter(0)
    one.press("Control+End", "Alt+\\")
    one.shows_nothing()
    assert one.requests() == asked


def test_a_console_with_a_kernel_of_its_own_has_them_where_spark_is_loaded_in_it(writing, model) -> None:
    one = writing([code("")], {})
    server = model([{"match": f"total = su{CURSOR}", "answer": "m([1, 2])", "repeat": True}, {"answer": ""}])
    one.page.evaluate(
        "() => window.jupyterapp.commands.execute('console:create', { kernelPreference: { name: 'python3' } }).then(() => null)"
    )
    prompt = one.page.locator(".jp-CodeConsole-promptCell .cm-content")
    prompt.wait_for()
    idle = "() => window.jupyterapp.shell.currentWidget.sessionContext?.session?.kernel?.status === 'idle'"
    one.page.locator(".jp-CodeConsole-banner", has_text="IPython").wait_for()  # before, it runs nothing
    one.page.wait_for_function(idle)
    setup = f"import os; os.environ.update(SPARK_BASE_URL={server.url!r}, SPARK_API_KEY={server.token!r}, SPARK_MODEL='script')"
    for line in (setup, "%load_ext spark_jupyter"):
        one.page.evaluate("code => window.jupyterapp.shell.currentWidget.console.inject(code).then(() => null)", line)
        one.page.wait_for_function(idle)
    prompt.click()
    prompt.press_sequentially("total = su")
    deadline = time.monotonic() + 60
    while one.ghost.count() == 0:  # the console hears of Spark in its kernel by and by
        assert time.monotonic() < deadline, "nothing was suggested"
        one.press("Alt+\\")
        one.page.wait_for_timeout(1000)
    one.shows("m([1, 2])")


def test_in_a_python_file_they_come_where_it_has_a_console_else_it_is_said_how(writing) -> None:
    one = writing([code("")], {"total = su": "m(values)"})
    (one.book.server.root / "sums.py").write_text("values = [1, 2]\n")
    one.page.evaluate(
        "() => window.jupyterapp.commands.execute('docmanager:open', { path: 'sums.py', factory: 'Editor' }).then(() => null)"
    )
    editor = one.page.locator(".jp-FileEditor .cm-content")
    editor.click()
    one.press("Alt+\\")
    one.page.locator(".Toastify__toast", has_text="Create Console for Editor").wait_for()
    one.page.evaluate(
        """async model => {
          const { commands } = window.jupyterapp;
          const console = await commands.execute('console:create', { path: 'sums.py', insertMode: 'split-bottom', activate: false,
            kernelPreference: { name: 'python3' } });
          await console.sessionContext.ready;
          await console.console.inject(model);
          await console.console.inject('%load_ext spark_jupyter');
        }""",
        one.model_code,
    )
    editor.click()
    one.press("Control+End")
    one.page.keyboard.type("total = su")
    deadline = time.monotonic() + 60
    while one.ghost.count() == 0:  # the console hears of Spark in its kernel by and by
        assert time.monotonic() < deadline, "nothing was suggested"
        one.press("Alt+\\")
        one.page.wait_for_timeout(1000)
    one.shows("m(values)")
    one.press("Tab")
    one.shows_nothing()
    assert "total = sum(values)" in editor.inner_text()
