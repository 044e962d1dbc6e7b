"""What the session has its owner do. Values; pure."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Finding, Permission
from spark_jupyter.providers.base import ModelRequest
from spark_jupyter.session.answer_trials import EndTry, TryAnswer
from spark_jupyter.session.job_owners import Owner
from spark_jupyter.session.rehearsal_feed import RehearsalAction


class SendRequest(Struct, frozen=True, kw_only=True):
    """Send this to the provider, ``after`` so many seconds; say what comes of it with this job and attempt. ``fallback``: to the second
    one that the user has configured."""

    job_id: int
    owner: Owner
    attempt: int
    request: ModelRequest
    after: float = 0.0
    fallback: bool = False


class DropRequest(Struct, frozen=True, kw_only=True):
    """Drop the job's running request at once: nobody listens to its tail."""

    job_id: int


class TryProposal(Struct, frozen=True, kw_only=True):
    """Run this source in a copy of the kernel. ``source_hash`` is that of the proposal, which may hold credentials that a copy does
    not get. Of an edit ``base`` is what the cell holds: where the kernel is kept as it was when that cell began, both run from there."""

    turn_id: str
    cell_id: str
    source: str
    source_hash: str
    allow: tuple[Permission, ...]
    base: str = ""


class ProveEdits(Struct, frozen=True, kw_only=True):
    """Run all edits of a turn, with the cells that ran since, from where the first of them began that is kept, beside the text as it is.
    ``new`` are cells that come with them, each with the cell below which it stands (None: at the top). ``gone`` and ``fresh`` are the
    variables that the edits no longer bind, and bind anew; ``renamed`` is a variable or a column that is called otherwise: before, now.
    ``order`` is the notebook's, by ids; ``ran`` what running the cells of the turn has shown already, which stays beside the proof."""

    turn_id: str
    edits: tuple[TryProposal, ...]
    new: tuple[tuple[str, str | None], ...] = ()
    gone: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    renamed: tuple[str, str] | None = None
    order: tuple[str, ...] = ()
    ran: tuple[TrialResult, ...] = ()


class InspectCell(Struct, frozen=True, kw_only=True):
    """A code cell is whole: have the slower checks look at it. ``earlier`` are the code cells before it, ``findings`` what is known.
    Where the user stopped in the middle of its last line, that one is ``unfinished``."""

    turn_id: str
    cell_id: str
    source: str
    findings: tuple[Finding, ...] = ()
    earlier: tuple[str, ...] = ()
    unfinished: bool = False


class WakeDeep(Struct, frozen=True, kw_only=True):
    """Say the time to the deep work in so many seconds: it may have rested by then, or its time may be up."""

    work_id: str
    seconds: float


Action = (
    SendRequest | DropRequest | TryProposal | ProveEdits | TryAnswer | EndTry | InspectCell | WakeDeep | RehearsalAction
)
