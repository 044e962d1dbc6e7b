"""Transition table of one answer's generation.

A pair of phase and input that is not in :data:`TRANSITIONS` has no effect. The actions of a transition are the ``_do_…`` methods of
:class:`spark_jupyter.session.generation.Generation`. Sending a request again after a lost connection is no input here:
:mod:`spark_jupyter.session.jobs` does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from spark_jupyter.protocol.values import TurnOutcome

MOST_CORRECTIONS = 2
"""Most corrections of an answer before its proposal stays blocked."""

MOST_REPAIRS = 2
"""Most unasked repairs of an answer with a new cell that failed in a copy."""


class Phase(Enum):
    """Phase of an answer. The last four are ends."""

    WAITING = auto()  # a request is out, none of its answer has come
    STREAMING = auto()  # the answer is coming
    REHEARSING = auto()  # the answer is whole, and its last statements are still being run in a copy
    COMPLETED = auto()
    CANCELLED = auto()
    SUPERSEDED = auto()
    FAILED = auto()


class Input(Enum):
    TEXT = auto()  # more of the answer has come
    DONE = auto()  # the answer is whole, or the provider cut it short
    WRITTEN = auto()  # the answer is whole, and some of it is still being rehearsed
    REHEARSED = auto()  # the rehearsal is complete
    FAILURE = auto()  # the provider refused, or the connection broke off
    CANCEL = auto()  # the user stops it
    STEER = auto()  # the user redirects it
    BROKEN = auto()  # a new cell of the whole answer failed in the copy, and there are repairs left
    BLOCKED = auto()  # a check objects, and there are corrections left


_GO_ON = {
    Input.TEXT: (Phase.STREAMING, ()),
    Input.DONE: (Phase.COMPLETED, ()),
    Input.WRITTEN: (Phase.REHEARSING, ("await",)),
    Input.FAILURE: (Phase.FAILED, ("keep",)),
    Input.CANCEL: (Phase.CANCELLED, ("drop", "keep")),
    Input.STEER: (Phase.SUPERSEDED, ("drop", "hand_over")),
    Input.BLOCKED: (Phase.WAITING, ("drop", "correct")),
    Input.BROKEN: (Phase.WAITING, ("repair",)),
}

TRANSITIONS: Mapping[tuple[Phase, Input], tuple[Phase, tuple[str, ...]]] = {
    **{(phase, received): step for phase in (Phase.WAITING, Phase.STREAMING) for received, step in _GO_ON.items()},
    # The request is over: only the user and the copy can change the outcome.
    (Phase.REHEARSING, Input.REHEARSED): (Phase.COMPLETED, ()),
    (Phase.REHEARSING, Input.BLOCKED): (Phase.WAITING, ("correct",)),
    (Phase.REHEARSING, Input.BROKEN): (Phase.WAITING, ("repair",)),
    (Phase.REHEARSING, Input.CANCEL): (Phase.CANCELLED, ("keep",)),
    (Phase.REHEARSING, Input.STEER): (Phase.SUPERSEDED, ("hand_over",)),
}

OUTCOMES: Mapping[Phase, TurnOutcome] = {
    Phase.COMPLETED: "completed",
    Phase.CANCELLED: "cancelled",
    Phase.SUPERSEDED: "superseded",
    Phase.FAILED: "failed",
}
