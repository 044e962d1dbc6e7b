"""Three attempts against one: ``python benchmarks/race.py [--json]``.

The embedded server, in a process of its own, writes about 500 tokens an answer at 1,000 tokens a second a lane, all lanes at once.
Everything is on as in a kernel: guardrail, reality check, a Try of each answer with a check. One attempt passes; of three the first
two fail, so that all three must be whole and tried. Bar: wall time at most 1.3 times that of one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell

from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.proposal_messages import Reject
from spark_jupyter.protocol.values import Attempts
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.ui.pair import Pair

RATE = 1000
ROUNDS = 7
BAR = 1.3
LINES = "".join(f"    value_{n} = x + {n} * len(str(x))\n" for n in range(40))


def answer(result: str) -> str:
    """About 500 tokens with one function."""
    return f"```python\ndef f(x):\n{LINES}    return {result}\n\n\nresult = [f(n) for n in range(10)]\n```\n"


@contextmanager
def server(folder: Path) -> Iterator[dict[str, str]]:
    """The embedded server with an answer for each model."""
    script = folder / "script.json"
    answers = [{"model": model, "answer": answer("x - 2"), "repeat": True} for model in ("a", "b")]
    answers.append({"answer": answer("x + 2"), "repeat": True})
    script.write_text(json.dumps({"models": ["*"], "answers": answers}))
    command = [
        sys.executable,
        "-m",
        "spark_jupyter.ui.cli.main",
        "serve",
        "--engine",
        "script",
        "--rate",
        str(RATE),
        str(script),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()


def seconds(pair: Pair, *models: str) -> float:
    """From the prompt to the proposal that has passed."""
    prompt = Prompt(
        turn_id=new_turn_id(), text="write f", attempts=Attempts(models=models, checks=("assert f(3) == 5",))
    )
    began = time.perf_counter()
    ended = pair.engine.follow(prompt.turn_id).wait(lambda: pair.engine.say(prompt)).ended
    took = time.perf_counter() - began
    if ended is None or ended.outcome != "completed" or ended.reason:
        raise SystemExit(f"the race failed: {ended}")
    for proposal in pair.engine.read(lambda session: session.store.of_turn(prompt.turn_id)):
        pair.engine.say(Reject(cell_id=proposal.cell_id))
    return took


def measure() -> dict[str, float]:
    """Median seconds of one and of three, in turns, and their ratio."""
    with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as info:
        settings = Settings(base_url=info["url"], api_key=Secret(info["token"]), model="c")
        pair = Pair(InteractiveShell(), settings=settings)
        try:
            seconds(pair, "c")  # connects, imports
            pairs = [(seconds(pair, "c"), seconds(pair, "a", "b", "c")) for _ in range(ROUNDS)]
        finally:
            pair.close()
    one, three = (statistics.median(times) for times in zip(*pairs, strict=True))
    return {"one_attempt_s": one, "three_attempts_s": three, "three_over_one": three / one}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = measure()
    if options.json:
        print(json.dumps({name: round(value, 3) for name, value in results.items()} | {"bar": BAR}))
        return
    print(f"one attempt, written and tried:    {results['one_attempt_s']:6.2f} s")
    print(f"three at once, the third passes:   {results['three_attempts_s']:6.2f} s")
    print(f"  … ratio:                         {results['three_over_one']:6.2f} ×   (bar {BAR})")


if __name__ == "__main__":
    main()
