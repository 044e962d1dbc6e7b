"""Who a job belongs to. Values; pure."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.wire.values import TurnId


class TurnOwner(Struct, frozen=True):
    """A turn that is answered once."""

    turn_id: TurnId


class AttemptOwner(Struct, frozen=True):
    """One attempt of a turn that races, from 0, in one of its rounds, from 0."""

    turn_id: TurnId
    index: int
    round: int = 0


Owner = TurnOwner | AttemptOwner
