"""Interface of engines: a conversation in, pieces of an answer out.

A new engine is a file here with an :class:`AnswerEngine`, and its ``Kind`` in ``ENGINES`` (``__init__.py``), with a function that imports
and makes it. ``parse_request`` (``prompting/request_parser.py``) reads the request off the ``text`` of the last user message; prose in
an answer is a note, a fence opens a cell. ``spark-jupyter serve --engine NAME`` serves it, and prints how it is asked.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from msgspec import Struct

from spark_jupyter.providers.base import Infill, Message, PromptProgress, Usage

__all__ = [
    "AnswerEngine", "Counted", "Drop", "Fail", "FunctionCall", "Message", "Pause", "Piece", "PromptProgress", "Raw", "Stall", "Step",
    "tokens",
]  # fmt: skip


class FunctionCall(Struct, frozen=True):
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


class Counted(Struct, frozen=True):
    """The last piece: what the engine itself has counted, and why the answer ends before it is whole, e.g. ``max_output_tokens``."""

    usage: Usage | None = None
    incomplete: str = ""


Step = FunctionCall | Pause | Stall | Drop | Raw | Fail | PromptProgress | Counted
Piece = str | Step
"""A piece of an answer: text, about a token of it, or one of the steps that tests and tool calls need."""


class AnswerEngine(ABC):
    """A source of answers. One engine serves all connections; its methods are called from several threads."""

    name: str
    context_tokens: int = 128_000
    """The window of its models."""
    fills_in: bool = False
    """True if its models fill in between two texts."""

    @abstractmethod
    def models(self) -> list[str]:
        """The model names that it answers to. ``"*"`` among them stands for every name."""

    @abstractmethod
    def answer(
        self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Piece]:
        """The answer to the conversation, oldest message first, in pieces of about a token; the server paces them.

        This is called, and the pieces are pulled, in a thread of the answer's own: each may take its time. An answer that ended, or that
        nobody waits for any more, is closed there (``close``; a generator's ``finally`` runs) when it has come up with a piece. So what may
        wait for long yields an empty text now and then; or it has a method ``stop``, which is called from another thread.
        """

    def fill_in(self, infill: Infill, *, temperature: float | None = None) -> Iterator[Piece] | None:
        """The text between two texts, in pieces like those of :meth:`answer`. None where the engine can't fill in: it is asked for an
        answer then, like any other model."""
        return None

    def start(self) -> None:  # noqa: B027  # most engines are ready when they are made
        """The server begins: make ready what the first answer would wait for. Called in a thread of its own."""

    def close(self) -> None:  # noqa: B027  # most engines hold nothing
        """The server ends: let go of what the engine holds."""


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
