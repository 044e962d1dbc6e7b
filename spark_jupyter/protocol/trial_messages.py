"""Messages about Tries in a copy of the kernel."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.values import CellId, Effect, Output, Permission, Surprise, TurnId


class Try(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Run a proposal in a forked copy of the kernel and report; nothing is kept. ``source`` is the text as it would be accepted."""

    cell_id: CellId
    allow: tuple[Permission, ...] = ()
    source: str | None = None


class CancelTry(Struct, frozen=True, kw_only=True, tag=True):
    """End the Try of a cell where it still runs."""

    cell_id: CellId


class TrialResult(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Result of running a proposal in a copy of the kernel. Times in seconds, memory in bytes.

    ``error`` is what the code itself raised, ``problem`` is one sentence where it could not be tried or did not end. ``refused``: a limit
    of the copy ended it (a refusal, time, memory, a lock), which says nothing against the code. ``not_tried`` is the limit that kept all
    of it or a part from running, as a clause ("it uses the network (example.com)"); ``lacked`` are the permissions without which
    something was refused. ``outside``: something of it happened outside the copy, where that was allowed, and is real; otherwise nothing
    of it was kept. ``moving`` warns that the kernel was running a cell. ``rehearsed``: nobody asked for it, it ran while the cell was
    written, so it is shown in a line first. ``decisive`` is the line that says most: the output's last value or last words, else the
    error, or what was not tried. ``unenforced`` is one sentence where this system does not hold the copy as it should. ``surprises`` are
    the effects that a person is told first. ``proof``: it was an edit, and ran beside the text that it changes, both from where the cell
    began."""

    turn_id: TurnId
    cell_id: CellId
    source_hash: str = ""
    outputs: tuple[Output, ...] = ()
    effects: tuple[Effect, ...] = ()
    error: str = ""
    error_line: int | None = None
    refused: bool = False
    not_tried: str = ""
    lacked: tuple[Permission, ...] = ()
    outside: bool = False
    problem: str = ""
    seconds: float = 0.0
    peak_memory: int = 0
    moving: bool = False
    rehearsed: bool = False
    summary: str = ""
    decisive: str = ""
    unenforced: str = ""
    surprises: tuple[Surprise, ...] = ()
    proof: Proof | None = None
