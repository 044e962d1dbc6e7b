"""Two people in one notebook, in two browsers, with each extension that shares documents: ``scripts/interop_setup.sh`` installs them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import Notebook, code, program
from tests.browser.server import LabServer

if TYPE_CHECKING:
    from collections.abc import Iterator

INTEROP = Path(__file__).resolve().parents[2] / ".interop"

pytestmark = [pytest.mark.own_page, pytest.mark.own_server]


def with_extension(name: str) -> object:
    """The Python that has an extension which shares documents, as a parameter."""
    python = INTEROP / f"{name}-venv" / "bin" / "python"
    skip = pytest.mark.skipif(not python.exists(), reason=f"jupyter {name} is not there: run scripts/interop_setup.sh")
    return pytest.param(str(python), marks=skip, id=name)


@pytest.fixture(scope="module", params=[with_extension("collaboration")])
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


@pytest.mark.parametrize("lab", [with_extension("collaboration"), with_extension("documents")], indirect=True)
def test_shift_enter_on_a_blocked_proposal_asks(notebook, model) -> None:
    answer = "```python\nimport os\nos.system('ls ' + input())\n```\n"
    book = notebook([code("x = 1")], model([{"answer": answer, "repeat": True}]))
    book.prompt("write")
    book.wait_state("blocked", 1, timeout=60_000)
    book.activate(1)
    book.page.keyboard.press("Shift+Enter")
    book.page.locator(".spark-Footer-question").wait_for()
