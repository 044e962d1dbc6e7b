"""Engines: where the embedded server's answers come from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.server.engines.base import Engine

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Engine", "load"]


def load(name: str, *, books: Sequence[Path] = ()) -> Engine:
    """The engine of that name: ``"recipes"``, or ``"script:FILE.json"`` (see :mod:`.script`).

    ``books`` are directories of recipe books that come before the package's own. Raises
    :class:`~spark_jupyter.exceptions.ConfigurationError` for an unknown name, and for a script that can't be read.
    """
    kind, _, argument = name.partition(":")
    if kind == "script" and argument:
        from spark_jupyter.server.engines.script import ScriptEngine

        return ScriptEngine(Path(argument))
    if name == "recipes":
        from spark_jupyter.server.engines.recipes import RecipeEngine

        return RecipeEngine(books)
    raise ConfigurationError(f"There is no engine {name!r}.", remedy="Use 'recipes' or 'script:FILE.json'.")
