"""Filter for the thinking that some servers leave in an answer's text.

What a model thinks stands between ``<think>`` and ``</think>`` (or another of :data:`_NAMES`, in brackets too), or in channels of
the harmony format (``<|channel|>analysis<|message|>…<|channel|>final<|message|>``, or ``analysis…assistantfinal`` where a server drops
the tokens). A chat template that opens the tag itself leaves an end without a beginning: then everything before it was thinking, and is
taken back.

A tag counts where it can't be quoted: an opening one at the beginning of a line outside of fences; a closing one at the beginning or the
end of a line, within a fence only as a line of its own outside of strings.
"""

from __future__ import annotations

import re

from msgspec import Struct

_NAMES = (
    *("think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "antthinking"),
    *("seed:think", "mm:think"),
)
"""Of DeepSeek, Qwen, Claude, Gemini, Seed and MiniMax; Magistral has ``[THINK]``, Kimi ``◁think▷``."""
_BEGINS = (
    *("<|start_thinking|>", "<|begin_of_thought|>", "<|inner_prefix|>"),
    *("<|think|>", "<|channel>thought", "<unused94>thought"),
)
_ENDS = (
    *("<|end_thinking|>", "<|end_of_thought|>", "<|inner_suffix|>"),
    *("<|/think|>", "<channel|>", "<unused95>"),
)
"""Tokens, in small letters: of Cohere, OpenThinker, Apertus, Solar (which ends with ``<|end|>``, too), Gemma 4 and MedGemma."""


def _any(texts: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(map(re.escape, texts))})"


_NAMED = _any(_NAMES)
_TAG = re.compile(
    rf"(?P<open>(?i:<{_NAMED}(?:\s[^<>\n]{{0,60}})?>|{_any(_BEGINS)})|\[THINK\]|◁think▷)"
    rf"|(?P<close>(?i:</{_NAMED}>|{_any(_ENDS)})|\[/THINK\]|◁/think▷)|(?P<end><\|(?:end|return)\|>)"
    r"|(?:<\|start\|>assistant)?<\|channel\|>\s*(?P<channel>[a-z]+)(?:[^<]|<\|constrain\|>){0,60}<\|message\|>"
)
_START = re.compile(r"<|◁|\[(?=/?T|/?$)")
_OPENING = re.compile(rf"<{_NAMED}\s[^<>\n]{{0,60}}", re.IGNORECASE)
_FIXED = (
    *(f"<{slash}{name}>" for slash in ("", "/") for name in _NAMES),
    *("[think]", "[/think]", "◁think▷", "◁/think▷"),
    *("<|end|>", "<|return|>", "<|channel|>", "<|start|>assistant<|channel|>"),
    *(*_BEGINS, *_ENDS),
)
_CHANNEL = re.compile(
    r"(?:<\|start\|>assistant)?<\|channel\|>[^<]{0,70}(?:<\|constrain\|>[^<]{0,20})?"
    r"(?:<\|?(?:c?o?n?s?t?r?a?i?n?|m?e?s?s?a?g?e?)\|?)?"
)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)")
_BARE_BEGIN, _BARE_END = "analysis", "assistantfinal"
_LONGEST = 200
"""Characters that no tag has."""
_KEPT = 2_000
"""Characters of a line that are read."""


class TakenBack(Struct, frozen=True):
    """All text before this was thinking."""


class ThinkingFilter:
    """Text → the text that is no thinking, incrementally; what may still become a tag is held back. ``code``: the text is code at a
    cursor, which may begin with a name such as ``analysisResult``."""

    def __init__(self, *, code: bool = False) -> None:
        self.thinking = False
        """True while the text is inside of thinking."""
        self._held = ""
        self._first = not code  # nothing was let through yet
        self._bare: str | None = None  # what came since "analysis" at the beginning, which may yet be the answer itself
        self._line = ""  # the beginning of the current line
        self._ticks = 0  # backticks in it
        self._fence = ""
        self._quotes = 0  # triple quotes in the open fence

    def decode(self, text: str) -> list[str | TakenBack]:
        """Return the parts that are certain with this much more of the answer."""
        if not (self._held or self.thinking or self._first or self._bare is not None or _START.search(text)):
            self._track(text)
            return [text]
        return self._read(self._held + text, last=False)

    def flush(self) -> list[str | TakenBack]:
        """Return the text held back: the answer is whole."""
        found = self._read(self._held, last=True)
        if self._bare is not None:
            found, self._bare = [self._bare], None
        return found

    # --- inside ------------------------------------------------------------------------------------------------------

    def _read(self, text: str, *, last: bool) -> list[str | TakenBack]:
        self._held = ""
        found: list[str | TakenBack] = []
        if self._first and self._bare is None and not self._begins(text, last=last):
            return found
        if self._bare is not None:
            return self._read_bare(text)
        at = 0
        while at < len(text):
            begins = _START.search(text, at)
            if begins is None:
                self._pass(text[at:], found)
                break
            start = begins.start()
            self._pass(text[at:start], found)
            tag = _TAG.match(text, start)
            if not last and (
                self._may_go_on(text[start : start + _LONGEST]) if tag is None else tag.end() == len(text)
            ):
                self._held = text[start:]
                break
            at = self._take(tag, text, start, found)
        return found

    def _begins(self, text: str, *, last: bool) -> bool:
        """Return whether it is known if the answer begins with ``analysis`` without its tokens."""
        plain = text.lstrip()
        if not last and len(plain) <= len(_BARE_BEGIN) and _BARE_BEGIN.startswith(plain):
            self._held = text
            return False
        if plain.startswith(_BARE_BEGIN) and plain[len(_BARE_BEGIN) :][:1].isupper():
            self._bare = ""
        self._first = False
        return True

    def _read_bare(self, text: str) -> list[str | TakenBack]:
        self._bare = (self._bare or "") + text
        before, end, after = self._bare.partition(_BARE_END)
        if not end or len(before) < len(_BARE_BEGIN):
            return []
        self._bare = None
        return self._read(after, last=False)

    def _take(self, tag: re.Match[str] | None, text: str, start: int, found: list[str | TakenBack]) -> int:
        """Deal with what may begin a tag at ``start``. Returns where the text goes on."""
        if tag is None:
            self._pass(text[start], found)
            return start + 1
        if self.thinking:
            self.thinking = not (tag["close"] or tag["end"] or tag["channel"] == "final")
            return self._skip_blank(text, tag.end())
        alone = not self._line.strip()
        if tag["close"] and self._ends_thinking(alone, text[tag.end() : tag.end() + 1]):
            found[:] = [TakenBack()]
            self._line, self._fence, self._ticks, self._quotes = "", "", 0, 0
            return self._skip_blank(text, tag.end())
        if (tag["open"] or tag["channel"]) and alone and not self._fence:
            self.thinking = tag["channel"] != "final"
            return tag.end()
        if not (tag["end"] and not self._fence and self._ticks % 2 == 0):
            self._pass(tag[0], found)
        return tag.end()

    def _ends_thinking(self, alone: bool, following: str) -> bool:
        if self._fence:
            return alone and following in ("", "\n") and self._quotes % 2 == 0
        return alone or (following in ("", "\n") and self._ticks % 2 == 0)

    def _skip_blank(self, text: str, at: int) -> int:
        """Past the rest of a line that is blank."""
        rest = re.match(r"[ \t]*\n", text[at:])
        self._line = ""
        return at + rest.end() if rest and not self.thinking else at

    def _may_go_on(self, text: str) -> bool:
        """Return whether a tag's first character and what follows may become a tag."""
        known = text.lower()
        opens = any(tag.startswith(known) for tag in _FIXED) or any(one.fullmatch(text) for one in (_CHANNEL, _OPENING))
        return len(text) < _LONGEST and opens

    def _pass(self, text: str, found: list[str | TakenBack]) -> None:
        if text and not self.thinking:
            found.append(text)
            self._track(text)

    def _track(self, text: str) -> None:
        """Follow lines and fences."""
        first, *others = text.split("\n")
        self._add(first)
        for line in others:
            self._end_line()
            self._add(line)

    def _add(self, text: str) -> None:
        if len(self._line) < _KEPT:
            self._line += text[:_KEPT]
        self._ticks += text.count("`")

    def _end_line(self) -> None:
        fence = _FENCE.match(self._line)
        if fence is not None and not self._fence:
            self._fence, self._quotes = fence[1], 0
        elif fence is not None and fence[1].startswith(self._fence) and not fence[2].strip():
            self._fence = ""
        elif self._fence:
            self._quotes += self._line.count('"""') + self._line.count("'''")
        self._line, self._ticks = "", 0


def without_thinking(text: str) -> str:
    """A whole answer without its thinking."""
    made = ThinkingFilter()
    pieces: list[str] = []
    for piece in (*made.decode(text), *made.flush()):
        if isinstance(piece, TakenBack):
            pieces.clear()
        else:
            pieces.append(piece)
    return "".join(pieces)
