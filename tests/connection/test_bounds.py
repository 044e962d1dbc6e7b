"""Endless data of a provider is cut off with a sentence, what arrived before is kept, and memory stays small."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
import zlib
from socket import SO_RCVBUF, SOL_SOCKET
from typing import TYPE_CHECKING, Any

import pytest
from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Response

from spark_jupyter.connection import connect
from spark_jupyter.connection.bounded_websocket import BoundedConnection
from spark_jupyter.connection.connection_options import MOST_BYTES, Options
from spark_jupyter.exceptions import BadResponse, ConnectionLost, ProviderError, Stalled
from tests.connection.peers import (
    QUICK,
    begin_events,
    choice,
    chunk,
    collect_until_error,
    created,
    delta,
    event_chunk,
    http_peer,
    peer,
    reply,
    request,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from websockets.asyncio.server import ServerConnection

Event = dict[str, Any]
Writer = asyncio.StreamWriter
MEBIBYTE = 2**20
PATIENT = Options(spare=False, patience=60.0)
IMPATIENT = Options(spare=False, longest_silence=1.5)
DEEP = '{"type":"x","a":' + "[" * 100_000 + "]" * 100_000 + "}"


async def over_websocket(
    answer: Callable[[ServerConnection, Event], Awaitable[None]], options: Options = PATIENT
) -> tuple[str, ProviderError | None]:
    """The text and the error of one turn with this provider."""
    async with peer(answer) as provider:
        connection = connect(choice(provider.url, deflate=False), options=options)
        try:
            return await collect_until_error(connection.stream(request()))
        finally:
            await connection.close()


async def over_http(
    answer: Callable[..., Awaitable[None]], dialect: str = "responses-sse", options: Options = PATIENT
) -> tuple[str, ProviderError | None]:
    """The same without a socket."""
    async with http_peer(answer) as provider:
        connection = connect(choice(provider.url, dialect), options=options)
        try:
            return await collect_until_error(connection.stream(request()))
        finally:
            await connection.close()


def test_a_message_of_any_size_is_not_taken_and_what_came_before_it_is_kept() -> None:
    async def answer(socket: ServerConnection, event: Event) -> None:
        await socket.send(created())
        await socket.send(delta("kept"))
        await socket.send(delta("x" * MOST_BYTES))

    text, error = asyncio.run(over_websocket(answer))
    assert text == "kept"
    assert isinstance(error, BadResponse)
    assert "16 MiB" in str(error)


def test_a_message_that_never_ends_is_cut_off() -> None:
    async def answer(socket: ServerConnection, event: Event) -> None:
        async def pieces() -> Any:
            yield '{"type":"response.output_text.delta","delta":"'
            while True:
                yield "x" * MEBIBYTE

        await socket.send(created())
        await socket.send(delta("kept"))
        await socket.send(pieces())

    text, error = asyncio.run(over_websocket(answer))
    assert text == "kept"
    assert isinstance(error, BadResponse)


def test_a_message_of_empty_pieces_is_cut_off() -> None:
    async def answer(socket: ServerConnection, event: Event) -> None:
        await socket.send(delta("kept"))
        await socket.send("" for _ in range(10_000))  # type: ignore[arg-type]

    text, error = asyncio.run(over_websocket(answer))
    assert text == "kept"
    assert isinstance(error, BadResponse)


def test_pings_whose_pongs_nobody_takes_do_not_pile_up() -> None:
    async def answer(socket: ServerConnection, event: Event) -> None:
        await socket.send(delta("kept"))
        socket.transport.pause_reading()
        socket.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_RCVBUF, 4096)
        pings = Frame(Opcode.PING, b"p" * 125).serialize(mask=False) * 8_000
        while not socket.transport.is_closing():
            socket.transport.write(pings)
            await asyncio.sleep(0)
            while socket.transport.get_write_buffer_size() > MEBIBYTE:
                await asyncio.sleep(0.001)

    text, error = asyncio.run(over_websocket(answer))
    assert text == "kept"
    assert isinstance(error, BadResponse), error
    assert "pings" in str(error)


def test_a_flood_of_the_smallest_frames_leaves_all_else_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancel that came with a quarter of a megabyte of them waited for 130,000."""
    pings, at_once = [0], [0]
    take = BoundedConnection.process_event

    def counted(self: BoundedConnection, event: Any) -> None:
        pings[0] += 1
        take(self, event)

    async def others() -> None:
        while True:
            at_once[0] = max(at_once[0], pings[0])
            pings[0] = 0
            await asyncio.sleep(0)

    async def answer(socket: ServerConnection, event: Event) -> None:
        socket.transport.write(Frame(Opcode.PING, b"").serialize(mask=False) * 100_000)
        await socket.send(delta("kept"))
        await socket.close()

    async def run() -> str:
        beside = asyncio.ensure_future(others())
        text, _ = await over_websocket(answer)
        beside.cancel()
        return text

    monkeypatch.setattr(BoundedConnection, "process_event", counted)
    assert asyncio.run(run()) == "kept"
    assert 0 < at_once[0] <= 4_096


def test_what_came_in_one_go_before_the_connection_was_lost_is_kept_to_the_last_character() -> None:
    async def answer(socket: ServerConnection, event: Event) -> None:
        await socket.send(created())
        for number in range(3_000):
            await socket.send(delta(f"{number} "))
        socket.transport.close()

    text, error = asyncio.run(over_websocket(answer))
    assert text == "".join(f"{number} " for number in range(3_000))
    assert isinstance(error, ConnectionLost)


BOMB = """
import asyncio, resource, sys
from spark_jupyter.connection import connect
from tests.connection.peers import QUICK, choice, collect_until_error, request

async def main(url):
    connection = connect(choice(url, deflate=True), options=__import__("msgspec").structs.replace(QUICK, deflate=True))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text, error = await collect_until_error(connection.stream(request()))
    await connection.close()
    print(type(error).__name__, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of the peak of memory is Linux's")
@pytest.mark.parametrize("messages", [1, 10])
def test_a_bomb_of_deflate_takes_little_memory_in_one_message_or_in_many(messages: int) -> None:
    """120 MiB, in less than one."""

    def bomb(size: int) -> bytes:
        squeeze = zlib.compressobj(1, wbits=-12)  # the window that the peer has agreed to
        pieces = [squeeze.compress(b" " * MEBIBYTE) for _ in range(size)]
        return b"".join([*pieces, squeeze.flush(zlib.Z_SYNC_FLUSH)])[:-4]

    plain = Frame(Opcode.TEXT, bomb(120 // messages)).serialize(mask=False)
    frame = bytes([plain[0] | 0x40]) + plain[1:]  # RSV1: compressed (RFC 7692 §6)

    async def answer(socket: ServerConnection, event: Event) -> None:
        socket.transport.write(frame * messages)
        await asyncio.sleep(5)

    async def run() -> str:
        async with peer(answer, compression="deflate") as provider:
            child = await asyncio.create_subprocess_exec(
                sys.executable, "-c", textwrap.dedent(BOMB), provider.url, stdout=subprocess.PIPE
            )
            out, _ = await child.communicate()
            return out.decode()

    kind, peak = asyncio.run(run()).split()
    assert kind == "BadResponse"
    assert int(peak) < 110 * 1024  # KiB


def test_a_redirect_of_a_socket_to_another_place_is_not_followed() -> None:
    async def silent(socket: ServerConnection, event: Event) -> None: ...

    async def run() -> tuple[int, ProviderError | None]:
        async with peer(silent) as other, peer(silent) as provider:
            headers = Headers({"Location": other.url + "/responses"})
            provider.refuse = lambda socket, wanted: Response(302, "Found", headers, b"")
            connection = connect(choice(provider.url), options=QUICK)
            try:
                _, error = await collect_until_error(connection.stream(request()))
                return len(other.headers), error
            finally:
                await connection.close()

    visits, error = asyncio.run(run())
    assert visits == 0
    assert error is not None
    assert "redirect" in str(error)


def test_an_event_that_never_ends_is_cut_off_over_http() -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        begin_events(writer)
        event_chunk(writer, delta("kept"))
        chunk(writer, b"data: ")
        while not writer.is_closing():
            chunk(writer, b"x" * MEBIBYTE)
            await writer.drain()

    text, error = asyncio.run(over_http(answer))
    assert text == "kept"
    assert isinstance(error, BadResponse)
    assert "16 MiB" in str(error)


@pytest.mark.parametrize("status", ["200 OK", "500 Oops", "302 Found"])
def test_a_list_of_models_that_never_ends_is_cut_off(status: str) -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        writer.write(f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n\r\n".encode())
        while not writer.is_closing():
            writer.write(b"[" * MEBIBYTE)
            await writer.drain()

    async def run() -> None:
        async with http_peer(answer) as provider:
            connection = connect(choice(provider.url, "chat"), options=PATIENT)
            try:
                with pytest.raises(ProviderError):
                    await connection.models()
            finally:
                await connection.close()

    asyncio.run(asyncio.wait_for(run(), 50))  # no patience ended it


def test_the_body_of_a_refusal_that_never_ends_is_cut_off_and_its_beginning_told() -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        writer.write(b"HTTP/1.1 500 Oops\r\nContent-Type: text/plain\r\n\r\nout of order ")
        while not writer.is_closing():
            writer.write(b"<" * MEBIBYTE)
            await writer.drain()

    _, error = asyncio.run(asyncio.wait_for(over_http(answer), 50))
    assert error is not None
    assert "out of order" in str(error)


def test_headers_without_an_end_are_cut_off() -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while not writer.is_closing():
            writer.write(b"X-More: " + b"x" * 8_000 + b"\r\n")
            await writer.drain()

    _, error = asyncio.run(asyncio.wait_for(over_http(answer), 50))
    assert error is not None


def test_an_answer_that_is_compressed_without_being_asked_for_is_not_unpacked() -> None:
    squeezed = zlib.compress(b"data: " + b" " * 100 * MEBIBYTE)

    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        reply(writer, squeezed, kind="text/event-stream", extra="Content-Encoding: deflate\r\n")

    _, error = asyncio.run(over_http(answer))
    assert isinstance(error, BadResponse)
    assert "compressed" in str(error)


@pytest.mark.parametrize("dialect", ["responses-sse", "chat"])
def test_json_too_deep_to_read_gives_a_sentence_over_http(dialect: str) -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        begin_events(writer)
        event_chunk(writer, DEEP)

    _, error = asyncio.run(over_http(answer, dialect))
    assert isinstance(error, BadResponse)


def test_json_too_deep_to_read_gives_a_sentence_over_a_websocket() -> None:
    async def answer(socket: ServerConnection, event: Event) -> None:
        await socket.send(delta("kept"))
        await socket.send(DEEP)

    text, error = asyncio.run(over_websocket(answer))
    assert text == "kept"
    assert isinstance(error, BadResponse)


def test_a_refusal_too_deep_to_read_gives_a_sentence() -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        reply(writer, DEEP.encode(), status="400 Bad Request")

    _, error = asyncio.run(over_http(answer))
    assert error is not None
    assert "400" in str(error)


@pytest.mark.parametrize("dialect", ["responses-sse", "chat"])
def test_comments_without_an_end_keep_no_turn_alive_over_http(dialect: str) -> None:
    async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
        begin_events(writer)
        while not writer.is_closing():
            chunk(writer, b": still there\n\n")
            await writer.drain()
            await asyncio.sleep(0.001)

    _, error = asyncio.run(asyncio.wait_for(over_http(answer, dialect, IMPATIENT), 50))
    assert isinstance(error, Stalled)
    assert "no text" in str(error)


def test_events_without_text_keep_no_turn_alive_over_a_websocket() -> None:
    async def answer(socket: ServerConnection, event: Event) -> None:
        await socket.send(delta("kept"))
        while True:
            await socket.send('{"type":"response.in_progress","response":{}}')
            await asyncio.sleep(0.001)

    text, error = asyncio.run(asyncio.wait_for(over_websocket(answer, IMPATIENT), 50))
    assert text == "kept"
    assert isinstance(error, Stalled)


@pytest.mark.parametrize("code", [1000, 1008, 1011, 4001, 4000])
def test_the_reason_of_a_close_is_shown_without_keys_and_drives_no_terminal(code: int) -> None:
    async def answer(socket: ServerConnection, event: Event) -> None:
        await socket.close(code, "\x1b]0;x\x07 \u202e sk-live-0123456789abcdef password=hunter2")

    _, error = asyncio.run(over_websocket(answer))
    assert error is not None
    assert not {char for char in str(error) if ord(char) < 32 or char == "\u202e"}
    assert "0123456789" not in str(error)
    assert "hunter2" not in str(error)
