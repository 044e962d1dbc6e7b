"""Paths that the user's own cells and prompts name.

They may be read in a copy. Paths that a model's text named first don't count. Callable from any thread.
"""

from __future__ import annotations

import os
from collections import deque

from spark_jupyter.source.named_paths import named_in

_MOST = 500
"""So many cells and prompts are remembered."""


class UserMentions:
    """The paths that may be read in a copy since a person named them."""

    def __init__(self) -> None:
        self._said: deque[tuple[str, ...]] = deque(maxlen=_MOST)
        self._proposed: deque[frozenset[str]] = deque(maxlen=_MOST)

    def say(self, text: str, *, prompt: bool = False) -> None:
        """Take in a cell that ran, or a ``prompt``. Of what a model had named before a cell names it nobody knows whose word it is: it
        does not count."""
        theirs = frozenset() if prompt else frozenset().union(*self._proposed)
        if paths := tuple(path for path in map(_absolute, named_in(text)) if path and path not in theirs):
            self._said.append(paths)

    def propose(self, source: str) -> None:
        """Take in a cell that the model wrote: what it names does not count, also where a person has run it, changed or not."""
        if paths := frozenset(map(_absolute, named_in(source))):
            self._proposed.append(paths)

    def paths(self) -> tuple[str, ...]:
        """All of them, from the working folder on."""
        return tuple(dict.fromkeys(path for paths in tuple(self._said) for path in paths))


def _absolute(path: str) -> str:
    """The path from the working folder on; empty where it can be none, or where that folder is gone."""
    try:
        return "" if "\0" in path else os.path.abspath(os.path.expanduser(path))
    except FileNotFoundError:
        return ""
