"""Moving picture of README.md: a prompt that streams, is steered, tried and run, recorded in a real browser.

``make picture`` writes docs/spark.png, an animated PNG, and docs/panel.png, its last frame. It needs Chromium, as the browser's tests do.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image  # noqa: E402  # comes with matplotlib
from playwright.sync_api import sync_playwright  # noqa: E402

from spark_jupyter.server.engines.script import ScriptEngine  # noqa: E402
from spark_jupyter.server.server_runner import serve_in_thread  # noqa: E402
from tests.browser.lab import Notebook, code, launch  # noqa: E402
from tests.browser.server import LabServer  # noqa: E402

SIZE = {"width": 1280, "height": 720}
EVERY = 0.2
"""Seconds between frames."""
COLOURS = 64
MOST = 3_000_000
"""Bytes of the picture."""

DATA = """\
import matplotlib.pyplot as plt
import pandas as pd
orders = pd.DataFrame({
    "region": ["north", "south", "east", "west"] * 30,
    "month": pd.date_range("2026-01-01", periods=120, freq="3D").month,
    "amount": range(40, 160),
})
orders.head(3)"""
FIRST = """\
by_region = orders.groupby("region")["amount"].sum().sort_values()
fig, ax = plt.subplots(figsize=(5, 2.4))
ax.bar(by_region.index, by_region.values)
ax.set_xlabel("region")
ax.set_ylabel("revenue")
ax.set_title("Revenue by region")
plt.show()"""
STEERED = """\
by_region = orders.groupby("region")["amount"].sum().sort_values()
fig, ax = plt.subplots(figsize=(5, 2.4))
ax.barh(by_region.index, by_region.values, color="tab:green")
ax.set_xlabel("revenue")
ax.set_title("Revenue by region")
plt.show()"""


class Film:
    """Frames of a page, with the seconds that each is shown."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._frames: list[tuple[Image.Image, float]] = []

    def roll(self, seconds: float) -> None:
        """Record for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.take(EVERY)
            self._page.wait_for_timeout(EVERY * 300)

    def take(self, seconds: float) -> None:
        """One frame; where nothing has changed, the one before is shown longer."""
        picture = Image.open(io.BytesIO(self._page.screenshot())).convert("RGB")
        if self._frames and self._frames[-1][0].tobytes() == picture.tobytes():
            seconds += self._frames.pop()[1]
        self._frames.append((picture, seconds))

    def save(self, path: Path) -> None:
        """Write an animated PNG of few colours."""
        palette = self._frames[-1][0].quantize(COLOURS)
        frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture, _ in self._frames]
        durations = [round(seconds * 1000) for _, seconds in self._frames]
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)


def main() -> int:
    """Record; 1 where the picture became too large."""
    answers = [
        {"answer": f"Revenue by region.\n\n```python\n{STEERED}\n```\n", "match": "## Steer"},
        {"answer": f"Revenue by region.\n\n```python\n{FIRST}\n```\n"},
    ]
    script = ScriptEngine({"models": ["script"], "answers": answers})
    place = ROOT / "docs" / "spark.png"
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_in_thread(engine=script, rate=24) as server,
        sync_playwright() as playwright,
    ):
        lab, browser = LabServer(Path(folder)), launch(playwright)
        try:
            record(lab, browser.new_page(viewport=SIZE), server, place)
        finally:
            browser.close()
            lab.close()
    size = place.stat().st_size
    print(f"{place.relative_to(ROOT)}: {size:,} bytes")
    return int(size > MOST)


def record(lab: LabServer, page: Any, server: Any, place: Path) -> None:
    """The scene: prompt, steer in mid-stream, tried, run."""
    book = Notebook(lab, page, lab.write("orders.ipynb", [code(DATA)])).open()
    book.configure(server)
    book.activate(0)
    page.keyboard.press("Control+Enter")
    page.locator(".jp-OutputArea-output").first.wait_for()
    page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
    book.open_panel()
    film = Film(page)
    film.take(1.0)
    book.box.press_sequentially("bar chart of revenue by region", delay=25)
    film.take(0.8)
    book.box.press("Enter")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 20")
    film.roll(1.0)
    book.box.press_sequentially("horizontal, in green", delay=15)
    film.take(0.6)
    book.box.press("Enter")
    while book.page.locator(".spark-Footer[data-state=ready]").count() == 0:
        film.roll(0.4)
    page.get_by_text("Tried").first.wait_for()
    film.roll(1.5)
    page.screenshot(path=place.with_name("panel.png"))
    book.footer().get_by_role("button", name="Run", exact=True).click()
    page.locator(".jp-OutputArea-output img").wait_for()
    film.roll(2.0)
    film.save(place)


if __name__ == "__main__":
    sys.exit(main())
