"""Names that code needs from before it, and names that it defines."""

from __future__ import annotations

import ast
import builtins
from functools import lru_cache

from msgspec import Struct

from spark_jupyter.source.cell_dependencies import needs
from spark_jupyter.source.python_parser import parse_python

BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "display", "get_ipython"}


class Names(Struct, frozen=True):
    """``needed`` are read before the code defines them; ``defined`` are left behind, some of them ``imported``."""

    needed: frozenset[str]
    defined: frozenset[str]
    imported: frozenset[str] = frozenset()


@lru_cache(maxsize=512)
def names(source: str) -> Names:
    """The names of some code at its top level. Raises :class:`SyntaxError`."""
    imports = [node for node in ast.walk(parse_python(source)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    found = needs(source)
    imported = {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}
    return Names(frozenset(read.name for read in found.reads) - BUILTINS, found.binds, found.binds & imported)
