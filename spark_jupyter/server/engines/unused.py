"""What a prompt names and an answer does not use: numbers, dates, texts, files, columns, variables. It is said. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns, literals, marks, words
from spark_jupyter.server.engines.query import lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_jupyter.server.engines.book import Entry
    from spark_jupyter.server.engines.namespace import Namespace

_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b")
_WHOLE_NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?:\s*(%|percent)|(?=\s|[,;:)!?]|\.?$))")
_NOTHING_ABOUT = re.compile(r"I did nothing about (“.*”): please check\.$")
_ORDINARY = 3
"""A variable whose name is shorter is only meant where it is no word of English: ``A``, not ``a``."""


def unused(prompt: str, code: str, namespace: Namespace) -> list[str]:
    """What the prompt names and the code has nothing of, in the order of the prompt."""
    plain = marks.QUOTED.sub(" ", marks.FILE.sub(" ", _DATE.sub(" ", prompt)))
    names = [name for name in _names(plain, namespace) if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code)]
    return sorted(dict.fromkeys([*values(prompt, code), *names]), key=prompt.find)


def columns_unused(prompt: str, code: str, namespace: Namespace) -> list[str]:
    """The columns of the user's tables that the prompt names and the code has nothing of."""
    plain = marks.QUOTED.sub(" ", marks.FILE.sub(" ", prompt))
    own = {column.name for table in namespace.of_kind("DataFrame") for column in table.columns}
    return [
        name
        for name in _names(plain, namespace)
        if name in own and not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code)
    ]


def quoted_names(code: str, namespace: Namespace) -> list[str]:
    """The user's lists and texts of which the code has the name in quotes, and not the variable."""
    columns_ = {column.name for table in namespace.of_kind("DataFrame") for column in table.columns}
    held = [
        one.name
        for one in namespace.variables
        if one.type in ("list", "tuple", "str", "dict", "set") and one.name not in columns_
    ]
    return [
        name
        for name in held
        if re.search(rf"\(([\"']){re.escape(name)}\1\)", code)
        and not re.search(rf"(?<![\w.\"']){re.escape(name)}(?![\w\"'])", code)
    ]


def given(prompt: str, code: str) -> list[str]:
    """Files and texts in quotes of the prompt of which the code has nothing."""
    files = [one[0] for one in marks.FILE.finditer(prompt) if one[0] not in code]
    return [*files, *(one for one in literals.quoted_texts(prompt) if one not in code)]


def values(prompt: str, code: str) -> list[str]:
    """Dates, files, texts in quotes and numbers of the prompt of which the code has nothing."""
    plain = marks.QUOTED.sub(" ", marks.FILE.sub(" ", _DATE.sub(" ", prompt)))
    return [
        *(one for one in _DATE.findall(prompt) if not _has_date(one, code)),
        *given(prompt, code),
        *(number for number, _ in _WHOLE_NUMBER.findall(plain) if not _has_number(number, code)),
    ]


def doubt(prompt: str, code: str, namespace: Namespace) -> str:
    """The sentence about it; empty where all is used."""
    left = unused(prompt, code, namespace)
    return not_used(left) if left else ""


def not_used(named: Iterable[str]) -> str:
    """The sentence about what was named and is not used."""
    return f"Not used of what you named: {', '.join(f'`{one}`' for one in named)}. Please check."


def nothing_about(left: Iterable[str]) -> str:
    """The sentence about words that nothing is made of."""
    return f"I did nothing about {', '.join(f'“{word}”' for word in dict.fromkeys(left))}: please check."


def words_left(sentence: str) -> list[str] | None:
    """The words that such a sentence is about; None where it is another one."""
    said = _NOTHING_ABOUT.match(sentence)
    return re.findall(r"“([^”]+)”", said[1]) if said else None


def unknown(prompt: str, entry: Entry, namespace: Namespace) -> str:
    """The sentence about words of the prompt that nothing in a recipe has and that are not the user's own names; empty where there
    are none, or where they say nothing."""
    texts = [entry.title, entry.notes, *entry.phrasings, *(cell.source for cell in entry.cells)]
    for variant in entry.variants:
        texts += [variant.title, *variant.phrases, *(cell.source for cell in (*variant.cells, *variant.added))]
    own = [name for one in namespace.variables for name in (one.name, *(column.name for column in one.columns))]
    known = {words.canonical(word) for word in words.split(" ".join((*texts, *own)))}
    plain = marks.QUOTED.sub(" ", marks.FILE.sub(" ", prompt))
    left = [
        word
        for word in words.split(plain)
        if word.isalpha()
        and len(word) > 2
        and not words.is_stop(word)
        and word not in lexicon.NOISE
        and words.canonical(word) not in known
        and words.corrected(words.canonical(word), known) is None
    ]
    return nothing_about(left) if left else ""


def _names(prompt: str, namespace: Namespace) -> list[str]:
    """The user's columns and variables that the prompt names whole."""
    said = [words.stem(word) for word in words.split(prompt)]
    found = [
        variable.name
        for variable in namespace.variables
        if variable.type not in ("module", "function", "type")
        and re.search(rf"(?<![\w.]){re.escape(variable.name)}(?!\w)", prompt)
        and (len(variable.name) >= _ORDINARY or variable.name[0].isupper())
    ]
    for variable in namespace.of_kind("DataFrame"):
        places = ((column.name, columns.place(column.name, said)) for column in variable.columns)
        found += [name for name, place in places if place is not None and place[1]]
    return found


def _has_number(number: str, code: str) -> bool:
    """Whether the code has the number, or the part of one that a percentage is."""
    value = float(number)
    forms = {f"{value:g}", number, f"{value / 100:g}", f"{1 - value / 100:g}", f"{value:.1f}"}
    return any(re.search(rf"(?<![\w.]){re.escape(form)}(?![\w.]\d)(?!\d)", code) for form in forms)


def _has_date(date: str, code: str) -> bool:
    """Whether the code has the date, as it is or as its numbers."""
    parts = [part.lstrip("0") for part in re.split(r"[-.]", date)]
    return (
        date in code
        or re.search(r"\D+".join(parts), code) is not None
        or re.search(r"\D+".join(parts[::-1]), code) is not None
    )
