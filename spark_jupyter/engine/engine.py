"""The engine: owns the loop's thread, the session and the connection, and moves what is between them.

Every input goes to the session on the engine's thread, and the session is drained after each: actions are begun, events go to the
subscribers (:mod:`spark_jupyter.engine.broadcast`).
"""

from __future__ import annotations

import functools
import importlib
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import TypeVar

from spark_jupyter.engine.acting import Acting
from spark_jupyter.engine.alone import AskedAlone
from spark_jupyter.engine.answerers import Answerers
from spark_jupyter.engine.beside import Beside
from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.checks import Checks
from spark_jupyter.engine.choosing import Choice
from spark_jupyter.engine.configuring import Configuring, what_counts, with_the_usual
from spark_jupyter.engine.copies import Copies
from spark_jupyter.engine.eagerness import Eagerness
from spark_jupyter.engine.follow import Chain, Follow, OneTry
from spark_jupyter.engine.giving import Giving
from spark_jupyter.engine.greeting import Greeting
from spark_jupyter.engine.intake import Intake
from spark_jupyter.engine.kernel import Kernel
from spark_jupyter.engine.link import Connect, Link
from spark_jupyter.engine.loop import LoopThread
from spark_jupyter.engine.requests import Requests
from spark_jupyter.engine.sources import Sources, Wish
from spark_jupyter.engine.spending import Spending
from spark_jupyter.engine.ticking import Ticking
from spark_jupyter.protocol.messages import Command, Event, Hello, TurnEnded, Warm
from spark_jupyter.protocol.provider_messages import (
    Configure,
    Models,
    SelectModel,
)
from spark_jupyter.protocol.review_messages import BeginReview, CancelReview
from spark_jupyter.protocol.trial_messages import CancelTry
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.session import Session

Result = TypeVar("Result")


class Engine:
    """Runs turns. Safe to use from any thread; subscribers are called on the engine's thread and must be quick.

    ``connect`` makes the link; it is called on the engine's loop when the engine starts, and again with the next turn where it failed.
    ``kernel`` is what is read of the user's, ``checks`` what may be done in copies of it, ``suggest`` says who makes suggestions,
    ``spending`` counts what all of it costs. ``own`` is the kernel's configuration, which counts again of what the settings of a browser
    no longer say. ``effort`` is how much a model that reasons may think; None: as its profile says. ``model_folder`` is where model files
    are listed from.
    """

    def __init__(
        self,
        connect: Connect,
        *,
        guard: Guard | None = None,
        redactor: Redactor | None = None,
        kernel: Kernel | None = None,
        suggest: Wish | None = None,
        checks: Checks | None = None,
        model: str | None = None,
        effort: str | None = None,
        own: Configure | None = None,
        spending: Spending | None = None,
        model_folder: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        guard, kernel, checks = guard or Guard(), kernel or Kernel(), checks or Checks()
        own = with_the_usual(own or Configure())
        self._clock, self._spending = clock, spending
        self._session = Session(model=model or "", guard=guard, redactor=redactor)
        self._copies = Copies(checks, rehearse=own.rehearse or "off")
        self._eagerness = Eagerness()
        self._change = threading.Condition()
        self._thread = LoopThread("spark-engine")
        self._call, spawn = self._thread.call, self._thread.spawn
        self._broadcast = Broadcast(
            self._thread.loop, greeting=self.hello, snapshot=lambda: self._greeting.snapshot(), sent=self._sent
        )
        send = self._broadcast.send
        self._answerers = Answerers(
            self._session,
            connect,
            own,
            effort=effort,
            no_try=checks.no_try,
            ideas=kernel.ideas,
            model_folder=model_folder,
            thread=self._thread,
            send=send,
            changed=self._answerer_changed,
        )
        self._beside = Beside(
            self._session,
            self._answerers,
            checks,
            kernel=kernel,
            guard=guard,
            suggest=suggest or Wish(),
            spending=spending,
            thread=self._thread,
            broadcast=self._broadcast,
            waits=lambda some: self._eagerness.switch(some or bool(self._session.streaming)),
        )
        self._ticking = Ticking(self._thread.loop, lambda: self._tell(lambda session, at: session.receive_time(at=at)))
        self._acting = Acting(
            self._session,
            Requests(self._answerers.gears.link_of, spawn=spawn, tell=self._tell),
            checks,
            thread=self._thread,
            tell=self._tell,
            send=send,
            awaited=lambda: self._eagerness.switch(True),
        )
        self._intake = Intake(self._take, self._acting.inspections, thread=self._thread, send=send)
        self._giving = Giving(
            self._session, self._answerers.gears, checks, self._copies, self._acting.tries, kernel, clock
        )
        self._greeting = Greeting(self._session, self._answerers, self._beside, checks, self._copies)
        counts = what_counts(
            self._answerers,
            self._beside,
            copies=self._copies,
            guard=guard,
            checks=checks,
            spending=spending,
            spawn=spawn,
            send=send,
        )
        self._configuring = Configuring(own, counts)
        guardrail = functools.partial(importlib.import_module, "spark_jupyter.guardrail")  # off the path of %load_ext
        self._thread.start([self._answerers.links.begin, guardrail, lambda: self._copies.unavailable])

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
        return self._thread.wait_for(self._answerers.choices.models(), timeout)

    def use(self, connect: Connect, timeout: float = 60.0) -> Link:
        """Let another provider answer from now on. Raises :class:`~spark_jupyter.exceptions.SessionError` while a turn streams, and a
        :class:`~spark_jupyter.exceptions.SparkError` where the other one can't be reached; the one before then stays."""

        return self._thread.wait_for(self._answerers.choices.use(connect), timeout)

    def cell_begins(self) -> None:
        """The kernel runs a cell: nothing is refined meanwhile."""
        self._call(self._beside.refinements.begins)

    def cell_ends(self) -> None:
        """It has ended."""
        self._call(self._beside.refinements.ends)

    def refined(self, cell_id: str, source: str) -> tuple[str, str] | None:
        """The better text that was found for what a cell holds, with what it does. On the engine's thread."""
        return self._beside.refinements.for_cell(cell_id, source)

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
        self._beside.receive(subscriber, command)

    def tell(self, subscriber: Subscriber, event: Event) -> None:
        """Tell one subscriber something that concerns nobody else, and is stale a moment later."""
        self._call(lambda: self._broadcast.tell(subscriber, [event]))

    def suggest(self, do: Callable[[Sources], Result]) -> Result:
        """``do`` with what decides who makes suggestions, and when; on the engine's thread. The fronts are told when that is."""

        def decide() -> Result:
            sources = self._beside.sources
            before = sources.mode
            done = do(sources)
            if sources.mode != before:
                self._broadcast.send([self.hello()])
            return done

        return self._thread.ask(decide)

    def follow(self, turn_id: str, *, others: bool = False) -> Follow[Chain]:
        """Follow a turn and those that steer it. Make this before the turn begins; see :class:`~spark_jupyter.engine.follow.Follow`."""
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
        self._thread.ask(lambda: self._answerers.standing.think(effort))

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
        self._call(lambda: self._thread.spawn(work()))

    def hello(self) -> Hello:
        """Who is here: package, provider, model. The fronts fill in what only they know."""
        return self._greeting.hello()

    @property
    def link(self) -> Link | None:
        """The link where there is one."""
        return self._answerers.links.link

    def close(self) -> None:
        """Drop what streams, close the connection, end the thread. Idempotent."""
        self._thread.close(self._shut_down)
        with self._change:
            self._change.notify_all()

    # --- on the engine's thread ----------------------------------------------------------------------------------------

    def _unsubscribe(self, subscriber: Subscriber) -> None:
        self._broadcast.unsubscribe(subscriber)
        self._beside.forget(subscriber)

    def _take(self, command: Command) -> None:
        if self._spending is not None:
            self._spending.refuse(costs=self._answerers.gears.costs(command))
        self._beside.refinements.stir()
        match command:
            case Warm():
                self._answerers.links.begin()
            case CancelTry(cell_id=cell_id):
                self._acting.tries.cancel([cell_id])
            case BeginReview() | CancelReview():
                self._beside.reviews.take(command, undecided=self._session.store.undecided)
            case _ if isinstance(command, Choice):
                self._answerers.choices.receive(command)
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

    # --- what the parts report ----------------------------------------------------------------------------------------

    def _answerer_changed(self) -> None:
        """There is a link, or another one: who waits for it may go on, and everyone hears who is here."""
        with self._change:
            self._change.notify_all()
        self._broadcast.send([self.hello()])

    def _sent(self, events: Sequence[Event]) -> None:
        """Every subscriber has these events."""
        if self._spending is not None and (said := self._spending.receive(events)):
            self._broadcast.send(said)
        if any(isinstance(event, TurnEnded) for event in events):
            self._eagerness.switch(bool(self._session.streaming))

    async def _shut_down(self) -> None:
        self._acting.tries.drop_all()
        self._eagerness.switch(False)
        await self._beside.close()
        self._ticking.switch(False)
        await self._answerers.close()
        self._broadcast.flush_now()
