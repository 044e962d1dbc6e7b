"""Two notebooks with one kernel, and a console beside a notebook: the same turns, cells where they belong, decisions for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import code

if TYPE_CHECKING:
    from tests.browser.lab import Notebook

ANSWERS = [{"answer": f"```python\n{name} = 1\n```\n"} for name in ("first", "second")]
_KERNEL = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.id"
_USE_KERNEL = "id => window.jupyterapp.shell.currentWidget.sessionContext.changeKernel({ id }).then(() => null)"
_IN_CONSOLE = """async code => {
  const { console: own, sessionContext } = window.jupyterapp.shell.currentWidget;
  await sessionContext.ready;
  await own.inject(code);
}"""


def prompts(book: Notebook) -> list[str]:
    """The turns that the panel shows."""
    book.open_panel()
    shown: list[str] = book.panel.locator(".spark-Turn-prompt").evaluate_all(
        "all => all.map(one => one.lastChild.textContent)"
    )
    return shown


def test_each_notebook_of_a_kernel_gets_what_was_prompted_there(notebook, model) -> None:
    one = notebook([code("x = 1")], model(ANSWERS))
    kernel = one.page.evaluate(_KERNEL)
    one.prompt("write here")
    one.wait_state("ready", 1)
    two = notebook([code("y = 2")])
    two.page.evaluate(_USE_KERNEL, kernel)
    two.wait_ready()
    two.prompt("write there")
    two.wait_state("ready", 1)
    assert two.sources() == ["y = 2", "second = 1"]
    two.button("accept", 1).click()
    two.panel.locator('.spark-CellLink[data-state="accepted"]').wait_for()
    assert prompts(two) == ["write here", "write there"]
    one.open_here()
    one.wait_state("ready", 1)
    assert one.sources() == ["x = 1", "first = 1"]
    one.panel.locator('.spark-CellLink[data-state="accepted"]').wait_for()
    assert prompts(one) == ["write here", "write there"]


@pytest.mark.own_page  # JupyterLab's toolbars fail where what was just shown is closed
def test_a_console_decides_for_the_notebook_beside_it(notebook, model) -> None:
    book = notebook([code("x = 1")], model(ANSWERS))
    book.prompt("write here")
    book.wait_state("ready", 1)
    book.page.evaluate("() => window.jupyterapp.commands.execute('notebook:create-console').then(() => null)")
    book.page.wait_for_function("() => !!window.jupyterapp.shell.currentWidget.console")
    book.page.evaluate(_IN_CONSOLE, "%spark accept 1")
    book.open_here()
    book.open_panel()
    book.panel.locator('.spark-CellLink[data-state="accepted"]').wait_for()
    assert book.page.locator(".spark-Footer[data-state='ready']").count() == 0
    assert book.sources() == ["x = 1", "first = 1"]
