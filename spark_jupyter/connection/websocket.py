"""One open WebSocket to a provider, with lanes and reader.

The library's errors are translated here for the user.

How much may come is bounded in bounded.py. How many sockets there are, which one is used and what
replaces it is decided in pool.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable

from websockets import exceptions as ws
from websockets.frames import CloseCode

from spark_jupyter.connection.answer_drain import Tail
from spark_jupyter.connection.bounded_websocket import BoundedConnection, StraightConnect
from spark_jupyter.connection.connection_options import MOST_BYTES, Options
from spark_jupyter.connection.credentials import headers_of, ssl_context_of, withhold_secrets
from spark_jupyter.connection.frame_inbox import Inbox
from spark_jupyter.connection.interruption import Interruption, Interrupts
from spark_jupyter.connection.network_errors import dial_error, lost, proxy_setting, too_much
from spark_jupyter.connection.proxy_choice import proxy_of
from spark_jupyter.exceptions import ConfigurationError, ConnectionLost, ConnectionRefused, ProviderError
from spark_jupyter.providers.addresses import endpoint_url, is_loopback
from spark_jupyter.providers.base import Envelope, Priority, SocketProvider
from spark_jupyter.providers.continuation import Continuation
from spark_jupyter.providers.profiles import Choice
from spark_jupyter.providers.refusals import bad_response, read_refusal, scrub, to_error

Lane = str | None
"""None is the default lane, which has no ``stream_id``."""

LANES: tuple[Lane, ...] = (None, *(f"lane-{number}" for number in range(1, 16)))
"""16 requests may be under way on one socket (OpenAI's limit); the lanes keep their names, since only 32 names are allowed."""

_QUEUE = 64


class Socket:
    """One socket. Its reader runs as long as it is open and puts each frame into the inbox of its lane.

    ``on_end`` is called once, when the socket is closed by whichever side; ``on_room`` whenever a lane has become free.
    """

    def __init__(
        self,
        socket: BoundedConnection,
        *,
        provider: SocketProvider,
        where: str,
        options: Options,
        on_end: Callable[[Socket], None],
        on_room: Callable[[], None],
        interrupts: Interrupts,
    ) -> None:
        self.interrupts = interrupts
        self._interrupted: dict[Lane, Continuation] = {}  # dropped answers that were told to end, and what follows them
        self._probes = False
        self._sending: set[asyncio.Task[None]] = set()
        self._socket = socket
        self._provider = provider
        self._where = where
        self._options = options
        self._on_end = on_end
        self._on_room = on_room
        self._loop = asyncio.get_running_loop()
        self._inboxes: dict[Lane, Inbox] = {}
        self._turns: set[Lane] = set()
        self._tails: dict[Lane, Tail | None] = {}  # of dropped answers; None: one that is not worth waiting for
        self._only: Inbox | None = None
        self.continuations: dict[Lane, Continuation] = {}
        self.opened_at = self.heard_at = self._loop.time()
        self.pinged_at = 0.0
        self._pings = 0
        self.is_open = True
        self.is_retired = False
        self._reader = self._loop.create_task(self._read())

    # Lanes

    @property
    def is_idle(self) -> bool:
        """True if nothing is under way here, not even the tail of something that was dropped."""
        return not self._inboxes and not self._tails

    @property
    def carries_turn(self) -> bool:
        return bool(self._turns)

    @property
    def carries_small(self) -> bool:
        """True if a completion or an offer is under way here, or the tail of a dropped answer."""
        return len(self._inboxes) > len(self._turns) or bool(self._tails)

    def free_lanes(self, *, served: bool) -> list[Lane]:
        """The lanes that a request may take; at most the default one where lanes are not served."""
        if not self.is_open or self.is_retired or self._probes:
            return []
        lanes = LANES if served else LANES[:1]
        return [lane for lane in lanes if lane not in self._inboxes and lane not in self._tails]

    def occupy(self, lane: Lane, priority: Priority) -> Inbox:
        """Take a free lane; its frames come into the inbox that is returned."""
        self._inboxes[lane] = inbox = Inbox()
        if priority is Priority.TURN:
            self._turns.add(lane)
        self._settle()
        return inbox

    def vacate(self, lane: Lane) -> None:
        self._close_inbox(lane)
        self._settle()

    def drop(self, lane: Lane, *, drain: bool, interruption: Interruption | None = None) -> None:
        """The request on this lane is not wanted any more, and the tail of its answer will not be delivered.

        With ``drain`` the lane is free again when its tail has passed by. Without it the provider is to stop: by an ``interruption``, where
        it takes those or nobody has tried yet, else by closing the socket: at once where nothing else streams here, else as soon as nothing
        does.
        """
        self._close_inbox(lane)
        self.continuations.pop(lane, None)
        told = not drain and self.is_open and interruption is not None and self._interrupt(lane, interruption)
        if self.is_open:
            self._tails[lane] = Tail(self._options, lambda: self._give_up(lane)) if drain or told else None
        self._settle()

    def _interrupt(self, lane: Lane, interruption: Interruption) -> bool:
        """Tell the provider to end the answer on this lane. Whether that was done."""
        probes = self.interrupts.served is None
        if self.interrupts.off or (probes and (self._inboxes or self._tails)):
            return False
        self._probes = probes
        self._interrupted[lane] = interruption.after
        task = self._loop.create_task(self._send_if_open(interruption.frame))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return True

    async def _send_if_open(self, frame: bytes) -> None:
        with contextlib.suppress(ConnectionLost):  # the reader has seen it too, and tells
            await self.send(frame)

    def _close_inbox(self, lane: Lane) -> None:
        self._turns.discard(lane)
        inbox = self._inboxes.pop(lane, None)
        if inbox is not None:
            inbox.close()

    def _give_up(self, lane: Lane) -> None:
        """The tail on this lane is too much. What streams beside it may end; nothing new comes to this socket."""
        self._tails[lane] = None
        self.is_retired = True
        if self._interrupted.pop(lane, None) is not None and self._probes:
            self.interrupts.served = False  # the response was told to end, and went on
        self._settle()

    def _settle(self) -> None:
        """Handle a lane's change: the socket may be of no more use, a lane may be free."""
        if not self._inboxes and None in self._tails.values():
            self.abort()
            return
        # Where the default lane alone is busy, frames need not be looked at to know where they go.
        alone = not self._tails and len(self._inboxes) == 1 and None in self._inboxes
        self._only = self._inboxes[None] if alone else None
        self._on_room()

    # The socket

    async def send(self, data: bytes) -> None:
        """Send one event. Raises :class:`~spark_jupyter.exceptions.ConnectionLost`."""
        try:
            await self._socket.send(data, text=True)
        except ws.ConnectionClosed as error:
            raise self._translate(error) from None

    async def ping(self) -> None:
        """Send a ping. Whatever arrives after it, not only its pong, is a sign of life."""
        self.pinged_at = self._loop.time()
        self._pings += 1
        try:  # without a content the library draws one from Python's random numbers, and changes what a user's seed gives
            pong = await self._socket.ping(str(self._pings))
        except ws.ConnectionClosed:
            return  # the reader has seen it too, and tells
        asyncio.ensure_future(pong).add_done_callback(self._hear)

    def abort(self) -> None:
        """Close at once, without a handshake: the provider sees it after the way of one packet, and stops."""
        if self.is_open:
            self._socket.give_up()
            self._reader.cancel()
            self._end(lost(self._where, "it was given up here"))

    async def close(self) -> None:
        """Close politely, within the library's close timeout."""
        if self.is_open:
            self._reader.cancel()
            self._end(lost(self._where, "it was closed here"))
            await self._socket.close()

    # What arrives

    async def _read(self) -> None:
        receive = self._socket.receive
        try:
            while True:
                frame = await receive()
                self.heard_at = self._loop.time()
                inbox = self._only or self._route(frame)
                if inbox is not None:
                    inbox.put(frame)
                    if inbox.is_full:
                        await inbox.room()
        except ws.ConnectionClosed as error:
            self._end(self._translate(error))
        except (
            Exception
        ) as error:  # a fault of our own: who waits for a frame is told, and the socket is of no more use
            self._socket.give_up()
            self._end(lost(self._where, f"spark_jupyter itself failed ({type(error).__name__})"))

    def _route(self, frame: bytes) -> Inbox | None:
        """The inbox that a frame belongs to; None for the rest of a dropped answer and for frames that no request asked for."""
        envelope = self._provider.envelope(frame)
        if envelope is None:
            self._fail_all(bad_response("what is no event", data=frame, where=self._where))
            return None
        lane = envelope.lane
        if lane in self._inboxes:
            return self._inboxes[lane]
        if self._probes and envelope.is_error:
            self._refuse_interrupts()
            return None
        if lane in self._tails:
            if envelope.is_last and lane in self._interrupted:
                self._learn_of_interrupts(lane, envelope)
            self._pass_by(lane, len(frame), is_last=envelope.is_last)
            return None
        if envelope.is_error:
            # An error that names no lane is about the socket: its age, or that its events could not be read.
            self.is_retired = True
            self._fail_all(to_error(read_refusal(frame), where=self._where))
        return None

    def _refuse_interrupts(self) -> None:
        """The provider does not know them: the way to stop it is to close the socket."""
        self.interrupts.served, self._probes = False, False
        for lane in self._interrupted:
            self._tails[lane] = None
        self._settle()

    def _learn_of_interrupts(self, lane: Lane, envelope: Envelope) -> None:
        """An answer that was told to end has ended: because it was told, where it says that it is not whole. What it was asked stays in
        the lane. One that was whole already has taught nothing, and an error may still come: the socket gets nothing new."""
        after = self._interrupted.pop(lane)
        if envelope.is_cut:
            self.interrupts.served, self._probes = True, False
            self.continuations[lane] = after
        elif self._probes:
            self.is_retired = True

    def _pass_by(self, lane: Lane, size: int, *, is_last: bool) -> None:
        tail = self._tails[lane]
        if is_last:
            del self._tails[lane]
            if tail is not None:
                tail.close()
            self._settle()
        elif tail is not None:
            tail.receive(size)

    def _fail_all(self, error: ProviderError) -> None:
        for inbox in self._inboxes.values():
            inbox.fail(error)

    def _end(self, error: ProviderError) -> None:
        if self.is_open:
            self.is_open = False
            for tail in self._tails.values():
                if tail is not None:
                    tail.close()
            self._fail_all(error)
            self._on_end(self)

    def _hear(self, pong: asyncio.Future[float]) -> None:
        if not pong.cancelled() and pong.exception() is None:
            self.heard_at = self._loop.time()

    def _translate(self, error: ws.ConnectionClosed) -> ProviderError:
        closing = error.rcvd
        if self._socket.excess:
            return too_much(self._where, self._socket.excess)
        if closing is None or error.rcvd_then_sent is False:
            if error.sent is not None and error.sent.code == CloseCode.MESSAGE_TOO_BIG:
                return too_much(self._where, "a message in too many pieces")
            return lost(self._where, "without a closing frame")
        if closing.code in (1008, 4001, 4003, 4401, 4403, 4429):
            # A policy's words are the provider's reason; the code alone says little.
            status = {4401: 401, 4001: 401, 4403: 403, 4003: 403, 4429: 429}.get(closing.code, 0)
            if status:
                return to_error(read_refusal(closing.reason, status=status), where=self._where)
        reason = f", {scrub(closing.reason)}" if closing.reason else ""
        return lost(self._where, f"closed by the provider with code {closing.code}{reason}")


async def dial(
    choice: Choice,
    provider: SocketProvider,
    options: Options,
    *,
    interrupts: Interrupts,
    on_end: Callable[[Socket], None],
    on_room: Callable[[], None],
) -> Socket:
    """Open a socket to the provider, TLS and the upgrade done.

    Raises a :class:`~spark_jupyter.exceptions.ProviderError` that says why it could not be opened.
    """
    url = endpoint_url(choice.base_url, provider.path)
    where = choice.where
    near = is_loopback(url)
    secure = url.startswith("wss://")
    deflate = options.deflate if options.deflate is not None else choice.profile.deflate and not near
    try:
        socket = await StraightConnect(
            url,
            additional_headers=await headers_of(choice, provider),
            compression="deflate" if deflate else None,
            max_size=MOST_BYTES,
            max_queue=_QUEUE,
            open_timeout=options.open_timeout,
            close_timeout=1.0,
            ping_interval=None,
            proxy=proxy_of(choice, url),
            create_connection=BoundedConnection,
            ssl=(options.ssl_context or ssl_context_of(choice)) if secure else None,
        )
    except ws.InvalidStatus as error:
        answer = error.response
        headers = dict(answer.headers.raw_items())
        refusal = read_refusal(bytes(answer.body or b""), status=answer.status_code, headers=headers)
        refused = to_error(refusal, model=choice.model, where=where)
        withhold_secrets(refused, choice)
        raise refused from None
    except ws.InvalidURI as error:
        raise ConfigurationError(
            f"{url.partition('?')[0]!r} is no address of a WebSocket: {error}.", remedy="Correct the base URL."
        ) from None
    except (ImportError, ws.InvalidProxy) as error:
        raise proxy_setting(error) from None
    except ws.ProxyError as error:
        raise ConnectionRefused(
            f"The proxy on the way to {where} failed: {error}.", remedy="Check HTTPS_PROXY and NO_PROXY."
        ) from None
    except ws.InvalidHandshake:
        raise bad_response("what is no WebSocket handshake", where=where) from None
    except (OSError, ssl.SSLError, TimeoutError, EOFError) as error:
        raise dial_error(error, where, timeout=options.open_timeout) from None
    assert isinstance(socket, BoundedConnection)  # as it was asked for
    return Socket(
        socket,
        provider=provider,
        where=where,
        options=options,
        on_end=on_end,
        on_room=on_room,
        interrupts=interrupts,
    )
