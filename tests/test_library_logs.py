"""Logs and warning filters of the user's, beside what libraries do in our threads."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from spark_jupyter.library_logs import OUR_THREADS
from tests.connection.http_peers import connected, greet
from tests.connection.peers import choice, collect, http_peer, request, text_of
from tests.connection.test_embedded import playing

_LINTED = """
import json, logging, sys, warnings
from spark_jupyter.review.linters import second_opinion
from spark_jupyter.source.warning_filters import users_filters
before, heard = users_filters(), []
class Kept(logging.Handler):
    def emit(self, record):
        heard.append(record.name)
logging.basicConfig(level=1, handlers=[Kept()])
found = second_opinion("import subprocess\\nsubprocess.run(x, shell=True)\\n").findings
warnings.simplefilter("ignore", FutureWarning)
new = [str(one[2]) for one in users_filters() if one not in before]
print(json.dumps([heard, new, bool(found), "bandit" in sys.modules]))
"""


def test_linters_log_nothing_and_add_no_filter_of_the_users() -> None:
    done = subprocess.run([sys.executable, "-c", _LINTED], capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(done.stdout) == [[], [str(FutureWarning)], True, True]


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """The names of the clients' loggers, once for each record that reaches the root."""
    names: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.name.partition(".")[0] in {"httpx", "httpcore"} or record.name == "websockets.client":
                names.append(record.name)

    kept, root = Kept(), logging.getLogger()
    level = root.level
    root.addHandler(kept)
    root.setLevel(1)
    yield names
    root.setLevel(level)
    root.removeHandler(kept)


async def _over_http() -> str:
    async with http_peer(greet) as server, connected(choice(server.url, "chat")) as connection:
        return text_of(await collect(connection.stream(request("hi"))))


async def _over_a_websocket() -> str:
    async with playing({"answer": "Hello, world"}) as (connection, _):
        return text_of(await collect(connection.stream(request("hi"))))


@pytest.mark.parametrize("asked", [_over_http, _over_a_websocket])
def test_connections_log_in_the_users_threads_alone(asked: Callable, heard: list[str]) -> None:  # type: ignore[type-arg]
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(asyncio.run(asked())), name=f"{OUR_THREADS}test")
    thread.start()
    thread.join()
    assert (answers, heard) == (["Hello, world"], [])
    asyncio.run(asked())
    assert heard, "a library that the user calls logs as ever"
