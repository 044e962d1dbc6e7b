"""JupyterLab in a page of Chromium for benchmarks, and figures of a page."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def lab_page(folder: Path, *, extension: bool = True) -> Iterator[tuple[Any, Any]]:
    """A server in this folder and an empty page; both end with the block."""
    from playwright.sync_api import sync_playwright

    from tests.browser.lab import launch
    from tests.browser.server import LabServer

    with sync_playwright() as playwright:
        lab = LabServer(folder, extension=extension)
        browser = launch(playwright)
        try:
            yield lab, browser.new_page(viewport={"width": 1280, "height": 800})
        finally:
            browser.close()
            lab.close()


def attach(book: Any, provider: Any, model: str, before: str = "") -> None:
    """Have this model of a provider answer in a notebook, and wait until the panel says so. The kernel runs ``before`` first."""
    book.configure(provider)
    book.execute(f"{before}\nimport os; os.environ['SPARK_MODEL'] = {model!r}".strip())
    book.open_panel()
    book.box.type("w")
    book.panel.locator(".spark-Status-provider").wait_for()


def heap(page: Any) -> float:
    """Megabytes that the page's objects take."""
    client = page.context.new_cdp_session(page)
    client.send("HeapProfiler.collectGarbage")
    used: float = client.send("Runtime.getHeapUsage")["usedSize"]
    return round(used / 1e6, 1)


def percentiles(name: str, values: Sequence[float]) -> dict[str, float]:
    """p50 and p95."""
    ranked = sorted(values)
    return {
        f"{name}_p50": round(statistics.median(ranked), 1),
        f"{name}_p95": round(ranked[min(len(ranked) - 1, int(len(ranked) * 0.95))], 1),
    }
