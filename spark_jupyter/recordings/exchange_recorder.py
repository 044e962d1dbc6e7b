"""One exchange while it is recorded.

Credentials are withheld from all that is written; where that shortens an answer, the times of its pieces are kept and their lengths shared
out again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import structs

from spark_jupyter.exceptions import SparkError
from spark_jupyter.providers.base import (
    Message,
    ModelEvent,
    ReasoningDelta,
    ResponseCompleted,
    ResponseIncomplete,
    TextDelta,
)
from spark_jupyter.recordings.fingerprint import ask_of, fingerprint
from spark_jupyter.recordings.recording_file import Call, End, Exchange, Failure, Request, Text

Redact = Callable[[str], str]


class ExchangeRecorder:
    """One exchange while it is recorded. Safe in one thread at a time."""

    def __init__(
        self, conversation: Sequence[Message], *, model: str, redact: Redact, clock: Callable[[], float]
    ) -> None:
        ask, context = ask_of(conversation)
        ask = structs.replace(
            ask, **{name: redact(getattr(ask, name)) for name in ("request", "steer", "edit", "so_far")}
        )
        self._request = Request(fingerprint=fingerprint(ask), model=model, ask=ask, context=context)
        self.ending = End(outcome="cancelled")
        """What the exchange will have come to if nothing more is said."""
        self._redact = redact
        self._clock = clock
        self._begun = clock()
        self._told = 0
        self._pieces: list[tuple[int, str, bool]] = []
        self._items: list[Text | Call] = []

    def add_text(self, text: str, *, thinking: bool = False) -> None:
        """Some more of the answer, or of what the model thinks."""
        if text:
            self._pieces.append((self._gap(), text, thinking))

    def add_call(self, name: str, arguments: str) -> None:
        after = self._gap()
        self._settle()
        self._items.append(Call(name=name, arguments=self._redact(arguments), after=after))

    def receive(self, events: Iterable[ModelEvent]) -> bool:
        """Note events of a provider. Returns whether the answer is over."""
        for event in events:
            match event:
                case TextDelta(text=text):
                    self.add_text(text)
                case ReasoningDelta(text=text):
                    self.add_text(text, thinking=True)
                case ResponseCompleted(usage=usage):
                    self.ending = End(outcome="completed", usage=usage)
                case ResponseIncomplete(reason=reason, usage=usage):
                    self.ending = End(outcome="incomplete", reason=reason, usage=usage)
        return self.ending.outcome in ("completed", "incomplete")

    def fail(self, error: SparkError) -> None:
        self.ending = End(outcome="failed", error=Failure(code=error.code, message=self._redact(error.message)))

    def exchange(self) -> Exchange:
        after = self._gap()
        self._settle()
        return Exchange(self._request, tuple(self._items), structs.replace(self.ending, after=after))

    def _gap(self) -> int:
        now = round((self._clock() - self._begun) * 1000)
        gap, self._told = now - self._told, now
        return gap

    def _settle(self) -> None:
        start = 0
        for at in range(1, len(self._pieces) + 1):
            if at == len(self._pieces) or self._pieces[at][2] != self._pieces[start][2]:
                run = [(gap, text) for gap, text, _ in self._pieces[start:at]]
                self._items += _lines(_withheld(run, self._redact), thinking=self._pieces[start][2])
                start = at
        self._pieces = []


def _withheld(pieces: list[tuple[int, str]], redact: Redact) -> list[tuple[int, str]]:
    """The same pieces without credentials, which may go across several."""
    whole = "".join(text for _, text in pieces)
    clean = redact(whole)
    if clean == whole:
        return pieces
    found, end, start = [], 0, 0
    for gap, text in pieces:
        end += len(text)
        stop = round(end * len(clean) / len(whole))
        found.append((gap, clean[start:stop]))
        start = stop
    return found


def _lines(pieces: list[tuple[int, str]], *, thinking: bool) -> list[Text]:
    """The pieces as lines. One that goes across the end of a line becomes two that come at once."""
    lines: list[Text] = []
    text, deltas = "", list[tuple[int, int]]()
    for gap, piece in pieces:
        parts = piece.split("\n")
        for number, part in enumerate(parts):
            part += "\n" * (number < len(parts) - 1)
            if part or number == 0:
                text += part
                deltas.append((gap if number == 0 else 0, len(part)))
            if part.endswith("\n"):
                lines.append(Text(text, tuple(deltas), thinking))
                text, deltas = "", []
    return [*lines, Text(text, tuple(deltas), thinking)] if deltas else lines
