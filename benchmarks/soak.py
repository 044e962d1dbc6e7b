"""A long day in one notebook: turns, steers, cancels, Tries, dropped connections and kernel restarts; what grows, and what is left.

    python benchmarks/soak.py [--json] [--short]

A notebook of 400 cells goes along with each prompt; the embedded server answers in a thread of its own. What ends a kernel ends its
engine here: the next one is told what the notebook remembers. Memory is that of this process, in which the engine, the session and the
copies' parent are. After the first half, which warms up, it may grow by a tenth.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks
from spark_jupyter.engine.kernel_access import Kernel as KernelAccess
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.constants import MOST_KEPT_PROPOSALS, MOST_KEPT_TURNS
from spark_jupyter.protocol.message_frames import CommandFrame, decode_command_frame, encode
from spark_jupyter.protocol.messages import Cancel, Command, Prompt, Restore, Steer
from spark_jupyter.protocol.proposal_messages import Accept, Reject
from spark_jupyter.protocol.trial_messages import Try
from spark_jupyter.protocol.values import PROTOCOL_VERSION, NotebookCell, Target
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.sandbox.kernel_trials import KernelTrials
from spark_jupyter.sandbox.notebook_trials import empty_shell
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.server_runner import serve_in_thread

CELLS = 400
ANSWER = "A note.\n\n```python\n" + "\n".join(f"value_{n} = {n} + 1" for n in range(12)) + "\n```\n"
ON = "```python continue\nlast = 1\n```\n"
GROWTH = 0.10


class Day(Struct, frozen=True, kw_only=True):
    """How much of each."""

    turns: int = 1000
    redirected: int = 320  # half of them steered, half of them cancelled; where the connection is dropped they are not
    tries: int = 200
    drops: int = 50
    restarts: int = 5


SHORT = Day(turns=160, redirected=32, tries=12, drops=8, restarts=1)


class Figures(Struct, frozen=True, kw_only=True):
    """What came of it. Memory in MB; times in ms."""

    turns: int
    memory_half: float
    memory_end: float
    turn_first_half: float
    turn_last_half: float
    threads: int
    files: int
    snapshot_kb: float

    @property
    def bars(self) -> list[tuple[str, float, bool]]:
        """What is asked for, what it is, and whether it is met."""
        growth = self.memory_end / self.memory_half - 1
        slower = self.turn_last_half / self.turn_first_half - 1
        return [
            ("memory over the last half: growth (at most 0.10)", growth, growth <= GROWTH),
            ("a turn in the last half: slower (at most 0.25)", slower, slower <= 0.25),
            ("threads left behind (0)", float(self.threads), self.threads == 0),
            ("open files left behind (at most 2)", float(self.files), self.files <= 2),
        ]


class Kernel:
    """One life of a kernel: an engine, with what the one before it knew."""

    def __init__(self, settings: Settings, cells: tuple[NotebookCell, ...], before: Restore | None) -> None:
        self.trials = KernelTrials(empty_shell())
        self.engine = Engine(
            linker(settings), kernel=KernelAccess(checks=Checks(try_proposal=self.trials.try_proposal))
        )
        self.cells = cells
        if before is not None:
            self.engine.say(before)

    def turn(self, *, redirect: str = "", tried: bool = False, drops: bool = False) -> float:
        """One turn and the decision on it. Returns how long it took, in seconds, without a Try."""
        prompt = Prompt(
            turn_id=new_turn_id(),
            text="drop" if drops else "slow" if redirect else "values",
            cells=self.cells,
            target=Target(after=self.cells[-1].id),
        )
        begun = time.perf_counter()
        frame = encode(CommandFrame(v=PROTOCOL_VERSION, seq=1, msgs=(prompt,)))
        last: Command = decode_command_frame(frame).msgs[0]  # as a browser's: each brings its own notebook
        following = self.engine.follow(prompt.turn_id)
        if redirect:
            self.engine.say(last)
            self._until_written(prompt.turn_id)
        if redirect == "steer":
            last = Steer(turn_id=new_turn_id(), steers=prompt.turn_id, text="go on")
        elif redirect == "cancel":
            last = Cancel(turn_id=prompt.turn_id)
        following.wait(lambda: self.engine.say(last))
        took = time.perf_counter() - begun
        cell_id = f"{prompt.turn_id}-1"
        if self.engine.read(lambda session: session.store.draft(cell_id)) is not None:
            if tried:
                following = self.engine.follow_try(cell_id)
                for _ in following.through(lambda: self.engine.say(Try(cell_id=cell_id))):
                    pass
            self.engine.say(Accept(cell_id=cell_id) if hash(cell_id) % 2 else Reject(cell_id=cell_id))
        return took

    def end(self) -> Restore:
        """The kernel ends. Returns what the notebook remembers: the youngest turns, as many as it keeps."""
        turns = self.engine.read(lambda session: session.turns)[-MOST_KEPT_TURNS:]
        names = {turn.id for turn in turns}
        proposals = self.engine.read(lambda session: session.store.proposals)
        kept = tuple(one for one in proposals if one.turn_id in names)[-MOST_KEPT_PROPOSALS:]
        self.engine.close()
        self.trials.close()
        return Restore(turns=turns, proposals=kept, cells=self.cells)

    def _until_written(self, turn_id: str) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self.engine.read(
                lambda session: bool(session.store.of_turn(turn_id)) or turn_id not in session.streaming
            ):
                return
            time.sleep(0.002)


def live(day: Day, settings: Settings, *, forget: Callable[[], None]) -> Figures:
    """Live through it. ``forget`` has the server, which is in this process, let go of what it recorded."""
    cells = tuple(
        NotebookCell(id=f"cell-{n}", source=f"a_{n} = {n}\nprint(a_{n})", outputs=str(n)) for n in range(CELLS)
    )
    files, threads = _files(), threading.active_count()
    memory: list[float] = []
    times: list[float] = []
    before: Restore | None = None
    kernel = Kernel(settings, cells, before)
    for number in range(day.turns):
        redirect = ""
        tried, drops = _every(number, day.turns, day.tries), _every(number + 1, day.turns, day.drops)
        if _every(number, day.turns, day.redirected) and not drops:
            redirect = "steer" if number % 2 else "cancel"
        took = kernel.turn(redirect=redirect, tried=tried, drops=drops)
        if not (redirect or drops):
            times.append(took)
        if _every(number, day.turns, day.restarts + 1) and number:
            before = kernel.end()
            kernel = Kernel(settings, cells, before)
        forget()
        gc.collect(0)
        memory.append(_memory())
    snapshot = kernel.end()
    gc.collect()
    half = len(memory) // 2
    return Figures(
        turns=day.turns,
        memory_half=statistics.median(memory[half - half // 5 : half + 1]),
        memory_end=statistics.median(memory[-max(half // 5, 1) :]),
        turn_first_half=statistics.median(times[: len(times) // 2]) * 1000,
        turn_last_half=statistics.median(times[len(times) // 2 :]) * 1000,
        threads=max(threading.active_count() - threads, 0),
        files=max(_files() - files, 0),
        snapshot_kb=sum(len(one.source) for one in snapshot.proposals) / 1000,
    )


def _every(number: int, turns: int, times: int) -> bool:
    """Whether something that happens so many times in so many turns happens in this one."""
    return times > 0 and (number * times) // turns != ((number + 1) * times) // turns


def _memory() -> float:
    """MB of this process that are in memory (proc(5))."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _files() -> int:
    return len(os.listdir("/proc/self/fd"))


def script() -> dict[str, object]:
    """What the server answers."""
    slow = {"match": "slow", "answer": ANSWER, "pause_after": 30, "pause": 5.0, "repeat": True}
    steered = {"match": "## Steer", "answer": ON, "repeat": True}
    drop = {"match": "## Request\ndrop", "answer": ANSWER, "drop_after": 20, "repeat": True}
    return {"models": ["m"], "answers": [steered, drop, slow, {"answer": ANSWER, "repeat": True}]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--short", action="store_true", help="a few of each, in a minute")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(dict.fromkeys(("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"), home))
        engine = ScriptEngine(script())
        with serve_in_thread(engine=engine) as info:
            settings = Settings(base_url=info.url, api_key=Secret(info.token), model="m")
            figures = live(SHORT if options.short else Day(), settings, forget=engine.asked.clear)
    if options.json:
        bars = [{"bar": name, "value": value, "met": met} for name, value, met in figures.bars]
        print(
            json.dumps({name: getattr(figures, name) for name in Figures.__struct_fields__} | {"bars": bars}, indent=2)
        )
    else:
        print(
            f"{figures.turns} turns; memory {figures.memory_half:.0f} MB at half time, {figures.memory_end:.0f} MB at the end"
        )
        print(f"a turn {figures.turn_first_half:.1f} ms in the first half, {figures.turn_last_half:.1f} ms in the last")
        for name, value, met in figures.bars:
            print(f"  {'met   ' if met else 'MISSED'}  {name}: {value:.2f}")
    return 0 if all(met for _, _, met in figures.bars) else 1


if __name__ == "__main__":
    sys.exit(main())
