"""Difference of an edited cell, statement by statement."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

import libcst as cst
from msgspec import Struct

from spark_jupyter.refactoring.cell_tree import Page, Place

_TOKEN = re.compile(r"\w+|\"[^\"\n]*\"|'[^'\n]*'|[^\w\s]")
_COMMENT = re.compile(r"#[^\n]*")


class Pair(Struct, frozen=True):
    """A statement before and after an edit."""

    before: cst.BaseStatement
    after: cst.BaseStatement


class Swap(Struct, frozen=True):
    """Replacement of one token, a name or a string, with its place in the cell before and after."""

    old: str
    new: str
    before: Place
    after: Place


class Difference(Struct, frozen=True):
    """``changed``: statements that became others; ``added``: those that came. ``swaps`` are the tokens in which changed statements
    differ, where they differ in names and strings only."""

    changed: tuple[Pair, ...]
    added: tuple[cst.BaseStatement, ...]
    swaps: tuple[Swap, ...]


def difference(before: Page, after: Page) -> Difference:
    """Compare two versions of a cell, its statements aligned by their text."""
    old = [before.text(statement) for statement in before.statements]
    new = [after.text(statement) for statement in after.statements]
    changed: list[Pair] = []
    added: list[cst.BaseStatement] = []
    for tag, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "replace" and end - start == last - first:
            pairs = zip(before.statements[start:end], after.statements[first:last], strict=True)
            changed += [Pair(one, other) for one, other in pairs]
        elif tag != "equal":
            changed += _likest(before, after, range(start, end), range(first, last))
            taken = {id(pair.after) for pair in changed}
            added += [one for one in after.statements[first:last] if id(one) not in taken]
    swaps = [swap for pair in changed for swap in _swaps(before, after, pair)]
    return Difference(tuple(changed), tuple(added), tuple(swaps))


def _likest(before: Page, after: Page, old: range, new: range) -> Iterator[Pair]:
    """Pair statements whose number has changed and that differ only in names and strings, each once."""
    left = list(new)
    for index in old:
        pairs = [Pair(before.statements[index], after.statements[other]) for other in left]
        found = next((pair for pair in pairs if any(_swaps(before, after, pair))), None)
        if found is not None:
            left.remove(after.statements.index(found.after))
            yield found


def _swaps(before: Page, after: Page, pair: Pair) -> list[Swap]:
    """Tokens that differ; none if the statements differ otherwise."""
    old, new = _tokens(before, pair.before), _tokens(after, pair.after)
    if len(old) != len(new):
        return []
    swaps = [
        Swap(one[0], other[0], one[1], other[1]) for one, other in zip(old, new, strict=True) if one[0] != other[0]
    ]
    return swaps if all(_kind(swap.old) == _kind(swap.new) != "other" for swap in swaps) else []


def _tokens(page: Page, statement: cst.BaseStatement) -> list[tuple[str, Place]]:
    place = page.place(statement)
    text = _COMMENT.sub(lambda found: " " * len(found[0]), page.source[place.start : place.end])
    return [
        (found[0], Place(place.start + found.start(), place.start + found.end())) for found in _TOKEN.finditer(text)
    ]


def _kind(token: str) -> str:
    if token[0] in "\"'":
        return "string"
    return "name" if token.isidentifier() else "other"
