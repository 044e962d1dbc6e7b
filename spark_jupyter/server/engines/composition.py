"""Composition of a recipe's answer, with example data if needed."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.server.engines import rewrite, scope
from spark_jupyter.server.engines.answer import Answer
from spark_jupyter.server.engines.book import VARIABLE_KINDS, BookCell, without_magics
from spark_jupyter.source.python_parser import parse_python

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spark_jupyter.server.engines.binding import Binding
    from spark_jupyter.server.engines.book import Entry, Variant
    from spark_jupyter.server.engines.namespace import Namespace
    from spark_jupyter.server.engines.rewrite import Change

_PRECIOUS = frozenset({"DataFrame", "Series", "ndarray", "list", "tuple", "dict", "set", "str", "function", "class"})
EXAMPLE = "# Example data, so that this runs as it stands. Put your own in its place."


def compose(entry: Entry, binding: Binding, namespace: Namespace, *, variant: Variant | None = None) -> Answer:
    """The answer that ``entry`` gives with what was bound, in its ``variant`` where one was asked for."""
    cells = (*((variant.cells or entry.cells) if variant else entry.cells), *(variant.added if variant else ()))
    setup = (*entry.setup, *(variant.setup if variant else ()))
    changes = [entry.replacements[number].by(new) for number, new in binding.chosen.items()]
    changes += _out_of_the_way(entry, binding, cells, namespace)
    written = [BookCell(change_cell(cell, changes), cell.cell_type) for cell in cells]
    if binding.chosen and not _parses(written):
        note = "The names of your data do not fit into this recipe's code, so it uses the book's own."
        binding = structs.replace(binding, chosen={}, given=(), notes=(note,))
        return compose(entry, binding, namespace, variant=variant)
    kept = _needed_setup(entry, binding, setup, before=cells, after=written)
    renames = [*_renames(kept, namespace), *aside(kept)]
    written = [BookCell(change_cell(cell, renames), cell.cell_type) for cell in written]
    made = [BookCell(f"{EXAMPLE}\n{change_cell(BookCell(source), renames)}") for source in kept]
    written = _with_given(written, binding.given)
    notes = [origin(entry, variant), entry.notes, _uses(entry, binding, example=bool(kept)), *binding.notes]
    return Answer(notes="\n\n".join(note for note in notes if note), cells=(*made, *written))


def _with_given(cells: list[BookCell], given: Sequence[tuple[str, str]]) -> list[BookCell]:
    """The values that the prompt gave, above the first line of code."""
    first = next((number for number, cell in enumerate(cells) if cell.cell_type == "code"), None)
    if not given or first is None:
        return cells
    lines = "\n".join(f"{name} = {source}" for name, source in given)
    return [*cells[:first], BookCell(f"{lines}\n{cells[first].source}"), *cells[first + 1 :]]


def _parses(cells: Sequence[BookCell]) -> bool:
    """True if every cell is still Python: before 3.12 an f-string's field can hold neither a backslash nor its own quotes."""
    try:
        for cell in cells:
            if cell.cell_type == "code":
                parse_python(without_magics(cell.source))
    except SyntaxError:
        return False
    return True


def origin(entry: Entry, variant: Variant | None = None) -> str:
    """The sentence that says where an answer comes from."""
    how = f" ({variant.title})" if variant else ""
    return f"From the recipe “{entry.title}”{how} in the book “{entry.book}”; no language model was asked."


def change_cell(cell: BookCell, changes: Iterable[Change]) -> str:
    """The cell's source with the changes made; Markdown stays as it is."""
    if cell.cell_type != "code":
        return cell.source
    plain = without_magics(cell.source)
    return rewrite.apply_spans(cell.source, [span for change in changes for span in rewrite.spans(plain, change)])


def code(cells: Iterable[BookCell]) -> str:
    """The code of all cells, as one source that parses."""
    return "\n".join(without_magics(cell.source) for cell in cells if cell.cell_type == "code")


def _needed_setup(
    entry: Entry, binding: Binding, setup: Sequence[str], *, before: Sequence[BookCell], after: Sequence[BookCell]
) -> list[str]:
    """The setup cells without which the answer would not run, in order."""
    theirs = {new for number, new in binding.chosen.items() if entry.replacements[number].kind in VARIABLE_KINDS}
    needed = set(scope.names(code(after)).needed) - theirs
    originally = scope.names(code(before)).needed
    constants = _strings(code(after))
    kept: list[str] = []
    for source in reversed(setup):
        if binding.files & set(places(source)):
            continue  # the user's own file is meant
        found = scope.names(without_magics(source))
        provides = found.defined - found.imported
        effects = _strings(source) & constants
        if provides & needed or (not provides & set(originally) and not provides & needed and effects):
            needed |= found.needed
            constants |= _strings(source)
            kept.append(source)
    return kept[::-1]


def _strings(source: str) -> set[str]:
    tree = parse_python(without_magics(source))
    values = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {one for one in values if isinstance(one, str) and one}


def _renames(setup: Sequence[str], namespace: Namespace) -> list[Change]:
    """Names of the example data that the user has too get another name: nobody's data is overwritten by an example."""
    defined: set[str] = set()
    for source in setup:
        found = scope.names(without_magics(source))
        defined |= found.defined - found.imported
    clashes = sorted(defined & namespace.names)
    return [rewrite.Change(token=name, new=_free(f"example_{name}", namespace.names | defined)) for name in clashes]


def _out_of_the_way(entry: Entry, binding: Binding, cells: Sequence[BookCell], namespace: Namespace) -> list[Change]:
    """A name that the recipe makes for itself gives way to a table, function or class of the user's of the same name."""
    variables = {n: new for n, new in binding.chosen.items() if entry.replacements[n].kind in VARIABLE_KINDS}
    tokens = {entry.replacements[number].token for number in variables}
    found = scope.names(code(cells))
    defined, imported = found.defined - tokens, found.imported
    theirs = {*variables.values(), *(one.name for one in namespace.variables if one.type in _PRECIOUS)}
    taken = namespace.names | defined
    clashes = sorted((defined & theirs) - imported)
    return [rewrite.Change(token=name, new=_free(f"{name}_new", taken)) for name in clashes]


def _free(name: str, taken: Iterable[str]) -> str:
    taken, number, free = set(taken), 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _uses(entry: Entry, binding: Binding, *, example: bool) -> str:
    new = [one for n, one in binding.chosen.items() if one != entry.replacements[n].token and not one.startswith("[")]
    sentences = [f"With your {', '.join(f'`{one}`' for one in dict.fromkeys(new))}."] if new else []
    if example and not binding.notes:
        sentences.append("The first cell makes example data; put your own in its place.")
    return " ".join(sentences)


# --- example data in files ------------------------------------------------------------------------------------------------

_PLACES = frozenset(
    {"Path", "open", "connect", "ZipFile", "to_csv", "to_excel", "to_json", "to_parquet", "mkdir", "makedirs"}
)


@lru_cache(maxsize=256)
def places(source: str) -> list[str]:
    """The files and folders that example code makes, by the text that names them."""
    found: dict[str, None] = {}
    for node in ast.walk(parse_python(without_magics(source))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0]
        if called in _PLACES and isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value:
            found[first.value] = None
    return list(found)


def aside(setup: Iterable[str]) -> list[rewrite.Change]:
    """The changes by which the example's files get names of their own: a user's ``data.csv`` is never written over."""
    names = dict.fromkeys(name for source in setup for name in places(source))
    return [rewrite.Change(token=repr(name), new=rewrite.quoted(_own(name)), role="literal") for name in names]


def _own(name: str) -> str:
    folder, slash, file = name.rpartition("/")
    return f"{folder}{slash}example_{file}"
