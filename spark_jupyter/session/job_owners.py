"""Who a job belongs to. Values; pure."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.protocol.values import TurnId


class TurnOwner(Struct, frozen=True):
    """A turn that is answered once."""

    turn_id: TurnId


class AttemptOwner(Struct, frozen=True):
    """One attempt of a turn that races, from 0, in one of its rounds, from 0."""

    turn_id: TurnId
    index: int
    round: int = 0


class DeepOwner(Struct, frozen=True):
    """A step of a deep work, from 0, whose cells are named after ``turn_id``; the plan is step -1. ``number`` counts all that the work has
    asked for. ``fast``: the model that answers turns writes it, beside others."""

    work_id: TurnId
    turn_id: TurnId
    step: int
    number: int
    fast: bool = False


Owner = TurnOwner | AttemptOwner | DeepOwner
