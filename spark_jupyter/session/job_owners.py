"""Owners of jobs: turn, attempt, or deep step."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.protocol.values import TurnId
from spark_jupyter.providers.base import Overnight


class TurnOwner(Struct, frozen=True):
    """A turn with one answer."""

    turn_id: TurnId


class AttemptOwner(Struct, frozen=True):
    """An attempt of a race; ``index`` and ``round`` count from 0."""

    turn_id: TurnId
    index: int
    round: int = 0


class DeepOwner(Struct, frozen=True):
    """A step of a deep work; ``step`` counts from 0, the plan is -1.

    Its cells are named after ``turn_id``. ``number`` counts the requests and trials of the work. ``fast``: the model that answers turns
    writes it, in parallel with others. ``overnight``: its requests may take hours."""

    work_id: TurnId
    turn_id: TurnId
    step: int
    number: int
    fast: bool = False
    overnight: Overnight | None = None


Owner = TurnOwner | AttemptOwner | DeepOwner
