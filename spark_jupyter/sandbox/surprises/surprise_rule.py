"""Type of a surprise rule, and helpers for its sentences.

A new rule is one file in ``rules/`` named after its id (no leading ``_``; begin from ``became_constant.py``) whose ``RULE`` is a
:class:`Rule`. ``table_samples.py`` and ``table_flow.py`` say what can be asked of a column and of a step. A rule's cases are its tests, at
least three bad and three good ones (``pytest tests/sandbox/surprises -k ID``), and no answer of a recipe book may surprise
(``tests/server/test_books.py``, a minute).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.source.invisible_text import printable

if TYPE_CHECKING:
    from spark_jupyter.sandbox.surprises.cell_change import Change

LONGEST_NAME = 60
"""Characters of a name or a key that are shown."""

_LONGEST_SAID = 300


class Case(NamedTuple):
    """An example: ``before`` has run in the kernel, ``cell`` is what is tried."""

    before: str
    cell: str


class Rule(Struct, frozen=True, kw_only=True):
    """One kind of surprise.

    ``looks`` runs in the copy, on what the cell changed, and is silent when unsure. ``says`` makes the sentence in the kernel, from the
    names and numbers of a sighting alone: it raises IndexError or ValueError where they are not what ``looks`` would have said. ``tells``
    is what a model may know of it: the same in general, without a name or a number of the data. The ``bad`` case must be seen and the
    ``good`` one not, by any rule; more of them stand in ``tests/sandbox/surprises/cases``. ``late``: it looks at figures, which takes
    time.
    """

    id: str
    looks: Callable[[Change], Iterable[Sighting]]
    says: Callable[[Sighting], str]
    tells: str
    remedy: str
    bad: Case
    good: Case
    late: bool = False


def saw(rule: str, *names: object, numbers: Iterable[float] = ()) -> Sighting:
    """Observation of a rule, within the bounds of the protocol."""
    text = tuple(str(name).encode(errors="replace").decode()[:_LONGEST_SAID] for name in names)
    return Sighting(rule=rule, names=text[:8], numbers=tuple(float(number) for number in numbers))


def shown(name: str) -> str:
    """A name or a key as it stands in our sentence: in a line, bounded, and without what would end the code that it is set as."""
    line = re.sub(r"\s+", " ", printable(name.replace("`", "'")))
    return f"`{line[: LONGEST_NAME - 1]}…`" if len(line) > LONGEST_NAME else f"`{line}`"


def listed(names: Iterable[str]) -> str:
    """Several of them."""
    return ", ".join(map(shown, names))


def percent(share: float) -> str:
    """A share of rows: what is nearly all is not called all."""
    whole = round(100 * min(max(share, 0.0), 1.0))
    if whole == 100 and share < 1:
        return "more than 99 %"
    return "less than 1 %" if whole == 0 and share > 0 else f"{whole} %"


def about(sampled: float) -> str:
    """Said before a number that a sample gave."""
    return "about " if sampled else ""
