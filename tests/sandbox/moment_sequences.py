"""Random sequences of runs, turns, saves, undos and returns, compared by value with a replay of the runs that led there.

``python -m tests.sandbox.moment_sequences FIRST LAST`` runs the sequences with these seeds in a process of its own, and prints what it saw.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from spark_jupyter.exceptions import SessionError
from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.checkpoints.moments import Moment
from spark_jupyter.sandbox.checkpoints.restoration import prepared
from spark_jupyter.sandbox.checkpoints.undo import undo
from spark_jupyter.sandbox.copy.inspector import names_of
from spark_jupyter.sandbox.values.describer import Describer
from spark_jupyter.sandbox.values.process_state import held_parts, restore_parts
from tests.sandbox.leavings import children, until

STEPS = 24

BEGIN = """
import os, sys, shutil, random, collections, dataclasses, functools, decimal, logging, warnings
import numpy as np, pandas as pd, polars as pl
numbers = [3, 1, 2]; same = numbers; holder = {'n': numbers, 'd': {'k': [1]}}; inner = holder['d']
text, count, pair, tags, data = 'a', 0, (1, [2]), {1, 2}, bytearray(b'abc')
queue = collections.deque([1, 2]); counts = collections.Counter('abca'); cycle = [1]; cycle.append(cycle)
table = pd.DataFrame({'a': range(6), 'b': list('xyzxyz'), 'c': np.arange(6.0)}); alias = table
series = pd.Series([1.0, 2.0], index=['a', 'b'])
frame = pl.DataFrame({'n': [1, 2, 3]})
array = np.arange(12.0).reshape(3, 4); part = array[1]; big = np.zeros(700_000); window = big[350_000:350_004]
class Point:
    def __init__(self, x): self.x = x
    def twice(self): return self.x * 2
@dataclasses.dataclass
class Item:
    name: str
    price: float
point = Point(1); points = [point, Point(2)]; item = Item('a', 1.0)
def make():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    def get(): return n
    return inc, get
inc, get = make()
def scale(x, by=[2]): return x * by[0]
def outer():
    def fact(k): return 1 if k < 2 else k * fact(k - 1)
    return fact
fact = outer(); drawn = random.Random(3); rng = np.random.default_rng(5)
"""

KINDS = (
    "numbers.append(len(numbers))",
    "numbers.sort()",
    "numbers = list(numbers); numbers.append(0)",
    "same = numbers",
    "holder['d']['k'].append(count)",
    "holder['new'] = inner",
    "holder = {**holder, 'copy': list(numbers)}",
    "text += 'b'",
    "count += 1",
    "pair[1].append(count)",
    "pair = (count, pair[1])",
    "tags.add(count + 10)",
    "data += b'd'",
    "queue.append(count); queue.popleft()",
    "counts.update('b')",
    "cycle.insert(0, count)",
    "table.loc[count % 6, 'a'] = -count",
    "table['d%d' % (count % 3)] = count",
    "table = table.drop(columns=table.columns[-1]) if len(table.columns) > 2 else table.copy()",
    "alias = table",
    "series['c'] = float(count)",
    "series = series.sort_values(ascending=False)",
    "frame = frame.with_columns(m=pl.col('n') * count)",
    "frame = frame.vstack(frame.head(1))",
    "array[1, 2] = count + 0.5",
    "array = array + 1; part = array[1]",
    "part[0] += 1",
    "big[350_001] += 1",
    "big = big * 1.0; window = big[350_000:350_004]",
    "window[2] = count",
    "class Point:\n    def __init__(self, x): self.x = x\n    def thrice(self): return self.x * 3\npoint = Point(count)",
    "point.x += 1; point.label = [text]",
    "points.append(point)",
    "item.price *= 2; item = dataclasses.replace(item, name=text)",
    "made = inc()",
    "inc, get = make()",
    "scale.__defaults__[0][0] += 1",
    "def scale(x, by=[3], *, more=count): return x + more",
    "fact.seen = getattr(fact, 'seen', 0) + fact(3)",
    "made = drawn.random() + random.random() + np.random.random() + rng.random()",
    "os.environ['SPARK_SEQUENCE'] = text",
    "pd.set_option('display.max_rows', 10 + count); np.set_printoptions(precision=3 + count % 4)",
    "sys.path.append('/nowhere/%d' % count)",
    "warnings.filterwarnings('ignore', message='m%d' % (count % 3))",
    "logging.getLogger('sequence').setLevel(10 + count % 3); decimal.getcontext().traps[decimal.Inexact] = count % 2",
    "pl.Config.set_tbl_rows(5 + count % 3); pl.Config.set_float_precision(count % 4)",
    "del made",
    "extra = functools.partial(scale, count)",
    "numbers",
    "count += 1\n1 / 0\ncount += 1",
    "with open('f%d.txt' % (count % 3), 'a') as file: size = file.write(text * (count + 1))\ndel file",
    "os.makedirs('d%d/e' % (count % 2), exist_ok=True)",
    "with open('d1/e/g.txt', 'w') as file: size = file.write(text)\ndel file",
    "os.rename('f1.txt', 'f2.txt')",
    "os.remove('f0.txt')",
    "shutil.rmtree('d1')",
)
"""Cells of more than 40 kinds; some of them fail in some states."""


SAID = ("waits for a lock or a thread", "memory is short", "No copy could be made", "Only some of the older")
"""Reasons to refuse: of polars' threads a copy has none, the machine may be busy, and old moments go."""


class Sequence:
    """One sequence: a shell, and for each moment the sources that led there."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.shell = InteractiveShell(
            config=Config({"HistoryManager": {"enabled": False}, "InteractiveShell": {"xmode": "Minimal"}})
        )
        for library in ("numpy", "pandas", "polars"):  # they set variables of the environment
            importlib.import_module(library)
        self.left_folder, self.folder = os.getcwd(), tempfile.mkdtemp()
        os.chdir(self.folder)
        self.parts = held_parts()
        self.kept = Checkpoints(self.shell)
        self.kept.keep_files(self.folder)
        self.ran: list[str] = []
        self.led: dict[int, list[str]] = {}
        self.did: Counter[str] = Counter()

    def run(self, source: str) -> None:
        before = list(self.ran)
        with contextlib.redirect_stdout(io.StringIO()):
            self.shell.run_cell(source, store_history=True)
        self.ran.append(source)
        self.led[self.kept.moments[-1].id] = before

    def step(self) -> None:
        """Do one thing, and compare where the kernel came back."""
        what = self.chance.choices(("run", "turn", "save", "back", "undo"), (14, 2, 1, 4, 1))[0]
        self.did[what] += 1
        if what == "run":
            self.run(self.chance.choice(KINDS))
        elif what == "turn":
            self.kept.begin_turn("turn", "a prompt")
            self.kept.add_turn("turn")
            self.led[min(one.id for one in self.kept.moments)] = list(self.ran)
        elif what == "save":
            self.save(f"name-{self.chance.randrange(3)}", pinned=True)
        elif what == "undo" and len(self.ran) > 1:
            undo(self.shell, self.kept)
            self.ran.pop()
            self.compare("undo")
        else:
            alive = [one for one in self.kept.moments if one.alive and one.id != 1]
            if alive:  # memory may be short
                self.back(self.chance.choice(alive))

    def save(self, name: str, *, pinned: bool) -> None:
        self.led[self.kept.save(name, pinned=pinned).id] = list(self.ran)

    def back(self, moment: Moment) -> None:
        with prepared(self.shell, self.kept, moment) as restoration:
            self.save("left", pinned=False)
            assert not restoration.apply()
        self.kept.came_back(moment)
        self.ran = list(self.led[moment.id])
        self.compare(f"back to {moment.label}")

    def compare(self, what: str) -> None:
        """The kernel against a replay."""
        told, parts, files = described(names_of(self.shell)), held_parts(), tree(self.folder)
        restore_parts(self.parts)
        replay = tempfile.TemporaryDirectory()
        os.chdir(replay.name)
        namespace: dict[str, Any] = {"__name__": "__main__"}
        for source in self.ran:
            with contextlib.suppress(Exception):
                exec(compile(source, "<replay>", "exec", dont_inherit=True), namespace)
        with replay:
            expected_files = tree(replay.name)
            os.chdir(self.folder)
        expected, parts_then = described({k: v for k, v in namespace.items() if not k.startswith("__")}), held_parts()
        restore_parts(parts)
        wrong = {name for name in told[0].keys() | expected[0].keys() if told[0].get(name) != expected[0].get(name)}
        assert not wrong, (what, wrong, self.ran[1:])
        assert told[1] == expected[1], (what, told[1] ^ expected[1], self.ran[1:])
        assert files == expected_files, (what, self.ran[1:])
        other = [name for name, value in parts_then.items() if parts.get(name) != value]
        assert not other, (what, other, self.ran[1:])


def tree(folder: str) -> dict[str, bytes | None]:
    """The files in a folder by name, and its folders as None."""
    return {
        str(one.relative_to(folder)): one.read_bytes() if one.is_file() else None for one in Path(folder).rglob("*")
    }


def described(names: dict[str, Any]) -> tuple[dict[str, bytes], set[tuple[str, ...]]]:
    told = Describer().describe(names, names)
    return {one.name: one.mark for one in told.values}, {tuple(sorted(paths)) for paths in told.aliases}


def run_sequence(seed: int) -> Counter[str]:
    """Run one; what it did. No process is left."""
    sequence, before = Sequence(seed), children()
    try:
        sequence.run(BEGIN)
        sequence.run("count += 1")
        for _ in range(STEPS):
            try:
                sequence.step()
            except SessionError as error:
                if not any(one in str(error) for one in SAID):
                    raise AssertionError(f"{error}, after {sequence.ran[1:]}") from error
                sequence.did["refused"] += 1
                sequence.compare("refused")
    finally:
        sequence.kept.close()
        restore_parts(sequence.parts)
        os.chdir(sequence.left_folder)
        shutil.rmtree(sequence.folder)
    until(lambda: children() <= before)
    return sequence.did


def main() -> None:
    """The sequences of these seeds."""
    first, last = map(int, sys.argv[1:3])
    did: Counter[str] = Counter()
    for seed in range(first, last):
        try:
            did += run_sequence(seed)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from None
    done = ", ".join(
        f"{did[what]} {name}"
        for what, name in (
            ("run", "runs"),
            ("turn", "turns"),
            ("back", "returns"),
            ("undo", "undos"),
            ("refused", "refused"),
        )
    )
    print(f"{last - first} sequences, {done}: no difference")


if __name__ == "__main__":
    main()
