"""Facts that the earlier messages of a conversation tell already.

A request only names such facts again: what was sent before stays a prefix that the provider has in its cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct, structs

from spark_jupyter.prompting.conversation import Answer, Exchange
from spark_jupyter.prompting.fences import fenced
from spark_jupyter.prompting.variable_entries import entries, expanded
from spark_jupyter.protocol.values import CellId, NotebookCell

_SHORTEST = 30
"""Characters from which a source is not repeated: a shorter one costs no more than the reference to it."""


class KnownFacts(Struct, frozen=True, kw_only=True):
    """Knowledge of a model: cells as it was last shown them, entries of the variables by name, the last texts of other sections, and the
    blocks of the answer that stands right before the next question."""

    cells: dict[CellId, NotebookCell] = {}
    order: tuple[CellId, ...] = ()
    variables: dict[str, str] = {}
    versions: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    rules: str = ""
    last_error: str = ""
    tried: frozenset[str] = frozenset()
    blocks: tuple[str, ...] = ()

    def block_of(self, source: str) -> int:
        """The number of the block, from 1, that has exactly this source; 0 where none has, or the source is short."""
        plain = source.strip("\n")
        if len(plain) < _SHORTEST or plain not in self.blocks:
            return 0
        return self.blocks.index(plain) + 1


def known_facts(exchanges: Sequence[Exchange]) -> KnownFacts:
    """Return what these exchanges tell. A cell that names a block of an answer counts only while that answer is one of them."""
    cells: dict[CellId, NotebookCell] = {}
    variables: dict[str, str] = {}
    last_error = rules = ""
    packages: set[str] = set()
    order: tuple[CellId, ...] = ()
    files: set[str] = set()
    tried: set[str] = set()
    blocks: tuple[str, ...] = ()
    for exchange in exchanges:
        asked = exchange.question
        answered = dict(asked.answered)
        named = asked.as_before | asked.same_source
        edit = () if asked.edit is None else (structs.replace(asked.edit, error=""),)
        for cell in (*asked.cells, *edit):
            number = answered.get(cell.id, 0)
            gone = number > len(blocks) or (number and blocks[number - 1] != cell.source.strip("\n"))
            if not gone and (cell.id not in named or cell.id in cells):
                cells[cell.id] = cell
        variables.update(expanded(asked.variables, variables))
        variables = {name: text for name, text in variables.items() if name not in asked.gone_variables}
        order = tuple(cell.id for cell in asked.cells)
        packages |= set(versions(asked.versions))
        last_error = asked.last_error or last_error
        rules = asked.rules or rules
        files |= set(entries(asked.files).values())
        tried |= set(asked.tried)
        answer = exchange.answer
        blocks = (
            tuple(block.source.strip("\n") for block in answer.blocks)
            if isinstance(answer, Answer)
            else fenced_blocks(answer)
        )
    return KnownFacts(
        cells=cells,
        order=order,
        variables=variables,
        versions=frozenset(packages),
        files=frozenset(files),
        rules=rules,
        last_error=last_error,
        tried=frozenset(tried),
        blocks=blocks,
    )


def versions(text: str) -> tuple[str, ...]:
    """The packages of a section of versions, each with its version or the word that it is missing."""
    return tuple(one for line in text.splitlines() for one in line.split(", "))


@lru_cache(256)
def fenced_blocks(text: str) -> tuple[str, ...]:
    """The contents of the fenced blocks of an answer, without blank lines around them."""
    return tuple(block.source.strip("\n") for block in fenced(text))
