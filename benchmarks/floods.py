"""How soon a cancel is answered while a provider floods: ``python benchmarks/floods.py [--json] [KIND …]``.

Each flood comes from a process of its own, over a socket, as fast as it can. It runs for half a second before the cancel; a turn that
one of our bounds has ended by then says so. Bar: from the cancel to the turn's end at most 100 ms, the median of five.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from websockets.asyncio.server import ServerConnection, serve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from spark_jupyter.host.engine import Engine
from spark_jupyter.host.link import linker
from spark_jupyter.ids import new_turn_id
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.wire.messages import Cancel, Prompt

BAR_MS = 100
ROUNDS = 5
FLOODED = 0.5


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


def cancelled(engine: Engine) -> tuple[float, str]:
    """Milliseconds from the cancel to the end of a turn that is flooded; how it ended."""
    prompt = Prompt(turn_id=new_turn_id(), text="flood")
    following = engine.follow(prompt.turn_id)
    engine.say(prompt)
    time.sleep(FLOODED)
    began = time.perf_counter()
    ended = following.wait(lambda: engine.submit(Cancel(turn_id=prompt.turn_id))).ended
    took = 1_000 * (time.perf_counter() - began)
    return took, ended.outcome if ended is not None and ended.outcome else "did not end"


def measure(kind: str) -> dict[str, object]:
    """The median of some rounds with one flood, the longest, and how the turns ended."""
    rounds = []
    for _ in range(ROUNDS):
        process = subprocess.Popen([sys.executable, __file__, "--peer", kind], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        port = int(process.stdout.readline())
        engine = Engine(linker(Settings(base_url=f"ws://127.0.0.1:{port}/v1", model="m")))
        try:
            engine.wait_until_connected(30)
            rounds.append(cancelled(engine))
        finally:
            engine.close()
            process.terminate()
            process.wait()
    times = [took for took, _ in rounds]
    return {
        "median ms": round(statistics.median(times), 1),
        "longest ms": round(max(times), 1),
        "ended": ", ".join(sorted({outcome for _, outcome in rounds})),
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
        print(f"{kind:26} median {result['median ms']:7} ms, longest {result['longest ms']:7} ms, {result['ended']}")
    print(f"bar: {BAR_MS} ms")


if __name__ == "__main__":
    main()
