"""What a copy says that it saw becomes a sentence of ours. In the kernel: a copy in which anything may have run has no say in it. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from spark_jupyter.trial.protocol import Sighting
from spark_jupyter.wire.surprising import Surprise

if TYPE_CHECKING:
    from spark_jupyter.trial.surprises.rule import Rule

MOST = 8
"""Of one cell."""


def told(sightings: Iterable[Sighting]) -> tuple[Surprise, ...]:
    """The sightings in our words. Of what no rule would have said nothing is left."""
    from spark_jupyter.trial.surprises.rules import RULES  # not needed before the first copy

    known = [one for one in sightings if one.rule in RULES and all(map(math.isfinite, one.numbers))]
    said = (_worded(RULES[one.rule], one) for one in known[:MOST])
    return tuple(dict.fromkeys(surprise for surprise in said if surprise is not None))


def _worded(rule: Rule, sighting: Sighting) -> Surprise | None:
    try:
        return Surprise(rule=rule.id, message=rule.says(sighting), remedy=rule.remedy)
    except (IndexError, ValueError, OverflowError):
        return None  # forged: a rule's own sighting has all that its sentence needs
