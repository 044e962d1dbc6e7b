"""Excerpt of the notebook for a completion request.

It is small, and its order changes seldom, so that a provider's cache finds it.

Imports come first, then the cells above, then what the names around the cursor stand for; each within a budget of characters.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from spark_jupyter.completions.situation import Situation
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.source.ipython_lines import asks_spark
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import body_of

MOST_IMPORTS = 600
MOST_ABOVE = 2_000
MOST_DEFINITIONS = 900
MOST_BEFORE = 1_800
MOST_AFTER = 600
"""Characters; with the tables and the instruction below 2,000 tokens."""

_STEP = 800
"""Characters by which the cells that are told move on."""
_IMPORT = re.compile(r"(?m)^(?:import|from)\s.+$")
_WORD = re.compile(r"[^\W\d]\w*")


class Nearby(NamedTuple):
    """Part of the notebook that goes along: cells ``above`` with the imports of those before them, what the names around the cursor are
    ``defined`` as elsewhere, and the cell's own text ``before`` and ``after`` the cursor."""

    above: str
    defined: str
    before: str
    after: str


def nearby(situation: Situation) -> Nearby:
    """Select the part of the notebook that goes along."""
    above = _above(situation)
    return Nearby(above, _definitions(situation, above), _before(situation), _after(situation))


def _before(situation: Situation) -> str:
    """From a whole line on, where the cursor's own is not too long for that."""
    return _tail(situation.before, MOST_BEFORE)


def _after(situation: Situation) -> str:
    text = situation.after
    if len(text) <= MOST_AFTER:
        return text
    lines, newline, cut = text[:MOST_AFTER].rpartition("\n")
    return lines if newline else cut


def _above(situation: Situation) -> str:
    cells = [
        cell
        for cell in situation.above
        if cell.cell_type != "raw" and cell.source.strip() and not asks_spark(cell.source)
    ]
    near = _last_that_fit(cells, MOST_ABOVE)
    far = "\n".join(cell.source for cell in cells[: len(cells) - len(near)] if cell.cell_type == "code")
    imports = list(dict.fromkeys(_IMPORT.findall(far)))
    return "\n\n".join(filter(None, ["\n".join(_first_that_fit(imports, MOST_IMPORTS)), *near]))


def _definitions(situation: Situation, above: str) -> str:
    """Functions and classes of cells that are too far above, and of cells below."""
    wanted = words_near(situation)
    cells = [cell for cell in (*situation.above, *situation.below) if cell.cell_type == "code"]
    found = (text for cell in reversed(cells) for name, text in _defined(cell.source) if name in wanted)
    return "\n\n".join(_first_that_fit([text for text in found if text not in above], MOST_DEFINITIONS))


def words_near(situation: Situation) -> frozenset[str]:
    """The names around the cursor, and in the cells right above."""
    near = [_before(situation), _after(situation), *(cell.source for cell in situation.above[-2:])]
    return frozenset(_WORD.findall("\n".join(near)))


def _last_that_fit(cells: Sequence[NotebookCell], budget: int) -> list[str]:
    """The texts of the last cells. The first of them is another one only when :data:`_STEP` more characters stand above: until then what
    is told begins the same, and a provider's cache finds it also from the next cell on."""
    texts = [cell.source.strip("\n") if cell.cell_type == "code" else _commented(cell.source) for cell in cells]
    over = max(sum(map(len, texts)) - budget, 0)
    left_out = -(-over // _STEP) * _STEP
    while len(texts) > 1 and left_out > 0:
        left_out -= len(texts.pop(0))
    return [_tail(text, budget) for text in texts]


def _first_that_fit(texts: Iterable[str], budget: int) -> list[str]:
    fitting = []
    for text in texts:
        budget -= len(text)
        if budget < 0:
            break
        fitting.append(text)
    return fitting


def _commented(markdown: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in markdown.strip("\n").split("\n"))


def _tail(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut, newline, lines = text[-most:].partition("\n")
    return lines if newline else cut


@lru_cache(512)
def _defined(source: str) -> tuple[tuple[str, str], ...]:
    """The functions and classes of a cell: name, and how they begin, with the first line of what they say of themselves."""
    if "def " not in source and "class " not in source:
        return ()
    lines = source.split("\n")
    return tuple(
        (node.name, "\n".join(lines[node.lineno - 1 : _head_end(node)]))
        for node in body_of(python_only(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )


def _head_end(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """The last line of a definition's head; a short one is shown whole."""
    end = node.end_lineno or node.lineno
    return end if end - node.lineno < 12 else node.body[0].lineno
