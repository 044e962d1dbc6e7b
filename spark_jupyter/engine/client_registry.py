"""Registry of attached clients, and the writer of each notebook.

A notebook has one writer: the client that prompted there last, and before anyone did the first that can write. Who holds the pen keeps it
until it leaves, falls silent, or another one prompts; who comes back from silence does not get it again by that, or two would write the
same text. Two notebooks on one kernel have a writer each, and a turn is written into the notebook in which it was prompted.
"""

from __future__ import annotations

import msgspec
from msgspec import structs

from spark_jupyter.author_rules import AuthorRules, signed_rules, strictest, with_memory
from spark_jupyter.engine.comm_clients import Client, Heartbeat
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Attach, Event, Hello


class Clients:
    """The clients by their ids, in the order in which they came. Whoever calls this holds the hub's lock."""

    def __init__(self) -> None:
        self.heartbeat = Heartbeat()
        self._known: dict[str, Client] = {}
        self._documents: dict[str, str] = {}  # by the notebook's path
        self._pens: dict[str, str] = {}  # document → the client that writes there
        self._told: set[str] = set()  # the clients that know that they write, and have done so without a break
        self.own_rules = AuthorRules()
        """What the author of the notebook allows for which the kernel was started."""
        self._rules: dict[str, AuthorRules] = {}  # by the notebook's path; of a client without one by its id
        self._prompted = ""  # the document of the last prompt

    def get(self, client_id: str | None) -> Client | None:
        """The client of that id; None where there is none."""
        return self._known.get(client_id or "")

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._known)

    @property
    def attached(self) -> tuple[Client, ...]:
        """Those that have said who they are."""
        return tuple(client for client in tuple(self._known.values()) if client.attach is not None)

    @property
    def author_rules(self) -> AuthorRules:
        """What the authors of all attached notebooks allow, and that of the kernel's own."""
        people = [one for one in self.attached if one.attach and not one.attach.agent]
        return strictest(
            [self.own_rules, *(self._rules[one.attach.notebook or one.id] for one in people if one.attach)]
        )

    def settled(self) -> dict[str, str]:
        """The writer of each notebook, after those that can't write any more were replaced."""
        able = [one for one in self.attached if one.can_write and not self.heartbeat.is_silent(one.id)]
        held = {one.document: one.id for one in able if self._pens.get(one.document) == one.id}
        self._pens = {one.document: one.id for one in reversed(able)} | held
        self._told &= set(self._pens.values())
        return self._pens

    @property
    def writer(self) -> Client | None:
        """The writer of the notebook that was prompted in last, or of another; None where nobody can write."""
        pens = self.settled()
        return self.get(pens.get(self._prompted) or next(iter(pens.values()), None))

    @property
    def writers(self) -> tuple[Client, ...]:
        return tuple(self._known[client_id] for client_id in self.settled().values())

    def add(self, client: Client) -> None:
        self._known[client.id] = client

    def remove(self, client: Client) -> None:
        if self._known.get(client.id) is client:
            del self._known[client.id]

    def attach(self, client: Client, attach: Attach) -> None:
        """One says who it is, or that its notebook has another path."""
        self.heartbeat.answered(client.id)
        before, path = client.attach, attach.notebook
        if before is not None and before.notebook != path:
            self._documents.pop(before.notebook, None)
            self._documents.setdefault(path, client.document)
        client.attach = attach
        named = path or client.id
        self._rules[named] = with_memory(self._rules.get(named), _rules_of(attach), path)
        client.document = self._documents.setdefault(path, f"d{len(self._documents) + 1}") if path else ""

    def take_pen(self, client: Client | None) -> None:
        """One prompts, and is the writer of its notebook from now on if it can write."""
        if client is not None and client.can_write:
            self._prompted = client.document
            self._pens = self._pens | {client.document: client.id}

    def introduced(self, frame: EventFrame, client: Client, **fields: object) -> EventFrame:
        """A frame for one client, in which each Hello says what concerns that client."""
        holds = self.settled().get(client.document) == client.id
        said: list[Event] = []
        for event in frame.msgs:
            if isinstance(event, Hello):
                writes = holds and (client.id in self._told or not event.catching_up)
                event = structs.replace(event, writer=writes, document=client.document, **fields)
            said.append(event)
        if holds and not any(isinstance(event, Hello) and event.catching_up for event in frame.msgs):
            self._told.add(client.id)
        return structs.replace(frame, msgs=tuple(said))


def _rules_of(attach: Attach) -> AuthorRules:
    """The author's rules in a client's notebook. A client without a notebook, such as the widget, has none."""
    try:
        course = msgspec.json.decode(attach.course) if attach.course else None
    except msgspec.DecodeError:
        course = attach.course
    signed = signed_rules(course, attach.hashes, attach.notebook)
    unsigned = signed.unsigned and bool(attach.notebook)
    return structs.replace(
        signed,
        prompts=attach.prompts,
        hints=min(attach.hints, signed.hints),
        prompt_limit=attach.prompt_limit,
        unsigned=unsigned,
    )
