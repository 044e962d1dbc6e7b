"""Part of ``make bench-ui``: ghost text as a person at the screen gets it, in Chromium. ``--json`` prints one object.

A provider in a process of its own takes ``--wait`` milliseconds to its first token, and says when it was asked and when it spoke. *Beyond*
is from the key to the frame in which the suggestion stands in the page, without the provider's own time from the request to its first
token. The kernel idles, or computes in Python. Beside it, in the same run, JupyterLab's own inline completer with the same provider.

A frame comes 60 times a second, whenever the provider speaks: 8 ms on average and 16 at p95 are the screen's own. *Screen* is what that
is here: text that a timer puts into the page after such a key, seen in the same way, and nothing of ours has a part in it. *Over screen*
is how much later than that the suggestion is shown, at p95: what the way to the provider and back takes, and the bars are for. *In page*
is from the key until the suggestion stands in the page, which the next frame shows. The provider's time is up to a frame longer, another
time each time: else each suggestion would come at the same place between two frames.

*Letter*: from the key to the frame with the letter that was typed, the least that a person can see of any program; typing along, the
rest of the suggestion is in that very frame (*behind the letter*: how many were not).

*Writing* is recorded sessions (``typist.py``), 300 keys at 8 a second, cells run in between. The same is written once more without
suggestions, and as much of it: what JupyterLab itself takes for it. *Share from cache*: of the keys after which something was suggested,
those before which nothing was asked for. *Round trip* is what a request to the kernel takes in that page; the *stages* of the way are from
the key to the socket, from there to the provider, from its first token back to the page's socket, and from there to the frame.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.lab_page import attach, heap, lab_page, percentiles
from benchmarks.paced import Provider, spread
from benchmarks.ui import BUSY, describe

KEYS = 40
"""Suggestions that are asked for, by one key each."""
WRITTEN = 300
"""Keys of the recorded sessions."""
SETTLED = 700
"""Milliseconds after which nothing more follows what was done before a key: it is looked for next edits after 400."""
WAIT = 50.0
"""Milliseconds that the provider takes to its first token."""
COMPLETER = "@jupyterlab/completer-extension:inline-completer"

STAGES = ("key_ms", "there_ms", "back_ms", "page_ms", "frame_ms")
"""Of the way from a key to the frame: to the page's socket, from there to the provider; from its first token to the page's socket,
from there into the page, and from there to the frame. The last is half a frame, whatever is done."""

BARS = {
    "over_screen_ms_p95": ("≤", 20.0),
    "busy_over_screen_ms_p95": ("≤", 40.0),
    "along_in_page_ms_p95": ("≤", 10.0),
    "behind_the_letter": ("≤", 0.0),
    "along_requests": ("≤", 0.0),
    "connections": ("≤", 1.0),
    "long_tasks": ("≤", 0.0),
    "wrong_keys": ("≤", 0.0),
}


# --- the page --------------------------------------------------------------------------------------------------------

GHOST = ".spark-Ghost"
JUPYTERS = ".jp-GhostText"

WATCH = """ghost => {
  const now = () => performance.timeOrigin + performance.now();
  const watch = window.ghostWatch = { key: 0, stands: 0, shown: 0, letter: 0, behind: false, text: '', long: 0 };
  document.addEventListener('keydown', () => { watch.key = now(); watch.stands = watch.shown = watch.letter = 0; }, true);
  let frame = 0;
  const look = changes => {
    if (!watch.letter && changes.some(({ target }) => (target.closest ? target : target.parentElement)?.closest('.cm-line'))) {
      watch.letter = -1;
      requestAnimationFrame(at => { watch.letter = now(); frame = at; });
    }
    const text = [...document.querySelectorAll(ghost)].map(one => one.textContent).join('\\n');
    if (text !== watch.text) {
      watch.text = text;
      const { key } = watch;
      if (text && !watch.stands) {
        watch.stands = now();
        requestAnimationFrame(at => { watch.shown = key === watch.key ? now() : 0; watch.behind = at !== frame; });
      }
    }
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  new PerformanceObserver(list => { watch.long += list.getEntries().length; }).observe({ type: 'longtask' });
}"""
"""``stands``: when the first of it stood in the page, ``shown``: in the frame after that. ``letter``: the frame in which the line
changed, ``behind``: that was another one."""

WIRE = """(() => {
  const now = () => performance.timeOrigin + performance.now();
  const wire = window.wireWatch = { sent: [], came: [] };
  const says = (data, word) => word.test(typeof data === 'string' ? data : new TextDecoder().decode(data));
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...all) {
      super(...all);
      this.addEventListener('message', ({ data }) => says(data, /Completed\\\\?"/) && wire.came.push(now()));
    }
    send(data) {
      says(data, /Complete\\\\?"/) && wire.sent.push(now());
      super.send(data);
    }
  };
})()"""

STAND_IN = """([wait, ghost]) => document.addEventListener('keydown', () => window.setTimeout(() => {
  const put = document.createElement('span');
  put.className = ghost.slice(1);
  put.textContent = 'a stand-in';
  document.activeElement.closest('.cm-scroller').append(put);
  window.setTimeout(() => put.remove(), 300);
}, wait), { capture: true, once: true })"""
"""Beside the editor's text, where the editor does not look."""

PUT = """async text => {
  const { content } = window.jupyterapp.shell.currentWidget;
  const cell = content.activeCell;
  cell.model.sharedModel.setSource(text);
  const view = cell.editor.editor;
  view.dispatch({ selection: { anchor: text.length } });
  view.focus();
}"""


class Desk:
    """A notebook in a page, in which somebody types."""

    def __init__(self, lab: Any, page: Any, provider: Provider, *, ghost: str) -> None:
        from tests.browser.lab import Notebook, code

        self.page, self.provider = page, provider
        self._ghost = ghost
        self._opened = provider.opened
        name = lab.write(f"typing-{'jupyter' if ghost == JUPYTERS else 'spark'}.ipynb", [code("")])
        self.book = book = Notebook(lab, page, name).open()
        if ghost == JUPYTERS:
            book.set(COMPLETER, "providers", {"spark-jupyter": {"enabled": True, "timeout": 5000}})
        attach(book, provider, "typing", "import pandas, matplotlib.pyplot")
        self._ways: list[tuple[float, ...]] = []
        self.switch("on")
        book.cell(0).locator(".cm-content").click()
        page.evaluate(WATCH, ghost)

    def watched(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate("() => window.ghostWatch")
        return found

    def until_shown(self, text: str) -> dict[str, Any]:
        """Wait until this is suggested, and the first of it was painted."""
        self.page.wait_for_function(
            "text => window.ghostWatch.text === text && window.ghostWatch.shown > 0", arg=text, polling=5
        )
        return self.watched()

    def asks(self, number: int) -> tuple[float, float]:
        """One key, after which something is suggested: milliseconds beyond the provider's own time until the first of it is shown, and
        until it stands in the page."""
        self.page.evaluate(PUT, f"x{number} = s")
        self.page.wait_for_timeout(SETTLED)
        self.page.keyboard.press("u")
        seen = self.until_shown("m([1000, 2000])")
        key, shown = seen["key"], seen["shown"]
        asked, first = self.provider.spoke(key)
        wire = self.page.evaluate("() => window.wireWatch")
        sent, came = (next(at for at in wire[name] if at >= key) for name in ("sent", "came"))
        self._ways.append((sent - key, asked - sent, came - first, seen["stands"] - came, shown - seen["stands"]))
        own = first - asked
        return shown - key - own, seen["stands"] - key - own

    def screen(self, number: int) -> float:
        """The same key, after which a timer puts text into the page: milliseconds from there until that is shown."""
        self.page.evaluate(PUT, f"x{number} = s")
        self.page.wait_for_timeout(SETTLED)
        self.page.evaluate(STAND_IN, [WAIT + spread(number), self._ghost])
        self.page.keyboard.press("u")
        seen = self.until_shown("a stand-in")
        return float(seen["shown"] - seen["stands"])

    def along(self) -> list[tuple[float, ...]]:
        """Keys that say what is suggested: milliseconds from each to the frame that shows what is left, until that stands in the page, and
        to the frame that shows the letter; and whether that was another one."""
        late = []
        for count, key in enumerate("m([10", 1):
            self.page.keyboard.press(key)
            seen = self.until_shown("m([1000, 2000])"[count:])
            late.append((*(seen[name] - seen["key"] for name in ("shown", "stands", "letter")), seen["behind"]))
        return late

    def asked_for(self, keys: int, first: int) -> dict[str, float]:
        self.asks(first)  # what is made once is made now
        self._ways.clear()
        late = [self.asks(first + number) for number in range(1, keys + 1)]
        ways = zip(STAGES, zip(*self._ways, strict=True), strict=True)
        shown, stands = zip(*late, strict=True)
        seen = percentiles("beyond_ms", shown) | percentiles("beyond_in_page_ms", stands)
        self.switch("off")
        seen |= percentiles("screen_ms", [self.screen(first + keys + number) for number in range(1, keys + 1)])
        self.switch("on")
        seen["over_screen_ms_p95"] = round(seen["beyond_ms_p95"] - seen["screen_ms_p95"], 1)
        return seen | {name: round(statistics.median(each), 1) for name, each in ways}

    def typed_along(self, first: int) -> dict[str, float]:
        late: list[tuple[float, ...]] = []
        requests = 0
        for number in range(6):
            self.asks(first + number)
            before = self.provider.requests
            late += self.along()
            self.page.wait_for_timeout(400)  # whatever would have been asked for is asked for by now
            requests += self.provider.requests - before
        shown, stands, letter, behind = zip(*late, strict=True)
        return {
            **percentiles("along_ms", shown),
            **percentiles("along_in_page_ms", stands),
            **percentiles("letter_ms", letter),
            "behind_the_letter": sum(behind),
            "along_requests": requests,
        }

    def writes(self, keys: int, *, characters: int = 0) -> dict[str, Any]:
        """The recorded sessions, at the pace of somebody who types fast; then on to so many characters, so that the page holds as much."""
        from benchmarks.typist import Typist

        before, asked = heap(self.page), self.provider.requests
        long = self.watched()["long"]
        typist = Typist(self.page, lambda: self.provider.requests)
        typist.write(keys, characters=characters)
        requests = self.provider.requests - asked
        return {
            "keys": typist.pressed,
            "characters": typist.characters,
            "taken": typist.taken,
            "wrong_keys": len(typist.wrong),
            "wrong": typist.wrong[:3],
            "connections": self.provider.opened - self._opened,
            "long_tasks": self.watched()["long"] - long,
            "requests": requests,
            "requests_per_accepted": round(requests / max(1, typist.taken), 2),
            "share_from_cache": round(1 - typist.shown_anew / max(1, typist.shown), 2),
            "heap_mb_grown": round(heap(self.page) - before, 1),
        }

    def until_idle(self) -> None:
        """Wait until the kernel has done what it was asked for."""
        status = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"
        self.page.wait_for_function(status, timeout=120_000)

    def switch(self, mode: str) -> None:
        """Suggestions on or off in this notebook."""
        self.book.autocomplete(mode)

    def round_trip(self) -> float:
        """Milliseconds of a request to the kernel that does nothing."""
        took: float = self.page.evaluate(
            """async () => {
              const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
              const times = [];
              for (let count = 0; count < 11; count++) {
                const begin = performance.now();
                await kernel.requestKernelInfo();
                times.push(performance.now() - begin);
              }
              return times.sort((a, b) => a - b)[5];
            }"""
        )
        return took


# --- the run -----------------------------------------------------------------------------------------------------------


PARTS = ("asked", "written", "busy")


def measured(desk: Desk, *, quick: bool, parts: Sequence[str]) -> dict[str, Any]:
    """These parts, one after the other."""
    keys, written = (12, 60) if quick else (KEYS, WRITTEN)
    rows: list[dict[str, Any]] = [{"round_trip_ms": desk.round_trip()}]
    if "asked" in parts:
        rows += [desk.asked_for(keys, 1000), desk.typed_along(2000)]
    if "busy" in parts:
        desk.book.execute(BUSY.format(seconds=keys * 2.5 + 10), wait=False)
        desk.page.wait_for_timeout(300)
        rows.append({f"busy_{name}": value for name, value in desk.asked_for(keys, 3000).items()})
        desk.until_idle()
    if "written" in parts:
        rows.append(desk.writes(written))
        desk.switch("off")
        without = desk.writes(written, characters=rows[-1]["characters"])
        rows.append({f"{name}_without": without[name] for name in ("characters", "long_tasks", "heap_mb_grown")})
    return {key: value for row in rows for key, value in row.items()}


def measure(*, quick: bool, wait: float, say: Any, parts: Sequence[str]) -> dict[str, Any]:
    """Everything, one after the other; JupyterLab's own completer where anything is asked for."""
    from benchmarks.typist import lay_out

    results: dict[str, Any] = {}
    provider = Provider(wait)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name, ghost in (("spark", GHOST), ("JupyterLab's completer", JUPYTERS)):
                asked = [part for part in parts if ghost == GHOST or part != "written"]
                if not asked:
                    continue
                place = Path(folder) / name.partition(" ")[0].partition("'")[0]
                place.mkdir()
                with lab_page(place) as (lab, page):
                    lay_out(lab.root)
                    page.add_init_script(WIRE)
                    desk = Desk(lab, page, provider, ghost=ghost)
                    results[name] = measured(desk, quick=quick, parts=asked)
                    say(name, results[name], BARS)
    finally:
        provider.close()
    if "asked" in parts:
        ours, theirs = results["spark"], results["JupyterLab's completer"]
        results["ours over JupyterLab's (p50)"] = round(ours["beyond_ms_p50"] / theirs["beyond_ms_p50"], 2)
    return results


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--quick", action="store_true", help="12 suggestions and 60 keys")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be said again")
    parser.add_argument("--wait", type=float, default=WAIT, help="milliseconds to the provider's first token")
    options = parser.parse_args()
    say = (lambda *_: None) if options.json else describe
    results = measure(quick=options.quick, wait=options.wait, say=say, parts=options.part or PARTS)
    if options.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
