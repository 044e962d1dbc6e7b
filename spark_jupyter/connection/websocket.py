"""One open socket to a provider, its lanes and its reader; and what the library's errors mean to the user.

With http.py the only module that imports its library. How many sockets there are, which one is used and what
replaces it is decided in pool.py.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING

from websockets import exceptions as ws
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as ws_connect

from spark_jupyter.connection.faults import dial_error, lost, proxy_setting
from spark_jupyter.connection.inbox import Inbox
from spark_jupyter.connection.options import Options, shared_ssl_context
from spark_jupyter.exceptions import ConfigurationError, ConnectionRefused, ProviderError
from spark_jupyter.providers.continuation import Continuation
from spark_jupyter.providers.profiles import Choice, host_of, is_loopback
from spark_jupyter.providers.refusals import bad_response, read_refusal, to_error, withhold
from spark_jupyter.providers.responses import read_envelope

if TYPE_CHECKING:
    from collections.abc import Callable

Lane = str | None
"""None is the default lane, which has no ``stream_id``."""

LANES: tuple[Lane, ...] = (None, *(f"lane-{number}" for number in range(1, 16)))
"""16 requests may be under way on one socket (OpenAI's limit); the names stay the same, of which 32 are allowed."""

_QUEUE = 64


class Link:
    """One socket. Its reader runs as long as it is open and puts each frame into the inbox of its lane.

    ``on_end`` is called once, when the socket is closed by whichever side.
    """

    def __init__(self, socket: ClientConnection, *, where: str, on_end: Callable[[Link], None]) -> None:
        self._socket = socket
        self._where = where
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._inboxes: dict[Lane, Inbox] = {}
        self._abandoned: set[Lane] = set()
        self._only: Inbox | None = None
        self.continuations: dict[Lane, Continuation] = {}
        self.opened_at = self.heard_at = self._loop.time()
        self.pinged_at = 0.0
        self.uses = 0
        self.is_open = True
        self.is_retired = False
        self._reader = self._loop.create_task(self._read())

    # Lanes

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way here, not even the tail of something abandoned."""
        return not self._inboxes and not self._abandoned

    def free_lanes(self, *, served: bool) -> list[Lane]:
        """The lanes that a request may take; at most the default one where lanes are not served."""
        if not self.is_open or self.is_retired:
            return []
        lanes = LANES if served else LANES[:1]
        return [lane for lane in lanes if lane not in self._inboxes and lane not in self._abandoned]

    def occupy(self, lane: Lane) -> Inbox:
        """Take a free lane; its frames come into the inbox that is returned."""
        self._inboxes[lane] = inbox = Inbox()
        self.uses += 1
        self._notice_change()
        return inbox

    def vacate(self, lane: Lane) -> None:
        """The request on this lane has ended."""
        inbox = self._inboxes.pop(lane, None)
        if inbox is not None:
            inbox.close()
        self._notice_change()

    def drop(self, lane: Lane) -> None:
        """The request on this lane is not wanted any more, and its tail will not be delivered.

        Alone on its socket, it takes the socket along: that is the only way to make a provider stop. Where others
        stream beside it they must not suffer, so its lane is left until its tail has passed by.
        """
        self.vacate(lane)
        self.continuations.pop(lane, None)
        if not self._inboxes:
            self.abort()
        elif self.is_open:
            self._abandoned.add(lane)
            self._notice_change()

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
        try:
            pong = await self._socket.ping()
        except ws.ConnectionClosed:
            return  # the reader has seen it too, and tells
        asyncio.ensure_future(pong).add_done_callback(self._hear)

    def abort(self) -> None:
        """Close at once, without a handshake: the provider sees it after the way of one packet, and stops."""
        if self.is_open:
            self._socket.transport.abort()
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
        receive = self._socket.recv
        try:
            while True:
                frame = await receive(decode=False)
                self.heard_at = self._loop.time()
                inbox = self._only or self._route(frame)
                if inbox is not None:
                    inbox.put(frame)
                    if inbox.is_full:
                        await inbox.room()
        except ws.ConnectionClosed as error:
            self._end(self._translate(error))

    def _notice_change(self) -> None:
        """Where the default lane alone is busy, frames need not be looked at to know where they go."""
        alone = not self._abandoned and len(self._inboxes) == 1 and None in self._inboxes
        self._only = self._inboxes[None] if alone else None

    def _route(self, frame: bytes) -> Inbox | None:
        """The inbox that a frame belongs to; None for the tail of what was abandoned and what nobody asked for."""
        envelope = read_envelope(frame)
        if envelope is None:
            self._fail_all(bad_response("what is no event", data=frame, where=self._where))
            return None
        lane = envelope.stream_id
        if lane in self._inboxes:
            return self._inboxes[lane]
        if lane in self._abandoned:
            if envelope.is_last:
                self._abandoned.discard(lane)
                self._notice_change()
            return None
        if envelope.type == "error":
            # It names no lane, so it is about the socket: its age, or that its events could not be read.
            self.is_retired = True
            self._fail_all(to_error(read_refusal(frame), where=self._where))
        return None

    def _fail_all(self, error: ProviderError) -> None:
        for inbox in self._inboxes.values():
            inbox.fail(error)

    def _end(self, error: ProviderError) -> None:
        if self.is_open:
            self.is_open = False
            self._fail_all(error)
            self._on_end(self)

    def _hear(self, pong: asyncio.Future[float]) -> None:
        if not pong.cancelled() and pong.exception() is None:
            self.heard_at = self._loop.time()

    def _translate(self, error: ws.ConnectionClosed) -> ProviderError:
        closing = error.rcvd
        if closing is None:
            return lost(self._where, "without a closing frame")
        if closing.code in (1008, 4001, 4003, 4401, 4403, 4429):
            # A policy's words are the provider's reason; the code alone says little.
            status = {4401: 401, 4001: 401, 4403: 403, 4003: 403, 4429: 429}.get(closing.code, 0)
            if status:
                return to_error(read_refusal(closing.reason, status=status), where=self._where)
        reason = f", {closing.reason}" if closing.reason else ""
        return lost(self._where, f"closed by the provider with code {closing.code}{reason}")


async def dial(choice: Choice, options: Options, *, on_end: Callable[[Link], None]) -> Link:
    """Open a socket to the provider, TLS and the upgrade done.

    Raises a :class:`~spark_jupyter.exceptions.ProviderError` that says why it could not be opened.
    """
    url = f"{choice.base_url}/responses"
    where = host_of(url)
    near = is_loopback(url)
    secure = url.startswith("wss://")
    deflate = options.deflate if options.deflate is not None else choice.profile.deflate and not near
    try:
        socket = await ws_connect(
            url,
            additional_headers=authorization(choice),
            compression="deflate" if deflate else None,
            max_size=None,
            max_queue=_QUEUE,
            open_timeout=options.open_timeout,
            close_timeout=1.0,
            ping_interval=None,
            proxy=None if near else True,
            ssl=(options.ssl_context or shared_ssl_context()) if secure else None,
        )
    except ws.InvalidStatus as error:
        answer = error.response
        headers = dict(answer.headers.raw_items())
        refusal = read_refusal(bytes(answer.body or b""), status=answer.status_code, headers=headers)
        refused = to_error(refusal, model=choice.model, where=where)
        withhold(refused, choice.api_key.reveal() if choice.api_key else "")
        raise refused from None
    except ws.InvalidURI as error:
        raise ConfigurationError(
            f"{url!r} is no address of a WebSocket: {error}.", remedy="Correct the base URL."
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
    return Link(socket, where=where, on_end=on_end)


def authorization(choice: Choice) -> dict[str, str]:
    """The header with the key, if there is one. Made where it is used, so that no frame of a traceback holds it."""
    return {"Authorization": f"Bearer {choice.api_key.reveal()}"} if choice.api_key else {}
