"""Messages about deep work, which runs in the background."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from spark_jupyter.protocol.constants import LONGEST_DEEP_STEP, MOST_DEEP_CHECKS, MOST_DEEP_STEPS
from spark_jupyter.protocol.values import CellId, Images, NotebookCell, Target, TurnId

MOST_ENTRIES = 200
"""Entries of one log; the oldest go first."""
MOST_WORKS = 8
"""Works of one session that clients are shown and a notebook keeps; the youngest stay."""
LONGEST_DIFF = 40_000
"""Characters of the diff against a fast answer."""

DeepState = Literal["planning", "planned", "writing", "trying", "stalled", "paused", "proposed", "gave-up", "cancelled"]
"""``planned``: the plan waits for a person. ``stalled``: the connection was lost, and a retry follows."""
OVER: tuple[DeepState, ...] = ("proposed", "gave-up", "cancelled")
StepState = Literal["to-do", "writing", "trying", "done", "left-out"]
Within = Literal["", "2h", "8h"]
"""Time within which answers are soon enough, at a lower price; empty: at once."""
Effort = Literal["", "minimal", "low", "medium", "high"]
"""Reasoning effort of a model; empty: the provider's default."""

StepText = Annotated[str, Meta(max_length=LONGEST_DEEP_STEP)]
PlanText = Annotated[tuple[StepText, ...], Meta(max_length=MOST_DEEP_STEPS)]
CheckText = Annotated[tuple[StepText, ...], Meta(max_length=MOST_DEEP_CHECKS)]


class DeepBudget(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Budget of a deep work.

    ``seconds`` count while it works, not while it is paused. ``tokens`` are input and output of all its jobs. ``dollars``: None is no
    limit; where no price is known, only time and tokens count."""

    seconds: Annotated[float, Meta(gt=0, le=86_400)] = 900.0
    tokens: Annotated[int, Meta(gt=0)] = 400_000
    dollars: Annotated[float, Meta(gt=0)] | None = None


USUAL: Final = DeepBudget()
"""The default budget."""


class DeepLimits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Limits that somebody has set. None: as in the profile of the deep provider, else the default."""

    seconds: Annotated[float, Meta(gt=0, le=86_400)] | None = None
    tokens: Annotated[int, Meta(gt=0)] | None = None
    dollars: Annotated[float, Meta(gt=0)] | None = None

    def above(self, other: DeepLimits) -> DeepLimits:
        """These limits, completed by the ``other`` ones."""
        return DeepLimits(
            seconds=self.seconds or other.seconds,
            tokens=self.tokens or other.tokens,
            dollars=self.dollars or other.dollars,
        )

    @property
    def budget(self) -> DeepBudget:
        """The resulting budget."""
        if self == DeepLimits():
            return USUAL  # the very one, which the wire leaves out
        return DeepBudget(
            seconds=self.seconds or USUAL.seconds, tokens=self.tokens or USUAL.tokens, dollars=self.dollars
        )


class DeepGear(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Model, provider and tier of deep work, and its budget; empty names are those of turns, an empty tier that of the profile.

    ``lanes`` is how many independent steps the fast model may write at once; 0: the deep model writes all. ``unavailable`` says in a
    sentence why deep work is not available. ``windows`` are the times within which answers cost less."""

    model: str = ""
    provider: str = ""
    effort: Effort = ""
    budget: DeepBudget = USUAL
    tier: Annotated[str, Meta(max_length=40)] = ""
    lanes: Annotated[int, Meta(ge=0, le=8)] = 3
    unavailable: str = ""
    windows: tuple[str, ...] = ()


class DeepStep(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Step of a plan.

    ``fast``: it is independent of its neighbours, so the fast model may write it in parallel. ``rounds`` is how often it was written,
    ``cells`` are those that it wrote last."""

    text: StepText
    state: StepState = "to-do"
    fast: bool = False
    rounds: int = 0
    cells: tuple[CellId, ...] = ()


class DeepEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Log entry at a second of the work and at a step (from 1; 0: none)."""

    at: float
    text: str
    step: int = 0


class DeepWork(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """State of a deep work.

    When it is ``proposed``, a turn with the same id proposes its result. ``elapsed`` is the working time in seconds, ``running`` whether
    the clock runs; ``tokens`` and ``cost`` (US dollars; None: no price is known) are of all its jobs. ``reason`` says in a sentence why it
    stalled or ended, ``undone`` what it could not do, ``lost`` what went with a kernel. ``hands_up`` is the turn that it takes over,
    ``compared`` the diff of its result against that answer. ``rest``: seconds until the retry. ``within``: nobody waits for it
    before that."""

    id: TurnId
    prompt: str
    model: str = ""
    state: DeepState = "planning"
    steps: Annotated[tuple[DeepStep, ...], Meta(max_length=MOST_DEEP_STEPS)] = ()
    checks: CheckText = ()
    budget: DeepBudget = DeepBudget()
    target: Target = Target()
    started_at: float = 0.0
    elapsed: float = 0.0
    running: bool = False
    tokens: int = 0
    cost: float | None = None
    log: Annotated[tuple[DeepEntry, ...], Meta(max_length=MOST_ENTRIES)] = ()
    reason: str = ""
    undone: tuple[str, ...] = ()
    hands_up: TurnId | None = None
    compared: str = ""
    lost: str = ""
    rest: float = 0.0
    within: Within = ""

    @property
    def over(self) -> bool:
        return self.state in OVER


# --- Commands -------------------------------------------------------------------------------------------------------------


class BeginDeep(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Begin a deep work. ``cells``, ``active``, ``target`` and ``images`` as in a Prompt; ``hands_up`` names the turn whose answer it is to
    take on (then ``text`` may be empty: what was asked there). ``ask_first``: the plan waits for a person's word. ``within``: each answer
    may take so long, at a lower price."""

    work_id: TurnId
    text: str = ""
    target: Target = Target()
    cells: tuple[NotebookCell, ...] = ()
    active: CellId | None = None
    checks: CheckText = ()
    hands_up: TurnId | None = None
    budget: DeepBudget | None = None
    ask_first: bool = False
    within: Within = ""
    images: Images = ()


class SteerDeep(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Instruct a deep work, from its present step on. ``images`` go along from then on."""

    work_id: TurnId
    text: str
    images: Images = ()


class EditPlan(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Replace the plan. The result of the steps before the first that differs stays."""

    work_id: TurnId
    steps: PlanText
    checks: CheckText | None = None


class DirectDeep(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Continue, pause or cancel a deep work. ``cells`` is the present notebook, for a work that began in another kernel."""

    work_id: TurnId
    what: Literal["go-on", "pause", "cancel"]
    cells: tuple[NotebookCell, ...] | None = None


class ChooseDeep(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Choose who does deep work from the next one on. None: unchanged.

    ``profile`` names another provider than that of turns; empty: the same one. ``budget`` replaces all earlier limits."""

    model: Annotated[str, Meta(max_length=300)] | None = None
    profile: Annotated[str, Meta(max_length=100)] | None = None
    effort: Effort | None = None
    tier: Annotated[str, Meta(max_length=40)] | None = None
    budget: DeepLimits | None = None
    lanes: Annotated[int, Meta(ge=0, le=8)] | None = None


class RestoreDeep(Struct, frozen=True, kw_only=True, tag=True):
    """Restore deep works that the notebook has kept. One that was running is paused, with its plan."""

    works: Annotated[tuple[DeepWork, ...], Meta(max_length=MOST_WORKS)]


DeepCommand = BeginDeep | SteerDeep | EditPlan | DirectDeep | RestoreDeep
"""The commands for a session; :class:`ChooseDeep` is for its owner."""


# --- Events ---------------------------------------------------------------------------------------------------------------


class DeepChanged(Struct, frozen=True, kw_only=True, tag=True):
    """A deep work has begun or changed."""

    work: DeepWork


class DeepOffered(Struct, frozen=True, kw_only=True, tag=True):
    """A fast answer is offered to the deep model, for a ``reason`` in a sentence. A person decides."""

    turn_id: TurnId
    reason: str
