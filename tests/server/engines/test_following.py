"""What is asked behind an answer: of its rows and groups by one sentence that asks for both, of lists and numbers in the code itself."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from benchmarks import recipes
from spark_jupyter.server.engines import further
from spark_jupyter.server.engines.recipes import RecipeEngine

SPACE: dict[str, Any] = {
    "flats": pd.DataFrame(
        {
            "city": ["Rome", "Lyon", "Lyon", "Graz"],
            "price": [100.0, 300.0, 200.0, 400.0],
            "rooms": [1, 3, 2, 4],
            "sold": pd.to_datetime(["2023-01-05", "2023-02-05", "2024-02-09", "2024-03-01"]),
        }
    ),
    "names": ["Priya", "Bartholomew", "Lea"],
    "fruits": ["fig", "banana", "fig", "cherry"],
}
ENGINE = RecipeEngine()


def code(prompt: str, before: str) -> str:
    """What is answered to a prompt behind the answer to another; empty where it is a No."""
    space = dict(SPACE)
    earlier = recipes._earlier(ENGINE, before, space)
    assert earlier is not None
    answer = recipes.ask(ENGINE, prompt, recipes._variables(space, prompt), earlier)
    return "\n".join(cell.source for cell in answer.cells)


@pytest.mark.parametrize(
    ("before", "prompt", "part"),
    [
        ("average price per city", "save that as out.csv", 'groupby("city")["price"].mean()\nresult.to_csv("out.csv")'),
        ("average price per city", "and also the median", '.agg(["mean", "median"])'),
        ("average price per city", "which one is the highest?", ".sort_values(ascending=False).head(1)"),
        ("average price per city", "lowest first", 'groupby("city")["price"].mean().sort_values(ascending=True)'),
        ("flats with at least 2 rooms", "what is their average price", '["price"].mean()'),
        ("total price per city", "only 2023", ".dt.year == 2023"),
        (
            "total price per city",
            "can you add the share in percent",
            '.to_frame("price").assign(percent=100 * amounts / amounts.sum())',
        ),
        (
            "total price per city",
            "remove Lyon",
            'chosen = flats[~(flats["city"] == "Lyon")]\nchosen.groupby("city")["price"].sum()',
        ),
        ("average price per city", "add the count", 'number=("city", "size")'),
        ("total price per month", "plot it", ".plot.line()"),
        ("flats sorted by price", "show only the first 2", '.sort_values("price", ascending=True).head(2)'),
        ("what is the longest name in names", "and the shortest?", "min(names, key=len)"),
        ("what is the longest name in names", "same for fruits", "max(fruits, key=len)"),
        ("fruits without duplicates, sorted", "only the first 2", "sorted(set(fruits))[:2]"),
        ("names with more than 4 letters", "in uppercase", "[one.upper() for one in names if len(one) > 4]"),
    ],
)
def test_a_follow_up_is_asked_of_the_answer_before(before: str, prompt: str, part: str) -> None:
    assert part in code(prompt, before)


@pytest.mark.parametrize(
    "prompt", ["rename the column to total", "drop the missing ones first", "save that as out.xyz"]
)
def test_what_can_only_mean_the_answer_before_is_not_done_to_a_table(prompt: str) -> None:
    assert code(prompt, "average price per city") == ""


@pytest.mark.parametrize(
    ("source", "instruction", "value"),
    [
        ("[one for one in fruits if 'e' in one]", "sort them by length", ["cherry"]),
        ("sorted(fruits)", "in reverse order please", ["fig", "fig", "cherry", "banana"]),
        ("list(dict.fromkeys(fruits))", "as a comma separated string", "fig, banana, cherry"),
        ("list(dict.fromkeys(fruits))", "how many are they?", 3),
        ("sum([1, 2]) / len([1, 2, 4])", "round it to 1", 1.0),
        ("[len(one) for one in fruits]", "with a for loop", [3, 6, 3, 6]),
        ("{'a': 1, 'b': 2}", "sort it by value, highest first", {"b": 2, "a": 1}),
    ],
)
def test_a_value_is_changed_as_the_follow_up_says(source: str, instruction: str, value: object) -> None:
    made = further.changed(source, instruction)
    assert made is not None
    *lines, last = made.split("\n")
    held = dict(SPACE)
    exec("\n".join(lines), held)
    assert eval(last, held) == value


@pytest.mark.parametrize(
    "instruction", ["without Rome", "sort them by price", "as a bar chart", "make it faster", "join it with rooms"]
)
def test_what_is_not_known_of_a_list_is_left_alone(instruction: str) -> None:
    assert further.changed("[one for one in fruits]", instruction) is None
