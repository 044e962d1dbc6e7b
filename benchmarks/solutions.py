"""How much the reality check finds in code as it is asked for: ``python -m benchmarks.solutions [--show]``.

The set is ours: the solutions of data-science questions in ``benchmarks/data/solutions.txt``, most of them functions that are called
below. Every attribute, function, import, keyword and string in them is renamed once, mechanically, to something that could exist
(:func:`benchmarks.reality.invent`), and counts as an invention if running it then fails with that name in the error. A string is a
column if the error is one of a missing key, else a literal. The valid ones are the solutions and what runs in spite of the change.

Bars: at least 88 % found, 75 % in bodies of functions, 80 % of keywords and of columns; at most 0.1 % of valid ones flagged; at most
300 µs a statement.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reality import MODULES, Place, invent, named_in, outcome

SOLUTIONS = Path(__file__).parent / "data" / "solutions.txt"
PLOTTING = ["matplotlib.pyplot", "matplotlib.lines", "matplotlib.patches", "seaborn"]
ERRORS = {"AttributeError", "TypeError", "ImportError", "NameError", "KeyError", "ValueError", "ModuleNotFoundError"}
MISSING = re.compile(
    r"KeyError|not in index|not found in axis|interpret value|not in the list|columns? (?:names? )?not|Column\(s\)"
)


@dataclass(frozen=True)
class Invention:
    """A solution with one name in it that does not exist."""

    kind: str
    name: str
    source: str
    in_function: bool


def solutions() -> list[str]:
    """The sources, in the order of the file."""
    return [part.partition("\n")[2] for part in SOLUTIONS.read_text(encoding="utf-8").split("#%%")[1:]]


def places(source: str) -> Iterator[tuple[Place, bool]]:
    """What can be renamed, and whether it stands in a function."""
    tree = ast.parse(source)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    inside = [
        (node.lineno, node.end_lineno) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)
    ]
    named = [entry for entry in named_in(tree) if entry[0] != "column"]
    named += [("string", node.value, node.lineno, node.col_offset + 1) for node in strings(tree)]
    for kind, name, line, column in named:
        start = starts[line - 1] + column
        if source[start : start + len(name)] == name and len(name) > 1 and not name.startswith("_"):
            yield (kind, name, start, start + len(name)), any(first < line <= last for first, last in inside)


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Constants that may be the names of columns, or of something that a library knows."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is str and node.value.isidentifier():
            yield node


def build(seed: int) -> tuple[list[str], list[Invention]]:
    """What runs, and what fails because of one name."""
    dice = random.Random(seed)
    runs, inventions = [], []
    for source in solutions():
        error = outcome(source)
        if error:
            raise SystemExit(f"A solution does not run: {error}\n{source}")
        runs.append(source)
        for (kind, name, start, end), in_function in places(source):
            new = invent(name, dice, [])
            if new == name or not new.isidentifier() or new in source:
                continue
            changed = source[:start] + new + source[end:]
            error = outcome(changed)
            if not error:
                runs.append(changed)
            elif new in error and error.partition(":")[0] in ERRORS:
                sort = kind if kind != "string" else "column" if MISSING.search(error) else "literal"
                inventions.append(Invention(sort, new, changed, in_function))
    return runs, inventions


def measure(runs: list[str], inventions: list[Invention]) -> dict[str, object]:
    """Shares and times, and what was wrong."""
    from spark_jupyter.reality import check

    for source in runs[:100]:
        check(source, {})
    began = time.process_time()
    flagged = [(source, found) for source in runs if (found := check(source, {}))]
    statements = sum(sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(source))) for source in runs)
    microseconds = (time.process_time() - began) / statements * 1e6
    made, found, missed = Counter(), Counter(), []
    for invention in inventions:
        groups = ["all", invention.kind, "in functions" if invention.in_function else "at top level"]
        made.update(groups)
        if any(invention.name in finding.message for finding in check(invention.source, {})):
            found.update(groups)
        else:
            missed.append(invention)
    return {
        "valid": len(runs),
        "flagged": len(flagged),
        "found": {group: f"{found[group]}/{count} = {found[group] / count:.1%}" for group, count in made.items()},
        "microseconds_per_statement": round(microseconds),
        "_flagged": flagged,
        "_missed": missed,
    }


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--set", type=Path, help="keep the set in this file and use it again")
    options.add_argument("--show", action="store_true", help="print what was flagged wrongly and what was missed")
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    os.environ["MPLBACKEND"] = "Agg"
    for name in [*MODULES, *PLOTTING]:
        importlib.import_module(name)
    sys.modules["matplotlib.pyplot"].subplots()[0].canvas.draw()  # what the children would each import
    if arguments.set and arguments.set.exists():
        data = json.loads(arguments.set.read_text())
        runs, inventions = data["runs"], [Invention(**entry) for entry in data["inventions"]]
    else:
        runs, inventions = build(arguments.seed)
        if arguments.set:
            entries = [{slot: getattr(one, slot) for slot in Invention.__dataclass_fields__} for one in inventions]
            arguments.set.write_text(json.dumps({"runs": runs, "inventions": entries}))
    result = measure(runs, inventions)
    flagged, missed = result.pop("_flagged"), result.pop("_missed")
    if arguments.show:
        for source, found in flagged:
            print("--- flagged", *[f"{f.line}: [{f.rule}] {f.message}" for f in found], source, sep="\n")
        for one in missed:
            line = next((line for line in one.source.splitlines() if one.name in line), "")
            print(f"missed {one.kind} {one.name}: {line.strip()}")
    print(json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
