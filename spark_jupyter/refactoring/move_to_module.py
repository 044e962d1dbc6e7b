"""Move functions and classes into a module file.

The result is a cell that writes the file when a person runs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.refactoring.cell_tree import Place
from spark_jupyter.refactoring.changes import Changes, NewCell, changed, listed
from spark_jupyter.refactoring.notebook_code import Book, Leaf
from spark_jupyter.source.splices import Splice


def move_to_module(cells: Sequence[NotebookCell], wanted: Sequence[str], module: str) -> Changes:
    """Propose a cell that writes these definitions to ``module`` (``helpers`` or ``helpers.py``), with the imports that they need; where
    they stood they are imported.

    Raises :class:`~spark_jupyter.exceptions.RefactoringError` where one is no definition of a cell or reads what would stay behind."""
    name = module.removesuffix(".py")
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
        raise RefactoringError(
            f"`{module}` is not a module name for a file beside this notebook.", remedy="Name it like helpers.py."
        )
    book = Book(cells)
    found = [_definition(book, one) for one in dict.fromkeys(wanted)]
    imports = _imports_of(book, found, frozenset(wanted))
    found.sort(key=lambda one: book.at(one[0].id, one[1].start))
    texts = [leaf.cell.source[place.start : place.end].rstrip("\n") for leaf, place, _ in found]
    splices: dict[CellId, list[Splice]] = {}
    for leaf, place, defined in found:
        line = f"from {name} import {defined}\n"
        ends = leaf.cell.source[place.end - 1 : place.end] == "\n"
        splices.setdefault(leaf.id, []).append(Splice(place.start, place.end, line if ends else line.rstrip("\n")))
    body = "\n\n\n".join(["\n".join(imports), *texts] if imports else texts)
    ids = [cell.id for cell in cells]
    first = ids.index(found[0][0].id)
    return Changes(
        words=f"{listed([f'`{one[2]}`' for one in found])} moved to {name}.py",
        sources=changed(cells, splices),
        new=(NewCell(source=f"%%writefile {name}.py\n{body}\n", after=ids[first - 1] if first else None),),
        notes=(f"Run the new cell first: it writes {name}.py (and would overwrite one that is there).",),
    )


def _definition(book: Book, name: str) -> tuple[Leaf, Place, str]:
    bindings = [(leaf, use) for leaf, use in book.uses(name) if use.kind not in ("read", "declare")]
    for leaf, use in bindings:
        for node in leaf.page.statements:
            if isinstance(node, (cst.FunctionDef, cst.ClassDef)) and leaf.page.place(node.name) == use.place:
                if len(bindings) > 1:
                    raise RefactoringError(f"`{name}` is defined {len(bindings)} times.")
                return leaf, leaf.page.whole_lines(leaf.page.place(node)), name
    raise RefactoringError(f"No cell defines a function or class `{name}`.", remedy="Name one: move f to helpers.py")


def _imports_of(book: Book, found: Sequence[tuple[Leaf, Place, str]], moved: frozenset[str]) -> list[str]:
    """Imports that the definitions need."""
    lines: dict[str, None] = {}
    for leaf, place, name in found:
        for use in leaf.names.uses:
            if use.scope == 0 and place.start <= use.place.start < place.end and use.name not in moved:
                line = next(_import_of(book, use.name), None)
                if line is not None:
                    lines[line] = None
                elif use.name in book.bound:
                    raise RefactoringError(
                        f"`{name}` reads `{use.name}`, which would stay in the notebook.",
                        remedy=f"Give it as a parameter, or move `{use.name}` too.",
                    )
    return list(lines)


def _import_of(book: Book, name: str) -> Iterator[str]:
    for leaf in book.leaves:
        for statement in leaf.page.statements:
            for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
                if isinstance(part, (cst.Import, cst.ImportFrom)) and not isinstance(part.names, cst.ImportStar):
                    yield from _line(leaf, part, part.names, name)


def _line(leaf: Leaf, part: cst.Import | cst.ImportFrom, names: Sequence[cst.ImportAlias], name: str) -> Iterator[str]:
    for alias in names:
        text = leaf.page.text(alias).rstrip(", ")
        if (text.split()[-1] if " as " in text else text.split(".")[0]) == name:
            begins = leaf.page.text(part).split("import")[0]
            yield f"{begins}import {text}"
