"""Put an answer together: the entry's cells with the user's names in them, example data where it is needed. Pure."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from spark_jupyter.server.engines import examples, rewrite, scope
from spark_jupyter.server.engines.book import VARIABLE_KINDS, BookCell, without_magics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spark_jupyter.server.engines.bind import Binding
    from spark_jupyter.server.engines.book import Entry, Variant
    from spark_jupyter.server.engines.namespace import Namespace
    from spark_jupyter.server.engines.rewrite import Change

_PRECIOUS = frozenset({"DataFrame", "function", "class"})
EXAMPLE = "# Example data, so that this runs as it stands. Put your own in its place."


class Answer(Struct, frozen=True, kw_only=True):
    """What the engine says: ``notes`` is prose (Markdown), ``cells`` follow it. ``edit`` is the id of the cell that the
    only cell replaces, ``below`` are new cells besides it; ``doubts`` are the sentences of the notes that say what was not
    done, or what was taken without being sure."""

    notes: str
    cells: tuple[BookCell, ...] = ()
    edit: str | None = None
    below: tuple[BookCell, ...] = ()
    doubts: tuple[str, ...] = ()

    def text(self) -> str:
        """The answer in the answer format: prose, then a fence for each cell."""
        parts = [self.notes.strip(), *(_block(cell, self.edit) for cell in self.cells), *map(_block, self.below)]
        return "\n\n".join(part for part in parts if part) + "\n"


def _block(cell: BookCell, edit: str | None = None) -> str:
    info = "markdown" if cell.cell_type == "markdown" else "python"
    return fenced(cell.source, f"{info} cell={edit}" if edit else info)


def fenced(source: str, info: str) -> str:
    """``source`` in a fence that is longer than any inside it."""
    longest = max((len(found) for found in re.findall(r"`{3,}", source)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{info}\n{source.strip(chr(10))}\n{fence}"


def going_on(answer: Answer, so_far: str) -> str:
    """The text of ``answer`` for a reader who has ``so_far`` already, cut at its last whole line.

    Where the answer's cells begin with those that are there, it goes on with the last one; otherwise it begins again.
    """
    *whole, (last, is_open) = _blocks(so_far) or [("", False)]
    count = len(whole) + 1
    before = [cell.source.strip("\n") for cell in answer.cells[: count - 1]]
    if not (is_open and last.strip()) or count > len(answer.cells) or before != [source for source, _ in whole]:
        return answer.text()
    cell = answer.cells[count - 1]
    source = cell.source.strip("\n") + "\n"
    if cell.cell_type != "code" or not source.startswith(last) or "```" in source:
        return answer.text()
    rest = source[len(last) :]
    parts = [answer.notes.strip(), f"```python continue\n{rest}```"]
    return "\n\n".join([*parts, *(_block(one) for one in answer.cells[count:])]) + "\n"


def _blocks(text: str) -> list[tuple[str, bool]]:
    """The blocks of an answer that this module wrote, and whether each is still open (with its last line's end)."""
    blocks: list[tuple[str, bool]] = []
    fence = ""
    for line in text.split("\n"):
        match = re.match(r"(`{3,})\w*", line)
        if fence and line == fence:
            blocks[-1] = (blocks[-1][0].strip("\n"), False)
            fence = ""
        elif fence:
            blocks[-1] = (blocks[-1][0] + line + "\n", True)
        elif match:
            fence = match[1]
            blocks.append(("", True))
    if fence:  # the last piece is behind the last line's end
        blocks[-1] = (
            blocks[-1][0][:-1] if text.endswith("\n") else blocks[-1][0][: blocks[-1][0][:-1].rfind("\n") + 1],
            True,
        )
    return blocks


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
    renames = [*_renames(kept, namespace), *examples.aside(kept)]
    written = [BookCell(change_cell(cell, renames), cell.cell_type) for cell in written]
    made = [BookCell(f"{EXAMPLE}\n{change_cell(BookCell(source), renames)}") for source in kept]
    written = _with_given(written, binding.given)
    notes = [origin(entry, variant), entry.notes, _uses(entry, binding, example=bool(kept)), *binding.notes]
    return Answer(notes="\n\n".join(note for note in notes if note), cells=(*made, *written), doubts=binding.notes)


def _with_given(cells: list[BookCell], given: Sequence[tuple[str, str]]) -> list[BookCell]:
    """The values that the prompt gave, above the first line of code."""
    first = next((number for number, cell in enumerate(cells) if cell.cell_type == "code"), None)
    if not given or first is None:
        return cells
    lines = "\n".join(f"{name} = {source}" for name, source in given)
    return [*cells[:first], BookCell(f"{lines}\n{cells[first].source}"), *cells[first + 1 :]]


def _parses(cells: Sequence[BookCell]) -> bool:
    """Whether every cell is still Python: before 3.12 an f-string's field can hold neither a backslash nor its own quotes."""
    try:
        for cell in cells:
            if cell.cell_type == "code":
                ast.parse(without_magics(cell.source))
    except SyntaxError:
        return False
    return True


def origin(entry: Entry, variant: Variant | None = None) -> str:
    """The sentence that says where an answer comes from."""
    how = f" ({variant.title})" if variant else ""
    return (
        f"From the recipe “{entry.title}”{how} in the book “{entry.book}”; this is a recipe book, not a language model."
    )


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
        if binding.files & set(examples.places(source)):
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
    tree = ast.parse(without_magics(source))
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value
    }


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
    return [
        rewrite.Change(token=name, new=_free(f"{name}_new", taken)) for name in sorted((defined & theirs) - imported)
    ]


def _free(name: str, taken: Iterable[str]) -> str:
    taken, number, free = set(taken), 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _uses(entry: Entry, binding: Binding, *, example: bool) -> str:
    replaced = {
        f"`{new}`": None
        for number, new in binding.chosen.items()
        if new != entry.replacements[number].token and not new.startswith("[")
    }
    sentences = [f"With your {_listed(list(replaced))}."] if replaced else []
    if example and not binding.notes:
        sentences.append("The first cell makes example data; put your own in its place.")
    return " ".join(sentences)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
