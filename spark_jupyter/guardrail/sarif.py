"""Findings as SARIF 2.1.0.

OASIS, "Static Analysis Results Interchange Format"; code hosts show it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import quote

from spark_jupyter.guardrail.file_check import Location
from spark_jupyter.guardrail.rule_pages import page
from spark_jupyter.guardrail.rules import RULES, why
from spark_jupyter.protocol.values import Finding

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"block": "error", "warn": "warning", "hint": "note"}

Json = dict[str, object]


def sarif(found: Iterable[tuple[Location, Finding]], *, version: str = "") -> Json:
    """One run with the findings of files. Those of a notebook name their cell: its lines are not those of the file.

    An allowed finding is a suppressed result (SARIF 3.27.23): shown, with its reason, and not counted.
    """
    rows = list(found)
    findings = [finding for _, finding in rows]
    rules = sorted({finding.rule for finding in findings})
    driver: Json = {"name": "spark-jupyter", "rules": [_rule(rule, findings) for rule in rules]}
    if version:
        driver["version"] = version
    results = [_result(where, finding, rules) for where, finding in rows]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}],
    }


def _rule(rule: str, findings: list[Finding]) -> Json:
    known = RULES.by_id.get(rule)
    finding = next(one for one in findings if one.rule == rule)
    message, remedy = (known.message, known.remedy) if known is not None else (finding.message, finding.remedy)
    entry: Json = {"id": rule, "shortDescription": {"text": message}, "properties": {"tags": ["security"]}}
    if remedy:
        entry["help"] = {"text": remedy}
    if known is not None:
        entry["help"] = {"text": remedy, "markdown": page(known, why(rule))}  # what a code host shows beside the result
    cwe = known.cwe if known is not None else finding.cwe
    if cwe is not None:
        entry["properties"] = {"tags": ["security", f"external/cwe/cwe-{cwe:03d}"]}
        entry["helpUri"] = f"https://cwe.mitre.org/data/definitions/{cwe}.html"
    return entry


def _result(where: Location, finding: Finding, rules: list[str]) -> Json:
    text = finding.message + (f" {finding.remedy}" if finding.remedy else "")
    in_cell = where.piece.startswith("cell ")
    place: Json = {
        "artifactLocation": {"uri": quote(where.path.replace("\\", "/"), safe="/:")},
        # without a line GitHub takes none
        "region": {"startLine": 1} if in_cell else {"startLine": where.line, "startColumn": finding.column + 1},
    }
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{where.piece}, line {where.line}: {text}" if in_cell else text},
        "locations": [{"physicalLocation": place}],
    }
    if in_cell:  # by which a code host tells two results apart
        result["partialFingerprints"] = {"primaryLocationLineHash": f"{where.piece}:{where.line}"}
    if finding.cwe is not None:
        result["taxa"] = [{"id": str(finding.cwe), "toolComponent": {"name": "CWE"}}]
    if finding.allowed is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.allowed}]
    return result
