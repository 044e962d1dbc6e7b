"""A prompt with its names and values marked, so that rules are patterns over ``⟨c0⟩ above ⟨n0⟩``. Pure.

``⟨c…⟩`` is a column, ``⟨t…⟩`` a table, ``⟨n…⟩`` a number, ``⟨d…⟩`` a date, ``⟨q…⟩`` a text in quotes, ``⟨f…⟩`` a file. A
rule takes out what it has understood; what is left over at the end was not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import marks, words
from spark_jupyter.server.engines.query import lexicon

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

C, N, D, Q, F, T = (rf"⟨{letter}\d+⟩" for letter in "cndqft")
"""Patterns of one mark."""
CS = rf"{C}(?:\s*(?:,\s*and|,|and|&|\+)\s*(?:the\s+)?{C})*"
"""Pattern of some columns."""
WORD = rf"(?!(?:{lexicon.NO_VALUE})\b)[A-Za-zÀ-ÿ][\wÀ-ÿ.'-]*"
VALUE = rf"(?:⟨[ndq]\d+⟩|{WORD})"
"""Pattern of a value: marked, or a word that is none of the language's own."""
VALUES = (
    rf"{VALUE}(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+){VALUE}(?!\s+(?:is|are|above|below|over|under|>|<|=)))*"
)

_DATE = re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b|\b\d{1,2}/\d{1,2}/\d{4}\b")
_NUMBER = re.compile(r"(?<![\w.⟨])-?\d+(?:[.,]\d{3})*(?:\.\d+)?(?=[\s,;:)%?!]|\.?$|[a-z%])")
_TITLE = re.compile(r"\b[Tt]itle\s*(?:(?:is|of|called)\b|=|:)?\s+(?P<title>[A-Z](?:(?! and | with )[^;,⟨])*)")
_TOKEN = re.compile(r"⟨[a-z]\d+⟩|[^\W\d_][\w]*(?:'s)?")


class Marked:
    """A prompt that is being understood. ``text`` is what is left of it."""

    def __init__(self, prompt: str, *, tables: Sequence[str], columns: Sequence[str]) -> None:
        self.values: dict[str, str] = {}
        text = lexicon.translated(" ".join(prompt.replace("’", "'").split()))
        text = _TITLE.sub(lambda found: f"title {self._mark('q', found['title'].strip())}", text)
        text = marks.QUOTED.sub(
            lambda found: self._mark("q", next(one for one in found.groups() if one is not None)), text
        )
        text = marks.FILE.sub(lambda found: self._mark("f", found[0]), text)
        text = _DATE.sub(lambda found: self._mark("d", found[0]), text)
        text = _NUMBER.sub(lambda found: self._mark("n", found[0].replace(",", "")), text)
        text = self._mark_tables(text, tables)
        self.text = self._mark_columns(self._corrected(text, columns), tables, columns)

    def _mark(self, kind: str, value: str) -> str:
        key = f"⟨{kind}{len(self.values)}⟩"
        self.values[key] = value
        return f" {key} "

    def _mark_tables(self, text: str, tables: Sequence[str]) -> str:
        for name in sorted(tables, key=len, reverse=True):
            text = re.sub(
                rf"(?<![\w⟨])@?{re.escape(name)}(?![\w⟩])",
                lambda _, name=name: self._mark("t", name),
                text,
                flags=re.I if len(name) > 3 else 0,
            )
        return text

    def _mark_columns(self, text: str, tables: Sequence[str], columns: Sequence[str]) -> str:
        by_plain: dict[tuple[str, ...], str] = {}
        for column in columns:
            by_plain.setdefault(tuple(names.plain(column).split()), column)
        text = self._sweep(text, lambda said: by_plain.get(tuple(names.plain(said).split())), longest=4)
        text = self._sweep(text, lambda said: lexicon.part_of(said, columns), longest=2)
        singular = {name.lower().removesuffix("s"): name for name in tables if name.lower().endswith("s")}
        return self._sweep(text, lambda said: singular.get(said.lower()), longest=1, kind="t")

    def _sweep(self, text: str, find: Callable[[str], str | None], *, longest: int, kind: str = "c") -> str:
        """Mark what ``find`` knows, the longest runs of words first. A name such as ``a_b`` is one word."""
        for length in range(longest, 0, -1):
            at, out = 0, ""
            found = list(_TOKEN.finditer(text))
            for start in range(len(found) - length + 1):
                run = found[start : start + length]
                said = text[run[0].start() : run[-1].end()]
                if run[0].start() < at or "⟨" in said or not re.fullmatch(r"[\w'/ -]+", said):
                    continue
                name = find(said.removesuffix("'s"))
                if name is not None:
                    out += text[at : run[0].start()] + self._mark(kind, name)
                    at = run[-1].end()
            text = out + text[at:]
        return text

    def _corrected(self, text: str, columns: Sequence[str]) -> str:
        """Typing mistakes in the words of the language itself taken out; names are none of them."""
        known = {word for column in columns for word in names.plain(column).split()}

        def mend(found: re.Match[str]) -> str:
            word = found[0].lower()
            if word in lexicon.VOCABULARY or words.stem(word) in known or not found[0][1:].islower():
                return found[0]
            return words.corrected(word, lexicon.VOCABULARY) or found[0]

        return re.sub(r"(?<![⟨\w])[A-Za-z]{5,}(?!\w)", mend, text)

    # --- taking out what is understood --------------------------------------------------------------------------------

    def find(self, pattern: str) -> re.Match[str] | None:
        """The first place where the pattern is, which is left."""
        return re.search(pattern, self.text, re.IGNORECASE)

    def take(self, pattern: str) -> re.Match[str] | None:
        """The first place where the pattern is, and it is taken out."""
        found = self.find(pattern)
        if found is not None:
            self.text = f"{self.text[: found.start()]} ; {self.text[found.end() :]}"
        return found

    def value(self, mark: str) -> str:
        """What a mark stands for, or the word itself."""
        return self.values.get(mark.strip(), mark.strip())

    def names(self, part: str | None) -> list[str]:
        """The columns in a part of the text, in order."""
        return [self.values[key] for key in re.findall(C, part or "")]

    def left(self) -> list[str]:
        """The words that no rule has understood and that say something, and marks of values and columns."""
        rest = re.sub(T, " ", self.text)
        found = re.findall(r"⟨[a-z]\d+⟩|[^\W\d_][\w'-]*", rest)
        return [self.value(one) for one in found if one.startswith("⟨") or one.lower() not in lexicon.NOISE]
