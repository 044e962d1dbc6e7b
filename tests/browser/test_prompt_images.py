"""Images that go along with a prompt: shown before they are sent, asked about once, and never sent to a model that reads none."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import PIL.Image
import pytest

from tests.browser.lab import Notebook, code

NAMES = (
    "data => { const bytes = Uint8Array.from(atob(data.base64), one => one.charCodeAt(0));"
    " const files = new DataTransfer(); files.items.add(new File([bytes], data.name, { type: 'image/png' }));"
    " const box = document.querySelector('.spark-Panel .spark-Prompt-box');"
    " box.dispatchEvent(new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true })); }"
)
FIGURE = "import base64\nfrom IPython.display import Image, display\ndisplay(Image(data=base64.b64decode('{}')))"


def picture(width: int, height: int) -> str:
    written = io.BytesIO()
    PIL.Image.new("RGB", (width, height), "teal").save(written, "PNG")
    return base64.b64encode(written.getvalue()).decode()


class Seer(BaseHTTPRequestHandler):
    """A chat server with one model that sees."""

    bodies: list[dict[str, object]]

    def do_GET(self) -> None:
        self._answer({"data": [{"id": "seer", "capabilities": {"vision": True}}]})

    def do_POST(self) -> None:
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        draws = "draw it" in json.dumps(self.bodies[-1]["messages"][-1])  # type: ignore[index]
        said = f"```python\n{FIGURE.format(picture(320, 200))}\n```\n" if draws else "It is all teal."
        self._answer({"object": "chat.completion", "choices": [{"message": {"content": said}}]})

    def _answer(self, told: object) -> None:
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def seer() -> Iterator[tuple[str, list[dict[str, object]]]]:
    handler = type("OneSeer", (Seer,), {"bodies": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", handler.bodies
        server.shutdown()


def paste(book: Notebook, width: int, height: int, name: str) -> None:
    book.page.evaluate(NAMES, {"base64": picture(width, height), "name": name})


def test_images_are_shown_before_they_are_sent_and_asked_about_once(notebook, seer) -> None:
    url, bodies = seer
    book = notebook([code(FIGURE.format(picture(400, 300)))])
    book.execute(
        f"import os\nos.environ.update(SPARK_BASE_URL='{url}', SPARK_DIALECT='chat', SPARK_MODEL='seer', SPARK_API_KEY='k')\n"
        "%load_ext spark_jupyter"
    )
    book.open_panel()
    book.activate(0)
    book.command("notebook:run-cell")
    paste(book, 3200, 1600, "large.png")
    book.box.fill("Why is this plot all teal?")
    chips = book.panel.locator(".spark-Images .spark-Chip")
    chips.nth(1).wait_for()
    assert "large.png" in chips.nth(0).inner_text()
    assert "1516 × 758" in chips.nth(0).inner_text()
    assert "figure" in chips.nth(1).inner_text()
    assert "400 × 300" in chips.nth(1).inner_text()
    assert "about 258 tokens" in chips.nth(1).inner_text()
    book.screenshot("images")
    book.box.press("Enter")
    dialog = book.page.locator(".jp-Dialog")
    dialog.get_by_text("Send images to").first.wait_for()
    book.screenshot("images-asked")
    dialog.get_by_role("button", name="Cancel").click()
    book.in_box("Why is this plot all teal?")
    assert bodies == []
    book.box.press("Enter")
    dialog.get_by_role("button", name="Send").click()
    book.panel.get_by_text("It is all teal.").wait_for()
    content = bodies[-1]["messages"][-1]["content"]  # type: ignore[index]
    assert [part["type"] for part in content] == ["image_url", "image_url", "text"]
    assert chips.count() == 0
    paste(book, 64, 64, "small.png")
    book.prompt("and this one?")
    book.panel.get_by_text("It is all teal.").nth(1).wait_for()
    assert len(bodies) == 2


def test_a_model_that_reads_no_images_gets_none_and_that_is_said(notebook, model) -> None:
    book = notebook([code("x = 1")], model([{"answer": "I can't see it.", "repeat": True}]))
    book.open_panel()
    paste(book, 640, 480, "plot.png")
    chip = book.panel.locator(".spark-Images .spark-Chip")
    chip.wait_for()
    book.panel.get_by_text("reads no images, so they are not sent").wait_for()
    book.screenshot("images-unread")
    chip.get_by_role("button", name="Remove plot.png").click()
    chip.wait_for(state="detached")
    paste(book, 640, 480, "plot.png")
    book.prompt("what is wrong here?")
    book.panel.get_by_text("I can't see it.").wait_for()
