"""``spark-jupyter check``: the guardrail on files, for people, for pre-commit and for code hosts."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import TextIO

import msgspec
from jupyter_core.paths import jupyter_config_path

from spark_jupyter import __version__
from spark_jupyter.fronts.text.words import allowed_text, rule_text
from spark_jupyter.guardrail.policy import Policy
from spark_jupyter.guardrail.report import Location, StreamReport, check_text, stream_report
from spark_jupyter.guardrail.sarif import sarif
from spark_jupyter.guardrail.sources import OtherLanguage, pieces
from spark_jupyter.source.hidden import printable
from spark_jupyter.speech.prompts import correction
from spark_jupyter.userconfig import severities
from spark_jupyter.wire.messages import Finding

Found = tuple[Location, Finding]


def check_files(
    files: Sequence[str],
    *,
    out: TextIO,
    as_json: bool = False,
    as_sarif: bool = False,
    stream: bool = False,
    fix_prompt: bool = False,
) -> int:
    """Check the files (``-``: stdin) and print what was found. Returns the exit code: 0, 1 where something blocks, 2 where a file
    can't be read (the others are checked). A notebook of another language is named and no error."""
    policy = Policy(severities=severities(jupyter_config_path()))
    found: list[tuple[str, list[Found]]] = []
    reports: list[tuple[str, StreamReport]] = []
    unread = False
    for name in files:
        try:
            text = _read(name)
            found.append((name, check_text(text, path=_shown(name), policy=policy)))
            if stream:
                reports += [
                    (f"{_shown(name)} {piece.name}", stream_report(piece.source, clock=perf_counter))
                    for piece in pieces(text, path=name)
                ]
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            print(printable(f"spark-jupyter: {_shown(name)}: {reason}"), file=sys.stderr)
            unread = unread or not isinstance(error, OtherLanguage)
    _print(found, reports, out=out, as_json=as_json, as_sarif=as_sarif, fix_prompt=fix_prompt)
    if unread:
        return 2
    return 1 if any(finding.blocks for _, rows in found for _, finding in rows) else 0


def _read(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    with open(name, encoding="utf-8", errors="replace") as file:
        return file.read()


def _shown(name: str) -> str:
    return "stdin" if name == "-" else name


def _print(
    found: list[tuple[str, list[Found]]],
    reports: list[tuple[str, StreamReport]],
    *,
    out: TextIO,
    as_json: bool,
    as_sarif: bool,
    fix_prompt: bool,
) -> None:
    if as_sarif:
        per_file = [(_shown(name), [finding for _, finding in rows]) for name, rows in found]
        print(json.dumps(sarif(per_file, version=__version__), indent=2), file=out)
    elif as_json:
        print(json.dumps(_json(found, reports), indent=2), file=out)
    elif fix_prompt:
        findings = [finding for _, rows in found for _, finding in rows if finding.allowed is None]
        print(printable(correction(findings, "")) if findings else "There is nothing to mend.", file=out)
    else:
        for line in _lines(found, reports):
            print(printable(line), file=out)


def _json(found: list[tuple[str, list[Found]]], reports: list[tuple[str, StreamReport]]) -> dict[str, object]:
    rows = [
        {"path": where.path, "cell": where.piece, **msgspec.to_builtins(finding)}
        for _, rows in found
        for where, finding in rows
    ]
    answer: dict[str, object] = {"findings": rows}
    if reports:
        answer["stream"] = [{"piece": name, **msgspec.to_builtins(report)} for name, report in reports]
    return answer


def _lines(found: list[tuple[str, list[Found]]], reports: list[tuple[str, StreamReport]]) -> list[str]:
    lines = []
    for _, rows in found:
        for where, finding in rows:
            what = f"{finding.severity} [{rule_text(finding)}] {finding.message}{allowed_text(finding)}"
            lines.append(f"{where}:{finding.column + 1}: {what} {finding.remedy}".rstrip())
    for name, report in reports:
        lines.append(f"{name}: {report.tokens} tokens, {report.mean_us:.1f} µs a token, p99 {report.p99_us:.0f} µs")
        lines += [
            f"  line {streamed.finding.line} [{streamed.finding.rule}] {streamed.delay} token(s) after its end"
            for streamed in report.findings
        ]
    return lines
