"""Messages about proposals: decisions on them, and changes of their cells."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from spark_jupyter.protocol.agent_messages import AgentName
from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import CellChange, CellId, Finding, Hunk, MayRun, Person, Proposal, TurnId


class Accept(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Keep a proposal. ``hunks`` None keeps all of it; otherwise only these hunks of an edit are kept and the rest is rejected.
    ``source`` is what the client wrote (a person may have typed in the proposal before), ``before`` what the whole cell of an edit held
    then. ``confirmed`` is the second yes that a cell needs which does not parse. ``turn_id``: of several for the cell the one of that
    turn; None: the one that the cell is about. ``written``: the client has brought the decision into a document that all its clients
    share, so the writer has nothing to do."""

    cell_id: CellId
    hunks: tuple[Hunk, ...] | None = None
    source: str | None = None
    before: str | None = None
    confirmed: bool = False
    turn_id: TurnId | None = None
    written: bool = False
    by: Person | None = None


class Reject(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Discard a proposal. ``written`` as in :class:`Accept`."""

    cell_id: CellId
    written: bool = False
    by: Person | None = None


class Run(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Accept a proposal and run it. ``confirmed`` is the second yes that a blocking finding needs. ``unasked``: a setting has it run, and
    nobody asked for this cell."""

    cell_id: CellId
    confirmed: bool = False
    unasked: bool = False
    by: Person | None = None


class ChooseAttempt(Struct, frozen=True, kw_only=True, tag=True):
    """Propose this attempt of a race instead of the one that is proposed now; ``index`` counts from 0."""

    turn_id: TurnId
    index: int


class Revert(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Take back a whole turn: every cell that it proposed and that was accepted becomes what it was before, but for those that a later
    turn or the user has changed since. An ``agent`` may only withdraw a turn of its own on which nobody has decided."""

    turn_id: TurnId
    agent: AgentName = ""
    by: Person | None = None


class CellEdited(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """A cell that has proposals holds ``source`` now, by the user's own hand: typing, Undo, Redo. None: it was deleted. ``moved``: the
    move of it that the turn ``turn_id`` proposed was undone (False) or done again (True)."""

    cell_id: CellId
    source: str | None
    turn_id: TurnId | None = None
    moved: bool | None = None


class AttemptChanged(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """State of one attempt of a race. ``state``: ``lost`` was stopped because another one won, or the user stopped the race. ``source``
    are its code cells with an empty line between them; ``proposed`` says that they are what the turn proposes.

    Where two are compared, ``prompt`` is its own, ``results`` are those of its cells in a copy, and ``compared`` is how the second's
    results differ from the first's."""

    turn_id: TurnId
    index: int
    model: str
    state: Literal["streaming", "trying", "passed", "failed", "lost"]
    source: str = ""
    reason: str = ""
    proposed: bool = False
    prompt: str = ""
    results: tuple[TrialResult, ...] = ()
    compared: Proof | None = None


class ProposalChanged(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """A proposal is new or has another state. It comes before the first change of its cell. In a new one ``source`` is what
    stands so far; a receiver that has the proposal takes everything but ``source`` from this, unless ``state`` is ``accepted``.

    ``rejected`` and ``reverted`` mean that the cell is to be as before: an inserted cell goes, a reused empty cell is empty again, an
    edited cell has its ``base``. With ``held`` the document is so already, by the user's own hand, and nothing is to be written."""

    proposal: Proposal
    held: bool = False


class CellsChanged(Struct, frozen=True, kw_only=True, tag=True):
    """Cells that a turn wrote. In a frame, consecutive ones of a turn are merged."""

    turn_id: TurnId
    changes: tuple[CellChange, ...]


class Findings(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """All findings on a cell, replacing earlier ones. ``cut`` is the offending line where the stream was cut for correction;
    ``may_run`` is how the cell's proposal stands now."""

    turn_id: TurnId
    cell_id: CellId
    findings: tuple[Finding, ...]
    cut: str = ""
    may_run: MayRun = "freely"


class RunRequested(Struct, frozen=True, kw_only=True, tag=True):
    """The writer is to run this accepted cell. Sent only after a person said so (or ``--run``/``--auto`` did)."""

    turn_id: TurnId
    cell_id: CellId
