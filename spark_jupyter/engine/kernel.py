"""What is read of the user's kernel, and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt


def _nothing_around(prompt: Prompt) -> Surroundings:
    return Surroundings()


def _nothing_to_mention(begins: str) -> Sequence[str]:
    return ()


class Kernel(Struct, frozen=True):
    """Reads it. Called on the engine's loop; none runs the user's code."""

    namespace: Callable[[], Mapping[str, object]] = dict
    moment: Callable[[], int] = int
    """Another one whenever a cell has begun to run or has ended."""
    surroundings: Callable[[Prompt], Surroundings] = _nothing_around
    """What a prompt is told with, at the moment of it."""
    mentions: Callable[[str], Sequence[str]] = _nothing_to_mention
    """What may be pointed at that begins so."""
    ideas: Callable[[], Sequence[str]] = tuple
    """What could be asked."""
