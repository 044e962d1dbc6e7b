"""Engine that plays given answers and network faults, for demonstrations and tests.

A script is a JSON file or the same as a Python object; docs/offline.md has the format.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.server.engines.base import (
    AnswerEngine,
    Counted,
    Drop,
    Fail,
    FunctionCall,
    Message,
    Pause,
    Piece,
    Raw,
    Stall,
    Step,
    tokens,
)
from spark_jupyter.typed_decoders import convert, decode_json

Splitting = Literal["split", "characters", "lines"]


class Answer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer of a script; docs/offline.md says what the fields mean."""

    match: str | None = None
    model: str | None = None
    answer: str = ""
    pieces: tuple[str, ...] | None = None
    repeat: bool = False
    delay: float = 0.0
    call: FunctionCall | None = None
    fail: Fail | None = None
    fail_after: int = 0
    drop_after: int | None = None
    drop_code: int | None = None
    stall_after: int | None = None
    pause_after: int | None = None
    pause: float = 0.0
    garbage_after: int | None = None
    garbage: str = '{"type": not json'
    incomplete: str = ""
    giant: int = 0


class Script(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    answers: tuple[Answer, ...]
    models: tuple[str, ...] = ("script",)
    tokens: Splitting = "split"


class ScriptEngine(AnswerEngine):
    """Plays a script: a path of a JSON file, or the same structure as a dict.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` when it can't be read or has a field that is not known.
    ``asked`` records, for tests, the conversations that came in, each with its instructions.
    """

    name = "script"

    def __init__(self, script: Path | dict[str, object]) -> None:
        self.script = _load(script)
        self.asked: list[tuple[tuple[Message, ...], str]] = []
        self._played: set[int] = set()
        self._lock = threading.Lock()

    def models(self) -> list[str]:
        """The names in the script."""
        return list(self.script.models)

    def answer(
        self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Piece]:
        """The answer whose turn it is."""
        last = next((message.text for message in reversed(conversation) if message.role == "user"), "")
        with self._lock:
            self.asked.append((conversation, instructions))
            answer = self._choose(last, model)
        if answer is None:
            return iter([Fail(status=400, code="no_answer", message="The script has no answer to this.")])
        return _play(answer, self.script.tokens)

    def _choose(self, text: str, model: str) -> Answer | None:
        fitting = [n for n, answer in enumerate(self.script.answers) if _fits(answer, text, model)]
        if not fitting:
            return None
        number = next((n for n in fitting if n not in self._played), fitting[-1])
        if not self.script.answers[number].repeat:
            self._played.add(number)
        return self.script.answers[number]


def _load(script: Path | dict[str, object]) -> Script:
    try:
        if isinstance(script, dict):
            return convert(script, Script)
        return decode_json(script.read_bytes(), Script)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        name = "the script" if isinstance(script, dict) else str(script)
        raise ConfigurationError(
            f"{name} can't be played: {error}",
            remedy="The page Offline of the documentation has the format of scripts.",
        ) from error


def _fits(answer: Answer, text: str, model: str) -> bool:
    asked = answer.model is None or answer.model == model
    return asked and (answer.match is None or answer.match.casefold() in text.casefold())


def _play(answer: Answer, splitting: Splitting) -> Iterator[Piece]:
    steps = _steps(answer)
    if answer.delay:
        yield Pause(answer.delay)
    pieces = answer.pieces if answer.pieces is not None else _split(answer.answer, splitting)
    for count, piece in enumerate(pieces):
        yield from steps.pop(count, ())
        yield piece
    # A fault that was to come later than the answer is long still comes: no fault is skipped.
    for after in sorted(steps):
        yield from steps[after]
    if answer.giant:
        yield "x" * answer.giant
    if answer.call:
        yield answer.call
    if answer.incomplete:
        yield Counted(incomplete=answer.incomplete)


def _steps(answer: Answer) -> dict[int, list[Step]]:
    """The steps to take before the piece with this number."""
    steps: dict[int, list[Step]] = {}
    if answer.pause_after is not None:
        steps.setdefault(answer.pause_after, []).append(Pause(answer.pause))
    if answer.garbage_after is not None:
        steps.setdefault(answer.garbage_after, []).append(Raw(answer.garbage))
    if answer.fail is not None:
        steps.setdefault(answer.fail_after, []).append(answer.fail)
    if answer.drop_after is not None:
        steps.setdefault(answer.drop_after, []).append(Drop(answer.drop_code))
    if answer.stall_after is not None:
        steps.setdefault(answer.stall_after, []).append(Stall())
    return steps


def _split(text: str, splitting: Splitting) -> Iterator[str]:
    if splitting == "characters":
        return iter(text)
    if splitting == "lines":
        return iter(text.splitlines(keepends=True))
    return tokens(text)
