"""Engine: runs one session on a thread of its own.

Commands come in by :mod:`~spark_jupyter.engine.command_dispatcher`, actions go out by :mod:`~spark_jupyter.engine.action_runner`, events
to the clients by :mod:`~spark_jupyter.engine.broadcast`. This file puts the parts together and offers them to other threads.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import structs

from spark_jupyter import __version__
from spark_jupyter.author_rules import AuthorRules
from spark_jupyter.engine.action_runner import ActionRunner
from spark_jupyter.engine.background_work import BackgroundWork, ForOneClient
from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.command_dispatcher import CommandDispatcher, SessionInput
from spark_jupyter.engine.completion_context import CompletionContext
from spark_jupyter.engine.configuration import Configuration, CopyPolicy, Options, with_the_usual
from spark_jupyter.engine.follow import Chain, Follow, OneTry
from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.engine.loop_thread import LoopThread
from spark_jupyter.engine.provider_choice import Choices, SuggestionSource
from spark_jupyter.prompting.dialogue import Heard
from spark_jupyter.protocol import json_text
from spark_jupyter.protocol.deep_messages import RestoreDeep
from spark_jupyter.protocol.draft_messages import BeginDraft, Drafted, DraftMode, DropDraft, SwitchDrafts
from spark_jupyter.protocol.messages import Command, Event, Hello, Snapshot
from spark_jupyter.protocol.moment_messages import MomentsChanged
from spark_jupyter.protocol.provider_messages import AllowImages, Configure, ImageSupport, Models, PolicyInfo
from spark_jupyter.protocol.rule_messages import ProjectRules
from spark_jupyter.protocol.values import Person
from spark_jupyter.recordings.recorder import Recorder
from spark_jupyter.records.conversation_keeper import ConversationKeeper
from spark_jupyter.records.conversation_store import ConversationStore
from spark_jupyter.records.prompt_log import PromptLog
from spark_jupyter.records.records import Records
from spark_jupyter.records.spending_log import Spending
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.routing.link import Connect, Link
from spark_jupyter.routing.routing import Routing
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.session import Session

if TYPE_CHECKING:
    from spark_jupyter.engine.drafter import Drafter

Result = TypeVar("Result")


class Engine:
    """Runs turns. Safe to use from any thread; subscribers are called on the engine's thread and must be quick.

    ``connect`` makes the link; it is called on the engine's loop when the engine starts, and again with the next turn where it failed.
    ``kernel`` reads the user's, and tries in copies of it; ``guard`` watches what is written, ``spending`` counts what it costs,
    ``conversations`` keeps what was said.
    """

    def __init__(
        self,
        connect: Connect,
        *,
        kernel: Kernel | None = None,
        guard: Guard | None = None,
        spending: Spending | None = None,
        conversations: ConversationStore | None = None,
        options: Options | None = None,
    ) -> None:
        kernel, guard, options = kernel or Kernel(), guard or Guard(), options or Options()
        own = with_the_usual(options.own)
        session = self._session = Session(model=options.model, guard=guard, redactor=options.redactor)
        thread = self._thread = LoopThread("spark-engine", clock=options.clock)
        broadcast = self._broadcast = Broadcast(thread.loop)
        self._change = threading.Condition()
        self._try_unavailable = kernel.checks.try_unavailable
        self._moments = MomentsChanged()
        self.policy = self._site_policy = options.policy
        routing = self._routing = Routing(
            session, connect, own, effort=options.effort, no_try=kernel.checks.no_try, announce=self._announce
        )
        keeper = ConversationKeeper(session, broadcast.send, conversations, notebook=options.notebook)
        keeper.on = own.conversations != "off"
        shared, own_redactor = session.dialogue.redactor, Redactor()

        def hide(text: str) -> str:
            return own_redactor.withhold(shared.cover(text))

        recorder = Recorder(hide, report=lambda error: self._choices.report(error))
        folder = options.log_folder
        prompts = None if folder is None else PromptLog(folder, hide=hide, changed=self._announce)
        records = self._records = Records(keeper, recorder, spending, prompts)
        self._actions = ActionRunner(session, routing, kernel.checks, thread, broadcast, records)
        self._choices = Choices(
            session, routing, thread, broadcast, ideas=kernel.ideas, model_folder=options.model_folder
        )
        self._copies = CopyPolicy(kernel.checks, options.policy, rehearse=own.rehearse or "off")
        context = CompletionContext(kernel, guard, session.dialogue.redactor, withholds=routing.withholds)
        source = SuggestionSource(session, routing, options.suggest)
        self._background = BackgroundWork(session, source, context, thread, broadcast, spending)
        self._background.rules_on = own.rules != "off"
        self._configuration = Configuration(own, self._choices, self._background, guard, self._copies, records)
        self._kernel = kernel
        self._drafter: Drafter | None = None
        self._input = SessionInput(session, routing, kernel, self._configuration, thread, options.policy)
        self._commands = CommandDispatcher(
            self._input,
            self._actions,
            self._configuration,
            self._background,
            thread,
            broadcast,
        )
        self._commands.switch_drafts = self._switch_drafts
        guardrail = functools.partial(importlib.import_module, "spark_jupyter.guardrail")  # off the path of %load_ext
        thread.start([routing.turns.begin, guardrail, lambda: self._copies.unavailable])

    # --- commands in ---------------------------------------------------------------------------------------------------

    def submit(self, command: Command) -> None:
        """Have a command taken in, in the order in which they are submitted. Returns at once."""
        self._thread.call(functools.partial(self._commands.begin, json_text.whole(command)))

    def say(self, command: Command) -> None:
        """As :meth:`submit`, but wait until it is taken in.

        Raises :class:`~spark_jupyter.exceptions.SessionError` where it does not fit.
        """
        self._thread.wait_for(self._commands.wait(json_text.whole(command)))

    def answer_alone(self, subscriber: Subscriber, command: ForOneClient | BeginDraft | DropDraft) -> None:
        """Take in a command whose answer is for one subscriber alone. Returns at once."""
        self._thread.call(functools.partial(self.answer_here, subscriber, json_text.whole(command)))

    def answer_here(self, subscriber: Subscriber, command: ForOneClient | BeginDraft | DropDraft) -> None:
        if not isinstance(command, BeginDraft | DropDraft):
            self._background.receive(subscriber, command)
        elif self._drafter is not None:
            self._copies.allow(self._session)
            self._drafter.rules_on = self._background.rules_on
            self._drafter.receive(subscriber, command, self._input.admit_drafts)
        elif isinstance(command, BeginDraft):
            self._broadcast.tell(subscriber, [Drafted(draft_id=command.draft_id, state="done")])

    # --- events out ----------------------------------------------------------------------------------------------------

    def subscribe(self, subscriber: Subscriber, *, last_seq: int | None = None) -> Callable[[], None]:
        """Have ``subscriber`` called with every frame from now on. Returns what ends that.

        With ``last_seq`` it first gets a Hello and what it missed since that frame, or a Snapshot where that is no longer kept
        (0: it has nothing). The frame with the Hello has the number of the frame before the next one, so that no gap is seen.
        """
        self._thread.call(lambda: self._subscribe(subscriber, last_seq))
        return lambda: self._thread.call(lambda: self._unsubscribe(subscriber))

    def resend(self, subscriber: Subscriber, *, from_seq: int) -> None:
        """Give one subscriber the frames from ``from_seq`` on again."""
        self._thread.call(lambda: self._catch_up(subscriber, from_seq - 1))

    def tell(self, subscriber: Subscriber, event: Event) -> None:
        """Tell one subscriber something that concerns nobody else, and is stale a moment later."""
        self._thread.call(lambda: self._broadcast.tell(subscriber, [event]))

    def publish(self, event: Event) -> None:
        """Tell every subscriber something of the kernel. The moments are told to those that come later, too."""
        self._thread.call(lambda: self._publish(event))

    def say_hello(self) -> None:
        """Send Hello to every subscriber again, because something in it has changed."""
        self._thread.call(lambda: self._broadcast.send([self.hello()]))

    def hello(self) -> Hello:
        """Description of package, provider and model; a client adds its own fields. On the engine's thread."""
        link = self.link
        return Hello(
            package=__version__,
            provider=link.provider if link else "",
            model=self._session.model,
            banner=link.banner if link else "",
            offline=link.offline if link else False,
            try_unavailable=self._try_unavailable,
            rehearsal_unavailable=self._copies.unavailable,
            offered=link.offered.name if link and link.offered else "",
            offered_title=link.offered.title if link and link.offered else "",
            deep=self._routing.deep.gear,
            suggestions=self._background.source.mode,
            serving=self._routing.serving(),
            policy=self.policy_info(None),
            recording=str(self._records.recorder.path or ""),
            drafts=self._draft_mode.on,
        )

    def policy_info(self, person: Person | None) -> PolicyInfo:
        """Everything that is limited, and the prompts that this person has left. On the engine's thread."""
        prompts, info = self._records.prompts, self.policy.info
        return info if prompts is None else prompts.told(info, person)

    @property
    def streams(self) -> bool:
        """True while a turn streams. On the engine's thread."""
        return bool(self._session.streaming)

    def enter(self, notebook: str) -> None:
        """A client has named the notebook's path: its last conversation goes on, and deep work that another kernel left off waits."""

        def go_on() -> None:
            self._records.conversations.enter(notebook)
            if works := self._records.conversations.left_works:
                self._commands.begin(RestoreDeep(works=works))

        self._thread.call(go_on)

    @property
    def conversations(self) -> ConversationKeeper:
        """The conversations; only used on the engine's thread (:meth:`read`)."""
        return self._records.conversations

    def follow(self, turn_id: str, *, others: bool = False) -> Follow[Chain]:
        """Follow a turn and those that steer it. Make this before the turn begins; see :class:`~spark_jupyter.engine.follow.Follow`."""
        return Follow(self, Chain(turn_id), others=others)

    def follow_try(self, cell_id: str) -> Follow[OneTry]:
        """Follow the Try of a cell. Make this before it begins."""
        return Follow(self, OneTry(cell_id))

    # --- providers and settings ----------------------------------------------------------------------------------------

    @property
    def link(self) -> Link | None:
        return self._routing.turns.link

    def wait_until_connected(self, timeout: float | None = None) -> Link | None:
        """Block until there is a link; None where ``timeout`` seconds passed first."""
        with self._change:
            self._change.wait_for(lambda: self.link is not None or self.closed, timeout)
            return self.link

    def models(self, timeout: float = 30.0) -> Models:
        """The provider's own list. Raises a :class:`~spark_jupyter.exceptions.ProviderError` where it can't be had."""
        return self._thread.wait_for(self._choices.models(), timeout)

    def image_support(self, word: AllowImages | None = None, timeout: float = 30.0) -> ImageSupport:
        """Whether images can go along with a prompt, after a person's ``word`` on it. Raises a
        :class:`~spark_jupyter.exceptions.SparkError` where there is no link."""
        return self._thread.wait_for(self._choices.image_support(word), timeout)

    def use(self, connect: Connect, timeout: float = 60.0) -> Link:
        """Let another provider answer from now on. Raises :class:`~spark_jupyter.exceptions.SessionError` while a turn streams, and a
        :class:`~spark_jupyter.exceptions.SparkError` where the other one can't be reached; the one before then stays."""
        return self._thread.wait_for(self._routing.use(connect), timeout)

    def set_effort(self, effort: str | None) -> None:
        """Set the reasoning effort from the next request on; None: as the profile says."""
        self._thread.ask(lambda: self._routing.think(effort))

    def configure(self, news: Configure) -> None:
        """The kernel's own configuration has these values from now on; None leaves a value as it is."""
        self._thread.ask(lambda: self._configuration.apply_own(news))

    def project_rules(self) -> ProjectRules:
        return self._thread.ask(self._background.project_rules)

    def restrict(self, rules: AuthorRules) -> None:
        """Allow from now on what the authors of the notebooks allow, within the policy of administrators. Returns at once."""
        before, self.policy = self.policy, rules.above(self._site_policy)
        self._thread.call(lambda: self._input.restrict(rules, self.policy))
        if self.policy != before or rules.counts_prompts:
            self.say_hello()

    def record(self, path: Path | None) -> None:
        """Record what is answered into this file from now on; None: no longer. Raises
        :class:`~spark_jupyter.exceptions.ConfigurationError` for a file that can't be written, or is something else."""
        recorder = self._records.recorder
        self._thread.ask(lambda: recorder.begin(path) if path is not None else recorder.end())
        self.say_hello()

    @property
    def recording(self) -> tuple[Path | None, int]:
        """The file that is recorded into, and how many answers were."""
        return self._records.recorder.path, self._records.recorder.count

    def drafts(self, switch: SwitchDrafts | None = None) -> DraftMode:
        """Switch draft mode, where that is said; returns how it is. Raises a :class:`~spark_jupyter.exceptions.SparkError` where it can't
        be on."""
        return self._thread.ask(lambda: self._draft_mode if switch is None else self._switch_drafts(switch))

    def suggest(self, change: Callable[[SuggestionSource], Result]) -> Result:
        """Call ``change`` with the source of suggestions, on the engine's thread. The clients are told where their mode changes."""

        def decide() -> Result:
            source = self._background.source
            before = source.mode
            done = change(source)
            if source.mode != before:
                self._broadcast.send([self.hello()])
            return done

        return self._thread.ask(decide)

    # --- the user's cells ----------------------------------------------------------------------------------------------

    def cell_begins(self) -> None:
        """The kernel runs a cell: nothing is refined meanwhile."""
        self._thread.call(self._background.refinements.begins)

    def cell_ends(self) -> None:
        """The cell has ended."""
        self._thread.call(self._background.refinements.ends)

    def refined(self, cell_id: str, source: str) -> tuple[str, str] | None:
        """The better text that was found for a cell's source, with a title of the change. Call on the engine's thread."""
        return self._background.refinements.for_cell(cell_id, source)

    # --- the thread ----------------------------------------------------------------------------------------------------

    def heard(self) -> Heard:
        return self._session.dialogue.heard()

    def read(self, read: Callable[[Session], Result]) -> Result:
        """``read(session)``, on the engine's thread, where nothing changes meanwhile."""
        return self._thread.ask(lambda: read(self._session))

    def repeat(self, function: Callable[[], None], *, every: float) -> Callable[[], None]:
        """Have ``function`` called on the engine's thread every so many seconds. Returns what ends that."""
        return self._thread.repeat(function, every=every)

    def after(self, seconds: float, function: Callable[[], None]) -> None:
        """Have ``function`` called on the engine's thread in so many seconds, unless the engine is closed before."""
        self._thread.call(lambda: self._thread.loop.call_later(seconds, function))

    def run(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Have this run on the engine's loop, until it ends or the engine does."""
        self._thread.call(lambda: self._thread.spawn(work()))

    @property
    def closed(self) -> bool:
        return self._thread.closed

    def close(self) -> None:
        """Drop what streams, close the connection, end the thread. Idempotent."""
        self._thread.close(self._shut_down)
        with self._change:
            self._change.notify_all()

    def _subscribe(self, subscriber: Subscriber, last_seq: int | None) -> None:
        if last_seq is not None:
            self._catch_up(subscriber, last_seq)
        self._broadcast.subscribe(subscriber)

    @property
    def _draft_mode(self) -> DraftMode:
        return DraftMode() if self._drafter is None else self._drafter.mode

    def _switch_drafts(self, switch: SwitchDrafts) -> DraftMode:
        if self._drafter is None:
            from spark_jupyter.engine.drafter import Drafter  # not loaded where it is off

            parts = (self._session, self._routing, self._kernel, self._thread, self._broadcast, self._records)
            self._drafter = Drafter(*parts)
            self._input.draft_of = self._drafter.answer_of
        try:
            self._drafter.switch(on=switch.on, budget=switch.budget)
        finally:
            self._broadcast.send([self.hello()])
        return self._drafter.mode

    def _catch_up(self, subscriber: Subscriber, last_seq: int) -> None:
        self._broadcast.catch_up(subscriber, last_seq=last_seq, hello=self.hello, snapshot=self._snapshot)

    def _unsubscribe(self, subscriber: Subscriber) -> None:
        self._broadcast.unsubscribe(subscriber)
        self._background.forget(subscriber)
        if self._drafter is not None:
            self._drafter.drop(subscriber)

    def _snapshot(self) -> Snapshot:
        shown, conversation = self._background.reviews.shown, self._records.conversations.known
        return structs.replace(
            self._session.snapshot(),
            review=shown,
            conversation=conversation,
            moments=self._moments if self._moments.moments else None,
        )

    def _publish(self, event: Event) -> None:
        if event == self._moments:
            return
        if isinstance(event, MomentsChanged):
            self._moments = event
        self._broadcast.send([event])

    def _announce(self) -> None:
        """Another provider answers, or it is known who does: who waits for a link goes on, and everyone is told."""
        with self._change:
            self._change.notify_all()
        self._broadcast.send([self.hello()])

    async def _shut_down(self) -> None:
        if self._drafter is not None:
            self._drafter.switch(on=False)
        self._actions.close()
        self._thread.switch_interval.release()
        await self._background.close()
        await self._routing.close()
        self._broadcast.flush_now()
