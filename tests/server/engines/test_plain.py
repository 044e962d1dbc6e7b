"""What is asked of lists, dicts, arrays and texts is answered by code that runs, or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import namespace
from spark_jupyter.server.engines.query import plain

SPACE: dict[str, Any] = {
    "temps": [21.5, 19.0, 23.2],
    "words": ["kayak", "lamp", "lamp"],
    "stock": {"bolt": 40, "nut": 12, "cog": 25},
    "grid": np.arange(6).reshape(2, 3),
    "log": "ok one\nfail two\n",
}


def answered(prompt: str) -> Any:
    found = plain.read(prompt, namespace.read(describe(gather(SPACE, time_cap=60), budget_tokens=500)))
    if found is None or found.left:
        return None
    *before, last = found.source.splitlines()
    space = dict(SPACE)
    exec("\n".join(before), space)
    return eval(last, space)


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("temps above 20", [21.5, 23.2]),
        ("how many temps are below 20", 1),
        ("sort stock by value, biggest first", {"bolt": 40, "cog": 25, "nut": 12}),
        ("which item has the highest count in stock", "bolt"),
        ("remove duplicates from words but keep the order", ["kayak", "lamp"]),
        ("how often does each word occur in words", {"kayak": 1, "lamp": 2}),
        ("words that start with k", ["kayak"]),
        ("how many lines are in log", 2),
        ("longest word in words", "kayak"),
    ],
)
def test_a_list_a_dict_and_a_text_are_asked_in_words(prompt: str, value: object) -> None:
    assert answered(prompt) == value


def test_an_array_is_summed_up_along_its_rows_and_columns() -> None:
    assert list(answered("sum every row of grid")) == [3, 12]
    assert list(answered("mean per column of grid")) == [1.5, 2.5, 3.5]


@pytest.mark.parametrize("prompt", ["temps above 20 for stations in the north", "sort stock by colour", "hello"])
def test_what_is_not_understood_whole_is_not_answered(prompt: str) -> None:
    assert answered(prompt) is None
