"""Every state of the panel says what to do."""

from __future__ import annotations

import sys

import pytest

from tests.browser.lab import Notebook, code
from tests.browser.server import LabServer

OTHER_KERNEL = """
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class Other(Kernel):
    implementation = "other"
    implementation_version = "1"
    language_info = {"name": "lisp", "mimetype": "text/plain", "file_extension": ".lisp"}
    banner = "another language"

    async def do_execute(self, code, silent, **options):
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}


IPKernelApp.launch_instance(kernel_class=Other)
"""


NO_SUBSHELLS = """
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp


class OneShell(IPythonKernel):
    _supports_kernel_subshells = False


IPKernelApp.launch_instance(kernel_class=OneShell)
"""


def add_kernel(lab: LabServer, name: str, program: str, language: str) -> str:
    """A kernel that this program is; returns its name."""
    path = lab.root.parent / f"{name}.py"
    path.write_text(program)
    lab.add_kernel(name, [sys.executable, str(path), "-f", "{connection_file}"], language)
    return name


def change_kernel(book: Notebook, name: str) -> None:
    book.page.evaluate(
        """async name => {
          await window.jupyterapp.serviceManager.kernelspecs.refreshSpecs();
          await window.jupyterapp.shell.currentWidget.sessionContext.changeKernel({ name });
        }""",
        name,
    )


@pytest.fixture(scope="session")
def other_kernel(lab: LabServer) -> str:
    """A kernel for another language than Python."""
    return add_kernel(lab, "other", OTHER_KERNEL, "lisp")


@pytest.fixture(scope="session")
def kernel_without_subshells(lab: LabServer) -> str:
    """A Python kernel that does one thing after the other, as ipykernel 6."""
    return add_kernel(lab, "one-shell", NO_SUBSHELLS, "python")


MISSING = """
import sys
from importlib.abc import MetaPathFinder


class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "spark_jupyter":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


for name in [name for name in sys.modules if name.partition(".")[0] == "spark_jupyter"]:
    del sys.modules[name]
sys.meta_path.insert(0, Missing())
"""


def status(book: Notebook, text: str) -> None:
    book.panel.locator(".spark-Status-text", has_text=text).wait_for()


def attached(book: Notebook) -> None:
    """Wait until the panel has attached to the kernel: JupyterLab fails where that ends while it waits for a subshell."""
    book.panel.locator(".spark-Status-provider").wait_for()


def test_without_a_notebook_it_says_to_open_one(notebook) -> None:
    book = notebook([code("x = 1")])
    book.open_panel()
    book.save()
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.close()")
    book.panel.locator(".spark-Welcome", has_text="Open a notebook to begin").wait_for()
    assert book.box.is_disabled()


def test_an_empty_notebook_says_how_to_begin(notebook) -> None:
    book = notebook([code("")])
    book.open_panel()
    text = book.panel.locator(".spark-Welcome").inner_text()
    assert "Say what the next cells should do" in text
    assert "Esc stops it" in text


def test_without_a_model_the_recipe_books_answer_and_it_says_how_to_connect_one(notebook) -> None:
    book = notebook([code("x = 1")])
    book.open_panel()
    book.box.type("s")
    book.panel.get_by_text("Offline recipes, no model").wait_for(timeout=60_000)
    book.panel.locator(".spark-Welcome-who", has_text="Offline recipes answer").wait_for()
    book.prompt("sort a list of dictionaries by a key")
    book.wait_until("cells => cells.length >= 2 && cells[1].source.length > 10")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.screenshot("recipe-books")


def test_without_a_kernel_it_offers_to_choose_one(notebook) -> None:
    book = notebook([code("x = 1")])
    book.open_panel()
    attached(book)
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    status(book, "This notebook has no kernel")
    book.screenshot("no-kernel")
    book.panel.get_by_role("button", name="Choose a kernel").click()
    book.page.locator(".jp-Dialog", has_text="Select Kernel").wait_for()
    book.page.keyboard.press("Escape")


def test_with_another_language_it_says_that_it_needs_python(notebook, other_kernel: str) -> None:
    book = notebook([code("x = 1")])
    book.open_panel()
    change_kernel(book, other_kernel)
    status(book, "Spark works with Python kernels")
    book.screenshot("other-language")
    book.box.fill("hello")
    assert book.panel.get_by_role("button", name="Send").is_disabled()
    book.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.changeKernel({ name: 'python3' }).then(() => null)"
    )
    book.panel.locator(".spark-Status-text").wait_for(state="detached")
    assert book.panel.get_by_role("button", name="Send").is_enabled()
    book.in_box("hello")


def test_without_subshells_it_works_and_says_that_commands_wait_for_the_running_cell(
    notebook, model, kernel_without_subshells: str
) -> None:
    go = "no-subshells.go"
    source = f"print('begun')\nimport pathlib, time\nwhile not pathlib.Path({go!r}).exists():\n    time.sleep(0.02)"
    server = model([{"answer": "```python\ny = 2\n```\n", "repeat": True}])
    book = notebook([code(source)])
    change_kernel(book, kernel_without_subshells)
    book.wait_ready().configure(server)
    book.prompt("one")
    book.wait_state("ready", 1)
    status(book, "they wait for the running cell")
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    book.start_busy(0)
    book.prompt("two")
    assert book.sources() == [source, "y = 2"]
    status(book, "they wait for the running cell")
    (book.server.root / go).touch()
    book.wait_state("ready", 2)  # below the last answer
    book.panel.locator('.spark-Turn[data-outcome="completed"]').nth(1).wait_for()
    assert book.sources() == [source, "y = 2", "y = 2"]


def test_where_the_server_is_lost_it_says_so_and_goes_on_by_itself(notebook, model) -> None:
    book = notebook([code("x = 1")], model([{"answer": "```python\ny = 2\n```\n"}]))
    book.open_panel()
    book.box.type("on")
    book.panel.locator(".spark-Status-provider").wait_for()
    book.page.evaluate(
        """() => {
          const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
          window.realReconnect = kernel._reconnect;
          kernel._reconnect = () => kernel._updateConnectionStatus('connecting');
          kernel._ws.close(4000, 'test');
        }"""
    )
    status(book, "The connection to the server is lost")
    book.screenshot("offline")
    book.box.press("Enter")
    book.in_box("on")
    book.page.evaluate(
        "() => window.realReconnect.call(window.jupyterapp.shell.currentWidget.sessionContext.session.kernel)"
    )
    book.panel.locator(".spark-Status-text").wait_for(state="detached")
    book.box.press("Enter")
    book.wait_state("ready", 1)


@pytest.mark.own_page  # a panel that is open already would load Spark before it is missing
def test_a_kernel_without_spark_says_how_to_install_it(notebook) -> None:
    book = notebook([code("x = 1")])
    book.execute(MISSING)
    book.open_panel()
    book.box.fill("hello")
    book.box.press("Enter")
    status(book, "%pip install spark-jupyter")
    book.screenshot("no-spark")
    book.in_box("hello")
    book.execute("import sys; del sys.meta_path[0]")
    book.panel.get_by_role("button", name="Try again").click()
    book.panel.locator(".spark-Status-provider").wait_for()


def test_a_wrong_key_fails_the_turn_with_what_to_do(notebook, model) -> None:
    server = model([{"answer": "```python\ny = 2\n```\n"}])
    book = notebook([code("x = 1")])
    book.execute(
        f"import os; os.environ.update(SPARK_BASE_URL={server.url!r}, SPARK_API_KEY='wrong', SPARK_MODEL='script')"
    )
    book.prompt("hello")
    reason = book.panel.locator('.spark-Turn[data-outcome="failed"] .spark-Turn-reason')
    reason.wait_for()
    assert "key" in reason.inner_text().lower()
    assert book.panel.locator(".spark-Problem").count() == 0
    assert "wrong" not in reason.inner_text()
    book.screenshot("wrong-key", contrast=True)
    book.panel.get_by_role("button", name="Edit prompt").click()
    book.in_box("hello")


def test_a_provider_that_is_not_there_fails_the_turn_with_what_to_do(notebook) -> None:
    book = notebook([code("x = 1")])
    book.execute(
        "import os; os.environ.update(SPARK_BASE_URL='http://127.0.0.1:9/v1', SPARK_API_KEY='k', SPARK_MODEL='m')"
    )
    book.prompt("hello")
    reason = book.panel.locator('.spark-Turn[data-outcome="failed"] .spark-Turn-reason')
    reason.wait_for(timeout=60_000)
    assert "127.0.0.1:9" in reason.inner_text()


def test_in_a_narrow_window_the_footer_stands_below_the_editor_as_in_a_wide_one(notebook, model) -> None:
    book = notebook([code("x = 1")], model([{"answer": "```python\ny = 2\n```\n"}]))
    book.activate(0)
    book.prompt("two")
    book.wait_state("ready", 1)
    book.button("accept", 1).wait_for()
    for width in (1280, 700):  # JupyterLab puts prompts above the editors from 760 downwards
        book.page.set_viewport_size({"width": width, "height": 720})
        book.page.wait_for_function(
            """() => {
              const cell = document.querySelectorAll('.jp-Notebook .jp-Cell')[1];
              const left = place => cell.querySelector(place).getBoundingClientRect().left;
              return Math.abs(left('.spark-Footer') - left('.jp-InputArea-editor')) <= 2;
            }"""
        )
