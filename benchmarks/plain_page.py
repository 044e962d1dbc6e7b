"""Plain page beside the notebook: the same stream in both, its latency, its states and its CPU.

The plain page is what can be had at best: the provider's text in a ``<pre>``, once per frame. Both are asked in turn, in one run and one
browser; printed by ``make bench-ui``. A *state* is a text that a frame showed. CPU seconds are those of Chromium's processes and of the
kernel. Only an idle machine gives figures to compare with the bars: the notebook's way takes most of two cores.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from benchmarks.ui import Bench

TOKENS = 2_000
RATES = (1_000, 5_000)
ROUNDS = 3
OVER_PLAIN = {"p50_ms": 20.0, "p95_ms": 40.0, "first_text_ms": 50.0, "browser_cpu_s": 0.4}
"""By figure: how much more the notebook may take than the plain page at 1,000 tokens a second."""
ALONE = {
    1_000: {"states": (">=", 110), "long_tasks": ("<=", 0), "kernel_cpu_s": ("<=", 0.5)},
    5_000: {"p95_ms": ("<=", 90), "states": (">=", 24)},
}
"""By rate: what the notebook must reach by itself."""

HTML = """<!doctype html><meta charset="utf-8"><title>plain</title><pre id="text"></pre><script>
const pre = document.getElementById('text');
window.ask = async query => {
  let waiting = '';
  const frame = () => {
    if (waiting) { pre.append(waiting); waiting = ''; }
    if (window.watch.on) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const answer = await fetch(`/stream?${query}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    waiting += value;
  }
};
</script>"""

WATCH = """source => {
  const read = new Function(`return ${source}`)();
  const watch = window.watch = { late: [], states: 0, long: 0, seen: 0, base: 0, first: 0, longest: 0, frames: 0, on: true };
  const now = () => performance.timeOrigin + performance.now();
  new PerformanceObserver(list => { if (watch.on) watch.long += list.getEntries().length; }).observe({ type: 'longtask' });
  let before = 0;
  const frame = () => {
    if (!watch.on) return;
    const at = now();
    const text = read();
    if (watch.base && before) { watch.longest = Math.max(watch.longest, at - before); watch.frames += 1; }
    before = at;
    if (text && text.length > watch.seen) {
      watch.base ||= Number(text.match(/^base = ([\\d.]+)\\n/)?.[1] ?? 0) * 1000;
      if (watch.base) {
        watch.first ||= at;
        watch.states += 1;
        if (!watch.seen) watch.seen = text.indexOf('\\n') + 1;
        const fresh = text.slice(watch.seen);
        const end = Math.max(fresh.lastIndexOf(','), fresh.lastIndexOf('\\n')) + 1;
        for (const [digits] of fresh.slice(0, end).matchAll(/\\d+/g)) watch.late.push(at - watch.base - Number(digits) / 10);
        watch.seen += end;
      }
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
RESULT = """() => {
  const { late, states, long, longest, first } = window.watch;
  const sorted = [...late].sort((a, b) => a - b);
  const at = part => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;
  return { tokens: late.length, p50_ms: at(0.5), p95_ms: at(0.95), states, long_tasks: long, longest_frame_ms: longest, first };
}"""
WATCH_ENTER = """() => document.addEventListener('keydown', event => {
  if (event.key === 'Enter') window.watch.key = performance.timeOrigin + performance.now();
}, true)"""
_PRE = "() => document.getElementById('text').textContent"
_CELL = """() => {
  const { sharedModel } = window.jupyterapp.shell.currentWidget.content.model;
  return sharedModel.cells[1] && sharedModel.cells[1].source + (document.querySelector('.spark-LiveText')?.textContent ?? '');
}"""
"""What the screen shows of the cell: its text, and the lines that are painted behind it."""


def compare(bench: Bench, *, quick: bool) -> list[dict[str, Any]]:
    """A row for each rate and page: medians of the rounds, in which both were asked in turn."""
    rows = []
    book = bench.open()
    bench.stream(book, 200, seconds=0.5)
    plain = bench.page.context.browser.new_page(viewport={"width": 1280, "height": 800})
    for rate in RATES[:1] if quick else RATES:
        rounds: dict[str, list[dict[str, Any]]] = {"plain": [], "notebook": []}
        for _ in range(1 if quick else ROUNDS):
            plain.bring_to_front()
            rounds["plain"].append(_in_plain_page(bench, plain, rate))
            bench.page.bring_to_front()
            rounds["notebook"].append(_in_notebook(bench, book, rate))
        rows += [{"page": page, "rate": rate, **_median(measured)} for page, measured in rounds.items()]
    plain.close()
    return rows


def _in_plain_page(bench: Bench, page: Any, rate: int) -> dict[str, Any]:
    page.goto(bench.provider.plain)
    page.evaluate(WATCH, _PRE)
    before = _cpu(bench.page)
    asked = page.evaluate("() => performance.timeOrigin + performance.now()")
    page.evaluate(f"() => window.ask('rate={rate}&seconds={TOKENS / rate}')")
    return _result(page, asked, browser_cpu_s=_cpu(bench.page) - before)


def _in_notebook(bench: Bench, book: Any, rate: int) -> dict[str, Any]:
    book.activate(0)
    book.execute("import os; open('pid', 'w').write(str(os.getpid()))")
    kernel = psutil.Process(int((bench.lab.root / "pid").read_text()))
    bench.page.evaluate(WATCH, _CELL)
    bench.page.evaluate(WATCH_ENTER)
    book.box.fill(f"rate={rate} seconds={TOKENS / rate}")
    before, kernel_before = _cpu(bench.page), sum(kernel.cpu_times()[:2])
    book.box.press("Enter")
    bench._wait_begun()
    bench._wait_ended(book)
    result = _result(bench.page, bench.page.evaluate("() => window.watch.key"), browser_cpu_s=_cpu(bench.page) - before)
    result["kernel_cpu_s"] = sum(kernel.cpu_times()[:2]) - kernel_before
    book.command("spark:reject-all")
    book.footer().wait_for(state="detached")
    return result


def _result(page: Any, asked: float, **more: float) -> dict[str, Any]:
    page.evaluate("() => { window.watch.on = false; }")
    measured = page.evaluate(RESULT)
    return {**measured, "first_text_ms": measured.pop("first") - asked, **more}


def _cpu(page: Any) -> float:
    """CPU seconds of Chromium so far, all of its processes."""
    session = page.context.browser.new_browser_cdp_session()
    try:
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        return float(sum(one["cpuTime"] for one in processes))
    finally:
        session.detach()


def _median(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


def verdicts(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each bar: what was measured beside it."""
    by = {(row["page"], row["rate"]): row for row in rows}
    lines = []
    for figure, over in OVER_PLAIN.items():
        plain, ours = by["plain", RATES[0]][figure], by["notebook", RATES[0]][figure]
        lines.append(_line(f"{RATES[0]} tok/s {figure}", ours, "<=", plain + over))
    for rate, bars in ALONE.items():
        if ("notebook", rate) in by:
            lines += [
                _line(f"{rate} tok/s {figure}", by["notebook", rate][figure], sign, bar)
                for figure, (sign, bar) in bars.items()
            ]
    return lines


def _line(name: str, value: float, sign: str, bar: float) -> str:
    met = value <= bar if sign == "<=" else value >= bar
    return f"{'met   ' if met else 'MISSED'}  {name}: {value:,.2f} (bar {sign} {bar:,.2f})"
