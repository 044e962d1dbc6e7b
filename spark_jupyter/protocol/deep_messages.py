"""Messages about deep work, which runs in the background."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from spark_jupyter.protocol.constants import LONGEST_DEEP_STEP, MOST_DEEP_CHECKS, MOST_DEEP_STEPS
from spark_jupyter.protocol.values import CellId, NotebookCell, Target, TurnId

MOST_ENTRIES = 200
"""Of one log; the oldest go first."""
MOST_WORKS = 8
"""Of one session are told of, and kept by a notebook; the youngest count."""
LONGEST_DIFF = 40_000
"""Characters of the diff against a fast answer."""

DeepState = Literal["planning", "planned", "writing", "trying", "stalled", "paused", "proposed", "gave-up", "cancelled"]
"""``planned``: it waits for a person to agree to the plan. ``stalled``: the connection was lost, it asks again soon."""
OVER: tuple[DeepState, ...] = ("proposed", "gave-up", "cancelled")
StepState = Literal["to-do", "writing", "trying", "done", "left-out"]
Effort = Literal["", "minimal", "low", "medium", "high"]
"""How long a model that reasons may think; empty: as the provider has it."""

StepText = Annotated[str, Meta(max_length=LONGEST_DEEP_STEP)]
PlanText = Annotated[tuple[StepText, ...], Meta(max_length=MOST_DEEP_STEPS)]
CheckText = Annotated[tuple[StepText, ...], Meta(max_length=MOST_DEEP_CHECKS)]


class DeepBudget(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a deep work may use: seconds while it works (a pause is free), tokens in and out of all its jobs, US dollars (None: no limit;
    where no price is known, only time and tokens count)."""

    seconds: Annotated[float, Meta(gt=0, le=86_400)] = 900.0
    tokens: Annotated[int, Meta(gt=0)] = 400_000
    dollars: Annotated[float, Meta(gt=0)] | None = None


USUAL: Final = DeepBudget()
"""What a deep work may use where nobody says otherwise."""


class DeepLimits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What somebody has said of a budget. None: as the profile of who does deep work says, else as usual."""

    seconds: Annotated[float, Meta(gt=0, le=86_400)] | None = None
    tokens: Annotated[int, Meta(gt=0)] | None = None
    dollars: Annotated[float, Meta(gt=0)] | None = None

    def above(self, other: DeepLimits) -> DeepLimits:
        """These, and of what they do not speak the ``other`` ones."""
        return DeepLimits(
            seconds=self.seconds or other.seconds,
            tokens=self.tokens or other.tokens,
            dollars=self.dollars or other.dollars,
        )

    @property
    def budget(self) -> DeepBudget:
        """What may be used."""
        if self == DeepLimits():
            return USUAL  # the very one, which the wire leaves out
        return DeepBudget(
            seconds=self.seconds or USUAL.seconds, tokens=self.tokens or USUAL.tokens, dollars=self.dollars
        )


class DeepGear(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who does deep work: the model at a provider (empty: the one that answers turns), and what it may use. ``lanes`` is how many
    independent steps the fast model may write at once; 0: the deep model writes all. ``unavailable`` is why there can be none, in a
    sentence."""

    model: str = ""
    provider: str = ""
    effort: Effort = ""
    budget: DeepBudget = USUAL
    lanes: Annotated[int, Meta(ge=0, le=8)] = 3
    unavailable: str = ""


class DeepStep(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A step of a plan. ``fast``: it needs nothing of the other steps, so that the fast model may write it beside them. ``rounds`` is how
    often it was written; ``cells`` are those that it wrote last."""

    text: StepText
    state: StepState = "to-do"
    fast: bool = False
    rounds: int = 0
    cells: tuple[CellId, ...] = ()


class DeepEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the log: at which second of the work, at which step (from 1; 0: none)."""

    at: float
    text: str
    step: int = 0


class DeepWork(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A deep work as it stands. When it is ``proposed`` there is a turn of its id, which proposes it. ``elapsed`` seconds it has worked,
    ``running`` whether its clock runs; ``tokens`` and ``cost`` are of all its jobs (None: no price is known). ``reason`` says in a sentence
    why it stands or has ended so; ``undone`` what it could not do. ``hands_up`` is the turn whose answer it takes on,
    ``compared`` the diff of what it proposes against that answer. ``lost`` is what went with a kernel. ``rest`` seconds after it stalled
    it asks again."""

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

    @property
    def over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.state in OVER


# --- Commands -------------------------------------------------------------------------------------------------------------


class BeginDeep(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Begin a deep work. ``cells``, ``active`` and ``target`` as in a Prompt; ``hands_up`` names the turn whose answer it is to take on
    (then ``text`` may be empty: what was asked there). ``ask_first``: the plan waits for a person's word."""

    work_id: TurnId
    text: str = ""
    target: Target = Target()
    cells: tuple[NotebookCell, ...] = ()
    active: CellId | None = None
    checks: CheckText = ()
    hands_up: TurnId | None = None
    budget: DeepBudget | None = None
    ask_first: bool = False


class SteerDeep(Struct, frozen=True, kw_only=True, tag=True):
    """Tell a deep work what should be different, from the step on at which it is."""

    work_id: TurnId
    text: str


class EditPlan(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The plan is this now. What was done of the steps before the first that differs stays."""

    work_id: TurnId
    steps: PlanText
    checks: CheckText | None = None


class DirectDeep(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Let a deep work go on (from a plan that waits, or from a pause), pause it, or end it. ``cells`` is the notebook as it is when one
    goes on that another kernel began."""

    work_id: TurnId
    what: Literal["go-on", "pause", "cancel"]
    cells: tuple[NotebookCell, ...] | None = None


class ChooseDeep(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Who does deep work from the next one on. None: as it is. ``profile`` names another provider than the one of turns; empty: the
    same. ``budget`` takes the place of all that was said of it before."""

    model: Annotated[str, Meta(max_length=300)] | None = None
    profile: Annotated[str, Meta(max_length=100)] | None = None
    effort: Effort | None = None
    budget: DeepLimits | None = None
    lanes: Annotated[int, Meta(ge=0, le=8)] | None = None


class RestoreDeep(Struct, frozen=True, kw_only=True, tag=True):
    """Deep works that this kernel does not know, as the notebook has kept them. One that was under way is paused: its plan is there."""

    works: Annotated[tuple[DeepWork, ...], Meta(max_length=MOST_WORKS)]


DeepCommand = BeginDeep | SteerDeep | EditPlan | DirectDeep | RestoreDeep
"""What a session takes; :class:`ChooseDeep` is its owner's."""


# --- Events ---------------------------------------------------------------------------------------------------------------


class DeepChanged(Struct, frozen=True, kw_only=True, tag=True):
    """A deep work is new or stands otherwise."""

    work: DeepWork


class DeepOffered(Struct, frozen=True, kw_only=True, tag=True):
    """A fast answer is one that the deep gear should look at: why, in a sentence. Nothing happens until a person says so."""

    turn_id: TurnId
    reason: str
