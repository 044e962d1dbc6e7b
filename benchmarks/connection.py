"""What a connection that stays open is worth: overhead to the first delta, against a new HTTPS connection each turn.

    python benchmarks/connection.py [--json] [--repeat 7]

A provider that answers at once stands behind a proxy of this file's own, which adds a round trip and limits the
bandwidth; both run in another process, TLS and all. What is left is overhead. The proxy does what a far network
does to TCP: a new connection's first bytes wait one round trip for the handshake, and a new or idle connection
starts slowly (RFC 6928: ten segments, then what has been acknowledged on top; RFC 5681 §4.1 after idling).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import random
import ssl
import statistics
import string
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from multiprocessing.connection import Connection as Pipe

import httpx
import msgspec
import trustme
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as ws_serve
from websockets.exceptions import ConnectionClosed

from spark_jupyter.connection import connect
from spark_jupyter.connection.base import Connection
from spark_jupyter.connection.connection_options import Options
from spark_jupyter.providers.base import Message, ModelRequest, TextDelta
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import Choice, Secret
from spark_jupyter.providers.responses import ResponsesOverHTTP

ROUND_TRIPS = (0.0, 0.04, 0.1)
BANDWIDTH = 20e6
CONTEXT = 200_000
FLOOD = 50_000
SEGMENT = 1460
INITIAL_WINDOW = 10 * SEGMENT
ANSWER = "def answer():\n    return 42\n"


# --- The provider and the proxy, in another process ------------------------------------------------------------------


async def serve_socket(socket: ServerConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        await answer_socket(socket)


async def answer_socket(socket: ServerConnection) -> None:
    """Answers each request at once; "flood" with many deltas, "endless" until it is interrupted or the socket is closed."""
    endless: dict[str, tuple[asyncio.Task[None], dict[str, str]]] = {}
    try:
        async for frame in socket:
            request = json.loads(frame)
            if request["type"] == "response.interrupt":
                task, lane = endless.pop(request["response_id"])
                task.cancel()
                cut = {"id": request["response_id"], "incomplete_details": {"reason": "interrupted"}}
                await socket.send(json.dumps({"type": "response.incomplete", "response": cut, **lane}))
                continue
            number = f"resp_{time.monotonic_ns()}"
            lane = {"stream_id": request["stream_id"]} if "stream_id" in request else {}
            await socket.send(json.dumps({"type": "response.created", "response": {"id": number}, **lane}))
            said = request["input"][-1]["content"][0]["text"] if request["input"] else ""
            if said == "endless":
                endless[number] = (asyncio.create_task(go_on(socket, lane)), lane)
                continue
            if said == "flood":
                await flood(socket)
            elif request.get("generate", True):
                await socket.send(delta(ANSWER, **lane))
            done = {"type": "response.completed", "response": {"id": number, "output": []}, **lane}
            await socket.send(json.dumps(done))
    finally:
        for task, _ in endless.values():
            task.cancel()


async def go_on(socket: ServerConnection, lane: dict[str, str]) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await socket.send(delta("x = 1\n", **lane))
            await asyncio.sleep(0.001)


async def flood(socket: ServerConnection) -> None:
    for number in range(FLOOD):
        await socket.send(delta(f" token{number}"))


def delta(text: str, **lane: str) -> str:
    event = {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0}
    return json.dumps({**event, **lane, "delta": text, "logprobs": [], "sequence_number": 7})


async def answer_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.startswith("content-length"))
            await reader.readexactly(length)
            done = json.dumps({"type": "response.completed", "response": {"id": "r", "output": []}})
            body = f"data: {delta(ANSWER)}\n\ndata: {done}\n\n".encode()
            kind = "Content-Type: text/event-stream\r\n"
            writer.write(f"HTTP/1.1 200 OK\r\n{kind}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    writer.close()


class Proxy:
    """Forwards TCP with half a round trip each way, at a bandwidth in bits per second (0: unlimited)."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.round_trip = 0.0
        self.bandwidth = 0.0

    async def serve(self) -> int:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
        handshake = self.round_trip
        await asyncio.gather(
            self._forward(reader, far_writer, asyncio.get_running_loop().time() + handshake),
            self._forward(far_reader, writer, 0.0),
        )

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, not_before: float) -> None:
        """Each piece leaves when the window and the line are free, takes its time on the line, and arrives half a
        round trip later; its acknowledgement comes after the other half."""
        loop = asyncio.get_running_loop()
        window = Window()
        free = not_before
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(SEGMENT):
                await window.take(len(piece), idle_after=max(0.2, 2 * self.round_trip))
                free = max(loop.time(), free) + (len(piece) * 8 / self.bandwidth if self.bandwidth else 0.0)
                loop.call_at(free + self.round_trip / 2, _write, writer, piece)
                loop.call_at(free + self.round_trip, window.acknowledge, len(piece))
        loop.call_at(max(free, loop.time()) + self.round_trip / 2, _end, writer)


class Window:
    """TCP's congestion window of one direction, in slow start: nothing is ever lost here."""

    def __init__(self) -> None:
        self._size = INITIAL_WINDOW
        self._in_flight = 0
        self._used_at = 0.0
        self._freed = asyncio.Event()

    async def take(self, size: int, *, idle_after: float) -> None:
        """Wait until ``size`` bytes may leave."""
        now = asyncio.get_running_loop().time()
        if not self._in_flight and now - self._used_at > idle_after:
            self._size = INITIAL_WINDOW
        while self._in_flight + size > self._size:
            self._freed.clear()
            await self._freed.wait()
        self._in_flight += size
        self._used_at = asyncio.get_running_loop().time()

    def acknowledge(self, size: int) -> None:
        """These bytes have arrived: as many more may leave."""
        self._in_flight -= size
        self._size += size
        self._freed.set()


def _write(writer: asyncio.StreamWriter, piece: bytes) -> None:
    if not writer.is_closing():
        writer.write(piece)


def _end(writer: asyncio.StreamWriter) -> None:
    writer.close()


def far_side(pipe: Pipe, certificate: bytes) -> None:
    """The other process: serves until the pipe is closed, and sets the proxies as it is told."""

    async def run() -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with trustme.Blob(certificate).tempfile() as file:
            context.load_cert_chain(file)
        sockets = await ws_serve(
            serve_socket, "127.0.0.1", 0, ssl=context, max_size=None, compression="deflate", ping_interval=None
        )
        web = await asyncio.start_server(answer_http, "127.0.0.1", 0, ssl=context, limit=2**22)
        proxies = [Proxy(server.sockets[0].getsockname()[1]) for server in (sockets, web)]
        pipe.send([await proxy.serve() for proxy in proxies])
        while (line := await asyncio.to_thread(_receive, pipe)) is not None:
            for proxy in proxies:
                proxy.round_trip, proxy.bandwidth = line
            pipe.send("set")

    asyncio.run(run())


def _receive(pipe: Pipe) -> tuple[float, float] | None:
    try:
        line: tuple[float, float] | None = pipe.recv()
    except EOFError:
        return None
    return line


# --- The near side ---------------------------------------------------------------------------------------------------


class Bench:
    """The turns that are timed. All times in seconds."""

    def __init__(self, ports: list[int], context: ssl.SSLContext, repeat: int) -> None:
        self._ports = ports
        self._ssl = context
        self._repeat = repeat
        self._text = source_text(CONTEXT)

    @contextlib.asynccontextmanager
    async def connection(
        self, *, deflate: bool = False, spare: bool = True, interrupt: bool = False
    ) -> AsyncIterator[Connection]:
        profile = Profile(name="bench", interrupt=interrupt, lanes=interrupt)
        url = f"wss://127.0.0.1:{self._ports[0]}/v1"
        chosen = Choice(profile=profile, base_url=url, model="m", dialect="responses-websocket", api_key=Secret("k"))
        connection = connect(chosen, options=Options(ssl_context=self._ssl, deflate=deflate, spare=spare))
        await connection.open()
        await first_delta(connection, request("warm"))
        await asyncio.sleep(0.5)
        try:
            yield connection
        finally:
            await connection.close()

    async def new_https(self, asked: ModelRequest) -> float:
        """A new client and connection for the turn, as a plain HTTP client makes it; the TLS context is shared."""

        async def turn() -> float:
            began = time.perf_counter()
            async with httpx.AsyncClient(verify=self._ssl, trust_env=False) as client:
                body = ResponsesOverHTTP(Profile(name="bench")).encode(asked)
                url = f"https://127.0.0.1:{self._ports[1]}/v1/responses"
                async with client.stream("POST", url, content=body) as answer:
                    async for piece in answer.aiter_raw():
                        if b"output_text.delta" in piece:
                            return time.perf_counter() - began
            raise RuntimeError("no delta came")

        return await self._median(turn)

    async def warm(self, asked: ModelRequest, *, deflate: bool = False) -> float:
        """The whole request over the warm connection."""
        async with self.connection(deflate=deflate) as connection:
            return await self._median(lambda: first_delta(connection, fresh(asked)))

    async def incremental(self, asked: ModelRequest) -> float:
        """The request after one that it continues: only the new input is sent."""
        async with self.connection() as connection:
            await first_delta(connection, asked)

            async def turn() -> float:
                nonlocal asked
                said = (Message("assistant", ANSWER), Message("user", "now with a log scale"))
                asked = msgspec.structs.replace(asked, input=asked.input + said)
                return await first_delta(connection, asked)

            return await self._median(turn)

    async def after_cancel(self, *, spare: bool, interrupt: bool = False) -> float:
        """From dropping a stream to the first delta of the next one. Whether the provider takes interrupts is known by then."""
        async with self.connection(spare=spare, interrupt=interrupt) as connection:

            async def turn() -> float:
                stream = connection.stream(request("endless"))
                async for batch in stream:
                    if any(isinstance(event, TextDelta) for event in batch):
                        break
                began = time.perf_counter()
                await stream.aclose()
                await first_delta(connection, request("next"))
                elapsed = time.perf_counter() - began
                await asyncio.sleep(0.6)
                return elapsed

            if interrupt:
                await turn()
            return await self._median(turn)

    async def receive_cost(self) -> float:
        """CPU of this process for each event of a flood, TLS included."""
        async with self.connection() as connection:
            began, count = time.process_time(), 0
            async for batch in connection.stream(request("flood")):
                count += len(batch)
            return (time.process_time() - began) / count

    def large(self) -> ModelRequest:
        return request(self._text + random_word())

    async def _median(self, turn: Callable[[], Awaitable[float]]) -> float:
        return statistics.median([await turn() for _ in range(self._repeat)])


def request(text: str) -> ModelRequest:
    return ModelRequest(model="m", instructions="Write cells.", input=(Message("user", text),))


def fresh(asked: ModelRequest) -> ModelRequest:
    """The same with another first word, so that nothing can be continued."""
    first = Message("user", random_word() + asked.input[0].text)
    return msgspec.structs.replace(asked, input=(first, *asked.input[1:]))


def random_word() -> str:
    return "".join(random.choices(string.ascii_lowercase, k=8))


def source_text(size: int) -> str:
    """Something that compresses like source code does, about four to one."""
    words = [random_word() for _ in range(400)]
    lines = (f"    {random.choice(words)} = {random.choice(words)}({random.random():.4f})\n" for _ in iter(int, 1))
    text = ""
    while len(text) < size:
        text += next(lines)
    return text[:size]


async def first_delta(connection: Connection, asked: ModelRequest) -> float:
    began = time.perf_counter()
    elapsed = 0.0
    async for batch in connection.stream(asked):
        if not elapsed and any(isinstance(event, TextDelta) for event in batch):
            elapsed = time.perf_counter() - began
    return elapsed


async def measure(pipe: Pipe, ports: list[int], context: ssl.SSLContext, repeat: int) -> dict[str, object]:
    bench = Bench(ports, context, repeat)
    rows = []
    for round_trip in ROUND_TRIPS:
        set_line(pipe, round_trip, 0.0)
        https, warm = await bench.new_https(request("small")), await bench.warm(request("small"))
        rows.append({"case": "small request", "round_trip": round_trip, "https": https, "warm": warm})
        rows[-1]["cancel, next with spare"] = await bench.after_cancel(spare=True)
        rows[-1]["cancel, next without"] = await bench.after_cancel(spare=False)
        rows[-1]["interrupt, next"] = await bench.after_cancel(spare=False, interrupt=True)
    for round_trip in ROUND_TRIPS:
        set_line(pipe, round_trip, BANDWIDTH)
        https, warm = await bench.new_https(bench.large()), await bench.warm(bench.large())
        rows.append({"case": "200 kB of context", "round_trip": round_trip, "https": https, "warm": warm})
        rows[-1]["warm, deflate"] = await bench.warm(bench.large(), deflate=True)
        rows[-1]["warm, only what is new"] = await bench.incremental(bench.large())
    set_line(pipe, 0.0, 0.0)
    return {"rows": rows, "receive_us_per_event": await bench.receive_cost() * 1e6, "bars": bars(rows)}


def set_line(pipe: Pipe, round_trip: float, bandwidth: float) -> None:
    pipe.send((round_trip, bandwidth))
    pipe.recv()


def bars(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The bars: a warm turn costs one round trip and at most 3 ms; at 40 ms and 200 kB, 85 % is saved."""
    found: list[dict[str, object]] = []
    for row in rows:
        https, warm, round_trip = (float(str(row[name])) for name in ("https", "warm", "round_trip"))
        if row["case"] == "small request":
            name = f"small request at {round_trip * 1000:.0f} ms: over the round trip, ms (at most 3)"
            found.append({"bar": name, "value": (warm - round_trip) * 1000, "met": warm - round_trip <= 0.003})
            if round_trip:
                ratio = float(str(row["interrupt, next"])) / round_trip
                name = f"interrupt to the next first delta at {round_trip * 1000:.0f} ms: round trips (at most 1.2)"
                found.append({"bar": name, "value": ratio, "met": ratio <= 1.2})
        elif round_trip == 0.04:
            saved = 1 - float(str(row["warm, only what is new"])) / https
            found.append({"bar": "200 kB at 40 ms: saved (at least 0.85)", "value": saved, "met": saved >= 0.85})
    return found


def show(result: dict[str, object]) -> None:
    rows = result["rows"]
    assert isinstance(rows, list)
    print("Time to the first delta, ms; in brackets the difference to a new HTTPS connection each turn\n")
    for row in rows:
        line = (
            f"  {row['case']:18} {row['round_trip'] * 1000:4.0f} ms round trip   new HTTPS {row['https'] * 1000:6.1f}"
        )
        for name in [name for name in row if name not in ("case", "round_trip", "https")]:
            line += f"   {name} {row[name] * 1000:6.1f} ({(row[name] / row['https'] - 1) * 100:+.0f} %)"
        print(line)
    print(f"\n  receiving, TLS included: {result['receive_us_per_event']:.1f} µs of CPU an event, flooded\n")
    for bar in result["bars"]:  # type: ignore[attr-defined]
        print(f"  {'met   ' if bar['met'] else 'MISSED'}  {bar['bar']}: {bar['value']:.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--repeat", type=int, default=7, help="turns of each kind; the median counts")
    options = parser.parse_args()
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    context = ssl.create_default_context()
    authority.configure_trust(context)
    spawn = multiprocessing.get_context("spawn")
    near, far = spawn.Pipe()
    process = spawn.Process(
        target=far_side, args=(far, certificate.private_key_and_cert_chain_pem.bytes()), daemon=True
    )
    process.start()
    far.close()
    try:
        result = asyncio.run(measure(near, near.recv(), context, options.repeat))
    finally:
        near.close()
        process.terminate()
        process.join()
    print(json.dumps(result, indent=1)) if options.json else show(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
