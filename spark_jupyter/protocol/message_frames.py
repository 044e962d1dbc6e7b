"""Frames of numbered Commands or Events as JSON."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from spark_jupyter.protocol import json_text
from spark_jupyter.protocol.messages import Command, Event
from spark_jupyter.typed_decoders import json_decoder


class EventFrame(Struct, frozen=True, kw_only=True):
    """Events for a client. ``seq`` counts from 1 without gaps within one kernel's life. It is 0 where the events are for this client
    alone and stale a moment later: such a frame is taken as it comes, and never again."""

    v: int
    seq: int
    msgs: tuple[Event, ...]


class CommandFrame(Struct, frozen=True, kw_only=True):
    """Commands from a client. ``seq`` counts the frames of that client from 1; it is 0 with :class:`Attach` and :class:`Resend`,
    which are not counted."""

    v: int
    seq: int
    msgs: tuple[Command, ...]


_event_frame = json_decoder(EventFrame)
_command_frame = json_decoder(CommandFrame)
_event = json_decoder(Event)


class _Numbered(Struct):
    seq: int = -1


_numbered = json_decoder(_Numbered)


def encode(message: Struct) -> bytes:
    return json_text.encode(message)


def decode_event(data: bytes | str) -> Event:
    """The event in ``data``. Raises :class:`msgspec.ValidationError` or :class:`msgspec.DecodeError`."""
    event: Event = _event.decode(data)
    return event


def decode_event_frame(data: bytes | str) -> EventFrame:
    """As :func:`decode_event`, for a frame."""
    return _event_frame.decode(data)


def decode_command_frame(data: bytes | str) -> CommandFrame:
    """As :func:`decode_event`, for a frame of commands. The version is the caller's to check."""
    return _command_frame.decode(data)


def frame_number(data: bytes | str) -> int:
    """The number of a frame that may not be understood otherwise; -1 where it has none."""
    try:
        return _numbered.decode(data).seq
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return -1
