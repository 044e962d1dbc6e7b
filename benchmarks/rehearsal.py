"""What rehearsal in the stream costs, and what it finds: ``python benchmarks/rehearsal.py [--json]``.

Cost: the session's work for a token, and the time to the last text and to the last event of a whole turn over real sockets, with
rehearsal on against off. The text must not wait; the turn's end waits for the copy.

What it finds: the set of ``benchmarks/reality.py``, made here and now. ``found``: inventions with a finding, which cut the stream;
``told``: those that failed in the copy, which the footer says. ``flagged``: valid snippets with a finding.
"""

from __future__ import annotations

import argparse
import json
import queue
import statistics
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from IPython.core.interactiveshell import InteractiveShell

from benchmarks import reality
from benchmarks.stream import ANSWER
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Prompt, TurnEnded
from spark_jupyter.protocol.proposal_messages import CellsChanged
from spark_jupyter.protocol.provider_messages import Configure
from spark_jupyter.providers.base import ResponseCompleted, TextDelta
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.sandbox import KernelTrials, Limits
from spark_jupyter.sandbox.rehearsal import Rehearsals
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.server_runner import serve_in_thread
from spark_jupyter.session.actions import SendRequest
from spark_jupyter.session.rehearsal_feed import RehearsalFeed, Rehearsed
from spark_jupyter.session.session import Session
from spark_jupyter.session.unrun_cells import UnrunNames
from spark_jupyter.ui.pair import Pair

CODE = "".join(f"value_{n} = sum(range({n}))\n" for n in range(150)) + "print(value_149)"
TURN = f"Some values.\n\n```python\n{CODE}\n```\n"


def microseconds_per_token(*, repeats: int = 15) -> dict[str, float]:
    """The session's time for a delta of four characters, in µs: the least of some, taken in turn."""
    answer = ANSWER * 5
    deltas = [answer[start : start + 4] for start in range(0, len(answer), 4)]
    times: dict[str, list[float]] = {"off": [], "stream": []}
    for _ in range(repeats):
        for mode, taken in times.items():
            session = Session(model="m", rehearse=mode)
            session.receive_command(Prompt(turn_id="t", text="x"), at=0.0)
            sent = next(action for action in session.actions_to_take() if isinstance(action, SendRequest))
            began = time.perf_counter()
            for delta in deltas:
                session.receive_model_event(sent.job_id, sent.attempt, TextDelta(delta), at=0.0)
                session.events_to_send()
                session.actions_to_take()
            session.receive_model_event(sent.job_id, sent.attempt, ResponseCompleted(response_id="r"), at=0.0)
            taken.append((time.perf_counter() - began) / len(deltas) * 1e6)
            assert session.store.current, "the session has read the answer"
    return {mode: min(taken) for mode, taken in times.items()}


def turn(shell: InteractiveShell, url: str, token: str, mode: str, rounds: int) -> tuple[float, float]:
    """ms to the last text of a turn and to its end, the median of some."""
    pair = Pair(
        shell, settings=Settings(base_url=url, api_key=Secret(token), model="script"), own=Configure(rehearse=mode)
    )
    texts, ends = [], []
    try:
        for number in range(rounds + 1):
            times = {}

            def receive(frame: EventFrame, times: dict = times) -> None:
                for event in frame.msgs:
                    if isinstance(event, (CellsChanged, TurnEnded)):
                        times[type(event)] = time.perf_counter()

            leave = pair.engine.subscribe(receive)
            began = time.perf_counter()
            prompt = Prompt(turn_id=f"{mode}{number}", text="values")
            following = pair.engine.follow(prompt.turn_id)
            following.wait(lambda prompt=prompt: pair.engine.submit(prompt))
            leave()
            if number:  # the first one imports
                texts.append(1000 * (times[CellsChanged] - began))
                ends.append(1000 * (times[TurnEnded] - began))
    finally:
        pair.close()
    return statistics.median(texts), statistics.median(ends)


class Judge:
    """Rehearses one snippet after the other in a shell with an empty namespace."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.rehearsals = Rehearsals(shell, KernelTrials(shell), limits=Limits(statement=reality.SECONDS))
        self.count = 0

    def outcome(self, source: str) -> tuple[str, str]:
        """The message of the finding, and the error that the footer tells."""
        self.count += 1
        said: queue.Queue[Rehearsed] = queue.Queue()
        plan = RehearsalFeed(f"t{self.count}", 0, mode="stream", unrun=UnrunNames(()))
        plan.open("c", "")
        plan.write("c", source)
        plan.close("c", source)
        plan.finish()
        for action in plan.actions_to_take():
            self.rehearsals.act(action, said.put)
        finding = ""
        while True:
            rehearsed = said.get(timeout=60)
            if rehearsed.finding is not None:
                finding = rehearsed.finding.message
            if rehearsed.result is not None:
                return finding, rehearsed.result.error or rehearsed.result.problem


def found(shell: InteractiveShell, *, seed: int, count: int, show: bool) -> dict[str, object]:
    warnings.simplefilter("ignore")
    data = reality.build(seed=seed, valid=count, invented=count)
    judge = Judge(shell)
    flagged = [source for source in data["valid"] if judge.outcome(source)[0]]
    kinds, cut, told = Counter(), Counter(), Counter()
    for kind, new, source in data["inventions"]:
        finding, error = judge.outcome(source)
        kinds[kind] += 1
        cut[kind] += bool(finding)
        told[kind] += bool(error)
        if show and not finding:
            print(f"not cut: {kind} {new}: {error[:150]}", file=sys.stderr)
    judge.rehearsals.close()
    if show:
        print(*flagged, sep="\n--- flagged\n", file=sys.stderr)
    total = max(1, sum(kinds.values()))
    return {
        "valid": len(data["valid"]),
        "flagged_share": round(len(flagged) / max(1, len(data["valid"])), 4),
        "inventions": sum(kinds.values()),
        "cut_share": round(sum(cut.values()) / total, 4),
        "told_share": round(sum(told.values()) / total, 4),
        "cut_by_kind": {kind: f"{cut[kind]}/{kinds[kind]}" for kind in kinds},
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150, help="snippets of each kind; 0 leaves the set out")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--show", action="store_true", help="print what was flagged wrongly and what was not cut")
    options = parser.parse_args()
    work = microseconds_per_token()
    off, on = work["off"], work["stream"]
    shell = InteractiveShell()
    with serve_in_thread(engine=ScriptEngine({"answers": [{"answer": TURN, "repeat": True}]}), rate=5000) as info:
        text_off, end_off = turn(shell, info.url, info.token, "off", options.rounds)
        text_on, end_on = turn(shell, info.url, info.token, "stream", options.rounds)
    results: dict[str, object] = {
        "us_per_token_off": round(off, 2),
        "us_per_token_on": round(on, 2),
        "us_per_token_ratio": round(on / off, 3),
        "last_text_ms_off": round(text_off, 1),
        "last_text_ms_on": round(text_on, 1),
        "last_text_ratio": round(text_on / text_off, 3),
        "last_event_ms_off": round(end_off, 1),
        "last_event_ms_on": round(end_on, 1),
        "last_event_ratio": round(end_on / end_off, 3),
    }
    if options.count:
        results |= found(shell, seed=options.seed, count=options.count, show=options.show)
    print(json.dumps(results, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
