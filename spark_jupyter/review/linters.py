"""Linters for a cell: ruff, bandit and detect-secrets.

Off the stream's path, at the end of a cell. Each tool runs with a time limit, and its findings are merged with the scanner's: nothing
twice, nothing of low value (asserts, ``import subprocess``). A tool that is missing, slow or broken finds nothing and is named in
:attr:`Opinion.silent`; it never breaks a turn. Its canary (:func:`canary`) tells silence from health.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Final

from msgspec import Struct

from spark_jupyter.guardrail.credential_patterns import credential_in, is_placeholder, known_key
from spark_jupyter.guardrail.line_parser import tree
from spark_jupyter.library_logs import keep_out_logs
from spark_jupyter.protocol.values import Finding
from spark_jupyter.source.lexer import logical_lines, python_only
from spark_jupyter.source.warning_filters import filters_of_libraries

_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
TIMEOUT: Final = 5.0
"""Seconds that a tool may take for a cell."""

_LOW: Final = "101 103 104 105 106 107 108 110 112 113 311 320 401 402 403 404 405 406 407 408 409 410 411 412 413 415 603 606 607"
LOW_VALUE: Final = frozenset(f"{tool}{number}" for tool in "SB" for number in _LOW.split())
"""Asserts, try/except/pass, imports, processes without a shell, partial paths, /tmp, pseudo-random numbers, timeouts, and what
the scanner's own rules judge more strictly: bind-all, passwords by name."""

_BY_CWE: Final = {
    22: "S202 S310",
    78: "S102 S601 S602 S604 S605 S609",
    79: "S308 S701 S702 S704",
    89: "S608 S610 S611",
    94: "S612",
    95: "S307",
    215: "S201",
    295: "S323 S501 S507",
    319: "S312 S321 S508 S509",
    326: "S505",
    327: "S304 S305 S502 S503 S504",
    328: "S303 S324",
    377: "S306",
    502: "S301 S302 S506",
    611: "S313 S314 S315 S316 S317 S318 S319",
}
CWES: Final = {rule: cwe for cwe, rules in _BY_CWE.items() for rule in rules.split()}
_DETECTORS: Final = (
    "Artifactory AWSKey AzureStorageKey DiscordBotToken GitHubToken GitLabToken JwtToken Mailchimp "
    "Npm OpenAI PrivateKey PypiToken SendGrid Slack SquareOAuth Stripe TelegramBotToken TwilioKey"
)
SECRET_PLUGINS: Final = tuple(f"{name}Detector" for name in _DETECTORS.split())

Tool = Callable[[str, float], list[Finding]]


class Opinion(Struct, frozen=True):
    """Findings of the tools beyond the scanner's, and the tools that failed."""

    findings: tuple[Finding, ...] = ()
    silent: tuple[str, ...] = ()


def second_opinion(
    source: str, *, findings: Sequence[Finding] = (), earlier: Sequence[str] = (), timeout: float = TIMEOUT
) -> Opinion:
    """Run ruff, bandit and detect-secrets on a cell, and return their additions to ``findings``. ``earlier`` are the cells before it,
    whose imports the tools need to see. Blocks for at most ``timeout`` seconds a tool: call it off the stream's path."""
    prefix = imports(earlier)
    text = prefix + parsable(source)
    shift = prefix.count("\n")
    heard: list[Finding] = []
    silent: list[str] = []
    for name, tool in TOOLS.items():
        said = _limited(tool, text, timeout)
        if said is None:
            silent.append(name)
        else:
            heard += said
    here = [_moved(finding, shift) for finding in heard if finding.line > shift]
    return Opinion(tuple(merge(findings, here)), tuple(silent))


def _limited(tool: Tool, text: str, timeout: float) -> list[Finding] | None:
    """Findings of a tool within its time; None if it failed or is late. Its thread does not keep the program alive."""
    said: list[list[Finding]] = []

    def run() -> None:
        with suppress(Exception), filters_of_libraries():  # whatever a wrapped tool raises, it is then named as silent
            said.append(tool(text, timeout))

    thread = Thread(target=run, name="spark-second-opinion", daemon=True)
    thread.start()
    thread.join(timeout + 1)
    return said[0] if said else None


def merge(known: Sequence[Finding], heard: Iterable[Finding]) -> list[Finding]:
    """Those of ``heard`` that say something new: no low-value rule, nothing on a line where the same CWE, or the same family of
    weakness, is known."""
    seen = {(finding.line, _family(finding.cwe)) for finding in known}
    new: list[Finding] = []
    for finding in sorted(heard, key=lambda one: (one.line, one.rule)):
        key = (finding.line, _family(finding.cwe))
        if key in seen or finding.rule.rpartition(":")[2] in LOW_VALUE:
            continue
        seen.add(key)
        new.append(finding)
    return new


_FAMILIES: Final = (
    {77, 78, 88, 73},
    {94, 95, 78},
    {326, 327, 328, 329, 916, 759, 760},
    {611, 776, 827, 20},
    {798, 259, 321, 522},
    {295, 327},
    {79, 80, 94},
    {502, 94},
    {330, 331, 338},
    {22, 434},
)


def _family(cwe: int | None) -> object:
    """Tools name the same weakness by neighbouring CWEs: one number stands for all of a family."""
    for family in _FAMILIES:
        if cwe in family:
            return min(family)
    return cwe


def imports(cells: Sequence[str]) -> str:
    """The import lines of earlier cells: ruff and bandit judge names by the imports in the same text."""
    found: dict[str, None] = {}
    for cell in cells:
        for line in logical_lines(cell):
            if (
                line.kind == "code"
                and not line.indent
                and line.text.startswith(("import ", "from "))
                and tree(line.text)
            ):
                found.setdefault(line.text.replace("\n", " ") if "(" in line.text else line.text)
    return "".join(f"{line}\n" for line in found)


def parsable(source: str) -> str:
    """The cell's Python as far as it parses, each line where it was: one syntax error silences the tools."""
    text = python_only(source)
    lines = text.split("\n")
    while lines and tree(text) is None and len(lines) < 2_000:
        lines = _without_last_statement(lines)
        text = "\n".join(lines)
        if not any(lines):
            break
    return text


def _without_last_statement(lines: list[str]) -> list[str]:
    """A cell that was cut: leave out half of what is there until the rest parses (a few steps, not one a line)."""
    keep = next((index for index in range(len(lines) - 1, 0, -1) if lines[index] and not lines[index][:1].isspace()), 0)
    return lines[: min(keep, max(len(lines) - max(1, len(lines) // 8), 0))]


def _moved(finding: Finding, shift: int) -> Finding:
    from msgspec.structs import replace

    return replace(finding, line=finding.line - shift) if shift else finding


# --- the tools ---------------------------------------------------------------------------------------------------------


def ruff(text: str, timeout: float = TIMEOUT) -> list[Finding]:
    """Ruff's S rules (flake8-bandit), by its installed program. Raises OSError or ValueError where it doesn't run."""
    command = [
        ruff_program(),
        "check",
        "--isolated",
        "--ignore-noqa",
        "--select",
        "S",
        "--output-format",
        "json",
        "--exit-zero",
        "--no-cache",
        "--stdin-filename",
        "cell.py",
        "-",
    ]
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, encoding="utf-8", timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"ruff took more than {timeout} s") from error
    if done.returncode != 0:
        raise ValueError(f"ruff ended with {done.returncode}: {done.stderr[:200]}")
    return [finding for row in json.loads(done.stdout or "[]") if (finding := _from_ruff(row)) is not None]


def ruff_program() -> str:
    """The ruff of this environment. Raises OSError where there is none."""
    beside = Path(sys.executable).with_name("ruff.exe" if sys.platform == "win32" else "ruff")
    if beside.exists():
        return str(beside)
    from shutil import which

    found = which("ruff")
    if found is None:
        raise OSError("ruff is not installed")
    return found


def _from_ruff(row: dict[str, object]) -> Finding | None:
    code, place = row.get("code"), row.get("location")
    if not isinstance(code, str) or not code.startswith("S") or not isinstance(place, dict):
        return None
    return Finding(
        rule=f"ruff:{code}", severity="warn", line=int(place["row"]), column=int(place["column"]) - 1,
        message=str(row.get("message", "")), cwe=CWES.get(code), origin="second-opinion",
    )  # fmt: skip


def bandit(text: str, timeout: float = TIMEOUT) -> list[Finding]:
    """Bandit's plugins in this process, on text in memory."""
    # these log while bandit is imported
    keep_out_logs("stevedore._cache", "stevedore.extension", "stevedore.named", "bandit.core.test_properties")
    from bandit.core import config, meta_ast, metrics, node_visitor, test_set  # type: ignore[import-untyped]

    keep_out_logs("bandit")
    del timeout
    settings = config.BanditConfig()
    numbers = metrics.Metrics()
    numbers.begin("./cell.py")
    data = _ESCAPE.sub(_valid_escape, text).encode()
    visitor = node_visitor.BanditNodeVisitor(
        "./cell.py", io.BytesIO(data), meta_ast.BanditMetaAst(), test_set.BanditTestSet(settings), False, {}, numbers
    )
    visitor.process(data)
    return [
        Finding(
            rule=f"bandit:{issue.test_id}", severity="warn", line=issue.lineno, column=max(0, issue.col_offset), message=issue.text,
            cwe=CWES.get(f"S{issue.test_id[1:]}", issue.cwe.id or None), origin="second-opinion",
        )
        for issue in visitor.tester.results
        if issue.confidence != "LOW"
    ]  # fmt: skip


def _valid_escape(match: re.Match[str]) -> str:
    """Python warns of an invalid escape each time that bandit parses it: write it as it is meant."""
    return match[0] if match[1] in "\n\r'\"\\abfnrtvxuUN01234567" else "\\" + match[0]


def detect_secrets(text: str, timeout: float = TIMEOUT) -> list[Finding]:
    """detect-secrets' detectors of known forms, on each line; placeholders and words are no secrets."""
    from detect_secrets.core.plugins import initialize
    from detect_secrets.plugins.base import BasePlugin

    del timeout
    plugins: list[BasePlugin] = [initialize.from_plugin_classname(name) for name in SECRET_PLUGINS]
    found: list[Finding] = []
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 2_000 or len(line) < 12:
            continue
        for plugin in plugins:
            for secret in plugin.analyze_line(filename="cell.py", line=line, line_number=number):
                value = secret.secret_value or ""
                held = value if len(value) >= 12 else line
                if is_placeholder(value) or not (credential_in(held) or known_key(held) or "PRIVATE KEY" in held):
                    continue
                kind = secret.type
                found.append(
                    Finding(
                        rule="detect-secrets", severity="block", line=number, message=f"This line holds a credential ({kind}).", cwe=798,
                        remedy='Take it from the environment: os.environ["NAME"].', origin="second-opinion",
                    )
                )  # fmt: skip
    return found


TOOLS: Final[dict[str, Tool]] = {"ruff": ruff, "bandit": bandit, "detect-secrets": detect_secrets}


def canary(name: str) -> bool:
    """True if a tool still finds a planted fault. A changed flag once made one report nothing at all."""
    key = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
    text = f'import yaml, subprocess\nyaml.load(data)\nsubprocess.run(command, shell=True)\nx = "{key}"\n'
    lines: set[int] = set()
    with suppress(Exception):  # whatever a wrapped tool raises: it is silent
        lines = {finding.line for finding in TOOLS[name](text, TIMEOUT)}
    return 4 in lines if name == "detect-secrets" else {2, 3} <= lines


__all__ = ["LOW_VALUE", "TOOLS", "Opinion", "bandit", "canary", "detect_secrets", "merge", "ruff", "second_opinion"]
