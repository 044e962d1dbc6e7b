"""Sentences about a table: models, pictures with their details, questions that one value answers, and why a line of code fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import namespace, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

_R = np.random.default_rng(4)
_AREA = _R.uniform(40, 180, 40).round()
HOUSES = pd.DataFrame(
    {
        "area_m2": _AREA,
        "rooms": _R.integers(1, 6, 40),
        "district": np.tile(["north", "south"], 20),
        "price": (_AREA * 3000 + 500).round(),
        "sold_fast": np.tile([0, 1], 20),
        "listed": pd.date_range("2024-01-01", periods=40, freq="4D"),
        "Agent": ["Ann"] * 38 + [None, None],
        "Fee": ["4,200"] * 39 + ["unknown"],
    }
)


@pytest.fixture(autouse=True)
def _no_figures_left() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def answered(prompt: str) -> dict[str, Any]:
    """What is there when the answer's cells have run; ``_`` is the value of the last line, ``code`` and ``notes`` what it says."""
    held: dict[str, Any] = {"houses": HOUSES.copy()}
    known = describe(gather(held, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    answer = sentences.understood(prompt, namespace.read(known))
    assert answer is not None
    *lines, last = answer.cells[-1].source.split("\n")
    exec("\n".join(lines), held)
    return {**held, "_": eval(last, held), "code": answer.cells[-1].source, "notes": answer.notes}


@pytest.mark.parametrize(
    ("prompt", "signs"),
    [
        ("knn classifier for sold_fast with k=5, f1 score", ["n_neighbors=5", "f1_score("]),
        ("5-fold cross validation of a linear regression of price on area_m2 and rooms", ["cv=5", '["area_m2", "rooms"]']),
        ("random forest for price from area_m2, 100 trees, seed 7, rmse", ["n_estimators=100, random_state=7", "** 0.5"]),
        ("decision tree for sold_fast with max depth 3, train on 80%", ["max_depth=3", "test_size=0.2,"]),
        ("fit a linear regression for price using area_m2 and rooms, ignore rows with missing values, show r2", ["r2:"]),
        ("compare ridge and lasso on price", ["Ridge()", "Lasso()", "cross_val_score"]),
    ],
)  # fmt: skip
def test_a_model_has_what_the_sentence_names(prompt: str, signs: list[str]) -> None:
    code = answered(prompt)["code"]
    assert [sign for sign in signs if sign not in code] == []


def test_clusters_become_a_column_where_that_is_said() -> None:
    houses = answered("kmeans with 3 clusters on area_m2 and price, add the cluster as a column")["houses"]
    assert houses["cluster"].nunique() == 3


def test_a_price_is_predicted_for_values_that_are_told() -> None:
    assert answered("predict the price of a house with 100 m2 and 3 rooms")["_"][0] == pytest.approx(300500)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("is the average price above 100?", True),
        ("how many houses have no agent and which ones?", 2),
        ("which district has the lower rooms, north or south?", 2),
        ("what types do the columns of houses have?", 8),
    ],
)
def test_a_question_is_answered_by_a_value_or_by_the_rows_that_it_is_about(prompt: str, expected: object) -> None:
    value = answered(prompt)["_"]
    assert (value if isinstance(value, bool) else len(value)) == expected


def test_the_strongest_pair_of_columns_is_found() -> None:
    assert set(answered("which two columns are correlated most strongly?")["_"].index[0]) == {"area_m2", "price"}


def test_a_column_of_z_scores_is_added() -> None:
    assert answered("add a column with the z-score of rooms")["houses"]["rooms_z"].mean() == pytest.approx(0)


def test_bars_carry_their_values_and_labels_are_turned() -> None:
    answered("bar chart of average price per district with the values on top, rotate the labels")
    (ax,) = plt.gcf().axes
    assert [one.get_text() for one in ax.texts if one.get_text()] != []
    assert {one.get_rotation() for one in ax.get_xticklabels()} == {45}


def test_an_axis_has_the_label_and_the_limits_that_are_said() -> None:
    answered('plot price over listed, y axis label "EUR", y axis from 0 to 900000')
    (ax,) = plt.gcf().axes
    assert (ax.get_ylabel(), ax.get_ylim()) == ("EUR", (0, 900000))


def test_a_moving_average_is_a_second_line() -> None:
    answered("plot price over listed with its 3 day moving average")
    assert len(plt.gcf().axes[0].lines) == 2


def test_a_red_line_is_no_value_of_the_table() -> None:
    wine = pd.DataFrame({"colour": ["red", "white"] * 5, "price": np.arange(10.0)})
    prompt = "histogram of price with 5 bins, mark the mean with a red line"
    known = describe(gather({"wine": wine}, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    answer = sentences.understood(prompt, namespace.read(known))
    assert answer is not None
    assert '"red"' not in answer.cells[-1].source
    assert "axvline" in answer.cells[-1].source


def test_points_have_the_size_that_a_column_tells() -> None:
    answered("scatter of area_m2 and price, point size by rooms")
    assert len(set(plt.gcf().axes[0].collections[0].get_sizes())) > 1


@pytest.mark.parametrize(
    ("prompt", "says", "expected"),
    [
        ("why does houses['Fee'].mean() not work?", "holds text that looks like numbers", 4200.0),
        ("I get KeyError: 'agent' when I do houses['agent'], why?", "it is called `Agent`", None),
        ("ValueError: invalid literal for int() with base 10: '7,200' when I do int('7,200'), how do I fix that", "the comma", 7200),
    ],
)  # fmt: skip
def test_why_a_line_fails_is_said_with_the_line_that_works(prompt: str, says: str, expected: object) -> None:
    made = answered(prompt)
    assert says in made["notes"]
    assert expected is None or made["_"] == expected


def test_histograms_of_groups_stand_apart_where_that_is_said() -> None:
    answered("histogram of price per district in separate subplots")
    assert len(plt.gcf().axes) == 2


def test_a_heat_map_shows_the_mean_of_each_pair_of_groups() -> None:
    assert answered("heatmap of mean price by district and rooms")["means"].shape[0] == 2


def test_each_group_has_an_interval_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    prompt = "95% confidence interval of price per district"
    held: dict[str, Any] = {"houses": HOUSES.copy()}
    known = describe(gather(held, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    answer = sentences.understood(prompt, namespace.read(known))
    assert answer is not None
    exec(answer.cells[-1].source, held)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["north", "south"]


def test_two_summaries_of_each_group_stand_side_by_side() -> None:
    assert list(answered("average price per district with standard deviation")["_"].columns) == ["mean", "std"]
