"""Texts of foreign notebooks and of models stay text: nothing runs, nothing loads, nothing becomes markup."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.lab import Notebook, code, markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

NOTES = """<script>window.pwned = 'script'</script>
<img src="http://127.0.0.1:9/beacon.png" onerror="window.pwned = 'img'">
<svg onload="window.pwned = 'svg'"><a href="javascript:window.pwned='svglink'">svg</a></svg>
<iframe srcdoc="<script>parent.pwned = 'iframe'</script>"></iframe>
<form action="http://127.0.0.1:9/form"><button>form</button></form>
<style>.jp-Notebook { display: none !important }</style>
<p style="position: fixed; inset: 0" class="jp-Dialog" id="main" onclick="window.pwned = 'onclick'">over all</p>

[one](javascript:window.pwned='link') [two](data:text/html,<script>window.pwned=1</script>) [three](vbscript:x)
[six](/logout) [seven](api/kernels) [eight](?reset)
![four](http://127.0.0.1:9/beacon2.png) ![five](data:image/svg+xml;base64,PHN2Zy8+)

\u001b[31mred\u001b[0m and a bell \u0007 and **bold**.
"""


@pytest.fixture
def beacons(page: Page) -> list[str]:
    """Requests to a host that only hostile text names."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if ":9/" in request.url else None)
    return asked


def untouched(book: Notebook, beacons: list[str]) -> None:
    """Nothing was executed, nothing asked for, and the notebook is still there."""
    assert book.page.evaluate("() => window.pwned ?? null") is None
    assert beacons == []
    assert book.page.locator(".jp-Notebook").is_visible()


def test_hostile_notes_are_rendered_without_anything_that_acts(notebook, model, beacons) -> None:
    book = notebook([code("x = 1")], model([{"answer": NOTES}]))
    book.prompt("<img src=x onerror=\"window.pwned='prompt'\">")
    notes = book.panel.locator(".spark-Notes")
    notes.locator("strong", has_text="bold").wait_for()
    tags = notes.locator("*").evaluate_all("nodes => [...new Set(nodes.map(node => node.tagName))]")
    assert not set(tags) & {"SCRIPT", "IMG", "SVG", "svg", "IFRAME", "FORM", "BUTTON", "STYLE", "INPUT", "OBJECT"}
    attributes = notes.locator("*").evaluate_all("nodes => nodes.flatMap(node => node.getAttributeNames())")
    assert set(attributes) <= {"href", "title", "rel"}
    links = notes.locator("a[href]").evaluate_all("nodes => nodes.map(node => [node.title, node.getAttribute('href')])")
    assert all(title == link for title, link in links)
    links = notes.locator("a").evaluate_all("nodes => nodes.map(node => node.getAttribute('href'))")
    assert all(link is None or link.startswith(("http://", "https://", "mailto:")) for link in links)
    assert "\x1b" not in notes.inner_text()
    assert "\x07" not in notes.inner_text()
    book.page.evaluate("() => { window.asked = []; window.opens = open; window.open = url => { asked.push(url); }; }")
    for link in notes.locator("a").all():
        link.click()
    assert book.page.evaluate("() => { window.open = opens; return asked; }") == []
    assert book.panel.locator(".spark-Turn-prompt").inner_text().startswith("<img")
    untouched(book, beacons)


def test_a_formula_in_notes_loads_nothing(notebook, model, beacons) -> None:
    reaching = r"$\style{cursor:url(http://127.0.0.1:9/cursor.png),auto}{\text{reaching}}$ and **bold**."
    book = notebook([code("x = 1")], model([{"answer": reaching}]))
    book.prompt("a formula")
    notes = book.panel.locator(".spark-Notes")
    notes.locator("strong", has_text="bold").wait_for()
    notes.hover()
    assert "style{cursor" in notes.inner_text()
    assert notes.locator("[style*=cursor]").count() == 0
    untouched(book, beacons)


OUTPUTS = """from IPython.display import HTML, Latex, Markdown, display
display(HTML("<table><tr><td>tabled FORMULA</td></tr></table>"), Latex("FORMULA"))
display(Markdown("![tried](http://127.0.0.1:9/tried.png) FORMULA"))
print("printed FORMULA")
raise ValueError("FORMULA")
"""


def test_outputs_of_magics_load_nothing(notebook, model, beacons) -> None:
    formula = r"$\unicode[x;background-image:url(http://127.0.0.1:9/output.png)]{x41}$"
    source = OUTPUTS.replace("FORMULA", formula.replace("\\", "\\\\"))
    book = notebook(list(map(code, ["%load_ext spark_jupyter", "%spark --wait go", "%spark try 1"])))
    book.configure(model([{"answer": f"{formula} and **bold**\n\n```python\n{source}\n```\n", "repeat": True}]))
    for index in range(3):
        book.activate(index if index < 2 else 3)
        book.command("notebook:run-cell")
        if index == 1:
            book.wait_state("ready", 2)
    book.cell(1).locator(".jp-OutputArea b", has_text="bold").wait_for()
    book.cell(3).get_by_text("tabled").first.wait_for()
    book.page.wait_for_timeout(500)  # what typesets formulas does so later
    assert book.page.locator(".jp-OutputArea mjx-container").count() == 0
    assert r"\unicode" in book.output(1)
    untouched(book, beacons)


def test_hostile_code_and_findings_are_shown_as_text(notebook, model, beacons) -> None:
    source = "html = \"<img src='http://127.0.0.1:9/code.png' onerror='window.pwned=1'>\"  # \u001b[2J\nimport os\nos.system('rm -rf / ')"
    book = notebook([code("x = 1")], model([{"answer": f"```python\n{source}\n```\n", "repeat": True}]))
    book.prompt("go")
    book.wait_state("blocked", 1)
    assert book.panel.locator(".spark-CellLink code").first.inner_text().startswith('html = "<img')
    assert book.footer(1).locator("img, script, svg").count() == 0
    untouched(book, beacons)


HOSTILE = "<img src='http://127.0.0.1:9/meta.png' onerror=\"window.pwned='meta'\">"
METADATA: list[Any] = [
    {
        "hash": HOSTILE,
        "model": HOSTILE,
        "prompt": f"{HOSTILE}\u202e\u0000" * 50,
        "time": HOSTILE,
        "turn": "__proto__",
        "findings": [{"rule": HOSTILE, "severity": "block"}],
        "source": "print('from metadata')",
        "run": True,
        "auto_run": True,
    },
    {"hash": 7, "prompt": ["a"], "model": {"toString": "x"}},
    {"hash": "a" * 16, "prompt": {"__proto__": {"polluted": True}}},
    [1, 2, 3],
    HOSTILE,
    None,
    {"hash": None},
]


def test_hostile_metadata_is_never_executed_or_rendered(notebook, model, beacons) -> None:
    cells = [code(f"x{n} = {n}", metadata={"spark": one}) for n, one in enumerate(METADATA)]
    book = notebook(cells, model([{"answer": "```python\ny = 2\n```\n"}]))
    before = book.sources()
    book.open_panel()
    book.cell(0).locator('.spark-Mark[data-changed="true"]').wait_for()
    assert book.cell(0).locator(".spark-Mark").locator("*").count() == 0
    assert len(book.cell(0).locator(".spark-Mark").get_attribute("title") or "") < 1200
    assert book.page.evaluate("() => ({}).polluted ?? null") is None
    assert [book.cell(n).locator(".spark-Mark").count() for n in (1, 3, 4, 5, 6)] == [0] * 5
    assert book.footer().count() == 0
    assert all("from metadata" not in text for text in book.page.locator(".jp-OutputArea").all_inner_texts())
    assert book.sources() == before
    untouched(book, beacons)
    book.activate(len(METADATA) - 1)
    book.prompt("go")
    book.wait_state("ready", len(METADATA))
    untouched(book, beacons)


def test_a_notebook_cannot_choose_auto_run_for_its_reader(notebook, model) -> None:
    book = notebook([code("x = 1", metadata={"spark": {"auto-run": True}})])
    book.open_panel()
    assert not book.options.get_by_label("Auto-run").is_checked()


def test_hostile_cell_ids_harm_nothing(lab, notebook, model, beacons) -> None:
    ids = ['"><img src=x onerror=window.pwned=1>', "__proto__", "a b", "'] , body [x='", "x" * 200]
    server = model([{"answer": "```python\ny = 2\n```\n"}])
    book = notebook([code("x = 1")])
    path = lab.root / "hostile-ids.ipynb"
    raw = json.loads((lab.root / book.name).read_text())
    raw["cells"] = [raw["cells"][0] | {"id": one, "source": f"x = {n}"} for n, one in enumerate(ids)]
    path.write_text(json.dumps(raw))
    book.save()
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.close()")
    book.page.evaluate(
        "name => window.jupyterapp.commands.execute('docmanager:open', { path: name }).then(() => null)", path.name
    )
    book.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget?.context?.path === 'hostile-ids.ipynb'", timeout=60_000
    )
    book.wait_ready()
    book.configure(server)
    book.activate(0)
    book.prompt("go")
    book.wait_until("cells => cells.length === 6 && cells[1].source === 'y = 2'")
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    assert book.sources() == ["x = 0", "y = 2", *(f"x = {n}" for n in range(1, 5))]
    untouched(book, beacons)


# --- nothing talks -------------------------------------------------------------------------------------------------------


class Listener(ThreadingHTTPServer):
    """Another server on this machine, that writes down what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as server:
        yield server
        server.shutdown()


def pictures(url: str) -> str:
    """Markdown and HTML that would load something by every way that a browser knows."""
    return (
        f"![one]({url}/image.png) [![two]({url}/linked.png)]({url}/link 'a title {url}/title.png') ![three][ref]\n\n"
        f"[ref]: {url}/reference.png\n\n"
        f"<base href='{url}/base/'><img src='relative.png'><meta http-equiv='refresh' content='0; url={url}/refresh'>\n\n"
        f"<img src='{url}/img.png' srcset='{url}/srcset.png 2x'><picture><source srcset='{url}/source.png'><img></picture>\n\n"
        f"<p style=\"background: url({url}/css.png); content: image-set('{url}/set.png' 1x)\">styled</p>\n\n"
        f"<link rel='stylesheet' href='{url}/sheet.css'><link rel='prefetch' href='{url}/prefetch'>\n\n"
        f"<style>@import url({url}/import.css); @font-face {{ font-family: x; src: url({url}/font) }} * {{ font-family: x }}</style>\n\n"
        f"<video poster='{url}/poster.png' src='{url}/video'></video><audio src='{url}/audio' autoplay></audio>\n\n"
        f"<iframe src='{url}/frame'></iframe><object data='{url}/object'></object><embed src='{url}/embed'>\n\n"
        f"<input type='image' src='{url}/input.png'><table background='{url}/table.png'><tr><td>cell</td></tr></table>\n\n"
        f"<svg><image href='{url}/svg-image.png'/><use href='{url}/use.svg#a'/></svg>\n\n"
        f"$\\href{{{url}/math}}{{x}} \\includegraphics{{{url}/math.png}} \\style{{background: url({url}/math-css.png)}}{{y}}$\n\n"
        "**shown**\n"
    )


def test_notes_load_nothing(notebook, model, listener) -> None:
    book = notebook([code("x = 1")], model([{"answer": pictures(listener.url)}]))
    book.prompt("go")
    book.panel.locator(".spark-Notes strong", has_text="shown").wait_for()
    book.page.wait_for_timeout(300)
    assert listener.asked == []
    book.page.evaluate("url => fetch(`${url}/canary`, { mode: 'no-cors' })", listener.url)
    assert listener.asked == ["/canary"]  # it would have heard


def test_what_a_notebook_remembers_loads_nothing(notebook, listener) -> None:
    turn = {"id": "t", "prompt": pictures(listener.url), "notes": pictures(listener.url), "outcome": "completed"}
    book = notebook([code("x = 1")], metadata={"spark": {"version": 1, "turns": [turn], "proposals": []}})
    book.open_panel()
    book.panel.locator(".spark-Notes strong", has_text="shown").wait_for()
    book.page.wait_for_timeout(300)
    assert listener.asked == []


def test_undecided_markdown_is_text_also_in_the_file_and_after_a_reload_without_its_kernel(
    lab, notebook, model, listener
) -> None:
    answer = f"````markdown\n{pictures(listener.url)}````\n"
    book = notebook([markdown("start")], model([{"answer": answer}]))
    book.prompt("go")
    book.wait_state("ready", 1)
    book.save()
    assert [cell.cell_type for cell in lab.read(book.name).cells] == ["markdown", "raw"]
    lab.end_kernels()
    book.reload()
    book.cell(1).get_by_text("shown").wait_for()
    book.page.wait_for_timeout(300)
    assert book.cell(1).locator("img, strong").count() == 0
    assert listener.asked == []


def test_accepted_markdown_is_markdown_in_the_file_too(lab, notebook, model) -> None:
    book = notebook([markdown("start")], model([{"answer": "```markdown\n# Title\n```\n"}]))
    book.prompt("go")
    book.wait_state("ready", 1)
    book.activate(1)
    book.page.keyboard.press("Shift+Enter")
    book.cell(1).locator("h1").wait_for()
    book.footer().wait_for(state="detached")
    book.save()
    saved = lab.read(book.name).cells[1]
    assert (saved.cell_type, saved.source) == ("markdown", "# Title")
    assert saved.metadata["spark"]["accepted_by"] == "running"


def test_what_a_try_shows_loads_nothing(notebook, model, listener) -> None:
    url = listener.url
    source = (
        "from IPython.display import HTML, SVG, Latex, Markdown, display\n"
        f"text = {pictures(url)!r}\n"
        "display(HTML(text), Markdown(text), Latex(text))\n"
        f'display(SVG(\'<svg xmlns="http://www.w3.org/2000/svg"><image href="{url}/svg.png" width="9" height="9"/></svg>\'))\n'
    )
    book = notebook([code("x = 1")], model([{"answer": f"```python\n{source}```\n", "repeat": True}]))
    book.prompt("go")
    book.page.wait_for_selector(".spark-Footer [data-action='try']")
    book.button("try", 1).click()
    book.footer(1).locator(".spark-Trial[data-rehearsed='false']").wait_for()
    book.page.wait_for_timeout(300)
    assert book.footer(1).locator("img[src^='http'], image, style, link, [style*=url], a").count() == 0
    assert listener.asked == []
