"""Undo of a run, what it costs every cell and what it can't bring back, beside Kishu (PyPI: ``kishu``) on five notebooks, in the same run.

Bars: undo in at most a third of Kishu's time, at most a fifth of what Kishu adds to the cells. Kishu is no dependency: it lives in an
environment of its own, whose Python is told by ``--kishu`` or ``KISHU_PYTHON``; without one only our own figures are printed. To get it:

    python -m venv kishu-env && kishu-env/bin/pip install kishu scikit-learn
    KISHU_PYTHON=kishu-env/bin/python python -m benchmarks undoing

Each side runs each notebook in a plain IPython shell in a process of its own, and bare beside that, in the same environment. Kishu saves no
notebook file here (its test mode), which is in its favour.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 3
_BAR_UNDO, _BAR_OVERHEAD = 1 / 3, 1 / 5

NOTEBOOKS: dict[str, tuple[tuple[str, ...], str]] = {
    "cleaning": (
        (
            "import numpy as np, pandas as pd\nrng = np.random.default_rng(1)",
            "days = pd.date_range('2020-01-01', periods=200_000, freq='min')\nprices = rng.random(200_000)",
            "df = pd.DataFrame({'day': days, 'price': prices, 'units': rng.integers(0, 9, 200_000)})",
            "df['total'] = df['price'] * df['units']",
            "daily = df.groupby(df['day'].dt.date)['total'].sum()",
            "df = df[df['units'] > 2]",
            "df['price'] = None",
        ),
        "df['price'].notna().all()",
    ),
    "arrays": (
        (
            "import numpy as np\nrng = np.random.default_rng(1)",
            "walks = rng.standard_normal((2_000, 2_500)).cumsum(axis=1)",
            "means, spreads = walks.mean(axis=0), walks.std(axis=0)",
            "best = walks[walks[:, -1].argmax()].copy()",
            "walks[:100] = 0",
        ),
        "bool(walks[:100].any())",
    ),
    "objects": (
        (
            "import random\nrandom.seed(1)",
            "people = [{'name': f'p{n}', 'age': random.randrange(90), 'tags': [n % 7, n % 3]} for n in range(20_000)]",
            "by_age = {}\nfor one in people:\n    by_age.setdefault(one['age'], []).append(one)",
            "oldest = max(people, key=lambda one: one['age'])",
            "for one in people:\n    one['age'] = None",
        ),
        "by_age[5][0]['age'] == 5 and by_age[5][0] in people",
    ),
    "large table": (
        (
            "import numpy as np, pandas as pd",
            "table = pd.DataFrame(np.ones((1 << 19, 50)), columns=[f'c{n}' for n in range(50)])",
            "sums = table.sum()",
            "part = table.head(100)",
            "table = table.drop(columns='c7')",
        ),
        "'c7' in table and len(table) == 1 << 19",
    ),
    "model": (
        (
            "import numpy as np\nfrom sklearn.ensemble import RandomForestClassifier\nrng = np.random.default_rng(1)",
            "X = rng.random((3_000, 10))\ny = (X[:, 0] > 0.5).astype(int)",
            "model = RandomForestClassifier(30, random_state=1).fit(X, y)",
            "score = model.score(X, y)",
            "model.fit(X, 1 - y)",
        ),
        "model.score(X, y) > 0.9",
    ),
}

KINDS: dict[str, tuple[str, str, str]] = {
    "two names of one list": ("a = [1]; b = a", "b = list(a)", "a is b"),
    "a list in a dictionary and in a variable": ("a = [1]; d = {'a': a}", "a.append(2)", "d['a'] is a and a == [1]"),
    "an array and its view": (
        "import numpy as np; v = np.zeros(9); w = v[2:4]",
        "v[2] = 5",
        "not v.any() and np.shares_memory(v, w)",
    ),
    "functions that share a closure": (
        "def make():\n    n = [0]\n    return (lambda: n.append(1)), (lambda: len(n))\nadd, count = make()",
        "add()",
        "count() == 1 and (add(), count())[1] == 2",
    ),
    "an object of a class of the notebook": (
        "class P:\n    def __init__(self): self.x = 1\np = P()",
        "p.x = 2",
        "p.x == 1 and type(p) is P",
    ),
    "a class that was changed in place": ("class Q: x = 1", "Q.x = 2", "Q.x == 1"),
    "a generator": ("g = iter(n for n in range(9)); next(g)", "next(g)", "next(g) == 1"),
    "an open file": ("import os; f = open(os.devnull)", "del f", "not f.closed"),
    "a lock": ("import threading; lock = threading.Lock()", "del lock", "lock.acquire(False)"),
    "a variable that was deleted": ("gone = [1]", "del gone", "gone == [1]"),
    "random numbers": ("import random; random.seed(1)", "random.random()", "round(random.random(), 3) == 0.134"),
    "numpy's random numbers": (
        "import numpy as np; np.random.seed(1)",
        "np.random.random()",
        "round(np.random.random(), 3) == 0.417",
    ),
    "options of pandas": (
        "import pandas as pd; pd.set_option('display.max_rows', 5)",
        "pd.set_option('display.max_rows', 6)",
        "pd.get_option('display.max_rows') == 5",
    ),
    "the module path": ("import sys; n = len(sys.path)", "sys.path.append('/x')", "len(sys.path) == n"),
    "the environment": ("import os", "os.environ['MADE'] = '1'", "'MADE' not in os.environ"),
    "the working folder": ("import os; here = os.getcwd()", "os.chdir('/')", "os.getcwd() == here"),
    "results of cells": ("[1]", "_.append(2)", "_ == [1]"),
    "a file that a cell wrote": (
        "import os; size = open('made.txt', 'w').write('1')",
        "size = open('made.txt', 'w').write('22')",
        "os.path.getsize('made.txt') == 1",
    ),
}
"""What comes back: the cell before, the cell that is undone, and what holds then."""


# --- one side, in a process of its own; this environment may have no spark_jupyter ---------------------------------------------


def side(kind: str, name: str) -> dict[str, float]:
    """Run a notebook ``bare``, with ``ours`` or with ``kishu``; seconds of its cells and of undoing the last one. Without a name: for each
    of the kinds whether it comes back."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    with tempfile.TemporaryDirectory() as folder:
        if not name:
            return comes_back(shell, kind, folder)
        cells, check = NOTEBOOKS[name]
        undo = {"bare": _nothing, "ours": _ours, "kishu": _kishu}[kind](shell, folder)
        shell.run_cell("None", store_history=True)
        began = time.perf_counter()
        for cell in cells:
            shell.run_cell(cell, store_history=True).raise_error()
        seconds = time.perf_counter() - began
        began = time.perf_counter()
        undo()
        undone = time.perf_counter() - began
        right = kind == "bare" or bool(eval(check, shell.user_ns))
    return {"seconds": seconds, "undo": undone, "right": right}


def comes_back(shell, kind: str, folder: str) -> dict[str, float]:
    """Whether each kind comes back."""
    os.chdir(folder)
    undo, found = {"ours": _ours, "kishu": _kishu}[kind](shell, folder), {}
    for name, (before, change, check) in KINDS.items():
        shell.run_cell(before, store_history=True).raise_error()
        shell.run_cell(change, store_history=True).raise_error()
        try:
            undo()
            found[name] = bool(eval(check, shell.user_ns))
        except Exception:  # it refuses, or what came back can't be used
            found[name] = False
        os.chdir(folder)
    os.chdir("/")
    return found


def _nothing(shell, folder):
    return lambda: None


def _ours(shell, folder):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
    from spark_jupyter.sandbox.checkpoints.undo import undo

    kept = Checkpoints(shell)
    kept.keep_files(folder)

    def back() -> None:
        undo(shell, kept)

    return back


def _kishu(shell, folder):
    os.environ["KISHU_PATH_ROOT"] = folder
    os.environ["ENV_KISHU_TEST_MODE"] = "1"
    import nbformat
    from kishu.jupyterint import KishuForJupyter
    from kishu.notebook_id import NotebookId

    path = Path(folder) / "book.ipynb"
    nbformat.write(nbformat.v4.new_notebook(), path)
    kishu = KishuForJupyter(NotebookId(key="book", path=path, kernel_id="none"), ip=shell)
    kishu.install_kishu_hooks()
    commits: list[str] = []
    shell.events.register("post_run_cell", lambda result: commits.append(kishu._kishu_branch.get_head().commit_id))
    return lambda: kishu.checkout(commits[-2], skip_notebook=True)


# --- both beside each other -----------------------------------------------------------------------------------------------------


def measure(python: str, kind: str, rounds: int) -> dict[str, dict[str, float]]:
    """What each notebook's undo takes, and what is added to its cells: seconds, the least of several rounds."""
    found = {}
    for name in NOTEBOOKS:
        pairs = [[_run(python, one, name) for one in ("bare", kind)] for _ in range(rounds)]
        if not all(each["right"] for _, each in pairs):
            print(f"{kind}: {name} is not as it was", file=sys.stderr)
        added = min(each["seconds"] for _, each in pairs) - min(bare["seconds"] for bare, _ in pairs)
        undone = min(each["undo"] for _, each in pairs)
        found[name] = {"added": added, "undo": undone, "right": all(each["right"] for _, each in pairs)}
    return found


def _run(python: str, kind: str, name: str) -> dict[str, float]:
    done = subprocess.run([python, __file__, "--side", kind, name], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{kind}, {name}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--kishu", default=os.environ.get("KISHU_PYTHON", ""), metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--side", nargs=2, metavar=("KIND", "NOTEBOOK"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        print(json.dumps(side(*options.side)))
        return
    ours = measure(sys.executable, "ours", options.rounds)
    theirs = measure(options.kishu, "kishu", options.rounds) if options.kishu else {}
    sides = {"ours": sys.executable, **({"kishu": options.kishu} if options.kishu else {})}
    missing = {
        kind: [name for name, back in _run(python, kind, "").items() if not back] for kind, python in sides.items()
    }
    if options.json:
        print(json.dumps({"ours": ours, "kishu": theirs, "missing": missing}))
        return
    for name, one in ours.items():
        line = f"{name:12} undo {1000 * one['undo']:6.0f} ms, all cells {1000 * one['added']:+6.0f} ms"
        if name in theirs:
            other = theirs[name]
            line += f"; Kishu {1000 * other['undo']:6.0f} ms, {1000 * other['added']:+6.0f} ms"
            line += "" if other["right"] else " (and not as it was)"
        print(line)
    for kind, names in missing.items():
        print(f"{kind} can't bring back, of {len(KINDS)} kinds: {', '.join(names) or 'none is missing'}")
    if theirs:
        for key, bar in (("undo", _BAR_UNDO), ("added", _BAR_OVERHEAD)):
            share = sum(max(one[key], 0) for one in ours.values()) / sum(one[key] for one in theirs.values())
            print(
                f"{'undo' if key == 'undo' else 'what is added to the cells'}: {share:.2f} of Kishu's, in all; bar {bar:.2f}"
            )
    else:
        print("Kishu is not here: see --help.")


if __name__ == "__main__":
    main()
