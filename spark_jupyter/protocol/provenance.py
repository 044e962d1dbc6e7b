"""Provenance of accepted cells, in their metadata under the key ``spark``.

It is data for people and tools, and is never executed.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.constants import LONGEST_PROMPT_LINE, METADATA_KEY
from spark_jupyter.protocol.notebook import Cell, Json, Notebook, content_hash, raw_cells, source_of
from spark_jupyter.protocol.values import Finding


def provenance(
    *, source: str, turn_id: str, model: str, prompt: str, at: float, findings: Sequence[Finding] = ()
) -> Cell:
    """The ``metadata.spark`` of an accepted cell. ``at`` is in Unix seconds; of the findings only rule and severity are kept."""
    return {
        "turn": turn_id,
        "model": model,
        "prompt": prompt_line(prompt),
        "time": datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "findings": [{"rule": finding.rule, "severity": finding.severity} for finding in findings],
        "hash": content_hash(source),
    }


def prompt_line(prompt: str) -> str:
    """A prompt, or another title, in one line of a limited length."""
    line = " ".join(prompt.split())
    return line if len(line) <= LONGEST_PROMPT_LINE else f"{line[: LONGEST_PROMPT_LINE - 1]}…"


def with_provenance(notebook: Mapping[str, Json], cell_id: str, value: Cell) -> Notebook:
    """A copy of the notebook in which the cell carries ``value``. Raises NotebookError where there is no such cell."""
    cells = copy.copy(raw_cells(notebook))
    for place, cell in enumerate(cells):
        if cell.get("id") == cell_id:
            metadata = cell.get("metadata")
            old = metadata if isinstance(metadata, dict) else {}
            cells[place] = {**cell, "metadata": {**old, METADATA_KEY: value}}
            return {**notebook, "cells": [*cells]}
    raise NotebookError(f"There is no cell {cell_id!r}.", remedy="Send the notebook's cells again.")


def changed_since(cell: Mapping[str, Json]) -> bool | None:
    """True if a cell was changed after it was accepted; None if its metadata do not say that this package wrote it."""
    metadata = cell.get("metadata")
    spark = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
    known = spark.get("hash") if isinstance(spark, dict) else None
    return content_hash(source_of(cell)) != known if isinstance(known, str) else None
