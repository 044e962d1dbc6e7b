"""JupyterLab in a real browser, for tests: a page, and what a person does there."""

from __future__ import annotations

import os
import re
import secrets
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

    from spark_jupyter.server.app import ServerInfo
    from tests.browser.server import LabServer

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "screenshots"

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

VIEWPORT = {"width": 1280, "height": 800}
"""The window in which each test begins, in pixels."""

_SHOWN = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook"

_CELLS = "window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells"


_READY = """() => {
  const panel = window.jupyterapp?.shell.currentWidget;
  return !!panel?.context?.isReady && panel.sessionContext.session?.kernel?.status === 'idle';
}"""

_ASK_KERNEL = """() => {
  const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext.session?.kernel;
  void kernel?.requestKernelInfo().catch(() => null);
}"""
"""jupyter-server-documents lets a page miss what a kernel says of itself before the page listens to it."""


class Desk:
    """The page in which tests work one after the other: JupyterLab is loaded once, which takes longer than most tests."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._page: Page | None = None

    def page(self) -> Page:
        """The page; a new one where the last was taken away."""
        if self._page is None or self._page.is_closed():
            self._page = blank_page(self._context)
        return self._page

    def take_away(self) -> None:
        """Close the page: what it shows is not what JupyterLab shows at first."""
        if self._page is not None:
            self._page.close()
        self._page = None


def blank_page(context: BrowserContext) -> Page:
    """A new page. What earlier pages stored in the browser is not there, but for its cache of scripts."""
    page = context.new_page()
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    # The files of the test before are gone, and JupyterLab may just have been listing them, or opening one that it showed at a reload.
    lost = page.locator(".jp-Dialog", has_text=re.compile("Directory not found|Could not find path"))
    page.add_locator_handler(lost, lambda: lost.get_by_role("button", name="Close").click())
    return page


def clear(page: Page) -> None:
    """Close what is open in JupyterLab, without saving it, forget what the browser stored, and have the window and the media as they were;
    close the page, where that is not enough to make it what it was at first, and say so: to load another takes longer than most tests."""
    if page.is_closed():
        return
    if page.viewport_size != VIEWPORT:
        page.set_viewport_size(VIEWPORT)
    page.emulate_media(forced_colors="null", reduced_motion="null")
    if not (in_lab(page) and page.evaluate(_CLEAR)):
        warnings.warn(
            "The next test loads JupyterLab anew: this one left its page, or a dialog, a menu or the panel moved",
            stacklevel=1,
        )
        page.close()


def in_lab(page: Page) -> bool:
    """Whether the page shows a JupyterLab."""
    shown: bool = page.evaluate("() => window.jupyterapp?.name === 'JupyterLab'")
    return shown


_CLEAR = """() => {
  const { shell } = window.jupyterapp;
  for (const widget of [...shell.widgets('main')].filter(widget => widget.context || widget.console)) {
    widget.dispose();
  }
  shell.collapseRight();
  window.localStorage.clear();
  window.sessionStorage.clear();
  const moved = [...shell.widgets('left')].some(widget => widget.id === 'spark-panel');
  return !moved && !document.querySelector('.jp-Dialog, .lm-Menu, .jp-NotebookPanel, .jp-CodeConsole');
}"""


class Notebook:
    """A notebook in a page, and what a person does with it."""

    def __init__(self, server: LabServer, page: Page, name: str) -> None:
        self.server = server
        self.page = page
        self.name = name

    # --- opening ---------------------------------------------------------------------------------------------------

    def open(self, *, query: str = "reset") -> Notebook:
        """Load JupyterLab with this notebook, and wait for its kernel."""
        self.page.goto(f"{self.server.url}/lab/tree/{self.name}?token={self.server.token}&{query}")
        return self.wait_ready()

    def open_here(self) -> Notebook:
        """Open this notebook in the JupyterLab that the page shows already, as a person does, and wait for its kernel."""
        self.page.evaluate(
            "name => window.jupyterapp.commands.execute('docmanager:open', { path: name }).then(() => null)", self.name
        )
        return self.wait_ready()

    def reload(self) -> Notebook:
        """Reload the page as a person would, leaving what is not saved, when JupyterLab has written down what is open: it opens that again.
        The path in the address would have it open the notebook once more, at any moment; on a busy machine the test was over then."""
        self.server.wait_workspace(self.page.url, self.name)
        self.page.evaluate("() => history.replaceState(null, '', location.pathname.replace(/\\/tree\\/.*/, ''))")
        self.page.once("dialog", lambda dialog: dialog.accept())
        self.page.reload()
        return self.wait_ready()

    def leave(self) -> None:
        """Close the tab as a person does, leaving what is not saved."""
        self.page.once("dialog", lambda dialog: dialog.accept())
        self.page.goto(f"{self.server.url}/api/status?token={self.server.token}")

    def wait_ready(self) -> Notebook:
        """Wait until the notebook is shown and its kernel answers."""
        self.page.wait_for_selector(f"{_SHOWN} .jp-Cell", timeout=60_000)
        self.page.evaluate("() => window.jupyterapp.restored.then(() => null)")  # what a reload opens again is open
        deadline = time.monotonic() + 120  # a kernel began after 60 where 20 processes wanted two cores
        looks = 0
        while not self.page.evaluate(_READY):
            assert time.monotonic() < deadline, "the kernel did not become idle"
            looks += 1
            if looks % 100 == 0:
                self.page.evaluate(_ASK_KERNEL)
            self.page.wait_for_timeout(50)
        return self

    def configure(self, model: ServerInfo) -> None:
        """Have the kernel use this model server."""
        self.execute(choice_of(model))

    def execute(self, code: str, *, wait: bool = True) -> None:
        """Run code in the kernel that is in no cell."""
        self.page.evaluate(
            """async ([code, wait]) => {
              const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
              const future = kernel.requestExecute({ code, silent: true, store_history: false });
              if (!wait) return;  // nobody would hear of the refusal, and it would be an error of the test that has the page by then
              const late = new Promise((_, refuse) => setTimeout(() => refuse(new Error('the kernel did not answer')), 180_000));
              await Promise.race([future.done, late]);
            }""",
            [code, wait],
        )

    # --- what there is -----------------------------------------------------------------------------------------------

    def sources(self) -> list[str]:
        """The source of every cell, from the live model."""
        sources: list[str] = self.page.evaluate(f"() => {_CELLS}.map(cell => cell.source)")
        return sources

    def ids(self) -> list[str]:
        """The id of every cell."""
        ids: list[str] = self.page.evaluate(f"() => {_CELLS}.map(cell => cell.id)")
        return ids

    def metadata(self, index: int) -> dict[str, Any]:
        """A cell's metadata."""
        metadata: dict[str, Any] = self.page.evaluate(f"index => {_CELLS}[index].getMetadata()", index)
        return metadata

    def cell(self, index: int) -> Locator:
        """A cell's element."""
        return self.page.locator(f"{_SHOWN} .jp-Cell").nth(index)

    def footer(self, index: int | None = None) -> Locator:
        """The footer of a cell, or the first there is."""
        scope = self.page.locator(_SHOWN) if index is None else self.cell(index)
        return scope.locator(".spark-Footer").first

    def button(self, action: str, index: int | None = None) -> Locator:
        """A button of a footer; of those that each change of a diff has, the first."""
        place = (
            self.cell(index or 0).locator(".spark-Diff")
            if action in ("accept-hunk", "reject-hunk")
            else self.footer(index)
        )
        return place.locator(f'[data-action="{action}"]').first

    def wait_state(self, state: str, index: int | None = None, *, timeout: float | None = None) -> None:
        """Wait until a footer shows a state."""
        where = "" if index is None else f":nth-match({_SHOWN} .jp-Cell, {index + 1}) "
        self.page.wait_for_selector(f'{where}.spark-Footer[data-state="{state}"]', timeout=timeout)

    def wait_until(self, expression: str, argument: Any = None, *, timeout: float | None = None) -> None:
        """Wait until a JavaScript function of ``cells`` (the shared cells) and the argument gives true."""
        self.page.wait_for_function(
            f"argument => (({expression}))({_CELLS}, argument)", arg=argument, timeout=timeout, polling=20
        )

    def output(self, index: int) -> str:
        """The text of a cell's output."""
        return self.cell(index).locator(".jp-OutputArea").inner_text()

    # --- what a person does ------------------------------------------------------------------------------------------

    @property
    def panel(self) -> Locator:
        """The side panel."""
        return self.page.locator(".spark-Panel")

    @property
    def options(self) -> Locator:
        """The options of prompts, opened."""
        button = self.panel.get_by_role("button", name="Options")
        if button.get_attribute("aria-pressed") != "true":
            button.click()
        return self.panel.get_by_role("group", name="Options")

    @property
    def box(self) -> Locator:
        """The prompt box."""
        return self.panel.locator("textarea")

    def in_box(self, text: str) -> None:
        """Wait until this stands in the prompt box."""
        self.page.wait_for_function(
            "text => document.querySelector('.spark-Panel .spark-Prompt-box')?.value === text", arg=text, polling=20
        )

    def open_panel(self) -> None:
        """Open the side panel."""
        self.command("spark:open")
        self.box.wait_for(state="visible")

    def command(self, name: str) -> None:
        """Execute a JupyterLab command."""
        self.page.evaluate("name => window.jupyterapp.commands.execute(name)", name)

    def start(self, name: str) -> None:
        """Begin a command without waiting for its end."""
        self.page.evaluate("name => { void window.jupyterapp.commands.execute(name); }", name)

    def start_busy(self, index: int) -> None:
        """Begin to run a cell that prints ``begun`` first and goes on; its ``[*]`` comes before the kernel has heard of it."""
        self.activate(index)
        self.start("notebook:run-cell")
        self.cell(index).locator(".jp-OutputArea-output", has_text="begun").wait_for()

    def prompt(self, text: str) -> None:
        """Ask for something in the panel, once no answer is being written any more: a proposal is ready before its turn ends."""
        being_written = ':is([data-outcome="asked"], [data-outcome="streaming"])'
        self.panel.locator(f".spark-Turn{being_written}").first.wait_for(state="detached")
        self.say(text)

    def say(self, text: str) -> None:
        """Say something in the panel: it steers where an answer is being written."""
        if not self.box.is_visible():
            self.open_panel()
        self.box.fill(text)
        self.box.press("Enter")

    def autocomplete(self, mode: str) -> None:
        """Choose when suggestions are made in this notebook: ``on``, ``request``, ``off``; empty: as the settings say."""
        self.page.evaluate("mode => window.jupyterapp.commands.execute('spark:autocomplete', { mode })", mode)

    def activate(self, index: int) -> None:
        """Make a cell the active one, in command mode."""
        self.page.evaluate(
            """index => {
              const { content } = window.jupyterapp.shell.currentWidget;
              content.activeCellIndex = index;
              content.mode = 'command';
              content.activate();
            }""",
            index,
        )

    def save(self) -> None:
        """Save the notebook."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.save()")

    def set(self, plugin: str, name: str, value: object) -> None:
        """Change a setting as the settings editor does; None: what the plugin brings along."""
        self.page.evaluate(
            """async ([plugin, name, value]) => {
              const registry = await window.jupyterapp.resolveOptionalService(
                [...window.jupyterapp.pluginRegistry._plugins.values()]
                  .map(plugin => plugin.provides)
                  .find(token => token?.name === '@jupyterlab/coreutils:ISettingRegistry')
              );
              await (value === null ? registry.remove(plugin, name) : registry.set(plugin, name, value));
            }""",
            [plugin, name, value],
        )

    def theme(self, name: str) -> None:
        """Change JupyterLab's theme."""
        self.page.evaluate("name => window.jupyterapp.commands.execute('apputils:change-theme', { theme: name })", name)
        self.page.wait_for_selector(f'body[data-jp-theme-name="{name}"]', state="attached")
        # JupyterLab removes its splash twice, and fails, where a theme follows another one before the splash is gone.
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")

    def screenshot(self, name: str, *, contrast: bool = False) -> None:
        """Pictures of the page in light and dark, and with ``contrast`` in high contrast, for a person: of ``make screenshots`` alone."""
        if "SCREENSHOTS" not in os.environ:
            return  # four changes of the theme take longer than most tests
        SCREENSHOTS.mkdir(exist_ok=True)
        for theme in ("JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast")[: 3 if contrast else 2]:
            self.theme(theme)
            shade = theme.split()[-1].lower()
            self.page.screenshot(path=SCREENSHOTS / f"{name}-{shade}.png")
        self.theme("JupyterLab Light")


def choice_of(model: ServerInfo) -> str:
    """Code after which a kernel uses this model server."""
    return (
        "import os; os.environ.update("
        f"SPARK_BASE_URL={model.url!r}, SPARK_API_KEY={model.token!r}, SPARK_MODEL='script')"
    )


def launch(playwright: Any, *, window: bool = True) -> Browser:
    """The system's Chromium, or Playwright's own where there is none. Without ``window``, the one that has nothing of what only a window
    needs, where that is installed: it shows the same with a third less work."""
    places = ["/usr/bin/chromium"] if window else ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]
    if "CHROMIUM" in os.environ:
        places = [os.environ["CHROMIUM"]]
    path = next((place for place in places if Path(place).exists()), None)
    browser: Browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
    return browser


def code(source: str = "", **fields: Any) -> dict[str, Any]:
    """A code cell for :meth:`LabServer.write`."""
    return {
        "cell_type": "code",
        "id": fields.pop("id", secrets.token_hex(4)),
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
        **fields,
    }


def markdown(source: str) -> dict[str, Any]:
    """A Markdown cell."""
    return {"cell_type": "markdown", "id": secrets.token_hex(4), "metadata": {}, "source": source}


def program(tokens: int) -> str:
    """Python of about so many tokens, in which every line is another one."""
    lines: list[str] = []
    written = 0
    while written < tokens:
        n = len(lines)
        lines.append(f"value_{n} = {n} + {n * 7}  # línea {n} — ✓ 🎉")
        written += len(re.findall(r"\w+|[^\w\s]", lines[-1]))
    return "\n".join(lines)
