"""What a Try costs: its time over what the code itself takes, in an empty namespace and beside gigabytes of arrays, and the
comparison of a thousand variables.

Bars: at most 60 ms on top of the code; at most 50 ms for the effects of 1,000 variables. The ratio of the overhead with and
without the arrays says whether memory is copied.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import time

from IPython.core.interactiveshell import InteractiveShell

from spark_jupyter.sandbox import KernelTrials
from spark_jupyter.sandbox.values.namespace_diff import compare, snapshot_all

CODE = "total = sum(range(100_000))\nprint(total)"
ROUNDS = 15


def overhead(shell: InteractiveShell, trials: KernelTrials, rounds: int = ROUNDS) -> float:
    """The median time in ms of a Try, less the median of running the same code here."""
    tried, run = [], []
    for _ in range(rounds):
        began = time.perf_counter()
        result = asyncio.run(trials.run(CODE, turn_id="t", cell_id="c"))
        tried.append(time.perf_counter() - began)
        if result.error or result.problem or not result.outputs:
            raise SystemExit(f"the Try failed: {result.problem or result.error}")
        began = time.perf_counter()
        exec(CODE.replace("print(total)", ""), {})
        run.append(time.perf_counter() - began)
    return 1000 * (statistics.median(tried) - statistics.median(run))


def with_arrays(shell: InteractiveShell, gigabytes: float) -> int:
    """Fill the namespace with written arrays of 250 MB; the bytes."""
    import numpy as np

    for number in range(int(gigabytes * 4)):
        shell.user_ns[f"array_{number}"] = np.ones((1 << 30) // 4 // 8)
    return sum(value.nbytes for name, value in shell.user_ns.items() if name.startswith("array_"))


def diff_of_a_thousand() -> float:
    """ms for both pictures of 1,000 mixed variables and their comparison, one in ten changed."""
    import numpy as np
    import pandas as pd

    kinds = [
        lambda n: n,
        lambda n: f"text {n}",
        lambda n: list(range(50)),
        lambda n: {str(key): key for key in range(20)},
        lambda n: np.arange(500.0),
        lambda n: pd.DataFrame({"a": range(50), "b": [str(row) for row in range(50)]}) if n % 10 == 5 else (n, n),
    ]
    namespace = {f"variable_{n}": kinds[n % len(kinds)](n) for n in range(1000)}
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        before = snapshot_all(namespace, keep=True)
        for name in list(namespace)[::10]:
            namespace[name] = object()
        found = compare(before, snapshot_all(namespace))
        times.append(time.perf_counter() - began)
        if not found:
            raise SystemExit("no difference was found")
        namespace = {f"variable_{n}": kinds[n % len(kinds)](n) for n in range(1000)}
    return 1000 * statistics.median(times)


def gigabytes_here(wanted: float) -> float:
    """What fits: at most half of the memory that is free."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30)
    return min(wanted, free / 2)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--gigabytes", type=float, default=5.0)
    options = parser.parse_args()
    shell = InteractiveShell()
    trials = KernelTrials(shell)
    shell.run_cell("pass")  # no kernel is tried in before its first cell, which makes what IPython reads cells by
    overhead(shell, trials, rounds=2)  # imports
    empty = overhead(shell, trials)
    size = with_arrays(shell, gigabytes_here(options.gigabytes))
    full = overhead(shell, trials)
    results = {
        "empty_ms": round(empty, 1),
        "arrays_gb": round(size / (1 << 30), 2),
        "arrays_ms": round(full, 1),
        "arrays_over_empty": round(full / empty, 2),
        "diff_1000_ms": round(diff_of_a_thousand(), 1),
        "bars": {"empty_ms": 60, "arrays_ms": 60, "diff_1000_ms": 50},
    }
    if options.json:
        print(json.dumps(results))
        return
    print(f"a Try over the code itself, empty namespace:   {results['empty_ms']:7.1f} ms   (bar 60)")
    print(
        f"  … beside {results['arrays_gb']:.1f} GB of arrays:                 {results['arrays_ms']:7.1f} ms   (bar 60)"
    )
    print(f"  … ratio:                                     {results['arrays_over_empty']:7.2f} ×")
    print(f"effects of 1,000 variables:                    {results['diff_1000_ms']:7.1f} ms   (bar 50)")


if __name__ == "__main__":
    main()
