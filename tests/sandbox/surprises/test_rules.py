"""Every rule sees its bad examples and leaves all good ones alone: they are run for real, before and after, in one process."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path
from typing import Any

import pytest

from spark_jupyter.sandbox.surprises.cell_change import CellRun, Change, Moment
from spark_jupyter.sandbox.surprises.detection import look
from spark_jupyter.sandbox.surprises.rules import RULES
from spark_jupyter.sandbox.surprises.surprise_rule import Case
from spark_jupyter.sandbox.surprises.surprise_sentences import surprises_of
from spark_jupyter.sandbox.values.namespace_diff import compare, snapshot_all
from tests.sandbox.surprises.surprise_cases import FOLDER, cases_of
from tests.translated_texts import is_translated

ROOT = Path(__file__).parents[3]
BAD = [
    pytest.param(rule.id, case, id=f"{rule.id}-{n}")
    for rule in RULES.values()
    for n, case in enumerate(cases_of(rule, "bad"))
]
GOOD = [
    pytest.param(case, id=f"{rule.id}-{n}") for rule in RULES.values() for n, case in enumerate(cases_of(rule, "good"))
]


@pytest.fixture(autouse=True, scope="module")
def no_windows():
    import matplotlib

    matplotlib.use("agg")


def messages_by_rule(case: Case) -> dict[str, str]:
    """What is said of a cell, by its rule."""
    namespace: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(case.before, namespace)
        before, pictures = Moment(namespace), snapshot_all(namespace, keep=True)
        run = CellRun(case.cell)
        for statement in ast.parse(case.cell).body:
            run.next_statement(namespace)
            exec(compile(ast.Module([statement], []), "<cell>", "exec"), namespace)
        effects = compare(pictures, snapshot_all(namespace))
        figures = []
        if "plt" in namespace:
            figures = [namespace["plt"].figure(number) for number in namespace["plt"].get_fignums()]
        changed = [effect.name for effect in effects if effect.action != "deleted"]
        change = Change(before, namespace, changed=changed, run=run, earlier=[case.before], figures=figures)
        return {surprise.rule: surprise.message for surprise in surprises_of(look(change))}


@pytest.mark.parametrize(("rule", "case"), BAD)
def test_a_rule_sees_its_bad_examples(rule: str, case: Case) -> None:
    said = messages_by_rule(case)
    assert rule in said
    assert is_translated(said[rule]), said[rule]


@pytest.mark.parametrize("case", GOOD)
def test_every_rule_leaves_the_good_examples_alone(case: Case) -> None:
    assert messages_by_rule(case) == {}


def test_a_key_that_is_a_whole_number_is_shown_as_one() -> None:
    before = "import pandas as pd\nleft = pd.DataFrame({'k': [1, 1, 2]})\nright = pd.DataFrame({'k': [1, 1, 3]})"
    said = messages_by_rule(Case(before, "both = left.merge(right, on='k', how='left')"))["join-multiplied"]
    assert said.endswith("duplicate keys: `1`.")
    assert is_translated(said)


def test_every_file_of_cases_is_a_rules() -> None:
    assert {path.stem for path in FOLDER.iterdir()} <= RULES.keys()


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_every_rule_has_words_and_enough_examples(rule) -> None:
    assert len(cases_of(rule, "bad")) >= 3
    assert len(cases_of(rule, "good")) >= 3
    assert is_translated(rule.remedy), rule.remedy
    assert rule.remedy.endswith(".")
    assert rule.tells.endswith(".")
    said = messages_by_rule(rule.bad)[rule.id]
    assert said.endswith(".")
    assert len(said) < 300
