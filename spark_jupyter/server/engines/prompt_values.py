"""Names, choices, files, numbers and texts from a prompt."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Mapping, Sequence

from spark_jupyter.server.engines import literals, word_forms
from spark_jupyter.server.engines.book import Entry, Replacement
from spark_jupyter.server.engines.namespace import Column, Namespace
from spark_jupyter.server.engines.rewrite import quoted

_CALLED = re.compile(
    r"\b(?:called|named|(?:call|name)\s+(?:it|this|that|the\s+\w+)|rename\s+(?:it|this|the\s+\w+)\s+(?:to|as))\s+"
    r"[`'\"]?(?P<name>[A-Za-z_]\w*)[`'\"]?",
    re.IGNORECASE,
)
_ALIKE: list[list[str]] = word_forms.DATA["alike_endings"]
"""Endings of files that the same code can read or write."""
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(word_forms.DATA["number_words"].split())}
_NUMBER = r"(?P<number>-?\d+(?:\.\d+)?|" + "|".join(word for word in _NUMBER_WORDS if word != "one") + r")"

_SAID = r"(?:[\"'`“](?P<quoted>[^\"'`”\n]+)|(?P<word>[\w+#%.-]*[\w+#%]|[;,|]))"


class PromptValues:
    """Reads the values that are said for an entry. ``texts`` are what was said, later instructions first.

    ``misfits`` counts what was named and does not fit the entry; ``said`` are the words that stand for a value in another form; ``here``
    are the files that "my CSV file" may mean, and ``notes`` say that there is none."""

    def __init__(self, entry: Entry, texts: Sequence[str], slots_: Mapping[str, str], namespace: Namespace) -> None:
        self.entry = entry
        self.texts = texts
        self.slots = slots_
        self.namespace = namespace
        self.misfits = 0
        self.said: list[str] = []
        self.here: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()

    def name(self, kind: str) -> str | None:
        """The name that the entry's function, class or result shall have."""
        for text in self.texts:
            found = _CALLED.search(text)
            if found is None and kind != "new name":
                found = re.search(rf"\b{kind.split()[0]}\s+`?(?P<name>[a-z]\w*_\w+|[A-Z]\w+)`?", text)
            if found and found["name"].isidentifier() and not word_forms.is_stop(found["name"].lower()):
                return found["name"]
        return None

    def choice(self, replacement: Replacement) -> str | None:
        """The choice that is named first; that several are named shows that this entry is not quite what is meant."""
        for text in self.texts:
            plain = [word_forms.stem(word) for word in re.findall(r"[\w+#.]+", text.lower())]
            said = " " + " ".join(plain) + " "
            named: dict[str, int] = {}
            for choice in replacement.choices:
                for name in (choice.value.strip("\"'").lower(), *choice.words):
                    place = said.find(f" {' '.join(word_forms.stem(word) for word in name.split())} ")
                    if place >= 0:
                        named[choice.value] = min(place, named.get(choice.value, place))
            if named:
                self.misfits += len(named) - 1
                return min(named, key=lambda value: named[value])
        return None

    def file(self, replacement: Replacement) -> str | None:
        """The file that is named, if the entry's code can read or write its kind."""
        named = [found[0] for text in self.texts for found in literals.FILE.finditer(text)]
        ending = str(ast.literal_eval(replacement.token)).rpartition(".")[2].lower()
        same = [name for name in named if name.lower().endswith("." + ending)]
        others = [one for one in self.entry.replacements if one.kind in ("file", "new file") and one != replacement]
        if same:
            order = [one for one in self.entry.replacements if one.kind in ("file", "new file")]
            alike = [one for one in order if str(ast.literal_eval(one.token)).lower().endswith("." + ending)]
            place = alike.index(replacement)
            return quoted(same[place]) if place < len(same) else None
        alike_endings = next((group for group in _ALIKE if ending in group), (ending,))
        near = [name for name in named if name.rpartition(".")[2].lower() in alike_endings]
        if near and not others:
            return quoted(near[0])
        self.misfits += bool(named) and not near  # another kind of file is named: another entry may be meant
        return None if named or others or replacement.kind == "new file" else self._here(ending)

    def _here(self, ending: str) -> str | None:
        """The only file with this ending in the working folder."""
        told = re.findall(rf"(?m)^(\S.*\.{ending}): (.*)$", self.namespace.files, re.IGNORECASE)
        self.here = tuple(dict.fromkeys(name for name, about in told if about.endswith(" bytes")))
        if told and not self.here:
            self.notes = ("There is no such file in the working folder, so the first cell makes example data.",)
        return quoted(self.here[0]) if len(self.here) == 1 else None

    def number(self, replacement: Replacement) -> str | None:
        """The number beside a label, else in the slot."""
        for text in self.texts:
            plain = text.lower()
            for label in (*replacement.labels, *([replacement.keyword] if replacement.keyword else ())):
                stemmed = rf"{re.escape(label.rstrip('s'))}\w{{0,2}}"
                before = re.search(rf"(?<![\w.]){_NUMBER}[\s-]*(?:\w+\s+)?{stemmed}\b", plain)
                after = re.search(rf"\b{stemmed}\s*(?:=|:|of|to|is|at|by)?\s*{_NUMBER}(?![\w.]\d)", plain)
                found = after or before
                if found:
                    return self._digits(found["number"])
        in_slot = self.slots.get(replacement.slot, "").lower()
        found = re.fullmatch(_NUMBER + r"\b.*", in_slot)
        return self._digits(found["number"]) if found else None

    def _digits(self, number: str) -> str:
        self.said.append(number)
        return _NUMBER_WORDS.get(number, number)

    def plain_numbers(self, taken: Container[int]) -> dict[int, str]:
        """Numbers that no label explains stand for what the entry asks for, where there are just as many of both."""
        asked = [(number, one) for number, one in enumerate(self.entry.replacements) if one.kind == "number"]
        slots_ = {slot for phrasing in self.entry.phrasings for slot in re.findall(r"\{(\w+)\}", phrasing)}
        plain = literals.numbers(self.texts[-1]) if self.texts else []
        if any(number in taken for number, _ in asked) or len(plain) != len(asked):
            return {}
        if not all(not one.labels or one.slot in slots_ for _, one in asked):
            return {}
        return {number: value for (number, _), value in zip(asked, plain, strict=True)}

    def text(self, replacement: Replacement, columns: Sequence[Column]) -> str | None:
        """The text (or value of one of the ``columns``) that is said, as Python source."""
        found = self._said(replacement)
        if found is None:
            alike = [one for one in self.entry.replacements if one.kind in ("text", "value")]
            texts = [one for text in self.texts for one in literals.quoted_texts(text)]
            found = texts[0] if texts and alike == [replacement] and not replacement.labels else None
        if found is None:
            return None
        if literals.DATE.search(replacement.token) and not literals.DATE.search(found):
            self.misfits += 1
            return None
        return _as_value(found, columns) if replacement.kind == "value" else quoted(found)

    def _said(self, replacement: Replacement) -> str | None:
        """The text in quotes or the word behind a label; else what the slot holds."""
        for text in self.texts:
            for label in replacement.labels:
                start = r"(?<!\w)" if label[0].isalnum() else ""
                stop = r"\b" if label[-1].isalnum() else ""
                found = re.search(
                    rf"{start}{re.escape(label)}{stop}\W{{0,3}}(?:is|of|to|called)?\s*{_SAID}", text, re.I
                )
                if found and found["quoted"]:
                    return found["quoted"]
                if found and not self._is_ours(found["word"]):
                    in_slot = self.slots.get(replacement.slot, "").strip("`'\"“”")
                    return in_slot if in_slot.startswith(found["word"]) else found["word"]
        in_slot = self.slots.get(replacement.slot, "").strip("`'\"“”")
        return in_slot if in_slot and not is_general(in_slot) else None

    def _is_ours(self, word: str) -> bool:
        """True if a word without quotes is rather a part of the sentence than a value."""
        return is_general(word) or word_forms.is_stop(word.lower()) or self.namespace.get(word) is not None


def _as_value(text: str, columns: Sequence[Column]) -> str:
    """Python source of the value: a number or truth value where the columns hold such, else a text."""
    kinds = {column.kind for column in columns}
    if re.fullmatch(r"-?\d+(?:\.\d+)?", text) and ("number" in kinds or not kinds):
        return text
    if text.lower() in ("true", "false") and "bool" in kinds:
        return text.capitalize()
    return quoted(text)


def is_general(text: str) -> bool:
    """True if the text names nothing in particular."""
    return all(
        word_forms.canonical(word) in word_forms.GENERAL | word_forms.MODIFIERS or word_forms.is_stop(word)
        for word in word_forms.split(text)
    )
