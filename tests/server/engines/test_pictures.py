"""What people say of a picture: its kind, its axes, what is marked in it, of a table or of lists; and rates that are drawn or compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import namespace, sentences

SWINGS = pd.DataFrame(
    {
        "length_m": [0.2, 0.4, 0.2, 0.4],
        "period_s": [0.9, 1.3, 0.8, 1.2],
        "observer": ["Lena", "Tom", "Tom", "Lena"],
        "taken_at": pd.date_range("2024-10-07", periods=4),
    }
)
ADS = pd.DataFrame(
    {
        "channel": ["mail", "mail", "web"],
        "impressions": [100, 300, 50],
        "clicks": [10, 10, 10],
        "spend": [5.0, 15.0, 30.0],
        "day": pd.date_range("2024-02-01", periods=3),
    }
)
LISTS = {"volts": np.array([0.5, 1.0]), "amps": np.array([0.1, 0.2]), "grid": np.array([[1, 2], [3, 4]])}


def code(prompt: str, **variables: object) -> str:
    """The cell that the prompt gets; empty where it is not understood."""
    told = describe(gather(variables, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    made = sentences.attempt(prompt, namespace.read(told))
    return "" if made is None or made.left else "\n".join(cell.source for cell in made.answer.cells)


def result(prompt: str, **tables: pd.DataFrame) -> object:
    """What the cell's last line gives."""
    space: dict[str, object] = {name: table.copy() for name, table in tables.items()}
    *lines, last = code(prompt, **tables).split("\n")
    exec("\n".join(lines), space)
    return eval(last, space)


def test_a_name_before_versus_is_no_typing_mistake_of_a_longer_one() -> None:
    assert 'ax.scatter(swings["length_m"], swings["period_s"])' in code("plot period vs length", swings=SWINGS)


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        ("plot period_s vs length_m on a log-log scale", 'plt.xscale("log")\nplt.yscale("log")'),
        ("plot period_s over time, figure size 12 by 4", "plt.gcf().set_size_inches(12, 4)"),
        ("histogram of period_s with black edges, bins = 7", 'bins=7, edgecolor="black"'),
        ("scatter plot of period_s vs length_m with red crosses", 'color="red", marker="x"'),
        ("plot period_s over time as a dashed line, y axis 0 to 2", 'linestyle="--"'),
        ("plot period_s over time as a dashed line, y axis 0 to 2", "ax.set_ylim(0, 2)"),
        ("box plot comparing period_s between observers with a title", 'plt.title("period_s by observer")'),
        ("heatmap of correlations of length_m and period_s with values in the cells", "np.ndindex(correlations.shape)"),
        ("density plot of period_s per observer", "plot.kde(ax=ax, label=name)"),
        ("histogram of period_s between 1 and 2", 'swings["period_s"].between(1, 2)'),
        ("plot the running total of period_s over time", '["period_s"].cumsum().set_axis(ordered["taken_at"])'),
    ],
)
def test_what_a_picture_looks_like_is_said_in_many_ways(prompt: str, line: str) -> None:
    assert line in code(prompt, swings=SWINGS)


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        ("plot amps over volts with axis labels and a title", 'plt.title("amps over volts")'),
        ("plot amps over volts as red crosses with a grid", "plt.grid(True)"),
        ("scatter plot of volts and amps", "ax.scatter(volts, amps)"),
        ("plot volts and amps in one plot with legend", 'amps, label="amps")'),
        ("plot amps against volts on a log scale, save as iv.png", 'plt.savefig("iv.png")'),
    ],
)
def test_pictures_of_lists_are_finished_in_the_words_of_pictures_of_tables(prompt: str, line: str) -> None:
    assert line in code(prompt, **LISTS, swings=SWINGS)


def test_a_word_behind_a_picture_of_a_list_that_is_not_understood_refuses_it() -> None:
    assert code("plot amps over volts with a ribbon", **LISTS) == ""


def test_no_table_is_drawn_where_the_prompt_names_lists() -> None:
    assert "swings" not in code("area chart of volts and amps with a legend", **LISTS, swings=SWINGS)


def test_a_logarithm_that_is_asked_for_is_not_left_out() -> None:
    drawn = code("plot log of period_s against log of length_m", swings=SWINGS)
    assert not drawn or "log" in drawn


@pytest.mark.parametrize(
    "prompt",
    ["ctr by channel", "click through rate per channel", "ctr (clicks / impressions) by channel"],
)
def test_a_rate_of_a_group_is_one_of_its_sums(prompt: str) -> None:
    found = result(prompt, ads=ADS)
    assert isinstance(found, pd.Series)
    assert found.to_dict() == {"mail": 0.05, "web": 0.2}


def test_the_mean_of_a_rate_is_one_of_the_rows_where_that_is_said() -> None:
    found = result("average ctr per channel", ads=ADS)
    assert isinstance(found, pd.Series)
    assert found["mail"] == pytest.approx((10 / 100 + 10 / 300) / 2)


def test_the_best_group_by_a_rate_comes_first() -> None:
    found = result("which channel has the lowest cost per click?", ads=ADS)
    assert isinstance(found, pd.Series)
    assert list(found.index) == ["mail"]


@pytest.mark.parametrize("prompt", ["bar chart of clicks / impressions by channel", "plot ctr by channel"])
def test_a_rate_is_drawn_of_the_sums_of_groups(prompt: str) -> None:
    assert 'lambda sums: sums["clicks"] / sums["impressions"]' in code(prompt, ads=ADS)


def test_a_rate_without_its_columns_is_not_made_up() -> None:
    assert code("conversion rate by channel", ads=ADS) == ""


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        ("scatter plot of length_m and period_s with different colors for each observer", 'swings.groupby("observer")'),
        ("plot average period_s per length_m, one line per observer", "amounts.plot.line()"),
        ("is the difference in period_s between observer Lena and Tom significant", "stats.ttest_ind("),
        ("linear regression period_s ~ length_m", 'X = known[["length_m"]]\ny = known["period_s"]'),
    ],
)
def test_groups_are_told_by_colours_and_lines(prompt: str, line: str) -> None:
    assert line in code(prompt, swings=SWINGS)


def test_a_table_of_two_columns_of_numbers_is_drawn_as_one_over_the_other() -> None:
    spectrum = pd.DataFrame({"wavelength": [400, 500], "intensity": [0.1, 0.2]})
    assert 'x="wavelength", y="intensity"' in code("plot the spectrum", spectrum=spectrum)


def test_what_is_in_a_column_is_no_word_for_rows() -> None:
    spectrum = pd.DataFrame({"wavelength": [400, 500], "intensity": [0.1, 0.2]})
    assert not code("find the peaks in the intensity", spectrum=spectrum)


def test_two_groups_are_compared_in_boxes() -> None:
    people = pd.DataFrame({"customer_id": [1, 2], "age": [20, 30], "gender": ["f", "m"], "spent": [1.0, 2.0]})
    assert 'groupby("gender")' in code("compare spent of men and women with a boxplot", people=people)
    assert 'ax.hist(people["age"]' in code("distribution of customer ages with 10 bins", people=people)


COOLING = pd.DataFrame(
    {"minute": [0, 2, 4], "temp_c": [80.0, 60.0, 39.0], "loss": [1.0, 2.0, 3.0], "cup": ["a", "b", "a"]}
)


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        ("plot temperature over time for both cups", 'ax.plot(some["minute"], some["temp_c"], label=name)'),
        ("temp_c vs minute as a scatter plot, log y axis", 'ax.scatter(cooling["minute"], cooling["temp_c"])'),
        ("plot temp_c minus loss over time", 'plot.line(x="minute", y="temp_c_minus_loss")'),
        ("box plot of loss for each cup, horizontal", "vert=False"),
        ("average loss per cup with error bars", 'yerr=means["std"]'),
        ("heatmap of the correlation between temp_c and loss with numbers", "np.ndindex(correlations.shape)"),
    ],
)
def test_what_a_picture_is_of_may_be_said_before_its_kind(prompt: str, line: str) -> None:
    assert line in code(prompt, cooling=COOLING)


def test_a_picture_that_is_not_understood_leaves_no_column_behind() -> None:
    assert not code("plot temp_c minus loss over the moon", cooling=COOLING)


def test_a_colour_for_each_of_two_values_is_not_made_one_for_all() -> None:
    prompt = "scatter plot of temp_c vs loss, ann in blue and bob in red"
    assert 'color="' not in code(prompt, cooling=COOLING.assign(cup=["ann", "bob", "ann"]))


def test_what_is_to_be_plotted_is_plotted_or_refused() -> None:
    made = code("rolling 2 row average of loss, plot it", cooling=COOLING)
    assert not made or "plot" in made


def test_two_values_that_are_counted_are_told_apart() -> None:
    found = result("how many ann and bob rows are there", cooling=COOLING.assign(cup=["ann", "bob", "ann"]))
    assert isinstance(found, pd.Series)
    assert found.to_dict() == {"ann": 2, "bob": 1}
