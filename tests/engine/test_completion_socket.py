"""The short way for ghost text: who is let in, what passes, and that the comms carry it where there is none."""

from __future__ import annotations

import asyncio
import socket
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.engine import completion_socket
from spark_jupyter.engine.comm import CommHub
from spark_jupyter.protocol.completion_messages import Complete, Completed, DropCompletion
from spark_jupyter.protocol.kernel_socket import Messages
from spark_jupyter.protocol.message_frames import CommandFrame, EventFrame, decode_event_frame, encode
from spark_jupyter.protocol.messages import Attach, Command, Event, Prompt
from spark_jupyter.protocol.values import PROTOCOL_VERSION
from tests.engine.test_comm import QuietEngine, Tab

ASKED = Complete(completion_id="s1", cell_id="c", before="x = ")
SAID = EventFrame(v=PROTOCOL_VERSION, seq=0, msgs=(Completed(completion_id="s1", text="1", done=True),))


class Engine(QuietEngine):
    """Takes questions for one subscriber alone, too."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Any, Command]] = []

    def answer_here(self, subscriber: Any, command: Command) -> None:
        self.asked.append((subscriber, command))


class Page:
    """A page's end of a line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    def say(self, *commands: Command) -> None:
        self.write(encode(CommandFrame(v=PROTOCOL_VERSION, seq=0, msgs=commands)) + b"\n")

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    async def hears(self) -> tuple[Event, ...] | None:
        """The events of the next frame; None where the line has ended."""
        try:
            text = await asyncio.wait_for(self._reader.readline(), 60)
        except ConnectionError:
            return None
        return decode_event_frame(text).msgs if text else None

    def leave(self) -> None:
        self._writer.close()


class Kernel:
    """A hub with one tab that is attached, and a socket that listens."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.engine = Engine()
        self.hub = CommHub(self.engine, subshells=True)  # type: ignore[arg-type]
        self.tab = Tab(self.hub, "one")
        self.tab.attach()

    async def page(self) -> Page:
        return Page(*await asyncio.open_unix_connection(str(self.path)))

    async def joined(self) -> Page:
        page = await self.page()
        page.say(self.attach())
        assert await page.hears() == ()
        return page

    def attach(self, **other: Any) -> Attach:
        return Attach(**{"client_id": "one", "life": self.tab.life, **other})

    async def asked(self, count: int) -> list[Command]:
        """What the engine was asked, when it is so many."""
        while len(self.engine.asked) < count:
            await asyncio.sleep(0.001)
        return [command for _, command in self.engine.asked]

    def answer(self) -> None:
        """As the engine answers who asked last."""
        subscriber, _ = self.engine.asked[-1]
        subscriber(SAID)


@asynccontextmanager
async def listening(path: Path) -> AsyncIterator[Kernel]:
    kernel = Kernel(path)
    serving = asyncio.create_task(completion_socket.serve(str(path), kernel.hub.open_line))
    try:
        await asyncio.sleep(0)
        yield kernel
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving


@pytest.fixture
def on_a_line(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    folder = tmp_path_factory.mktemp("k")

    def run(scene: Callable[[Kernel], Awaitable[None]]) -> None:
        async def play() -> None:
            async with listening(folder / "k.spark") as kernel:
                await asyncio.wait_for(scene(kernel), 60)

        asyncio.run(play())

    return run


def test_a_page_that_is_attached_asks_on_its_line_and_is_answered_there(on_a_line):
    async def scene(kernel: Kernel) -> None:
        page = await kernel.joined()
        told = len(kernel.tab.events.sent)
        page.say(ASKED)
        page.say(DropCompletion(completion_id="s0"))
        assert await kernel.asked(2) == [ASKED, DropCompletion(completion_id="s0")]
        kernel.answer()
        assert await page.hears() == SAID.msgs
        assert len(kernel.tab.events.sent) == told

    on_a_line(scene)


def test_what_concerns_everybody_comes_by_the_comm_all_the_same(on_a_line):
    async def scene(kernel: Kernel) -> None:
        await kernel.joined()
        kernel.engine.say_hello()
        kernel.engine.subscribers[0](EventFrame(v=PROTOCOL_VERSION, seq=7, msgs=()))
        assert decode_event_frame(kernel.tab.events.sent[-1]["frame"]).seq == 7
        assert kernel.tab.hello is not None

    on_a_line(scene)


def test_when_the_line_has_ended_answers_come_by_the_comm_again(on_a_line):
    async def scene(kernel: Kernel) -> None:
        page = await kernel.joined()
        page.say(ASKED)
        await kernel.asked(1)
        told = len(kernel.tab.events.sent)
        page.leave()
        while len(kernel.tab.events.sent) == told:
            kernel.answer()  # until the socket's end is noticed it may still be written there
            await asyncio.sleep(0.001)
        assert decode_event_frame(kernel.tab.events.sent[-1]["frame"]) == SAID

    on_a_line(scene)


@pytest.mark.parametrize("who", [{"client_id": "another"}, {"life": "an-earlier"}])
def test_who_is_not_attached_is_hung_up_on(on_a_line, who):
    async def scene(kernel: Kernel) -> None:
        page = await kernel.page()
        page.say(kernel.attach(**who))
        assert await page.hears() is None

    on_a_line(scene)


def test_a_question_before_the_attach_ends_the_line_and_is_not_taken(on_a_line):
    async def scene(kernel: Kernel) -> None:
        page = await kernel.page()
        page.say(ASKED)
        assert await page.hears() is None
        assert kernel.engine.asked == []

    on_a_line(scene)


def test_nothing_but_ghost_text_is_asked_on_a_line(on_a_line):
    async def scene(kernel: Kernel) -> None:
        page = await kernel.joined()
        page.say(Prompt(text="draw it", turn_id="t"))
        page.say(ASKED)
        assert await kernel.asked(1) == [ASKED]
        assert kernel.engine.submitted == []

    on_a_line(scene)


@pytest.mark.parametrize(
    "said", [b"{}\n", b"\xff\n", b'{"v":1,"x":"\xff"}\n', b'{"v":' + b"[" * 5000 + b"\n", b"x" * 9000]
)
def test_what_can_not_be_read_or_has_no_end_ends_the_line(on_a_line, monkeypatch, said):
    monkeypatch.setattr(completion_socket, "MOST_BYTES", 8000)

    async def scene(kernel: Kernel) -> None:
        page = await kernel.joined()
        page.write(said)
        assert await page.hears() is None

    on_a_line(scene)


def test_the_socket_is_its_users_alone_and_goes_with_the_kernel(tmp_path_factory):
    path = tmp_path_factory.mktemp("k") / "k.spark"
    with socket.socket(socket.AF_UNIX) as left:  # by a kernel that was killed
        left.bind(str(path))

    async def scene() -> None:
        async with listening(path):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert not path.exists()

    asyncio.run(scene())


@pytest.mark.parametrize("path", ["/tmp/" + "x" * 120, "/no/such/folder/k.spark"])
def test_where_there_can_be_no_socket_there_is_no_line(path):
    async def scene() -> None:
        await completion_socket.serve(path, lambda *_: None)

    asyncio.run(scene())


def test_a_file_of_the_sockets_name_is_somebodys_and_stays(tmp_path_factory):
    path = tmp_path_factory.mktemp("k") / "k.spark"
    path.write_text("kept")
    asyncio.run(completion_socket.serve(str(path), lambda *_: None))
    assert path.read_text() == "kept"


@given(st.lists(st.binary(max_size=20)), st.integers(1, 30))
def test_messages_are_the_same_in_whatever_pieces_they_come(parts, size):
    whole = b"\n".join(parts)
    messages = Messages()
    came = [one for at in range(0, len(whole), size) for one in messages.feed(whole[at : at + size])]
    assert came == whole.split(b"\n")[:-1]
    assert messages.waiting == len(whole.split(b"\n")[-1])
