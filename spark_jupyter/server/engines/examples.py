"""Example data that lies in files: whose files an entry's setup would write, and how it keeps off the user's. Pure."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import rewrite
from spark_jupyter.server.engines.book import without_magics

if TYPE_CHECKING:
    from collections.abc import Iterable

_PLACES = frozenset(
    {"Path", "open", "connect", "ZipFile", "to_csv", "to_excel", "to_json", "to_parquet", "mkdir", "makedirs"}
)


def places(source: str) -> list[str]:
    """The files and folders that example code makes, by the text that names them."""
    found: dict[str, None] = {}
    for node in ast.walk(ast.parse(without_magics(source))):
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
