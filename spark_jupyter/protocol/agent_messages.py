"""Messages of agents: questions about the notebook, and consent to runs.

An agent is a client that says its name when it attaches. It may ask, propose, and have a copy of the kernel run code. What runs in the
kernel itself is a person's decision, taken once (``AnswerRun``, or any usual way of running the cell) or for a while (a grant).
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import CellId, CellType, Finding, NotebookCell, OperationKind, TurnId

Question = Literal["cells", "outputs", "variables", "inspect", "check", "try", "result"]
"""``cells``: the notebook as it is now. ``outputs``: the cells as they are sent, without credentials. ``variables``: those of the kernel,
as a prompt gets them. ``inspect``: a value or a function. ``check``: findings on code. ``try``: code run in a copy. ``result``: the last
trial of a proposal."""
AgentName = Annotated[str, Meta(max_length=60, pattern=r"^[\w .()/+-]*$")]
LONGEST_GRANT = 120
"""Minutes."""


class ProposedCell(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A cell as an agent proposes it: a new one below ``after`` (None: at the end), or another ``source`` for the cell ``edits``, whose
    source had ``source_hash`` when the agent read it. With an ``operation`` that cell is deleted, moved below ``after``, or run."""

    source: str = ""
    cell_type: CellType = "code"
    after: CellId | None = None
    edits: CellId | None = None
    source_hash: str = ""
    operation: OperationKind | None = None


class Inquire(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """A question of an agent, answered by :class:`Inquired` to it alone. ``text`` is a name, code, or a cell's id. ``cells`` is the
    notebook as the agent knows it; ``live`` says that a client which shows the notebook has filled them in."""

    request_id: CellId
    question: Question
    text: str = ""
    cells: tuple[NotebookCell, ...] = ()
    live: bool = False
    agent: AgentName = ""


class TellCells(Struct, frozen=True, kw_only=True, tag=True):
    """Answer to :class:`CellsRequested`: the notebook as it is now."""

    request_id: CellId
    cells: tuple[NotebookCell, ...]


class AskRun(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """An agent asks to run the proposal for a cell. A grant that is in force answers, otherwise a person. ``source_hash`` is that of the
    text which a person was shown elsewhere; empty: the present one."""

    request_id: TurnId
    cell_id: CellId
    source_hash: str = ""
    agent: AgentName = ""


class AnswerRun(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """A person's answer to :class:`AskRun`. ``confirmed`` is the second yes that a blocking finding needs. ``minutes``: for so long the
    agent may run proposals without findings that ran in a copy without an error or a surprise. An ``agent`` passes on only
    what a person answered to it about a run of its own."""

    request_id: CellId
    allowed: bool
    confirmed: bool = False
    minutes: Annotated[int, Meta(ge=0, le=LONGEST_GRANT)] = 0
    agent: AgentName = ""


class RevokeGrants(Struct, frozen=True, tag=True):
    """From now on every run is asked for again."""


class Inquired(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Answer to :class:`Inquire`, without credentials. ``live``: the cells are those of an open notebook, else of its file. ``withheld``
    says in a sentence why a trial's output is left out."""

    request_id: CellId
    text: str = ""
    cells: tuple[NotebookCell, ...] = ()
    live: bool = False
    findings: tuple[Finding, ...] = ()
    trial: TrialResult | None = None
    withheld: str = ""
    problem: str = ""


class CellsRequested(Struct, frozen=True, kw_only=True, tag=True):
    """The writer is to send the notebook's cells (:class:`TellCells`). To the writer alone."""

    request_id: CellId


class RunAsked(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run that an agent waits for. ``source_hash`` is that of the proposal when it asked: another text is not what was asked."""

    request_id: CellId
    agent: str
    cell_id: CellId
    source_hash: str


class PermissionWanted(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An agent that answers a turn waits for permission to do something by itself, outside the notebook: ``what`` in one line of Markdown,
    with more in ``detail`` (plain text). :class:`AnswerRun` answers it. What it says is the agent's own word."""

    request_id: CellId
    turn_id: TurnId
    agent: str
    what: str
    detail: str = ""


class RunGrant(Struct, frozen=True, kw_only=True):
    """Consent to runs of an agent ``until`` that time (Unix seconds)."""

    agent: str
    until: float


class ConsentChanged(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """All that agents wait for and all grants. ``decided`` are the answers that came just now, by request."""

    asked: tuple[RunAsked, ...] = ()
    grants: tuple[RunGrant, ...] = ()
    permissions: tuple[PermissionWanted, ...] = ()
    decided: dict[str, bool] = {}
