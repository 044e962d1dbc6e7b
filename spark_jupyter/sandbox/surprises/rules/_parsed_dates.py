"""Date columns that a cell made, with the columns they came from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from spark_jupyter.sandbox.surprises.cell_change import Change, Pair
from spark_jupyter.sandbox.surprises.table_samples import Column


class Parsed(NamedTuple):
    """``dates`` were made of ``raw``."""

    raw: Column
    dates: Column
    sampled: bool


def parsed_in(change: Change) -> Iterator[Parsed]:
    """The columns of dates that are new, or were none before, each with the one column that it was made of; both of the same rows."""
    for pair in change.pairs:
        if pair.old.rows != pair.new.rows:
            continue
        for name, dates in pair.new.columns.items():
            raw = _raw(pair, name)
            if dates.kind == "time" and raw is not None and raw.kind in ("text", "number"):
                yield Parsed(raw, dates, not pair.new.whole)


def _raw(pair: Pair, name: str) -> Column | None:
    if name in pair.old.columns:
        return pair.old.columns[name]
    steps = [step for step in pair.steps if step.column in (name, None)]
    text = steps[-1].mentions if steps else ""
    named = [
        one for one in pair.old.columns if f"'{one}'" in text or re.search(rf"\b{pair.name}\.{re.escape(one)}\b", text)
    ]
    return pair.old.columns[named[0]] if len(named) == 1 else None
