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
Key = tuple[str, str, str, str]
"""Path, rule, digest of the line and severity of a finding."""
Baseline = Counter[Key]
"""Number of findings by that, so that a line that only moved stays the same."""
_GRADES: Final = ("block", "warn", "hint")


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


def since(old: Sequence[Piece], before: Sequence[Found], new: Sequence[Piece], found: Sequence[Found]) -> list[Found]:
    """Findings in new lines, and those in other lines that the old text had not: what a line does may be changed from above."""
    lines, known = new_lines(old, new), Counter(keys(before, old))
    there = [one for one in found if (one[0].piece, one[0].line) not in lines]
    worse = unknown(there, new, known)
    return [one for one in found if one in worse or (one[0].piece, one[0].line) in lines]


def keys(found: Iterable[Found], pieces: Sequence[Piece]) -> list[Key]:
    """Keys that identify the findings. Of its line only a digest goes into a file: it may hold a password."""
    lines = {
        (piece.name, piece.first_line + n): line for piece in pieces for n, line in enumerate(piece.source.split("\n"))
    }
    return [
        (_plain(where.path), finding.rule, _digest(lines.get((where.piece, where.line), "")), finding.severity)
        for where, finding in found
    ]


def _plain(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/"))


def _digest(line: str) -> str:
    return hashlib.sha256(line.strip().encode(errors="replace")).hexdigest()[:16]


def unknown(found: Sequence[Found], pieces: Sequence[Piece], baseline: Baseline) -> list[Found]:
    """Findings that the baseline does not have, or not as grave; of several alike it covers only as many as it counts."""
    left = Counter(baseline)
    fresh = []
    for one, key in zip(found, keys(found, pieces), strict=True):
        grades = reversed(_GRADES[: _GRADES.index(key[3]) + 1])
        known = next((each for grade in grades if left[each := (*key[:3], grade)] > 0), None)
        if known is not None:
            left[known] -= 1
        else:
            fresh.append(one)
    return fresh


def written(known: Iterable[Key]) -> str:
    """Write a baseline as text; the same findings give the same text."""
    rows = [{"path": path, "rule": rule, "line": line, "severity": grade} for path, rule, line, grade in sorted(known)]
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
        return Counter((_plain(row["path"]), row["rule"], row["line"], row["severity"]) for row in decoded["findings"])
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("not a baseline: a finding lacks its path, rule, line or severity") from error
