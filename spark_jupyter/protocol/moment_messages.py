"""Messages about moments: the timeline, what a return changes, a return.

A client asks by ``%spark back #ID``, which waits for the running cell: only the thread that runs cells may touch the variables.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from spark_jupyter.protocol.values import TurnId

VariablesKept = Literal["kept", "same", "lost"]
"""``kept``: the variables can come back. ``same``: nothing ran since. ``lost``: there is no copy of them."""


class MomentInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A state that can be gone back to. ``id`` is negative for one before a turn; ``at`` in Unix seconds. ``number`` is that of the run
    that followed, ``turn_id`` the turn that did, ``name`` what a person called it; ``line`` is the first of the cell or the prompt.
    ``why`` says why the variables are ``lost``; ``brings`` are turns that the model knows there and not now: of a named moment, the turns
    of its branch."""

    id: int
    at: float
    number: int = 0
    turn_id: str = ""
    name: str = ""
    line: str = ""
    variables: VariablesKept = "kept"
    why: str = ""
    brings: tuple[TurnId, ...] = ()


class MomentsChanged(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """All moments of the kernel, oldest first. A page keeps its notebook's cells as they are when a new one comes."""

    moments: tuple[MomentInfo, ...] = ()


class VariableChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A variable that comes back: what it is now and what it was, in words; ``now`` is empty where there is none."""

    name: str
    then: str
    now: str = ""


class MomentPreview(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """What a return to a moment would change: variables that come back and those that go, ``parts`` of the process's state, the numbers of
    turns that go from the model's memory and come back to it, the numbers of the runs that are left.

    ``stays`` can't come back, in words, and the ``files`` were written since; ``files_back`` are as they were then
    and ``files_gone`` gone again. ``why``: the reason why the variables are ``lost``."""

    moment_id: int
    variables: VariablesKept = "kept"
    back: tuple[VariableChange, ...] = ()
    gone: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    files_back: tuple[str, ...] = ()
    files_gone: tuple[str, ...] = ()
    turns_gone: int = 0
    turns_back: int = 0
    left: tuple[int, ...] = ()
    why: str = ""


class CameBack(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The kernel is as it was at a moment; with ``lost`` variables only the conversation is. The writer brings its notebook's cells back.
    ``left_id`` is the moment that was left, ``left`` the runs that no longer made the kernel."""

    moment_id: int
    left_id: int
    variables: VariablesKept = "kept"
    left: tuple[int, ...] = ()
