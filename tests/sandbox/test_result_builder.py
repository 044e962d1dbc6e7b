"""What is concluded from what a Try showed."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Output
from spark_jupyter.sandbox.result_builder import concluded


def shown(*outputs: Output) -> str:
    """The line of these outputs that says most."""
    return concluded(TrialResult(turn_id="t1", cell_id="c1", outputs=outputs)).decisive


@pytest.mark.parametrize(
    ("cells", "size"),
    [
        ({"a": [1, 2], "b": [None, "x"]}, "2 rows × 2 columns"),
        ({"a": [1]}, "1 row × 1 column"),
        ({"a": range(99)}, "[99 rows x 1 columns]"),
    ],
)
def test_a_table_is_told_by_its_size_and_not_by_the_last_line_of_its_text(cells, size):
    frame = pytest.importorskip("pandas").DataFrame(cells)
    data = {"text/plain": repr(frame), "text/html": frame._repr_html_()}
    assert shown(Output(kind="stdout", text="before"), Output(kind="execute_result", data=data)) == size


def test_a_series_is_told_by_its_ends_and_not_by_its_footer():
    pandas = pytest.importorskip("pandas")
    for name, length in (("net", 3), (None, 3), ("net", 300)):
        index = pandas.date_range("2026-01-01", periods=length, freq="D")
        said = shown(Output(kind="execute_result", data={"text/plain": repr(pandas.Series(1.5, index, name=name))}))
        assert said.startswith("2026-01-01 1.5 … "), said


def test_in_a_terminal_too_a_table_is_told_by_its_size_and_text_by_its_last_line():
    frame = pytest.importorskip("pandas").DataFrame({"who": ["Ana", "Chloe"], "total": [3.5, 22.25]})
    assert shown(Output(kind="execute_result", data={"text/plain": repr(frame)})) == "2 rows"
    assert shown(Output(kind="stdout", text=f"{frame}\n")) == "2 rows"
    assert shown(Output(kind="stdout", text="  a b\n  c d\ne\n")) == "e"


def test_of_a_series_the_smallest_and_the_largest_value_are_said_in_their_order():
    pandas = pytest.importorskip("pandas")
    counts = pandas.Series([0, 9, 1, 0], ["date", "price", "qty", "day"])
    assert said_of(counts) == "date 0 … price 9"
    assert said_of(counts[::-1]) == "day 0 … price 9"
    assert said_of(counts * 0) == "date 0 … day 0"
    assert said_of(pandas.Series([1.5, None, 0.5], list("abc"))) == "a 1.5 … c 0.5"
    assert said_of(pandas.Series(range(100))) == "0 0 … 99 99"


def said_of(series):
    return shown(Output(kind="execute_result", data={"text/plain": repr(series)}))
