"""Loops within loops: the check goes through so many rounds, and no more."""

from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.reality import Checker
from spark_jupyter.reality.check_state import MAX_ROUNDS, Run

WIDE = pd.DataFrame({f"c{number}": [1] for number in range(55)})


def nested(depth: int, start: str, what: str) -> str:
    text = start
    for number in range(depth):
        text = f"[{text} for v{number} in {what}]"
    return f"y = {text}\n"


LOOPS = (
    "".join(f"{'    ' * depth}for v{depth} in ['a', 'b']:\n" for depth in range(18)) + f"{'    ' * 18}x = df['c0']\n"
)


@pytest.mark.parametrize(
    "text",
    [
        nested(3, "df[v0]", "df.columns"),
        nested(12, "v0 + v1", "['a', 'b', 'c']"),
        nested(3, "{v0: v1}", "df.columns"),
        LOOPS,
    ],
)
def test_loops_within_loops_are_gone_through_up_to_a_limit(text, monkeypatch):
    stored: list[str] = []
    store = Run.store
    monkeypatch.setattr(Run, "store", lambda run, name, value: (stored.append(name), store(run, name, value))[1])
    checker = Checker({"df": WIDE}, helper=False)
    assert [*checker.feed(text), *checker.flush()] == []
    assert len(stored) < 2 * MAX_ROUNDS


def test_what_a_loop_within_a_loop_names_is_looked_up():
    checker = Checker({"df": WIDE}, helper=False)
    text = "for a in ['c0', 'zz']:\n    for b in ['c1', 'c2']:\n        df[a] + df[b]\n"
    found = [*checker.feed(text), *checker.flush()]
    assert [one.message for one in found] == ["The DataFrame has no column `zz`."]
