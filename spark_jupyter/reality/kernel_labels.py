"""Keys and attributes of the kernel's objects as possible labels of tables.

They become columns where a table is made of dicts, of dataclasses or of ``vars(thing)``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from rapidfuzz.distance import OSA

from spark_jupyter.reality import static_lookup

MOST = 5_000
"""Objects that are looked at, and labels."""
EACH = 200
"""Items of each list."""
_SHORT = 4
"""Letters of a word up to which one other letter makes another word: ``x_train`` and ``y_train``, ``cost`` and ``host``."""


def is_misspelt(namespace: Mapping[str, object], name: str) -> bool:
    """Whether a name is one letter away from a key or an attribute in the kernel's variables, and none itself."""
    try:
        held = frozenset(islice(_labels(namespace), MOST))
    except RuntimeError:  # the kernel changed something just now
        return False
    return name not in held and any(_is_near(name, label) for label in held)


def _is_near(name: str, label: str) -> bool:
    words, others = name.split("_"), label.split("_")
    differ = [(word, other) for word, other in zip(words, others, strict=False) if word != other]
    if len(words) != len(others) or len(differ) != 1:
        return False
    (word, other), numbered = differ[0], "s0123456789"
    alike = word.rstrip(numbered) == other.rstrip(numbered)  # one of several, or counted
    return min(len(word), len(other)) > _SHORT and not alike and OSA.distance(word, other, score_cutoff=1) == 1


def _labels(namespace: Mapping[str, object]) -> Iterator[str]:
    """Keys of dicts, and attributes of objects and classes of the person's own."""
    waiting, seen = deque(list(namespace.values())), set[int]()
    while waiting and len(seen) < MOST:
        thing = waiting.popleft()
        if id(thing) not in seen:
            seen.add(id(thing))
            yield from (name for name in _names_of(thing) if type(name) is str)
            waiting.extend(_within(thing))


def _names_of(thing: object) -> Iterable[object]:
    if type(thing) is dict:
        return thing
    kind = thing if static_lookup.is_class(thing) else type(thing)
    own = static_lookup.class_module(kind) == "__main__"
    return static_lookup.stored_names(kind) if own else ()


def _within(thing: object) -> list[object]:
    if type(thing) is dict:
        return list(islice(thing.values(), EACH))
    return list(islice(thing, EACH)) if type(thing) in (list, tuple) else []  # type: ignore[call-overload]
