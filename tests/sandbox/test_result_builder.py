"""Conclusions from the messages of a Try."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.proof_values import Difference, Proof
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Effect, Output
from spark_jupyter.sandbox.proofs.proof_summary import trial_of_edit
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


def test_a_number_is_said_as_a_number_whoever_wrote_it():
    numpy = pytest.importorskip("numpy")
    values = [numpy.float64(2.5), numpy.int64(3)]
    assert said_of(values[0]) == "2.5"
    assert said_of(values) == "[2.5, 3]"
    assert said_of("np.float64 is a type") == "'np.float64 is a type'"
    assert said_of("np.mean(prices) is 3") == "'np.mean(prices) is 3'"


def test_what_the_old_text_of_a_cell_has_made_is_not_new_in_its_edit():
    effects = tuple(Effect(kind="variable", action="new", name=name, after="2") for name in ("total", "rate", "fresh"))
    result = TrialResult(turn_id="t1", cell_id="c1", effects=effects)
    differs = Proof(verdict="differs", differences=(Difference(kind="variable", name="total", detail="1 → 2"),))
    of_edit = trial_of_edit(result, differs, known={"total": 1, "rate": 2})
    assert [(one.name, one.action, one.before) for one in of_edit.effects] == [
        ("total", "changed", "1"),
        ("fresh", "new", ""),
    ]
    assert of_edit.summary.endswith(": 1 new variable, 1 changed variable")
    same = trial_of_edit(result, Proof(verdict="same"), known={"total", "rate", "fresh"})
    assert same.summary.endswith(": no effects")
    assert trial_of_edit(result, Proof(verdict="unclear"), known={"total"}) == result


def said_of(series):
    return shown(Output(kind="execute_result", data={"text/plain": repr(series)}))
