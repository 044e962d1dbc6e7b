"""How soon a cancel is answered while a provider floods: ``python benchmarks/floods.py [--json] [KIND …]``.

Each flood comes from a process of its own, over a socket, as fast as it can. It is cancelled early and late; a turn that one of our bounds
has ended before the cancel is counted and not measured. Bar: from the cancel to the turn's end at most 100 ms, in each round.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from spark_jupyter.engine.engine import Engine
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.messages import Cancel, Prompt
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.routing.link import linker

BAR_MS = 100
MOMENTS = (0.01, 0.03, 0.1, 0.3, 0.5, 0.5, 1.0)
"""Seconds from the prompt to the cancel, a round each: a bound of ours ends some floods within the first tenth."""


def delta(text: str) -> str:
    """A piece of the answer, as the Responses protocol has it."""
    return json.dumps({"type": "response.output_text.delta", "item_id": "i", "delta": text})


TEXTS: dict[str, Callable[[], str]] = {
    "tokens without a newline": lambda: delta("value_" * 300),
    "lines of code": lambda: delta("value = [1, 2, 3]\n" * 100),
    "small frames": lambda: delta("x"),
    "small frames of lines": lambda: delta("x\n"),
    "frames of a megabyte": lambda: delta("value = [1, 2, 3]\n" * 58_000),
    "a megabyte in a line": lambda: delta("v" * (1 << 20)),
    "empty deltas": lambda: delta(""),
    "events that mean nothing": lambda: json.dumps({"type": "response.in_progress"}),
    "pings": lambda: "",
    "compressed": lambda: delta(" " * (1 << 20)),
}


async def _flood(socket: ServerConnection, kind: str) -> None:
    text = TEXTS[kind]()
    await socket.send(json.dumps({"type": "response.created", "response": {"id": "resp_1", "model": "m"}}))
    await socket.send(delta("```python\nx = 1\n"))
    while True:
        if kind == "pings":
            await socket.ping()
        else:
            await socket.send(text)


async def _peer(kind: str) -> None:
    """The provider: prints its port, and floods whoever asks for something."""

    async def answer(socket: ServerConnection) -> None:
        with contextlib.suppress(ConnectionClosed):  # it was cancelled
            async for message in _requests(socket):
                if json.loads(message).get("type") == "response.create":
                    await _flood(socket, kind)

    compression = "deflate" if kind == "compressed" else None
    async with serve(answer, "127.0.0.1", 0, compression=compression, ping_interval=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        await server.serve_forever()


async def _requests(socket: ServerConnection) -> AsyncIterator[str]:
    async for message in socket:
        yield str(message)


def cancelled(engine: Engine, after: float) -> tuple[float | None, str]:
    """Milliseconds from the cancel, ``after`` so many seconds of a flood, to the turn's end; how it ended. None: before the cancel."""
    prompt = Prompt(turn_id=new_turn_id(), text="flood")
    following = engine.follow(prompt.turn_id)
    engine.say(prompt)
    time.sleep(after)
    if (ended := following.subject.ended) is not None:
        following.close()
        return None, ended.outcome or ""
    began = time.perf_counter()
    ended = following.wait(lambda: engine.submit(Cancel(turn_id=prompt.turn_id))).ended
    took = 1_000 * (time.perf_counter() - began)
    return took, ended.outcome or "" if ended is not None else "did not end"


def measure(kind: str) -> dict[str, object]:
    """The median time of the cancels of one flood and the longest, of how many, and how the turns ended."""
    rounds = []
    for moment in MOMENTS:
        process = subprocess.Popen([sys.executable, __file__, "--peer", kind], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        port = int(process.stdout.readline())
        engine = Engine(linker(Settings(base_url=f"ws://127.0.0.1:{port}/v1", model="m")))
        try:
            engine.wait_until_connected(30)
            rounds.append(cancelled(engine, moment))
        finally:
            engine.close()
            process.terminate()
            process.wait()
    times = [took for took, _ in rounds if took is not None]
    return {
        "median ms": round(statistics.median(times), 1) if times else None,
        "longest ms": round(max(times), 1) if times else None,
        "of": len(times),
        "ended": dict(Counter(outcome if took is not None else "by a bound" for took, outcome in rounds)),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"which: {', '.join(TEXTS)}")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--peer", metavar="KIND", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        asyncio.run(_peer(options.peer))
        return
    results = {kind: measure(kind) for kind in options.kinds or TEXTS}
    if options.json:
        print(json.dumps({**results, "bar ms": BAR_MS}, indent=2))
        return
    for kind, result in results.items():
        print(f"{kind:26} " + ", ".join(f"{name} {value}" for name, value in result.items()))
    print(f"bar: {BAR_MS} ms")


if __name__ == "__main__":
    main()
