"""Documentation page of a rule.

``scripts/rule_pages.py`` writes it into ``docs/rules``; ``spark-jupyter check --explain RULE`` prints the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from spark_jupyter.guardrail.rule import Rule

FOLDER: Final = "docs/rules"
_SEVERITIES: Final = {"block": "blocks", "warn": "warns", "hint": "hints"}

_SECRET: Final = re.compile(r"(gh[p]_)\w{20,}")
"""Realistic secrets in examples, which secret scanners of repositories would report."""


def page_of(rule_id: str) -> str:
    return f"{FOLDER}/{rule_id}.md"


def page(rule: Rule, why: str) -> str:
    """Page of a rule as Markdown; ``why`` is the docstring of its module."""
    return "\n".join(
        [
            f"# {rule.id}",
            "",
            why.strip().replace("``", "`"),
            "",
            f"{rule.message} {rule.remedy}",
            "",
            f"It {_SEVERITIES[rule.severity]}, unless a line is better or worse than most.",
            f"The weakness is [CWE-{rule.cwe}](https://cwe.mitre.org/data/definitions/{rule.cwe}.html).",
            "",
            "## Found",
            *_examples(rule.bad),
            "## Left alone",
            *_examples(rule.good),
            "## Allowing it",
            "",
            "Where a line is meant as it stands, a person says so in it, with the reason:",
            "",
            f"```python\n…  # spark: allow {rule.id} because …\n```",
            "",
            "It is then shown, and does not block. What a model writes allows nothing.",
            "",
        ]
    )


def _examples(texts: Iterable[str]) -> list[str]:
    shown = [_SECRET.sub(r"\1…", "".join(map(_seen, text))) for text in texts]
    return ["", *[part for text in shown for part in (f"{_fence(text)}python", text, _fence(text), "")]]


def _seen(char: str) -> str:
    """Escape an invisible character."""
    return char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}"


def _fence(text: str) -> str:
    """Fence that is longer than any row of backticks in the text (CommonMark 0.31, 4.5)."""
    fence = "```"
    while fence in text:
        fence += "`"
    return fence


def index(rules: Iterable[Rule]) -> str:
    rows = [
        f"| [{rule.id}]({rule.id}.md) | {_SEVERITIES[rule.severity]} | CWE-{rule.cwe} | {rule.message} |"
        for rule in rules
    ]
    return "\n".join(
        [
            "# The guardrail's rules",
            "",
            "Written by `scripts/rule_pages.py` from `spark_jupyter/guardrail/rules`; change it there.",
            "",
            "| rule | it | weakness | what it says |",
            "|---|---|---|---|",
            *sorted(rows),
            "",
        ]
    )
