"""Answer to a refactoring prompt, without a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.prompting.conversation import Answer, Block, Note
from spark_jupyter.protocol.constants import REFUSAL
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.next_edit_messages import Edited
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.prompt_offers import offer
from spark_jupyter.protocol.values import CellId
from spark_jupyter.refactoring import intent
from spark_jupyter.refactoring.intent import (
    ExtractVariable,
    Inline,
    MakeFunction,
    MoveToModule,
    Refine,
    RenameColumn,
    RenameVariable,
    Reword,
    Wish,
)
from spark_jupyter.source.ipython_lines import asks_spark

if TYPE_CHECKING:
    from spark_jupyter.refactoring.changes import Changes

HISTORY = "There is no notebook here: Accept puts the changed inputs at the next prompt, to be run again."


def answer(
    prompt: Prompt, tables: Mapping[str, frozenset[str]], refined: Mapping[str, tuple[str, str]] | None = None
) -> Answer | None:
    """Answer a prompt by a refactoring; None if a model is to answer. ``tables`` are the kernel's, by their names, with their columns;
    ``refined`` are the better texts that are known of cells, with what they do.

    Raises :class:`~spark_jupyter.exceptions.RefactoringError` where a refactoring was asked for by name (``intent``) and can't be made. In
    words it may have meant something else, which a model may know, as long as none of it is of this notebook."""
    if prompt.follows is not None:
        return _next_edits(prompt, prompt.follows, tables)
    wish = intent.read(prompt.text) if prompt.intent in ("generate", "edit", "refactor") else None
    by_name = prompt.intent == "refactor"
    if wish is None:
        if by_name:
            raise RefactoringError("Unknown refactoring.", remedy="For example: %spark rename df sales")
        return None
    if not by_name and not _is_meant(wish, prompt):
        return None
    try:
        return told(_changes(wish, prompt, refined or {}), prompt)
    except RefactoringError as error:
        if by_name:
            raise
        return Answer((Note(f"{REFUSAL} {error.message} {error.remedy}".strip()),))


def _next_edits(prompt: Prompt, edited: Edited, tables: Mapping[str, frozenset[str]]) -> Answer:
    from spark_jupyter.refactoring.follow_up_edits import follow

    if edited.offered:
        return told(_as_offered(prompt, edited), prompt)
    changes = follow(prompt.cells, edited.cell_id, edited.before, known=tables)
    if changes is None:
        raise RefactoringError("Nothing is left to do after that edit.", remedy="The cells have changed since.")
    return told(changes, prompt)


def _as_offered(prompt: Prompt, edited: Edited) -> Changes:
    """Changes that a model had found, if the cells are still the same."""
    from spark_jupyter.refactoring.changes import Changes
    from spark_jupyter.refactoring.model_edits import WORDS

    hashes = {cell.id: content_hash(cell.source) for cell in prompt.cells}
    if any(hashes.get(one.cell_id) != one.source_hash for one in edited.offered):
        raise RefactoringError("What was offered is for cells that have changed since.")
    return Changes(words=WORDS, sources={one.cell_id: one.source for one in edited.offered})


def told(changes: Changes, prompt: Prompt) -> Answer:
    """Convert the changes to an answer: a sentence, an edit of each cell, the new cells, the mentions left as they are."""
    cells = {cell.id: cell for cell in prompt.cells}
    edits = [
        Block(
            cell_id=cell_id, source=source, kind="edit", cell_type=cells[cell_id].cell_type, base=cells[cell_id].source
        )
        for cell_id, source in changes.sources.items()
    ]
    new = [
        Block(cell_id=f"{prompt.turn_id}-{number}", source=one.source, after=one.after)
        for number, one in enumerate(changes.new, 1)
    ]
    count = f" in {len(edits)} cells" if len(edits) > 1 else ""
    notes = [f"{changes.words}{count}.", *changes.notes]
    if any(cell.id.startswith("in-") for cell in prompt.cells):
        notes.append(HISTORY)
    said = "\n\n".join([" ".join(notes[:1]), *notes[1:], *map(offer, changes.offers)])
    return Answer((Note(said), *new, *edits))


def _is_meant(wish: Wish, prompt: Prompt) -> bool:
    """True if a name in the request belongs to this notebook, and not, for instance, to a value of a table or a file."""
    from spark_jupyter.refactoring.notebook_code import Book
    from spark_jupyter.refactoring.rename_column import tables_with

    match wish:
        case RenameVariable(old=name) | Inline(name=name):
            return name in Book(prompt.cells).bound
        case RenameColumn(table=table, old=old, sure=sure):
            return sure and (table in Book(prompt.cells).bound if table else bool(tables_with(prompt.cells, old)))
        case MoveToModule(names=names):
            return set(names) <= Book(prompt.cells).bound
        case MakeFunction(cell=cell) | Refine(cell=cell):
            return cell is not None or bool(_here(prompt))
        case ExtractVariable(expression=expression):
            wanted = "".join(expression.split())
            return any(wanted in "".join(cell.source.split()) for cell in prompt.cells if cell.cell_type == "code")
        case Reword(old=old):
            return any(cell.cell_type == "markdown" and old in cell.source for cell in prompt.cells)


def _refine(wish: Refine, prompt: Prompt, refined: Mapping[str, tuple[str, str]]) -> Changes:
    """Use the version that was proven better in the background, else the result of a rule, which is proven when it is proposed."""
    from spark_jupyter.refactoring.changes import Changes
    from spark_jupyter.refactoring.vectorise import faster_versions

    cell_id = _cell(wish.cell, prompt)
    if cell_id in refined:
        source, words = refined[cell_id]
        return Changes(words=words[:1].upper() + words[1:], sources={cell_id: source})
    first = next(faster_versions(next(cell.source for cell in prompt.cells if cell.id == cell_id)), None)
    if first is None:
        raise RefactoringError(
            "No faster version of that cell is known.", remedy="Ask in words: %spark edit make it faster"
        )
    return Changes(words=first.words[:1].upper() + first.words[1:], sources={cell_id: first.source})


def _changes(wish: Wish, prompt: Prompt, refined: Mapping[str, tuple[str, str]]) -> Changes:
    from spark_jupyter.refactoring.extract_function import make_function
    from spark_jupyter.refactoring.extract_variable import extract_variable, inline_variable
    from spark_jupyter.refactoring.move_to_module import move_to_module
    from spark_jupyter.refactoring.rename import reword
    from spark_jupyter.refactoring.rename_column import rename_column

    cells = prompt.cells
    match wish:
        case RenameVariable():
            return _rename(wish, prompt)
        case RenameColumn(table=table, old=old, new=new):
            return rename_column(cells, table or _table_of(old, prompt), old, new)
        case ExtractVariable(expression=expression, name=name, cell=cell):
            return extract_variable(cells, _cell(cell, prompt), expression, name)
        case MakeFunction(name=name, cell=cell, lines=lines):
            return make_function(cells, _cell(cell, prompt), name, lines=lines)
        case Inline(name=name):
            return inline_variable(cells, name)
        case MoveToModule(names=names, module=module):
            return move_to_module(cells, names, module)
        case Refine():
            return _refine(wish, prompt, refined)
        case Reword(old=old, new=new):
            return reword(cells, old, new)


def _rename(wish: RenameVariable, prompt: Prompt) -> Changes:
    """Rename a variable, else the column of that name."""
    from spark_jupyter.refactoring.notebook_code import Book
    from spark_jupyter.refactoring.rename import rename
    from spark_jupyter.refactoring.rename_column import rename_column, tables_with

    if wish.old not in Book(prompt.cells).bound and tables_with(prompt.cells, wish.old):
        return rename_column(prompt.cells, _table_of(wish.old, prompt), wish.old, wish.new)
    return rename(prompt.cells, wish.old, wish.new)


def _table_of(column: str, prompt: Prompt) -> str:
    from spark_jupyter.refactoring.rename_column import tables_with

    tables = tables_with(prompt.cells, column)
    if not tables:
        raise RefactoringError(f"No cell names a column `{column}`.")
    if len(tables) > 1:
        which = " or ".join(f"{table}.{column}" for table in tables)
        raise RefactoringError(f"Several tables have a column `{column}`.", remedy=f"Say which: {which}.")
    return tables[0]


def _cell(number: int | None, prompt: Prompt) -> CellId:
    from spark_jupyter.refactoring.notebook_code import Book

    if number is not None:
        return Book(prompt.cells).numbered(number)
    here = _here(prompt)
    if here is None:
        raise RefactoringError("It is not clear which cell you mean.", remedy="Say which one: cell 3.")
    return here


def _here(prompt: Prompt) -> CellId | None:
    """Cell that "this" refers to: the edited or active one; if it is a prompt or empty, the last code cell above."""
    ids = [cell.id for cell in prompt.cells]
    place = next((one for one in (prompt.target.edit, prompt.active, prompt.target.after) if one in ids), None)
    above = prompt.cells[: ids.index(place) + 1] if place is not None else prompt.cells
    code = [cell for cell in above if cell.cell_type == "code" and cell.source.strip() and not asks_spark(cell.source)]
    return code[-1].id if code else None
