"""Names that code needs from before it, and names that it defines.

Read from Python's own symbol tables; nothing is run.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "display", "get_ipython"}


class Names(Struct, frozen=True):
    """``needed`` are read before the code defines them; ``defined`` are left behind, some of them ``imported``."""

    needed: frozenset[str]
    defined: frozenset[str]
    imported: frozenset[str] = frozenset()


@lru_cache(maxsize=512)
def names(source: str) -> Names:
    """The names of some code at its top level.

    What functions read counts as needed only where the code never defines it, because they run later.
    Raises :class:`SyntaxError`.
    """
    needed: set[str] = set()
    later: set[str] = set()
    defined: set[str] = set()
    imported: set[str] = set()
    for statement in ast.parse(source).body:
        reads, inner, writes = _of_statement(statement)
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            imported |= writes
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.With, ast.If, ast.While, ast.Try, ast.Match)):
            reads = (reads - writes) | (_header_reads(statement) & reads)
            imported |= {name for name in writes if _imports(statement, name)}
        needed |= reads - defined
        later |= inner
        defined |= writes
    needed |= later - defined
    return Names(frozenset(needed - BUILTINS), frozenset(defined), frozenset(imported))


def _of_statement(statement: ast.stmt) -> tuple[set[str], set[str], set[str]]:
    """What one statement reads at once, what its functions read later, and what it writes."""
    table = symtable.symtable(ast.unparse(statement), "<cell>", "exec")
    reads = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    writes = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    inner: set[str] = set()
    for child in _descendants(table):
        globals_read = {one.get_name() for one in child.get_symbols() if one.is_global() and one.is_referenced()}
        if child.get_name() in _AT_ONCE or child.get_type() == "class":
            reads |= globals_read
        else:
            inner |= globals_read
    return reads, inner, writes


_AT_ONCE = frozenset({"listcomp", "setcomp", "dictcomp", "genexpr"})


def _descendants(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _descendants(child)


def _header_reads(statement: ast.stmt) -> set[str]:
    parts: Iterable[ast.expr] = ()
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        parts = (statement.iter,)
    elif isinstance(statement, (ast.If, ast.While)):
        parts = (statement.test,)
    elif isinstance(statement, ast.With):
        parts = tuple(item.context_expr for item in statement.items)
    return {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}


def _imports(statement: ast.stmt, name: str) -> bool:
    aliases = [
        alias for node in ast.walk(statement) if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names
    ]
    return any((alias.asname or alias.name.partition(".")[0]) == name for alias in aliases)
