"""Values and places that other code makes strange: a copy works all the same."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

from .test_undo import Undoing


@pytest.fixture
def past(bench) -> Iterator[Undoing]:
    made = Undoing(bench.shell)
    yield made
    made.kept.close()


METACLASSES = {
    "computes its name": "@property\n    def __name__(cls): raise RuntimeError('not configured')",
    "refuses its module": "@property\n    def __module__(cls): raise RuntimeError('not configured')",
    "has an equality that raises": "def __eq__(cls, other): raise RuntimeError('not comparable')\n    __hash__ = type.__hash__",
    "ends the program where it is asked": "@property\n    def __name__(cls): raise SystemExit(3)",
    "interrupts it": "@property\n    def __module__(cls): raise KeyboardInterrupt",
    "has a hash that raises": "def __hash__(cls): raise RuntimeError('no hash')",
}


@pytest.mark.parametrize("body", METACLASSES.values(), ids=METACLASSES)
def test_one_value_whose_metaclass_objects_is_opaque_and_the_rest_works(bench, past, body):
    past.run(
        f"class Meta(type):\n    {body}\nclass Settings(metaclass=Meta): pass\ns = Settings()\nx = 1\nboth = [s, 1]"
    )
    assert set(bench.changes("y = x + 1\nx = 3")) == {"x", "y"}
    past.run("w = 1; x = 2")
    assert "x restored" in past.undo()
    assert past["x"] == 1
    assert "w" not in past


@pytest.mark.parametrize("error", ["RuntimeError('no request')", "KeyboardInterrupt", "SystemExit(2)"])
def test_an_object_that_does_not_say_its_class_is_opaque_and_the_rest_works(bench, past, error):
    past.run(f"class Proxy:\n    @property\n    def __class__(self): raise {error}\np = Proxy()\nx = 1")
    assert set(bench.changes("y = x + 1\nx = 3")) == {"x", "y"}
    past.run("w = 1; x = 2")
    assert "x restored" in past.undo()
    assert "w" not in past


def test_a_list_that_never_ends_is_looked_at_up_to_a_bound(bench, past):
    past.run(
        "class Endless(list):\n    def __iter__(self):\n        while True: yield 1\n    def __len__(self): return 10**12"
    )
    past.run("e = Endless()\nx = 1")
    assert set(bench.changes("x = 3")) == {"x"}
    past.run("w = 1; x = 2")
    assert "x restored" in past.undo()


KERNEL = """
import sys, __main__
ip = get_ipython()
there, modules, completer, inside = ip.user_ns, sys.modules, ip.Completer, [ip]
class Holder:
    def __init__(self): self.shell = ip
holder = Holder()
x = 1
"""


def test_the_kernels_own_objects_are_changed_by_no_cell(bench):
    bench.given(KERNEL)
    assert set(bench.changes("y = x + 1\nimport colorsys")) == {"y", "colorsys"}
    assert set(bench.changes("there['x'] = 5\nholder.n = 1")) == {"x", "holder"}


PERIODS = """
import pandas as pd
df = pd.DataFrame({'price': [1, 2, 3]})
monthly = pd.Series([1, 2], index=pd.period_range('2024-01', periods=2, freq='M'))
bands = pd.DataFrame({'band': pd.interval_range(0, 3), 'month': pd.period_range('2024-01', periods=3, freq='M')})
index = pd.period_range('2024-01', periods=2, freq='M')
cuts = pd.cut(df['price'], [0, 2, 4])
by_band = df.set_index(pd.IntervalIndex.from_breaks([0, 1, 2, 3]))
zoned = pd.Series(pd.date_range('2024-01-01', periods=2, tz='UTC'))
gaps = pd.Series(pd.timedelta_range('1h', periods=2))
maybe = pd.Series([1, None], dtype='Int64')
pieces = [index, bands]
"""


def test_periods_and_intervals_that_nobody_touched_are_not_changed(bench):
    pytest.importorskip("pandas")
    bench.given(PERIODS)
    assert bench.changes("mean = df['price'].mean()\nbands.describe(); monthly.sum(); index.year").keys() == {"mean"}
    assert "monthly" in bench.changes("monthly.iloc[0] = 5")
    assert "bands" in bench.changes("bands['band'] = bands['band'].iloc[::-1].to_numpy()")


def test_a_copy_works_where_the_working_folder_is_gone(bench, tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    os.rmdir(folder)
    bench.given("path = 'data.csv'\nx = 1")
    assert bench.printed("print(x + 1, 'still.txt')") == "2 still.txt\n"
    assert bench.attempt("open('new.txt', 'w')").error


def test_the_hooks_of_other_extensions_do_not_run_in_a_copy(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bench.given(
        "def log(*given):\n    with open('cells.log', 'a') as file: file.write('ran')\n    print('logged')\n"
        "for event in ('pre_run_cell', 'post_run_cell', 'pre_execute', 'post_execute'):\n    get_ipython().events.register(event, log)\n"
        "import gc\ngc.callbacks.append(log)"
    )
    try:
        result = bench.attempt("x = 1\nprint('mine')\nimport gc; _ = gc.collect()")
    finally:
        gc.callbacks.remove(bench.shell.user_ns["log"])
        for event in ("pre_run_cell", "post_run_cell", "pre_execute", "post_execute"):
            bench.shell.events.unregister(event, bench.shell.user_ns["log"])
    assert [output.text for output in result.outputs] == ["mine\n"]
    assert [effect.name for effect in result.effects] == ["x"]
