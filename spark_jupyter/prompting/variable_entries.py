"""Variables in a request, written as changes since the last one.

An entry is ``name: summary``, with an indented line for each column of a table. An entry that a model knows is left out, and of a new one
only what it does not know is told: ``a, b: int`` are two neighbours alike, ``…, other columns as before`` is a table of which the other
columns did not change, ``as in df: x, y`` are columns just as another table has them. :func:`shortened` writes that, and
:func:`expanded` reads it back; what would not be read back exactly is told in full.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

PROMPT_WORDS = "words of the request in "
"""Begins a line on the prompt's words, which is for one request and no entry."""
_REST = ", other columns as before"
_AS_IN = "  as in "
_LABEL = re.compile(r"""  ("(?:[^"\\]|\\.)*"|\((?:[^()"']|"[^"]*"|'[^']*')*\)|[^\s,]+) """)
_LISTED = re.compile(r"""(?:^|, )("(?:[^"\\]|\\.)*"|\((?:[^()"']|"[^"]*"|'[^']*')*\)|[^\s,]+)""")
_SHORTEST = 2
"""Columns that are alike in another table, at least, to be told as those."""


def entries(text: str) -> dict[str, str]:
    """The entries of a section by their names: each begins with a line without indentation, ``name: …``."""
    found: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        if line[:1].isspace() and name:
            found[name] += f"\n{line}"
        elif line.strip() and not line.startswith(PROMPT_WORDS):
            name = line.partition(":")[0]
            found[name] = line
    return found


def shortened(new: Mapping[str, str], known: Mapping[str, str]) -> str:
    """The text of the entries that are new or changed, each shortened by its ``known`` parts."""
    told = dict(known)
    lines: list[str] = []
    for name, text in new.items():
        if told.get(name) == text:
            continue
        tables = {one: told[one] for one in new if one != name and told.get(one) == new[one]}
        shorter = [short for short in _shorter(text, told.get(name, ""), tables) if _whole(short, name, told) == text]
        lines.append(min((text, *shorter), key=len))
        told[name] = text
    return "\n".join(_neighbours(lines))


def expanded(text: str, known: Mapping[str, str]) -> dict[str, str]:
    """The entries of such a text in full, by their names. ``known`` are those told before."""
    told, found = dict(known), {}
    for names, entry in entries(text).items():
        for name in names.split(", "):
            alone = name + entry.removeprefix(names)
            told[name] = found[name] = _whole(alone, name, told)
    return found


def _whole(short: str, name: str, told: Mapping[str, str]) -> str:
    head, *columns = short.split("\n")
    columns = [line for column in columns for line in _referred(column, told)]
    if head.endswith(_REST):
        head = head.removesuffix(_REST)
        by_label = {**_columns(told.get(name, "")), **{_label(line): line for line in columns}}
        columns = list(by_label.values())
    return "\n".join([head, *columns])


def _shorter(text: str, before: str, tables: Mapping[str, str]) -> Iterator[str]:
    """Shorter texts of a table's entry, which may or may not be read back as it is."""
    head, *columns = text.split("\n")
    known = set(before.split("\n")[1:])
    if changed := [line for line in columns if line not in known]:
        yield "\n".join([head + _REST, *changed])
    elif columns:
        yield head + _REST
    for name, table in tables.items():
        theirs = table.split("\n")[1:]
        if columns and columns == theirs:
            yield f"{head}\n{_AS_IN}{name}"
        elif len(shared := set(columns) & set(theirs)) >= _SHORTEST:
            yield "\n".join([head, *_alike(columns, name, shared)])


def _alike(columns: Sequence[str], name: str, shared: set[str]) -> Iterator[str]:
    for alike, group in groupby(columns, key=lambda line: line in shared):
        run = list(group)
        if alike and len(run) >= _SHORTEST:
            yield f"{_AS_IN}{name}: {', '.join(map(_label, run))}"
        else:
            yield from run


def _referred(column: str, told: Mapping[str, str]) -> list[str]:
    """The lines for which one stands."""
    if not column.startswith(_AS_IN):
        return [column]
    name, listed, labels = column.removeprefix(_AS_IN).partition(": ")
    theirs = _columns(told.get(name, ""))
    wanted = _LISTED.findall(labels) if listed else theirs
    return [theirs[label] for label in wanted if label in theirs]


def _columns(entry: str) -> dict[str, str]:
    return {_label(line): line for line in entry.split("\n")[1:]}


def _label(line: str) -> str:
    found = _LABEL.match(line)
    return found[1] if found else line


def _neighbours(lines: Sequence[str]) -> Iterator[str]:
    """The entries, with neighbours that say the same in one line."""
    for said, group in groupby(lines, key=lambda line: line.partition(": ")[2] if "\n" not in line else ""):
        run = list(group)
        names = [line.partition(": ")[0] for line in run]
        if said and len(run) > 1 and all(map(str.isidentifier, names)):
            yield f"{', '.join(names)}: {said}"
        else:
            yield from run
