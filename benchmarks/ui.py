"""``make bench-ui``: what a person at the screen gets, measured in Chromium. ``--json`` prints one object, ``--quick`` does less.

The provider writes into every token the time at which it was made; the page reads those times at the animation frame after
the one in which the text was written into the cell, so a latency is an upper bound of "frame of the provider → painted".
Both clocks are this machine's. Absolute times depend on the machine and on what else it does.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.clock_provider import Provider
from benchmarks.lab_page import attach, heap, lab_page
from benchmarks.plain_page import compare, verdicts  # found by the line above

RATES = (100, 1_000, 5_000, 20_000)
SECONDS = 3.0
"""How long each stream lasts."""
GROWTH = 0.10
"""Of the tab's heap, over the last half of its turns, at most."""
KEYS = 5
"""How often a key is pressed; the median is given, and the worst."""

BARS = {
    "latency_ms_p50": ("≤", 35.0),
    "latency_ms_p99": ("≤", 75.0),
    "fps": ("≥", 57.0),
    "long_tasks": ("≤", 0.0),
    "cancel_screen_ms": ("≤", 50.0),
    "cancel_socket_ms": ("≤", 100.0),
    "steer_request_ms": ("≤", 20.0),
}


# --- the page --------------------------------------------------------------------------------------------------------

WATCH = """index => {
  const notebook = window.jupyterapp.shell.currentWidget.content.model.sharedModel;
  const watch = window.watch = { late: [], frames: [], long: 0, seen: 0, base: 0, key: 0, change: 0, on: true };
  const now = () => performance.timeOrigin + performance.now();
  new PerformanceObserver(list => { if (watch.on) watch.long += list.getEntries().length; }).observe({ type: 'longtask' });
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape' || event.key === 'Enter') watch.key = now();
  }, true);
  let cell = null;
  const frame = () => {
    if (!watch.on) return;
    const at = now();
    cell ??= notebook.cells[index]?.source.startsWith('base = ') ? notebook.cells[index] : null;
    if (cell) {
      if (!watch.heard) {
        watch.heard = true;
        cell.changed.connect((_, change) => { if (change.sourceChange) watch.change = now(); });
      }
      const source = cell.source + (document.querySelector('.spark-LiveText')?.textContent ?? '');
      if (source.length > watch.seen) {
        watch.base ||= Number(source.match(/^base = ([\\d.]+)\\n/)?.[1] ?? 0) * 1000;
        const text = source.slice(watch.seen);
        const end = Math.max(text.lastIndexOf(','), text.lastIndexOf('\\n')) + 1;
        if (watch.seen > 0 && watch.base) {
          for (const [digits] of text.slice(0, end).matchAll(/\\d+/g)) watch.late.push(at - watch.base - Number(digits) / 10);
          watch.seen += end;
        } else if (watch.base) {
          watch.seen = source.indexOf('\\n') + 1;
        }
        watch.frames.push(at);
      }
    }
    requestAnimationFrame(frame);
  };
  const count = () => { if (watch.on) { (watch.all ??= []).push(now()); requestAnimationFrame(count); } };
  requestAnimationFrame(frame);
  requestAnimationFrame(count);
}"""

RESULT = """() => {
  const { late, frames, long, all, key, change } = window.watch;
  window.watch.on = false;
  const sorted = [...late].sort((a, b) => a - b);
  const at = part => sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] : null;
  const [from, to] = [frames[0], frames.at(-1)];
  const during = all.filter(one => one >= from && one <= to);
  return {
    tokens: late.length, latency_ms_p50: at(0.5), latency_ms_p99: at(0.99), long_tasks: long,
    fps: during.length > 1 ? (during.length - 1) / (during.at(-1) - during[0]) * 1000 : null,
    tokens_per_second: late.length / (to - from) * 1000
  };
}"""

SCROLL_ONCE = """async () => {
  const view = window.jupyterapp.shell.currentWidget.content.outerNode;
  for (const top of [40, 0]) {
    view.scrollTop = top;
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  }
}"""

# The panel shows a new turn a moment after the footer does, and until then the last one that it shows is an older one.
ENDED = """() => !document.querySelector('.spark-Footer[data-state="streaming"]')
  && document.querySelector('.spark-Turn:last-child:not([data-outcome=streaming])')"""
BEGUN = """() => document.querySelector('.spark-Footer[data-state="streaming"]')"""
ASKS = 100
"""Milliseconds between looks at the page while it streams."""

BUSY = "import time\n_end = time.time() + {seconds}\nwhile time.time() < _end: _n = sum(range(50))"


class Bench:
    """A page with a notebook, and measurements in it."""

    def __init__(self, lab: Any, page: Any, provider: Provider) -> None:
        self.lab, self.page, self.provider = lab, page, provider
        self._count = 0

    def open(self, cells: int = 1) -> Any:
        """A fresh notebook with so many cells, with Spark attached."""
        from tests.browser.lab import Notebook, code

        self._count += 1
        name = self.lab.write(f"bench-{self._count}.ipynb", [code(f"x = {n}") for n in range(cells)])
        book = Notebook(self.lab, self.page, name).open()
        attach(book, self.provider, "clock")
        return book

    def rendered(self, book: Any) -> Any:
        """The same notebook when JupyterLab has made the editors of all its cells, which it does one by one when it has time, and when
        they have seen it scroll once: the first time each of 1,000 lays itself out (1.8 s, also without Spark)."""
        every = "window.jupyterapp.shell.currentWidget.content.widgets.every(cell => !cell.isPlaceholder())"
        self.page.wait_for_function(f"() => {every}", timeout=180_000, polling=500)
        self.page.evaluate(SCROLL_ONCE)
        return book

    def stream(self, book: Any, rate: int, *, busy: bool = False, seconds: float = SECONDS) -> dict[str, Any]:
        """One answer at a rate, below the first cell; it is rejected afterwards."""
        book.activate(0)
        if busy:
            book.execute(BUSY.format(seconds=seconds * 2 + 4), wait=False)
            self.page.wait_for_timeout(300)
        self.page.evaluate(WATCH, 1)
        book.prompt(f"rate={rate} seconds={seconds}")
        self._wait_begun()
        self._wait_ended(book, timeout=seconds * 1000 * 4 + 30_000)
        result: dict[str, Any] = self.page.evaluate(RESULT)
        book.command("spark:reject-all")
        book.footer().wait_for(state="detached")
        if busy:
            book.execute("pass")
        return {"rate": rate, "busy": busy, **result}

    def cancel(self, book: Any, *, busy: bool, rate: int) -> dict[str, Any]:
        """From Escape to the last change on the screen, and to the end of the provider's answer."""
        key = self._press_in_stream(book, "Escape", busy=busy, rate=rate)
        closed = self.provider.first("closed", key)
        self._wait_ended(book)
        self.page.wait_for_timeout(200)
        change = self.page.evaluate("() => window.watch.change") / 1000
        self._clean(book, busy=busy)
        return {
            "rate": rate,
            "busy": busy,
            "cancel_screen_ms": max(0.0, change - key) * 1000,
            "cancel_socket_ms": (closed - key) * 1000,
        }

    def steer(self, book: Any, *, busy: bool, rate: int) -> dict[str, Any]:
        """From Enter to the new request's arrival at the provider."""
        key = self._press_in_stream(book, "Enter", busy=busy, rate=rate, text="rate=200 seconds=0.3")
        asked = self.provider.first("request", key)
        self._wait_ended(book)
        self._clean(book, busy=busy)
        return {"rate": rate, "busy": busy, "steer_request_ms": (asked - key) * 1000}

    def memory(self, book: Any, turns: int) -> dict[str, Any]:
        """The tab's heap before, half way through and after so many turns, in megabytes. Each is rejected, so that the notebook does not
        grow; what the panel shows of the turns does."""
        heaps = [heap(self.page)]
        for _ in range(2):
            for _ in range(turns // 2):
                book.activate(0)
                book.prompt("rate=1000 seconds=0.05")
                book.page.locator('.spark-Footer[data-state="ready"]').first.wait_for()
                self._wait_ended(book)
                book.command("spark:reject-all")
                book.page.locator(".spark-Footer").wait_for(state="detached")
            heaps.append(heap(self.page))
        before, half, after = heaps
        growth = after / half - 1
        return {
            "turns": turns,
            "heap_mb_before": before,
            "heap_mb_half": half,
            "heap_mb_after": after,
            "growth": growth,
        }

    def _press_in_stream(self, book: Any, key: str, *, busy: bool, rate: int, text: str = "") -> float:
        book.activate(0)
        if busy:
            book.execute(BUSY.format(seconds=8), wait=False)
            self.page.wait_for_timeout(300)
        self.page.evaluate(WATCH, 1)
        book.prompt(f"rate={rate} seconds=20")
        book.wait_until("cells => (cells[1]?.source.length ?? 0) > 3000")
        if text:
            book.box.fill(text)
        book.box.press(key)
        pressed: float = self.page.evaluate("() => window.watch.key") / 1000
        return pressed

    def _wait_begun(self) -> None:
        self.page.wait_for_function(BEGUN, polling=ASKS)

    def _wait_ended(self, book: Any, timeout: float = 30_000) -> None:
        # Seldom, and not by locators: they look at the page in every frame, which would be measured as ours.
        self.page.wait_for_function(ENDED, timeout=timeout, polling=ASKS)

    def _clean(self, book: Any, *, busy: bool) -> None:
        self.page.evaluate("() => { window.watch.on = false; }")
        book.command("spark:reject-all")
        if busy:
            book.execute("pass")


# --- the run -----------------------------------------------------------------------------------------------------------


def measure(*, quick: bool, say: Any, beside_plain: bool = False) -> dict[str, Any]:
    """Everything, one after the other: two would measure each other."""
    results: dict[str, Any] = {"streams": [], "cancel": [], "steer": []}
    rates = RATES[1:3] if quick else RATES
    provider = Provider()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for extension in (True, False):
                place = Path(folder) / str(extension)
                place.mkdir()
                with lab_page(place, extension=extension) as (lab, page):
                    bench = Bench(lab, page, provider)
                    if extension:
                        results["beside_plain"] = compare(bench, quick=quick)
                        for row in results["beside_plain"]:
                            say(f"{row['page']} page", row)
                        if beside_plain:
                            return results
                    book = bench.open()
                    bench.stream(book, 200, seconds=0.5)  # what is made once is made now
                    for busy in (False, True):
                        for rate in rates:
                            row = {"server_extension": extension, **bench.stream(book, rate, busy=busy)}
                            results["streams"].append(row)
                            say("stream", row)
                        if extension:
                            for name, one, rate in (
                                ("cancel", bench.cancel, 1_000),
                                ("cancel", bench.cancel, 5_000),
                                ("steer", bench.steer, 1_000),
                            ):
                                row = median([one(book, busy=busy, rate=rate) for _ in range(1 if quick else KEYS)])
                                results[name].append(row)
                                say(name, row)
                    if extension:
                        results["memory"] = bench.memory(bench.open(), 10 if quick else 100)
                        say("memory", results["memory"])
                        results["thousand_cells"] = bench.stream(bench.rendered(bench.open(cells=1000)), 1_000)
                        say("thousand cells", results["thousand_cells"])
    finally:
        provider.close()
    return results


def soak(turns: int) -> dict[str, Any]:
    """The tab's memory alone, over many turns."""
    provider = Provider()
    try:
        with tempfile.TemporaryDirectory() as folder, lab_page(Path(folder)) as (lab, page):
            bench = Bench(lab, page, provider)
            return bench.memory(bench.open(), turns)
    finally:
        provider.close()


def median(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One row of several: of each figure the median, and the worst beside it."""
    figures = [name for name, value in rows[0].items() if isinstance(value, float)]
    middle = {name: statistics.median(row[name] for row in rows) for name in figures}
    worst = {f"worst_{name}": max(row[name] for row in rows) for name in figures}
    return {**rows[0], **middle, **(worst if len(rows) > 1 else {})}


def describe(name: str, row: dict[str, Any], bars: Mapping[str, tuple[str, float]] = BARS) -> None:
    """A line for a person, with the bar beside each figure that has one."""
    parts = []
    for key, value in row.items():
        shown = f"{value:,.1f}" if isinstance(value, float) else str(value)
        sign, bar = bars.get(key, ("", 0.0))
        parts.append(f"{key}={shown}" + (f" (bar {sign}{bar:g})" if sign else ""))
    print(f"{name:>14}: {'  '.join(parts)}", flush=True)


def main() -> int:
    """Parse, measure, print. Returns the exit code: 1 where the tab grew too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--quick", action="store_true", help="two rates and ten turns")
    parser.add_argument("--beside-plain", action="store_true", help="only the plain page beside the notebook")
    parser.add_argument("--soak", type=int, metavar="TURNS", help="only the tab's memory, over so many turns")
    options = parser.parse_args()
    if options.soak:
        figures = soak(options.soak)
        met = figures["growth"] <= GROWTH
        say = f"{'met   ' if met else 'MISSED'}  the tab's heap over the last half: growth (at most {GROWTH:g})"
        print(json.dumps(figures, indent=2) if options.json else f"{figures}\n  {say}: {figures['growth']:.2f}")
        return 0 if met else 1
    quiet = (lambda *_: None) if options.json else describe
    results = measure(quick=options.quick, say=quiet, beside_plain=options.beside_plain)
    if options.json:
        print(json.dumps(results, indent=2))
    else:
        print(*verdicts(results["beside_plain"]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
