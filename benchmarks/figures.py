"""Figures with and without a fault: how many faults are found, and how many right figures are called faulty.

    python benchmarks/figures.py [--json] [--misses] [--file FILE]

The figures of ``data/figures.txt`` are drawn one after the other in this process, and judged by the rules of a copy of the kernel.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spark_jupyter.sandbox.surprises.cell_change import CellRun, Change, Moment
from spark_jupyter.sandbox.surprises.detection import look
from spark_jupyter.sandbox.surprises.surprise_sentences import surprises_of

FILE = Path(__file__).parent / "data" / "figures.txt"


class Figure(NamedTuple):
    """``fault`` is the rule that is to find one; empty where the figure is right."""

    name: str
    fault: str
    source: str


def figures(text: str) -> tuple[str, list[Figure]]:
    """What runs before each figure, and the figures."""
    before, *parts = re.split(r"(?m)^# ([\w-]+): (.*)\n", text)
    return before, [
        Figure(name, "" if fault == "right" else fault, source.strip())
        for fault, name, source in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]


def found(before: str, figure: Figure) -> dict[str, str]:
    """What is said of a figure, by rule."""
    import matplotlib.pyplot as plt

    plt.close("all")
    namespace: dict[str, Any] = {}
    exec(before, namespace)
    moment = Moment(namespace)
    exec(figure.source, namespace)
    drawn = [plt.figure(number) for number in plt.get_fignums()]
    changed = [name for name in namespace if name not in moment.names]
    change = Change(moment, namespace, changed=changed, run=CellRun(figure.source), earlier=[before], figures=drawn)
    return {one.rule: one.message for one in surprises_of(look(change))}


def judged(file: Path) -> Iterator[tuple[Figure, dict[str, str]]]:
    """Each figure with what is said of it."""
    import matplotlib

    matplotlib.use("agg")
    warnings.simplefilter("ignore")
    before, all_figures = figures(file.read_text(encoding="utf-8"))
    for figure in all_figures:
        yield figure, found(before, figure)


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--misses", action="store_true", help="say which faults were missed and which figures were called faulty"
    )
    parser.add_argument("--file", type=Path, default=FILE, help="other figures in the same form")
    options = parser.parse_args()
    begun = time.process_time()
    results = list(judged(options.file))
    faulty = [(figure, said) for figure, said in results if figure.fault]
    right = [(figure, said) for figure, said in results if not figure.fault]
    missed = [(figure, said) for figure, said in faulty if figure.fault not in said]
    false = [(figure, said) for figure, said in right if said]
    told = {
        "faulty": len(faulty),
        "found": len(faulty) - len(missed),
        "right": len(right),
        "false": len(false),
        "seconds_each": round((time.process_time() - begun) / len(results), 3),
    }
    if options.misses:
        for figure, said in missed + false:
            print(f"{figure.fault or 'right'}: {figure.name}: {said}", file=sys.stderr)
    if options.json:
        print(json.dumps(told))
    else:
        print(
            f"{told['found']} of {told['faulty']} faults found; {told['false']} of {told['right']} right figures called faulty"
        )


if __name__ == "__main__":
    main()
