"""Messages between a copy and the kernel: length-prefixed MessagePack frames.

The copy reports in these frames through a pipe; the kernel asks in the same way. What a message may hold is bounded by its schema, since
code that a model wrote may have sent it.
"""

from __future__ import annotations

import struct
import sys
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from spark_jupyter.protocol.values import Effect, Output, Permission
from spark_jupyter.sandbox.checkpoints.undo_messages import AnsweredForUndo, AskedForUndo
from spark_jupyter.sandbox.proofs.proof_messages import Answered, Asked
from spark_jupyter.typed_decoders import msgpack_decoder

INTERRUPTIBLE = sys.version_info < (3, 13)
"""True if an endless loop can be interrupted. From Python 3.13 on (seen with 3.13.0, not with 3.12.1) a copy that another thread than
the main one has made runs a signal's handler only when it waits: there it is ended with its copy."""


class Limits(Struct, frozen=True, kw_only=True):
    """Limits of a Try, in seconds and bytes. ``memory`` is on top of what the kernel has already, ``folder`` on top
    of the files that it has open for writing, which are copied there; ``statement`` is a rehearsed statement's share of time."""

    seconds: float = 10.0
    memory: int = 8 << 30
    output: int = 1 << 20
    file: int = 256 << 20
    folder: int = 512 << 20
    statement: float = 1.0


class Execute(Struct, frozen=True, kw_only=True, tag=True):
    """Run this source in the copy. ``number`` comes back with all that is said about it. Where a ``needed`` one fails, nothing after it
    is run. A ``check`` has no effects: what changed is looked at before the first. A ``ground`` only leads up to what is tried:
    effects are told from behind it. What an ``apart`` one changed is told behind it, and the next one begins from there.
    Behind the ``last`` one it is told when the first question was answered."""

    source: str
    number: int = 0
    needed: bool = False
    check: bool = False
    ground: bool = False
    apart: bool = False
    last: bool = False


class RunStatement(Struct, frozen=True, kw_only=True, tag=True):
    """Run a top-level statement of cell ``number``, which is still being written: ``text``, from ``line`` (1-based) of the cell on."""

    text: str
    line: int
    number: int


class EndCell(Struct, frozen=True, kw_only=True, tag=True):
    """Cell ``number`` is whole: show what its last statement gave, and say what it changed."""

    number: int


Request = Execute | RunStatement | EndCell | Asked | AskedForUndo


class Wrote(Struct, frozen=True, kw_only=True, tag=True, forbid_unknown_fields=True):
    """An output of source ``number``."""

    output: Output
    number: int = 0


class Did(Struct, frozen=True, kw_only=True, tag=True, forbid_unknown_fields=True):
    """An effect that was seen when it happened or was refused."""

    effect: Effect


FaultRule = Literal[
    "undefined-name",
    "missing-module",
    "missing-attribute",
    "unknown-keyword",
    "wrong-arguments",
    "wrong-call",
    "missing-column",
    "unknown-value",
]
"""Errors of code that do not depend on values."""


class Fault(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error that the code itself causes, at line ``line`` (1-based) of cell ``number``. ``name`` is what does not exist, ``owner`` the
    class that lacks it (``pandas.core.frame.DataFrame``), ``raised`` what the error said: for a person, and only for a person."""

    number: Annotated[int, Meta(ge=0)]
    line: Annotated[int, Meta(ge=1)]
    rule: FaultRule
    name: Annotated[str, Meta(max_length=200)] = ""
    owner: Annotated[str, Meta(max_length=300)] = ""
    raised: Annotated[str, Meta(max_length=700)] = ""


class Ran(Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True, forbid_unknown_fields=True):
    """A source has run. ``error`` is what it raised, in a line; ``line`` counts from 1 in that source. ``late`` says that it was
    interrupted because its time was up, ``refused`` that it wanted what a Try does not do. ``fault`` is only of a statement that was
    rehearsed. ``limit`` says which limit of the copy ended it, or kept parts of it from running: then ``error`` is no fault of the code's
    (:mod:`spark_jupyter.sandbox.limit_sentences`)."""

    number: int = 0
    error: str = ""
    name: str = ""
    line: int | None = None
    seconds: float = 0.0
    late: bool = False
    refused: bool = False
    limit: Annotated[str, Meta(max_length=300)] = ""
    fault: Fault | None = None


class Sighting(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Observation of a rule of :mod:`spark_jupyter.sandbox.surprises`: names and keys of the data, and numbers. Its words are the
    kernel's."""

    rule: Annotated[str, Meta(max_length=40)]
    names: Annotated[tuple[Annotated[str, Meta(max_length=300)], ...], Meta(max_length=8)] = ()
    numbers: Annotated[tuple[float, ...], Meta(max_length=8)] = ()


Sightings = Annotated[tuple[Sighting, ...], Meta(max_length=20)]


MOST_EFFECTS = 2_000
"""Of one copy."""
Effects = Annotated[tuple[Effect, ...], Meta(max_length=MOST_EFFECTS)]


class Measured(Struct, frozen=True, kw_only=True, tag=True, forbid_unknown_fields=True):
    """Changes of a cell that was run statement by statement, or apart, and the copy's growth in bytes at its peak."""

    number: int
    effects: Effects
    memory: int
    sightings: Sightings = ()


class Ended(Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True, forbid_unknown_fields=True):
    """All has run. ``memory`` is how many bytes the copy grew at its peak. ``problem`` is a fault of our own."""

    effects: Effects = ()
    memory: int = 0
    problem: str = ""
    sightings: Sightings = ()


Said = Wrote | Did | Ran | Measured | Ended | Answered | AnsweredForUndo

_decoder = msgpack_decoder(Said)
_requests = msgpack_decoder(Request)
_LENGTH = struct.Struct(">I")


def frame(message: Struct) -> bytes:
    """One message as it goes into the pipe."""
    data = msgspec.msgpack.encode(message)
    return _LENGTH.pack(len(data)) + data


MOST_FRAME = 9 << 20
"""Bytes of one frame: more than the largest picture that is shown, and the marks of as many rows as are told."""


class Frames:
    """Bytes from the pipe → messages. What is cut off by a killed copy is dropped."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies of the frames that ``data`` completes. Raises :class:`msgspec.MsgspecError` for a frame that is too long."""
        self._data += data
        bodies = []
        while len(self._data) >= _LENGTH.size:
            length = _LENGTH.unpack_from(self._data)[0]
            if length > MOST_FRAME:
                raise msgspec.DecodeError("A frame says that it is too long.")
            end = _LENGTH.size + length
            if len(self._data) < end:
                break
            bodies.append(bytes(self._data[_LENGTH.size : end]))
            del self._data[:end]
        return bodies


def said(body: bytes) -> Said:
    """Decode a message of the copy. Raises :class:`msgspec.MsgspecError` for what is no message."""
    try:
        message: Said = _decoder.decode(body)
    except (ValueError, RecursionError, MemoryError) as error:  # text that is no UTF-8, nesting without end
        raise msgspec.DecodeError("It is no message.") from error
    return message


def request(body: bytes) -> Request:
    asked: Request = _requests.decode(body)
    return asked


class Order(Struct, frozen=True, kw_only=True):
    """Purpose and permissions of a copy. ``owner`` is the kernel's main thread (its ident), ``named`` are the paths that the user's own
    words name. ``proof``: it is to be compared with another copy; ``effects``: what its cells changed is told at the end;
    ``background``: nobody waits for it, so everything else goes first."""

    folder: str
    allow: tuple[Permission, ...] = ()
    limits: Limits = Limits()
    owner: int = 0
    named: tuple[str, ...] = ()
    proof: bool = False
    effects: bool = True
    background: bool = False
