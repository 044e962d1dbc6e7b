"""Selection of nearby cells in a long notebook.

At each key the nearest cells are read, and of all others only imports and names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from msgspec import structs

from spark_jupyter.completions.situation import Situation
from spark_jupyter.protocol.values import NotebookCell

MOST_READ = 20_000
"""Characters of the cells above, and of those below, that are looked through whole: those nearest by. A notebook with ten times as much
took up to 80 ms."""
MOST_NAMED = 6_000
"""Characters of lines that say what the other cells name, the nearest first."""
MOST_IMPORTED = 2_000
"""Characters of their imports, the first first: those stand at the top."""
_LONGEST = 120
"""Characters of a line that names something; what a longer one gives it is data."""

_IMPORT = re.compile(r"(?m)^(?:import|from) .+$")
_NAMES = re.compile(rf"(?m)^(?:(?:async )?def |class |[^\W\d]\w*(?:, [^\W\d]\w*)* = ).{{0,{_LONGEST}}}$")


def near(situation: Situation) -> Situation:
    """The same, with no more of its other cells than can be looked through at each key."""
    above = _lessened(situation.above[::-1])
    below = _lessened(situation.below)
    return structs.replace(situation, above=tuple(above[::-1]), below=tuple(below))


@lru_cache(8)  # the cells are the same from key to key
def _lessened(cells: tuple[NotebookCell, ...]) -> list[NotebookCell]:
    """The nearest cells whole, then the outlines of others, then what all others import; the first cell is the nearest one."""
    whole = _fitting(cells, MOST_READ)
    others = cells[len(whole) :]
    if not others:
        return whole
    outlines = [outline(cell.source) if cell.cell_type == "code" else _NOTHING for cell in others]
    named = (structs.replace(cell, source=one.names) for cell, one in zip(others, outlines, strict=True) if one.names)
    lines = dict.fromkeys(line for one in reversed(outlines) for line in one.imports)
    imports = structs.replace(others[-1], cell_type="code", source="\n".join(_first(lines)))
    return [*whole, *_fitting(named, MOST_NAMED), imports]


def _fitting(cells: Iterable[NotebookCell], room: int) -> list[NotebookCell]:
    """The first of these cells that are short enough together; one too long alone is left out, and what is behind it."""
    taken = []
    for cell in cells:
        room -= len(cell.source)
        if room < 0:
            break
        taken.append(cell)
    return taken


def _first(lines: Iterable[str]) -> list[str]:
    said = 0

    def fits(line: str) -> bool:
        nonlocal said
        said += len(line) + 1
        return said <= MOST_IMPORTED

    return list(takewhile(fits, lines))


class Outline(NamedTuple):
    """Contribution of a cell to the notebook: its ``imports``, line by line, and the lines that give something a name."""

    imports: tuple[str, ...] = ()
    names: str = ""


_NOTHING = Outline()


def outline(source: str) -> Outline:
    """The outline of a code cell, read off how its lines begin."""
    return Outline(tuple(_IMPORT.findall(source)), "\n".join(dict.fromkeys(_NAMES.findall(source))))
