"""Questions about outputs, errors, speed and models are answered in notes, of what is there, or honestly not."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.constants import REFUSAL
from spark_jupyter.protocol.offers import offered
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.server.engines import own_code
from spark_jupyter.server.engines.request import Request


def told(text: str, source: str = "", outputs: str = "", error: str = "") -> str:
    cells = (NotebookCell(id="a", source=source, outputs=outputs, error=error),) if source else ()
    answer = own_code.reply(Request(text=text, cells=cells, error=error))
    assert answer is not None
    assert answer.cells == ()
    return answer.notes


@pytest.mark.parametrize(
    ("source", "outputs", "part"),
    [
        ("df['a'].corr(df['b'])", "0.83", "strong"),
        ("stats.ttest_ind(a, b)", "TtestResult(statistic=2.9, pvalue=0.004, df=18)", "below 0.05"),
        ("df.isna().sum()", "city    2\nname    0\ndtype: int64", "`city` (2)"),
        (
            "df.groupby('city')['price'].mean()",
            "city\nBonn    10.5\nUlm      7.0\nName: price, dtype: float64",
            "most for Bonn",
        ),
        ("df.shape", "(150, 4)", "150 rows and 4 columns"),
        ("print(model.score(X_test, y_test))  # LogisticRegression", "0.93", "0.93, of 1"),
    ],
)
def test_what_an_output_means_is_read_from_the_code_and_the_output(source: str, outputs: str, part: str) -> None:
    assert part in told("what does this output mean?", source, outputs)


def test_an_output_of_which_nothing_is_known_gets_an_honest_word() -> None:
    assert told("what does this output mean", "mystery()", "xyzzy").startswith(REFUSAL)
    assert told("what does this output mean").startswith(REFUSAL)


def test_an_error_is_told_in_plain_words() -> None:
    error = "Traceback (most recent call last):\nKeyError: 'prise'"
    assert "not there" in told("what does this error mean", "df['prise']", error=error)
    assert told("what does this error mean", "1").startswith(REFUSAL)


def test_what_is_known_to_be_slow_is_named_by_its_line() -> None:
    source = "rows = []\nfor _, row in df.iterrows():\n    rows.append(row)\n    all_ = pd.concat(rows)"
    notes = told("why is it so slow?", source)
    assert "Line 2" in notes
    assert "Line 4" in notes
    assert told("why is it slow", "x = 1").startswith(REFUSAL)


def test_how_good_a_model_is_is_said_of_its_score_only() -> None:
    fitted = "model = LinearRegression().fit(X, y)\nprint(r2_score(y_test, model.predict(X_test)))"
    assert "0.71" in told("is the model any good?", fitted, "0.71")
    assert told("is the model any good?", "model.fit(X, y)").startswith(REFUSAL)


def test_where_an_edit_is_not_known_those_are_offered_that_would_change_the_cell() -> None:
    cell = NotebookCell(id="a", source="def tax(net: float) -> float:\n    return net * 0.19")
    answer = own_code.edit(cell, "make it sound like a pirate")
    assert answer is not None
    assert answer.notes.startswith(REFUSAL)
    assert offered(answer.notes) == ("add comments", "add a docstring")
