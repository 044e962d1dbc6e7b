"""Registry of the engines that make the embedded server's answers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.plugins import load_plugins
from spark_jupyter.server.engines.base import AnswerEngine

__all__ = ["ENGINES", "AnswerEngine", "Kind", "engines", "load"]


class Kind(Struct, frozen=True):
    """A kind of engine: how one is made, of its argument and of the user's recipe books. ``argument`` is what the argument is called, e.g.
    ``FILE.json``; empty where the engine takes none."""

    make: Callable[[str, Sequence[Path]], AnswerEngine]
    argument: str = ""


def _recipes(argument: str, books: Sequence[Path]) -> AnswerEngine:
    from spark_jupyter.server.engines.recipes import RecipeEngine

    return RecipeEngine(books)


def _script(argument: str, books: Sequence[Path]) -> AnswerEngine:
    from spark_jupyter.server.engines.script import ScriptEngine

    return ScriptEngine(Path(argument))


def _llama(argument: str, books: Sequence[Path]) -> AnswerEngine:
    from spark_jupyter.server.engines.llama import LlamaEngine
    from spark_jupyter.server.engines.llama_options import parse

    path, options = parse(argument)
    return LlamaEngine(path, options, books=books)


def _recorded(argument: str, books: Sequence[Path]) -> AnswerEngine:
    from spark_jupyter.server.replay.recorded_engine import parse

    return parse(argument, books)


ENGINES = {
    "recipes": Kind(_recipes),
    "script": Kind(_script, "FILE.json"),
    "llama": Kind(_llama, "FILE.gguf"),
    "recorded": Kind(_recorded, "FILE.jsonl"),
}


def engines() -> dict[str, Kind]:
    """The engines of the package and of plug-ins, by name."""
    return {**ENGINES, **_plugged_in()}


@functools.cache
def _plugged_in() -> dict[str, Kind]:
    def kind(name: str, found: object) -> Kind:
        if not isinstance(found, Kind):
            raise TypeError("it is no spark_jupyter.server.engines.Kind")
        return found

    return {name: found for name, (_, found) in load_plugins("engines", kind, taken=ENGINES).items()}


def load(name: str, *, books: Sequence[Path] = ()) -> AnswerEngine:
    """The engine of that name: ``"recipes"``, ``"script:FILE.json"`` (see :mod:`.script`), ``"llama:FILE.gguf"`` (:mod:`.llama`)
    or ``"recorded:FILE.jsonl"`` (:mod:`spark_jupyter.server.replay.recorded_engine`).

    ``books`` are directories of recipe books that come before the package's own. Raises
    :class:`~spark_jupyter.exceptions.ConfigurationError` for an unknown name, and for a script that can't be read.
    """
    first, _, argument = name.partition(":")
    kind = engines().get(first)
    if kind is None or bool(argument) != bool(kind.argument):
        names = [f"{name}:{kind.argument}".rstrip(":") for name, kind in engines().items()]
        raise ConfigurationError(f"There is no engine {name!r}.", remedy=f"Use {' or '.join(map(repr, names))}.")
    return kind.make(argument, books)
