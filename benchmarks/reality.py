"""How much the reality check finds, how often it is wrong, and what it costs: ``python benchmarks/reality.py [--json]``.

The set is made here and now, from the docstring examples of the installed numpy, pandas, scipy and scikit-learn: each
example that runs as it stands (in a forked child) is a valid snippet. From each, plausible inventions are made: one
attribute, module function, imported name, keyword or column is renamed to something that does not exist but could, and an
invention counts only if running it raises the error that such a name raises. ``--seed`` makes another set.

Bars: at most 0.5 % of valid snippets flagged, at least 85 % of inventions found, at most 300 µs a statement when warm.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import importlib
import inspect
import json
import os
import random
import re
import resource
import select
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

MODULES = (
    "numpy numpy.linalg numpy.fft numpy.random numpy.ma numpy.polynomial.polynomial numpy.char numpy.strings "
    "pandas pandas.api.types pandas.tseries.offsets pandas.tseries.frequencies "
    "scipy.stats scipy.optimize scipy.linalg scipy.signal scipy.interpolate scipy.sparse scipy.sparse.linalg "
    "scipy.spatial scipy.spatial.distance scipy.spatial.transform scipy.ndimage scipy.integrate scipy.special scipy.fft "
    "scipy.cluster.hierarchy scipy.cluster.vq scipy.constants scipy.io scipy.sparse.csgraph scipy.stats.qmc "
    "sklearn.linear_model sklearn.ensemble sklearn.preprocessing sklearn.cluster sklearn.metrics sklearn.model_selection "
    "sklearn.decomposition sklearn.feature_extraction.text sklearn.feature_extraction sklearn.feature_selection "
    "sklearn.pipeline sklearn.svm sklearn.tree sklearn.neighbors sklearn.naive_bayes sklearn.manifold sklearn.mixture "
    "sklearn.impute sklearn.compose sklearn.datasets sklearn.utils sklearn.gaussian_process sklearn.covariance "
    "sklearn.neural_network sklearn.inspection sklearn.calibration sklearn.metrics.pairwise sklearn.kernel_approximation"
).split()
PRELUDE = "import numpy as np\nimport pandas as pd\n"
SECONDS = 4
ERRORS = (AttributeError, TypeError, ImportError, NameError, KeyError, ValueError)


def examples() -> list[str]:
    """The source of every docstring's examples, one text a docstring, in a fixed order."""
    found: dict[str, None] = {}
    parser = doctest.DocTestParser()
    for text in docstrings():
        try:
            parts = [example.source for example in parser.get_examples(text)]
        except ValueError:
            continue
        source = "".join(parts)
        if source.strip() and "plt" not in source:
            found[with_prelude(source)] = None
    return list(found)


def docstrings() -> list[str]:
    texts: dict[str, None] = {}
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        for entry in dir(module):
            value = getattr(module, entry, None)
            if entry.startswith("_") or not callable(value):
                continue
            members = [value]
            if inspect.isclass(value) and str(getattr(value, "__module__", "")).split(".")[0] == name.split(".")[0]:
                members += [inspect.getattr_static(value, m, None) for m in dir(value) if not m.startswith("_")]
            for member in members:
                text = getattr(member, "__doc__", None)
                if isinstance(text, str) and ">>>" in text:
                    texts[text] = None
    return list(texts)


def with_prelude(source: str) -> str:
    lines = [line for line in PRELUDE.splitlines(keepends=True) if re.search(rf"\b{line.split()[-1]}\b", source)]
    return "".join(line for line in lines if line not in source) + source


# --- Running ---------------------------------------------------------------------------------------------------------


def outcome(source: str) -> str:
    """``""`` where ``source`` runs, else ``ErrorType: message``; in a forked child with limits on time and memory."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        run_in_child(source, writer)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], SECONDS + 1)
    text = os.read(reader, 4000).decode(errors="replace") if ready else "Timeout: "
    os.close(reader)
    if not text or not ready:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return text[1:] if text else "Crash: "


def run_in_child(source: str, writer: int) -> None:
    message = " "
    try:
        signal.alarm(SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        warnings.simplefilter("ignore")
        exec(compile(source, "<example>", "exec", dont_inherit=True), {"__name__": "__main__"})
    except BaseException as error:
        message = f" {type(error).__name__}: {error}"
    os.write(writer, message.encode()[:3000])
    os._exit(0)


# --- Inventions ------------------------------------------------------------------------------------------------------

SYNONYMS = {
    "mean": "average", "sum": "total", "count": "num", "size": "length", "sort": "order", "drop": "remove", "values": "data",
    "to": "as", "get": "fetch", "is": "has", "fit": "train", "predict": "infer", "transform": "convert", "array": "vector",
    "index": "idx", "columns": "cols", "column": "col", "axis": "dim", "max": "maximum", "min": "minimum", "std": "stdev",
    "var": "variance", "random": "rand", "split": "divide", "join": "combine", "merge": "combine", "find": "search",
    "replace": "substitute", "n": "num", "iter": "iterations", "dtype": "type", "shape": "dims", "by": "on", "score": "accuracy",
    "matrix": "mat", "inverse": "inv", "norm": "magnitude", "log": "ln", "range": "interval", "unique": "distinct",
}  # fmt: skip


def invent(name: str, dice: random.Random, neighbours: list[str]) -> str:
    """A name that could exist in place of ``name``: in another style, of other words, or what a relative of it has."""
    words = name.split("_")
    ways = [
        lambda: "_".join(SYNONYMS.get(word, word) for word in words),
        lambda: words[0] + "".join(word.title() for word in words[1:]) if len(words) > 1 else name + "_values",
        lambda: name + dice.choice(["_all", "_by", "s", "_values", "_array", "_df", "_with", "_from"]),
        lambda: dice.choice(["get_", "to_", "calc_", "compute_", "with_", "n_", "is_"]) + name,
        lambda: "_".join(words[:-1]) if len(words) > 1 else name[:-1] if len(name) > 4 else name + "_",
        lambda: dice.choice(neighbours) if neighbours else name + "er",
        lambda: "_".join(reversed(words)) if len(words) > 1 else name + "ing",
    ]
    return dice.choice(ways)()


MODULE_NAMES = frozenset({"np", "pd", "scipy", "stats", "linalg", "special", "sp"})
TAKES_COLUMNS = frozenset({"groupby", "sort_values", "set_index", "drop_duplicates", "merge", "pivot", "explode"})
Place = tuple[str, str, int, int]


def places(source: str) -> list[Place]:
    """What can be renamed: (kind, name, offset, end) of attributes, keywords, imported names and columns."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for kind, name, line, column in named_in(ast.parse(source)):
        text = source[starts[line - 1] : starts[line]]
        start = starts[line - 1] + len(text.encode()[:column].decode())
        if source[start : start + len(name)] == name and len(name) > 1 and not name.startswith("_"):
            found.append((kind, name, start, start + len(name)))
    return found


def named_in(tree: ast.AST) -> Iterator[Place]:
    """(kind, name, line, column in bytes) of what a tree names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            root = node
            while isinstance(root, ast.Attribute):
                root = root.value
            modular = isinstance(root, ast.Name) and root.id in MODULE_NAMES
            start = node.end_col_offset - len(node.attr.encode())
            yield "function" if modular else "attribute", node.attr, node.end_lineno, start
        elif isinstance(node, ast.keyword) and node.arg:
            yield "keyword", node.arg, node.lineno, node.col_offset
        elif isinstance(node, ast.ImportFrom):
            yield from (("import", alias.name, alias.lineno, alias.col_offset) for alias in node.names)
        for value in column_values(node):
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value.isidentifier():
                yield "column", value.value, value.lineno, value.col_offset + 1


def column_values(node: ast.AST) -> list[ast.expr]:
    """The parts of a node that may be names of columns."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return [node.slice, *(node.slice.elts if isinstance(node.slice, ast.List) else [])]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TAKES_COLUMNS:
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    return []


def inventions(sources: list[str], dice: random.Random, *, count: int) -> list[tuple[str, str, str]]:
    """(kind, new name, source) of inventions that fail as such a name fails; kinds in turn, so that none is rare."""
    pool: dict[str, list[tuple[str, str, int, int]]] = {}
    for source in sources:
        for kind, name, start, end in places(source):
            pool.setdefault(kind, []).append((source, name, start, end))
    neighbours = {kind: sorted({entry[1] for entry in entries}) for kind, entries in pool.items()}
    shares = {"attribute": 0.32, "function": 0.25, "keyword": 0.23, "column": 0.12, "import": 0.08}
    made = []
    for kind, share in shares.items():
        entries = pool.get(kind, [])
        dice.shuffle(entries)
        wanted = int(count * share)
        for source, name, start, end in entries:
            if wanted == 0:
                break
            new = invent(name, dice, neighbours[kind])
            if new == name or not new.isidentifier() or new in source:
                continue
            changed = source[:start] + new + source[end:]
            error = outcome(changed)
            if new in error and error.split(":")[0] in {e.__name__ for e in ERRORS} | {
                "ModuleNotFoundError",
                "KeyError",
            }:
                made.append((kind, new, changed))
                wanted -= 1
    return made


def build(*, seed: int, valid: int, invented: int) -> dict[str, list]:
    dice = random.Random(seed)
    candidates = examples()
    dice.shuffle(candidates)
    runs: list[str] = []
    for source in candidates:
        if len(runs) == valid:
            break
        try:
            ast.parse(source)
        except SyntaxError:
            continue
        if not outcome(source):
            runs.append(source)
    return {"valid": runs, "inventions": inventions(runs, dice, count=invented)}


# --- Measuring -------------------------------------------------------------------------------------------------------


def measure(data: dict[str, list]) -> dict[str, object]:
    from spark_jupyter.reality import check

    for source in data["valid"][:200]:
        check(source, {})
    flagged = []
    statements, began = 0, time.perf_counter()
    for source in data["valid"]:
        findings = check(source, {})
        statements += len(ast.parse(source).body)
        if findings:
            flagged.append((source, findings))
    microseconds = (time.perf_counter() - began) / statements * 1e6
    found, kinds, missed = Counter(), Counter(), []
    for kind, new, source in data["inventions"]:
        kinds[kind] += 1
        findings = check(source, {})
        if any(new in finding.message for finding in findings):
            found[kind] += 1
        else:
            missed.append((kind, new, source))
    return {
        "valid": len(data["valid"]),
        "flagged": len(flagged),
        "flagged_share": len(flagged) / len(data["valid"]),
        "inventions": len(data["inventions"]),
        "found_share": sum(found.values()) / max(1, len(data["inventions"])),
        "found_by_kind": {kind: f"{found[kind]}/{kinds[kind]}" for kind in kinds},
        "microseconds_per_statement": microseconds,
        "_flagged": flagged,
        "_missed": missed,
    }


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", action="store_true", help="one JSON object")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--valid", type=int, default=1000)
    options.add_argument("--inventions", type=int, default=1000)
    options.add_argument("--set", type=Path, help="keep the set in this file and use it again")
    options.add_argument("--show", action="store_true", help="print what was flagged wrongly and what was missed")
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    if arguments.set and arguments.set.exists():
        for name in MODULES:
            importlib.import_module(name)
        data = json.loads(arguments.set.read_text())
    else:
        with TemporaryDirectory() as folder, chdir(folder):  # some docstrings write files
            data = build(seed=arguments.seed, valid=arguments.valid, invented=arguments.inventions)
        if arguments.set:
            arguments.set.write_text(json.dumps(data))
    result = measure(data)
    flagged, missed = result.pop("_flagged"), result.pop("_missed")
    if arguments.show:
        for source, findings in flagged:
            print("--- flagged", *[f"{f.line}: [{f.rule}] {f.message}" for f in findings], source, sep="\n")
        for kind, new, source in missed:
            line = next((line for line in source.splitlines() if new in line), "")
            print(f"missed {kind} {new}: {line.strip()}")
    print(json.dumps(result, indent=None if arguments.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
