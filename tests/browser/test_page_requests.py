"""Requests of the page while it shows hostile texts in every place that a text of somebody else can reach: there are none."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.browser.lab import code
from tests.browser.test_hostile import Listener, listener  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Locator, Page

KNOWN = re.compile(r"/(lab|api|static|spark|lsp)(/|$)")
"""Paths that JupyterLab asks its server for."""

HTML = (
    "<img src='{u}/a.png'>",
    "<img srcset='{u}/a.png 2x, {u}/b.png 1x'>",
    "<img src='beacon/relative.png'>",
    "<img src=x onerror=\"fetch('{u}/onerror')\">",
    '<p style="background: url({u}/css.png)">x</p>',
    '<p style="background: \\75rl({u}/escaped.png)">x</p>',
    '<p style="--b: url({u}/var.png); list-style: var(--b)">x</p>',
    "<style>@import url({u}/import.css); * {{ cursor: url({u}/cursor), auto }}</style>",
    "<link rel=stylesheet href='{u}/sheet.css'><link rel=preconnect href='{u}'><link rel=dns-prefetch href='{u}'>",
    "<script src='{u}/script.js'></script><script>fetch('{u}/inline')</script>",
    "<iframe src='{u}/frame'></iframe><iframe srcdoc=\"<img src='{u}/srcdoc.png'>\"></iframe>",
    "<object data='{u}/object'></object><embed src='{u}/embed'>",
    "<video src='{u}/video' poster='{u}/poster.png' autoplay></video><audio src='{u}/audio' autoplay></audio>",
    "<svg><image href='{u}/svg.png'/><use href='{u}/use.svg#a'/><script href='{u}/svg.js'/></svg>",
    "<svg><foreignObject><img src='{u}/foreign.png'></foreignObject></svg>",
    "<math><mtext><img src='{u}/mathml.png'></mtext><maction xlink:href='{u}/maction'>x</maction></math>",
    "<base href='{u}/base/'><meta http-equiv=refresh content='0; url={u}/refresh'>",
    "<form action='{u}/form'><input type=image src='{u}/input.png' autofocus onfocus=\"this.form.submit()\"></form>",
    "<table background='{u}/table.png'><tr><td background='{u}/cell.png'>x</td></tr></table>",
    "<body background='{u}/body.png'><picture><source srcset='{u}/source.png'><img></picture>",
    "<a href='{u}/link' ping='{u}/ping' autofocus>x</a><noscript><img src='{u}/noscript.png'></noscript>",
    "<template shadowrootmode=open><img src='{u}/shadow.png'></template><portal src='{u}/portal'></portal>",
)
MARKDOWN = (
    "![x]({u}/image.png)",
    "![x]({u}/image.png 'title {u}/title.png')",
    "[![x]({u}/linked.png)]({u}/link)",
    "![x][ref]\n\n[ref]: {u}/reference.png",
    "![x](//{h}/protocol-relative.png)",
    "![x](beacon/relative.png)",
    "![x](attachment:beacon.png)",
    "<{u}/autolink>",
    *(
        f"```mermaid\n{drawing}\n```"
        for drawing in (
            'graph TD\nA["<img src={u}/mermaid.png>"] --> B\nclick A href "{u}/click"\nstyle A fill:url({u}/fill.png)',
            'graph TD\nA@{{ img: "{u}/shape.png", label: "x", w: 60, h: 60 }}',
            '%%{{init: {{"themeCSS": ".node rect {{ fill: url({u}/theme.png) }}"}}}}%%\ngraph TD\nA-->B',
            'classDiagram\nclass A["<img src={u}/class.png>"]\nstyle A fill:url({u}/classfill.png)',
            "stateDiagram-v2\nclassDef b fill:url({u}/state.png)\na:::b --> c",
            "mindmap\n root((<img src={u}/mindmap.png>))",
            '%%{{init: {{"sankey": {{"linkColor": "url({u}/sankey.png)"}}}}}}%%\nsankey-beta\na,b,1',
        )
    ),
    '> - ~~~ mermaid\n>   graph TD\n>   A@{{ img: "{u}/inlist.png" }}\n>   ~~~',
)
TEX = (
    r"\unicode[x;background-image:url({u}/unicode.png)]{{x41}}",
    r"\style{{background: url({u}/style.png)}}{{x}}",
    r"\bbox[cursor:url({u}/bbox.png),auto]{{x}}",
    r"\bbox[border:1px solid;background:url({u}/bbox.png)]{{x}}",
    r"\fcolorbox{{red;background:url({u}/fcolorbox.png)}}{{white}}{{x}}",
    r"\colorbox{{url({u}/colorbox.png)}}{{x}}",
    r"\color{{red;background:url({u}/color.png)}}{{x}}",
    r"\mmlToken{{mi}}[style=\"background:url({u}/mml.png)\"]{{x}}",
    r"\enclose{{circle}}[mathbackground=\"url({u}/enclose.png)\"]{{x}}",
    r"\includegraphics{{{u}/graphics.png}}",
    r"\href{{{u}/href}}{{x}}",
    r"\class{{jp-Dialog}}{{x}}\cssId{{main}}{{x}}",
    r"\def\q#1{{\style{{background:url({u}/#1)}}{{x}}}}\q{{def.png}}",
    r"\let\q\style\q{{background:url({u}/let.png)}}{{x}}",
    r"\newcommand{{\q}}{{\unicode[x;background:url({u}/newcommand.png)]{{x41}}}}\q",
    r"\csname style\endcsname{{background:url({u}/csname.png)}}{{x}}",
    r"\require{{html}}\text{{$\style{{background:url({u}/text.png)}}{{x}}$}}",
    r"\ce{{A ->[$\style{{background:url({u}/ce.png)}}{{x}}$] B}}",
    r"\begin{{array}}{{>{{\style{{background:url({u}/array.png)}}}}c}}x\end{{array}}",
    r"\data{{background=url({u}/data.png)}}{{x}}\htmlStyle{{background:url({u}/htmlstyle.png)}}{{x}}",
)
SAFE = r"\hat{\beta} = (X^\top X)^{-1} X^\top y"
WRAPPED = ("${0}$", "$${0}$$", "\\begin{{equation}}{0}\\end{{equation}}")


class Shown(NamedTuple):
    """A hostile text and the word behind it that says whether it is on the page."""

    text: str
    word: str


class Hostile:
    """Makes hostile texts, each with a word of its own."""

    def __init__(self, url: str) -> None:
        self._fields = {"u": f"{url}/beacon", "h": f"{url.removeprefix('http://')}/beacon"}
        self._numbers = count()
        self.words: list[str] = []

    def _made(self, text: str) -> Shown:
        word = f"shown{next(self._numbers)}."
        self.words.append(word)
        return Shown(text, word)

    def texts(self, templates: Sequence[str]) -> list[Shown]:
        return [self._made(template.format(**self._fields)) for template in templates]

    def formulas(self) -> list[Shown]:
        return [self._made(wrap.format(one.format(**self._fields))) for one in TEX for wrap in WRAPPED]


def paragraphs(texts: Sequence[Shown]) -> str:
    return "\n\n".join(f"{text}\n\n**{word}**" for text, word in texts)


def rows(texts: Sequence[Shown]) -> str:
    lines = [f"| {text} | {word} |" for text, word in texts if "\n" not in text]
    return "\n".join(["| text | word |", "|---|---|", *lines])


@pytest.fixture
def left(page: Page) -> list[str]:
    """Addresses that the page asked for, and that are neither its server's own nor data that it holds already."""
    asked: list[str] = []
    home: list[str] = []

    def note(address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme in {"data", "blob", "about"}:
            return
        home[:] = home or [parts.netloc]
        if parts.netloc != home[0] or not KNOWN.match(parts.path) or "beacon" in address:
            asked.append(address)

    page.on("request", lambda request: note(request.url))
    page.on("websocket", lambda socket: note(socket.url))
    page.context.on("page", lambda opened: asked.append(f"a window: {opened.url}"))
    return asked


def wait_for(place: Locator, texts: Sequence[Shown]) -> None:
    """Until a place shows all of them."""
    for word in {text.word for text in texts}:
        place.get_by_text(word).first.wait_for(state="attached")


TRY = """
import sys
from IPython.display import HTML, SVG, Latex, Markdown, display
texts = {texts!r}
for text, word in texts:
    display(HTML(text + word), Markdown(text + word), Latex(text + word))
    display({{"text/html": "<table><tr><td>" + text + word + "</td></tr></table>", "text/plain": word}}, raw=True)
    print(text, word)
    print(text, word, file=sys.stderr)
display({{"image/svg+xml": texts[13][0], "application/javascript": "fetch('/beacon')", "text/plain": "drawn"}}, raw=True)
raise ValueError(" ".join(text + word for text, word in texts[:8]))
"""


@pytest.mark.own_page  # every request from the first one on
def test_hostile_texts_in_every_place_ask_nobody_for_anything(lab, notebook, model, left, listener) -> None:  # noqa: F811
    hostile = Hostile(listener.url)
    html, markdown, formulas = hostile.texts(HTML), hostile.texts(MARKDOWN), hostile.formulas()
    cells, tables, tried = hostile.texts(HTML + MARKDOWN), hostile.texts(HTML), hostile.texts(HTML)
    remembered, failures, models = hostile.texts(HTML + MARKDOWN), hostile.texts(HTML[::4]), hostile.texts(HTML[:8])
    files, columns = hostile.texts(HTML[:8]), hostile.texts(HTML[:8])
    blocked = hostile.texts(HTML[:6])
    lines = "\n".join(f"os.system({'rm -rf / #' + text + word!r})" for text, word in blocked)
    answers = [
        {"match": "## Request\nnotes", "answer": paragraphs(html + markdown)},
        {"match": "## Request\nformulas", "answer": paragraphs(formulas)},
        {"match": "## Request\ntables", "answer": rows(tables) + "\n\n" + paragraphs(tables[:1])},
        {"match": "## Request\nmarkdown", "answer": f"````markdown\n{paragraphs(cells)}\n````\n"},
        {"match": "## Request\nblocked", "answer": f"```python\nimport os\n{lines}\n```\n", "repeat": True},
        {
            "match": "## Request\noutputs",
            "answer": f"```python\n{TRY.format(texts=[tuple(one) for one in tried])}```\n",
            "repeat": True,
        },
    ]
    for one in failures:
        fail = {"status": 400, "code": one.text, "message": " ".join(one), "type": one.text}
        answers.append({"match": f"## Request\nfailure {one.word}", "fail": fail})
    notes = [
        paragraphs(remembered),
        *(paragraphs(formulas[n : n + len(WRAPPED)]) for n in range(0, len(formulas), len(WRAPPED))),
        f"${SAFE}$ and {formulas[0].text}",
    ]
    turns = [
        {"id": f"t{n}", "prompt": text[:400], "notes": text, "outcome": "completed"} for n, text in enumerate(notes)
    ]
    metadata = {"spark": {"version": 1, "turns": turns, "proposals": []}}
    served = model(answers, models=["script", *(text + word for text, word in models)])
    for text, word in files:
        (lab.root / f"{word}{text.replace('/', '∕')[:200]}.csv").write_text("a,b\n1,2\n")
    book = notebook([code("x = 1")], served, metadata=metadata)
    book.execute(
        f"import pandas as pd\nframe = pd.DataFrame({[[1] * len(columns)]!r}, columns={[a + b for a, b in columns]!r})"
    )
    book.open_panel()
    wait_for(book.panel, remembered)
    wait_for(book.panel, formulas)
    book.panel.locator(".spark-Turn").last.locator("mjx-container").first.wait_for(state="attached")
    book.page.wait_for_timeout(300)
    assert left == []
    for prompt, texts in (("notes", html + markdown), ("formulas", formulas), ("tables", tables)):
        book.prompt(f"{prompt} {html[0].text}")
        wait_for(book.panel.locator(".spark-Turn").last, texts)
        book.panel.locator(".spark-Turn[data-outcome=completed]").last.wait_for()
    for one in failures:
        book.prompt(f"failure {one.word}")
        wait_for(
            book.panel.locator(".spark-Turn[data-outcome=failed]").last.locator(":scope > :not(.spark-Turn-head)"),
            [one],
        )
    for number, (prompt, state) in enumerate((("markdown", "ready"), ("blocked", "blocked"), ("outputs", "ready")), 1):
        book.activate(number - 1)
        book.prompt(prompt)
        book.wait_state(state, number)
    book.button("try", 3).click()
    tried_footer = book.footer(3)
    tried_footer.locator(".spark-Trial[data-rehearsed='false']").wait_for()
    wait_for(tried_footer, tried[:8])
    for details in tried_footer.locator("details:not([open]) > summary").all():
        details.click()
    for text in ("@", "@frame."):
        book.box.fill("")
        book.box.type(text)
        book.panel.locator(".spark-Completion").first.wait_for()
    book.box.fill("")
    book.panel.get_by_role("button", name="Connect a model…").first.click()
    form = book.page.locator(".spark-Connect")
    form.get_by_label("Base URL").first.fill(served.url)
    form.get_by_label("API key").first.fill(served.token)
    form.get_by_label("Model").first.fill("script")
    form.get_by_role("button", name="Test").click()
    wait_for(form.locator(".spark-Connect-models"), models[:7])
    assert len(hostile.words) >= 200
    book.page.wait_for_timeout(500)
    assert left == []
    assert listener.asked == []
