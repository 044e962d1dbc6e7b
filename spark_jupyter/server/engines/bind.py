"""Choose what of the user's takes the place of what an entry declares. Pure.

In this order: what a slot of the phrasing holds, what the prompt mentions, what fits by its kind. What is not found
keeps the book's own, and the entry's example data comes along.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines import columns, literals, marks, slots, words
from spark_jupyter.server.engines.book import COLUMN_KINDS, NAME_KINDS, VARIABLE_KINDS
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.book import Entry, Replacement
    from spark_jupyter.server.engines.namespace import Column, Namespace, Variable

_CALLED = re.compile(
    r"\b(?:called|named|(?:call|name)\s+(?:it|this|that|the\s+\w+)|rename\s+(?:it|this|the\s+\w+)\s+(?:to|as))\s+"
    r"[`'\"]?(?P<name>[A-Za-z_]\w*)[`'\"]?",
    re.IGNORECASE,
)
_ALIKE = (
    ("csv", "tsv", "txt", "log", "md"),
    ("png", "jpg", "jpeg", "pdf", "svg"),
    ("xls", "xlsx"),
    ("json", "jsonl"),
    ("yaml", "yml"),
    ("db", "sqlite", "sqlite3"),
)
"""Endings of files that the same code can read or write."""
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}
_NUMBER = r"(?P<number>-?\d+(?:\.\d+)?|" + "|".join(word for word in _NUMBER_WORDS if word != "one") + r")"

_DATA = frozenset({"DataFrame", "Series", "ndarray", "list", "tuple", "dict", "set", "str"})
_SAID = r"(?:[\"'`“](?P<quoted>[^\"'`”\n]+)|(?P<word>[\w+#%.-]*[\w+#%]|[;,|]))"


class Binding(Struct, frozen=True, kw_only=True):
    """What was chosen. ``chosen`` maps an index of the entry's replacements to Python source; ``notes`` are sentences
    for the user; ``given`` are names and the source of values that the prompt itself gives for them; ``own_data`` says
    that the user's data was used; ``misfits`` counts columns of a wrong kind and what was named and not found."""

    chosen: dict[int, str]
    given: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    own_data: bool = False
    misfits: int = 0

    @property
    def ignores(self) -> bool:
        """Whether the entry would leave aside most of what the prompt names of the user's."""
        return not self.own_data and self.misfits >= 2


def bind(entry: Entry, prompt: str, namespace: Namespace, *, wishes: Sequence[str] = ()) -> Binding:
    """What takes the place of the entry's own. ``wishes`` are later instructions, the last first; they come before it."""
    return _Binder(entry, prompt, namespace, wishes).bind()


class _Binder:
    def __init__(self, entry: Entry, prompt: str, namespace: Namespace, wishes: Sequence[str]) -> None:
        self.entry = entry
        self.namespace = namespace
        self.texts = [text for text in (*wishes, prompt) if text.strip()]
        phrasings = (*entry.phrasings, *(phrase for variant in entry.variants for phrase in variant.phrases))
        self.slots = slots.fill(prompt, phrasings)
        self.chosen: dict[int, str] = {}
        self.notes: list[str] = []
        self.tables: list[Variable] = []
        self.misfits = 0
        self.unknown: dict[str, str] = {}
        self.given: list[tuple[str, str]] = []

    def bind(self) -> Binding:
        numbered = list(enumerate(self.entry.replacements))
        self._choose_variables([pair for pair in numbered if pair[1].kind in VARIABLE_KINDS])
        wanted = [pair for pair in numbered if pair[1].kind in COLUMN_KINDS]
        if self.tables and not self._choose_columns(wanted):
            for number, replacement in numbered:
                if replacement.kind == "DataFrame" or replacement.kind in COLUMN_KINDS:
                    self.chosen.pop(number, None)
            self.tables = []
        if not self.tables:
            self.misfits += len(self._unused())
        for number, replacement in numbered:
            value = self._value(replacement)
            if value is not None:
                self.chosen[number] = value
        self._take_plain_numbers(numbered)
        own = bool(self.tables) or any(entry.kind in VARIABLE_KINDS for n, entry in numbered if n in self.chosen)
        return Binding(
            chosen=self.chosen,
            given=tuple(self.given),
            notes=tuple(self.notes),
            own_data=own,
            misfits=len(self.notes) + self.misfits,
        )

    def _unused(self) -> list[str]:
        """Tables and columns of the user's that are named and that this entry, which takes no table, leaves aside."""
        tables = self.namespace.of_kind("DataFrame")
        chosen = self.chosen.values()
        known = [one.name for one in self.namespace.variables if one.type in _DATA and one.name not in chosen]
        named = [name for name in known if len(name) > 2 and any(_mentions(text, name) for text in self.texts)]
        return named + [one.name for one in self._mentioned_columns(*tables) if tables and self._is_named(one)]

    # -- variables

    def _choose_variables(self, wanted: Sequence[tuple[int, Replacement]]) -> None:
        taken: set[str] = set()
        for number, replacement in wanted:
            candidates = [one for one in self.namespace.of_kind(replacement.kind) if one.name not in taken]
            variable = self._variable(replacement, candidates)
            if variable is None:
                self._take_literal(number, replacement)
                continue
            taken.add(variable.name)
            self.chosen[number] = variable.name
            if replacement.kind == "DataFrame":
                self.tables.append(variable)
        tables = [number for number, replacement in wanted if replacement.kind == "DataFrame"]
        if len(tables) > 1 and not all(number in self.chosen for number in tables):
            for number in tables:
                self.chosen.pop(number, None)
            self.tables = []

    def _take_literal(self, number: int, replacement: Replacement) -> None:
        """Take the list (text …) that is written out in the prompt, under the book's name or one that is free."""
        found = [source for text in self.texts if (source := literals.of_kind(replacement.kind, text)) is not None]
        if not found or self.given:
            return
        name = replacement.token
        while self.namespace.get(name) is not None:
            name = f"given_{name}"
        self.chosen[number] = name
        self.given.append((name, found[0]))

    def _variable(self, replacement: Replacement, candidates: Sequence[Variable]) -> Variable | None:
        in_slot = self.slots.get(replacement.slot, "")
        for text in (*self.texts[:-1], in_slot, self.texts[-1] if self.texts else ""):
            mentioned = [one for one in candidates if _mentions(text, one.name)]
            if mentioned:
                return min(mentioned, key=lambda one: text.lower().find(one.name.lower()))
        if replacement.kind != "DataFrame":
            said = {words.canonical(word) for text in self.texts for word in words.split(text)} & {
                "my",
                "this",
                "thes",
                "the",
            }
            return candidates[0] if len(candidates) == 1 and said else None
        if not candidates:
            return None
        return max(candidates, key=lambda one: len(self._mentioned_columns(one)))  # the first (most recent) of equals

    # -- columns

    def _mentioned_in(self, text: str, *tables: Variable) -> list[Column]:
        """The columns that ``text`` mentions, in the order of their mention."""
        stems = [words.stem(word) for word in words.split(text)]
        found: list[tuple[int, bool, Column]] = []
        for column in (column for table in tables or self.tables for column in table.columns):
            place = columns.place(column.name, stems)
            if place is not None:
                found.append((*place, column))
        whole = {place for place, exact, _ in found if exact}
        kept = [(place, column) for place, exact, column in found if exact or place not in whole]
        named = [column for _, column in sorted(kept, key=lambda pair: pair[0])]
        return [one for one in named if not columns.shadowed(one, named)]

    def _mentioned_columns(self, *tables: Variable) -> list[Column]:
        """The columns of the tables that anything said mentions, later instructions first."""
        return list(dict.fromkeys(column for text in self.texts for column in self._mentioned_in(text, *tables)))

    def _choose_columns(self, wanted: Sequence[tuple[int, Replacement]]) -> bool:
        """Choose a column for each; False when the user's tables have none of a kind that is needed."""
        available = self._available()
        takes_many = any(one.kind in ("columns", "new column") for one in self.entry.replacements)
        if wanted and not available:
            return False
        taken: list[Column] = []
        left = self._by_word(wanted, available, taken)
        free = [column for column in self._mentioned_columns() if column not in taken and column in available]
        for number, replacement in list(left):
            fitting = [column for column in free if columns.fits(column, replacement.kind)]
            if fitting:
                free.remove(fitting[0])
                left.remove((number, replacement))
                self._take(number, replacement, fitting[0], taken)
        free = [column for column in free if self._is_named(column)]
        named = bool(taken)
        for number, replacement in left:
            self.misfits += named and not free  # others are named, this is not: another entry may be meant
            column = free.pop(0) if free else self._by_kind(replacement, available, taken)
            if column is None:
                return False
            self._take(number, replacement, column, taken)
        self.misfits += 0 if takes_many else len(free)
        return True

    def _available(self) -> list[Column]:
        """The columns that may be chosen: of two tables those that both have, so that they can be joined."""
        first, *others = [table.columns for table in self.tables] or [()]
        names = [{column.name for column in columns_} for columns_ in others]
        return [column for column in first if all(column.name in one for one in names)]

    def _by_word(
        self, wanted: Sequence[tuple[int, Replacement]], available: Sequence[Column], taken: list[Column]
    ) -> list[tuple[int, Replacement]]:
        """Take the columns that later instructions and the phrasing's slots name; what is wanted beyond them."""
        left: list[tuple[int, Replacement]] = []
        wished = self._wished_columns(wanted)
        for number, wish in wished.items():
            self._take(number, self.entry.replacements[number], wish, taken)
        for number, replacement in wanted:
            if number in wished:
                continue
            column = self._slot_column(replacement, available)
            if column is None or column in taken:
                left.append((number, replacement))
            else:
                self._take(number, replacement, column, taken)
        return left

    def _by_kind(self, replacement: Replacement, available: Sequence[Column], taken: Sequence[Column]) -> Column | None:
        """A column that nothing names, by its kind."""
        if replacement.slot in self.unknown:
            self.notes.append(_no_such_column(self.unknown[replacement.slot], self.tables))
        column = columns.best_of_kind(replacement.kind, [one for one in available if one not in taken])
        if column is None:
            names = " and ".join(f"`{table.name}`" for table in self.tables)
            kind = replacement.kind.removesuffix(" column")
            self.notes.append(f"{names} has no {kind} column that fits, so this uses the book's example data.")
        return column

    def _is_named(self, column: Column) -> bool:
        """Whether something said has the column's whole name, not only a part of it."""
        places = [columns.place(column.name, [words.stem(word) for word in words.split(text)]) for text in self.texts]
        return any(place is not None and place[1] for place in places)

    def _wished_columns(self, wanted: Sequence[tuple[int, Replacement]]) -> dict[int, Column]:
        """What later instructions name, each for the declaration that they name too (the y axis) or the first it fits."""
        found: dict[int, Column] = {}
        for text in self.texts[:-1]:
            for mentioned in self._mentioned_in(text):
                open_ = [
                    (number, one) for number, one in wanted if number not in found and columns.fits(mentioned, one.kind)
                ]
                named = [number for number, one in open_ if re.search(rf"\b{one.slot}\b", text, re.IGNORECASE)]
                if open_ and mentioned not in found.values():
                    found[named[0] if named else open_[0][0]] = mentioned
        return found

    def _take(self, number: int, replacement: Replacement, column: Column, taken: list[Column]) -> None:
        self.chosen[number] = column.source
        taken.append(column)
        if not columns.may_be(column, replacement.kind):
            self.notes.append(f"The recipe is for a {replacement.kind}, and `{column.name}` is {column.dtype}.")

    def _slot_column(self, replacement: Replacement, available: Sequence[Column]) -> Column | None:
        text = self.slots.get(replacement.slot, "").strip("`'\"“”")
        if not text:
            return None
        column = columns.nearest(text, available)
        fitting = column is not None and columns.may_be(column, replacement.kind)
        if column is not None and not fitting and not self._is_named(column):
            return None
        if column is None and any(_mentions(text, table.name) for table in self.tables):
            return None
        if column is None and not _is_general(text) and replacement.slot != "column":
            self.unknown[replacement.slot] = text
        return column

    # -- everything else

    def _value(self, replacement: Replacement) -> str | None:
        kind = replacement.kind
        if kind in VARIABLE_KINDS or kind in COLUMN_KINDS:
            return None
        if kind in NAME_KINDS:
            return self._name(kind)
        if kind == "one of":
            return self._choice(replacement)
        if kind == "columns":
            named = self._mentioned_columns(self.tables[0]) if self.tables else []
            return "[" + ", ".join(column.source for column in named) + "]" if named else None
        if kind in ("file", "new file"):
            return self._file(replacement)
        if kind == "number":
            return self._number(replacement)
        return self._text(replacement)

    def _name(self, kind: str) -> str | None:
        for text in self.texts:
            found = _CALLED.search(text)
            if found is None and kind != "new name":
                found = re.search(rf"\b{kind.split()[0]}\s+`?(?P<name>[a-z]\w*_\w+|[A-Z]\w+)`?", text)
            if found and found["name"].isidentifier() and not words.is_stop(found["name"].lower()):
                return found["name"]
        return None

    def _choice(self, replacement: Replacement) -> str | None:
        """The choice that is named first; that several are named shows that this entry is not quite what is meant."""
        for text in self.texts:
            plain = [words.stem(word) for word in re.findall(r"[\w+#.]+", text.lower())]
            said = " " + " ".join(plain) + " "
            named: dict[str, int] = {}
            for choice in replacement.choices:
                for name in (choice.value.strip("\"'").lower(), *choice.words):
                    place = said.find(f" {' '.join(words.stem(word) for word in name.split())} ")
                    if place >= 0:
                        named[choice.value] = min(place, named.get(choice.value, place))
            if named:
                self.misfits += len(named) - 1
                return min(named, key=lambda value: named[value])
        return None

    def _file(self, replacement: Replacement) -> str | None:
        named = [found[0] for text in self.texts for found in marks.FILE.finditer(text)]
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
        return quoted(near[0]) if near and not others else None

    def _number(self, replacement: Replacement) -> str | None:
        for text in self.texts:
            plain = text.lower()
            for label in (*replacement.labels, *([replacement.keyword] if replacement.keyword else ())):
                stemmed = rf"{re.escape(label.rstrip('s'))}\w{{0,2}}"
                before = re.search(rf"(?<![\w.]){_NUMBER}[\s-]*(?:\w+\s+)?{stemmed}\b", plain)
                after = re.search(rf"\b{stemmed}\s*(?:=|:|of|to|is|at|by)?\s*{_NUMBER}(?![\w.]\d)", plain)
                found = after or before
                if found:
                    return _NUMBER_WORDS.get(found["number"], found["number"])
        in_slot = self.slots.get(replacement.slot, "").lower()
        found = re.fullmatch(_NUMBER + r"\b.*", in_slot)
        return _NUMBER_WORDS.get(found["number"], found["number"]) if found else None

    def _take_plain_numbers(self, numbered: Sequence[tuple[int, Replacement]]) -> None:
        """Numbers that no label explains stand for what the entry asks for, where there are just as many of both."""
        asked = [(number, one) for number, one in numbered if one.kind == "number"]
        slots_ = {slot for phrasing in self.entry.phrasings for slot in re.findall(r"\{(\w+)\}", phrasing)}
        plain = literals.numbers(self.texts[-1]) if self.texts else []
        if any(number in self.chosen for number, _ in asked) or len(plain) != len(asked):
            return
        if all(not one.labels or one.slot in slots_ for _, one in asked):
            self.chosen.update({number: value for (number, _), value in zip(asked, plain, strict=True)})

    def _text(self, replacement: Replacement) -> str | None:
        found = self._said(replacement)
        if found is None:
            alike = [one for one in self.entry.replacements if one.kind in ("text", "value")]
            texts = [one for text in self.texts for one in literals.quoted_texts(text)]
            found = texts[0] if texts and alike == [replacement] and not replacement.labels else None
        if found is None:
            return None
        return self._as_value(found) if replacement.kind == "value" else quoted(found)

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
        return in_slot if in_slot and not _is_general(in_slot) else None

    def _is_ours(self, word: str) -> bool:
        """Whether a word without quotes is rather a part of the sentence than a value."""
        return _is_general(word) or words.is_stop(word.lower()) or self.namespace.get(word) is not None

    def _as_value(self, text: str) -> str:
        """Python source of the value: a number or truth value where the column holds such, else a text."""
        names = {ast.literal_eval(value) for value in self.chosen.values() if value.startswith('"')}
        kinds = {column.kind for table in self.tables for column in table.columns if column.name in names}
        if re.fullmatch(r"-?\d+(?:\.\d+)?", text) and ("number" in kinds or not kinds):
            return text
        if text.lower() in ("true", "false") and "bool" in kinds:
            return text.capitalize()
        return quoted(text)


def _mentions(text: str, name: str) -> bool:
    flags = re.IGNORECASE if len(name) > 2 else 0
    return bool(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text, flags))


def _is_general(text: str) -> bool:
    return all(
        words.canonical(word) in words.GENERAL | words.MODIFIERS or words.is_stop(word) for word in words.split(text)
    )


def _no_such_column(text: str, tables: Sequence[Variable]) -> str:
    names = ", ".join(f"`{column.name}`" for column in tables[0].columns[:8])
    return f"`{tables[0].name}` has no column '{text}'; its columns are {names}. Please check the one that I took."
