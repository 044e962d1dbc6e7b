"""What checkpoints cost beside a gigabyte: how long one keeps its cell waiting, what they hold over 200 cells, what a proof takes beyond
its two runs, and how long the undo of a dropped column takes.

Bars: at most 10 ms before a cell; within the budget; at most 60 ms beyond the two runs; at most 1 s for the undo. The kernel grows to
about 2 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from typing import Any

from spark_jupyter.sandbox import no_rehearsal
from spark_jupyter.sandbox.checkpoints.checkpoint_costs import Budget
from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.checkpoints.undo import undo
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.memory_usage import free, memory_beyond
from spark_jupyter.sandbox.notebook_trials import empty_shell
from spark_jupyter.sandbox.proofs.proof_runner import ProofRun

TABLE = "import numpy as np, pandas as pd\ntable = pd.DataFrame(np.ones((1 << 20, 125)), columns=[f'c{n}' for n in range(125)])"
SLOW = "import time\ntime.sleep(0.2)\nx = 1"


def measure(cells: int = 200, rounds: int = 5) -> dict[str, float]:
    """All figures: ms, bytes and seconds."""
    shell = empty_shell()
    kept = Checkpoints(shell)

    def run(source: str) -> None:
        shell.run_cell(source, store_history=True).raise_error()

    try:
        run(TABLE)
        waited, held = [], []
        for number in range(cells):
            run(f"x = {number}")
            waited.append(kept.last * 1000)
            if number % 20 == 19:
                held.append(memory_beyond(os.getpid(), [one.checkpoint.pid for one in kept.kept]) or 0)
        proofs = [_proof(kept) for _ in range(rounds)]
        undone = [_undo(shell, kept, run) for _ in range(rounds)]
        budget = Budget().share * (free() or 0)
    finally:
        kept.close()
    return {
        "before_cell_ms": statistics.median(waited),
        "before_cell_p95_ms": sorted(waited)[int(len(waited) * 0.95)],
        "held_bytes": max(held),
        "budget_bytes": budget,
        "proof_beyond_two_runs_ms": statistics.median(proofs),
        "undo_s": statistics.median(undone),
    }


def _proof(kept: Checkpoints) -> float:
    """ms beyond the longer of the two runs, which run at once where there are two processors."""
    last = kept.last_run()
    assert last is not None
    assert last[1] is not None
    began = time.perf_counter()
    proof, problem = ProofRun(last[1], [SLOW], [SLOW + "\n"], limits=Limits(), named=(), receive=_nobody).run()
    if proof is None or proof.verdict != "same":
        raise SystemExit(f"the proof failed: {problem or proof}")
    return 1000 * (time.perf_counter() - began - max(proof.seconds, proof.seconds_before))


def _undo(shell: Any, kept: Checkpoints, run: Any) -> float:
    run("table = table.drop(columns='c7')")
    began = time.perf_counter()
    undo(shell, kept)
    took = time.perf_counter() - began
    if "c7" not in shell.user_ns["table"]:
        raise SystemExit("the column is not there again")
    return took


def _nobody(message: object) -> None:
    """Only the proof counts."""


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if reason := no_rehearsal():
        raise SystemExit(reason)
    found = measure()
    if options.json:
        print(json.dumps(found))
        return
    waited, late = found["before_cell_ms"], found["before_cell_p95_ms"]
    held, room = found["held_bytes"] / 2**20, found["budget_bytes"] / 2**20
    print(f"a checkpoint keeps its cell waiting {waited:.1f} ms (p95 {late:.1f}) beside 1 GB; bar 10")
    print(f"over 200 cells they hold at most {held:.0f} MB of {room:.0f} MB")
    print(f"a proof takes {found['proof_beyond_two_runs_ms']:.0f} ms beyond its runs; bar 60")
    print(f"undo of a dropped column of a 1 GB table takes {found['undo_s']:.2f} s; bar 1")


if __name__ == "__main__":
    main()
