"""Actions that the session asks its owner to take."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Finding, Permission
from spark_jupyter.providers.base import ModelRequest
from spark_jupyter.session.answer_trials import EndTry, TryAnswer, TryBoth
from spark_jupyter.session.job_owners import Owner
from spark_jupyter.session.rehearsal_feed import RehearsalAction


class SendRequest(Struct, frozen=True, kw_only=True):
    """Send a request to the provider in ``after`` seconds, and report results with this job and attempt.

    ``fallback``: send it to the second provider that the user has configured."""

    job_id: int
    owner: Owner
    attempt: int
    request: ModelRequest
    after: float = 0.0
    fallback: bool = False


class DropRequest(Struct, frozen=True, kw_only=True):
    """Drop the job's running request at once."""

    job_id: int


class AnswerPermission(Struct, frozen=True, kw_only=True):
    """Give the agent that answers the job a person's answer."""

    job_id: int
    request_id: str
    allowed: bool


class TryProposal(Struct, frozen=True, kw_only=True):
    """Run ``source`` in a copy of the kernel.

    ``source_hash`` is the hash of the proposal, which may hold credentials that a copy does not get. ``base`` is the present text of the
    cell that an edit changes: where there is a checkpoint from before that cell, both run from there."""

    turn_id: str
    cell_id: str
    source: str
    source_hash: str
    allow: tuple[Permission, ...]
    base: str = ""


class ProveEdits(Struct, frozen=True, kw_only=True):
    """Prove all edits of a turn together: run them and the cells that ran since, from the first checkpoint, beside the old text.

    ``new`` are new cells of the turn, each with the id of the cell above it (None: at the top). ``gone`` are variables that the edits no
    longer bind, ``fresh`` those that they bind newly, ``renamed`` the old and the new name of a variable or column. ``order`` has the
    ids of the notebook's cells, ``results`` the earlier results of the turn's cells, which are kept beside the proof."""

    turn_id: str
    edits: tuple[TryProposal, ...]
    new: tuple[tuple[str, str | None], ...] = ()
    gone: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    renamed: tuple[str, str] | None = None
    order: tuple[str, ...] = ()
    results: tuple[TrialResult, ...] = ()


class InspectCell(Struct, frozen=True, kw_only=True):
    """Run the slower checks on a code cell that is whole.

    ``before`` are the notebook's code cells, ``unrun`` those of them that the kernel has not run, ``earlier`` those of its answer,
    ``findings`` those known.
    ``unfinished``: the user stopped in the middle of its last line."""

    turn_id: str
    cell_id: str
    source: str
    findings: tuple[Finding, ...] = ()
    before: tuple[str, ...] = ()
    unrun: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    unfinished: bool = False


class WakeDeep(Struct, frozen=True, kw_only=True):
    """Call the deep work's ``wake`` in so many seconds."""

    work_id: str
    seconds: float


Action = (
    SendRequest
    | DropRequest
    | AnswerPermission
    | TryProposal
    | ProveEdits
    | TryAnswer
    | TryBoth
    | EndTry
    | InspectCell
    | WakeDeep
    | RehearsalAction
)
