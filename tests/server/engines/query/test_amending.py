"""A follow-up changes the last proposal as a whole: what was asked before, and what is asked now."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.server.engines import namespace
from spark_jupyter.server.engines.recipes import RecipeEngine
from spark_jupyter.server.engines.request import Request

ENGINE = RecipeEngine()
SPACE = namespace.read(
    "trips: DataFrame (16 × 5): station str, minutes int64, fare float64, rider str(has 'casual'), day str(dates)"
)


def followed(first: str, then: str, *, changed: str = "") -> tuple[str, str | None]:
    """The code of the last proposal after a follow-up, and which cell it edits."""
    proposed = ENGINE.reply(Request(text=first, namespace=SPACE)).cells[0].source
    cell = NotebookCell(id="a", source=changed or proposed)
    answer = ENGINE.reply(Request(text=then, namespace=SPACE, before=(first,), edit=cell, cells=(cell,)))
    return "\n".join(one.source for one in answer.cells), answer.edit


@pytest.mark.parametrize(
    ("first", "then", "parts"),
    [
        ("trips longer than 30 minutes", "and sort it by fare", ['trips["minutes"] > 30', 'sort_values("fare"']),
        ("mean fare per station", "only the top 5", ['groupby("station")["fare"].mean()', ".head(5)"]),
        ("mean fare per station", "as a bar chart", ['groupby("station")["fare"].mean()', "plot.bar"]),
        ("mean fare per station", "no, only for casual riders", ['trips["rider"] == "casual"', ".mean()"]),
        ("mean fare per station", "same for minutes", ['groupby("station")["minutes"].mean()']),
        ("mean fare per station", "no, only in 2024", ["2024", 'groupby("station")']),
        ("mean fare per station", "by rider instead", ['groupby("rider")["fare"].mean()']),
        ("mean fare per station", "make it the median", ['groupby("station")["fare"].median()']),
        ("mean fare per station", "and the max too", ['.agg(["mean", "max"])']),
        ("trips longer than 30 minutes and fare above 5", "no, fare above 7", ['> 30) & (trips["fare"] > 7)']),
        ("top 3 trips by fare", "by minutes instead", ['trips.sort_values("minutes", ascending=False).head(3)']),
        ("mean fare per station as a pie chart", "no, a bar chart", ["plot.bar("]),
        ("mean fare per station", "same for minutes but per rider", ['groupby("rider")["minutes"].mean()']),
        ("bar chart of total fare per station", "same but horizontal and in green", ['plot.barh(color="green")']),
    ],
)
def test_a_follow_up_is_an_edit_of_the_last_proposal(first: str, then: str, parts: list[str]) -> None:
    code, edited = followed(first, then)
    assert edited == "a"
    assert [part for part in parts if part not in code] == []


def test_what_was_replaced_stays_so_when_more_is_asked() -> None:
    first, then = "mean fare per station as a pie chart", "no, a bar chart"
    source, _ = followed(first, then)
    cell = NotebookCell(id="a", source=source)
    said = 'and give it the title "Fares"'
    answer = ENGINE.reply(Request(text=said, namespace=SPACE, before=(first, then), edit=cell, cells=(cell,)))
    code = answer.cells[0].source
    assert "plot.bar(" in code
    assert 'plt.title("Fares")' in code


def test_a_proposal_that_the_user_has_changed_is_not_made_anew() -> None:
    code, _ = followed("mean fare per station", "only the top 5", changed="mine = 1\nmine")
    assert "groupby" not in code


@pytest.mark.parametrize(
    "prompt", ["what percentage of trips is on the same day", "trips per rider in the order of rain"]
)
def test_what_is_no_group_and_no_value_is_not_taken_for_one(prompt: str) -> None:
    code = "\n".join(cell.source for cell in ENGINE.reply(Request(text=prompt, namespace=SPACE)).cells)
    assert 'groupby("day")' not in code
    assert '"order"' not in code
