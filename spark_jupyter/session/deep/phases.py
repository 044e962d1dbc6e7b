"""Transition table of a deep work.

:data:`TRANSITIONS` maps a phase and an input to the next phase and to the actions, which are the ``_do_…`` methods of
:class:`spark_jupyter.session.deep.deep_work.Work`. A pair that is not in the table changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from spark_jupyter.protocol.deep_messages import DeepState


class Phase(Enum):
    """Phase of a deep work. The last three are ends."""

    PLANNING = auto()  # the model is asked for a plan
    PLANNED = auto()  # the plan waits for a person's word
    WRITING = auto()  # one step is written, or several that need nothing of each other
    TRYING = auto()  # the cells so far run in a copy of the kernel
    STALLED = auto()  # the connection was lost; it is asked again after a delay
    PAUSED = auto()
    PROPOSED = auto()
    GAVE_UP = auto()
    CANCELLED = auto()


class Input(Enum):
    PLAN = auto()  # a plan has come
    PLAN_TO_SHOW = auto()  # a plan has come, and a person wants to see it first
    WRITTEN = auto()  # what was asked for is written
    CHECK = auto()  # every step is written, and the last run was without the checks
    PASSED = auto()  # the copy ran, and its checks pass
    AGAIN = auto()  # the copy or a check failed, and there are rounds left
    FAILED = auto()  # the copy or a check failed, and no rounds are left
    LOST = auto()  # the connection was lost, or the provider asks for patience
    GO_ON = auto()  # a person says so, or the delay is over; there is a plan
    ASK = auto()  # the same, and there is no plan
    EDIT = auto()  # a person has changed the plan
    STEER = auto()  # a person says what should be different
    PAUSE = auto()
    DONE = auto()  # there is nothing more to do, or to do it with; some of it can be proposed
    NOTHING = auto()  # the same, and nothing can be proposed
    CANCEL = auto()


_ENDS = {
    Input.DONE: (Phase.PROPOSED, ("stop", "propose")),
    Input.NOTHING: (Phase.GAVE_UP, ("stop",)),
    Input.CANCEL: (Phase.CANCELLED, ("stop",)),
}
_BUSY = {
    **_ENDS,
    Input.PAUSE: (Phase.PAUSED, ("stop",)),
    Input.EDIT: (Phase.WRITING, ("stop", "rewind", "write")),
}
_AT_A_STEP = {**_BUSY, Input.STEER: (Phase.WRITING, ("stop", "write"))}
_WAITING = {
    **_ENDS,
    Input.EDIT: (None, ("rewind",)),
    Input.STEER: (None, ()),
    Input.GO_ON: (Phase.WRITING, ("write",)),
    Input.ASK: (Phase.PLANNING, ("plan",)),
}

_TABLE: Mapping[Phase, Mapping[Input, tuple[Phase | None, tuple[str, ...]]]] = {
    Phase.PLANNING: {
        **_BUSY,
        Input.STEER: (Phase.PLANNING, ("stop", "plan")),
        Input.PLAN: (Phase.WRITING, ("write",)),
        Input.PLAN_TO_SHOW: (Phase.PLANNED, ()),
        Input.LOST: (Phase.STALLED, ("stop", "rest")),
    },
    Phase.PLANNED: _WAITING,
    Phase.WRITING: {
        **_AT_A_STEP,
        Input.WRITTEN: (Phase.TRYING, ("try",)),
        Input.CHECK: (Phase.TRYING, ("check",)),
        Input.PASSED: (Phase.WRITING, ("keep", "advance")),  # there is nothing in it to run
        Input.AGAIN: (Phase.WRITING, ("write_again",)),  # a finding blocks it
        Input.FAILED: (Phase.WRITING, ("leave_out", "advance")),
        Input.LOST: (Phase.STALLED, ("stop", "rest")),
    },
    Phase.TRYING: {
        **_AT_A_STEP,
        Input.PASSED: (Phase.WRITING, ("keep", "advance")),
        Input.AGAIN: (Phase.WRITING, ("write_again",)),
        Input.FAILED: (Phase.WRITING, ("leave_out", "advance")),
    },
    Phase.STALLED: {
        **_AT_A_STEP,
        Input.GO_ON: (Phase.WRITING, ("write",)),
        Input.ASK: (Phase.PLANNING, ("plan",)),
    },
    Phase.PAUSED: _WAITING,
}

TRANSITIONS: Mapping[tuple[Phase, Input], tuple[Phase, tuple[str, ...]]] = {
    (phase, received): (phase if then is None else then, steps)
    for phase, row in _TABLE.items()
    for received, (then, steps) in row.items()
}

STATES: Mapping[Phase, DeepState] = {
    Phase.PLANNING: "planning",
    Phase.PLANNED: "planned",
    Phase.WRITING: "writing",
    Phase.TRYING: "trying",
    Phase.STALLED: "stalled",
    Phase.PAUSED: "paused",
    Phase.PROPOSED: "proposed",
    Phase.GAVE_UP: "gave-up",
    Phase.CANCELLED: "cancelled",
}

OVER = frozenset({Phase.PROPOSED, Phase.GAVE_UP, Phase.CANCELLED})
CLOCK_STOPPED = OVER | {Phase.PLANNED, Phase.PAUSED}
"""Phases in which time does not count: the work waits for a person, or has ended."""
