"""Messages of findings, and the nearest real name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler

from spark_jupyter.protocol.values import Finding, Severity


class Rule(StrEnum):
    """The rules of the reality check."""

    UNDEFINED_NAME = "undefined-name"
    MISSING_MODULE = "missing-module"
    MISSING_ATTRIBUTE = "missing-attribute"
    MISSING_COLUMN = "missing-column"
    UNKNOWN_KEYWORD = "unknown-keyword"
    MISSING_ARGUMENT = "missing-argument"
    TOO_MANY_ARGUMENTS = "too-many-arguments"
    UNKNOWN_VALUE = "unknown-value"
    MISSING_KEY = "missing-key"
    MISSING_FILE = "missing-file"
    DEPRECATED = "deprecated"
    UNION_BY_POSITION = "union-by-position"
    JOIN_KEY_TYPES = "join-key-types"


MAX_NAMES = 3000
"""Among more names than this the nearest is not looked for."""


def finding(
    rule: Rule,
    message: str,
    *,
    line: int,
    column: int,
    remedy: str = "",
    severity: Severity = "block",
    wrong: str = "",
    meant: str | None = None,
) -> Finding:
    return Finding(
        rule=rule.value,
        severity=severity,
        line=line,
        column=column,
        message=message,
        remedy=remedy,
        origin="reality",
        page=f"docs/rules/{rule.value}.md",
        wrong=wrong,
        meant=meant or "",
    )


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was most likely meant, None where none is near."""
    known = [other for other in names if type(other) is str]
    return _nearest(name, tuple(known[:MAX_NAMES])) if known and len(name) <= 200 else None


@lru_cache(512)
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    lowered: dict[str, str] = {}
    for other in known:
        lowered.setdefault(_plain(other), other)
    if _plain(name) in lowered:
        return lowered[_plain(name)]
    found = process.extractOne(name, known, scorer=JaroWinkler.normalized_similarity, score_cutoff=0.82)
    if found is not None:
        return str(found[0])
    parts = [other for other in known if min(len(other), len(name)) > 3 and (other in name or name in other)]
    return max(parts, key=len) if parts else None


@lru_cache(4096)
def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def did_you_mean(name: str | None, *, signature: str = "") -> str:
    """The remedy as a sentence; "" where nothing is near."""
    if not name:
        return ""
    return f"Did you mean `{name}`?" + (f" Its signature: `{signature}`." if signature else "")


def with_listing(name: str | None, what: str, names: Iterable[object]) -> str:
    """As :func:`did_you_mean`, and then what there is: ``what`` are ``names``."""
    listed = listing(names)
    return f"{did_you_mean(name)} {what} are: {listed}.".strip() if listed else did_you_mean(name)


def listing(names: Iterable[object], *, at_most: int = 12) -> str:
    """Names in a sentence."""
    shown = [str(name) for name in names if type(name) in (str, int) and not re.fullmatch(r"level_\d+", str(name))]
    return ", ".join(shown[:at_most]) + (", …" if len(shown) > at_most else "")
