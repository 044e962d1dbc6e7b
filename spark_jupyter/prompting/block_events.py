"""Events of an answer that is being read.

:mod:`spark_jupyter.prompting.block_reader` decides what a line is and tells it here.
"""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.prompting.fences import Info, is_known, parse_info
from spark_jupyter.prompting.open_block import Block


class Prose(Struct, frozen=True):
    """Text for the notes."""

    text: str


class Opened(Struct, frozen=True):
    """A block for a cell begins. It is told with the block's first text, so an empty block is never opened."""

    info: Info


class Text(Struct, frozen=True):
    """More of the block's text."""

    text: str


class Closed(Struct, frozen=True):
    """The block has ended."""


BlockEvent = Prose | Opened | Text | Closed


class BlockEvents:
    """The events of one answer. ``block`` is the one that is open; ``fresh``: there was nothing yet that says whether an answer without a
    fence is code; ``hashes`` are lines that begin with #, held back: they may be headings, or comments of code."""

    def __init__(self) -> None:
        self.block: Block | None = None
        self.fresh = True
        self.hashes: list[str] | None = None
        self._events: list[BlockEvent] = []

    def taken(self) -> list[BlockEvent]:
        """Return the events since the last call."""
        events, self._events = self._events, []
        return events

    def emit(self, text: str) -> bool:
        """Tell text of where it stands. Whether that is a cell."""
        block = self.block
        if block is None:
            self.prose(text)
            return False
        if block.kind == "note":
            self.note(text)
            return False
        if not block.started:
            block.started = True
            self._events.append(Opened(block.info))
        if block.tail:
            text = block.tail + text
            block.tail = ""
        self._events.append(Text(text))
        return True

    def prose(self, text: str) -> None:
        if self.hashes is not None:
            self.hashes.append(text)
            return
        self.fresh = self.fresh and not text.strip("\n")
        self.note(text)

    def note(self, text: str) -> None:
        """Tell text that is for the notes, wherever it stands."""
        self._events.append(Prose(text))

    def settle_hashes(self, *, code: bool) -> None:
        """Tell the lines that begin with #, as comments of ``code`` or as headings."""
        if self.hashes is None:
            return
        held, self.hashes = "".join(self.hashes), None
        if not code:
            self.note(held)
            return
        comments = held.rstrip("\n")
        block = self.open_implicit()
        block.started = True
        block.tail = "\n" * (len(held) - len(comments))
        self._events += [Opened(block.info), Text(comments)]

    def open(self, info: Info, *, fence: str, indent: int, raw: str) -> None:
        """A block begins behind this fence."""
        self.settle_hashes(code=False)
        self.fresh = False
        self.block = Block(info, fence=fence, indent=indent, raw=raw)
        if info.kind == "note":
            self.note(raw + "\n")

    def open_implicit(self) -> Block:
        """A block of code begins that has no fence around it."""
        self.block = Block(Info("code"), fence="```", indent=0, raw="", implicit=True)
        return self.block

    def close(self) -> None:
        """The block that is open, if one is, has ended."""
        if self.block is not None and self.block.started and self.block.kind != "note":
            self._events.append(Closed())
        self.block = None

    def spill(self, block: Block) -> None:
        """A sentence behind the code, inside its fence: it and what follows are notes."""
        self._events.append(Closed())
        block.kind = "note"
        block.spilled = True

    def fence_in_note(self, line: str, info: str, *, last: bool) -> None:
        """A fence in the text of the notes: it opens a block for a cell, or stays in the notes."""
        opening = parse_info(info)
        if info and opening.kind in ("code", "markdown"):
            self.note("```\n")
            self.block = None
            self.open(opening, fence=line.strip()[:3], indent=0, raw=line)
            return
        self.note(line if last else line + "\n")
        if not info:
            self.block = None

    def open_behind(self, line: str, info: str, *, last: bool) -> None:
        """A fence with words behind it ended a cell of code: it opens the next block, or the words are prose."""
        opening = parse_info(info)
        if is_known(opening):
            fence = line.strip()
            run = len(fence) - len(fence.lstrip(fence[0]))
            self.open(opening, fence=fence[:run], indent=len(line) - len(line.lstrip(" \t")), raw=line)
        else:
            self.note(info if last else info + "\n")
