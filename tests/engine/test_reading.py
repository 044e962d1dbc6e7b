"""While a model reads a prompt, every front end says how far it is."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from spark_jupyter.engine.engine import Engine
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.providers.base import Message
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.server import serve_in_thread
from spark_jupyter.server.engines.base import AnswerEngine, Piece, PromptProgress
from spark_jupyter.ui.text import html_rendering, words
from tests.conftest import Watched
from tests.engine.test_engine import until


class Reader(AnswerEngine):
    """Reads until it is told to go on, then answers."""

    name = "reader"

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def models(self) -> list[str]:
        return ["m"]

    def answer(
        self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Piece]:
        yield PromptProgress(total=2000, cached=200, processed=200)
        yield PromptProgress(total=2000, cached=200, processed=920)
        while not self.go_on.wait(0.01):
            yield ""
        yield "```python\nx = 1\n```\n"


@pytest.fixture
def reader() -> Iterator[tuple[Reader, Watched]]:
    engine = Reader()
    with serve_in_thread(engine=engine) as info:
        host = Engine(linker(Settings(base_url=info.url, api_key=Secret(info.token), model="m")))
        yield engine, Watched(host)
        engine.go_on.set()
        host.close()


def test_every_front_end_is_told_how_far_it_is_of_what_it_did_not_know(reader: tuple[Reader, Watched]) -> None:
    engine, watched = reader
    watched.engine.submit(Prompt(turn_id="t1", text="read this"))
    until(lambda: watched.view.meters.get("t1") is not None and watched.view.meters["t1"].read_tokens == 720)
    turn = watched.view.turns["t1"]
    told = "reading 1,800 tokens, 40 %"
    assert told in html_rendering.turn_html(watched.view, turn)  # the output of a magic, the widget
    assert told in words.turn_text(watched.view, turn)  # a terminal, the command line
    engine.go_on.set()
    assert watched.wait("t1", 60).outcome == "completed"
    assert "reading" not in words.turn_text(watched.view, watched.view.turns["t1"])
