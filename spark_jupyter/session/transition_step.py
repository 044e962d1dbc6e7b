"""One step of a state machine that is written as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Transitions = Mapping[tuple[Any, Any], tuple[Any, tuple[str, ...]]]
"""Maps a phase and an input to the next phase and the names of the actions to take, in order."""


def take_step(machine: Any, transitions: Transitions, received: object, at: float) -> None:
    """Move ``machine`` to the next phase, then call its method ``_do_NAME(at)`` for each action of the transition.

    A pair of phase and input that the table does not have changes nothing.
    """
    transition = transitions.get((machine.phase, received))
    if transition is None:
        return
    machine.phase, actions = transition
    for action in actions:
        getattr(machine, f"_do_{action}")(at)
