"""Drafter: code for what a person types, before it is asked for.

Each draft is written by a session of its own, so that it is judged, corrected, run in a copy and repaired as an answer is, while no client
sees a turn or a proposal. It knows what the session of the kernel knows. A client has one draft at most, the newest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs

from spark_jupyter.engine.action_runner import ActionRunner
from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.engine.loop_thread import LoopThread
from spark_jupyter.exceptions import ConfigurationError, SessionError, SparkError
from spark_jupyter.prompting.conversation import Answer, Block
from spark_jupyter.prompting.draft_prompts import below, draft_prompt, line_below, taken, taken_prompt
from spark_jupyter.protocol.draft_messages import BeginDraft, Drafted, DraftedCell, DraftMode, DraftState, DropDraft
from spark_jupyter.protocol.messages import Cancel, Event, Problem, Prompt
from spark_jupyter.protocol.meter_messages import Spent
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import Person, Proposal
from spark_jupyter.providers.base import Priority
from spark_jupyter.records.records import Records
from spark_jupyter.records.spending_log import DRAFT
from spark_jupyter.routing.routing import Routing
from spark_jupyter.session.companion import companion
from spark_jupyter.session.session import Session
from spark_jupyter.session.turn_meter import costs
from spark_jupyter.session.unrun_cells import with_true_counts

BUDGET = 0.5
"""US dollars a day, where nobody says another sum: some hundred drafts of a fast model."""


class Drafter:
    """The drafts of one engine. Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        routing: Routing,
        kernel: Kernel,
        thread: LoopThread,
        broadcast: Broadcast,
        records: Records,
    ) -> None:
        self._on, self._budget = False, BUDGET
        self.rules_on = True
        """Whether the project's rules go along."""
        self._main = session
        self._routing = routing
        self._kernel = kernel
        self._thread = thread
        self._broadcast = broadcast
        self._records = records
        self._drafts: dict[Subscriber, _Draft] = {}

    @property
    def mode(self) -> DraftMode:
        """How it is now."""
        spending = self._records.spending
        spent, requests = (0.0, 0) if spending is None else spending.spent_on(DRAFT)
        return DraftMode(on=self._on, budget=self._budget, spent=spent, requests=requests)

    def switch(self, *, on: bool, budget: float | None = None) -> None:
        """Write drafts or no more. Raises a :class:`~spark_jupyter.exceptions.SparkError` where the present provider can't."""
        wanted = self._budget if budget is None else budget
        if on:
            self._refuse(wanted)
        self._on, self._budget = on, wanted
        if self._records.spending is not None:
            self._records.spending.limit(drafts=wanted if on else 0.0)
        for subscriber in () if on else tuple(self._drafts):
            self.drop(subscriber)

    def receive(self, subscriber: Subscriber, command: BeginDraft | DropDraft, admit: Callable[[], None]) -> None:
        """Begin a draft, which takes the place of the one before, or drop one. ``admit`` raises where none may be written."""
        if isinstance(command, DropDraft):
            if (draft := self._drafts.get(subscriber)) is not None and draft.asked.draft_id == command.draft_id:
                self.drop(subscriber)
            return
        self.drop(subscriber)
        try:
            if self._on:
                admit()
                self._refuse(self._budget, by=command.by)
                self._begin(subscriber, command)
            else:  # a person who sends a prompt waits for an answer
                self._broadcast.tell(subscriber, [Drafted(draft_id=command.draft_id, state="done")])
        except SparkError as error:
            self._broadcast.tell(subscriber, [Drafted(draft_id=command.draft_id, state="done", problem=str(error))])

    def drop(self, subscriber: Subscriber) -> None:
        if (draft := self._drafts.pop(subscriber, None)) is not None:
            draft.stop(self._thread.clock())

    def answer_of(self, prompt: Prompt) -> tuple[str, Answer]:
        """The model and the text of the draft that a prompt takes. Raises :class:`~spark_jupyter.exceptions.SessionError` where it is
        gone, or its words are."""
        draft = next((one for one in self._drafts.values() if one.asked.draft_id == prompt.takes), None)
        if draft is None or not (draft.sources or draft.notes):
            raise SessionError("That draft is gone.", remedy="Go on typing: another one comes.")
        if draft.session.streaming:  # what its reader saw is not what would be taken
            raise SessionError("That draft is still being written.", remedy="Take it once it is whole.")
        if draft.asked.kind == "prompt":
            return draft.model, taken_prompt(draft.asked, prompt, draft.notes, draft.blocks)
        return draft.model, taken(draft.asked, prompt, draft.sources)

    def _refuse(self, budget: float, *, by: Person | None = None) -> None:
        link = self._routing.turns.link
        if link is not None and link.is_agent:
            raise ConfigurationError(
                "An agent answers here, and agents write no drafts.", remedy="%spark provider NAME"
            )
        price = self._main.jobs.price(self._main.model)
        if link is None or link.local or link.offline or not costs(price):
            return
        if price is None:
            raise ConfigurationError(
                f"The price of {self._main.model} is not known, so drafts could not keep to a budget.",
                remedy="Name its price in a profile, or use a model on this machine.",
            )
        spending = self._records.spending
        if spending is None or self.mode.spent >= budget:
            raise SessionError(
                f"Today's budget of ${budget:.2f} for drafts is used up.",
                remedy="Wait until tomorrow, or raise it: %spark draft on DOLLARS",
            )
        spending.refuse(costs=True, by=by)

    def _begin(self, subscriber: Subscriber, asked: BeginDraft) -> None:
        prompt = draft_prompt(asked)
        prompt = structs.replace(prompt, cells=with_true_counts(prompt.cells, self._kernel.namespace()))
        draft = self._drafts[subscriber] = _Draft(
            asked, companion(self._main, priority=Priority.COMPLETION), self._tell(subscriber)
        )
        records = structs.replace(self._records, kind=DRAFT, prompts=None)
        draft.runner = ActionRunner(draft.session, self._routing, self._kernel.checks, self._thread, draft, records)
        around = self._kernel.surroundings(prompt)
        around = around if self.rules_on else structs.replace(around, rules="")
        draft.session.receive_command(prompt, at=self._thread.clock(), surroundings=around)
        draft.runner.drain()

    def _tell(self, subscriber: Subscriber) -> Callable[[Sequence[Event]], None]:
        def tell(events: Sequence[Event]) -> None:
            self._broadcast.send([event for event in events if not isinstance(event, Drafted)])
            self._broadcast.tell(subscriber, [event for event in events if isinstance(event, Drafted)])

        return tell


class _Draft:
    """One draft: takes the events of its session, and tells what they come to."""

    def __init__(self, asked: BeginDraft, session: Session, tell: Callable[[Sequence[Event]], None]) -> None:
        self.asked = asked
        self.session = session
        self.runner: ActionRunner | None = None
        self._tell = tell
        self._view = TurnView()
        self._told: Drafted | None = None
        self._stopped = False

    # --- as the sink of its session's events --------------------------------------------------------------------------

    def send(self, events: Sequence[Event]) -> None:
        spent = [event for event in events if isinstance(event, Spent)]
        if spent:
            self._tell(spent)
        self._view.receive_all(events)
        drafted = self._drafted()
        if not self._stopped and drafted != self._told:
            self._told = drafted
            self._tell([drafted])

    def flush_now(self) -> None:
        """See :class:`~spark_jupyter.engine.broadcast.EventSink`: nothing is pending."""

    # --- as its owner uses it ------------------------------------------------------------------------------------------

    @property
    def model(self) -> str:
        return next((turn.model for turn in self._view.turns.values()), "")

    @property
    def sources(self) -> tuple[str, ...]:
        """Its cells so far, without the part that is in the notebook already."""
        return tuple(cell.source for cell in self._drafted().cells)

    @property
    def notes(self) -> str:
        return "".join(turn.notes for turn in self._view.turns.values())

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Its cells as blocks of an answer, those that it changes, too."""
        return tuple(draft.block() for draft in self.session.store.of_turn(self.asked.draft_id))

    def stop(self, at: float) -> None:
        """Stop its request and its copy; nothing more is told. What it has cost is counted."""
        self._stopped = True
        assert self.runner is not None  # or it was never begun
        if self.session.streaming:
            self.session.receive_command(Cancel(), at=at)
        for proposal in self._cells:
            self.session.end_rehearsal_of(proposal.cell_id, at=at)
        self.runner.drain()
        self.runner.close()

    @property
    def _cells(self) -> list[Proposal]:
        return [
            one for one in self._view.all_proposals if one.kind == "insert" and one.cell_type == "code" and one.source
        ]

    def _drafted(self) -> Drafted:
        failed = [one for one in self._view.problems if isinstance(one, Problem) and one.code != "preempted"]
        writes = bool(self.session.streaming)
        state: DraftState = "writing" if writes else "trying" if self.session.trying else "done"
        return Drafted(
            draft_id=self.asked.draft_id,
            state=state,
            cells=tuple(cell for cell in map(self._cell, self._cells) if cell.source),
            notes=self.notes,
            problem=failed[-1].message if failed and state == "done" else "",
        )

    def _cell(self, proposal: Proposal) -> DraftedCell:
        source = below(self.asked, proposal.source)
        found = [finding for finding in proposal.findings if finding.blocks]
        unseen = [finding for finding in proposal.findings if finding.rule == "hidden-characters"]
        trial = self._view.trials.get(proposal.cell_id)
        return DraftedCell(
            source=source,
            blocked=tuple(sorted({line_below(self.asked, proposal.source, finding.line) for finding in found})),
            reason=(found or unseen)[0].message if found or unseen else "",
            trial=trial,
            surprise=proposal.surprises[0].message if proposal.surprises else "",
            repairs=proposal.repairs,
        )
