"""The Jupyter server's end of a line, in a real server: who may use it, and that it leads to the kernel's socket."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from spark_jupyter import line_proxy
from spark_jupyter.line_proxy import NO_LINE
from spark_jupyter.protocol.kernel_socket import line_of
from tests.jupyter_server_here import beside_server

Scene = Callable[[str], Awaitable[None]]


class Kernels(dict[str, SimpleNamespace]):
    """Stands for the kernel manager."""

    def get_kernel(self, kernel_id: str) -> SimpleNamespace:
        return self[kernel_id]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Plays a scene beside a Jupyter server with two kernels, of which one listens and says everything back."""

    def play(scene: Scene) -> None:
        with tempfile.TemporaryDirectory(prefix="k") as folder:
            kernels = Kernels(
                {name: SimpleNamespace(connection_file=str(Path(folder, f"{name}.json"))) for name in ("here", "mute")}
            )
            kernels["elsewhere"] = SimpleNamespace()

            async def with_echo(url: str) -> None:
                echo = await asyncio.start_unix_server(says_back, line_of(kernels["here"].connection_file))
                try:
                    await scene(f"{url}spark/line/")
                finally:
                    echo.close()

            beside_server(tmp_path, monkeypatch, with_echo, kernel_manager=kernels)

    return play


async def says_back(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Each message, until one is "enough"."""
    while (said := await reader.readline()) and said != b"enough\n":
        writer.write(said)
    writer.close()


async def ended(socket: ClientConnection) -> int | None:
    with pytest.raises(ConnectionClosed) as closed:
        await asyncio.wait_for(socket.recv(), 60)
    return closed.value.rcvd and closed.value.rcvd.code


def test_what_a_page_says_reaches_the_kernel_and_comes_back(server):
    async def scene(url: str) -> None:
        async with connect(f"{url}here?token=t", proxy=None) as socket:
            for said in ("ein", "zwei ✓"):
                await socket.send(said)
                assert await socket.recv() == said
            await socket.send("enough")
            await ended(socket)  # with the kernel's end

    server(scene)


@pytest.mark.parametrize("kernel", ["mute", "elsewhere"])
def test_a_kernel_without_a_line_is_said_at_once(server, kernel):
    async def scene(url: str) -> None:
        async with connect(f"{url}{kernel}?token=t", proxy=None) as socket:
            assert await ended(socket) == NO_LINE

    server(scene)


@pytest.mark.parametrize(
    ("path", "status"),
    [("here", 403), ("another?token=t", 404)],
)
def test_a_stranger_is_refused_and_so_is_a_kernel_that_is_not_there(server, path, status):
    async def scene(url: str) -> None:
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"{url}{path}", proxy=None)
        assert refused.value.response.status_code == status

    server(scene)


@pytest.mark.parametrize("origin", ["http://127.0.0.1:1", "http://localhost:1", "https://evil.example", "null"])
def test_a_page_of_another_origin_is_refused_though_the_browser_sends_who_is_logged_in(server, origin):
    async def scene(url: str) -> None:
        async with httpx.AsyncClient(trust_env=False) as browser:
            logged_in = await browser.get(url.replace("ws://", "http://").replace("spark/line/", "api/me?token=t"))
        cookies = "; ".join(f"{one.name}={one.value}" for one in logged_in.cookies.jar)
        assert cookies
        given = {"Cookie": cookies}
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"{url}here", proxy=None, additional_headers=given, origin=Origin(origin))
        assert refused.value.response.status_code == 403
        own = Origin(url.replace("ws://", "http://").partition("/spark/")[0])
        async with connect(f"{url}here", proxy=None, additional_headers=given, origin=own) as socket:
            await socket.send("own")
            assert await socket.recv() == "own"

    server(scene)


@pytest.mark.parametrize("put_there", ["another user's socket", "a link", "another user's, a moment later"])
def test_what_somebody_else_put_where_a_kernels_socket_would_be_is_not_connected_to(server, monkeypatch, put_there):
    async def scene(url: str) -> None:
        if put_there == "a link":
            monkeypatch.setattr(line_proxy, "line_of", lambda path: linked(line_of(path)))
        else:
            monkeypatch.setattr(line_proxy.os, "getuid", lambda: 4711)
        if "later" in put_there:
            monkeypatch.setattr(line_proxy, "_own", lambda path: path)  # it was this user's when it was looked at
        async with connect(f"{url}here?token=t", proxy=None) as socket:
            assert await ended(socket) == NO_LINE

    server(scene)


def linked(path: str) -> str:
    link = Path(path).with_suffix(".link")
    link.symlink_to(path)
    return str(link)
