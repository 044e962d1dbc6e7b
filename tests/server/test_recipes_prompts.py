"""People's own words: how many prompts get a cell that runs and does it, and that a wrong recipe is rarer than a no.

Each list has its own floor, a little below what is reached; ``benchmarks/recipes.py`` tells what its first run gave.
"""

from __future__ import annotations

import json
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROMPTS = Path(__file__).parent / "prompts"
DONE = {
    "people.jsonl": 0.95,
    "second.jsonl": 0.92,
    "third.jsonl": 0.9,
    "fourth.jsonl": 0.78,
    "fifth.jsonl": 0.88,
    "sixth.jsonl": 0.6,  # nobody tuned for this one
}
"""The part of the answerable prompts of each list that must get a cell that runs and does what was asked."""
WRONG = dict.fromkeys(DONE, 0.03) | {"sixth.jsonl": 0.08}
"""The part of all its prompts that may get a wrong recipe."""
NAMES = sorted(DONE)
BY_RESULT = ["eighteenth.jsonl", "eighth.jsonl", "eleventh.jsonl", "nineteenth.jsonl", "ninth.jsonl", "seventeenth.jsonl", "seventh.jsonl",
             "tenth.jsonl", "twelfth.jsonl", "twentieth.jsonl", "twenty-first.jsonl", "twenty-second.jsonl"]  # fmt: skip
LEAST_DONE = {
    "seventh.jsonl": 0.82, "eighth.jsonl": 0.8, "ninth.jsonl": 0.74, "tenth.jsonl": 0.64, "eleventh.jsonl": 0.9,
    "twelfth.jsonl": 0.67, "seventeenth.jsonl": 0.67, "eighteenth.jsonl": 0.86, "nineteenth.jsonl": 0.57,
    "twentieth.jsonl": 0.57, "twenty-first.jsonl": 0.8, "twenty-second.jsonl": 0.66,  # of the last one next to nothing is mended
}  # fmt: skip
MOST_WRONG = {
    "seventh.jsonl": 0.03, "eighth.jsonl": 0.05, "ninth.jsonl": 0.03, "tenth.jsonl": 0.03, "eleventh.jsonl": 0.03,
    "twelfth.jsonl": 0.03, "seventeenth.jsonl": 0.03, "eighteenth.jsonl": 0.03, "nineteenth.jsonl": 0.03,
    "twentieth.jsonl": 0.03, "twenty-first.jsonl": 0.03, "twenty-second.jsonl": 0.05,
}  # fmt: skip


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
    assert len(every) >= 400
    assert sum(case["expect"] == ["none"] for case in every) >= 70
    assert {case["world"] for case in every} <= set(worlds)
    assert all(len({case["prompt"] for case in cases(name)}) == len(cases(name)) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_that_a_prompt_expects_exists(name: str) -> None:
    from spark_jupyter.server.engines.recipes import RecipeEngine

    titles = {entry.title for entry in RecipeEngine().matcher.entries}
    assert [case for case in cases(name) if not {*titles, "none"} & set(case["expect"])] == []


@pytest.mark.parametrize("name", NAMES)
def test_most_prompts_get_a_cell_that_runs_and_does_it(name: str) -> None:
    assert counts(name)["done"] >= DONE[name] * counts(name)["asked"]


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_recipe_is_rare(name: str) -> None:
    assert counts(name)["wrong"] <= WRONG[name] * (counts(name)["asked"] + counts(name)["unanswerable"])


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


@pytest.mark.parametrize("name", BY_RESULT)
def test_by_result_most_are_done_and_few_are_wrong_without_saying_so(name: str) -> None:
    found = counts(name)
    total = len(cases(name))
    assert found["done"] >= LEAST_DONE[name] * total
    assert found["wrong"] <= MOST_WRONG[name] * total
