"""Check that a recipe's answer covers the whole prompt.

Every content word of the prompt must be a word of the recipe's phrasings, stand for something that was put into its code, or be
politeness; and whatever the prompt names exactly (a file, a text in quotes, a number, a variable, a column) must be in the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from spark_jupyter.server.engines import columns, literals, scope, word_forms
from spark_jupyter.server.engines.binding import Binding
from spark_jupyter.server.engines.book import Entry, Variant, without_magics
from spark_jupyter.server.engines.composition import EXAMPLE
from spark_jupyter.server.engines.matching import Query, phrasing_words
from spark_jupyter.server.engines.namespace import Namespace

_NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?:\s*(?:%|percent)|(?=\s|[,;:)!?]|\.?$))")
_SPELT = re.compile(r"\b[A-Za-z]\w*_\w+\b")
"""A name that is spelt as in code."""
_FORMULA = re.compile(r"(?<=[\w)\s])(?:\*\*|[=+*/^<>]=?|(?<=\s)-(?=\s))\s*[\w(]+")
"""An operator and what it is applied to."""
_FUNCTION = re.compile(r"\bfunction\s+(?:to|that|which|for|called|named)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(r"\W*(?:(?:and|now|then)\s+)?\w+\s+(?:it|that|them|those|these)\b", re.IGNORECASE)
_MODULES = ("module", "type")
_ENGLISH = frozenset(["a", "i", "is", "it", "in", "as", "to", "of", "or", "so", "no", "do"])
"""No names of variables as they stand: ``A`` is one."""


class Given(Struct, frozen=True, kw_only=True):
    """An answer from a recipe as far as coverage is concerned: ``code`` is all of its cells, ``made_up`` those with example data."""

    entry: Entry
    variant: Variant | None
    binding: Binding
    code: str
    made_up: str


def left_out(prompt: str, query: Query, given: Given, namespace: Namespace) -> tuple[str, ...]:
    """The parts of the prompt that the answer does nothing about; empty where it covers all of it."""
    words = (*_strange_words(query, given), *_other_things(query, given))
    return (*words, *_function(prompt, given), *_exact(prompt, given, namespace))


def _strange_words(query: Query, given: Given) -> Iterator[str]:
    known = _known(given.entry, given.variant, given.binding) | word_forms.FILLER
    put_in = {word_forms.stem(part) for value in _values(given) for part in word_forms.split(value)}
    put_in |= {word_forms.canonical(word) for word in put_in}
    for word in dict.fromkeys(query.required):
        imported = word in word_forms.LIBRARIES and _has_name(word, given.code)
        if not (word in known or word in put_in or imported):
            yield word


def _function(prompt: str, given: Given) -> Iterator[str]:
    """A function that the prompt asks for, where the code defines none; "sort that", where that would be example data."""
    if EXAMPLE in given.code and (meant := _POINTS_BACK.match(prompt)):
        yield meant[0]
    if (asked := _FUNCTION.search(prompt)) and "def " not in given.code:
        yield asked[0]


def _other_things(query: Query, given: Given) -> Iterator[str]:
    """Lists, texts … that the prompt names where the recipe is for a table and would make one up."""
    tabular = any(one.kind == "DataFrame" for one in given.entry.replacements) and not given.binding.own_data
    if tabular and not {*query.required, *query.optional} & word_forms.TABULAR:
        yield from (word for word in query.required if word in word_forms.PLAIN_THINGS)


def _values(given: Given) -> Iterator[str]:
    """The values that were put into the code, without names of files."""
    for number, value in given.binding.chosen.items():
        if given.entry.replacements[number].kind not in ("file", "new file"):
            yield value
    yield from (source for _, source in given.binding.given)
    yield from given.binding.said


def _known(entry: Entry, variant: Variant | None, binding: Binding) -> set[str]:
    """The canonical words of the entry's phrasings, of the variant and of the choices that were taken."""
    texts = [entry.title, *entry.phrasings, *((variant.title, *variant.phrases) if variant else ())]
    for number, replacement in enumerate(entry.replacements):
        texts += [*replacement.labels, replacement.slot, replacement.kind]
        taken = binding.chosen.get(number, replacement.token)
        texts += [text for one in replacement.choices if one.value == taken for text in (one.value, *one.words)]
    return {word for text in texts for word in phrasing_words(text)}


def _exact(prompt: str, given: Given, namespace: Namespace) -> Iterator[str]:
    """Names, numbers, dates and formulas of the prompt that the code does not have."""
    code = given.code
    known = {word_forms.canonical(word) for text in given.entry.phrasings for word in word_forms.split(text)}
    plain = literals.QUOTED.sub(" ", literals.FILE.sub(" ", literals.DATE.sub(" ", prompt)))
    yield from (one for one in literals.DATE.findall(prompt) if not _has_date(one, code))
    yield from (one[0] for one in literals.FILE.finditer(prompt) if one[0] not in code)
    yield from (one for one in literals.quoted_texts(prompt) if one not in code)
    phrased = f"{code.removeprefix(given.made_up)} {' '.join(given.entry.phrasings)}"
    yield from (one for one in _NUMBER.findall(literals.displays_out(plain)) if not _has_number(one, phrased))
    read = scope.names(without_magics(code)).needed
    yield from (one for one in _variables(plain, namespace, plural=EXAMPLE in code) if one not in read)
    yield from (one for one in _SPELT.findall(plain) if not _has_name(one, code))
    formulas, bare = _FORMULA.findall(literals.displays_out(plain)), "".join(code.split())
    yield from (one for one in formulas if "".join(one.split()) not in bare)
    for name in _columns(plain, namespace):
        ordinary = EXAMPLE not in code and {word_forms.canonical(word) for word in word_forms.split(name)} <= known
        if EXAMPLE in code and name in {value.strip('"') for value in _values(given)}:
            yield name  # the user's column, as a text in data that is made up
        elif not ordinary and not _has_name(name, code) and columns.plain(name) not in map(columns.plain, read):
            yield name


def _variables(prompt: str, namespace: Namespace, *, plural: bool) -> Sequence[str]:
    """The user's variables that the prompt names; with ``plural`` a table also by the word for one of its rows."""
    named = []
    for one in namespace.variables:
        row = "?" if plural and one.type == "DataFrame" and re.search(r"\w{4}s$", one.name) else ""
        is_meant = one.type not in _MODULES and one.name not in _ENGLISH
        if is_meant and re.search(rf"(?<![\w.]){re.escape(one.name)}{row}(?!\w)", prompt):
            named.append(one.name)
    return named


def _columns(prompt: str, namespace: Namespace) -> list[str]:
    """The columns of the user's tables that the prompt names whole."""
    said = [word_forms.stem(word) for word in word_forms.split(prompt)]
    named = {column.name: columns.place(column.name, said) for one in namespace.variables for column in one.columns}
    return [name for name, place in named.items() if place is not None and place[1] and len(name) > 1]


def _has_name(name: str, code: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code) is not None


def _has_number(number: str, text: str) -> bool:
    """True if a text has the number, or the fraction of 1 that a percentage is."""
    value = float(number)
    parts = {f"{value / 100:g}", f"{1 - value / 100:g}"} if 1 < value < 100 else set()
    forms = {f"{value:g}", number, f"{value:.1f}"} | parts
    return any(re.search(rf"(?<![\w.]){re.escape(form)}(?![\w.]\d)(?!\d)", text) for form in forms)


def _has_date(date: str, code: str) -> bool:
    """True if the code has the date, as it is or as its numbers."""
    parts = [part.lstrip("0") for part in re.split(r"[-./]", date)]
    spelt = (r"\D+".join(parts), r"\D+".join(parts[::-1]))
    return date in code or any(re.search(one, code) for one in spelt)
