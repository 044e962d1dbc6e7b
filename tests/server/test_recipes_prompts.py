"""People's own words: how many prompts get a cell that runs and does it, and that a wrong answer is rarer than a No."""

from __future__ import annotations

import json
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROMPTS = Path(__file__).parent / "prompts"
DONE = {"people.jsonl": 0.75, "newcomers.jsonl": 0.85}
"""The part of the answerable prompts that must get a cell that runs and does what was asked."""
WRONG = 0.015
"""The part of all prompts of any list that may get a wrong answer: one in 67."""
LEAST_RIGHT = 110
MOST_WRONG = 3
"""Of the 300 prompts about tables of their own."""
NAMES = sorted(DONE)
STRANGERS = ["twentieth.jsonl", "twenty-first.jsonl", "twenty-second.jsonl"]
BY_RESULT = ["beginners.jsonl", "swimmers.jsonl", "readers.jsonl", *STRANGERS]


@cache
def benchmark() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "benchmarks" / "recipes.py"))


@cache
def counts(name: str) -> dict[str, float]:
    result: dict[str, float] = benchmark()["summary"](benchmark()["run"](name))
    return result


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (PROMPTS / name).read_text(encoding="utf-8").splitlines()]


def test_every_list_is_held_and_printed() -> None:
    assert sorted(benchmark()["LISTS"]) == NAMES
    assert sorted(benchmark()["BY_RESULT"]) == sorted(BY_RESULT)
    assert sorted(path.name for path in PROMPTS.glob("*.jsonl")) == sorted([*NAMES, *BY_RESULT])


def test_there_are_enough_prompts_of_both_kinds() -> None:
    every = [case for name in NAMES for case in cases(name)]
    worlds = json.loads((PROMPTS / "worlds.json").read_text(encoding="utf-8"))
    assert len(every) >= 160
    assert sum(case["expect"] == ["none"] for case in every) >= 25
    assert {case["world"] for case in every} <= set(worlds)
    assert all(len({case["prompt"] for case in cases(name)}) == len(cases(name)) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_that_a_prompt_expects_exists(name: str) -> None:
    from spark_jupyter.server.engines.recipes import RecipeEngine

    titles = {entry.title for entry in RecipeEngine().matcher.entries}
    assert [case for case in cases(name) if not {*titles, "none", "made"} & set(case["expect"])] == []


@pytest.mark.parametrize("name", NAMES)
def test_most_prompts_get_a_cell_that_runs_and_does_it(name: str) -> None:
    assert counts(name)["done"] >= DONE[name] * counts(name)["asked"]


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_recipe_is_rare(name: str) -> None:
    assert counts(name)["wrong"] <= WRONG * len(cases(name))


@pytest.mark.parametrize("name", NAMES)
def test_what_no_book_knows_gets_an_honest_no(name: str) -> None:
    assert counts(name)["honest no"] >= 0.9 * counts(name)["unanswerable"]


@pytest.mark.parametrize("name", BY_RESULT)
def test_a_check_by_result_holds_for_a_right_answer_and_for_no_other(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each case has an answer of a person's; what does nothing at all must not pass for one."""
    from matplotlib import pyplot

    worlds = json.loads((PROMPTS / "worlds.json").read_text(encoding="utf-8"))
    astray = []
    can_be_done = [case for case in cases(name) if case["check"] != benchmark()["REFUSED"]]
    for number, case in enumerate(can_be_done):
        for right, source in ((True, case["right"]), (False, "pass")):
            folder = tmp_path / f"{number}-{right}"
            folder.mkdir()
            monkeypatch.chdir(folder)
            space: dict[str, Any] = {}
            exec(f"{worlds[case['world']]}\nfrom pathlib import Path\nimport numpy as np\nimport pandas as pd", space)
            space["plt"] = pyplot
            if benchmark()["holds"](case["check"], [source], space, worlds[case["world"]]) is not right:
                astray.append((right, case["prompt"]))
            pyplot.close("all")
    assert astray == []


@pytest.mark.timeout(900)  # three hundred answers are run
def test_of_the_strangers_lists_enough_is_right_and_next_to_nothing_wrong() -> None:
    found = [counts(name) for name in STRANGERS]
    assert sum(one["done"] for one in found) >= LEAST_RIGHT
    assert sum(one["wrong"] for one in found) <= MOST_WRONG
