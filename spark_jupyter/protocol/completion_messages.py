"""Messages about completions: ghost text at the cursor.

One browser has one completion under way at most, the newest. What it is told is for it alone, unlogged, and stale a moment later.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from spark_jupyter.protocol.constants import LONGEST_AROUND
from spark_jupyter.protocol.values import CellId, CellType, NotebookCell

Mode = Literal["on", "off", "ask"]
"""When completions are made: while somebody types, never, or when a key asks."""

Around = Annotated[str, Meta(max_length=LONGEST_AROUND)]


class Complete(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Ask for what could stand at the cursor, between ``before`` and ``after``, which are the cell's own text. It drops the completion
    that this browser asked for earlier. ``cells`` are the other cells of the notebook, in order, this one left out; None: as in the last
    Complete of this browser. ``position`` is how many of them stand above this one. ``asked``: by a key, not by a pause in typing.
    ``other_than`` are the suggestions shown here that another one is wanted for."""

    completion_id: CellId
    cell_id: CellId
    before: Around
    after: Around = ""
    cell_type: CellType = "code"
    cells: tuple[NotebookCell, ...] | None = None
    position: Annotated[int, Meta(ge=0)] = 0
    asked: bool = False
    other_than: Annotated[tuple[Annotated[str, Meta(max_length=4000)], ...], Meta(max_length=8)] = ()


class DropCompletion(Struct, frozen=True, kw_only=True, tag=True):
    """Drop a completion: a key contradicted it, or the cursor has moved."""

    completion_id: CellId


class Mend(Struct, frozen=True, kw_only=True):
    """A name in a completion that does not exist, and the real one that replaces it, at ``start`` (characters)."""

    start: Annotated[int, Meta(ge=0)]
    wrong: str
    right: str


class Completed(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Text of a completion that may be shown by now: whole tokens, in lines that passed the checks. ``text`` is all of it and replaces
    what an earlier event said; empty with ``done``: there is nothing to say. ``first_text`` is the provider's own time from the request
    to its first text, in seconds (None: nothing was asked, it was known); ``cost`` is in US dollars, None where no price is known.
    ``problem`` says in a sentence why there is none, for who asked by a key. ``silenced``: the judges kept some of it from being shown."""

    completion_id: CellId
    text: str = ""
    done: bool = False
    mends: tuple[Mend, ...] = ()
    first_text: float | None = None
    cost: float | None = None
    problem: str = ""
    silenced: bool = False
