"""Answers within hours: asked for once, waited for through lost connections and restarts, told to end only where nobody wants them.

The provider's clock is its own: the answer is there when that has passed the window."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from spark_jupyter.connection.overnight_jobs import KEPT, OvernightJob, OvernightJobs, overnight_jobs
from spark_jupyter.exceptions import BadResponse, ConnectionLost, ProviderError, RequestRefused
from spark_jupyter.providers.base import Overnight, ResponseCompleted, ResponseStarted
from tests.connection.http_peers import connected
from tests.connection.peers import (
    QUICK,
    choice,
    collect,
    collect_until_error,
    http_peer,
    reply,
    request,
    text_of,
    until,
)

if TYPE_CHECKING:
    from spark_jupyter.providers.base import ModelRequest

HOURS = {"2h": 2.0, "8h": 8.0}
OFTEN = structs.replace(QUICK, poll=0.005)


class Night:
    """A provider with a clock, in hours. ``fault`` is done to the next question for an answer."""

    def __init__(self) -> None:
        self.hours = 0.0
        self.asked: list[dict[str, Any]] = []
        self.due: dict[str, float] = {}
        self.cancelled: list[str] = []
        self.polls = 0
        self.faults: list[str] = []
        self.end = "completed"

    async def answer(self, writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
        name = path.split("?")[0].removeprefix("/v1/responses").strip("/").removesuffix("/cancel")
        if path == "/v1/models":
            reply(writer, b'{"data":[{"id":"m"}]}')
        elif path.endswith("/cancel"):
            self.cancelled.append(name)
            reply(writer, b"{}")
        elif method == "POST":
            created = json.loads(body)
            self.asked.append(created)
            name = f"resp_{len(self.asked)}"
            self.due[name] = self.hours + HOURS[created["background_options"]["completion_window"]]
            self._reply(writer, name)
        else:
            self.polls += 1
            fault = self.faults.pop() if self.faults else ""
            if fault == "lost":
                writer.close()
            elif fault == "busy":
                reply(writer, b'{"error":{"message":"later"}}', status="503 Busy")
            elif fault == "broken":
                reply(writer, b'{"error":{"message":"oops"}}', status="500 Oops")
            elif name not in self.due:
                reply(writer, b'{"error":{"code":"not_found","message":"no such response"}}', status="404 Not Found")
            else:
                self._reply(writer, name)

    def _reply(self, writer: asyncio.StreamWriter, name: str) -> None:
        state = "queued" if self.hours < self.due[name] else self.end
        part = {"type": "output_text", "text": f"good morning from {name}"}
        told: dict[str, object] = {"id": name, "object": "response", "status": state, "model": "m", "output": []}
        if state == "completed":
            told["output"] = [{"type": "message", "role": "assistant", "content": [part]}]
            told["usage"] = {"input_tokens": 7, "output_tokens": 3}
        if state == "failed":
            told["error"] = {"code": "server_error", "message": "it went wrong"}
        reply(writer, json.dumps(told).encode())


def asked(key: str = "k", window: str = "8h", work: str = "w1") -> ModelRequest:
    return request("a", overnight=Overnight(window=window, work_id=work, key=key), tier="fast")


@contextlib.asynccontextmanager
async def night():  # type: ignore[no-untyped-def]
    """The provider, and what makes the connection of a kernel."""
    provider = Night()
    async with http_peer(provider.answer) as peer:
        chosen = choice(peer.url, "responses-sse", windows=("2h", "8h"))
        yield provider, lambda: connected(chosen, OFTEN)


def test_an_answer_is_asked_for_once_and_comes_when_it_is_there() -> None:
    async def run() -> None:
        async with night() as (provider, kernel), kernel() as connection:
            waiting = asyncio.ensure_future(collect(connection.stream(asked())))
            await until(lambda: provider.polls > 2)
            assert not waiting.done()
            provider.hours = 8.0
            events = await waiting
            assert text_of(events) == "good morning from resp_1"
            assert isinstance(events[-1], ResponseCompleted)
            assert events[-1].usage is not None
            assert [type(event) for event in events].count(ResponseStarted) == 1
            (created,) = provider.asked
            assert created["background_options"] == {"completion_window": "8h", "continuation_id": "w1"}
            assert (created["stream"], created["background"], created["store"]) == (False, True, True)
            assert "service_tier" not in created

    asyncio.run(run())


def test_a_kernel_that_is_started_again_has_the_answer_of_the_one_before() -> None:
    async def run() -> None:
        async with night() as (provider, kernel):
            async with kernel() as connection:
                waiting = asyncio.ensure_future(collect(connection.stream(asked())))
                await until(lambda: provider.polls > 0)
                waiting.cancel()  # as a kernel does that ends
                await asyncio.gather(waiting, return_exceptions=True)
            provider.hours = 9.0
            for _ in range(2):  # also where it goes on twice
                async with kernel() as connection:
                    assert text_of(await collect(connection.stream(asked()))) == "good morning from resp_1"
            assert (len(provider.asked), provider.cancelled) == (1, [])
            async with kernel() as connection:
                waiting = asyncio.ensure_future(collect(connection.stream(asked("another"))))
                await until(lambda: len(provider.asked) == 2)
                provider.hours = 20.0
                assert text_of(await waiting) == "good morning from resp_2"

    asyncio.run(run())


def test_no_fault_on_the_way_ends_it() -> None:
    async def run() -> None:
        async with night() as (provider, kernel), kernel() as connection:
            provider.faults = ["lost", "busy", "broken", "lost", "lost"]
            waiting = asyncio.ensure_future(collect(connection.stream(asked())))
            await until(lambda: not provider.faults)
            provider.hours = 8.0
            assert text_of(await waiting) == "good morning from resp_1"
            assert len(provider.asked) == 1

    asyncio.run(run())


def test_a_work_that_is_over_tells_the_provider_and_is_forgotten() -> None:
    async def run() -> None:
        async with night() as (provider, kernel), kernel() as connection:
            waiting = asyncio.ensure_future(collect(connection.stream(asked(work="cancelled"))))
            await until(lambda: provider.polls > 0)
            overnight_jobs().end("cancelled")
            waiting.cancel()
            await until(lambda: provider.cancelled == ["resp_1"])
            assert overnight_jobs().find("k", provider.asked[0].get("address", "")) is None
            assert not files()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("end", "error"), [("failed", ProviderError), ("cancelled", BadResponse), ("expired", BadResponse)]
)
def test_an_answer_that_there_will_not_be_is_said_and_asked_for_anew(end: str, error: type[Exception]) -> None:
    async def run() -> None:
        async with night() as (provider, kernel), kernel() as connection:
            provider.end, provider.hours = end, 0.0
            waiting = asyncio.ensure_future(collect_until_error(connection.stream(asked())))
            await until(lambda: provider.polls > 0)
            provider.hours = 8.0
            text, failure = await waiting
            assert (text, isinstance(failure, error)) == ("", True)
            assert not files()

    asyncio.run(run())


def test_an_answer_that_is_not_kept_any_more_is_a_lost_connection_and_asked_for_anew() -> None:
    async def run() -> None:
        async with night() as (provider, kernel), kernel() as connection:
            waiting = asyncio.ensure_future(collect_until_error(connection.stream(asked())))
            await until(lambda: provider.polls > 0)
            provider.due.clear()
            _, failure = await waiting
            assert isinstance(failure, ConnectionLost)
            assert not files()

    asyncio.run(run())


def test_a_provider_that_refuses_is_quoted_and_not_asked_at_the_full_price() -> None:
    posts = []

    async def refuse(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
        posts.append(path)
        reply(writer, b'{"error":{"message":"background_options is not for you"}}', status="400 Bad Request")

    async def run() -> None:
        async with (
            http_peer(refuse) as peer,
            connected(choice(peer.url, "responses-sse", windows=("8h",)), OFTEN) as it,
        ):
            _, failure = await collect_until_error(it.stream(asked()))
            assert isinstance(failure, RequestRefused)
            assert "not for you" in str(failure)
            assert posts == ["/v1/responses"]

    asyncio.run(run())


def files() -> list[Path]:
    from jupyter_core.paths import jupyter_data_dir

    return [path for path in Path(jupyter_data_dir(), "spark_jupyter", "overnight").glob("*") if path.is_file()]


def test_the_folder_tells_nothing_of_what_was_asked_and_forgets_what_nobody_came_for(tmp_path: Path) -> None:
    now = [0.0]
    jobs = OvernightJobs(tmp_path / "overnight", clock=lambda: now[0])
    job = OvernightJob(response_id="resp_1", address="https://a/v1", work_id="w1", asked_at=0.0)
    jobs.add("old", job)
    assert jobs.find("old", "https://a/v1") == job
    assert jobs.find("old", "https://b/v1") is None  # another provider has no such answer
    (tmp_path / "overnight" / "foreign").write_bytes(b"\xff{")
    assert jobs.find("foreign", "https://a/v1") is None
    now[0] = KEPT + 1
    jobs.add("new", structs.replace(job, asked_at=now[0]))
    assert jobs.find("old", "https://a/v1") is None
    jobs.end("another")
    assert jobs.find("new", "https://a/v1") is not None
    jobs.end("w1")
    assert jobs.find("new", "https://a/v1") is None
