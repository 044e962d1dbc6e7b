"""Files of conversations beside Jupyter's data.

One JSON Lines file for each: a :class:`Header`, then a line for each turn, of which a later one replaces an earlier one. Only the user can
read them. All kernels of the user write here, each into the conversation that it goes on with.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from jupyter_core.paths import jupyter_data_dir
from msgspec import Struct, structs

from spark_jupyter.protocol import json_text
from spark_jupyter.protocol.deep_messages import DeepWork
from spark_jupyter.protocol.values import Proposal, Turn, TurnId
from spark_jupyter.typed_decoders import decode_json

MOST_CONVERSATIONS = 200
"""Older ones are deleted."""
LARGEST = 2_000_000
"""Bytes of a file: beyond it the oldest turns go."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError)


class Header(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """First line of a file. ``notebook`` is the path of the notebook, empty where there is none."""

    id: TurnId
    title: str = ""
    notebook: str = ""


class StoredTurn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A turn with what it proposed, without credentials. ``provider`` answered it. With a ``work`` it is a deep work that has proposed
    nothing yet."""

    turn: Turn
    proposals: tuple[Proposal, ...] = ()
    provider: str = ""
    work: DeepWork | None = None


class ConversationStore:
    """All conversations of a user. Every method may raise OSError."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(jupyter_data_dir()) / "spark_jupyter" / "conversations"

    def delete_older(self, days: float) -> None:
        """Delete those that were changed last so many days ago or earlier."""
        oldest = time.time() - days * 86_400
        for header, at in self.headers().items():
            if at <= oldest:
                self.delete(header.id)

    def headers(self) -> dict[Header, float]:
        """All conversations, the youngest first, and when each was changed last (Unix seconds)."""
        found = []
        for file in self._folder.glob("*.jsonl"):
            try:
                with file.open("rb") as opened:
                    header = decode_json(opened.readline(), Header)
                found.append((file.stat().st_mtime, header))
            except (FileNotFoundError, *_UNREADABLE):
                continue  # deleted meanwhile, or not ours
        return {header: at for at, header in sorted(found, key=lambda one: one[0], reverse=True)}

    def search(self, query: str) -> dict[Header, float]:
        """Those that have every word of the query."""
        words = query.lower().split()
        return {one: at for one, at in self.headers().items() if not words or self._has(one, words)}

    def _has(self, header: Header, words: list[str]) -> bool:
        texts = [header.title, *(text for entry in self.turns(header.id) for text in _texts(entry))]
        text = "\n".join(texts).lower()
        return all(word in text for word in words)

    def turns(self, conversation_id: str) -> list[StoredTurn]:
        """The turns of a conversation, oldest first; none where it is not there."""
        try:
            _, *lines = self._file(conversation_id).read_bytes().splitlines()
        except (FileNotFoundError, ValueError):
            return []
        found: dict[str, StoredTurn] = {}
        for line in lines:
            try:
                entry = decode_json(line, StoredTurn)
            except _UNREADABLE:
                continue  # written by another version, or cut by a full disk
            found[entry.turn.id] = entry
        return list(found.values())

    def save(self, header: Header, entry: StoredTurn) -> None:
        """Write a turn, behind the others or in place of what was written of it before."""
        file, line = self._file(header.id), _line(entry)
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            for old in list(self.headers())[MOST_CONVERSATIONS - 1 :]:
                self.delete(old.id)
            self._write(header, [entry])
            return
        with open(descriptor, "wb", buffering=0) as opened:
            if os.fstat(descriptor).st_size + len(line) <= LARGEST:
                opened.write(line)
                return
        turns = {one.turn.id: one for one in [*self.turns(header.id), entry]}
        self._write(header, reversed(list(_youngest(turns.values(), LARGEST // 2))))

    def rename(self, header: Header, title: str) -> Header:
        return self._with_header(structs.replace(header, title=title))

    def move(self, before: str, now: str) -> None:
        """A notebook, or a folder with notebooks, has another path."""
        for header in self.headers():
            rest = header.notebook.removeprefix(before)
            if header.notebook.startswith(before) and (not rest or rest[0] in "/\\"):
                self._with_header(structs.replace(header, notebook=now + rest))

    def touch(self, conversation_id: str) -> None:
        """A conversation goes on now: it is the youngest."""
        os.utime(self._file(conversation_id))

    def delete(self, conversation_id: str) -> None:
        self._file(conversation_id).unlink(missing_ok=True)

    def _with_header(self, header: Header) -> Header:
        turns = self.turns(header.id)
        if turns:
            at = self._file(header.id).stat()
            self._write(header, turns)
            os.utime(self._file(header.id), ns=(at.st_atime_ns, at.st_mtime_ns))
        return header

    def _file(self, conversation_id: str) -> Path:
        return self._folder / f"{conversation_id}.jsonl"

    def _write(self, header: Header, turns: Iterable[StoredTurn]) -> None:
        """Write a whole file: all of it, or nothing."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        descriptor, name = tempfile.mkstemp(dir=self._folder)  # which only the user can read
        try:
            with open(descriptor, "wb") as opened:
                opened.writelines([_line(header), *map(_line, turns)])
            os.replace(name, self._file(header.id))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def opened_store(days: float | None) -> ConversationStore | None:
    """The user's conversations, without those older than the ``days`` for which a policy has them kept; None where none may be kept, or
    old ones can't be deleted."""
    store = ConversationStore()
    try:
        if days is not None:
            store.delete_older(days)
    except OSError:
        return None
    return None if days == 0 else store


def _texts(entry: StoredTurn) -> tuple[str, ...]:
    return (entry.turn.prompt, entry.turn.notes, *(proposal.source for proposal in entry.proposals))


def _line(value: Struct) -> bytes:
    return json_text.encode(value) + b"\n"


def _youngest(turns: Iterable[StoredTurn], room: int) -> Iterator[StoredTurn]:
    """The youngest turns that fit, youngest first; at least one."""
    for number, entry in enumerate(reversed(list(turns))):
        room -= len(_line(entry))
        if room < 0 and number:
            return
        yield entry
