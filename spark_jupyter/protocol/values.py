"""Values that Commands and Events are made of.

Text that a user or a model wrote may be anything; ids may not (see :data:`~spark_jupyter.protocol.constants.ID_PATTERN`), because they
become cell ids, file keys and DOM ids.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from spark_jupyter.protocol.constants import (
    ID_PATTERN,
    IMAGE_LEAST_TOKENS,
    IMAGE_PIXELS_PER_TOKEN,
    LONGEST_IMAGE,
    MOST_IMAGES,
)

PROTOCOL_VERSION = 2
"""Incremented when a message changes in a way that an older side would misread."""

CellId = Annotated[str, Meta(pattern=ID_PATTERN)]
TurnId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,48}$")]
"""Shorter than a cell id: the cells of a turn are named ``{turn_id}-{n}``."""

CellType = Literal["code", "markdown", "raw"]
Severity = Literal["block", "warn", "hint"]
Origin = Literal["guardrail", "second-opinion", "reality", "rehearsal"]
TurnOutcome = Literal["completed", "cancelled", "superseded", "failed"]
ProposalKind = Literal["insert", "edit"]
OperationKind = Literal["delete", "move", "run"]
ProposalState = Literal["streaming", "ready", "blocked", "accepted", "rejected", "reverted"]
"""``rejected``: not wanted; ``reverted``: accepted, and taken back later."""
DECIDED: tuple[ProposalState, ...] = ("accepted", "rejected", "reverted")
TAKEN_BACK: tuple[ProposalState, ...] = ("rejected", "reverted")
Intent = Literal["generate", "draft", "edit", "fix", "explain", "hints", "refactor"]
"""``hints``: the answer is a note that gives no more than its step (``hint``). ``refactor``: the notebook's cells are changed without a
model, or the turn is refused."""
PromptPolicy = Literal["on", "hints", "off"]
"""What the author of a notebook lets prompts write: code, hints, or nothing."""
Permission = Literal["files", "network", "shell", "read"]
MayRun = Literal["freely", "when-asked", "when-confirmed"]
"""Consent that running a proposal needs; decided by the session alone. ``freely``: ``--run`` and the like may run it. ``when-asked``: a
person has to ask for this cell, because no attempt of its race passed, or because it failed or surprised in a copy. ``when-confirmed``:
a person has to confirm it, because a finding blocks it. *Accept all* takes only what is ``freely``."""
MayAccept = Literal["freely", "when-confirmed"]
"""Consent that accepting a proposal needs: a person's word, or their confirmation, because the cell does not parse."""


class Person(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who uses a client, as Jupyter Server's ``/api/me`` says: ``id`` is its ``username``, ``name`` the one to show, ``color`` of CSS."""

    id: Annotated[str, Meta(max_length=200)]
    name: Annotated[str, Meta(max_length=200)] = ""
    color: Annotated[str, Meta(max_length=60)] = ""


class Finding(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something the guardrail or the reality check says about a line.

    ``line`` counts from 1, ``column`` from 0 (as in :mod:`ast`). ``severity`` is ``"block"`` only where the line is
    dangerous as it stands, ``"hint"`` for what is right and seldom matters: shown folded, in one line. ``allowed`` is the reason given in
    a ``# spark: allow RULE reason`` comment: the finding is then shown, and never blocks. ``raised`` is what the code's own error said
    when it ran in a copy: a person is shown it, a model is never told. ``page`` is where its rule is explained, as a path in the
    repository (``docs/rules/weak-hash.md``); empty where it is nowhere. ``also`` are the further lines of which it says the same.
    ``wrong`` is a name in the line that does not exist, ``meant`` the real one that is nearest to it, empty where none is.
    ``cause`` is the line of the statement above that makes the value at fault: the text has to begin again there; 0 where the fault is in
    ``line`` itself.
    """

    rule: str
    severity: Severity
    line: int
    column: int = 0
    message: str
    remedy: str = ""
    cwe: int | None = None
    origin: Origin = "guardrail"
    allowed: str | None = None
    raised: str = ""
    page: str = ""
    also: tuple[int, ...] = ()
    wrong: str = ""
    meant: str = ""
    cause: int = 0

    @property
    def blocks(self) -> bool:
        """True if this finding blocks Run."""
        return self.severity == "block" and self.allowed is None


class Surprise(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An effect of a Try that a person is told first.

    ``message`` is a sentence of ours with names in backticks, ``remedy`` says what to look at, ``rule`` names the rule in
    :mod:`spark_jupyter.sandbox.surprises`. It speaks of the user's data, so a model is never told it."""

    rule: str
    message: str
    remedy: str = ""


class Aside(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Remark on a line that is no finding and has no severity.

    ``line`` counts from 1; ``page`` is where it is explained, as in a :class:`Finding`."""

    line: int
    message: str
    page: str = ""


class Image(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An image for a model. ``data`` is in base64, the sizes are in pixels. ``name`` is what a person calls it: a file, or ``figure``."""

    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
    data: Annotated[str, Meta(min_length=1, max_length=LONGEST_IMAGE)]
    width: Annotated[int, Meta(ge=1)]
    height: Annotated[int, Meta(ge=1)]
    name: Annotated[str, Meta(max_length=200)] = ""

    @property
    def tokens(self) -> int:
        """Tokens that it counts as input (estimated)."""
        return max(IMAGE_LEAST_TOKENS, -(-self.width * self.height // IMAGE_PIXELS_PER_TOKEN))

    @property
    def data_url(self) -> str:
        return f"data:{self.media_type};base64,{self.data}"


Images = Annotated[tuple[Image, ...], Meta(max_length=MOST_IMAGES)]


class InsertCell(Struct, frozen=True, kw_only=True, tag="insert"):
    """Insert a cell. ``after`` is the id of the cell above it; None puts it at the top."""

    cell_id: CellId
    cell_type: CellType = "code"
    after: CellId | None = None
    source: str = ""


class AppendSource(Struct, frozen=True, kw_only=True, tag="append"):
    """Append ``text`` to the source of a cell."""

    cell_id: CellId
    text: str


class ReplaceSource(Struct, frozen=True, kw_only=True, tag="replace"):
    """Replace the whole source of a cell."""

    cell_id: CellId
    source: str


class DeleteCell(Struct, frozen=True, kw_only=True, tag="delete"):
    """Delete a cell."""

    cell_id: CellId


CellChange = InsertCell | AppendSource | ReplaceSource | DeleteCell
"""One typed edit of the notebook as proposed. For a proposal of kind ``edit`` it concerns the draft, not the cell."""


class NotebookCell(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A cell of the user's notebook, as sent along with a prompt. ``outputs`` is its text output, ``error`` the
    traceback's last lines where it failed. ``raises``: it may fail, and what comes below runs all the same (Jupyter's tag
    ``raises-exception``). ``check``: it checks the code above it (the tag ``check``, or tests of nbgrader's). ``gone`` are
    the names that its run, which was undone (then its ``execution_count`` is 0), had defined."""

    id: CellId
    cell_type: CellType = "code"
    source: str = ""
    outputs: str = ""
    error: str = ""
    execution_count: int | None = None
    raises: bool = False
    check: bool = False
    gone: tuple[str, ...] = ()


class Target(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Place of the answer: below ``after`` (None: at the end), or an ``edit`` of one cell. ``reuse`` names an empty cell that the first
    new cell is written into instead of inserting one."""

    after: CellId | None = None
    edit: CellId | None = None
    reuse: CellId | None = None


class Attempts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Number of answers that race, their models, the checks that they must pass, and the rounds of a failing one.

    ``allow`` are the permissions of their trials. With ``compare`` two answers do not race: both are written, tried from the same moment
    and compared, and a person keeps one. ``other`` is the second one's prompt, where it has its own."""

    count: Annotated[int, Meta(ge=1, le=8)] = 1
    models: Annotated[tuple[str, ...], Meta(max_length=8)] = ()
    checks: tuple[str, ...] = ()
    until_green: Annotated[int, Meta(ge=0, le=10)] = 0
    allow: tuple[Permission, ...] = ()
    compare: bool = False
    other: str = ""

    @property
    def races(self) -> bool:
        """True if several answers are written: then nothing is proposed before it was tried."""
        return self.count > 1 or self.compare or bool(self.models or self.checks or self.until_green)


class CellOperation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an edit does with a cell instead of changing its text. ``move`` puts it below the cell ``below``, ``run`` runs it as it is.
    ``above`` is the cell that stood above it (None: it was the first): a Revert puts it back there."""

    kind: OperationKind
    below: CellId | None = None
    above: CellId | None = None


class Proposal(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Change of one cell that a turn proposes. ``base`` is the cell's source when an edit began; ``source`` what is proposed so far. Of
    an edit that was accepted, ``base`` is what the whole cell held before, and ``source`` what it was given. ``tried`` is the hash of
    the source that was last tried (see :func:`spark_jupyter.protocol.notebook.content_hash`). ``inspecting``: the slower checks still
    look at it and may yet block it; what runs it waits for them. ``trying``: a Try of it runs, and a :class:`TrialResult` will come.
    ``may_run`` is for everybody who runs cells to go by, and decided by the session alone. ``surprises`` are the effects of a Try of
    this very source that a person is told first. ``unfinished`` says in a sentence what is missing where the writing was stopped in the
    middle of a statement: it would not even begin to run. ``asides`` are of a code cell that is whole. ``repairs`` counts how often it
    was rewritten because it failed in a copy. ``decided_by`` is the person who accepted or rejected it, None where that is not known. With
    an ``operation`` an edit changes no text (a deletion empties it)."""

    cell_id: CellId
    turn_id: TurnId
    kind: ProposalKind = "insert"
    state: ProposalState = "streaming"
    cell_type: CellType = "code"
    base: str = ""
    source: str = ""
    findings: tuple[Finding, ...] = ()
    tried: str | None = None
    inspecting: bool = False
    trying: bool = False
    may_run: MayRun = "freely"
    unfinished: str = ""
    may_accept: MayAccept = "freely"
    surprises: tuple[Surprise, ...] = ()
    asides: tuple[Aside, ...] = ()
    repairs: int = 0
    decided_by: Person | None = None
    operation: CellOperation | None = None


class Turn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One prompt and the answer streamed to it. ``outcome`` is None while it streams. ``steers`` is the turn that this
    one redirects. ``started_at`` is in Unix seconds. ``withheld`` names what was kept from the prompt, e.g.
    ``"AWS access key in cell 3"``, never the secret. ``may_go_on`` as in :class:`~spark_jupyter.protocol.messages.TurnEnded`. ``folded``
    turns before it were told to the model in short, because its window has no room for all of them. ``agent`` is the name of the agent
    whose turn it is, ``by`` the person who prompted or steered. ``document`` names the notebook into which it is written, as in
    :class:`~spark_jupyter.protocol.messages.Hello`; empty: into any. ``hint`` is the step of a hint, of ``hints``; 0: it is none. Then
    ``target.after`` is the cell that it is about."""

    id: TurnId
    prompt: str
    model: str = ""
    started_at: float = 0.0
    target: Target = Target()
    intent: Intent = "generate"
    steers: TurnId | None = None
    outcome: TurnOutcome | None = None
    reason: str = ""
    notes: str = ""
    corrections: int = 0
    withheld: tuple[str, ...] = ()
    may_go_on: bool = False
    folded: int = 0
    agent: str = ""
    by: Person | None = None
    document: str = ""
    hint: int = 0
    hints: int = 0


class Hunk(Struct, frozen=True, kw_only=True):
    """A hunk of a diff in whole lines: ``base_lines`` lines of the cell from ``base_start`` (0-based) are replaced by the
    ``source_lines`` lines of the proposal from ``source_start``."""

    base_start: int
    base_lines: int
    source_start: int
    source_lines: int


class ModelInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Model that a provider lists. Prices are in US dollars per million tokens, the window is in tokens; None where not known.

    Tokens read from the provider's cache cost ``cached_price``, tokens written to it ``cache_write_price``; None: as other input.
    ``retires`` is the day from which it is not served (ISO 8601), empty where none is announced; ``ending`` says that in a sentence.
    ``images``: whether it reads images, None where not known."""

    id: str
    provider: str = ""
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None
    cache_write_price: float | None = None
    context_window: int | None = None
    retires: str = ""
    ending: str = ""
    images: bool | None = None


class TierInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tier of a model; an empty name is the standard one. Prices are in US dollars per million tokens, None where not known; ``speed`` is
    in tokens a second, as measured here last, 0 where it was not."""

    name: str
    input_price: float | None = None
    output_price: float | None = None
    speed: float = 0.0


class Serving(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the model in use is served: at which ``tier`` (empty: standard) of which ``tiers``, none where there is no choice; ``ending`` is
    a sentence where it ends or has ended. ``mode`` is that in which an agent works, of its ``modes``."""

    tier: str = ""
    tiers: tuple[TierInfo, ...] = ()
    ending: str = ""
    mode: str = ""
    modes: tuple[str, ...] = ()


class Output(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One output of a Try: ``kind`` as in nbformat. ``text`` for a stream or an error's traceback; ``data`` maps a MIME type to
    text (PNG in base64, HTML sanitised)."""

    kind: Literal["stdout", "stderr", "display_data", "execute_result", "error"]
    text: str = ""
    data: dict[str, str] = {}


class Effect(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that a Try would have changed outside its own output. ``refused`` says that it was stopped and did not happen."""

    kind: Literal["variable", "file", "network", "shell", "package", "thread"]
    action: Literal["new", "changed", "deleted", "written", "moved", "removed", "used", "read"]
    name: str
    before: str = ""
    after: str = ""
    detail: str = ""
    refused: bool = False
