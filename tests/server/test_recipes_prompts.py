"""People's own words: how many prompts get a cell that runs and does it, and that a wrong recipe is rarer than a no."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROMPTS = Path(__file__).parent / "prompts"


@pytest.fixture(scope="module")
def counts() -> dict[str, float]:
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "recipes.py"))
    result: dict[str, float] = benchmark["summary"](benchmark["run"]())
    return result


def test_there_are_enough_prompts_of_both_kinds() -> None:
    cases: list[dict[str, Any]] = [json.loads(line) for line in (PROMPTS / "people.jsonl").read_text().splitlines()]
    worlds = json.loads((PROMPTS / "worlds.json").read_text())
    assert len(cases) >= 120
    assert sum(case["expect"] == ["none"] for case in cases) >= 15
    assert {case["world"] for case in cases} <= set(worlds)
    assert len({case["prompt"] for case in cases}) == len(cases)


def test_every_entry_that_a_prompt_expects_exists() -> None:
    from spark_jupyter.server.engines.recipes import RecipeEngine

    titles = {entry.title for entry in RecipeEngine().matcher.entries}
    cases = [json.loads(line) for line in (PROMPTS / "people.jsonl").read_text().splitlines()]
    lost = {title for case in cases for title in case["expect"] if title != "none"} - titles
    assert all(any(one in titles for one in case["expect"]) or case["expect"] == ["none"] for case in cases), lost


def test_nine_of_ten_prompts_get_a_cell_that_runs_and_does_it(counts: dict[str, float]) -> None:
    assert counts["done"] >= 0.9 * counts["asked"]


def test_a_wrong_recipe_is_rare(counts: dict[str, float]) -> None:
    assert counts["wrong"] <= 0.05 * counts["asked"]


def test_what_no_book_knows_gets_an_honest_no(counts: dict[str, float]) -> None:
    assert counts["honest no"] >= 0.95 * counts["unanswerable"]
