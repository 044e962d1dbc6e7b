"""Functions and classes of a person's own, which get other parameters and attributes in place, and end when they are deleted."""

from __future__ import annotations

import gc
import sys
import types
import weakref

import pytest

from spark_jupyter.reality import check

CLASS = "class A:\n    def __init__(self, x=0):\n        self.x = x\n"
CHANGES = {
    "another constructor": (CLASS, "A(1)", "def start(self, x=0, y=2):\n    self.y = y\nA.__init__ = start", "A(1, y=3).y"),
    "another body": ("def f(x): return x", "f(1)", "def g(x, z=1): return z\nf.__code__, f.__defaults__ = g.__code__, (1,)", "f(1, z=3)"),
    "any attribute": (CLASS, "A().x", "A.__getattr__ = lambda self, name: name", "A().anything"),
    "an attribute from outside": (CLASS, "A().x", "def tag(one):\n    one.colour = 'r'", "a = A()\ntag(a)\na.colour"),
    "data of a thread": ("import threading\nbox = threading.local()", "box", "box.rows = [1]", "box.rows"),
    "an attribute of a table": ("import pandas as pd\ndf = pd.DataFrame({'a': [1]})", "df.a", "df.source = 'a.csv'", "df.source.upper()"),
}  # fmt: skip
WRONG = [("A(1, z=3)", "z"), ("A().z", "z")]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    return module.__dict__


def run(source: str, notebook: dict[str, object]) -> None:
    exec(source, notebook)


@pytest.mark.parametrize("cells", CHANGES.values(), ids=CHANGES.keys())
def test_what_was_changed_in_place_is_seen(cells: tuple[str, ...], notebook: dict[str, object]) -> None:
    for cell in cells:
        assert check(cell, notebook) == []
        run(cell, notebook)


@pytest.mark.parametrize(("source", "wrong"), WRONG)
def test_what_it_lacks_is_still_missing(source: str, wrong: str, notebook: dict[str, object]) -> None:
    run(CLASS, notebook)
    for _ in range(2):
        assert [one.wrong for one in check(source, notebook)] == [wrong]


def test_what_was_checked_ends_when_it_is_deleted(notebook: dict[str, object]) -> None:
    run(f"import numpy as np\n{CLASS}def f(x): return x\nclass B(np.ndarray): pass\n", notebook)
    run("array = np.zeros(3).view(B)\ntotal = array.sum", notebook)
    kept = [weakref.ref(notebook[name]) for name in ("A", "f", "array")]
    for cell in ("A(1, z=2)", "A().z", "f(1, z=2)", "total(axes=1)", "f(x=1)"):
        check(cell, notebook)
    notebook.clear()
    gc.collect()
    assert [one() for one in kept] == [None] * 3
