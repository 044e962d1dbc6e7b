"""What the words behind a fence mean, what makes an answer's characters harmless, and what looks like Python. Pure.

:mod:`spark_jupyter.speech.blocks` finds the fences; it asks here.
"""

from __future__ import annotations

import keyword
import re
from typing import Literal

from msgspec import Struct

BlockKind = Literal["code", "markdown", "note", "any"]


class Info(Struct, frozen=True):
    """What the line of an opening fence says: the kind of block, the cell it names, and whether it goes on."""

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
    """Whether this is a language that models write behind a fence, and not just any word."""
    return info.kind in ("code", "markdown") or bool(info.cell) or info.language in _OTHER


# --- Harmless text ---------------------------------------------------------------------------------------------------

_ODD = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\r\ufeff\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _harmless(odd: re.Match[str]) -> str:
    return "" if odd[0] == "\ufeff" else "\ufffd"


class Cleaner:
    """CRLF and CR become LF; a byte order mark is dropped; a surrogate that has no partner and a control character
    other than tab, line feed and form feed become U+FFFD. Two halves of a pair are joined although they come in two
    deltas."""

    def __init__(self) -> None:
        self.held = ""

    def decode(self, text: str) -> str:
        """The harmless form of what is certain; at most one character is held back."""
        if self.held:
            text = self.held + text
            self.held = ""
        if not _ODD.search(text):
            return text
        if text[-1] == "\r" or "\ud800" <= text[-1] <= "\udbff":
            self.held = text[-1]
            text = text[:-1]
        return self._clean(text)

    def flush(self) -> str:
        """What was held back."""
        held, self.held = self.held, ""
        return self._clean(held)

    @staticmethod
    def _clean(text: str) -> str:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return _ODD.sub(_harmless, _PAIR.sub(_joined, text))


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
    """Whether a line is plainly prose: two words beside each other that Python has no place for, or a Markdown list. A
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
    """Whether a line without any fence around it is plainly the first line of Python code."""
    return bool(_STATEMENT.match(line)) and not is_prose(line)


def may_be_code(line: str) -> bool:
    """Whether the first line of a block without a language may be Python: it is no prose, and begins as Python can."""
    return not is_prose(line) and bool(re.match(r"[ \t]*(?:[^\W]|[\"'(\[{@#%!~.?]|-[\w(])", line))
