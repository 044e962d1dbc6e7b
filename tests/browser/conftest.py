"""One Jupyter server, one browser and one page for each process; notebooks and model servers for each test.

Loading JupyterLab takes longer than most tests, so tests work one after the other in a page that shows it already:
``notebook([code("x = 1")])`` opens a notebook there as a person does, with a kernel of its own. Afterwards what is open is closed without
saving, the browser's storage is emptied, and kernels and files are gone; a test does nothing for that. It may reload the page. It is marked
``own_page`` where it leaves something behind that outlives its notebook: settings, or other functions in the page. Then it gets a new page,
which is thrown away afterwards, as is the page of a test that fails. Where a second tab is needed, that one goes and the page stays.

In several processes (``-n 2 --dist worksteal``) each has its own of everything.
"""

from __future__ import annotations

import os
from functools import partial
from itertools import count, groupby
from typing import TYPE_CHECKING, Any

import pytest

playwright_api = pytest.importorskip("playwright.sync_api")

from spark_jupyter.completions.completion_request import CURSOR  # noqa: E402
from tests.browser.ghost_text import Writing  # noqa: E402
from tests.browser.lab import (  # noqa: E402
    SCREENSHOTS,
    VIEWPORT,
    Desk,
    Notebook,
    blank_page,
    choice_of,
    clear,
    in_lab,
    launch,
)
from tests.browser.server import LabServer  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from playwright.sync_api import Browser, BrowserContext, CDPSession, Page

    from spark_jupyter.server.app import ServerInfo

PATIENCE = 60_000
"""Milliseconds for which a page is waited for: what takes one second here took twenty on two cores with 15 processes."""
NUMBERS = count()
"""Of notebooks: no two have the same name, also where a test runs again."""
ENDED = pytest.StashKey[bool]()
"""Whether a test has done what it does: what is open is closed then."""
FAILED = pytest.StashKey[bool]()
"""Whether a test has failed: then nobody else uses its page."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deal the tests to the processes: each begins with its part of the list, and takes from the end of another's when it has done."""
    ours = [item for item in items if "tests/browser/" in str(item.path)]
    for item in ours:
        item.add_marker(pytest.mark.browser)
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(300))  # the first one starts server, browser and page
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = [item for item in items if item not in ours] + _dealt(ours, processes)


def _dealt(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    """Who needs a server or a page of their own come first, so that the page that the others share is loaded once. Neighbours take about as
    long, and go to different processes; but a module that has a server of its own stays together."""

    def is_shared(item: pytest.Item) -> bool:
        return not ("own_page" in item.keywords or "own_server" in item.keywords)

    def together(item: pytest.Item) -> object:
        return item.path if "own_server" in item.keywords else item

    hands = [list(hand) for _, hand in groupby(sorted(items, key=is_shared), key=together)]
    return [item for process in range(processes) for hand in hands[process::processes] for item in hand]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Leave a picture of every page of a test that fails, and what it said: of one that is tried again pytest tells its name alone."""
    outcome = yield
    report = outcome.get_result()
    item.stash[ENDED] = report.when == "call"
    page = item.funcargs.get("page") if hasattr(item, "funcargs") else None
    if not report.failed:
        return
    item.stash[FAILED] = True
    SCREENSHOTS.mkdir(exist_ok=True)
    mode = "a" if getattr(item, "execution_count", 1) > 1 else "w"  # each time that it was tried
    with (SCREENSHOTS / f"failed-{item.name}.txt").open(mode) as file:
        file.write(f"{report.longreprtext}\n\n")
    if page is not None and not page.is_closed():
        for number, one in enumerate(page.context.pages):
            one.screenshot(path=SCREENSHOTS / f"failed-{item.name}-{number}.png")


def is_own(item: pytest.Item) -> bool:
    """Whether a test has a page of its own, and so settings."""
    return item.get_closest_marker("own_page") is not None


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """The Jupyter server."""
    server = LabServer(tmp_path_factory.mktemp("lab"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium."""
    with playwright_api.sync_playwright() as playwright:
        browser = launch(playwright, window=False)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """What all pages share: the browser's cache, so that JupyterLab's scripts are fetched once."""
    context = browser.new_context(viewport=VIEWPORT)
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture(scope="session")
def desk(context: BrowserContext) -> Desk:
    """The page that tests share."""
    return Desk(context)


@pytest.fixture
def page(desk: Desk, context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that fails the test where its scripts do. It shows JupyterLab already where an earlier test used it, or nothing, where the
    test is marked ``own_page``: it loads JupyterLab again, or leaves something in the page that others would find."""
    own = is_own(request.node)
    if own:
        desk.take_away()
    page = blank_page(context) if own else desk.page()
    errors: list[str] = []

    def note(error: Any) -> None:
        # JupyterLab fails where what is closed waits for something: a subshell for its reply, a toolbar for its size.
        closing = request.node.stash.get(ENDED, False) and "/extensions/spark-jupyter/" not in (error.stack or "")
        if not closing and "Canceled future for create_subshell_request" not in str(error):
            errors.append(f"{error}\n{error.stack}")

    page.on("pageerror", note)
    yield page
    if not page.is_closed():  # what it said when it was closed came until then, and is none of the next test's
        page.evaluate("() => new Promise(done => setTimeout(done))")
    page.remove_listener("pageerror", note)
    for one in context.pages:
        if own or errors or one is not page or request.node.stash.get(FAILED, False):
            one.close()
    assert errors == []


@pytest.fixture
def devtools(page: Page) -> Iterator[CDPSession]:
    """Chromium's own protocol for the page. What it changes there, such as a slower processor, ends with the test."""
    client = page.context.new_cdp_session(page)
    yield client
    if not page.is_closed():
        client.detach()


@pytest.fixture
def model(play_answers: Callable[..., ServerInfo]) -> Callable[..., ServerInfo]:
    """Starts model servers: ``model([{"answer": …}], rate=1000)``."""
    return partial(play_answers, models=("script", "other"))


@pytest.fixture
def notebook(lab: LabServer, page: Page, request: pytest.FixtureRequest) -> Iterator[Callable[..., Notebook]]:
    """Opens notebooks: ``notebook([code("x = 1")])``. Their kernels are shut down after the test."""

    def make(
        cells: Sequence[dict[str, Any]],
        model: ServerInfo | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> Notebook:
        name = f"{request.node.name[:40].replace('[', '-').replace(']', '')}-{next(NUMBERS)}.ipynb"
        lab.write(name, cells, metadata)
        book = Notebook(lab, page, name)
        here = page.url.startswith(lab.url) and in_lab(page)
        book.open_here() if here else book.open()
        if model is not None:
            book.configure(model)
        return book

    yield make
    # Before its kernels end: what JupyterLab says about kernels that end under it is not the test's.
    if is_own(request.node):
        page.close()
        lab.forget_settings()
    else:
        clear(page)
    lab.tidy()


@pytest.fixture
def writing(notebook, model) -> Callable[..., Writing]:
    """``writing(cells, {"df.": "head()"})``: with what the model says behind which text."""

    def begin(
        cells: Sequence[dict[str, Any]], says: dict[str, str], *, mode: str = "on", delay: float = 0.0
    ) -> Writing:
        answer = {"delay": delay, "repeat": True}
        answers = [{"match": f"{before}{CURSOR}", "answer": text, **answer} for before, text in says.items()]
        server = model([*answers, {"answer": ""}])
        book: Notebook = notebook(cells, server)
        book.open_panel()
        book.box.type("w")
        book.panel.locator(".spark-Status-provider").wait_for()
        book.autocomplete(mode)
        return Writing(book, choice_of(server))

    return begin
