"""Incremental reader of fenced blocks and prose in an answer.

The rules of CommonMark 0.31 §4.5 (fenced code blocks) hold, with changes for careless models; the table in
:mod:`spark_jupyter.prompting.answer_decoder` lists them. The result depends on the characters alone, never on where the text was cut into
deltas; only text that may still become a fence is held back; the work is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark_jupyter.prompting.block_events import BlockEvent, BlockEvents
from spark_jupyter.prompting.fences import (
    Cleaner,
    Token,
    goes_on_in_words,
    is_code,
    is_marker,
    is_prose,
    is_sentence,
    may_be_code,
    may_be_marker,
    may_be_sentence,
    parse_info,
)
from spark_jupyter.prompting.open_block import LONGEST_FENCE, Block, Doubt
from spark_jupyter.source.strings import read

LONGEST_TAIL = 100
"""Characters of a fence at the end of a line of text (see :data:`~spark_jupyter.prompting.open_block.LONGEST_FENCE`)."""
LONGEST_QUOTED = 300
"""Characters of a line of code that are read to know whether its end is in a string; in a longer one it is taken to be."""
FIRST_LINE = 200
"""Characters of a line without a fence around it by which it is judged to be code or prose."""
_QUICK = re.compile("[^\x00-\x08\x0a\x0b\x0d-\x1f\x7f-\x9f\ufeff\ud800-\udfff`<]*")

_MARKER = r"([ \t]{0,40}(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,4})?)"
_OPENING = re.compile(_MARKER + r"(`{3,}|~{3,})(.*)", re.DOTALL)
_MAYBE_OPENING = re.compile(r"[ \t]{0,40}(?:[-*+][ \t]{0,4}|\d{1,3}(?:[.)][ \t]{0,4})?)?(?:`{0,2}|~{0,2})")
_RUN_IN_CODE = re.compile(r"`+[ \t]*")
_RUN_IN_PROSE = re.compile(r"`+[^`]*")


class BlockReader:
    """Text → :data:`~spark_jupyter.prompting.block_events.BlockEvent`, incrementally. ``first_line`` is the first line of the cell that
    is to be edited, if one is: an answer without a fence that begins with it, or with a docstring, is code too. ``visited`` counts the
    characters that were looked at, in all passes."""

    def __init__(self, *, editing: bool = False, first_line: str = "") -> None:
        self.visited = 0
        self.unclosed = False
        """True if the answer ended inside a block for a cell."""
        self._editing = editing
        self._first_line = first_line.strip()
        self._cleaner = Cleaner()
        self._told = BlockEvents()
        self._last = ""  # character
        self._others = False  # text of a speaker that is not the model
        self._strict = False  # after one wrong doubt every bare fence ends its block
        self._doubt: Doubt | None = None
        self._begin_line()

    @property
    def at_line_end(self) -> bool:
        """True if the open block's last line has been ended, although its line feed is not yet told."""
        block = self._told.block
        if block is None or not block.tail or self._doubt is not None:
            return False
        rest = (self._pending + "".join(self._pieces)).strip()
        return not self._mid and (not rest or not (block.string or rest.strip(block.fence[0])))

    def decode(self, text: str) -> list[BlockEvent]:
        """Return the events that are certain with this much more of the answer."""
        if self._mid and not (self._tail or self._others or self._cleaner.held) and _QUICK.fullmatch(text):
            self.visited += len(text)
            self._last = text[-1:] or self._last
            self._emit(text)
        else:
            self._receive(self._cleaner.decode(text))
        return self._told.taken()

    def flush(self) -> list[BlockEvent]:
        """The rest: the answer ends here, and with it an open block."""
        self._receive(self._cleaner.flush())
        self._end_line(last=True)
        if self._doubt is not None:
            self._decide(self._doubt, closing=True, last=True)
        if self._told.block is not None:
            self.unclosed = self._told.block.started and not self._told.block.implicit and not self._told.block.spilled
            self._told.close()
        self._told.settle_hashes(code=False)
        return self._told.taken()

    def spoken(self, answer: str) -> str:
        """A whole answer without what a template or somebody else says in it."""
        said = []
        for piece in (*self._cleaner.decode(answer), *self._cleaner.flush()):
            said.append(self._heard(piece))
            self._feed(said[-1])
        return "".join(said)

    # --- lines -------------------------------------------------------------------------------------------------------

    def _begin_line(self) -> None:
        self._mid = False  # the line's beginning has been decided and told
        self._pending = ""  # the undecided beginning of a line
        self._pieces: list[str] = []  # the rest of it, where it waits for its end; else what was told of a line of code
        self._waiting = ""  # the line is only judged at its end, because it may be a "fence", or goes on in "words"
        self._waited = 0  # characters of it
        self._tail = ""  # a run of backticks at the end of what came, and what follows
        self._plain = False  # no fence can come on this line any more

    def _receive(self, told: Sequence[str | Token]) -> None:
        for piece in told:
            self._feed(self._heard(piece))

    def _heard(self, piece: str | Token) -> str:
        """The text of a piece; empty where it is a token of a template, or another speaker's."""
        if isinstance(piece, Token) and not self._is_quoted():
            # A model that does not stop plays the user next; before an answer, a server has sent the prompt along.
            if piece.speaker and self._last in ("", "\n") and not (self._others and self._last):
                self._others = piece.speaker == "other"
            self._last = "\n" if self._last else ""
            return ""
        return "" if self._others else piece if isinstance(piece, str) else piece.text

    def _is_quoted(self) -> bool:
        """Return whether a token of a chat template is part of the text here: in a string or comment of the code, or behind a backtick."""
        block = self._told.block
        if block is None or block.kind != "code":
            return self._last == "`"
        line = self._pending + "".join(self._pieces)
        end = read(line, block.string)
        return len(line) > LONGEST_QUOTED or bool(end.string or end.comment)

    def _feed(self, text: str) -> None:
        self._last = text[-1:] or self._last
        start = 0
        while (end := text.find("\n", start)) >= 0:
            self._segment(text[start:end])
            self._end_line()
            start = end + 1
        self._segment(text[start:] if start else text)

    def _segment(self, text: str) -> None:
        if not text:
            return
        self.visited += len(text)
        if self._mid:
            self._more(text)
        elif self._doubt is not None:
            self._pieces.append(text)
        elif self._waits(text):
            self._pieces.append(text)
            self._waited += len(text)
        else:
            self._judge(self._pending + "".join(self._pieces) + text)

    def _waits(self, text: str) -> bool:
        """Return whether the line is only judged at its end, with this too: it may be a fence, or goes on in words."""
        if self._waiting == "fence":
            return self._waited + len(text) <= LONGEST_FENCE
        return self._waiting == "words" and self._waited + len(text) < FIRST_LINE and goes_on_in_words(text)

    def _judge(self, line: str) -> None:
        """Tell the line's beginning as soon as it can't be a fence nor decide what the block is."""
        self.visited += len(self._pending)
        self._pieces = []
        self._pending = line
        self._waiting, self._waited = "", len(line)
        if len(line) <= LONGEST_FENCE and self._starts_fence(line):
            self._waiting = "fence"
        elif self._undecided(line) and len(line) < FIRST_LINE:
            self._waiting = "words" if self._told.block is not None and " " in line and may_be_sentence(line) else ""
        elif not self._maybe_fence(line) and not may_be_marker(line):
            self._settle(line[:FIRST_LINE])
            self._tell(line)

    def _tell(self, line: str) -> None:
        """The line's beginning is no fence."""
        self._pending = ""
        self._pieces = []
        self._mid = True
        self._quoted = line[:41].lstrip()[:1] == ">"
        self._more(self._told.block.dedent(line) if self._told.block else line)

    def _starts_fence(self, line: str) -> bool:
        if self._told.block is None:
            return bool(_OPENING.match(line))
        indent = len(line) - len(line.lstrip(" \t"))
        return indent <= self._told.block.indent + 3 and line.startswith(self._told.block.fence[0] * 3, indent)

    def _maybe_fence(self, line: str) -> bool:
        pattern = _MAYBE_OPENING if self._told.block is None else self._told.block.maybe_fence
        return bool(pattern.fullmatch(line))

    def _undecided(self, line: str) -> bool:
        """Return whether the line must be seen whole (or its first :data:`FIRST_LINE` characters) to know where it goes."""
        block = self._told.block
        if block is None:
            return self._told.fresh
        if not block.decided or (block.implicit and not block.string):
            return True
        return block.reads_python and may_be_sentence(line)

    def _settle(self, line: str) -> None:
        """Decide where an undecided line goes."""
        block = self._told.block
        if not line.strip() or not self._undecided(line):
            return
        if block is None:
            if line.lstrip().startswith("#"):
                self._told.hashes = self._told.hashes or []
                return
            code = self._is_unfenced_code(line)
            self._told.settle_hashes(code=code)
            self._told.fresh = False
            if code and self._told.block is None:
                self._told.open_implicit()
        elif block.implicit:
            if is_prose(line):
                self._told.close()
        elif block.decided:
            if block.started and is_sentence(line):
                self._told.spill(block)
        else:
            block.decided = True
            if not may_be_code(line):
                block.kind = "note"
                self._told.note(block.raw + "\n")

    def _is_unfenced_code(self, line: str) -> bool:
        if is_code(line):
            return True
        return self._editing and (line.strip() == self._first_line or line.startswith(('"""', "'''")))

    # --- inside a line -----------------------------------------------------------------------------------------------

    def _more(self, text: str) -> None:
        """Tell more of a line, but hold back a run of backticks that may turn out to be a fence at its end."""
        if not self._tail and ("`" not in text or self._plain):
            self._emit(text)
            return
        kind = "prose" if self._told.block is None else self._told.block.kind
        pattern = _RUN_IN_PROSE if kind == "prose" else _RUN_IN_CODE
        text, self._tail = self._tail + text, ""
        if kind in ("prose", "code") and not self._plain:
            for run in pattern.finditer(text):
                if run.end() - run.start() > LONGEST_TAIL:
                    self._plain = True
                    break
                if run.end() == len(text) and (run[0].startswith("```") or not run[0].strip("`")):
                    text, self._tail = text[: run.start()], run[0]
                    break
                if run.end() == len(text) and kind == "code":
                    text, self._tail = text[: run.start()], run[0]
        if text:
            self._emit(text)

    def _emit(self, text: str) -> None:
        if self._told.emit(text):
            self._pieces.append(text)

    # --- the end of a line -------------------------------------------------------------------------------------------

    def _end_line(self, *, last: bool = False) -> None:
        if self._doubt is not None:
            self._in_doubt(self._doubt, "".join(self._pieces))
        elif self._mid:
            self._end_told_line(last=last)
        else:
            self._end_whole_line(self._pending + "".join(self._pieces), last=last)
        self._begin_line()

    def _end_told_line(self, *, last: bool) -> None:
        tail, self._tail = self._tail, ""
        if tail.startswith("```"):
            if self._told.block is None:
                info = parse_info(tail.lstrip("`").strip())
                if info.kind in ("code", "markdown") and not self._quoted:
                    self._newline(last=last)
                    self._told.open(info, fence="```", indent=0, raw=tail)
                    return
            elif not self._told.block.ends_in_text("".join(self._pieces)) and len(tail.rstrip()) >= len(
                self._told.block.fence
            ):
                self._told.close()
                return
        if tail:
            self._emit(tail)
        self._newline(last=last)

    def _end_whole_line(self, line: str, *, last: bool) -> None:
        self.visited += len(line)
        if self._told.block is not None:
            if self._fence_in_block(line, last=last):
                return
        elif (opening := _OPENING.fullmatch(line)) and len(line) <= LONGEST_FENCE:
            info = opening[3].strip()
            if not ("`" in info and opening[2][0] == "`"):
                self._told.open(parse_info(info), fence=opening[2], indent=len(opening[1]), raw=line)
                return
        if is_marker(line) and self._drops_marker():
            return
        if self._is_preface(line):
            self._told.note(line + "\n")
            return
        self._settle(line[:FIRST_LINE])
        if not line or (last and self._told.block is not None and not line.strip()):
            self._newline(last=last)
            return
        self._tell(line)
        self._end_told_line(last=last)

    def _drops_marker(self) -> bool:
        """Return whether a line that only separates the parts of a prompt is dropped here: in prose, and in code where no more follows."""
        block = self._told.block
        if block is None:
            return self._told.hashes is None
        if block.kind != "code" or block.string or not block.started:
            return False
        block.tail += self._pending + "".join(self._pieces) + "\n"
        return True

    def _is_preface(self, line: str) -> bool:
        """Return whether a line in a fenced block of code is its preface: it is no code, and the code has not begun."""
        block = self._told.block
        return block is not None and block.decided and not block.started and block.reads_python and is_sentence(line)

    def _content(self, line: str, *, last: bool = False) -> None:
        """A whole line that is no fence."""
        if self._told.block is not None:
            line = self._told.block.dedent(line)
            self._pieces = []
        if line:
            self._emit(line)
        self._newline(last=last)

    def _newline(self, *, last: bool) -> None:
        block = self._told.block
        if block is None or block.kind == "note":
            if not last and block is None:
                self._told.prose("\n")
            elif not last:
                self._told.note("\n")
            return
        if block.started:
            block.tail += "\n"
        if block.kind == "code":
            line = "".join(self._pieces)
            self.visited += len(line)
            block.receive_line(line)
        self._pieces = []

    def _fence_in_block(self, line: str, *, last: bool) -> bool:
        """Return whether the line was a fence (or, as the last one, the beginning of one), and has been dealt with."""
        block = self._told.block
        assert block is not None
        matters, info = block.fence_in(line)
        if not matters:
            return last and block.kind != "note" and not block.string and line.strip() in ("`", "``")
        if block.spilled:
            self._told.block = None
            if info:
                self._told.open_behind(line, info, last=last)
            return True
        if block.kind == "note":
            self._told.fence_in_note(line, info, last=last)
            return True
        if block.kind == "markdown" or block.string:
            return self._nested_fence(block, line, info)
        self._told.close()
        if info:
            self._told.open_behind(line, info, last=last)
        return True

    def _nested_fence(self, block: Block, line: str, info: str) -> bool:
        """A fence in a Markdown cell or in an open string. False: it is content."""
        if info or block.depth:
            block.depth = 1 if info else 0
            return False
        if block.kind == "markdown" or self._strict or len(block.string) == 1:
            self._told.close()
        else:
            self._doubt = Doubt(line)
        return True

    # --- a bare fence in an open string ------------------------------------------------------------------------------

    def _in_doubt(self, doubt: Doubt, line: str) -> None:
        assert self._told.block is not None
        self.visited += len(line)
        closing = doubt.receive(line, self._told.block)
        if closing is not None:
            self._decide(doubt, closing=closing)

    def _decide(self, doubt: Doubt, *, closing: bool, last: bool = False) -> None:
        """The fence did end the block, or it and what follows are part of the string."""
        lines, self._doubt = doubt.lines, None
        if not closing:
            for line in lines:
                self._content(line)
            return
        self._strict = True
        self._told.close()
        for number, line in enumerate(lines[1:], 2):
            self._begin_line()
            self._segment(line)
            self._end_line(last=last and number == len(lines))
