"""Every rule finds its bad examples and leaves its good ones alone; so does every other rule leave the good ones."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check
from spark_jupyter.guardrail.rules import MODULES, RULES
from tests.guardrail.rule_cases import FOLDER, cases_of

BAD = [
    pytest.param(rule.id, text, id=f"{rule.id}-{n}")
    for rule in RULES.rules
    for n, text in enumerate(cases_of(rule, "bad"))
]
GOOD = [
    pytest.param(rule.id, text, id=f"{rule.id}-{n}")
    for rule in RULES.rules
    for n, text in enumerate(cases_of(rule, "good"))
]

FOUND_BY_OTHERS = {
    'import os, shlex\nos.system("mpv " + shlex.join(files))': "shell-without-need",  # quoted well, by a shell all the same
    "import jwt\njwt.decode(token, verify=False)": "jwt-not-verified",  # no TLS is meant, and a token is not looked at
}
"""Good examples of a rule whose whole point is that another rule, which is right, has its say."""


@pytest.mark.parametrize(("rule", "text"), BAD)
def test_a_rule_finds_its_bad_examples(rule: str, text: str) -> None:
    assert rule in {finding.rule for finding in check(text)}


@pytest.mark.parametrize(("rule", "text"), GOOD)
def test_every_rule_leaves_the_good_examples_alone(rule: str, text: str) -> None:
    assert {finding.rule for finding in check(text)} == ({FOUND_BY_OTHERS[text]} if text in FOUND_BY_OTHERS else set())


def test_what_is_found_by_others_is_an_example_of_another_rule() -> None:
    examples = {text: rule.id for rule in RULES.rules for text in cases_of(rule, "good")}
    assert all(examples[text] != other for text, other in FOUND_BY_OTHERS.items())


def test_every_file_of_cases_is_a_rules() -> None:
    assert {path.stem for path in FOLDER.iterdir()} <= RULES.by_id.keys()


def test_a_rules_file_is_named_after_its_id() -> None:
    files = {module.RULE.id: module.__name__.rpartition(".")[2] for module in MODULES}
    assert files == {rule.id: rule.id.replace("-", "_") for rule in RULES.rules}


def test_every_rule_has_words_and_examples() -> None:
    assert len(RULES.by_id) == len(RULES.rules)
    for rule in RULES.rules:
        assert rule.bad, rule.id
        assert rule.good, rule.id
        assert rule.message.endswith("."), rule.id
        assert rule.remedy.endswith("."), rule.id
        assert rule.cwe > 0
