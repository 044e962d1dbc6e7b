"""Findings as SARIF 2.1.0.

OASIS, "Static Analysis Results Interchange Format"; code hosts show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from spark_jupyter.guardrail.rule_pages import page
from spark_jupyter.guardrail.rules import RULES, why
from spark_jupyter.protocol.values import Finding

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"block": "error", "warn": "warning", "hint": "note"}

Json = dict[str, object]


def sarif(found: Iterable[tuple[str, Sequence[Finding]]], *, version: str = "") -> Json:
    """One run with the findings of several files, given as (path, findings). Lines are those of the file.

    An allowed finding is a suppressed result (SARIF 3.27.23): shown, with its reason, and not counted.
    """
    files = [(path.replace("\\", "/"), list(findings)) for path, findings in found]
    rules = sorted({finding.rule for _, findings in files for finding in findings})
    driver: Json = {"name": "spark-jupyter", "rules": [_rule(rule, files) for rule in rules]}
    if version:
        driver["version"] = version
    results = [_result(path, finding, rules) for path, findings in files for finding in findings]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}],
    }


def _rule(rule: str, files: list[tuple[str, list[Finding]]]) -> Json:
    known = RULES.by_id.get(rule)
    finding = next(one for _, findings in files for one in findings if one.rule == rule)
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


def _result(path: str, finding: Finding, rules: list[str]) -> Json:
    region = {"startLine": finding.line, "startColumn": finding.column + 1}
    text = finding.message + (f" {finding.remedy}" if finding.remedy else "")
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": path}, "region": region}}],
    }
    if finding.cwe is not None:
        result["taxa"] = [{"id": str(finding.cwe), "toolComponent": {"name": "CWE"}}]
    if finding.allowed is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.allowed}]
    return result
