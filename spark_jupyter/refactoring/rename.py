"""Rename a variable, function, class or import of a notebook or cell."""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.refactoring.changes import Changes, changed
from spark_jupyter.refactoring.notebook_code import Book, Leaf, as_word
from spark_jupyter.refactoring.scopes import Use
from spark_jupyter.source.splices import Splice


def rename(cells: Sequence[NotebookCell], old: str, new: str) -> Changes:
    """Rename the notebook's variable ``old`` to ``new`` in all of its cells.

    Raises :class:`~spark_jupyter.exceptions.RefactoringError` where no cell binds it, or it would become another one's name."""
    book = Book(cells)
    if old == new:
        raise RefactoringError(f"It is called `{new}` already.")
    if old not in book.bound:
        raise RefactoringError(
            f"No cell makes a `{old}`.", remedy="Name a variable, function or import of this notebook."
        )
    book.check_new(new)
    splices = {leaf.id: renamed(leaf, old, new) for leaf in book.leaves}
    return Changes(
        words=f"Renamed `{old}` to `{new}`",
        sources=changed(cells, splices),
        notes=book.left(old),
        offers=rewording(cells, old, new),
    )


def rewording(cells: Sequence[NotebookCell], old: str, new: str) -> tuple[str, ...]:
    """Prompts that replace ``old`` by ``new`` in the Markdown cells, if they mention it."""
    told = any(cell.cell_type == "markdown" and as_word(old).search(cell.source) for cell in cells)
    names = old.isidentifier() and new.isidentifier()
    return (f"write {new} for {old} in the text cells",) if told and names else ()


def renamed(leaf: Leaf, old: str, new: str) -> list[Splice]:
    """The splices that rename a variable of the notebook in one cell.
    Raises :class:`~spark_jupyter.exceptions.RefactoringError` where a use would mean another variable then."""
    hidden = leaf.names.hidden_by(old, new)
    if hidden is not None:
        line = leaf.page.line_of(hidden.place.start)
        raise RefactoringError(
            f"Line {line} of a cell uses `{old}` where `{new}` is a name of its own.", remedy="Choose another name."
        )
    return [_splice(leaf, use, new) for use in leaf.names.of(old)]


def reword(cells: Sequence[NotebookCell], old: str, new: str) -> Changes:
    """Replace the word ``old`` by ``new`` in the Markdown cells."""
    word = as_word(old)
    sources = {
        cell.id: word.sub(lambda _: new, cell.source)
        for cell in cells
        if cell.cell_type == "markdown" and word.search(cell.source)
    }
    if not sources:
        raise RefactoringError(f"No text cell says `{old}`.")
    return Changes(words=f"The text says `{new}` for `{old}`", sources=sources)


def _splice(leaf: Leaf, use: Use, new: str) -> Splice:
    place = use.place
    if use.imported is None:
        return Splice(place.start, place.end, new)
    alias = leaf.page.source[use.imported.start : use.imported.end]
    if place.end == use.imported.end and place.start > use.imported.start:  # as old
        plain = alias.split()[0] == new
        return Splice(use.imported.start if plain else place.start, place.end, new)
    if "." in alias:
        raise RefactoringError(
            f"`import {alias}` can't give `{use.name}` another name.", remedy=f"Write `import {alias} as …` first."
        )
    return Splice(use.imported.end, use.imported.end, f" as {new}")
