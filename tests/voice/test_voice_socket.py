"""Sound over the Jupyter server's WebSocket: who may send it, what comes back, and that its process ends."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

pytest.importorskip("pocketsphinx")

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from spark_jupyter.voice import voice_socket
from tests.jupyter_server_here import beside_server
from tests.voice.speech import needs_flite, speak

Scene = Callable[[str], Awaitable[None]]
ORDER = json.dumps({"names": ["unit_price", "region"], "tables": ["orders"]})


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Plays a scene beside a Jupyter server, with the address of its WebSocket."""

    def play(scene: Scene) -> None:
        beside_server(tmp_path, monkeypatch, lambda url: scene(f"{url}spark/voice"))

    return play


def recognisers() -> list[psutil.Process]:
    """The processes that recognise speech for this one."""
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it ends meanwhile
            if "spark_jupyter.voice.recogniser_process" in child.cmdline():
                found.append(child)
    return found


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.05)


async def all_said(socket: ClientConnection) -> list[dict[str, object]]:
    """What comes until the socket is closed."""
    found = []
    async with asyncio.timeout(60):
        while True:
            try:
                found.append(json.loads(await socket.recv()))
            except ConnectionClosed:
                return found


@needs_flite
def test_sound_becomes_a_prompt_and_its_process_ends(server):
    async def scene(url: str) -> None:
        async with connect(f"{url}?token=t", proxy=None) as socket:
            await socket.send(ORDER)
            sound = speak("average unit price by region")
            for start in range(0, len(sound), 3200):
                await socket.send(sound[start : start + 3200])
            await socket.send(b"")
            said = await all_said(socket)
        assert said[-1] == {"text": "average unit_price by region", "final": True}
        await until(lambda: not recognisers())

    server(scene)


def test_a_page_that_goes_takes_its_process_along(server):
    async def scene(url: str) -> None:
        async with connect(f"{url}?token=t", proxy=None) as socket:
            await socket.send(ORDER)
            await until(lambda: len(recognisers()) == 1)
        await until(lambda: not recognisers())

    server(scene)


@pytest.mark.parametrize("token", ["", "?token=wrong"])
def test_a_stranger_is_not_heard(server, token):
    async def scene(url: str) -> None:
        with pytest.raises(InvalidStatus):
            async with connect(f"{url}{token}", proxy=None):
                pass
        assert recognisers() == []

    server(scene)


def test_one_page_too_many_is_told_so(server, monkeypatch):
    monkeypatch.setattr(voice_socket, "MOST_PAGES", 1)

    async def scene(url: str) -> None:
        async with connect(f"{url}?token=t", proxy=None):
            await until(lambda: len(recognisers()) == 1)
            async with connect(f"{url}?token=t", proxy=None) as second:
                assert await all_said(second) == []
                assert second.close_code == voice_socket.TOO_MANY
        await until(lambda: not recognisers())

    server(scene)


def test_a_long_line_is_said_whole(server, monkeypatch):
    start, code, processes = asyncio.create_subprocess_exec, "print('{\"text\": \"' + 'a' * 200_000 + '\"}')", []

    async def long(*_: str, **given: object) -> asyncio.subprocess.Process:
        processes.append(await start(sys.executable, "-c", code, **given))
        return processes[0]

    async def scene(url: str) -> None:
        async with connect(f"{url}?token=t", proxy=None) as socket:
            assert [len(one["text"]) for one in await all_said(socket)] == [200_000]
        await until(lambda: processes[0].returncode is not None)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", long)
    server(scene)


@pytest.mark.parametrize("order", ["", "[1]", '{"names": [1]}', "{" * 100_000])
def test_what_is_no_order_ends_the_connection(server, order):
    async def scene(url: str) -> None:
        async with connect(f"{url}?token=t", proxy=None) as socket:
            await socket.send(order)
            assert await all_said(socket) == []
        await until(lambda: not recognisers())

    server(scene)
