"""Clients attached by comms, and a heartbeat that finds silent ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

import msgspec
from msgspec import structs

from spark_jupyter.engine.broadcast import Subscriber
from spark_jupyter.engine.completion_socket import Send
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Attach, Command, Restore, Steer
from spark_jupyter.protocol.proposal_messages import Accept, Reject, Revert, Run
from spark_jupyter.protocol.values import CellId, Person

MISSED_PINGS = 3
"""So many pings in a row that only others answered: the client counts as gone."""


class Comm(Protocol):
    """Interface of :class:`comm.base_comm.BaseComm` that is used here."""

    comm_id: str
    handle_msg: Callable[[dict[str, Any]], None]
    """Takes in a message, on the thread of the shell that it came to."""

    def send(self, data: dict[str, Any]) -> None:
        """To the client."""

    def close(self) -> None:
        """End it."""

    def on_close(self, callback: Any) -> None:
        """Have the end handled."""


class Heartbeat:
    """Counts the pings that each client left unanswered.

    A page that crashes or is closed with its socket says nothing, and the kernel hears nothing of it. So where there are several, they
    are pinged now and then, and one that stays silent while another answers counts as gone. No clock is needed for that: while the
    kernel is held up, or commands wait for a running cell, nobody answers and nobody is missed.
    """

    def __init__(self) -> None:
        self._pinged: frozenset[str] = frozenset()
        self._answered: set[str] = set()
        self._missed: dict[str, int] = {}

    def ping(self, clients: Iterable[str]) -> None:
        """These are pinged now, which settles the ping before."""
        if self._answered:
            for client in self._pinged - self._answered:
                self._missed[client] = self._missed.get(client, 0) + 1
        self._pinged = frozenset(clients)
        self._answered.clear()
        self._missed = {client: missed for client, missed in self._missed.items() if client in self._pinged}

    def answered(self, client: str) -> None:
        """This one has said something: it is there, whatever it missed."""
        self._answered.add(client)
        self._missed.pop(client, None)

    def is_silent(self, client: str) -> bool:
        """True if it counts as gone, until it says something."""
        return self._missed.get(client, 0) >= MISSED_PINGS


class Opening(msgspec.Struct):
    """Data with which a client opens its comm for events."""

    client_id: CellId


class Client:
    """One client: a browser tab, or a widget. ``receive`` is what the engine knows it by."""

    def __init__(self, client_id: str, events: Comm, *, receive: Callable[[Client, EventFrame], None]) -> None:
        self.id = client_id
        self.events = events
        self.receive: Subscriber = partial(receive, self)
        self.attach: Attach | None = None
        self.document = ""
        """The name of its notebook, which stays the same when that is renamed; empty where it has none."""
        self.line: Send | None = None
        self.unsubscribe: Callable[[], None] = lambda: None

    @property
    def can_write(self) -> bool:
        """True if it shows the notebook, and a person may decide there."""
        return self.attach is not None and self.attach.can_write and not self.attach.agent

    @property
    def person(self) -> Person | None:
        return self.attach.person if self.attach is not None else None

    def stamped(self, command: Command) -> Command:
        """The command with its sender and notebook."""
        match command:
            case Restore(turns=turns):
                turns = tuple(structs.replace(turn, document=self.document) for turn in turns)
                return structs.replace(command, turns=turns)
            case Steer() | Accept() | Reject() | Run() | Revert():
                return structs.replace(command, by=self.person)
            case _:
                return command
