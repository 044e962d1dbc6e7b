"""What the user's own words name: cells that ran and prompts, but no text of the model's. From any thread."""

from __future__ import annotations

import os
from collections import deque

from spark_jupyter.source.paths import named_in
from spark_jupyter.wire.notebook import content_hash

_MOST = 500
"""So many cells and prompts are remembered."""


class Named:
    """The paths that may be read in a copy since a person named them."""

    def __init__(self) -> None:
        self._said: deque[tuple[str, tuple[str, ...]]] = deque(maxlen=_MOST)
        self._proposed: deque[str] = deque(maxlen=_MOST)

    def say(self, text: str) -> None:
        """Take in a cell that ran, or a prompt."""
        if paths := tuple(named_in(text)):
            self._said.append((content_hash(text), paths))

    def propose(self, source: str) -> None:
        """Take in a cell that the model wrote: what it names does not count, also where a person has run it."""
        self._proposed.append(content_hash(source))

    def paths(self) -> tuple[str, ...]:
        """All of them, from the working folder on."""
        theirs = set(self._proposed)
        named = [path for of, paths in tuple(self._said) if of not in theirs for path in paths]
        return tuple(dict.fromkeys(os.path.abspath(os.path.expanduser(path)) for path in named if "\0" not in path))
