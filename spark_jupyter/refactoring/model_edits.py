"""Next edits by a model, where syntax trees say nothing.

It is asked only where the edit put a variable or a text in the place of others which still stand in other cells and which nothing binds any
more; of what it says only changes of such lines are offered, and only where they say the new one. So an edit that only adds or deletes
something, changes a number or uses another variable is followed by nothing, whatever a model thinks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import NamedTuple

from spark_jupyter.protocol.next_edit_messages import Edited
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.providers.base import Message, ModelRequest, Priority
from spark_jupyter.redaction.placeholders import OURS
from spark_jupyter.refactoring.cell_tree import page
from spark_jupyter.refactoring.changes import Changes
from spark_jupyter.refactoring.notebook_code import Book
from spark_jupyter.refactoring.scopes import names
from spark_jupyter.source.invisible_text import first_unseen

WORDS = "follow that edit as the model suggests"
MOST_SHOWN = 8_000
"""Most characters of cells that go to the model."""
MOST_OUTPUT = 500
"""Most tokens of an answer."""
_MOST_LINES = 12
"""Most lines that change: more are no consequence of an edit."""
_LIKE = 0.3
"""Least similarity of a line before and after, from 0 to 1. Another line is another idea."""

_WORD = re.compile(r"[^\W\d]\w+")
_TEXT = re.compile(r"\"([^\"\n]{2,})\"|'([^'\n]{2,})'")
_BLOCK = re.compile(r"(?m)^@@ *(?P<number>[0-9]{1,6})[^\n]*\n(?P<lines>(?:[-+][^\n]*\n?)+)")

_INSTRUCTIONS = """\
The user has just edited a cell of a Jupyter notebook. Which other lines must now change, so that they still mean what they meant?
Most edits need nothing more: then answer NOTHING. Else answer with those lines only, each as it stands and as it must be, below the
number of its cell:

@@ 3
-total = count_rows(df)
+total = count_rows(sales)

Change no more of a line than the edit asks for. Improve nothing, add nothing, explain nothing.
"""


class Said(NamedTuple):
    """Names and texts of a cell that other cells may repeat: the variables that it binds, and texts that are no single word (files,
    formats, queries). What is one word may be a column, of which the syntax trees know more."""

    names: frozenset[str]
    texts: frozenset[str]

    def without(self, other: Said) -> Said:
        """Subtract the names and texts of another cell."""
        return Said(self.names - other.names, self.texts - other.texts)

    def stands_in(self, source: str) -> bool:
        """True if some of them occur in this code."""
        code = _TEXT.sub("''", source)
        return not self.names.isdisjoint(_WORD.findall(code)) or not self.texts.isdisjoint(_texts(source))


def said_in(source: str) -> Said:
    """Collect the names and texts that a cell shares with others."""
    return Said(names(source).bound, _texts(source))


def _texts(source: str) -> frozenset[str]:
    texts = (one or other for one, other in _TEXT.findall(source))
    return frozenset(text for text in texts if not text.isidentifier())


class Exchanged(NamedTuple):
    """Names and texts that an edit removed from the notebook, and those that it added."""

    gone: Said
    come: Said


def exchanged(edited: Edited, cells: Sequence[NotebookCell]) -> Exchanged:
    """Compare the names and texts before and after an edit."""
    now = next(cell.source for cell in cells if cell.id == edited.cell_id)
    before, after = said_in(edited.before), said_in(now)
    gone = before.without(after)
    return Exchanged(gone._replace(names=gone.names - Book(cells).bound), after.without(before))


class Question(NamedTuple):
    """Question to the model about an exchange, and the cells that it is shown, by their numbers."""

    text: str
    cells: Mapping[int, NotebookCell]
    about: Exchanged


def question(cells: Sequence[NotebookCell], edited: Edited) -> Question | None:
    """Make the question about an edit; None if no other cell repeats what it removed."""
    now = next((cell for cell in cells if cell.id == edited.cell_id), None)
    if now is None or page(now.source).tree is None or page(edited.before).tree is None:
        return None
    about = exchanged(edited, cells)
    if not any(about.come):
        return None
    shown: dict[int, NotebookCell] = {}
    room = MOST_SHOWN - len(edited.before)
    for number, cell in enumerate(cells, 1):
        if cell.id != now.id and cell.cell_type == "code" and about.gone.stands_in(cell.source):
            room -= len(cell.source)
            if room < 0:
                break
            shown[number] = cell
    if not shown:
        return None
    edit = unified_diff(edited.before.split("\n"), now.source.split("\n"), lineterm="", n=2)
    parts = ["## The edit", *list(edit)[2:], "", "## The cells that name something of what it took away"]
    for number, cell in shown.items():
        parts += [f"@@ {number}", cell.source, ""]
    return Question("\n".join(parts), shown, about)


def request(asked: Question, *, model: str) -> ModelRequest:
    return ModelRequest(
        model=model,
        instructions=_INSTRUCTIONS,
        input=(Message("user", asked.text),),
        max_output_tokens=MOST_OUTPUT,
        effort="low",
        priority=Priority.OFFER,
    )


def parsed_changes(said: str, asked: Question) -> Changes | None:
    """Parse the model's answer: None if any part of it can't be found, is unrelated to the edit, or does not parse."""
    if OURS in said:
        return None  # a secret that the model does not know
    gone, come = asked.about
    sources: dict[CellId, str] = {}
    lines = 0
    for number, swaps in _blocks(said):
        cell = asked.cells.get(number)
        if cell is None:
            return None
        source = sources.get(cell.id, cell.source)
        for old, new in swaps:
            lines += 1
            changed = _swapped(source, old, new)
            follows = gone.stands_in(old) and come.stands_in(new) and _is_like(old, new)
            if changed is None or not follows or first_unseen(new) < len(new):
                return None
            source = changed
        if page(source).tree is None:
            return None
        sources[cell.id] = source
    return Changes(words=WORDS, sources=sources, by_model=True) if sources and lines <= _MOST_LINES else None


def _blocks(said: str) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Parse numbers of cells with old and new lines."""
    for block in _BLOCK.finditer(f"{said}\n"):
        lines = block["lines"].removesuffix("\n").split("\n")
        old = [line[1:] for line in lines if line[0] == "-"]
        new = [line[1:] for line in lines if line[0] == "+"]
        if len(old) == len(new):
            yield int(block["number"]), list(zip(old, new, strict=True))


def _swapped(source: str, old: str, new: str) -> str | None:
    """Replace a line; None if it is missing or ambiguous."""
    lines = source.split("\n")
    if lines.count(old) != 1 or old == new or not new.strip():
        return None
    return "\n".join(new if line == old else line for line in lines)


def _is_like(old: str, new: str) -> bool:
    """True if two lines share their indentation and enough of their words."""
    one, other = set(_WORD.findall(old)), set(_WORD.findall(new))
    same = len(one & other) / max(1, len(one | other))
    return same >= _LIKE and _indented(old) == _indented(new)


def _indented(line: str) -> int:
    return len(line) - len(line.lstrip())
