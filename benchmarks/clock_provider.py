"""Provider in a process of its own whose every token says when it was made, and the plain page that shows the same stream."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.provider_process import ProviderProcess  # found by the line above
from spark_jupyter.server.engines.base import AnswerEngine

PER_LINE = 8
"""Tokens."""


class ClockEngine(AnswerEngine):
    """Answers "rate=1000 seconds=3" with cells whose every token says when it was made, in tenths of a millisecond."""

    name = "clock"

    def models(self) -> list[str]:
        return ["clock"]

    def answer(
        self, conversation: tuple[Any, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Any]:
        asked = time.time()
        _say(event="request", at=asked)
        rate, seconds = (float(value) for value in re.findall(r"(?:rate|seconds)=([\d.]+)", conversation[-1].text)[:2])
        return self._paced(rate, seconds)

    def _paced(self, rate: float, seconds: float) -> Iterator[str]:
        """The pieces when they are due: the server takes pieces ahead, so a pause that it plays would come too late."""
        from spark_jupyter.server.engines.base import Pause

        for piece in self._pieces(rate, seconds):
            if isinstance(piece, Pause):
                time.sleep(piece.seconds)
            else:
                yield piece

    def _pieces(self, rate: float, seconds: float) -> Iterator[Any]:
        from spark_jupyter.server.engines.base import Pause

        base = time.time()
        yield f"```python\nbase = {base:.4f}\n"
        made, total = 0, int(rate * seconds)
        try:
            while made < total:
                due = min(total, int((time.time() - base) * rate) + 1)
                if made >= due:
                    yield Pause(max(0.001, base + made / rate - time.time()))
                    continue
                while made < due:
                    made += 1
                    end = "\n" if made % PER_LINE == 0 or made == total else ","
                    start = "t = " if made % PER_LINE == 1 else " "
                    yield f"{start}{round((time.time() - base) * 10_000)}{end}"
            yield "```\n"
        finally:
            _say(event="closed", at=time.time())


def _say(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")  # in one piece: answers end in threads of their own
    sys.stdout.flush()


async def _provide() -> None:
    from tornado.httpserver import HTTPServer
    from tornado.netutil import bind_sockets

    from spark_jupyter.server import serve

    sockets = bind_sockets(0, "127.0.0.1")
    HTTPServer(plain_application()).add_sockets(sockets)
    async with serve(engine=ClockEngine()) as server:
        _say(url=server.info.url, token=server.info.token, plain=f"http://127.0.0.1:{sockets[0].getsockname()[1]}/")
        await asyncio.to_thread(sys.stdin.read)


def plain_application() -> Any:
    """The plain page, and the stream that it shows: the same text as a turn's, without the fences."""
    from tornado.web import Application, RequestHandler

    from benchmarks.plain_page import HTML
    from spark_jupyter.server.engines.base import Pause

    class Page(RequestHandler):
        def get(self) -> None:
            self.finish(HTML)

    class Stream(RequestHandler):
        async def get(self) -> None:
            rate, seconds = (float(self.get_query_argument(name)) for name in ("rate", "seconds"))
            for piece in ClockEngine()._pieces(rate, seconds):
                if isinstance(piece, Pause):
                    await asyncio.sleep(piece.seconds)
                else:
                    self.write(piece.removeprefix("```python\n").removesuffix("```\n"))
                    await self.flush()

    return Application([("/", Page), ("/stream", Stream)])


class Provider:
    """The provider's process and what it reports. Has the ``url`` and ``token`` that ``Notebook.configure`` wants."""

    def __init__(self) -> None:
        self._process = ProviderProcess([sys.executable, __file__])
        place = self._process.place
        self.url, self.token, self.plain = place["url"], place["token"], place["plain"]
        self.events = self._process.events

    def first(self, event: str, after: float, timeout: float = 5.0) -> float:
        """When the event came first after a time (Unix seconds)."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            for one in tuple(self.events):
                if one["event"] == event and one["at"] >= after:
                    return float(one["at"])
            time.sleep(0.01)
        return float("nan")

    def close(self) -> None:
        self._process.close()


if __name__ == "__main__":
    asyncio.run(_provide())
