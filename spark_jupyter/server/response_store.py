"""Ended responses that later ones can continue."""

from __future__ import annotations

from collections import OrderedDict

from msgspec import Struct

from spark_jupyter.providers.base import Message
from spark_jupyter.server.api_messages import Create
from spark_jupyter.server.engines.base import count_tokens


class OpenCall(Struct, frozen=True):
    """A function call that waits for its result."""

    call_id: str
    name: str


class Past(Struct, frozen=True, kw_only=True):
    """Conversation before or after a response, with the developer's (or system's) messages in it and the estimated sizes. A request's
    ``instructions`` are no part of it, since they are not inherited."""

    conversation: tuple[Message, ...] = ()
    developer: tuple[str, ...] = ()
    tokens: int = 0

    def extended(self, messages: tuple[Message, ...], developer: tuple[str, ...]) -> Past:
        """This, with what is new."""
        return Past(
            conversation=self.conversation + messages,
            developer=self.developer + developer,
            tokens=self.tokens + count_tokens([*(message.text for message in messages), *developer]),
        )


class Record(Struct, frozen=True, kw_only=True):
    """A response that has ended, its answer included in ``past``."""

    id: str
    create: Create
    past: Past
    open_calls: tuple[OpenCall, ...] = ()


class ResponseStore:
    """The responses with ``store`` true, for all connections of a server; the oldest go first when it is full.

    It stands in for a provider's database: any connection may continue a stored response, and fork it as often as it
    likes. It lives in memory only, up to ``max_records`` and about ``max_tokens``.
    """

    def __init__(self, *, max_records: int = 1_000, max_tokens: int = 4_000_000) -> None:
        self._max_records = max_records
        self._max_tokens = max_tokens
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._tokens = 0

    def add(self, record: Record) -> None:
        self._records[record.id] = record
        self._tokens += record.past.tokens
        while len(self._records) > self._max_records or self._tokens > self._max_tokens:
            _, oldest = self._records.popitem(last=False)
            self._tokens -= oldest.past.tokens

    def get(self, response_id: str) -> Record | None:
        """The response with this id, if it is still here."""
        record = self._records.get(response_id)
        if record is not None:
            self._records.move_to_end(response_id)
        return record
