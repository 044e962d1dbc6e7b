"""Code that a rule must find and code that it must leave alone: the examples of its page, and those in ``cases``."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from spark_jupyter.guardrail.rule import Rule

FOLDER = Path(__file__).parent / "cases"


def cases_of(rule: Rule, kind: Literal["bad", "good"]) -> Sequence[str]:
    """All cases of one kind, those of the rule's own file first."""
    file = FOLDER / f"{rule.id}.toml"
    more = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return [*getattr(rule, kind), *more.get(kind, ())]
