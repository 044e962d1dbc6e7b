"""Part of ``make bench-ui``: ghost text as a person at the screen gets it, in Chromium. ``--json`` prints one object.

A provider in a process of its own takes ``--wait`` milliseconds to its first token, and says when it was asked and when it spoke. *Beyond*
is from the key to the frame in which the suggestion stands in the page, without the provider's own time from the request to its first
token. The kernel idles, or computes in Python. Beside it, in the same run, JupyterLab's own inline completer with the same provider.

*Writing* is a recorded session (``data/sessions``), 300 keys at 8 a second; who types takes what comes next, where it is four characters,
and mistypes now and then. The same is written once more without suggestions: what JupyterLab itself takes for it. *Round trip* is what a
request to the kernel takes in that page.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from socket import SHUT_WR, create_connection, create_server, socket
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.ui import BUSY, describe

KEYS = 40
"""Suggestions that are asked for, by one key each."""
SESSION = "flowers"
WRITTEN = 300
PER_SECOND = 8
SETTLED = 700
"""Milliseconds after which nothing more follows what was done before a key: it is looked for next edits after 400."""
MISTYPED = 15
"""Keys after which a wrong one is struck and taken back."""
WORTH = 4
"""Characters for which the typist presses Tab."""
WAIT = 50.0
"""Milliseconds that the provider takes to its first token."""
COMPLETER = "@jupyterlab/completer-extension:inline-completer"

BARS = {
    "beyond_ms_p95": ("≤", 20.0),
    "busy_beyond_ms_p95": ("≤", 40.0),
    "along_ms_p95": ("≤", 10.0),
    "along_requests": ("≤", 0.0),
    "connections": ("≤", 1.0),
    "long_tasks": ("≤", 0.0),
    "wrong_characters": ("≤", 0.0),
}


# --- the provider, in a process of its own ---------------------------------------------------------------------------


class TypingEngine:
    """Knows the recorded session: says the rest of the line, or after ``x1 = su`` always the same."""

    name = "typing"

    def __init__(self, wait: float) -> None:
        from benchmarks.sessions import cells_of

        self._wait = wait / 1000
        self._text = "\n\n".join(cells_of(SESSION))

    def models(self) -> list[str]:
        return ["typing"]

    def answer(
        self, conversation: tuple[Any, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Any]:
        from spark_jupyter.suggest.asking import CURSOR

        _say(event="request", at=time.time())
        before = conversation[-1].text.partition(CURSOR)[0].rpartition("## This cell\n")[2]
        return self._pieces(self._said(before))

    def _said(self, before: str) -> str:
        if re.search(r"x\d+ = su\Z", before):
            return "m([1000, 2000])"
        here = self._text.find(before)
        return self._text[here + len(before) :].partition("\n")[0] if before.strip() and here >= 0 else ""

    def _pieces(self, text: str) -> Iterator[Any]:
        from spark_jupyter.server.engines.base import tokens

        time.sleep(self._wait)  # in a thread of its own; a Pause would be made ahead, and its end not known here
        _say(event="first", at=time.time())
        yield from tokens(text)


def _say(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


async def _provide(wait: float) -> None:
    from spark_jupyter.server import serve

    async with serve(engine=TypingEngine(wait)) as server:
        _say(url=server.info.url, token=server.info.token)
        await asyncio.to_thread(sys.stdin.read)


class Relay:
    """Passes connections on to a port, and counts them."""

    def __init__(self, port: int) -> None:
        self.opened = 0
        self._to = port
        self._server = create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._server.accept()
            except OSError:  # closed
                return
            self.opened += 1
            there = create_connection(("127.0.0.1", self._to))
            for one, other in ((here, there), (there, here)):
                threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(here: socket, there: socket) -> None:
    try:
        while data := here.recv(65536):
            there.sendall(data)
        there.shutdown(SHUT_WR)
    except OSError:  # an end is gone
        return


class Provider:
    """The provider's process behind a relay. Has the ``url`` and ``token`` that ``Notebook.configure`` wants."""

    def __init__(self, wait: float) -> None:
        command = [sys.executable, __file__, "--provide", "--wait", str(wait)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        place = json.loads(self._process.stdout.readline())
        port = re.search(r":(\d+)", place["url"])
        assert port is not None
        self.relay = Relay(int(port[1]))
        self.url, self.token = place["url"].replace(port[0], f":{self.relay.port}"), place["token"]
        self.events: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def took(self, after: float) -> float:
        """Milliseconds from the first request after a time (Unix milliseconds) to its first token."""
        events = tuple(self.events)
        asked = next(one["at"] for one in events if one["event"] == "request" and one["at"] * 1000 >= after)
        first = next(one["at"] for one in events if one["event"] == "first" and one["at"] >= asked)
        return float(first - asked) * 1000

    @property
    def requests(self) -> int:
        """How many it has had."""
        return sum(one["event"] == "request" for one in tuple(self.events))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)
        self.relay.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.events.append(json.loads(line))


# --- the page --------------------------------------------------------------------------------------------------------

GHOST = ".spark-Ghost"
JUPYTERS = ".jp-GhostText"

WATCH = """ghost => {
  const now = () => performance.timeOrigin + performance.now();
  const watch = window.ghostWatch = { key: 0, shown: 0, text: '', long: 0 };
  document.addEventListener('keydown', () => { watch.key = now(); watch.shown = 0; }, true);
  const look = () => {
    const text = [...document.querySelectorAll(ghost)].map(one => one.textContent).join('\\n');
    if (text !== watch.text) {
      watch.text = text;
      requestAnimationFrame(() => { watch.shown = now(); });
    }
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  new PerformanceObserver(list => { watch.long += list.getEntries().length; }).observe({ type: 'longtask' });
}"""

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
        name = lab.write(f"typing-{'jupyter' if ghost == JUPYTERS else 'spark'}.ipynb", [code("")])
        self.book = book = Notebook(lab, page, name).open()
        if ghost == JUPYTERS:
            book.set(COMPLETER, "providers", {"spark-jupyter": {"enabled": True, "timeout": 5000}})
        book.configure(provider)
        book.execute("import os; os.environ['SPARK_MODEL'] = 'typing'")
        book.open_panel()
        book.box.type("w")
        book.panel.locator(".spark-Status-provider").wait_for()
        self.switch("on")
        book.cell(0).locator(".cm-content").click()
        page.evaluate(WATCH, ghost)

    def watched(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate("() => window.ghostWatch")
        return found

    def until_shown(self, text: str) -> dict[str, Any]:
        """Wait until this is suggested, and painted."""
        self.page.wait_for_function(
            "text => window.ghostWatch.text === text && window.ghostWatch.shown > 0", arg=text, polling=5
        )
        return self.watched()

    def asks(self, number: int) -> float:
        """One key, after which something is suggested: milliseconds beyond the provider's own time."""
        self.page.evaluate(PUT, f"x{number} = s")
        self.page.wait_for_timeout(SETTLED)
        self.page.keyboard.press("u")
        seen = self.until_shown("m([1000, 2000])")
        return float(seen["shown"] - seen["key"]) - self.provider.took(seen["key"])

    def along(self) -> list[float]:
        """Keys that say what is suggested: milliseconds from each to the frame that shows what is left."""
        late = []
        for count, key in enumerate("m([10", 1):
            self.page.keyboard.press(key)
            seen = self.until_shown("m([1000, 2000])"[count:])
            late.append(seen["shown"] - seen["key"])
        return late

    def asked_for(self, keys: int, first: int) -> dict[str, float]:
        self.asks(first)  # what is made once is made now
        late = [self.asks(first + number) for number in range(1, keys + 1)]
        return percentiles("beyond_ms", late)

    def typed_along(self, first: int) -> dict[str, float]:
        late, requests = [], 0
        for number in range(6):
            self.asks(first + number)
            before = self.provider.requests
            late += self.along()
            self.page.wait_for_timeout(400)  # whatever would have been asked for is asked for by now
            requests += self.provider.requests - before
        return {**percentiles("along_ms", late), "along_requests": requests}

    def writes(self, keys: int) -> dict[str, Any]:
        """The recorded session, at the pace of somebody who types fast."""
        from benchmarks.sessions import cells_of

        text = "\n\n".join(cells_of(SESSION))
        self.page.evaluate(PUT, "")
        heap, opened, asked = self.heap(), self.provider.relay.opened, self.provider.requests
        long = self.watched()["long"]
        tally = self._tally()
        at = pressed = taken = 0
        while pressed < keys and at < len(text):
            shown = self.watched()["text"]
            if len(shown) >= WORTH and text[at:].startswith(shown):
                self._press("Tab")
                at, taken = len(self.book.sources()[0]), taken + 1  # more of it may have come since it was looked at
            else:
                self._press("Enter" if text[at] == "\n" else text[at])
                at += 1
            pressed += 1
            if pressed % MISTYPED == 0:
                self._press("q")
                self._press("Backspace")
                pressed += 2
        source = "".join(self.book.sources()[0])
        requests = self.provider.requests - asked
        known, timed = (self._tally()[name] - tally[name] for name in ("known", "timed"))
        return {
            "keys": pressed,
            "characters": at,
            "taken": taken,
            "wrong_characters": sum(one != other for one, other in zip(source, text[:at], strict=False))
            + abs(len(source) - at),
            "connections": self.provider.relay.opened - opened,
            "long_tasks": self.watched()["long"] - long,
            "requests": requests,
            "requests_per_accepted": round(requests / max(1, taken), 2),
            "share_from_cache": round(known / max(1, known + timed), 2),
            "heap_mb_grown": round(self.heap() - heap, 1),
        }

    def _press(self, key: str) -> None:
        due = time.monotonic() + 1 / PER_SECOND
        self.page.keyboard.press(key)
        self.page.wait_for_timeout(max(0.0, due - time.monotonic()) * 1000)

    def switch(self, mode: str) -> None:
        """Suggestions on or off in this notebook."""
        self.page.get_by_label("Suggestions in this notebook").select_option(mode, force=True)

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

    def _tally(self) -> dict[str, float]:
        found: dict[str, float] = self.page.evaluate(
            """async () => {
              await new Promise(done => setTimeout(done, 400));
              return JSON.parse(localStorage.getItem('spark-jupyter:suggestions:tally') ?? '{"known": 0, "timed": 0}');
            }"""
        )
        return found

    def heap(self) -> float:
        client = self.page.context.new_cdp_session(self.page)
        client.send("HeapProfiler.collectGarbage")
        used: float = client.send("Runtime.getHeapUsage")["usedSize"]
        return used / 1e6


def percentiles(name: str, values: list[float]) -> dict[str, float]:
    """p50 and p95."""
    ranked = sorted(values)
    return {
        f"{name}_p50": round(statistics.median(ranked), 1),
        f"{name}_p95": round(ranked[min(len(ranked) - 1, int(len(ranked) * 0.95))], 1),
    }


# --- the run -----------------------------------------------------------------------------------------------------------


def measure(*, quick: bool, wait: float, say: Any) -> dict[str, Any]:
    """Everything, one after the other."""
    from playwright.sync_api import sync_playwright

    from tests.browser.lab import launch
    from tests.browser.server import LabServer

    keys = 12 if quick else KEYS
    results: dict[str, Any] = {}
    provider = Provider(wait)
    try:
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
            for name, ghost in (("spark", GHOST), ("JupyterLab's completer", JUPYTERS)):
                place = Path(folder) / name.partition(" ")[0].partition("'")[0]
                place.mkdir()
                lab = LabServer(place)
                browser = launch(playwright)
                try:
                    page = browser.new_page(viewport={"width": 1280, "height": 800})
                    desk = Desk(lab, page, provider, ghost=ghost)
                    rows: list[dict[str, Any]] = [{"round_trip_ms": desk.round_trip()}, desk.asked_for(keys, 1000)]
                    if ghost == GHOST:
                        written = 60 if quick else WRITTEN
                        rows += [desk.typed_along(2000), desk.writes(written)]
                        desk.switch("off")
                        rows.append({"long_tasks_without": desk.writes(written)["long_tasks"]})
                        desk.switch("on")
                    desk.book.execute(BUSY.format(seconds=keys * 2 + 10), wait=False)
                    page.wait_for_timeout(300)
                    rows.append({f"busy_{name}": value for name, value in desk.asked_for(keys, 3000).items()})
                    results[name] = {key: value for row in rows for key, value in row.items()}
                    say(name, results[name], BARS)
                finally:
                    browser.close()
                    lab.close()
    finally:
        provider.close()
    ours, theirs = results["spark"], results["JupyterLab's completer"]
    results["ours over JupyterLab's (p50)"] = round(ours["beyond_ms_p50"] / theirs["beyond_ms_p50"], 2)
    return results


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--quick", action="store_true", help="12 suggestions and 60 keys")
    parser.add_argument("--wait", type=float, default=WAIT, help="milliseconds to the provider's first token")
    parser.add_argument("--provide", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.provide:
        asyncio.run(_provide(options.wait))
        return
    results = measure(quick=options.quick, wait=options.wait, say=(lambda *_: None) if options.json else describe)
    if options.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
