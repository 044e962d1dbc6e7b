"""Process that turns the sound of one page into text.

The first line on the standard input is an :class:`Order`. Blocks follow: four bytes of size, little end first, and so many of
sound; an empty block, or the end of the input, says that the speaker has ended, and so does the process. Each
:class:`~spark_jupyter.voice.recogniser.Heard` goes out as a line of JSON.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from spark_jupyter.typed_decoders import decode_json

if TYPE_CHECKING:
    from spark_jupyter.voice.recogniser import Heard

MOST_BYTES = 1_000_000
"""Of one block, and of the order."""


class Order(Struct, frozen=True, kw_only=True):
    """The notebook's names: columns, values and functions, and those of its tables."""

    names: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


def block(sound: bytes) -> bytes:
    """Sound as a block of the standard input."""
    return len(sound).to_bytes(4, "little") + sound


def main() -> None:
    """Read until the speaker has ended."""
    from spark_jupyter.voice.recogniser import Recogniser  # not loaded in the Jupyter server

    source = sys.stdin.buffer
    order = decode_json(source.readline(MOST_BYTES), Order)
    recogniser = Recogniser(order.names, order.tables)
    while sound := source.read(int.from_bytes(source.read(4), "little")):
        _say(recogniser.hear(sound))
    _say(recogniser.end())


def _say(heard: Iterable[Heard]) -> None:
    for one in heard:
        sys.stdout.buffer.write(msgspec.json.encode(one) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
