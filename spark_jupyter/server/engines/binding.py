"""Binding of a recipe to the user's tables, columns and names.

In this order: what a slot of the phrasing holds, what the prompt mentions, what fits by its kind. What is not found keeps the book's
own, and the entry's example data comes along.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from spark_jupyter.server.engines import columns, literals, slots, word_forms
from spark_jupyter.server.engines.book import COLUMN_KINDS, COLUMN_LISTS, NAME_KINDS, VARIABLE_KINDS, Entry, Replacement
from spark_jupyter.server.engines.namespace import Column, Namespace, Variable
from spark_jupyter.server.engines.prompt_values import PromptValues

_OWNERSHIP = frozenset({"my", "this", "thes", "the"})
_LEFTOVER = re.compile(r"^_|(?:^|_)(?:copy|backup|bak|old|orig|original|tmp|temp)\d*$")


class Binding(Struct, frozen=True, kw_only=True):
    """The user's names and values for a recipe.

    ``chosen`` maps an index of the entry's replacements to Python source; ``notes`` are sentences for the user; ``given`` are names and
    the source of values that the prompt itself gives for them; ``own_data`` says that the user's data was used; ``files`` are the files
    that the prompt names; ``misfits`` counts columns of a wrong kind and what was named and not found; ``tables`` are the tables that fit
    equally well, ``open`` the columns that do, behind the kind of their declaration, ``which`` the files;
    ``said`` are words for a value (seven).
    """

    chosen: dict[int, str]
    given: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    own_data: bool = False
    files: frozenset[str] = frozenset()
    misfits: int = 0
    tables: tuple[str, ...] = ()
    open: tuple[tuple[str, tuple[str, ...]], ...] = ()
    which: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


def bind(entry: Entry, prompt: str, namespace: Namespace, *, wishes: Sequence[str] = ()) -> Binding:
    """Choose what takes the place of the entry's own. ``wishes`` are later instructions, the last first; they come before it."""
    texts = [text for text in (*wishes, prompt) if text.strip()]
    phrasings = (*entry.phrasings, *(phrase for variant in entry.variants for phrase in variant.phrases))
    return _Binder(entry, texts, slots.fill(prompt, phrasings), namespace).bind()


class _Binder:
    def __init__(self, entry: Entry, texts: Sequence[str], filled: dict[str, str], namespace: Namespace) -> None:
        self.entry = entry
        self.texts = texts
        self.slots = filled
        self.namespace = namespace
        self.values = PromptValues(entry, texts, filled, namespace)
        self.chosen: dict[int, str] = {}
        self.tables: list[Variable] = []
        self.equal: tuple[str, ...] = ()
        self.misfits = 0
        self.notes: list[str] = []
        self.open: list[tuple[str, tuple[str, ...]]] = []
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
        for number, replacement in numbered:
            value = self._value(replacement)
            if value is not None:
                self.chosen[number] = value
            elif self.tables and replacement.kind in ("value", "text", *COLUMN_LISTS):
                self.misfits += number not in self.chosen  # the book's own would be looked up in the user's table
        self.chosen.update(self.values.plain_numbers(self.chosen))
        if any(one.kind in VARIABLE_KINDS and number in self.chosen for number, one in numbered):
            self.misfits += sum(number not in self.chosen and self._is_needed(one) for number, one in numbered)
        if not self.namespace.of_kind("DataFrame"):  # any words may stand for the columns of the example's table
            of_columns = [one.slot for one in self.entry.replacements if one.kind in COLUMN_KINDS]
            self.values.said += [self.slots[slot] for slot in of_columns if slot in self.slots]
        own = bool(self.tables) or any(entry.kind in VARIABLE_KINDS for n, entry in numbered if n in self.chosen)
        return Binding(
            chosen=self.chosen,
            given=tuple(self.given),
            notes=(*self.notes, *self.values.notes),
            own_data=own,
            files=frozenset(
                (*(one[0] for text in self.texts for one in literals.FILE.finditer(text)), *self.values.here)
            ),
            misfits=self.misfits + self.values.misfits,
            tables=self.equal if self.tables else (),
            open=tuple(self.open) if self.tables else (),
            which=self.values.here if len(self.values.here) > 1 else (),
            said=tuple(self.values.said),
        )

    def _is_needed(self, replacement: Replacement) -> bool:
        """True if nobody asks for the recipe without naming this: the book's own value would change the user's data."""
        asked = all(f"{{{replacement.slot}}}" in phrasing for phrasing in self.entry.phrasings)
        return asked and replacement.kind in ("number", "text", "value")

    # -- variables

    def _choose_variables(self, wanted: Sequence[tuple[int, Replacement]]) -> None:
        taken: set[str] = set()
        for number, replacement in wanted:
            candidates = [
                one for one in self.namespace.of_kind(replacement.kind) if one.name not in taken and not one.polars
            ]
            variable = self._variable(replacement, candidates)
            if variable is None:
                self._take_literal(number, replacement)
                continue
            taken.add(variable.name)
            self.chosen[number] = variable.name
            if replacement.kind == "DataFrame":
                self.tables.append(variable)
        tables = [number for number, replacement in wanted if replacement.kind == "DataFrame"]
        if len(tables) > 1:
            self.equal = ()
            if not all(number in self.chosen for number in tables):
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
            said = {word_forms.canonical(word) for text in self.texts for word in word_forms.split(text)} & _OWNERSHIP
            return candidates[0] if len(candidates) == 1 and said else None
        return self._likeliest(candidates)

    def _likeliest(self, candidates: Sequence[Variable]) -> Variable | None:
        """The table with most of the columns that are mentioned; those that have as many are kept as equals."""
        whole = [
            one for one in candidates if one.name not in self.namespace.fleeting and not _LEFTOVER.search(one.name)
        ]
        counted = [(len(self._mentioned_columns(one)), one) for one in whole or candidates]
        most = max((count for count, _ in counted), default=0)
        best = [one for count, one in counted if count == most]
        self.equal = tuple(one.name for one in best) if len(best) > 1 else ()
        return best[0] if best else None

    # -- columns

    def _mentioned_in(self, text: str, *tables: Variable) -> list[Column]:
        """The columns that ``text`` mentions, in the order of their mention. "orders" is no ``order_id`` where the table is named so."""
        stems = [word_forms.stem(word) for word in word_forms.split(text)]
        found: list[tuple[int, bool, Column]] = []
        for table, column in ((one, column) for one in tables or self.tables for column in one.columns):
            place = columns.place(column.name, stems)
            if place is not None and (place[1] or stems[place[0]] not in columns.plain(table.name).split()):
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
        takes_many = any(one.kind in (*COLUMN_LISTS, "new column") for one in self.entry.replacements)
        if wanted and not available:
            return False
        taken: list[Column] = []
        left = self._by_word(wanted, available, taken)
        free = [column for column in self._mentioned_columns() if column not in taken and column in available]
        for number, replacement in list(left):
            fitting = [column for column in free if self._fits(column, replacement.kind)]
            if fitting:
                free.remove(fitting[0])
                left.remove((number, replacement))
                self._take(number, replacement, fitting[0], taken)
        free = [column for column in free if self._is_named(column)]
        for number, replacement in left:
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
        likely = columns.likeliest(replacement.kind, [one for one in available if one not in taken])
        if len(likely) > 1:
            self.open.append((replacement.kind, tuple(one.name for one in likely)))
        if not likely:
            names = " and ".join(f"`{table.name}`" for table in self.tables)
            kind = replacement.kind.removesuffix(" column")
            self.notes.append(f"{names} has no {kind} column that fits, so this uses the book's example data.")
        return likely[0] if likely else None

    def _fits(self, column: Column, kind: str, fits: Callable[[Column, str], bool] = columns.fits) -> bool:
        """True if a mentioned column can be of a kind. "customers over 30" are no ``customer_id``."""
        counts = kind != "number column" or not columns.is_identifier(column) or self._is_named(column)
        return counts and fits(column, kind)

    def _is_named(self, column: Column) -> bool:
        """True if something said has the column's whole name, not only a part of it."""
        places = [
            columns.place(column.name, [word_forms.stem(word) for word in word_forms.split(text)])
            for text in self.texts
        ]
        return any(place is not None and place[1] for place in places)

    def _wished_columns(self, wanted: Sequence[tuple[int, Replacement]]) -> dict[int, Column]:
        """The columns that later instructions name, each for the declaration that they name too (the y axis) or the first it fits."""
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
        self.misfits += not columns.may_be(column, replacement.kind)

    def _slot_column(self, replacement: Replacement, available: Sequence[Column]) -> Column | None:
        text = self.slots.get(replacement.slot, "").strip("`'\"“”")
        if not text:
            return None
        column = columns.nearest(text, available)
        fitting = column is not None and self._fits(column, replacement.kind, columns.may_be)
        if column is not None and not fitting:
            hinted = [
                one for one in self._mentioned_columns() if one in available and self._fits(one, replacement.kind)
            ]
            return hinted[0] if hinted else column if self._is_named(column) else None
        return column

    # -- everything else

    def _value(self, replacement: Replacement) -> str | None:
        kind = replacement.kind
        if kind in VARIABLE_KINDS or kind in COLUMN_KINDS:
            return None
        if kind in NAME_KINDS:
            return self.values.name(kind)
        if kind == "one of":
            return self.values.choice(replacement)
        if kind in COLUMN_LISTS:
            named = self._mentioned_columns(self.tables[0]) if self.tables else []
            if kind == "number columns":
                named = [one for one in named if one.kind == "number"] or (
                    columns.likeliest("number column", self.tables[0].columns) if self.tables else []
                )
            return "[" + ", ".join(column.source for column in named) + "]" if named else None
        if kind in ("file", "new file"):
            return self.values.file(replacement)
        if kind == "number":
            return self.values.number(replacement)
        chosen = set(self.chosen.values())
        columns_ = [column for table in self.tables for column in table.columns if column.source in chosen]
        return self.values.text(replacement, columns_)


def _mentions(text: str, name: str) -> bool:
    """True if the text has the name; one of the ``scores`` is a score."""
    flags = re.IGNORECASE if len(name) > 2 else 0
    plural = "s?" if len(name) > 3 and name.endswith("s") and not name.endswith("ss") else ""
    pattern = re.escape(name[:-1] if plural else name) + plural
    return bool(re.search(rf"(?<![\w.]){pattern}(?!\w)", text, flags))
