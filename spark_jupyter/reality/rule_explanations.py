"""Documentation pages of the reality check's rules (``rule_explanations.toml``).

Each has examples that are found and left alone, and when the check is silent. ``scripts/rule_pages.py`` writes them
into ``docs/rules``; ``spark-jupyter check --explain RULE`` prints the same.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final, NamedTuple

from spark_jupyter.reality.findings import Rule


class Explanation(NamedTuple):
    """``bad`` is found in a kernel in which only ``before`` has run, ``good`` is not: they are the rule's tests."""

    why: str
    bad: str
    good: str
    silent: str = "Where the kind of value can't be known, and in `try` bodies and behind guards such as `hasattr`."
    before: str = ""


EXPLANATIONS: Final = {
    Rule(name): Explanation(**said)
    for name, said in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}


def page(rule: Rule) -> str:
    told = EXPLANATIONS[rule]
    return "\n".join(
        [
            f"# {rule.value}",
            "",
            f"{told.why} The reality check compares what a cell names with the live kernel, and runs none of it.",
            "",
            *(("## In the kernel", "", f"```python\n{told.before}\n```", "") if told.before else ()),
            "## Found",
            "",
            f"```python\n{told.bad}\n```",
            "",
            "## Left alone",
            "",
            f"```python\n{told.good}\n```",
            "",
            "## When it is silent",
            "",
            told.silent,
            "",
            "## All the same",
            "",
            "What blocks asks a second time before it runs; a person who says yes runs it as it stands.",
            "",
        ]
    )


def index() -> str:
    """The list of links to these pages, below the guardrail's."""
    rows = [f"| [{rule.value}]({rule.value}.md) | {told.why} |" for rule, told in EXPLANATIONS.items()]
    return "\n".join(["", "# The reality check's rules", "", "| rule | what it says |", "|---|---|", *rows, ""])
