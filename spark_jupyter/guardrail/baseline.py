"""Baseline of known findings, and lines that are new since a revision."""

from __future__ import annotations

import hashlib
import json
import posixpath
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final, TypeVar

from spark_jupyter.guardrail.code_files import Piece
from spark_jupyter.guardrail.file_check import Location
from spark_jupyter.protocol.values import Finding

VERSION: Final = 1
"""Version of the baseline's format."""

T = TypeVar("T")
Found = tuple[Location, Finding]
Baseline = Counter[tuple[str, str, str]]
"""Number of findings by path, rule and text of the line, so that a line that only moved stays the same."""


def new_lines(old: Sequence[Piece], new: Sequence[Piece]) -> set[tuple[str, int]]:
    """Lines of the new pieces, as (piece, line), that are new or moved compared with the old ones."""
    before = [line for piece in old for line in piece.source.split("\n")]
    places = [(piece.name, piece.first_line + n) for piece in new for n in range(piece.source.count("\n") + 1)]
    after = [line for piece in new for line in piece.source.split("\n")]
    changed: set[tuple[str, int]] = set()
    for kind, _, _, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            changed.update(places[start:end])
    return changed


def in_lines(found: Iterable[tuple[Location, T]], lines: set[tuple[str, int]]) -> list[tuple[Location, T]]:
    """Select the entries on the given lines."""
    return [(where, said) for where, said in found if (where.piece, where.line) in lines]


def keys(found: Iterable[Found], pieces: Sequence[Piece]) -> list[tuple[str, str, str]]:
    """Keys that identify the findings. Of its line only a digest goes into a file: it may hold a password."""
    lines = {
        (piece.name, piece.first_line + n): line for piece in pieces for n, line in enumerate(piece.source.split("\n"))
    }
    return [
        (_plain(where.path), finding.rule, _digest(lines.get((where.piece, where.line), "")))
        for where, finding in found
    ]


def _plain(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/"))


def _digest(line: str) -> str:
    return hashlib.sha256(line.strip().encode(errors="replace")).hexdigest()[:16]


def unknown(found: Sequence[Found], pieces: Sequence[Piece], baseline: Baseline) -> list[Found]:
    """Findings that the baseline does not have; of several alike it covers only as many as it counts."""
    left = Counter(baseline)
    fresh = []
    for one, key in zip(found, keys(found, pieces), strict=True):
        if left[key] > 0:
            left[key] -= 1
        else:
            fresh.append(one)
    return fresh


def written(known: Iterable[tuple[str, str, str]]) -> str:
    """Write a baseline as text; the same findings give the same text."""
    rows = [{"path": path, "rule": rule, "line": line} for path, rule, line in sorted(known)]
    return json.dumps({"version": VERSION, "findings": rows}, indent=1) + "\n"


def read(text: str) -> Baseline:
    """Read a baseline from :func:`written`. Raises ValueError for anything else."""
    decoded = json.loads(text)
    if (
        not isinstance(decoded, dict)
        or decoded.get("version") != VERSION
        or not isinstance(decoded.get("findings"), list)
    ):
        raise ValueError(f"not a baseline of version {VERSION}")
    try:
        return Counter((_plain(row["path"]), row["rule"], row["line"]) for row in decoded["findings"])
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("not a baseline: a finding lacks its path, its rule or its line") from error
