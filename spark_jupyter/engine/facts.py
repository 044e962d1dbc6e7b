"""What suggestions without a model are made of, read from the kernel and the package's recipe books. No code of the user's runs for it."""

from __future__ import annotations

import ast
import builtins
import functools
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

from spark_jupyter.completions.offline.kernel_facts import Column, Kind, RecipeLine

_LOOKED_AT = 5_000
"""Rows of a column whose texts are counted."""
_MOST_TEXTS = 60
_MOST_ENTRIES = 2_000
_DATA = (".csv", ".csv.gz", ".tsv", ".txt", ".json", ".xlsx", ".xls", ".parquet", ".feather")
_IPYTHONS = frozenset({"In", "Out", "exit", "quit", "open", "get_ipython"})
_KINDS: tuple[tuple[tuple[str, ...], Kind], ...] = (
    (("int", "uint", "float", "Int", "UInt", "Float", "complex", "decimal"), "number column"),
    (("datetime", "date", "period", "Date"), "date column"),
    (("bool", "Bool"), "bool column"),
    (("object", "str", "string", "category", "String", "Categorical", "Enum"), "text column"),
)
_BOOKS = ("01-files-and-tables.ipynb",)


class KernelFacts:
    """Implements :class:`~spark_jupyter.completions.offline.kernel_facts.Facts` for a namespace as it is now."""

    def __init__(self, namespace: Mapping[str, object]) -> None:
        self._namespace = namespace

    def columns(self, name: str) -> Sequence[Column]:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        from spark_jupyter.prompting.variables import dtype_name, table_kind

        frame: Any = self._namespace.get(name)
        if table_kind(frame) != "DataFrame":
            return ()
        pairs = zip(list(frame.columns), list(frame.dtypes), strict=False)
        return tuple(Column(label, _kind(dtype_name(dtype))) for label, dtype in pairs if type(label) is str)

    def kind(self, name: str) -> str:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        from spark_jupyter.prompting.variables import table_kind
        from spark_jupyter.reality import static_lookup

        value = self._found(name)
        if value is None:
            return ""
        if static_lookup.is_module(value):
            called = static_lookup.module_dict(value).get("__name__")
            return called if type(called) is str else ""
        return table_kind(value) or static_lookup.class_name(type(value))

    def members(self, name: str) -> Sequence[str]:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        from spark_jupyter.reality import static_lookup

        value = self._found(name)
        if value is None:
            return ()
        if static_lookup.is_module(value):
            found: Iterable[str] = list(static_lookup.module_dict(value))
        else:
            found = static_lookup.names_in_class(value if static_lookup.is_class(value) else type(value))
        return tuple(filter(_is_name, found))

    def names(self) -> Sequence[str]:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        return tuple(name for name in list(self._namespace) if _is_name(name) and name not in _IPYTHONS)

    def has_gaps(self, name: str) -> bool:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        from spark_jupyter.prompting.variables import is_librarys, table_kind

        frame: Any = self._namespace.get(name)
        if table_kind(frame) != "DataFrame" or not is_librarys(frame) or not hasattr(frame, "isna"):
            return False
        return bool(frame.head(_LOOKED_AT).isna().to_numpy().any())

    def files(self) -> Sequence[str]:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        try:
            with os.scandir() as entries:
                found = [one.name for one in islice(entries, _MOST_ENTRIES) if one.name.lower().endswith(_DATA)]
        except OSError:  # the folder is gone
            return ()
        return tuple(sorted(found))

    def texts(self, name: str, column: str) -> Sequence[str]:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        if Column(column, "text column") not in self.columns(name):
            return ()
        frame: Any = self._namespace[name]
        series = frame[column].head(_LOOKED_AT)
        values = series.tolist() if hasattr(series, "tolist") else series.to_list()
        texts = dict.fromkeys(value for value in values if type(value) is str)
        return tuple(texts) if len(texts) <= _MOST_TEXTS else ()

    def keywords(self, function: str) -> Sequence[str]:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        from spark_jupyter.reality.signatures import signature

        found = self._found(function)
        known = signature(found) if found is not None else None
        if known is None:
            return ()
        named = (one for one in known.parameters.values() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY))
        return tuple(one.name for one in named if one.name not in ("self", "cls") and not one.name.startswith("_"))

    def flag(self, function: str, keyword: str) -> bool | None:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        from spark_jupyter.reality.signatures import signature

        found = self._found(function)
        known = signature(found) if found is not None else None
        given = known.parameters.get(keyword) if known is not None else None
        return given.default if given is not None and type(given.default) is bool else None

    def is_defined(self, name: str) -> bool:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        return name in self._namespace or hasattr(builtins, name)

    def has_module(self, name: str) -> bool:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        from spark_jupyter.reality.module_lookup import exists

        return name in sys.modules or exists(name)

    def recipes(self) -> Sequence[RecipeLine]:
        """See :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`."""
        return recipe_lines()

    def _found(self, dotted: str) -> object | None:
        """The function of a dotted name, looked up past what classes of the user's could do to that."""
        from spark_jupyter.reality import static_lookup

        first, *rest = dotted.split(".")
        found = self._namespace.get(first, vars(builtins).get(first))
        for name in rest:
            if static_lookup.is_module(found):
                found = static_lookup.module_dict(found).get(name)
            elif found is not None:
                inside = static_lookup.in_class(found if static_lookup.is_class(found) else type(found), name)
                found = None if inside is static_lookup.MISSING else inside
        return found


def _is_name(name: object) -> bool:
    """Whether a key of a namespace is a name that code may say: it could be anything."""
    return type(name) is str and name.isidentifier() and not name.startswith("_")


def _kind(dtype: str) -> Kind:
    return next((kind for begins, kind in _KINDS if dtype.startswith(begins)), "column")


@functools.cache
def recipe_lines() -> tuple[RecipeLine, ...]:
    """What the package's books do with tables: the chains of calls, each with its entry's words for what is replaced."""
    from spark_jupyter.server.engines.book import COLUMN_KINDS, load

    lines: dict[RecipeLine, None] = {}
    folder = Path(str(resources.files("spark_jupyter.server").joinpath("recipes")))
    for entry in [entry for name in _BOOKS for entry in load(folder / name, check=False).entries]:
        table = next((one.token for one in entry.replacements if one.kind == "DataFrame"), "")
        columns = tuple((one.token, one.kind) for one in entry.replacements if one.kind in COLUMN_KINDS)
        others = [one.token for one in entry.replacements if one.kind not in COLUMN_KINDS and one.kind != "DataFrame"]
        for source in (cell.source for cell in entry.cells if table and cell.cell_type == "code"):
            for chain in _chains(source, table):
                if not any(token in chain for token in others):
                    lines[RecipeLine(chain, table, columns)] = None
    return tuple(lines)


def _chains(source: str, table: str) -> Iterator[str]:
    """The longest expressions of one line that begin with a name and go on with what is looked up on it."""
    inside: set[ast.AST] = set()
    for node in ast.walk(ast.parse(source)):
        if node in inside or not isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
            continue
        part: ast.AST = node
        while isinstance(part, ast.Call | ast.Attribute | ast.Subscript):
            inside.add(part)
            part = part.func if isinstance(part, ast.Call) else part.value
        text = ast.get_source_segment(source, node) or ""
        if isinstance(part, ast.Name) and part.id == table and text.startswith(f"{table}.") and "\n" not in text:
            yield text
