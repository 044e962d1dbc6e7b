"""Messages about Tries in a copy of the kernel."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.values import CellId, Effect, Output, Permission, Surprise, TurnId


class Try(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Run a proposal in a forked copy of the kernel and report; keep nothing. ``source`` as where it
    is accepted."""

    cell_id: CellId
    allow: tuple[Permission, ...] = ()
    source: str | None = None


class CancelTry(Struct, frozen=True, kw_only=True, tag=True):
    """End the Try of a cell where it still runs, and nothing else."""

    cell_id: CellId


class TrialResult(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """What running a proposal in a copy of the kernel showed. Times in seconds, memory in bytes. ``problem`` is one sentence where it
    could not be tried or did not end; ``error`` is what the code itself raised. ``refused``: the error is a Try's refusal,
    and says nothing against the code. ``lacked`` are the permissions without which something was refused. ``outside``: something of
    it happened outside the copy, where that was allowed, and is real; otherwise nothing of it was kept.
    ``moving`` warns that the kernel was running a cell.
    ``rehearsed``: nobody asked for it, it ran while the cell was written, so it is shown in a line first. ``decisive`` is the output's own
    line that says most: its last value or its last words. ``unenforced`` is one sentence where this system does not hold the copy
    as it should. ``surprises`` are the effects that a person is told first. ``proof``: it was an edit, and ran beside the text that it
    changes, both from where the cell began."""

    turn_id: TurnId
    cell_id: CellId
    source_hash: str = ""
    outputs: tuple[Output, ...] = ()
    effects: tuple[Effect, ...] = ()
    error: str = ""
    error_line: int | None = None
    refused: bool = False
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
