"""Commands and Events exchanged between a session and its clients.

The Structs here, in the other ``*_messages.py`` and in ``values.py`` are the source: ``labextension/schema/messages.v2.json`` and
``labextension/src/messages.ts`` are generated from them (``make codegen``; ``make check`` fails when they differ). On the wire a message
is a JSON object whose ``type`` field names its Struct; a frame (``message_frames.py``) carries several, numbered. Everything is frozen,
and validated when it is decoded.

To add a Command with its Event: put both into their unions here and run ``PYTHONPATH=. python scripts/codegen.py``. ``receive_command``
in ``session/session.py`` appends the Event; where no state of the session is concerned, the engine sends it.
``labextension/src/reducer.ts`` always gets a ``case``. A client sends the Command: a verb of the magics, or a component in the browser
(``session.transport.send``). For new state, :class:`Snapshot` gets a field (``snapshot`` in ``session/session.py``), and so do both
reducers, ``turn_view.py`` and ``labextension/src/state.ts``; the top of ``scripts/record_events.py`` says how they are tested.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from spark_jupyter.exceptions import SparkError
from spark_jupyter.protocol.agent_messages import (
    AgentName,
    AnswerRun,
    AskRun,
    CellsRequested,
    ConsentChanged,
    Inquire,
    Inquired,
    ProposedCell,
    RevokeGrants,
    TellCells,
)
from spark_jupyter.protocol.completion_messages import Complete, Completed, DropCompletion, Mode
from spark_jupyter.protocol.constants import MOST_HINTS, MOST_KEPT_PROPOSALS, MOST_KEPT_TURNS, MOST_PROPOSED
from spark_jupyter.protocol.conversation_messages import (
    ConversationChanged,
    Conversations,
    DeleteConversation,
    ListConversations,
    NewConversation,
    OpenConversation,
    RenameConversation,
)
from spark_jupyter.protocol.deep_messages import (
    BeginDeep,
    ChooseDeep,
    DeepChanged,
    DeepGear,
    DeepOffered,
    DeepWork,
    DirectDeep,
    EditPlan,
    RestoreDeep,
    SteerDeep,
)
from spark_jupyter.protocol.draft_messages import BeginDraft, Drafted, DropDraft, SwitchDrafts
from spark_jupyter.protocol.meter_messages import Meter, Spent
from spark_jupyter.protocol.moment_messages import CameBack, MomentPreview, MomentsChanged
from spark_jupyter.protocol.next_edit_messages import Edited, FindNextEdits, NextEdits
from spark_jupyter.protocol.proposal_messages import (
    Accept,
    AttemptChanged,
    CellEdited,
    CellsChanged,
    ChooseAttempt,
    Findings,
    ProposalChanged,
    Reject,
    Revert,
    Run,
    RunRequested,
)
from spark_jupyter.protocol.provider_messages import (
    AllowImages,
    CheckImages,
    Configure,
    DownloadModel,
    Ideas,
    ImageSupport,
    ListIdeas,
    ListMentions,
    ListModels,
    ListProviders,
    Mentions,
    ModelDownload,
    Models,
    OwnKeyChanged,
    PolicyInfo,
    ProviderAnswered,
    Providers,
    SelectModel,
    SetOwnKey,
    UseProvider,
)
from spark_jupyter.protocol.refinement_messages import Refined
from spark_jupyter.protocol.review_messages import BeginReview, CancelReview, ReviewChanged
from spark_jupyter.protocol.rule_messages import ListRules, ProjectRules
from spark_jupyter.protocol.trial_messages import CancelTry, TrialResult, Try
from spark_jupyter.protocol.values import (
    PROTOCOL_VERSION,
    Attempts,
    CellId,
    Images,
    Intent,
    NotebookCell,
    Person,
    PromptPolicy,
    Proposal,
    Serving,
    Target,
    Turn,
    TurnId,
    TurnOutcome,
)

# --- Commands: from a client to the session ------------------------------------------------------------


class Attach(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """A client is here. ``last_seq`` is the last frame it has (0: none): it gets what it missed, or a Snapshot.
    ``can_write`` says that it can write cells into the notebook itself (the labextension can).

    ``agent`` is the name of an agent; it may say only what :mod:`spark_jupyter.session.agent_access` lets it.
    ``life`` is what the last :class:`Hello` said: frames are numbered again in each life. ``next_seq`` is the number of the first
    command frame of this client that was not acknowledged; only a kernel that does not know the client goes by it. ``prompts`` is what the
    notebook's author allows, by its metadata, ``hints`` the furthest step of a hint,
    ``prompt_limit`` the number of prompts; ``course`` is the JSON of its signed rules, and
    ``hashes`` those of the cells that these name. ``person`` is the client's user. The kernel writes it, and the client's notebook, into
    the ``by`` and ``document`` of what the client says: nobody speaks as another."""

    client_id: CellId
    last_seq: int = 0
    can_write: bool = False
    notebook: str = ""
    life: str = ""
    next_seq: int = 1
    prompts: PromptPolicy = "on"
    hints: Annotated[int, Meta(ge=1, le=MOST_HINTS)] = MOST_HINTS
    prompt_limit: Annotated[int, Meta(ge=1)] | None = None
    course: str = ""
    hashes: dict[str, str] = {}
    agent: AgentName = ""
    person: Person | None = None


class Prompt(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Start a turn. ``cells`` is the notebook as it is now, as far as the client knows it, in order. ``active`` is the cell in
    which the user is: what they call this cell. ``follows`` is the edit whose next edits are wanted: then no model is asked.
    ``proposes`` is the answer of an ``agent``, which is judged as a model's: no model is asked then, either; nor where it ``takes`` the
    draft with this id, or its first ``lines`` alone. The session alone says which step a ``hint`` is
    (:mod:`spark_jupyter.session.hint_steps`)."""

    turn_id: TurnId
    text: str
    target: Target = Target()
    cells: tuple[NotebookCell, ...] = ()
    active: CellId | None = None
    model: str | None = None
    intent: Intent = "generate"
    attempts: Attempts = Attempts()
    follows: Edited | None = None
    images: Images = ()
    proposes: Annotated[tuple[ProposedCell, ...], Meta(max_length=MOST_PROPOSED)] = ()
    agent: AgentName = ""
    by: Person | None = None
    document: str = ""
    hint: int = 0
    takes: str = ""
    lines: Annotated[int, Meta(ge=0)] = 0


class Steer(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Redirect the turn ``steers`` at once. The redirected turn has the new id ``turn_id``. ``images`` go along besides its own."""

    turn_id: TurnId
    steers: TurnId
    text: str
    images: Images = ()
    by: Person | None = None


class Cancel(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Stop a turn and the Tries of its cells (None: whatever streams, and every Try). What was written stays as a proposal.

    ``shown`` is what the client has on the screen of the turn's cells. What was written since is taken back, so that the screen
    stands still from the moment at which the user stopped it. None: all that was written stays."""

    turn_id: TurnId | None = None
    shown: dict[CellId, str] | None = None


class Restore(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Turns that this kernel does not know, as the notebook has kept them: they ended before its life. What is known already stays as it
    is, and nothing of the rest is trusted: see :mod:`spark_jupyter.session.restored_turns`. ``cells`` is the notebook as it is now."""

    turns: Annotated[tuple[Turn, ...], Meta(max_length=MOST_KEPT_TURNS)]
    proposals: Annotated[tuple[Proposal, ...], Meta(max_length=MOST_KEPT_PROPOSALS)]
    cells: tuple[NotebookCell, ...] = ()


class Warm(Struct, frozen=True, kw_only=True, tag=True):
    """The user has begun to type: open the connection now if it is not open."""


class Resend(Struct, frozen=True, kw_only=True, tag=True):
    """A gap was seen: send the frames from ``from_seq`` on again."""

    from_seq: int


Command = (
    Attach
    | Prompt
    | Steer
    | Cancel
    | CancelTry
    | Accept
    | Reject
    | Run
    | Try
    | ChooseAttempt
    | Revert
    | CellEdited
    | NewConversation
    | ListConversations
    | OpenConversation
    | RenameConversation
    | DeleteConversation
    | Restore
    | SelectModel
    | ListModels
    | CheckImages
    | AllowImages
    | ListMentions
    | ListRules
    | ListIdeas
    | ListProviders
    | DownloadModel
    | UseProvider
    | SetOwnKey
    | Configure
    | Complete
    | DropCompletion
    | BeginDeep
    | SteerDeep
    | EditPlan
    | DirectDeep
    | ChooseDeep
    | RestoreDeep
    | FindNextEdits
    | SwitchDrafts
    | BeginDraft
    | DropDraft
    | BeginReview
    | CancelReview
    | Warm
    | Resend
    | Inquire
    | TellCells
    | AskRun
    | AnswerRun
    | RevokeGrants
)


# --- Events: from the session to its clients ------------------------------------------------------------


class Hello(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """First answer to :class:`Attach`. ``writer`` says that this client is the one that writes cells into its notebook, and
    ``document`` names that notebook: it writes the turns that have the same name, or none. ``catching_up``: frames that it missed follow,
    and then another Hello; a client that did not write before the frames writes nothing until then. ``offline`` is true with the
    embedded server. ``subshells`` false: commands wait for the running cell. ``try_unavailable`` is the reason why Try can't work here,
    ``rehearsal_unavailable`` why nothing is run in a copy unless a person asks for it.
    ``offered`` is the profile of a model server of this user's own that was found on this machine, ``offered_title`` what it is called: it
    gets nothing before a :class:`UseProvider` names it.
    ``deep`` says who does deep work, ``suggestions`` when suggestions are made: what the kernel would not answer need not be asked.
    ``serving`` says at which tier the model is served, ``policy`` what administrators limit, ``recording`` into which file answers are
    recorded; ``drafts`` whether it drafts code for what is being typed.
    ``life`` names this life of the extension in the kernel: it is another one after each ``%load_ext`` and each restart."""

    version: int = PROTOCOL_VERSION
    package: str = ""
    provider: str = ""
    model: str = ""
    banner: str = ""
    offline: bool = False
    writer: bool = False
    document: str = ""
    catching_up: bool = False
    subshells: bool = True
    life: str = ""
    try_unavailable: str = ""
    rehearsal_unavailable: str = ""
    offered: str = ""
    offered_title: str = ""
    deep: DeepGear = DeepGear()
    suggestions: Mode = "on"
    serving: Serving = Serving()
    policy: PolicyInfo = PolicyInfo()
    recording: str = ""
    drafts: bool = False


class Snapshot(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The whole state, for a client that missed too much. It replaces what the client has. ``proposals`` in the order in which they were
    begun: of several for a cell, :func:`spark_jupyter.protocol.turn_view.current` says which one the cell is about. ``handed`` are the
    answers that are offered to the deep model, ``review`` the last one that nobody closed, ``trials`` what copies showed of the proposals
    that wait, ``consent`` what agents wait for, ``conversation`` the
    one that goes on, ``moments`` those that can be gone back to."""

    turns: tuple[Turn, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    attempts: tuple[AttemptChanged, ...] = ()
    model: str = ""
    deep: tuple[DeepWork, ...] = ()
    handed: tuple[DeepOffered, ...] = ()
    review: ReviewChanged | None = None
    conversation: ConversationChanged | None = None
    trials: tuple[TrialResult, ...] = ()
    consent: ConsentChanged | None = None
    moments: MomentsChanged | None = None


class TurnStarted(Struct, frozen=True, kw_only=True, tag=True):
    """A turn has begun. When ``turn.steers`` is set, the proposals of that turn belong to this one now. It comes again when the model
    that answers has become known."""

    turn: Turn


class NotesAdded(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Prose of the answer (Markdown), to be appended to the turn's notes. Never part of a code cell. With ``replaces`` it takes the place
    of all of them: what stood there was thinking."""

    turn_id: TurnId
    text: str
    replaces: bool = False


class TurnEnded(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """A turn has ended. ``reason`` is a sentence where it failed or was cut short. ``none_passed``: its attempts raced and none passed,
    so what is proposed is neither kept nor run by itself. ``may_go_on``: the provider cut it for its length; a :class:`Steer` of it has it
    written on."""

    turn_id: TurnId
    outcome: TurnOutcome
    reason: str = ""
    none_passed: bool = False
    may_go_on: bool = False


class PromptRequested(Struct, frozen=True, kw_only=True, tag=True):
    """The writer is to send this prompt with the notebook's cells: who asked (a magic) knows only what has run. To the writer alone."""

    prompt: Prompt


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Something went wrong. ``message`` says what, ``remedy`` what to do. ``code`` is stable (an exception's name in snake case). ``by``
    is whose command was refused: nobody else is to read it."""

    code: str
    message: str
    remedy: str = ""
    turn_id: TurnId | None = None
    by: Person | None = None

    @classmethod
    def of(cls, error: SparkError, *, turn_id: str | None = None, by: Person | None = None) -> Problem:
        """Event for an error of this package."""
        return cls(code=error.code, message=error.message, remedy=error.remedy, turn_id=turn_id, by=by)


Event = (
    Hello
    | Snapshot
    | TurnStarted
    | ProposalChanged
    | CellsChanged
    | NotesAdded
    | Findings
    | TrialResult
    | AttemptChanged
    | Meter
    | Spent
    | TurnEnded
    | RunRequested
    | Models
    | ImageSupport
    | Mentions
    | ProjectRules
    | Completed
    | DeepChanged
    | DeepOffered
    | NextEdits
    | Drafted
    | Refined
    | PromptRequested
    | Ideas
    | Providers
    | ModelDownload
    | ProviderAnswered
    | OwnKeyChanged
    | ReviewChanged
    | Inquired
    | CellsRequested
    | ConsentChanged
    | Conversations
    | ConversationChanged
    | MomentsChanged
    | MomentPreview
    | CameBack
    | Problem
)
