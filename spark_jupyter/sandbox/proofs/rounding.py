"""Agreement of two outcomes up to rounding, in significant digits.

Sums in another order differ in their last digits. The outcomes still count as different: this only says how much, and only where nothing
else differs.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Sequence

from spark_jupyter.sandbox.proofs.outcome_diff import IntendedChanges, Outcome, OutcomeDifference, root, told
from spark_jupyter.sandbox.proofs.proof_messages import Numbers, NumbersTold

FEWEST = 9
"""Digits that must agree; of 15 to 17 that a number has. Adding a million numbers up in another order leaves eleven at the least."""
_MOST = 15
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w])")


def measurable(found: Iterable[OutcomeDifference], old: Outcome, new: Outcome) -> tuple[str, ...]:
    """The variables whose numbers would say how far these outcomes agree; none where something else than values and output differs."""
    found = list(found)
    both = {one.name for one in old.described.values} & {one.name for one in new.described.values}
    names = {root(spot.name) for spot in found if spot.kind == "variable"}
    seen = all(spot.kind in ("variable", "output") for spot in found)
    return tuple(sorted(names)) if seen and names <= both else ()


def digits(
    old: NumbersTold, new: NumbersTold, names: Sequence[str], shown: tuple[Outcome, Outcome], meant: IntendedChanges
) -> int:
    """So many of the first digits agree wherever these differ; 0 where fewer than :data:`FEWEST` do, or something else differs."""
    before, after = ({one.name: one for one in side.values} for side in (old, new))
    if any(name not in before or name not in after for name in names):
        return 0
    apart = [_apart(before[name], after[name]) for name in names]
    if not all(apart):  # a variable that differs in no number differs in something else
        return 0
    return _digits(max([*apart, _apart_in_output(*shown, meant)]))


def _digits(apart: float) -> int:
    agree = min(_MOST, math.floor(-math.log10(apart))) if 0 < apart < 1 else 0
    return agree if agree >= FEWEST else 0


def _apart(old: Numbers, new: Numbers) -> float:
    """The largest difference of two numbers, as a share of them."""
    if old.mark != new.mark or old.floats is None or new.floats is None or len(old.floats) != len(new.floats):
        return math.inf
    before, after = (array("d", one[: len(one) - len(one) % 8]) for one in (old.floats, new.floats))
    return max(map(_share, before, after), default=0.0)


def _share(one: float, other: float) -> float:
    if one == other or (one != one and other != other):
        return 0.0
    share = abs(one - other) / max(abs(one), abs(other))
    return share if share == share else math.inf


def _apart_in_output(old: Outcome, new: Outcome, meant: IntendedChanges) -> float:
    """As far as numbers that are shown are apart; infinitely where anything else is shown."""
    before, after = told(old, meant), told(new, meant)
    if len(before) != len(after):
        return math.inf
    return max((_apart_in_text(*pair) for pair in zip(before, after, strict=True)), default=0.0)


def _apart_in_text(old: tuple[str, str], new: tuple[str, str]) -> float:
    if old == new:
        return 0.0
    words = [_NUMBER.sub("0", text) for _, text in (old, new)]
    if old[0] != new[0] or old[0] == "figure" or words[0] != words[1]:
        return math.inf
    pairs = zip(_NUMBER.findall(old[1]), _NUMBER.findall(new[1]), strict=True)
    return max((_apart_as_written(one, other) for one, other in pairs), default=0.0)


def _apart_as_written(one: str, other: str) -> float:
    """Whole numbers count things: they differ, or do not."""
    if one == other:
        return 0.0
    return math.inf if one.lstrip("+-").isdigit() and other.lstrip("+-").isdigit() else _share(float(one), float(other))
