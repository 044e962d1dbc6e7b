"""A provider in a process of its own for ``as_you_type.py``: takes its time to the first token, and says when it was asked and spoke.

python benchmarks/paced.py MILLISECONDS
"""

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

FRAME = 1000 / 60
"""Milliseconds between two frames of a screen."""


def spread(number: int) -> float:
    """Milliseconds within a frame, evenly spread over the numbers."""
    return number * 0.618 % 1 * FRAME


class TypingEngine(AnswerEngine):
    """Knows the recorded sessions: says the rest of the line, or after ``x1 = su`` always the same."""

    name = "typing"

    def __init__(self, wait: float) -> None:
        from benchmarks.typist import all_cells

        self._wait = wait
        self._answers = 0
        self._text = "\n\n".join(all_cells())

    def models(self) -> list[str]:
        return ["typing"]

    def answer(
        self, conversation: tuple[Any, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Any]:
        from spark_jupyter.completions.completion_request import CURSOR

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

        self._answers += 1
        time.sleep((self._wait + spread(self._answers)) / 1000)  # a Pause would be made ahead, its end not known here
        _say(event="first", at=time.time())
        yield from tokens(text)


def _say(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


async def _provide(wait: float) -> None:
    from spark_jupyter.server import app

    handle = app.Server.handle

    async def counted(server: app.Server, websocket: Any) -> None:
        _say(event="open", at=time.time())
        await handle(server, websocket)

    app.Server.handle = counted  # type: ignore[method-assign]
    async with app.serve(engine=TypingEngine(wait)) as server:
        _say(url=server.info.url, token=server.info.token)
        await asyncio.to_thread(sys.stdin.read)


class Provider:
    """The provider's process. Has the ``url`` and ``token`` that ``Notebook.configure`` wants."""

    def __init__(self, wait: float) -> None:
        self._process = ProviderProcess([sys.executable, __file__, str(wait)])
        place = self._process.place
        self.url, self.token = place["url"], place["token"]
        self.events = self._process.events

    def spoke(self, after: float) -> tuple[float, float]:
        """When it was asked first after a time, and when it spoke then; all in Unix milliseconds."""
        events = tuple(self.events)
        asked = next(one["at"] for one in events if one["event"] == "request" and one["at"] * 1000 >= after)
        first = next(one["at"] for one in events if one["event"] == "first" and one["at"] >= asked)
        return asked * 1000, first * 1000

    @property
    def requests(self) -> int:
        """How many it has had."""
        return self._count("request")

    @property
    def opened(self) -> int:
        """Connections that were opened to it."""
        return self._count("open")

    def _count(self, name: str) -> int:
        return sum(one["event"] == name for one in tuple(self.events))

    def close(self) -> None:
        self._process.close()


if __name__ == "__main__":
    asyncio.run(_provide(float(sys.argv[1])))
