"""Every rule of the reality check has a page with an example that it finds and one that it leaves alone, and findings lead to it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd  # noqa: F401 (so that the kernel has it)
import pytest
import seaborn as sns  # noqa: F401

from spark_jupyter.guardrail.rule_pages import page_of
from spark_jupyter.reality import check
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.rule_explanations import EXPLANATIONS

ROOT = Path(__file__).parent.parent.parent


def test_every_rule_is_explained() -> None:
    assert set(EXPLANATIONS) == set(Rule)


@pytest.mark.parametrize("rule", Rule)
def test_the_examples_are_found_and_left_alone_and_lead_to_the_page(rule: Rule) -> None:
    namespace: dict[str, object] = {}
    exec(EXPLANATIONS[rule].before, namespace)
    (finding,) = check(EXPLANATIONS[rule].bad, namespace)
    assert (finding.rule, finding.page) == (rule.value, page_of(rule.value))
    assert (ROOT / finding.page).is_file()
    assert check(EXPLANATIONS[rule].good, namespace) == []
