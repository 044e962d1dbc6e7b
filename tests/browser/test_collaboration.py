"""Two people in one notebook, in two browsers, with each extension that shares documents: ``scripts/interop_setup.sh`` installs them."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import Notebook, code, program
from tests.browser.server import LabServer
from tests.browser.test_painted_lines import SEEN, WATCH

if TYPE_CHECKING:
    from collections.abc import Iterator

INTEROP = Path(__file__).resolve().parents[2] / ".interop"

pytestmark = [pytest.mark.own_page, pytest.mark.own_server]


def with_extension(name: str) -> object:
    """The Python that has an extension which shares documents, as a parameter."""
    python = INTEROP / f"{name}-venv" / "bin" / "python"
    skip = pytest.mark.skipif(not python.exists(), reason=f"jupyter {name} is not there: run scripts/interop_setup.sh")
    return pytest.param(str(python), marks=skip, id=name)


@pytest.fixture(scope="module", params=[with_extension("collaboration"), with_extension("documents")])
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """A Jupyter server with jupyter-collaboration, or with jupyter-server-documents, which runs cells on the server."""
    server = LabServer(tmp_path_factory.mktemp("lab"), python=request.param)
    yield server
    server.close()


def other_page(book: Notebook, browser) -> Notebook:
    """The same notebook in a browser of somebody else's."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    return Notebook(book.server, context.new_page(), book.name).open()


def turns(book: Notebook) -> list[str]:
    """The turns that a page knows, whether its panel was open or not."""
    book.open_panel()
    prompts: list[str] = book.panel.locator(".spark-Turn-prompt").evaluate_all(
        "all => all.map(one => one.lastChild.textContent)"
    )
    return prompts


def test_both_show_one_state_where_one_asks_and_the_other_never_opened_the_panel(notebook, model, browser) -> None:
    text = program(300)
    book = notebook([code("x = 1")], model([{"answer": f"```python\n{text}\n```\n"}], rate=300))
    other = other_page(book, browser)
    book.prompt("write")
    book.wait_state("ready", 1, timeout=60_000)
    other.wait_state("ready", 1, timeout=60_000)
    assert other.sources() == book.sources() == ["x = 1", text]
    assert other.page.get_by_text("Its text differs").count() == 0
    assert turns(other) == turns(book) == ["write"]
    other.page.locator('.spark-Footer [data-action="accept"]').click()
    book.page.locator('.spark-Footer [data-action="accept"]').wait_for(state="detached")
    book.panel.locator('.spark-CellLink[data-state="accepted"]').wait_for()
    assert other.sources() == book.sources() == ["x = 1", text]
    other.page.context.close()


def test_writing_moves_over_where_the_writer_s_tab_closes(notebook, model, browser) -> None:
    text = program(600)
    book = notebook([code("x = 1")], model([{"answer": f"```python\n{text}\n```\n"}], rate=150))
    other = other_page(book, browser)
    other.prompt("write")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 200")
    other.leave()
    book.wait_state("ready", 1, timeout=60_000)
    assert book.sources() == ["x = 1", text]
    other.page.context.close()


def test_spark_is_a_participant_whose_cursor_stands_where_it_writes(notebook, model, browser) -> None:
    text = program(300)
    book = notebook([code("x = 1")], model([{"answer": f"```python\n{text}\n```\n"}], rate=300))
    other = other_page(book, browser)
    other.page.evaluate(_NOTE_PARTICIPANTS)
    book.prompt("write")
    book.wait_state("ready", 1, timeout=60_000)
    last = "() => window.participants.at(-1)?.cursors.length === 0"
    other.page.wait_for_function(last, polling=20, timeout=60_000)
    seen = other.page.evaluate("() => window.participants")
    assert {(one["user"]["display_name"], one["user"]["color"]) for one in seen} == {
        ("Spark", "var(--jp-brand-color1)")
    }
    texts = [cursor["head"]["type"] for one in seen for cursor in one["cursors"]]
    assert texts
    assert all(place == other.page.evaluate(_TEXT_OF_NEW_CELL) for place in texts)
    other.page.context.close()


_NOTE_PARTICIPANTS = """() => {
  const { awareness } = window.jupyterapp.shell.currentWidget.content.model.sharedModel;
  window.participants = [];
  awareness.on('change', () => {
    const states = [...awareness.getStates().values()].filter(state => state.user?.username === 'spark-jupyter');
    window.participants.push(...states);
  });
}"""
_TEXT_OF_NEW_CELL = """() => {
  const { client, clock } = window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[1].ysource._item.id;
  return { client, clock };
}"""


def test_another_s_answer_bears_a_name_and_is_not_stopped_without_a_question(notebook, model, browser) -> None:
    book = notebook([code("x = 1")], model([{"answer": f"```python\n{program(4000)}\n```\n"}], rate=50))
    other = other_page(book, browser)
    other.prompt("write")
    book.open_panel()
    book.panel.locator(".spark-Turn .spark-Person").wait_for()
    assert other.panel.locator(".spark-Turn .spark-Person").count() == 0
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 50")
    for answer, outcome in (("reject", "streaming"), ("accept", "cancelled")):
        book.start("spark:cancel")
        dialog = book.page.locator(".jp-Dialog", has_text="Interrupt this answer?")
        dialog.locator(f".jp-mod-{answer}").click()
        dialog.wait_for(state="detached")
        if outcome == "cancelled":
            other.panel.locator('.spark-Turn[data-outcome="cancelled"]').wait_for()
        else:
            assert other.panel.locator(".spark-Turn[data-outcome='cancelled']").count() == 0
    other.page.context.close()


def test_undo_takes_back_what_one_accepted_and_leaves_what_another_did(notebook, model, browser) -> None:
    answers = [{"answer": "```python\nx = 2\n```\n"}, {"answer": "```python\ny = 2\n```\n"}]
    book = notebook([code("x = 1", id="a"), code("y = 1", id="b")], model(answers))
    other = other_page(book, browser)
    for page, place, source in ((book, 0, "x = 2"), (other, 1, "y = 2")):
        page.activate(place)
        page.command("spark:edit")
        page.prompt("another value")
        page.wait_state("ready", place)
        page.button("accept", place).click()
        for each in (book, other):
            each.wait_until(f"cells => cells[{place}].source === '{source}'")
    book.command("notebook:undo")
    for each in (book, other):
        each.wait_until("cells => cells[0].source === 'x = 1' && cells[1].source === 'y = 2'")
    other.page.context.close()


@pytest.mark.parametrize(
    "lab", [pytest.param(sys.executable, id="apart"), with_extension("collaboration")], indirect=True
)
def test_cells_below_a_magic_that_runs_a_proposal_wait_for_the_page_that_writes(notebook, model, browser) -> None:
    cells = ["%%spark --wait\ngo", "%spark run", "order.append('check')", "print(order)"]
    book = notebook([code("%load_ext spark_jupyter\norder = []"), *map(code, cells)])
    book.configure(model([{"answer": "```python\norder.append('proposed')\n```\n"}]))
    other = other_page(book, browser)
    book.activate(0)
    book.command("notebook:run-cell-and-select-next")
    book.command("notebook:run-cell-and-select-next")
    book.wait_state("ready", 2, timeout=60_000)
    other.open_panel()
    other.panel.locator(".spark-CellLink").wait_for()
    other.activate(other.sources().index("%spark run"))
    other.start("notebook:run-all-below")
    other.page.get_by_text("['proposed', 'check']").wait_for()
    other.page.context.close()


@pytest.mark.parametrize("lab", [with_extension("collaboration"), with_extension("documents")], indirect=True)
def test_shift_enter_on_a_blocked_proposal_asks(notebook, model) -> None:
    answer = "```python\nimport os\nos.system('ls ' + input())\n```\n"
    book = notebook([code("x = 1")], model([{"answer": answer, "repeat": True}]))
    book.prompt("write")
    book.wait_state("blocked", 1, timeout=60_000)
    book.activate(1)
    book.page.keyboard.press("Shift+Enter")
    book.page.locator(".spark-Footer-question").wait_for()


_HOLD_WRITES = """() => {
  const ask = window.requestAnimationFrame.bind(window);
  const held = [];
  const hasBegun = () => !!window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[1]?.source;
  window.requestAnimationFrame = frame => (hasBegun() ? held.push(frame) : ask(frame));
  window.letWrite = () => {
    window.requestAnimationFrame = ask;
    held.forEach(frame => ask(frame));
  };
}"""


def test_who_reads_sees_lines_that_the_document_does_not_hold_yet(notebook, model, browser) -> None:
    text = program(2000)
    pieces = ["```python\n", *text.splitlines(keepends=True), "\n```\n"]
    may_end = threading.Event()
    book = notebook([code("x = 1")], model([{"pieces": pieces}], rate=20, may_end=may_end))
    other = other_page(book, browser)
    other.page.evaluate(WATCH)
    book.open_panel()
    book.page.evaluate(_HOLD_WRITES)
    book.prompt("write")
    other.page.wait_for_function("() => window.seen.painted > 0", timeout=60_000)
    book.page.evaluate("() => window.letWrite()")
    may_end.set()
    for one in (book, other):
        one.wait_state("ready", 1, timeout=60_000)
        one.wait_until("(cells, text) => cells[1].source === text", text, timeout=60_000)
    assert other.page.evaluate(SEEN)["wrong"] == []
    assert other.page.locator(".spark-LiveText").count() == 0
    other.page.context.close()


@pytest.mark.parametrize("lab", [with_extension("documents")], indirect=True)
def test_what_a_cell_prints_while_no_browser_is_open_is_there_afterwards(notebook) -> None:
    book = notebook([code("import time\nfor number in range(5):\n    print('step', number)\n    time.sleep(1)")])
    book.activate(0)
    book.start("notebook:run-cell")
    book.page.get_by_text("step 0").wait_for()
    book.leave()
    book.server.wait_idle()
    book.open(query="")
    book.page.get_by_text("step 4").wait_for()
