"""Application of all surprise rules to one change."""

from __future__ import annotations

import time

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.rules import RULES

MOST = 8
"""Of one cell: what is surprising in more ways is one surprise."""
_MOST_OF_A_RULE = 3
_SECONDS = 0.25
"""Of the processor that the rules may take for one cell: they see the same on a busy machine."""


def look(change: Change) -> list[Sighting]:
    """Observations of all rules; a rule that fails reports nothing."""
    found: list[Sighting] = []
    until = time.thread_time() + _SECONDS
    for rule in sorted(RULES.values(), key=lambda one: one.late):
        if time.thread_time() > until:
            break
        try:
            found += list(dict.fromkeys(rule.looks(change)))[:_MOST_OF_A_RULE]
        except Exception:  # the data may be stranger than all that is foreseen, and a guess is worse than silence
            continue
    return found[:MOST]
