"""What the client costs: work per token against the openai SDK's in the same run, the rate at which it falls behind, load time, memory.

    python benchmarks/client.py [--json]

CPU time, not wall time, so that a busy machine does not change the figures much. Bars: 15 µs mean for each token, guardrail included.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from spark_jupyter.engine.broadcast import FrameLog
from spark_jupyter.protocol.message_frames import encode
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.providers.base import TextDelta
from spark_jupyter.providers.responses_events import ResponsesDecoder
from spark_jupyter.session.actions import SendRequest
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.session import Session

CELL = '''import math


def area(radius):
    """The area of a circle with this radius."""
    if radius < 0:
        raise ValueError("a radius is not negative")
    return math.pi * radius**2


for number in range(10):
    print(number, round(area(number), 2))
'''
CELLS = [CELL.replace("area", f"area_{number}") for number in range(40)]
ANSWER = "Here it is.\n\n" + "\n".join(f"```python\n{cell}```\n" for cell in CELLS) + "Done.\n"
BATCH = 8
"""Tokens that one wake-up brings: at 1,000 tokens a second and a frame every 8 ms it is eight."""


def pieces(text: str) -> list[str]:
    return [text[start : start + 4] for start in range(0, len(text), 4)]


def frames(texts: list[str]) -> list[bytes]:
    """The server's frames for these deltas, as on the wire."""
    return [
        json.dumps(
            {
                "type": "response.output_text.delta",
                "item_id": "msg_1",
                "output_index": 0,
                "content_index": 0,
                "delta": text,
                "logprobs": [],
                "sequence_number": number,
            }
        ).encode()
        for number, text in enumerate(texts)
    ]


def cpu(work: Callable[[], object], repeat: int = 5) -> float:
    """The median CPU time of ``work`` in seconds."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return statistics.median(times)


class _Blind:
    """A watch that sees nothing: the client without its guardrail."""

    context = None

    def feed(self, text: str) -> list[object]:
        return []

    def flush(self, *, unfinished: bool = False) -> list[object]:
        return []


class _NoGuard(Guard):
    def watch(self, context, unrun, earlier, *, base):  # type: ignore[no-untyped-def]
        return _Blind()


def client(raw: list[bytes], guard: Guard) -> Callable[[], None]:
    """Decode, session, stream, coalesce, encode: all of a turn but the socket."""

    def work() -> None:
        session = Session(model="m", guard=guard)
        session.receive_command(Prompt(turn_id="t1", text="x"), at=0.0)
        request = next(action for action in session.actions_to_take() if isinstance(action, SendRequest))
        decoder = ResponsesDecoder()
        log = FrameLog()
        for start in range(0, len(raw), BATCH):
            events = [event for frame in raw[start : start + BATCH] for event in decoder.receive_data(frame)]
            text = "".join(event.text for event in events if isinstance(event, TextDelta))
            session.receive_model_event(request.job_id, request.attempt, TextDelta(text), at=start / 1000)
            encode(log.add(session.events_to_send()))
        assert [draft.source for draft in session.store.current] == [cell.rstrip("\n") for cell in CELLS]

    return work


def sdk(raw: list[bytes]) -> Callable[[], None]:
    """What the official SDK does with the same frames: parse each into its event classes."""
    from openai._models import construct_type
    from openai.types.responses import ResponseStreamEvent

    def work() -> None:
        for frame in raw:
            construct_type(type_=ResponseStreamEvent, value=json.loads(frame))

    return work


def load_time(statements: str) -> float:
    """Milliseconds, inside a fresh process with IPython, that ``statements`` take; the median of five."""
    code = (
        "import time; from IPython.core.interactiveshell import InteractiveShell;"
        "shell = InteractiveShell.instance(); begin = time.perf_counter();"
        f"{statements}; print((time.perf_counter() - begin) * 1000)"
    )
    times = [
        float(
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()[-1]
        )
        for _ in range(5)
    ]
    return statistics.median(times)


def memory(extension: bool) -> float:
    """Resident megabytes of a kernel process, with and without the extension and one turn's worth of imports."""
    load = "shell.run_line_magic('load_ext', 'spark_jupyter'); time.sleep(3);" if extension else "time.sleep(0.5);"
    code = (
        "import time, os, ipykernel.zmqshell, ipykernel.ipkernel;"
        "from IPython.core.interactiveshell import InteractiveShell; shell = InteractiveShell.instance();"
        f"{load} print([line.split()[1] for line in open('/proc/self/status') if line.startswith('VmRSS')][0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1]) / 1024


def measure() -> dict[str, float]:
    texts = pieces(ANSWER)
    raw = frames(texts)
    count = len(raw)
    bare = cpu(client(raw, _NoGuard())) / count * 1e6
    guarded = cpu(client(raw, Guard())) / count * 1e6
    theirs = cpu(sdk(raw[:500])) / 500 * 1e6
    return {
        "tokens": count,
        "us_per_token_without_guardrail": bare,
        "us_per_token_with_guardrail": guarded,
        "us_per_event_openai_sdk": theirs,
        "ratio_to_sdk": bare / theirs,
        "sustained_tokens_per_second_without_guardrail": 1e6 / bare,
        "sustained_tokens_per_second_with_guardrail": 1e6 / guarded,
        "load_ext_ms": load_time("shell.run_line_magic('load_ext', 'spark_jupyter')"),
        "memory_over_bare_kernel_mb": memory(True) - memory(False),
    }


BARS = {
    "us_per_token_with_guardrail": "≤ 15",
    "sustained_tokens_per_second_without_guardrail": "≥ 50,000",
    "load_ext_ms": "≤ 150",
    "memory_over_bare_kernel_mb": "≤ 40",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure()
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:48} {value:12,.1f}   {BARS.get(name, '')}")


if __name__ == "__main__":
    main()
