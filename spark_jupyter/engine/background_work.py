"""Background work: answers for one client, reviews, refinements.

Nothing here belongs to a turn. What one client asks for alone (ghost text, next edits, mentions) is answered to it unlogged, and is stale a
moment later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.completer import Completer
from spark_jupyter.engine.completion_context import CompletionContext
from spark_jupyter.engine.inquiries import Inquiries
from spark_jupyter.engine.kernel_access import Checks
from spark_jupyter.engine.loop_thread import FAULTS, LoopThread
from spark_jupyter.engine.next_edit_finder import NextEditFinder
from spark_jupyter.engine.provider_choice import SuggestionSource
from spark_jupyter.engine.refinement import RefinementByModel, Refinements
from spark_jupyter.exceptions import SparkError
from spark_jupyter.protocol.agent_messages import Inquire
from spark_jupyter.protocol.completion_messages import Complete, DropCompletion
from spark_jupyter.protocol.next_edit_messages import FindNextEdits
from spark_jupyter.protocol.provider_messages import ListMentions, Mentions, OwnKeyChanged, SetOwnKey
from spark_jupyter.protocol.review_messages import BeginReview, CancelReview, ReviewChanged
from spark_jupyter.protocol.rule_messages import ListRules, ProjectRules
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.records.spending_log import Spending
from spark_jupyter.session.session import Session
from spark_jupyter.working_folder import working_folder

if TYPE_CHECKING:
    from spark_jupyter.sandbox.restart_process import Outcome

ForOneClient = ListMentions | ListRules | Complete | DropCompletion | FindNextEdits | Inquire | SetOwnKey
"""The commands that are answered to one client alone."""
_NONE = ReviewChanged(review_id="none", state="cancelled")


class BackgroundWork:
    """The background work of one engine. Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        source: SuggestionSource,
        context: CompletionContext,
        thread: LoopThread,
        broadcast: Broadcast,
        spending: Spending | None,
    ) -> None:
        checks = context.kernel.checks
        self.source = source
        self.reviews = Reviews(checks, thread, broadcast)
        self.refinements = Refinements(
            checks.refining,
            RefinementByModel(source, context, broadcast, spending),
            thread,
            broadcast,
            quiet=lambda: not (session.streaming or session.trying),
        )
        self._session = session
        self.rules_on = True
        """Whether the project's rules go along with prompts."""
        self._mentions = context.kernel.mentions
        self._project_rules = context.kernel.project_rules
        self._broadcast = broadcast
        self._thread = thread
        self._completer = Completer(source, context, thread, broadcast)
        self._next_edits = NextEditFinder(source, context, thread, broadcast)
        self._inquiries = Inquiries(session, context.kernel, thread, broadcast)

    def receive(self, subscriber: Subscriber, command: ForOneClient) -> None:
        """Answer the client that asks, and no other: at once, or when the answer is known."""
        self.postpone_refinement()
        match command:
            case ListMentions(prefix=prefix):
                mentions = Mentions(prefix=prefix, items=tuple(self._mentions(prefix)))
                self._broadcast.tell(subscriber, [mentions])
            case ListRules():
                self._broadcast.tell(subscriber, [self.project_rules()])
            case SetOwnKey():
                self._thread.spawn(self._set_own_key(subscriber, command))
            case Inquire():
                self._inquiries.receive(subscriber, command)
            case FindNextEdits():
                self._next_edits.find(subscriber, command)
            case _:
                self._completer.receive(subscriber, command)

    def project_rules(self) -> ProjectRules:
        """The rules and skills of the notebook's project, as they are on disk now."""
        return structs.replace(self._project_rules(), on=self.rules_on)

    async def _set_own_key(self, subscriber: Subscriber, command: SetOwnKey) -> None:
        try:
            answer = await self.source.routing.set_own_key(command)
        except SparkError as error:
            answer = OwnKeyChanged(kept=False, message=str(error))
        self._broadcast.tell(subscriber, [answer])

    def review(self, command: BeginReview | CancelReview) -> None:
        self.reviews.take(command, undecided=self._session.store.undecided)

    def postpone_refinement(self) -> None:
        """A person is active: a refinement under way, or about to begin, waits again."""
        self.refinements.stir()

    def forget(self, subscriber: Subscriber) -> None:
        """The client is gone, with all that it has told."""
        self._completer.forget(subscriber)
        self._next_edits.forget(subscriber)

    async def close(self) -> None:
        """Let go of the provider of suggestions; nothing is refined any more."""
        self.refinements.begins()
        await self.source.close()


class Reviews:
    """Reviews of the notebook, one at a time: the newest counts. No turn has a part in them."""

    def __init__(self, checks: Checks, thread: LoopThread, broadcast: Broadcast) -> None:
        self._checks = checks
        self._thread = thread
        self._broadcast = broadcast
        self._task: asyncio.Task[None] | None = None
        self._shown = _NONE

    def take(self, command: BeginReview | CancelReview, *, undecided: Collection[str]) -> None:
        """Begin one or stop it. ``undecided`` are the cells that a model wrote and nobody agreed to: they are no part of the notebook."""
        if isinstance(command, CancelReview):
            if self.shown is not None and command.review_id == self.shown.review_id and not self._stop():
                self._shown = _NONE  # the review was read and closed
            return
        self._stop()
        cells = [cell for cell in command.cells if cell.id not in undecided]
        self._shown = ReviewChanged(review_id=command.review_id, state="looking")
        self._broadcast.send([self._shown])
        self._task = self._thread.spawn(self._told(command, cells))

    @property
    def shown(self) -> ReviewChanged | None:
        """The review as it stands, until it is closed."""
        return None if self._shown is _NONE else self._shown

    def _stop(self) -> bool:
        if self._task is None or self._task.done():
            return False
        self._task.cancel()
        self._show(state="cancelled")
        return True

    async def _told(self, command: BeginReview, cells: Sequence[NotebookCell]) -> None:
        try:
            await self._review(command, cells)
        except FAULTS as error:  # a fault of ours: said, and nobody waits for ever
            problem = f"The review failed by a fault in spark_jupyter ({type(error).__name__}: {error})."
            self._show(state="done", problem=problem)

    async def _review(self, command: BeginReview, cells: Sequence[NotebookCell]) -> None:
        from spark_jupyter.review import notebook_review  # with the judges: not needed before the first review

        remarks = await asyncio.to_thread(self._checks.review or notebook_review.look, cells)
        if not command.run:
            self._show(state="done", remarks=tuple(remarks))
            return
        code = notebook_review.runnable(cells)
        self._show(state="running", remarks=tuple(remarks), total=len(code))
        loop = asyncio.get_running_loop()
        folder, named = str(working_folder()), self._checks.named()
        restart = notebook_review.restart_of(code, folder=folder, allow=command.allow, named=named)

        def tell(outcome: Outcome) -> None:
            if 0 <= outcome.number < len(code) and self._shown.review_id == command.review_id:
                cell = code[outcome.number]
                now = notebook_review.ordered(cells, [*self._shown.remarks, *notebook_review.remarks_of(cell, outcome)])
                done = max(self._shown.done, outcome.number + notebook_review.has_run(cell, outcome))
                self._show(remarks=tuple(now), done=done)

        try:
            problem = await asyncio.to_thread(restart.run, lambda outcome: loop.call_soon_threadsafe(tell, outcome))
        finally:
            restart.cancel()  # where this task was cancelled the thread still waits for it
        self._show(state="done", problem=problem, unenforced=restart.unenforced)

    def _show(self, **changes: object) -> None:
        self._shown = structs.replace(self._shown, **changes)
        self._broadcast.send([self._shown])
