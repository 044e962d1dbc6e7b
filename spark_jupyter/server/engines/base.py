"""What every engine has in common: a conversation goes in, pieces of an answer come out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from spark_jupyter.providers.base import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Call", "Drop", "Engine", "Fail", "Message", "Pause", "Piece", "Raw", "Stall", "Step", "tokens"]


class Call(Struct, frozen=True):
    """The model calls a function: ``arguments`` is JSON text. The answer waits for the result after it."""

    name: str
    arguments: str = "{}"


class Pause(Struct, frozen=True):
    """Nothing comes for so many seconds."""

    seconds: float


class Stall(Struct, frozen=True):
    """Nothing comes any more, and the connection stays open."""


class Drop(Struct, frozen=True):
    """The connection ends here: with a close frame of this code, or, where ``code`` is None, without one."""

    code: int | None = None


class Raw(Struct, frozen=True):
    """A text frame that is sent as it stands, whatever it is."""

    text: str


class Fail(Struct, frozen=True, kw_only=True):
    """The request fails. ``status`` is an HTTP status, ``headers`` what an HTTP response would have carried
    (``retry-after``).
    ``as_response`` sends ``response.failed`` instead of an ``error`` event."""

    status: int = 500
    code: str = "server_error"
    message: str = "The engine failed."
    type: str = ""
    headers: dict[str, str] = {}
    as_response: bool = False


Step = Call | Pause | Stall | Drop | Raw | Fail
Piece = str | Step
"""A piece of an answer: text, about a token of it, or one of the steps that tests and tool calls need."""


class Engine(Protocol):
    """A source of answers. One engine serves all connections; its methods are called from several threads."""

    name: str

    def models(self) -> list[str]:
        """The model names that it answers to. ``"*"`` among them stands for every name."""
        ...

    def answer(self, conversation: tuple[Message, ...], *, instructions: str, model: str) -> Iterator[Piece]:
        """The answer to the conversation, oldest message first, in pieces of about a token; the server paces them.

        Work that takes time belongs before the first piece, which is made in a thread; later pieces must come at once,
        because they are made in the server's event loop.
        """
        ...


_TOKEN = re.compile(r"\n+|[^\S\n]*[^\W_]{1,6}|[^\S\n]+|[^\w\s]{1,3}|_+|.", re.DOTALL)


def tokens(text: str) -> Iterator[str]:
    """Split text into pieces of about a token (four characters); joined they are the text again.

    >>> list(tokens("import numpy as np\\n"))
    ['import', ' numpy', ' as', ' np', '\\n']
    """
    return (match.group() for match in _TOKEN.finditer(text))


def count_tokens(texts: Iterable[str]) -> int:
    """An estimate of how many tokens these texts are: a quarter of their characters, and four for each one's
    envelope."""
    return sum(4 + (len(text) + 3) // 4 for text in texts)
