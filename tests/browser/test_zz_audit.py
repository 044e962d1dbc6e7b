from __future__ import annotations
import os, json, pytest
from tests.browser.lab import code
from tests.browser.test_panel import fenced
from tests.browser.test_agents import PANEL_WIDTH
OUT = "/tmp/auditor/pics/zz"
BLOCKED = "import os\nos.system('rm -rf / --no-preserve-root')"
TABLE = "import pandas as pd\nsales = pd.DataFrame({'region': ['north', 'south'], 'revenue': [1.5, 2.5]})"
LOCALE = os.environ.get("LOCALE", "")

def shot(book, name):
    book.page.screenshot(path=f"{OUT}-{LOCALE or 'en'}-{name}.png")

@pytest.mark.own_page
@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)], ids=str)
def test_first(notebook, model, size):
    book = notebook([code(TABLE, id="first"), code("sales.revenu.sum()")], model([fenced("y = 2", BLOCKED, notes="Two cells.\n\n```python cell=first\nimport pandas as pd\nsales = pd.DataFrame({'region': ['north', 'south'], 'revenue': [1.5, 3.5]})\n```\n\n", repeat=True)]))
    book.page.set_viewport_size({"width": size[0], "height": size[1]})
    book.open_panel()
    book.page.wait_for_timeout(3000)
    m = lambda: book.page.evaluate("() => Object.fromEntries(['.spark-Panel', '.spark-Turns', '.spark-Prompt', '.spark-Header'].map(p => [p, [document.querySelector(p)?.offsetWidth, document.querySelector(p)?.offsetHeight]]))")
    print("SIZES", size, m())
    shot(book, f"welcome-{size[0]}")
    book.activate(0); book.command("notebook:run-cell"); book.activate(1); book.command("notebook:run-cell")
    book.page.wait_for_timeout(2500)
    shot(book, f"failed-{size[0]}")
    book.say("several things")
    book.page.wait_for_selector('.spark-Turn[data-outcome="completed"]')
    book.page.wait_for_timeout(2500)
    print("SIZES", size, m())
    shot(book, f"turn-{size[0]}")
    book.box.fill("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve")
    book.page.wait_for_timeout(300)
    print("SIZES long prompt", size, m())
    book.box.fill("")
    for w in (260, 380):
        book.page.evaluate(PANEL_WIDTH, w); book.page.wait_for_timeout(600)
        print("SIZES", w, m()); shot(book, f"turn-{size[0]}-{w}")
    if size[0] == 1440:
        book.page.locator('.spark-Panel button[aria-haspopup], .spark-Header button').last.click()
        book.page.wait_for_timeout(500); shot(book, "more"); book.page.keyboard.press("Escape")
        book.page.locator(".lm-MenuBar-item", has_text="Spark").click(); book.page.wait_for_timeout(500); shot(book, "menu"); book.page.keyboard.press("Escape")
        book.command("spark:settings"); book.page.wait_for_timeout(3500); shot(book, "settings")
        book.page.evaluate("() => window.jupyterapp.shell.currentWidget.close()")
        book.command("apputils:activate-command-palette"); book.page.wait_for_timeout(800); book.page.keyboard.type("Spark"); book.page.wait_for_timeout(800); shot(book, "palette"); book.page.keyboard.press("Escape")
        print("TITLES", json.dumps(book.page.evaluate("() => [...document.querySelectorAll('.spark-Panel button, .spark-Footer button, .spark-ProposalBar button, .spark-Diff button')].map(b => [b.textContent || b.getAttribute('aria-label'), b.title])"), ensure_ascii=False))
        print("COMMANDS", json.dumps(book.page.evaluate("() => window.jupyterapp.commands.listCommands().filter(c => c.startsWith('spark:')).map(c => [c, window.jupyterapp.commands.label(c), window.jupyterapp.commands.keyBindings.filter(k => k.command === c).map(k => k.keys.join(' ')).join(', ')])"), ensure_ascii=False))
