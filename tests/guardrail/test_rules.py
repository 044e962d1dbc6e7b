"""Every rule finds its bad examples and leaves its good ones alone; so does every other rule leave the good ones."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check
from spark_jupyter.guardrail.rules import BY_ID, RULES

BAD = [pytest.param(rule.id, text, id=f"{rule.id}-{n}") for rule in RULES for n, text in enumerate(rule.bad)]
GOOD = [pytest.param(rule.id, text, id=f"{rule.id}-{n}") for rule in RULES for n, text in enumerate(rule.good)]


@pytest.mark.parametrize(("rule", "text"), BAD)
def test_a_rule_finds_its_bad_examples(rule: str, text: str) -> None:
    assert rule in {finding.rule for finding in check(text)}


@pytest.mark.parametrize(("rule", "text"), GOOD)
def test_a_rule_leaves_its_good_examples_alone(rule: str, text: str) -> None:
    assert [finding for finding in check(text) if finding.rule == rule] == []


def test_every_rule_has_words_and_examples() -> None:
    assert len(BY_ID) == len(RULES)
    for rule in RULES:
        assert rule.bad, rule.id
        assert rule.good, rule.id
        assert rule.message.endswith("."), rule.id
        assert rule.remedy.endswith("."), rule.id
        assert rule.cwe > 0
