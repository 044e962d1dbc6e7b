"""One turn in the making, and the whole of what can happen to it, as a table. Pure.

A turn is in one :class:`Phase`. A pair of phase and input that is not in :data:`TRANSITIONS` has no effect: that is how the tail of
a request that was dropped disappears. The steps of a transition are the ``_do_…`` methods of :class:`spark_jupyter.core.session.Session`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from spark_jupyter.core.meter import TurnMeter
from spark_jupyter.core.writing import Writing
from spark_jupyter.exceptions import SparkError
from spark_jupyter.providers.base import Message
from spark_jupyter.speech.redaction import RestoreStream
from spark_jupyter.wire.messages import Finding, Prompt, Turn, TurnOutcome

MOST_CORRECTIONS = 2
"""How often a turn is cut and steered by a finding before its proposal stays, blocked (DESIGN §3)."""


class Phase(Enum):
    """Where a turn stands. The last four are ends."""

    WAITING = auto()  # a request is out, none of its answer has come
    STREAMING = auto()  # the answer is coming
    REHEARSING = auto()  # it is whole, and its last statements are still being run in a copy
    COMPLETED = auto()
    CANCELLED = auto()
    SUPERSEDED = auto()
    FAILED = auto()


class Input(Enum):
    """What can happen to a turn."""

    TEXT = auto()  # more of the answer
    DONE = auto()  # the answer is whole, or the provider cut it short
    WRITTEN = auto()  # … and something of it is still being rehearsed
    REHEARSED = auto()  # nothing is, any more
    LOST = auto()  # the connection broke off
    LOST_AGAIN = auto()  # … after it had been tried anew already
    FAILURE = auto()  # the provider refused
    CANCEL = auto()  # the user stops it
    STEER = auto()  # the user redirects it
    BLOCKED = auto()  # a check objects, and there are corrections left


_GO_ON = {
    Input.TEXT: (Phase.STREAMING, ("write",)),
    Input.DONE: (Phase.COMPLETED, ("remember", "end")),
    Input.WRITTEN: (Phase.REHEARSING, ("await",)),
    Input.LOST_AGAIN: (Phase.FAILED, ("keep", "end")),
    Input.FAILURE: (Phase.FAILED, ("keep", "end")),
    Input.CANCEL: (Phase.CANCELLED, ("drop", "keep", "remember", "end")),
    Input.STEER: (Phase.SUPERSEDED, ("drop", "hand_over", "end")),
    Input.BLOCKED: (Phase.WAITING, ("drop", "correct")),
}

TRANSITIONS: Mapping[tuple[Phase, Input], tuple[Phase, tuple[str, ...]]] = {
    **{(phase, received): step for phase in (Phase.WAITING, Phase.STREAMING) for received, step in _GO_ON.items()},
    # Nothing has been shown yet: asking again on a new connection can double nothing.
    (Phase.WAITING, Input.LOST): (Phase.WAITING, ("resend",)),
    (Phase.STREAMING, Input.LOST): (Phase.FAILED, ("keep", "end")),
    # The request is over: only the user and the copy have a say.
    (Phase.REHEARSING, Input.REHEARSED): (Phase.COMPLETED, ("remember", "end")),
    (Phase.REHEARSING, Input.BLOCKED): (Phase.WAITING, ("correct",)),
    (Phase.REHEARSING, Input.CANCEL): (Phase.CANCELLED, ("keep", "remember", "end")),
    (Phase.REHEARSING, Input.STEER): (Phase.SUPERSEDED, ("hand_over", "end")),
}

OUTCOMES: Mapping[Phase, TurnOutcome] = {
    Phase.COMPLETED: "completed",
    Phase.CANCELLED: "cancelled",
    Phase.SUPERSEDED: "superseded",
    Phase.FAILED: "failed",
}


class LiveTurn:
    """A turn in the making, and what is left of it when it has ended. A machine's state: only the session changes it."""

    def __init__(
        self, value: Turn, prompt: Prompt, writing: Writing, meter: TurnMeter, restorer: RestoreStream
    ) -> None:
        self.value = value
        self.prompt = prompt
        self.writing = writing
        self.meter = meter
        self.restorer = restorer
        self.phase = Phase.WAITING
        self.attempt = 0
        self.resent = False
        self.reason = ""
        self.error: SparkError | None = None
        self.shown: Mapping[str, str] | None = None
        self.text: list[str] = []
        self.rebuilt = False
        self.corrected: list[Finding] = []
        self.conversation: tuple[Message, ...] = ()

    @property
    def live(self) -> bool:
        return self.phase not in OUTCOMES

    @property
    def may_cut(self) -> bool:
        return self.value.corrections < MOST_CORRECTIONS and not self.prompt.attempts.races
