"""``make bench-drafts``: drafts as a person who thinks in Markdown gets them, in Chromium. ``--json`` prints one object.

A provider in a process of its own takes 150 ms to its first token and writes 1,000 a second. It knows a recorded session
(``data/thoughts.toml``): what a strong model writes for the words so far.

*First letter*: from the last key to the draft's first letter in the page, without the provider's own time from the request to its first
token; the pause after which a draft is asked for is in it. *Gone*: from a key that contradicts until the draft is out of the page.
*Repainted*: changes of the page in lines that stay as they are while a draft is written again. *Key*: what a key in the Markdown cell keeps
the page busy, *long tasks*: those while one types; beside it (*off*) the same without draft mode.

Then ten minutes of thinking aloud, at the pace of a person and not compressed: words are typed with gaps as people have them, thought
about, and what is drafted is taken and run. *Cacheable*: the part of the requests' tokens that an earlier request began with. *Heap grown*:
beyond what the same cells take that are pasted and run (*by hand*).
``--quick`` thinks for a sixth of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.lab_page import attach, heap, lab_page, percentiles
from benchmarks.provider_process import ProviderProcess
from benchmarks.ui import describe
from spark_jupyter.server.engines.base import AnswerEngine

DATA = tomllib.loads((Path(__file__).parent / "data" / "thoughts.toml").read_text())
THOUGHTS: list[list[tuple[str, str]]] = [thought["parts"] for thought in DATA["thought"]]
CLEAR = [parts for parts in THOUGHTS if len(parts[0][0].split()) > 5]
"""Thoughts whose first words say enough for the shortest pause."""
WAIT = 0.150
"""Seconds that the provider takes to its first token."""
RATE = 1_000
"""Tokens a second."""
MINUTES = 10.0
GAP, SPREAD = 0.125, 0.4
"""Seconds between two keys: the median, and the spread of the logarithm."""

BARS = {
    "first_letter_ms_p50": ("≤", 200.0),
    "first_letter_ms_p95": ("≤", 200.0),
    "gone_ms_p95": ("≤", 30.0),
    "repainted": ("≤", 0.0),
    "key_ms_p95": ("≤", 16.0),
    "long_tasks": ("≤", 0.0),
    "requests_in_ten_minutes": ("≤", 60.0),
    "cacheable": ("≥", 0.85),
    "loaded_while_off": ("≤", 0.0),
    "heap_mb_grown": ("≤", 5.0),
}

# --- the provider ------------------------------------------------------------------------------------------------------


class ThinkingEngine(AnswerEngine):
    """Writes the code for the words of the last thought that a request names, as far as they are typed."""

    name = "thinking"

    def __init__(self) -> None:
        self._sent: list[str] = []

    def models(self) -> list[str]:
        return ["thinking"]

    def answer(
        self, conversation: tuple[Any, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[str]:
        from spark_jupyter.prompting.budget import estimate_tokens

        text = "\n".join((instructions, *(f"{one.role}: {one.text}" for one in conversation)))
        shared = max((len(os.path.commonprefix([text, before])) for before in self._sent), default=0)
        self._sent.append(text)
        cached = estimate_tokens(text[:shared])
        _say(event="request", at=time.time(), tokens=estimate_tokens(text), cached=cached)
        return self._pieces(_code_for(conversation[-1].text))

    def _pieces(self, code: str) -> Iterator[str]:
        from spark_jupyter.server.engines.base import tokens

        time.sleep(WAIT)
        begun = time.monotonic()
        _say(event="first", at=time.time())
        for number, piece in enumerate(
            tokens(f"```python\n{code.strip()}\n```\n" if code else "Nothing is to be done.")
        ):
            time.sleep(max(0.0, begun + number / RATE - time.monotonic()))
            yield piece


def _code_for(request: str) -> str:
    asked = [parts for parts in THOUGHTS if parts[0][0][:12] in request.rpartition("## Request")[2]]
    written = "".join(words for words, _ in asked[-1]) if asked else ""
    code = ""
    for words, then in asked[-1] if asked else ():
        before = written.partition(words)[0] + words[:-3]  # who pauses before the last letters means the same
        code = then if before in request else code
    return code


def _say(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


async def _provide() -> None:
    from spark_jupyter.server import serve

    async with serve(engine=ThinkingEngine()) as server:
        _say(url=server.info.url, token=server.info.token)
        await asyncio.to_thread(sys.stdin.read)


class Provider:
    """The provider's process. Has the ``url`` and ``token`` that ``Notebook.configure`` wants."""

    def __init__(self) -> None:
        self._process = ProviderProcess([sys.executable, __file__, "--provide"])
        self.url, self.token = self._process.place["url"], self._process.place["token"]
        self.close = self._process.close

    def all(self, event: str, after: float = 0.0) -> list[dict[str, Any]]:
        """What it reported of this kind since a time in Unix milliseconds."""
        return [one for one in tuple(self._process.events) if one["event"] == event and one["at"] * 1000 >= after]


# --- the page ----------------------------------------------------------------------------------------------------------

WATCH = """() => {
  const now = () => performance.timeOrigin + performance.now();
  const watch = window.draftWatch = { key: 0, first: 0, gone: 0, long: 0, costs: [], touched: new Map() };
  const { port1, port2 } = new MessageChannel();
  let pressed = 0;
  port1.onmessage = () => watch.costs.push(now() - pressed);
  document.addEventListener('keydown', () => {
    watch.key = pressed = now();
    watch.first = watch.gone = 0;
    port2.postMessage(null);
  }, true);
  new MutationObserver(records => {
    for (const { target, removedNodes } of records) {
      const element = target.closest ? target : target.parentElement;
      if ([...removedNodes].some(node => node.classList?.contains('spark-Draft'))) watch.gone ||= now();
      if (!element?.closest('.spark-Draft')) continue;
      watch.first ||= document.querySelector('.spark-Draft-line')?.textContent ? now() : 0;
      const line = element.closest('.spark-Draft-line');
      line && watch.touched.set(line, (watch.touched.get(line) ?? 0) + 1);
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true });
  new PerformanceObserver(list => { watch.long += list.getEntries().length; }).observe({ type: 'longtask' });
}"""
"""A message that is posted at a key arrives when the page has done what the key made it do."""

KEEP = """() => {
  window.draftWatch.touched.clear();
  window.draftWatch.kept = [...document.querySelectorAll('.spark-Draft-line')].map(line => [line, line.textContent]);
}"""
REPAINTED = """() => {
  const { kept, touched } = window.draftWatch;
  const stay = kept.filter(([line, text]) => line.isConnected && line.textContent === text);
  return [stay.length, stay.reduce((sum, [line]) => sum + (touched.get(line) ?? 0), 0)];
}"""
DONE = """() => document.querySelector('.spark-Draft[data-state=done] .spark-Draft-line')"""
CHUNKS = """() => performance.getEntriesByType('resource').map(one => one.name).filter(name => /spark-jupyter\\/static/.test(name))"""
FRESH = """async type => {
  const { content } = window.jupyterapp.shell.currentWidget;
  const { commands } = window.jupyterapp;
  content.activeCellIndex = content.widgets.length - 1;
  await commands.execute('notebook:insert-cell-below');
  await commands.execute(`notebook:change-cell-to-${type}`);
  await commands.execute('notebook:enter-edit-mode');
  content.activeCell.editor.focus();
}"""


class Thinker:
    """A person in a page who thinks in Markdown."""

    def __init__(self, lab: Any, page: Any, provider: Provider) -> None:
        from tests.browser.lab import Notebook, code

        self.page, self.provider = page, provider
        name = lab.write("thinking.ipynb", [code(DATA["before"])])
        self.book = book = Notebook(lab, page, name).open()
        attach(book, provider, "thinking", "import os; os.environ['SPARK_PROFILE'] = 'ollama'")
        book.autocomplete("off")
        self.run_cell(0)
        page.evaluate(WATCH)

    def run_cell(self, index: int) -> str:
        """Run a cell; what it shows."""
        self.book.cell(index).locator(".cm-content").first.click()
        self.page.keyboard.press("Control+Enter")
        self.book.wait_until("(cells, index) => cells[index].execution_count > 0", index, timeout=60_000)
        return self.book.output(index) if self.book.cell(index).locator(".jp-OutputArea-output").count() else ""

    def switch_on(self) -> dict[str, Any]:
        """Switch draft mode on; what was loaded of it before, and what is then."""
        chunks = self.page.evaluate(CHUNKS)
        self.page.evaluate(FRESH, "code")
        self.page.keyboard.insert_text("import sys; [name for name in sys.modules if 'drafte' in name]")
        modules = self.run_cell(1)
        self.fresh()
        costs, long = self.keys("".join(text for text, _ in THOUGHTS[0]))
        self.book.command("spark:drafts")

        self.page.locator(".spark-StatusItem", has_text="Drafts").wait_for()
        self.fresh()
        self.page.keyboard.insert_text(THOUGHTS[0][0][0])
        self.until_done()
        later = [one for one in self.page.evaluate(CHUNKS) if one not in chunks]
        self.clear()
        return {
            "loaded_while_off": int("drafter" in modules),
            "chunks_loaded_when_on": len(later),
            **percentiles("key_ms_off", costs),
            "key_ms_max_off": round(max(costs), 1),
            "long_tasks_off": long,
        }

    def keys(self, text: str) -> tuple[list[float], int]:
        """Type; the milliseconds for which each key keeps the page busy, and the number of long tasks meanwhile."""
        self.page.evaluate("() => Object.assign(window.draftWatch, { costs: [], long: 0 })")
        self.page.keyboard.type(text, delay=GAP * 1000)
        self.page.wait_for_timeout(50)
        costs, long = self.page.evaluate("() => [window.draftWatch.costs, window.draftWatch.long]")
        return costs, long

    def fresh(self) -> None:
        """A Markdown cell at the end, with the cursor in it."""
        self.page.evaluate(FRESH, "markdown")

    def until_done(self) -> None:
        self.page.wait_for_function(DONE, timeout=30_000, polling=20)

    def watched(self) -> dict[str, float]:
        found: dict[str, float] = self.page.evaluate("() => ({ ...window.draftWatch, touched: 0, kept: 0 })")
        return found

    def clear(self) -> None:
        """Empty the cell."""
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")

    def single_drafts(self, thoughts: Sequence[list[tuple[str, str]]]) -> dict[str, Any]:
        """A draft for each thought's first part, its refinement by the second, and a key that contradicts."""
        first, gone, costs, stayed, repainted, long = [], [], list[float](), 0, 0, 0
        for parts in thoughts:
            self.fresh()
            self.page.wait_for_timeout(36_000)  # three more drafts may be asked for
            self.page.keyboard.insert_text(parts[0][0][:-1])
            self.page.keyboard.press(parts[0][0][-1])
            self.until_done()
            seen = self.watched()
            (asked, *_), (spoke, *_) = (self.provider.all(event, seen["key"]) for event in ("request", "first"))
            first.append(seen["first"] - seen["key"] - (spoke["at"] - asked["at"]) * 1000)
            self.page.evaluate(KEEP)
            took, tasks = self.keys(parts[1][0])
            costs, long = costs + took, long + tasks
            self.page.wait_for_timeout(2_500)
            self.until_done()
            count, touched = self.page.evaluate(REPAINTED)
            stayed, repainted = stayed + count, repainted + touched
            self.page.keyboard.press("Control+Home")
            self.page.keyboard.press("N")
            self.page.wait_for_function("() => window.draftWatch.gone > 0", timeout=5_000, polling=20)
            seen = self.watched()
            gone.append(seen["gone"] - seen["key"])
            self.clear()
            self.book.execute(parts[-1][1])  # later thoughts go on from it
        return {
            **percentiles("first_letter_ms", first),
            **percentiles("gone_ms", gone),
            "lines_that_stayed": stayed,
            "repainted": repainted,
            **percentiles("key_ms", costs),
            "key_ms_max": round(max(costs), 1),
            "long_tasks": long,
        }

    def thinks_aloud(self, thoughts: Sequence[list[tuple[str, str]]]) -> dict[str, Any]:
        """The recorded session, at the pace of a person; each thought's draft is taken and run, where there is one by then."""
        dice, begun = random.Random(32), time.monotonic()
        each = MINUTES * 60 / len(THOUGHTS)
        before, long, words, taken, since = heap(self.page), self.watched()["long"], 0, 0, time.time() * 1000
        for number, parts in enumerate(thoughts, 1):
            self.fresh()
            for text, _ in parts:
                words += len(text.split())
                for key in text:
                    self.page.keyboard.press(key if key != " " else "Space")
                    self.page.wait_for_timeout(dice.lognormvariate(0, SPREAD) * GAP * 1000)
                left = begun + number * each - time.monotonic()
                self.page.wait_for_timeout(max(2.0, left / len(parts)) * 1000)
            cells = len(self.book.sources())
            self.page.keyboard.press("Control+Enter")
            self.page.wait_for_timeout(3_000)
            taken += len(self.book.sources()) > cells
        requests = self.provider.all("request", since)
        grown, by_hand = heap(self.page) - before, self.cells_by_hand(thoughts)
        return {
            "words": words,
            "minutes": round((time.monotonic() - begun) / 60, 1),
            "requests": len(requests),
            "requests_in_ten_minutes": round(len(requests) * len(THOUGHTS) / len(thoughts)),
            "input_tokens": sum(one["tokens"] for one in requests),
            "cacheable": round(
                sum(one["cached"] for one in requests) / max(1, sum(one["tokens"] for one in requests)), 2
            ),
            "drafts_taken": taken,
            "thoughts": len(thoughts),
            "long_tasks_in_session": self.watched()["long"] - long,
            "heap_mb_by_hand": by_hand,
            "heap_mb_grown": round(grown - by_hand, 1),
        }

    def cells_by_hand(self, thoughts: Sequence[list[tuple[str, str]]]) -> float:
        """Megabytes of the page for the cells of these thoughts, pasted and run without a draft."""
        self.book.command("spark:drafts")
        before = heap(self.page)
        for parts in thoughts:
            self.fresh()
            self.page.keyboard.insert_text("".join(text for text, _ in parts))
            self.page.keyboard.press("Control+Enter")
            self.page.evaluate(FRESH, "code")
            self.page.keyboard.insert_text(parts[-1][1])
            self.run_cell(len(self.book.sources()) - 1)
        return round(heap(self.page) - before, 1)


PARTS = ("single", "session")


def measure(*, quick: bool, parts: Sequence[str], say: Any) -> dict[str, Any]:
    """Everything, in one page."""
    provider = Provider()
    results: dict[str, Any] = {}
    try:
        with tempfile.TemporaryDirectory() as folder, lab_page(Path(folder)) as (lab, page):
            one = Thinker(lab, page, provider)
            results["off and on"] = one.switch_on()
            say("off and on", results["off and on"], BARS)
            if "single" in parts:
                results["drafts"] = one.single_drafts(CLEAR[: 3 if quick else 10])
                say("drafts", results["drafts"], BARS)
            if "session" in parts:
                results["thinking aloud"] = one.thinks_aloud(THOUGHTS[: 2 if quick else 12])
                say("thinking aloud", results["thinking aloud"], BARS)
    finally:
        provider.close()
    return results


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--quick", action="store_true", help="three single drafts and two thoughts")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be said again")
    parser.add_argument("--provide", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.provide:
        asyncio.run(_provide())
        return
    results = measure(
        quick=options.quick, parts=options.part or PARTS, say=(lambda *_: None) if options.json else describe
    )
    if options.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
