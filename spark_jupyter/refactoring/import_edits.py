"""Edits that follow a changed import.

``from math import sqrt`` ⇄ ``import math``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from spark_jupyter.protocol.values import CellId
from spark_jupyter.refactoring.cell_tree import Page
from spark_jupyter.refactoring.notebook_code import Book, Leaf
from spark_jupyter.source.splices import Splice


def imported(page: Page) -> dict[str, str]:
    """Names that a cell's imports bind, with their full names: ``np`` → ``numpy``, ``sqrt`` → ``math.sqrt``."""
    found: dict[str, str] = {}
    for statement in page.statements:
        for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(part, cst.Import):
                found |= _names(page, part.names, "")
            elif isinstance(part, cst.ImportFrom) and not isinstance(part.names, cst.ImportStar) and part.module:
                found |= _names(page, part.names, "." * len(part.relative) + page.text(part.module) + ".")
    return found


def _names(page: Page, names: Sequence[cst.ImportAlias], prefix: str) -> dict[str, str]:
    found = {}
    for alias in names:
        name = page.text(alias.name)
        if alias.asname is not None:
            found[page.text(alias.asname.name)] = prefix + name
        elif prefix or "." not in name:
            found[name] = prefix + name
    return found


def follow_import(book: Book, before: Mapping[str, str], after: Mapping[str, str]) -> dict[CellId, list[Splice]]:
    """Splices of the uses of names that are no longer imported but available by a new name."""
    gone = {name: what for name, what in before.items() if name not in after and name not in book.bound}
    fresh = {what: name for name, what in after.items() if name not in before}
    splices: dict[CellId, list[Splice]] = {}
    for name, what in gone.items():
        module, _, last = what.rpartition(".")
        if what in fresh:
            to = fresh[what]
        elif module in fresh:
            to = f"{fresh[module]}.{last}"
        else:
            if any(one.startswith(f"{what}.") for one in fresh):
                _add(splices, _parts(book, name, what, fresh))
            continue
        for leaf, use in book.uses(name):
            if use.kind == "read":
                splices.setdefault(leaf.id, []).append(Splice(use.place.start, use.place.end, to))
    return splices


def _add(splices: dict[CellId, list[Splice]], more: dict[CellId, list[Splice]]) -> None:
    for cell_id, found in more.items():
        splices.setdefault(cell_id, []).extend(found)


def _parts(book: Book, name: str, what: str, fresh: Mapping[str, str]) -> dict[CellId, list[Splice]]:
    """``math.sqrt`` → ``sqrt``; nothing where a part is used that was not imported."""
    splices: dict[CellId, list[Splice]] = {}
    for leaf in book.leaves:
        for use in leaf.names.of(name):
            if use.kind != "read":
                return {}
            part = _attribute(leaf, use.place.end)
            if f"{what}.{part}" not in fresh:
                return {}
            splices.setdefault(leaf.id, []).append(
                Splice(use.place.start, use.place.end + 1 + len(part), fresh[f"{what}.{part}"])
            )
    return splices


def _attribute(leaf: Leaf, end: int) -> str:
    """Attribute directly behind a name."""
    rest = leaf.cell.source[end:]
    if not rest.startswith("."):
        return ""
    length = next((at for at, letter in enumerate(rest[1:]) if not (letter.isalnum() or letter == "_")), len(rest) - 1)
    return rest[1 : 1 + length]
