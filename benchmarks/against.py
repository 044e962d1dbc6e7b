"""Two revisions in turn in the browser: ``make bench-ui AGAINST=REV``.

The other revision is checked out and built in a folder of its own, with this revision's benchmarks in it. Each round asks both, one after
the other, so that what else the machine does concerns both; the ratio of the medians is printed, and below 1 this revision is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
ROUNDS = 3
FIGURES = ("p50_ms", "p95_ms", "first_text_ms", "states", "long_tasks", "browser_cpu_s", "kernel_cpu_s")
Figures = dict[tuple[int, str], float]
"""By rate (tokens a second) and name."""


@contextmanager
def checkout(revision: str) -> Iterator[Path]:
    """Yield a folder with the revision, built. Raises :class:`subprocess.CalledProcessError` for one that does not exist."""
    with tempfile.TemporaryDirectory(prefix="spark-against-") as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, revision], cwd=HERE, check=True)
        try:
            shutil.copytree(HERE / "benchmarks", tree / "benchmarks", dirs_exist_ok=True)
            (tree / "labextension" / "node_modules").symlink_to(HERE / "labextension" / "node_modules")
            build = ["npm", "run", "build:npm"]
            subprocess.run(build, cwd=tree / "labextension", check=True, stdout=subprocess.DEVNULL)
            yield tree
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=HERE, check=True)


def measure(tree: Path) -> Figures:
    """The notebook's figures of one run in a checkout."""
    command = [sys.executable, "benchmarks/ui.py", "--beside-plain", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    run = subprocess.run(command, cwd=tree, env=environment, check=True, stdout=subprocess.PIPE)
    rows = [row for row in json.loads(run.stdout)["beside_plain"] if row["page"] == "notebook"]
    return {(row["rate"], name): row[name] for row in rows for name in FIGURES}


def compare(rounds: dict[str, list[Figures]]) -> Iterator[str]:
    """Yield a line for each figure: the medians of both, and their ratio."""
    here, there = rounds["here"], rounds["there"]
    for key in here[0]:
        ours, theirs = (statistics.median(one[key] for one in side) for side in (here, there))
        ratio = f"{ours / theirs:.2f}" if theirs else "-"
        yield f"{key[0]:>6} tok/s {key[1]:<14} here {ours:8.1f}  there {theirs:8.1f}  ratio {ratio}"


def main() -> int:
    """Parse, measure both in turn, print. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision", help="a commit, branch or tag to compare with")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with checkout(options.revision) as tree:
        rounds: dict[str, list[Figures]] = {"here": [], "there": []}
        for _ in range(options.rounds):
            rounds["there"].append(measure(tree))
            rounds["here"].append(measure(HERE))
    print(*compare(rounds), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
