"""Right code that was flagged: a function of an earlier cell had changed what the check knew."""

from __future__ import annotations

import pytest

from spark_jupyter.reality import check

KERNEL = """
import functools
import threading
import pandas as pd
cache = {"a": 1}
df = pd.DataFrame({"x": [1], "day": ["2024-05-01"]})
def fill(): cache["b"] = 2
def load(): cache.update(c=3)
def add(): df["new"] = 1
def parse(): df["day"] = pd.to_datetime(df["day"])
def rename(): df.rename(columns={"x": "z"}, inplace=True)
def name_all(): df.columns = ["p", "q"]
def read(): return df["x"].sum()
def numbered(name): df[name + "_2"] = 1
def start():
    global settings
    settings = {"k": 1}
def load_anew():
    global df
    df = pd.DataFrame({"y": [1]})
def deep():
    fill(); add()
class Store:
    def put(self):
        cache["m"] = 1
        self.rows = [1]
        return self
store = Store()
def logged(function):
    @functools.wraps(function)
    def run(*given): return function(*given)
    return run
@logged
def wrapped(): cache["w"] = 1
numbered_x = functools.partial(numbered, "x")
steps = {"number": numbered}
listed = [deep, fill]
"""
RIGHT = r"""
fill()\ncache["b"]
load()\ncache["c"]
add()\ndf["new"].sum()
parse()\ndf["day"].dt.year
rename()\ndf["z"]
name_all()\ndf["q"]
numbered("x")\ndf["x_2"]
start()\nsettings["k"]
load_anew()\ndf["y"]
deep()\ncache["b"], df["new"]
store.put()\ncache["m"], store.rows
Store().put().rows\ncache["m"]
put = store.put\nput()\ncache["m"]
wrapped()\ncache["w"]
numbered_x()\ndf["x_2"]
steps["number"]("x")\ndf["x_2"]
listed[0]()\ncache["b"]
for function in listed:\n    function()\ncache["b"]
thread = threading.Thread(target=fill)\nthread.start()\nthread.join()\ncache["b"]
df.pipe(lambda one: numbered("k"))\ndf["k_2"]
def both():\n    fill()\nboth()\ncache["b"]
"""
WRONG = r"""
cache["b"]
read()\ndf["new"]
fill()\ncache["bb"]
add()\ndf["neww"]
read()\ndf["day"].dt.year
"""


def lines(text: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


@pytest.fixture
def kernel() -> dict[str, object]:
    space: dict[str, object] = {}
    exec(KERNEL, space)
    return space


@pytest.mark.parametrize("source", lines(RIGHT))
def test_what_a_function_of_the_kernel_makes_is_not_missing(kernel: dict[str, object], source: str) -> None:
    assert check(source, kernel) == []
    exec(source, kernel)


@pytest.mark.parametrize("source", lines(WRONG))
def test_what_no_function_of_the_kernel_makes_is_missing(kernel: dict[str, object], source: str) -> None:
    assert check(source, kernel)
