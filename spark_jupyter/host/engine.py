"""The engine: owns the loop's thread, the session and the connection, and moves what is between them.

Every input goes to the session on the engine's thread, and the session is drained after each: actions are begun, events go to the
subscribers (:mod:`spark_jupyter.host.broadcast`).
"""

from __future__ import annotations

import functools
import importlib
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import TypeVar

from spark_jupyter.core.guard import Guard
from spark_jupyter.core.rehearsing import Rehearse
from spark_jupyter.core.session import Session
from spark_jupyter.host.acting import Acting
from spark_jupyter.host.alone import Alone, AskedAlone
from spark_jupyter.host.broadcast import Broadcast, Subscriber
from spark_jupyter.host.checks import Checks
from spark_jupyter.host.choosing import Choice, Choices
from spark_jupyter.host.configuring import Configuring, what_counts
from spark_jupyter.host.copies import Copies
from spark_jupyter.host.eagerness import Eagerness
from spark_jupyter.host.follow import Chain, Follow, OneTry
from spark_jupyter.host.gears import Gears
from spark_jupyter.host.giving import Giving
from spark_jupyter.host.greeting import Greeting
from spark_jupyter.host.intake import Intake
from spark_jupyter.host.link import Connect, Link, LinkKeeper
from spark_jupyter.host.loop import LoopThread
from spark_jupyter.host.refinements import Refinements
from spark_jupyter.host.requests import Requests
from spark_jupyter.host.reviews import Reviews
from spark_jupyter.host.situations import Kernel, Situations
from spark_jupyter.host.sources import Sources, Wish
from spark_jupyter.host.spending import Spending
from spark_jupyter.host.standing import Standing
from spark_jupyter.host.ticking import Ticking
from spark_jupyter.speech.redaction import Redactor
from spark_jupyter.speech.surroundings import Surroundings
from spark_jupyter.wire.choosing import (
    Configure,
    Models,
    SelectModel,
)
from spark_jupyter.wire.deep import ChooseDeep
from spark_jupyter.wire.messages import Command, Event, Hello, Prompt, TurnEnded, Warm
from spark_jupyter.wire.reviewing import BeginReview, CancelReview
from spark_jupyter.wire.tries import CancelTry

Result = TypeVar("Result")


class Engine:
    """Runs turns. Safe to use from any thread; subscribers are called on the engine's thread and must be quick.

    ``connect`` makes the link; it is called on the engine's loop when the engine starts, and again with the next turn where it failed.
    ``surroundings`` reads the kernel at the moment of a prompt, ``mentions`` what may be pointed at there that begins so,
    ``ideas`` what could be asked. ``kernel`` is what completions are judged by, ``suggest`` who makes them, ``deep`` says who does
    deep work, ``spending`` counts what all of it costs. With ``trust_local`` nothing is withheld from a model that is on this machine.
    ``own`` is the kernel's configuration, which counts again of what the settings of a browser no longer say.
    ``effort`` is how much a model that reasons may think; None: as its profile says. ``model_folder`` is where model files are listed from.
    """

    def __init__(
        self,
        connect: Connect,
        *,
        guard: Guard | None = None,
        redactor: Redactor | None = None,
        surroundings: Callable[[Prompt], Surroundings] | None = None,
        mentions: Callable[[str], Sequence[str]] | None = None,
        ideas: Callable[[], Sequence[str]] = tuple,
        kernel: Kernel | None = None,
        suggest: Wish | None = None,
        checks: Checks | None = None,
        model: str | None = None,
        trust_local: bool = False,
        effort: str | None = None,
        rehearse: Rehearse = "off",
        deep: ChooseDeep | None = None,
        own: Configure | None = None,
        spending: Spending | None = None,
        model_folder: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._checks = checks or Checks()
        self._clock = clock
        self._copies = Copies(self._checks, rehearse=rehearse)
        self._guard = guard or Guard()
        self._session = Session(model=model or "", guard=self._guard, redactor=redactor)
        self._links = LinkKeeper(connect, made=self._linked)
        self._eagerness = Eagerness()
        self._change = threading.Condition()
        self._thread = LoopThread("spark-engine")
        self._loop, self._spawn, self._call = self._thread.loop, self._thread.spawn, self._thread.call
        self._broadcast = Broadcast(
            self._loop, greeting=self.hello, snapshot=lambda: self._greeting.snapshot(), sent=self._sent
        )
        self._gears = Gears(
            self._session,
            self._links,
            deep=deep or ChooseDeep(),
            changed=self._gear_changed,
            no_try=self._checks.no_try,
        )
        self._standing = Standing(
            self._session,
            self._links,
            effort=effort,
            trust_local=trust_local,
            elsewhere=lambda: self._gears.elsewhere,
        )
        self._choices = Choices(
            self._session,
            self._links,
            self._gears,
            spawn=self._spawn,
            send=self._broadcast.send,
            linked=self._linked,
            ideas=ideas,
            model_folder=model_folder,
        )
        self._spending = spending
        self._ticking = Ticking(self._loop, lambda: self._tell(lambda session, at: session.receive_time(at=at)))
        kernel = kernel or Kernel()
        self._alone = Alone(
            Sources(self._links, model=lambda: self._session.model, wish=suggest or Wish()),
            thread=self._thread,
            broadcast=self._broadcast,
            kernel=kernel,
            situations=Situations(kernel, self._session.dialogue.redactor, self._standing.withholds),
            guard=self._guard,
            mentions=mentions,
            waits=lambda some: self._eagerness.switch(some or bool(self._session.streaming)),
            spending=spending,
        )
        self._acting = Acting(
            self._session,
            Requests(self._gears.link_of, spawn=self._spawn, tell=self._tell),
            self._checks,
            thread=self._thread,
            tell=self._tell,
            send=self._broadcast.send,
            awaited=lambda: self._eagerness.switch(True),
        )
        self._tries = self._acting.tries
        self._intake = Intake(self._take, self._acting.inspections, thread=self._thread, send=self._broadcast.send)
        self._giving = Giving(
            self._session,
            self._gears,
            self._checks,
            copies=self._copies,
            tries=self._tries,
            surroundings=surroundings,
            kernel=kernel,
            clock=clock,
        )
        self._reviews = Reviews(self._checks.review, spawn=self._spawn, send=self._broadcast.send)
        self._greeting = Greeting(
            self._session,
            self._links,
            self._gears,
            self._checks,
            copies=self._copies,
            sources=self._alone.sources,
            reviews=self._reviews,
        )
        self._refinements = Refinements(
            self._checks.refining,
            spawn=self._spawn,
            send=self._broadcast.send,
            quiet=lambda: not (self._session.streaming or self._session.trying),
            by_model=self._alone.refining,
        )
        usual = Configure(rehearse=rehearse, withhold="remote" if trust_local else "always", deep=deep or ChooseDeep())
        counts = what_counts(
            copies=self._copies,
            standing=self._standing,
            guard=self._guard,
            checks=self._checks,
            sources=self._alone.sources,
            choices=self._choices,
            refinements=self._refinements,
            spending=spending,
            spawn=self._spawn,
            send=self._broadcast.send,
        )
        self._configuring = Configuring(own or usual, counts)
        guardrail = functools.partial(importlib.import_module, "spark_jupyter.guardrail")  # off the path of %load_ext
        self._thread.start([self._links.begin, guardrail, lambda: self._copies.unavailable])

    # --- from any thread -----------------------------------------------------------------------------------------------

    def submit(self, command: Command) -> None:
        """Have a command taken in, in the order in which they are submitted. Returns at once."""
        self._call(lambda: self._intake.begin(command))

    def say(self, command: Command) -> None:
        """As :meth:`submit`, but wait until it is taken in.

        Raises :class:`~spark_jupyter.exceptions.SessionError` where it does not fit.
        """

        self._thread.wait_for(self._intake.wait(command))

    def models(self, timeout: float = 30.0) -> Models:
        """The provider's own list. Raises a :class:`~spark_jupyter.exceptions.ProviderError` where it can't be had."""
        return self._thread.wait_for(self._choices.models(), timeout)

    def use(self, connect: Connect, timeout: float = 60.0) -> Link:
        """Let another provider answer from now on. Raises :class:`~spark_jupyter.exceptions.SessionError` while a turn streams, and a
        :class:`~spark_jupyter.exceptions.SparkError` where the other one can't be reached; the one before then stays."""

        return self._thread.wait_for(self._choices.use(connect), timeout)

    def cell_begins(self) -> None:
        """The kernel runs a cell: nothing is refined meanwhile."""
        self._call(self._refinements.begins)

    def cell_ends(self) -> None:
        """It has ended."""
        self._call(self._refinements.ends)

    def refined(self, cell_id: str, source: str) -> tuple[str, str] | None:
        """The better text that was found for what a cell holds, with what it does. On the engine's thread."""
        return self._refinements.for_cell(cell_id, source)

    def subscribe(self, subscriber: Subscriber, *, last_seq: int | None = None) -> Callable[[], None]:
        """Have ``subscriber`` called with every frame from now on. Returns what ends that.

        With ``last_seq`` it first gets a Hello and what it missed since that frame, or a Snapshot where that is no longer kept
        (0: it has nothing). The frame with the Hello has the number of the frame before the next one, so that no gap is seen.
        """
        self._call(lambda: self._broadcast.subscribe(subscriber, last_seq))
        return lambda: self._call(lambda: self._unsubscribe(subscriber))

    def resend(self, subscriber: Subscriber, *, from_seq: int) -> None:
        """Give one subscriber the frames from ``from_seq`` on again."""
        self._call(lambda: self._broadcast.resend(subscriber, from_seq))

    def answer_alone(self, subscriber: Subscriber, command: AskedAlone) -> None:
        """Take in a command whose answer is for one subscriber alone. Returns at once."""
        self._call(lambda: self.answer_here(subscriber, command))

    def answer_here(self, subscriber: Subscriber, command: AskedAlone) -> None:
        """As :meth:`answer_alone`, on the engine's thread."""
        self._refinements.stir()
        self._alone.receive(subscriber, command)

    def tell(self, subscriber: Subscriber, event: Event) -> None:
        """Tell one subscriber something that concerns nobody else, and is stale a moment later."""
        self._call(lambda: self._broadcast.tell(subscriber, [event]))

    def suggest(self, do: Callable[[Sources], Result]) -> Result:
        """``do`` with what decides who makes suggestions, and when; on the engine's thread. The fronts are told when that is."""

        def decide() -> Result:
            sources = self._alone.sources
            before = sources.mode
            done = do(sources)
            if sources.mode != before:
                self._broadcast.send([self.hello()])
            return done

        return self._thread.ask(decide)

    def follow(self, turn_id: str, *, others: bool = False) -> Follow[Chain]:
        """Follow a turn and those that steer it. Make this before the turn begins; see :class:`~spark_jupyter.host.follow.Follow`."""
        return Follow(self, Chain(turn_id), others=others)

    def follow_try(self, cell_id: str) -> Follow[OneTry]:
        """Follow the Try of a cell. Make this before it begins."""
        return Follow(self, OneTry(cell_id))

    @property
    def closed(self) -> bool:
        """Whether nothing more will come."""
        return self._thread.closed

    def wait_until_connected(self, timeout: float | None = None) -> Link | None:
        """Block until there is a link; None where ``timeout`` seconds passed first."""
        with self._change:
            self._change.wait_for(lambda: self.link is not None or self.closed, timeout)
            return self.link

    def configure(self, news: Configure) -> None:
        """The kernel's own configuration says so from now on; None: as it is."""
        self._thread.ask(lambda: self._configuring.own_says(news))

    def set_effort(self, effort: str | None) -> None:
        """How much a model that reasons may think, from the next request on; None: as its profile says."""
        self._thread.ask(lambda: self._standing.think(effort))

    def read(self, read: Callable[[Session], Result]) -> Result:
        """``read(session)``, on the engine's thread, where nothing changes meanwhile."""
        return self._thread.ask(lambda: read(self._session))

    def say_hello(self) -> None:
        """Tell every subscriber who is here, again: something about it has changed."""
        self._call(lambda: self._broadcast.send([self.hello()]))

    def repeat(self, function: Callable[[], None], *, every: float) -> Callable[[], None]:
        """Have ``function`` called on the engine's thread every so many seconds. Returns what ends that."""
        return self._thread.repeat(function, every=every)

    def run(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Have this run on the engine's loop, until it ends or the engine does."""
        self._call(lambda: self._spawn(work()))

    def hello(self) -> Hello:
        """Who is here: package, provider, model. The fronts fill in what only they know."""
        return self._greeting.hello()

    @property
    def link(self) -> Link | None:
        """The link where there is one."""
        return self._links.link

    def close(self) -> None:
        """Drop what streams, close the connection, end the thread. Idempotent."""
        self._thread.close(self._shut_down)
        with self._change:
            self._change.notify_all()

    # --- on the engine's thread ----------------------------------------------------------------------------------------

    def _unsubscribe(self, subscriber: Subscriber) -> None:
        self._broadcast.unsubscribe(subscriber)
        self._alone.forget(subscriber)

    def _take(self, command: Command) -> None:
        if self._spending is not None:
            self._spending.refuse(costs=self._gears.costs(command))
        self._refinements.stir()
        match command:
            case Warm():
                self._links.begin()
            case CancelTry(cell_id=cell_id):
                self._tries.cancel([cell_id])
            case BeginReview() | CancelReview():
                self._reviews.take(command, undecided=self._session.ledger.undecided)
            case _ if isinstance(command, Choice):
                self._choices.receive(command)
            case Configure():
                self._configuring.settings_say(command)
            case _:
                self._giving.give(command)
        if isinstance(command, SelectModel):
            self._broadcast.send([Models(models=(), selected=command.model)])
        self._drain()

    def _tell(self, say: Callable[[Session, float], None]) -> None:
        """Tell the session something, and do what follows."""
        say(self._session, self._clock())
        self._drain()

    def _drain(self) -> None:
        for action in self._session.actions_to_take():
            self._acting.act(action)
        self._ticking.switch(self._session.awaits)
        self._broadcast.send(self._session.events_to_send())

    def _gear_changed(self) -> None:
        self._standing.refresh()
        self._broadcast.send([self.hello()])

    # --- what the parts report ----------------------------------------------------------------------------------------

    def _linked(self, link: Link) -> None:
        """There is a link: who waits for it may go on, and everyone hears who is here."""
        with self._change:
            self._change.notify_all()
        self._standing.take(link)
        self._broadcast.send([self.hello()])

    def _sent(self, events: Sequence[Event]) -> None:
        """Every subscriber has these events."""
        if self._spending is not None and (said := self._spending.receive(events)):
            self._broadcast.send(said)
        if any(isinstance(event, TurnEnded) for event in events):
            self._eagerness.switch(bool(self._session.streaming))

    async def _shut_down(self) -> None:
        self._tries.drop_all()
        self._refinements.begins()
        self._eagerness.switch(False)
        await self._alone.close()
        self._ticking.switch(False)
        await self._links.close()
        await self._gears.close()
        self._broadcast.flush_now()
