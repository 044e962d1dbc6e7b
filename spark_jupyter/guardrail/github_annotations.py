"""Findings as GitHub workflow commands.

GitHub shows them at the lines of a change (its manual, "Workflow commands").
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.file_check import Location
from spark_jupyter.protocol.values import Aside, Finding

_LEVELS: Final = {"block": "error", "warn": "warning", "hint": "notice"}


def annotation(where: Location, finding: Finding) -> str:
    """Annotation of one finding. A notebook's lines are not those of its file: there the text says the cell."""
    title = finding.rule if finding.cwe is None else f"{finding.rule} CWE-{finding.cwe}"
    said = f"{finding.message} {finding.remedy}".rstrip()
    return _command(_LEVELS[finding.severity], where, finding.column, title, _with_page(said, finding.page))


def notice(where: Location, aside: Aside) -> str:
    """Notice for one aside."""
    return _command("notice", where, 0, "To know", _with_page(aside.message, aside.page))


def _with_page(said: str, page: str) -> str:
    return f"{said} ({page})" if page else said


def _command(level: str, where: Location, column: int, title: str, said: str) -> str:
    script = where.piece == "script"
    place = {"file": where.path.replace("\\", "/")}
    if script:
        place |= {"line": str(where.line), "col": str(column + 1)}
    place["title"] = title
    text = said if script else f"{where.piece}, line {where.line}: {said}"
    properties = ",".join(f"{name}={_property(value)}" for name, value in place.items())
    return f"::{level} {properties}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
