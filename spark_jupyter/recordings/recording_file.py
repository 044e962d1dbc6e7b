"""File format of recordings: JSON Lines, one for each line of an answer.

docs/recordings.md explains it to readers; a field that is added there has a default here, and anything else is a new :data:`VERSION`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol import json_text
from spark_jupyter.providers.base import Usage
from spark_jupyter.typed_decoders import json_decoder

VERSION = 1
MOST_BYTES = 64 * 2**20
"""Largest recording that is read: more than ten thousand answers."""
Outcome = Literal["completed", "incomplete", "failed", "cancelled"]


class Header(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="recording"):
    """First line. ``made`` is a day (ISO 8601), ``environment`` what a bug report tells of the machine."""

    version: int
    made: str
    package: str
    environment: dict[str, str] = {}


class Ask(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What counts of a request. ``values`` are the names of variables and the dates in it, in the order of their first use; ``so_far`` is
    the text that a steer interrupts, ``edit`` the source of the cell ``edited``, ``error`` the kind of the last error."""

    request: str
    intent: str = "generate"
    steer: str = ""
    edit: str = ""
    edited: str = ""
    error: str = ""
    so_far: str = ""
    values: tuple[str, ...] = ()


class Request(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="request"):
    """Begins an exchange. ``context`` has the id and a hash of each cell that was sent along: it tells apart what was asked twice in the
    same words, and finds a cell that has another id now."""

    fingerprint: str
    model: str = ""
    ask: Ask
    context: dict[str, str] = {}


class Text(Struct, frozen=True, omit_defaults=True, tag="text"):
    """One line of the answer, or of the model's thinking. ``deltas`` are pairs: milliseconds since the piece before, and characters."""

    text: str
    deltas: tuple[tuple[int, int], ...]
    thinking: bool = False


class Call(Struct, frozen=True, kw_only=True, tag="call"):
    """The model calls a function, ``after`` so many milliseconds."""

    name: str
    arguments: str
    after: int


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why an exchange failed."""

    code: str
    message: str
    status: int = 500


class End(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="end"):
    """Ends an exchange, ``after`` so many milliseconds. ``reason`` is why an answer is incomplete."""

    outcome: Outcome
    after: int = 0
    usage: Usage | None = None
    reason: str = ""
    error: Failure | None = None


class Exchange(Struct, frozen=True):
    """One request and what came of it."""

    request: Request
    items: tuple[Text | Call, ...]
    end: End

    @property
    def text(self) -> str:
        return "".join(item.text for item in self.items if isinstance(item, Text) and not item.thinking)

    @property
    def milliseconds(self) -> int:
        waits = (sum(gap for gap, _ in item.deltas) if isinstance(item, Text) else item.after for item in self.items)
        return sum(waits) + self.end.after


class Recording(Struct, frozen=True):
    header: Header
    exchanges: tuple[Exchange, ...]


_line = json_decoder(Header | Request | Text | Call | End)


def encode(header: Header | None, exchanges: Iterable[Exchange]) -> bytes:
    """The lines of a recording, or (without a header) those that are added to one."""
    lines: list[Struct] = [] if header is None else [header]
    for exchange in exchanges:
        lines += [exchange.request, *exchange.items, exchange.end]
    return b"".join(json_text.encode(line) + b"\n" for line in lines)


def load(path: Path) -> Recording:
    """The recording in a file. Raises :class:`~spark_jupyter.exceptions.ConfigurationError` for what is none."""
    try:
        if not path.is_file():  # a folder that one gets may have a link to a device, which never ends
            path.stat()
            raise ConfigurationError(f"{path} is no file.", remedy="Give a recording.")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{path} can't be read: {error.strerror}.", remedy="Check its name.") from error
    if len(data) > MOST_BYTES:
        raise ConfigurationError(f"{path} is too large for a recording.", remedy="Record into several files.")
    return decode(data, name=str(path))


def decode(data: bytes, *, name: str = "The text") -> Recording:
    """The recording in these bytes. An exchange without an end, as a crash leaves it, is left out."""
    header: Header | None = None
    exchanges: list[Exchange] = []
    request: Request | None = None
    items: list[Text | Call] = []
    for line in _lines(data, name):
        match line:
            case Header():
                header = header or line
                _check_version(line, name)
            case Request():
                request, items = line, []
            case End() if request is not None:
                exchanges.append(Exchange(request, tuple(items), line))
                request = None
            case Text() | Call():
                items.append(line)
    if header is None:
        raise ConfigurationError(f"{name} is no recording: its first line is missing.", remedy="Record it again.")
    return Recording(header, tuple(exchanges))


def _lines(data: bytes, name: str) -> Iterator[Header | Request | Text | Call | End]:
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _line.decode(line)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise ConfigurationError(
                f"{name} is no recording: line {number} can't be read ({error}).",
                remedy="docs/recordings.md has the format.",
            ) from None


def _check_version(header: Header, name: str) -> None:
    if header.version > VERSION:
        raise ConfigurationError(
            f"{name} was made by a newer version of spark_jupyter.", remedy="Update it: pip install -U spark-jupyter"
        )
