"""State of the fenced block that is open in an answer."""

from __future__ import annotations

import re

from spark_jupyter.prompting.fences import BlockKind, Info
from spark_jupyter.source.ipython_lines import cell_magic
from spark_jupyter.source.strings import closes, read

LONGEST_FENCE = 300
"""Characters; a longer line is no fence, so no more than this is ever held back for one."""
LONGEST_DOUBT = 8_000
"""Characters held back behind a bare fence in an open triple-quoted string, until it is taken for the end of the
block."""

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*(.*)", re.DOTALL)


class Block:
    """The open block. ``depth`` counts the fences open inside it, ``string`` is the Python string open at the line's
    beginning. ``implicit``: the block has no fence. ``decided``: it is known to be for a cell. ``tail`` is what ends it if no code follows:
    blank lines, and lines that only separate the parts of a prompt. ``foreign``: a magic takes it, which need not be Python; None
    before its first line has ended. ``spilled``:
    what follows its code up to the fence is prose."""

    def __init__(self, info: Info, *, fence: str, indent: int, raw: str, implicit: bool = False) -> None:
        self.info = info
        self.kind: BlockKind = "code" if info.kind == "any" else info.kind
        self.fence = fence
        self.indent = indent
        self.raw = raw
        self.implicit = implicit
        self.decided = info.kind != "any" or bool(info.cell)
        self.started = False
        self.tail = ""
        self.foreign: bool | None = None
        self.spilled = False
        self.depth = 0
        self.string = ""
        self.maybe_fence = re.compile(rf"[ \t]{{0,{indent + 3}}}{re.escape(fence[0])}{{0,2}}")

    @property
    def reads_python(self) -> bool:
        """True if it has a fence and its next line is to be Python."""
        return self.kind == "code" and not (self.implicit or self.string or self.foreign)

    def ends_in_text(self, line: str) -> bool:
        """Return whether a line, as far as it is written, ends in a string or a comment."""
        end = read(line, self.string)
        return bool(end.string or end.comment)

    def receive_line(self, line: str) -> None:
        if self.foreign is None and self.started:
            magic = cell_magic(line)
            self.foreign = magic is not None and magic.body not in ("here", "python")
        self.string = read(line, self.string).carried
        if not self.string:
            self.depth = 0

    def fence_in(self, line: str) -> tuple[bool, str]:
        """Return whether the line is a fence that matters to this block, and its info string."""
        found = _FENCE.match(line)
        if found is None or len(line) > LONGEST_FENCE or len(line) - len(line.lstrip(" \t")) > self.indent + 3:
            return False, ""
        run, info = found[1], found[2].strip()
        return run[0] == self.fence[0] and len(run) >= len(self.fence) and "`" not in info, info

    def dedent(self, line: str) -> str:
        """The line without the indentation that the opening fence had."""
        head = line[: self.indent]
        return head.lstrip(" \t") + line[self.indent :]


class Doubt:
    """A bare fence in an open triple-quoted string, and the lines behind it, until they tell whether it ended the block."""

    def __init__(self, fence: str) -> None:
        self.lines = [fence]
        self._open = True
        self._size = len(fence)

    def receive(self, line: str, block: Block) -> bool | None:
        """Take in the next line. True: the fence did end the block; False: it and what follows are part of the string; None: not
        known yet."""
        self.lines.append(line)
        self._size += len(line) + 1
        is_fence, info = block.fence_in(line)
        if closes(line, block.string):
            return False
        if is_fence and info and self._open:
            return True
        if is_fence:
            self._open = not self._open
        elif self._size > LONGEST_DOUBT:
            return self._open
        return None
