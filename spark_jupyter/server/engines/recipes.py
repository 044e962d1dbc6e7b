"""Recipe engine: answers without a model, a key, a network or weights."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines.base import AnswerEngine, Pause, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from spark_jupyter.server.engines.answer import Answer
    from spark_jupyter.server.engines.base import Piece
    from spark_jupyter.server.engines.matching import Matcher
    from spark_jupyter.server.engines.request import Request

MODEL = "recipe-book"
DEEP_MODEL = "recipe-book-deep"
"""The same books, at the speed of a slow model: it plans a task in several parts. See :mod:`.planning`."""
FIRST_TOKEN = 0.8
"""Seconds before the deep model's first token, and"""
TOKENS_PER_SECOND = 100
"""how many come after it: what hosted models that are not fast do."""
_TABLE = "## Variables\nt: DataFrame (9 × 2): x int64, y float64\n\n## Request\n"
_REHEARSED = (f"{_TABLE}mean of x", f"{_TABLE}plot a histogram of y", "draw a bar chart", "write a function")
"""A table question, recipes with a table and with example data, and a No."""


class RecipeEngine(AnswerEngine):
    """Answers from ``books`` (notebooks, or folders of them), which come first, and from the package's own books.

    The user's books are read and checked at once: a :class:`~spark_jupyter.exceptions.ConfigurationError` says what is
    wrong with one. The package's own are read at :meth:`start` or the first question; ``own_books`` False leaves them aside.
    ``slowness`` is how much of its real time the deep model takes. Thread-safe.
    """

    name = "recipes"

    def __init__(self, books: Sequence[Path | str] = (), *, own_books: bool = True, slowness: float = 1.0) -> None:
        from spark_jupyter.server.engines import library

        self._slowness = slowness
        self._books = library.users_books(books)
        self._own_books = own_books
        self._matcher: Matcher | None = None
        self._lock = threading.Lock()

    def models(self) -> list[str]:
        """The names that it answers to: one for each gear."""
        return [MODEL, DEEP_MODEL]

    def start(self) -> None:
        """Answer a few requests, so that the first of the user's waits for no import, no grammar and no book."""
        for text in _REHEARSED:
            self.answer((Message("user", text),), instructions="", model=MODEL)

    def answer(
        self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Piece]:
        """The answer to the last user message, in pieces of about a token."""
        from spark_jupyter.server.engines import deep_plans, request
        from spark_jupyter.server.engines.answer import going_on

        asked = request.read(conversation)
        if asked.intent == deep_plans.INTENT:
            text = deep_plans.plan(asked.text)
        else:
            answer = self.reply(asked)
            text = going_on(answer, asked.so_far) if asked.so_far else answer.text()
        return self._slowly(text) if model == DEEP_MODEL else tokens(text)

    def _slowly(self, text: str) -> Iterator[Piece]:
        yield Pause(FIRST_TOKEN * self._slowness)
        for number, token in enumerate(tokens(text), 1):
            yield token
            if number % 10 == 0:
                yield Pause(10 * self._slowness / TOKENS_PER_SECOND)

    @property
    def matcher(self) -> Matcher:
        """The index of all entries; the first use reads the package's own books."""
        from spark_jupyter.server.engines import library

        with self._lock:
            if self._matcher is None:
                self._matcher = library.matcher(self._books, own_books=self._own_books)
            return self._matcher

    def reply(self, asked: Request) -> Answer:
        """The answer to a request; where none covers it, a No."""
        from spark_jupyter.server.engines import answering

        return answering.answer(asked, self.matcher)

    def find(self, asked: Request) -> Answer | None:
        """The answer to a request that is covered whole, else None."""
        from spark_jupyter.server.engines import answering

        return answering.find(asked, self.matcher)
