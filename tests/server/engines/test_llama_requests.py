"""Requests to llama.cpp's server at a cursor: with a model's own marks, without any, and beyond its window."""

from __future__ import annotations

import json

import pytest

from spark_jupyter.prompting.budget import estimate_tokens
from spark_jupyter.providers.base import Infill
from spark_jupyter.server.engines.gguf import FILLING, Marks
from spark_jupyter.server.engines.llama import MOST_FILLED, fill_in

INFILL = Infill(prefix="b = a + ", suffix="\nprint(b)", context="a = 1")
LINES = "".join(f"value_{number} = {number}\n" for number in range(400))


def prompt(infill: Infill, marks: Marks | None, *, window: int = 2048) -> str:
    asked = fill_in(infill, marks, window=window, lane=1)
    assert asked.path == "/completion"
    return str(json.loads(asked.body)["prompt"])


def test_a_model_without_marks_goes_on_from_the_text_before_and_writes_the_space_itself() -> None:
    assert prompt(INFILL, None) == "a = 1\n\nb = a +"


@pytest.mark.parametrize("marks", FILLING, ids=str)
def test_a_model_that_was_trained_to_fill_in_gets_both_sides_between_its_marks(marks: Marks) -> None:
    assert prompt(INFILL, marks) == f"{marks.prefix}a = 1\n\nb = a + {marks.suffix}\nprint(b){marks.middle}"


@pytest.mark.parametrize("marks", [None, FILLING[0]], ids=["bare", "marked"])
def test_of_what_is_too_long_for_the_window_the_last_lines_are_taken(marks: Marks | None) -> None:
    said = prompt(Infill(prefix=f"{LINES}total = value_", suffix=LINES), marks, window=512)
    assert estimate_tokens(said) <= 512 - MOST_FILLED
    assert "value_399 = 399\ntotal = value_" in said
    assert "value_1 =" not in said


def test_it_stays_in_its_lane_and_is_sure_of_itself_unless_another_suggestion_is_wanted() -> None:
    sure = json.loads(fill_in(INFILL, None, window=2048, lane=1).body)
    varied = json.loads(fill_in(INFILL, None, window=2048, lane=1, temperature=0.9).body)
    assert (sure["id_slot"], sure["cache_prompt"], sure["temperature"], varied["temperature"]) == (1, True, 0.0, 0.9)
