"""A model that sees is asked about a figure: by /look, by the button below a Try; and images that are dropped go along."""

from __future__ import annotations

import pytest

from tests.browser.lab import code
from tests.browser.test_prompt_images import FIGURE, picture, seer  # noqa: F401

DROP = (
    "data => { const bytes = Uint8Array.from(atob(data.base64), one => one.charCodeAt(0));"
    " const files = new DataTransfer(); files.items.add(new File([bytes], data.name, { type: 'image/png' }));"
    " const box = document.querySelector('.spark-Panel .spark-Prompt-box');"
    " const over = new DragEvent('dragover', { dataTransfer: files, bubbles: true, cancelable: true });"
    " box.dispatchEvent(over);"
    " box.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));"
    " return over.defaultPrevented; }"
)
PLOTLY = (
    "from IPython.display import display\n"
    "display({'application/vnd.plotly.v1+json': {'data': [], 'layout': {}}, 'text/plain': 'Figure'}, raw=True)"
)


def connected(notebook, url, *cells):
    book = notebook([code(each) for each in cells])
    book.execute(
        f"import os\nos.environ.update(SPARK_BASE_URL='{url}', SPARK_DIALECT='chat', SPARK_MODEL='seer', SPARK_API_KEY='k')\n"
        "%load_ext spark_jupyter"
    )
    book.execute("%spark images on")
    book.open_panel()
    return book


def content(body) -> list[str]:
    return [part["type"] for part in body["messages"][-1]["content"]]


def test_an_image_that_is_dropped_is_shown_and_goes_along(notebook, seer) -> None:  # noqa: F811
    url, bodies = seer
    book = connected(notebook, url, "x = 1")
    assert book.page.evaluate(DROP, {"base64": picture(320, 200), "name": "dropped.png"})
    book.panel.locator(".spark-Images .spark-Chip", has_text="dropped.png").wait_for()
    book.prompt("what is this?")
    book.panel.get_by_text("It is all teal.").wait_for()
    assert content(bodies[-1]) == ["image_url", "text"]


@pytest.mark.parametrize("cell", [FIGURE.format(picture(400, 300)), PLOTLY], ids=["picture", "plotly"])
def test_look_sends_the_last_figure_also_that_which_the_browser_drew(notebook, seer, cell: str) -> None:  # noqa: F811
    url, bodies = seer
    book = connected(notebook, url, cell)
    book.activate(0)
    book.command("notebook:run-cell")
    book.wait_until(
        "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[0].outputs.some(one => one.data['image/png'])"
    )
    book.prompt("/look the axes")
    book.panel.get_by_text("It is all teal.").wait_for()
    assert content(bodies[-1]) == ["image_url", "text"]
    assert "the axes" in bodies[-1]["messages"][-1]["content"][-1]["text"]


def test_the_button_below_a_try_sends_the_figure_that_it_drew(notebook, seer) -> None:  # noqa: F811
    url, bodies = seer
    book = connected(notebook, url, "x = 1")
    book.prompt("draw it")
    book.wait_state("ready")
    book.button("try").click()
    look = book.footer().get_by_role("button", name="Look", exact=True)
    look.click()
    book.panel.get_by_text("It is all teal.").wait_for()
    assert content(bodies[-1]) == ["image_url", "text"]
    assert picture(320, 200) in bodies[-1]["messages"][-1]["content"][0]["image_url"]["url"]
