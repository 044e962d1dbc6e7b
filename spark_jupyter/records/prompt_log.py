"""Log of prompts for a teacher: how many of a notebook are left, and their text.

Kept beside Jupyter's data, a file for each notebook, a line for each prompt. Without a rule that logs prompts a line has no word of what
was asked. A notebook is known by what its teacher signed, so a copy of it has no further prompts; one that is not signed by its path.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeGuard

import msgspec
from msgspec import Struct, structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol import json_text
from spark_jupyter.protocol.constants import GO_ON
from spark_jupyter.protocol.deep_messages import BeginDeep, SteerDeep
from spark_jupyter.protocol.messages import Command, Event, Prompt, Steer, TurnEnded
from spark_jupyter.protocol.provider_messages import PolicyInfo
from spark_jupyter.protocol.values import Person
from spark_jupyter.records.spending_log import known_id
from spark_jupyter.typed_decoders import json_decoder

_MOST_BYTES = 64 * 2**20
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_KINDS = {Steer: "steer", BeginDeep: "deep", SteerDeep: "steer"}


class LoggedPrompt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A prompt of a person. ``person`` is empty where the server does not know its users, ``text`` where prompts are only counted;
    ``failed``: a prompt before it got no answer, and does not count."""

    time: str
    person: str = ""
    name: str = ""
    notebook: str = ""
    kind: str = ""
    text: str = ""
    failed: bool = False


class Allowance(Struct, frozen=True, kw_only=True):
    """Prompts that a notebook allows each person (None: any number), and who reads them (empty: nobody)."""

    lesson: str = ""
    notebook: str = ""
    limit: int | None = None
    reader: str = ""


_logged = json_decoder(LoggedPrompt)


class PromptLog:
    """Log of one kernel. ``changed`` is called where the clients are to be told. Only used on the engine's loop."""

    def __init__(self, folder: Path, *, hide: Callable[[str], str], changed: Callable[[], None]) -> None:
        self.allowance = Allowance()
        self._folder = folder
        self._hide = hide
        self._changed = changed
        self._unwritten: list[tuple[str, LoggedPrompt]] = []
        self._open: dict[str, tuple[str, LoggedPrompt]] = {}
        """The prompts whose turns have not ended, by turn, with their lessons."""

    def left(self, person: Person | None) -> int | None:
        """Prompts that this person may still send; None: any number. What nobody knows whose it was counts for everyone."""
        if (limit := self.allowance.limit) is None:
            return None
        counts: dict[str, int] = {}
        for entry in self._entries():
            counts[entry.person] = counts.get(entry.person, 0) + (-1 if entry.failed else 1)
        unknown = counts.pop("", 0)
        own = counts.get(known_id(person), 0) if known_id(person) else max(counts.values(), default=0)
        return max(0, limit - own - unknown)

    def told(self, info: PolicyInfo, person: Person | None) -> PolicyInfo:
        """``info`` with what holds for this person."""
        allowed = self.allowance
        return structs.replace(
            info, prompt_limit=allowed.limit, prompts_left=self.left(person), logged_by=allowed.reader
        )

    def refuse(self, command: Command) -> None:
        """Raise :class:`~spark_jupyter.exceptions.SessionError` for a prompt of a person who has none left."""
        if _counts(command) and self.left(getattr(command, "by", None)) == 0:
            raise SessionError(
                f"No prompts are left: this notebook allows {self.allowance.limit}.",
                remedy="Checks, Try and undo still work. Ask your teacher for more.",
            )

    def add(self, command: Command) -> None:
        allowed = self.allowance
        if not _counts(command) or (allowed.limit is None and not allowed.reader):
            return
        other = command.attempts.other if isinstance(command, Prompt) else ""
        by: Person | None = getattr(command, "by", None)  # deep work knows nobody's name
        entry = LoggedPrompt(
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            person=known_id(by),
            name=by.name if by is not None and allowed.reader else "",
            notebook=allowed.notebook,
            kind=command.intent if isinstance(command, Prompt) else _KINDS[type(command)],
            text=self._hide("\n".join(filter(None, (command.text, other)))) if allowed.reader else "",
        )
        self._append(allowed.lesson, entry)
        if isinstance(command, Prompt | Steer):
            self._open[command.turn_id] = allowed.lesson, entry
        self._changed()

    def receive(self, events: Iterable[Event]) -> None:
        """Give back the prompts that got no answer."""
        for event in events:
            if not isinstance(event, TurnEnded) or event.turn_id not in self._open:
                continue
            lesson, entry = self._open.pop(event.turn_id)
            if event.outcome == "failed":
                self._append(lesson, structs.replace(entry, text="", failed=True))
                self._changed()

    def _append(self, lesson: str, entry: LoggedPrompt) -> None:
        """One line, in one write: other kernels append, too. Where the folder can't be written, this kernel knows at least its own."""
        file = _file(self._folder, lesson)
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab", buffering=0) as opened:
                opened.write(json_text.encode(entry) + b"\n")
        except OSError:
            self._unwritten.append((lesson, entry))

    def _entries(self) -> Iterator[LoggedPrompt]:
        yield from _read(_file(self._folder, self.allowance.lesson))
        yield from (entry for lesson, entry in self._unwritten if lesson == self.allowance.lesson)


def logged_prompts(folder: Path) -> list[LoggedPrompt]:
    """The prompts of all notebooks of which the text was kept, oldest first."""
    entries = [entry for file in (folder / "prompts").glob("*.jsonl") for entry in _read(file) if entry.text]
    return sorted(entries, key=lambda entry: entry.time)


def _counts(command: Command) -> TypeGuard[Prompt | Steer | BeginDeep | SteerDeep]:
    """True for what a person asks a model. Edits that follow an edit ask none, and the rest of an answer that was cut is no new prompt."""
    if isinstance(command, Prompt):
        return not command.proposes and command.follows is None and not command.agent
    return isinstance(command, BeginDeep | SteerDeep) or (isinstance(command, Steer) and command.text != GO_ON)


def _file(folder: Path, lesson: str) -> Path:
    return folder / "prompts" / f"{sha256(lesson.encode()).hexdigest()[:16]}.jsonl"


def _read(file: Path) -> Iterator[LoggedPrompt]:
    try:
        if not file.is_file():  # in a student's folder a teacher may find a pipe, which never ends
            return
        with file.open("rb") as opened:
            lines = opened.read(_MOST_BYTES).splitlines()
    except OSError:
        return  # there is none yet
    for line in lines:
        try:
            yield _logged.decode(line)
        except _UNREADABLE:
            continue  # cut by a full disk
