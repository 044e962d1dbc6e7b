"""Classification of fence info strings, prose and code lines.

:mod:`spark_jupyter.prompting.block_reader` finds the fences and asks here. :class:`Cleaner` makes an answer's characters harmless.
"""

from __future__ import annotations

import keyword
import re
from typing import Literal

from msgspec import Struct

BlockKind = Literal["code", "markdown", "note", "any"]


class Info(Struct, frozen=True):
    """Meaning of an opening fence: the kind of block, the cell it names, and whether it goes on."""

    kind: BlockKind
    language: str = ""
    cell: str = ""
    resume: bool = False


_PYTHON = frozenset(["python", "py", "ipython", "ipy", "jupyter", "jupyter-python", "code-cell", "tool_code"])
_MARKDOWN = frozenset(["markdown", "md", "mdx", "gfm", "commonmark"])
_OTHER = frozenset(
    re.findall(
        r"\S+",
        "bash sh shell zsh console shell-session fish powershell cmd bat sql json jsonc yaml yml toml ini csv tsv xml "
        "html css javascript js typescript ts jsx tsx text txt plaintext plain output out log diff patch pycon latex "
        "tex r julia c cpp c++ java go rust ruby dockerfile makefile mermaid http regex graphql none",
    )
)
_LANGUAGE = re.compile(r"\{?[.\s]*([A-Za-z][\w+#.-]*+)(?!\s*=)")
_CELL = re.compile(r"""\bcell\s*[=:]\s*["'`<]*([^\s"'`>},]+)""")


class Fenced(Struct, frozen=True):
    """A fenced block of a whole text: from ``start`` to ``end``, with its fences."""

    start: int
    end: int
    fence: str
    info: str
    source: str


_FENCE = re.compile(r"(`{3,}|~{3,})([^\n`]*)\n?\Z")


def fenced(text: str) -> list[Fenced]:
    """The blocks that close, each line read once: an expression that looks for the end of each opening takes its square of time."""
    found: list[Fenced] = []
    opening: re.Match[str] | None = None
    at = start = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):  # splitlines() would take a form feed for a line's end, too
        match = _FENCE.match(line)
        if opening is None:
            opening, start = match, at
        elif match is not None and match[1] == opening[1] and not match[2].strip(" \t"):
            source = text[start + opening.end() : at]
            found.append(Fenced(start, at + match.end(2), opening[1], opening[2], source))
            opening = None
        at += len(line)
    return found


def parse_info(info: str) -> Info:
    """The meaning of an info string, e.g. ``python cell=a1``, ``{python}``, ``py title="x.py"`` or ``markdown``."""
    found = _LANGUAGE.match(info)
    language = "" if found is None else found[1].strip(".").lower()
    if language == "cell" and _CELL.match(info):
        language = ""
    base = re.sub(r"[\d.]+$", "", language)
    cell = _CELL.search(info)
    kind: BlockKind = "note"
    if base in _PYTHON:
        kind = "code"
    elif base in _MARKDOWN:
        kind = "markdown"
    elif not language and (cell or not info.strip("{} \t")):
        kind = "any"
    return Info(kind, language, cell[1] if cell else "", "continue" in info.split())


def is_known(info: Info) -> bool:
    """Return whether this is a language that models write behind a fence, and not just any word."""
    return info.kind in ("code", "markdown") or bool(info.cell) or info.language in _OTHER


# --- Harmless text ---------------------------------------------------------------------------------------------------

_ODD = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\r\ufeff\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _harmless(odd: re.Match[str]) -> str:
    return "" if odd[0] == "\ufeff" else "\ufffd"


_ROLE = "(?:system|developer|user|human|assistant|model|tool)?"
_CHAT = re.compile(
    rf"<\|(?:im_start|start_header_id|start_of_role|start|begin)\|>{_ROLE}(?:<\|end_(?:header_id|of_role)\|>)?"
    rf"|<(?:\|turn|start_of_turn)>{_ROLE}|<(?:end_of_turn|turn\|)>|<\|[A-Za-z][A-Za-z_]{{1,30}}\|>"
    r"|<\uff5c[^\s<>|\uff5c]{1,40}\uff5c>|</s>|<[eb]os>|<fim_[a-z]+>|<file_sep>|<EOT>"
)
"""Separators of turns in the templates of chat models: ChatML, Llama 2 and 3, Phi, Granite, Cohere, DeepSeek, Gemma; and of the parts of a
file that is filled in: StarCoder, Code Llama."""
_MAYBE_CHAT = re.compile(
    r"<(?:\|(?:[A-Za-z][A-Za-z_]{0,30}\|?)?|\uff5c[^\s<>|\uff5c]{0,40}\uff5c?|/?[A-Za-z_]{0,13}\|?"
    r"|(?:\|(?:im_start|start_header_id|start_of_role|start|begin)\||\|turn|start_of_turn)>[a-z]{0,9}"
    r"(?:<(?:\|[a-z_]{0,13}\|?)?)?)?"
)
"""The beginning of one of them, as far as it has come."""
_LONGEST_CHAT = 64
_OTHERS = re.compile(r"(?<![a-z])(?:system|developer|user|human)(?![a-z])")
_OWN = re.compile(r"(?<![a-z])(?:assistant|model|chatbot)(?![a-z])")


class Token(Struct, frozen=True):
    """A token of a chat template that the model wrote as text: it says nothing, but where the text quotes it."""

    text: str

    @property
    def fills_in(self) -> bool:
        """True for a token of what is filled in between two parts of a file."""
        return "fim" in self.text.casefold()

    @property
    def speaker(self) -> Literal["model", "other", ""]:
        """Who speaks from here on; empty where the token does not say."""
        name = self.text.casefold()
        return "other" if _OTHERS.search(name) else "model" if _OWN.search(name) else ""


class Cleaner:
    """CRLF and CR become LF; a byte order mark is dropped; a surrogate that has no partner and a control character
    other than tab, line feed and form feed become U+FFFD. Two halves of a pair are joined although they come in two
    deltas. The tokens of chat templates are told from the text; what may still become one is held back."""

    def __init__(self) -> None:
        self.held = ""
        self._struck = False  # an <s> of HTML is open

    def decode(self, text: str) -> list[str | Token]:
        """The harmless form of the text that is certain, in order; the part held back is shorter than a token of a chat template."""
        if self.held:
            text = self.held + text
            self.held = ""
        if text and (text[-1] == "\r" or "\ud800" <= text[-1] <= "\udbff"):
            self.held = text[-1]
            text = text[:-1]
        if (start := _begins_token(text)) is not None:
            text, self.held = text[:start], text[start:] + self.held
        return self._told(text)

    def flush(self) -> list[str | Token]:
        held, self.held = self.held, ""
        return self._told(held)

    def _told(self, text: str) -> list[str | Token]:
        text = self._clean(text) if _ODD.search(text) else text
        told: list[str | Token] = []
        start = 0
        for token in _CHAT.finditer(text) if "<" in text else ():
            before = text[start : token.start()]
            self._struck |= "<s>" in before
            ends = token[0] == "</s>" and self._struck
            told += [before, token[0] if ends else Token(token[0])]
            self._struck &= not ends
            start = token.end()
        self._struck |= "<s>" in text[start:]
        return [*told, text[start:] if start else text]

    @staticmethod
    def _clean(text: str) -> str:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return _ODD.sub(_harmless, _PAIR.sub(_joined, text))


def _begins_token(text: str) -> int | None:
    """Return the place of a token that may have begun at the end of ``text``; None where none has."""
    near = max(0, len(text) - _LONGEST_CHAT)
    return next(
        (at for at in (text.find("<|", near), text.rfind("<", near)) if at >= 0 and _MAYBE_CHAT.fullmatch(text, at)),
        None,
    )


# --- What is plainly prose, and what is plainly code ------------------------------------------------------------------

_WORDS = re.compile(r"(?<![\w.'’-])([^\W\d][\w’'-]*) +(?=([^\W\d][\w’'-]*))")
_SENTENCE = re.compile(r"[^\W\d]\w*, +[^\W\d].*\w[.!?]\s*$")
_LIST = re.compile(r"[ \t]*(?:\d+[.)] |\*\*[A-Z]|> |[-*•] [A-Z])")
_QUOTE = re.compile(r"#|\"|(?<![A-Za-z])'|\b[rbufRBUF]{1,2}'")
_STATEMENT = re.compile(
    r"(?:import|from|def|class|async def|del|return|raise|assert|global|if|for|while|with|lambda) .|try:|@\w|%%?\w|!\w"
    r"|[A-Za-z_][\w.]*(?:\[.*\])?(?:, *\w+)* *(?::[^=]+)?(?:[-+*/|&%@^]|//|\*\*|>>|<<)?=[^=]|[A-Za-z_][\w.]*[(\[]"
)
_NOT_NAMES = frozenset([*keyword.kwlist, "match", "case", "type"])


def is_prose(line: str) -> bool:
    """Return whether a line is plainly prose: two words beside each other that Python has no place for, or a Markdown list. A
    comma between them makes it prose only if it ends like a sentence: ``import os, sys`` does not."""
    if line.lstrip()[:1] in ("%", "!", "?", "@"):
        return False
    quote = _QUOTE.search(line)
    head = line[: quote.start()] if quote else line
    pairs = _WORDS.finditer(head)
    return bool(_LIST.match(line) or _SENTENCE.search(head)) or any(
        _NOT_NAMES.isdisjoint((pair[1], pair[2])) for pair in pairs
    )


def is_code(line: str) -> bool:
    """Return whether a line without any fence around it is plainly the first line of Python code."""
    return bool(_STATEMENT.match(line)) and not is_prose(line)


def may_be_code(line: str) -> bool:
    """Return whether the first line of a block without a language may be Python: it is no prose, and begins as Python can."""
    return not is_prose(line) and bool(re.match(r"[ \t]*(?:[^\W]|[\"'(\[{@#%!~.?]|-[\w(])", line))


_IN_SENTENCE = r"[\w`’'\"(),;:*.!?/ –—-]*"
_WORDS_GO_ON = re.compile(_IN_SENTENCE)
_SENTENCE_SO_FAR = re.compile(
    rf"(?:(?:[-*•]{{1,2}}|\d{{1,2}}[.)]|>) *|\*\*)?(?:[A-Z][\w’'-]*(?:[*:,;]{{0,3}}(?: {_IN_SENTENCE})?)?)?|\d{{1,2}}"
)


def may_be_sentence(line: str) -> bool:
    """Return whether a line of a fenced block, as far as it has come, may be a sentence: it has no indentation, begins with a capital
    letter or as a list does, and goes on in words. Code leaves that path within a few characters (``Total =``, ``Model(``)."""
    return _SENTENCE_SO_FAR.fullmatch(line) is not None


def goes_on_in_words(text: str) -> bool:
    """Return whether :func:`may_be_sentence` still holds with ``text`` behind its first blank."""
    return _WORDS_GO_ON.fullmatch(text) is not None


def is_sentence(line: str) -> bool:
    """Return whether a line of a fenced block is a sentence that explains the code, and none of it."""
    return may_be_sentence(line) and is_prose(line)


_MARKER = re.compile(
    r"###[ \t]*(?:(?:instruction|response|human|assistant|user|system|end)s?[ \t]*:)?[ \t]*"
    r"|</?(?:answer|output|response|solution)>[ \t]*",
    re.IGNORECASE,
)
_MAYBE_MARKER = re.compile(r"#{1,2}|###[ \t]{0,4}[A-Za-z]{0,12}[ \t]{0,4}:?[ \t]{0,4}|</?[A-Za-z]{0,8}>?[ \t]{0,4}")


def may_be_marker(line: str) -> bool:
    """Return whether a line, as far as it has come, may be one for :func:`is_marker`."""
    return _MAYBE_MARKER.fullmatch(line) is not None


def is_marker(line: str) -> bool:
    """Return whether a line only separates the parts of a prompt or an answer, as in Alpaca's template (``### Response:``) and for
    models that were trained to answer in ``<answer>``."""
    return _MARKER.fullmatch(line) is not None
