"""One Jupyter server and one browser for the session; a page, a notebook and a model server for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

playwright_api = pytest.importorskip("playwright.sync_api")

from tests.browser.lab import SCREENSHOTS, LabServer, ModelServer, Notebook, launch  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in str(item.path):
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Leave a picture of every page of a test that fails."""
    outcome = yield
    page = item.funcargs.get("page") if hasattr(item, "funcargs") else None
    if outcome.get_result().failed and page is not None:
        SCREENSHOTS.mkdir(exist_ok=True)
        for number, one in enumerate(page.context.pages):
            one.screenshot(path=SCREENSHOTS / f"failed-{item.name}-{number}.png")


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
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """What the pages share: the browser's cache, so that JupyterLab's scripts are fetched once. Nothing else is kept, see ``page``."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that fails the test where its scripts do. What earlier pages stored in the browser is not there."""
    page = context.new_page()
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"{error}\n{error.stack}"))
    yield page
    for one in context.pages:
        one.close()
    assert errors == []


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Callable[..., ModelServer]]:
    """Starts model servers: ``model([{"answer": …}], rate=1000)``."""
    servers: list[ModelServer] = []

    def start(answers: Sequence[dict[str, Any]], *, rate: float | None = None) -> ModelServer:
        servers.append(ModelServer(tmp_path, answers, rate=rate))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def notebook(lab: LabServer, page: Page, request: pytest.FixtureRequest) -> Iterator[Callable[..., Notebook]]:
    """Opens notebooks: ``notebook([code("x = 1")])``. Their kernels are shut down after the test."""
    opened: list[Notebook] = []

    def make(cells: Sequence[dict[str, Any]], model: ModelServer | None = None) -> Notebook:
        name = f"{request.node.name[:40].replace('[', '-').replace(']', '')}-{len(opened)}.ipynb"
        lab.write(name, cells)
        book = Notebook(lab, page, name).open()
        if model is not None:
            book.configure(model)
        opened.append(book)
        return book

    yield make
    for book in opened:
        if not book.page.is_closed():
            book.leave()  # what JupyterLab says about kernels that end under it is not the test's
    lab.end_kernels()
