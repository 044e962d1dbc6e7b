"""Pictures of the panel's states in light and dark, for a person to look at; and that colours are the theme's."""

from __future__ import annotations

from tests.browser.lab import code, markdown

BLOCKED = "import os\nos.system('rm -rf / --no-preserve-root')"
EDIT = (
    "I vectorised it.\n\n```python cell=first\nimport numpy as np\n\ntotal = np.arange(10).sum()\nprint(total)\n```\n"
)
NOTES = "Here is **bold**, `code` and [a link](https://example.org).\n\n"


def test_every_colour_follows_the_theme(notebook, model) -> None:
    source = "import math\n\ntotal = 0\nfor i in range(10):\n    total += i\nprint(total)"
    answers = [
        {"match": "vectorise", "answer": EDIT},
        {"answer": f"{NOTES}```python\n{BLOCKED}\n```\n", "repeat": True},
    ]
    book = notebook([markdown("# A notebook"), code(source, id="first"), code("")], model(answers))
    book.open_panel()
    book.screenshot("panel-empty")
    book.activate(1)
    book.panel.get_by_label("Edit this cell").check()
    book.prompt("vectorise")
    book.wait_state("ready", 1)
    book.screenshot("edit-ready")
    book.activate(2)
    book.prompt("clean up")
    book.wait_state("blocked", 2)
    book.screenshot("blocked", contrast=True)
    colours = {}
    for theme in ("JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"):
        book.theme(theme)
        colours[theme] = book.page.evaluate(
            """() => ['.spark-Panel', '.spark-Footer'].map(place => {
              const style = getComputedStyle(document.querySelector(place));
              return [style.color, style.backgroundColor].join();
            })"""
        )
    book.theme("JupyterLab Light")
    light, dark = colours["JupyterLab Light"], colours["JupyterLab Dark"]
    assert all(one != other for one, other in zip(light, dark, strict=True))


def test_what_has_the_focus_in_the_panel_is_framed_in_the_themes_colour(notebook) -> None:
    book = notebook([code("x = 1")])
    book.open_panel()
    book.panel.get_by_role("button", name="Conversations", exact=True).click()
    search = book.panel.get_by_role("searchbox", name="Search in conversations")
    search.focus()
    framed = (
        "node => [getComputedStyle(node).outlineColor, getComputedStyle(document.querySelector('.spark-Frame')).color]"
    )
    book.page.evaluate(
        """() => {
          const one = document.createElement('i');
          one.className = 'spark-Frame';
          one.style.color = 'var(--jp-brand-color1)';
          document.querySelector('.spark-Panel').append(one);
        }"""
    )
    outline, brand = search.evaluate(framed)
    assert outline == brand
    book.page.evaluate("() => document.querySelector('.spark-Frame').remove()")
