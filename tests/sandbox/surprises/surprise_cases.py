"""Cells at which a rule of the surprises must speak and must not: the rule's two examples, and those in ``cases``."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule

FOLDER = Path(__file__).parent / "cases"


def cases_of(rule: Rule, kind: Literal["bad", "good"]) -> Sequence[Case]:
    """All cases of one kind, that of the rule's own file first."""
    file = FOLDER / f"{rule.id}.toml"
    more = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return [getattr(rule, kind), *(Case(more["setups"][one["setup"]], one["cell"]) for one in more.get(kind, ()))]
