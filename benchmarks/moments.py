"""Cost of twenty moments on five small notebooks and beside a gigabyte, and the time of a return to one.

Bars: twenty moments within 15 % of the free memory (proportional set size beyond the kernel's own); a return takes at most 100 ms where
little differs, at most 1 s where a column of 1 GB does.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from importlib.util import find_spec
from typing import Any

from benchmarks.checkpoints import TABLE
from benchmarks.undoing import NOTEBOOKS
from spark_jupyter.sandbox import no_rehearsal
from spark_jupyter.sandbox.checkpoints.checkpoint_costs import Budget
from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.checkpoints.restoration import prepared
from spark_jupyter.sandbox.memory_usage import free, memory_beyond
from spark_jupyter.sandbox.notebook_trials import empty_shell

MOMENTS, STEPS, ROUNDS = 20, 5, 5
_BAR_LITTLE, _BAR_LARGE = 0.1, 1.0


def measure(cells: tuple[str, ...], *, large: str = "") -> dict[str, float]:
    """Shares of free memory and seconds, for a notebook whose cells have run; ``large`` is a cell that changes much."""
    shell = empty_shell()
    kept = Checkpoints(shell)

    def run(source: str) -> None:
        shell.run_cell(source, store_history=True).raise_error()

    try:
        for cell in cells:
            run(cell)
        for number in range(MOMENTS):
            run(f"count = {number}")
        held = memory_beyond(os.getpid(), [one.checkpoint.pid for one in kept.kept]) or 0
        alive = len(kept.kept)
        little = [_back(shell, kept, run, "count = -1", STEPS) for _ in range(ROUNDS)]
        much = [_back(shell, kept, run, large, 1) for _ in range(ROUNDS)] if large else []
    finally:
        kept.close()
    return {
        "moments": alive,
        "held_share": held / (free() or 1),
        "little_s": statistics.median(little),
        **({"large_s": statistics.median(much)} if much else {}),
    }


def _back(shell: Any, kept: Checkpoints, run: Any, source: str, steps: int) -> float:
    """Seconds of a return to before so many runs of a cell."""
    for _ in range(steps):
        run(source)
    moment = kept.before_run(kept.runs[-steps].number)
    assert moment is not None
    before = shell.user_ns["count"]
    began = time.perf_counter()
    with prepared(shell, kept, moment) as restoration:
        restoration.apply()
    kept.came_back(moment)
    took = time.perf_counter() - began
    if steps > 1 and shell.user_ns["count"] == before:
        raise SystemExit("the variable is not as it was")
    return took


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if reason := no_rehearsal():
        raise SystemExit(reason)
    drop = "table = table.drop(columns=table.columns[-1])"
    there = {name for name in NOTEBOOKS if name != "model" or find_spec("sklearn")}
    found = {name: measure(cells[:-1]) for name, (cells, _) in NOTEBOOKS.items() if name in there}
    found["1 GB"] = measure((TABLE,), large=drop)
    if options.json:
        print(json.dumps(found))
        return
    share = Budget().share
    for name, one in found.items():
        line = f"{name:12} {one['moments']:.0f} moments hold {one['held_share'] / share:.2f} of their budget, "
        line += (
            f"back over {STEPS} runs {one['little_s'] / _BAR_LITTLE:.2f} of the bar ({1000 * one['little_s']:.0f} ms)"
        )
        if "large_s" in one:
            line += f", with a dropped column {one['large_s'] / _BAR_LARGE:.2f} of its bar ({one['large_s']:.2f} s)"
        print(line)


if __name__ == "__main__":
    main()
