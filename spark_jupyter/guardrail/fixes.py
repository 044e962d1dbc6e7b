"""Automatic fixes for findings.

A fix exists only where the fixed code does what the author meant and only the weakness is gone.

Each mend changes a call where it stands, so that comments and layout stay. It counts only where the finding is gone afterwards, none is new
and the code still parses: :func:`mended` judges the result as any other code.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from spark_jupyter.guardrail.line_parser import tree
from spark_jupyter.guardrail.scanner import Scanner
from spark_jupyter.guardrail.severities import DEFAULT, Policy
from spark_jupyter.guardrail.taint_state import Context
from spark_jupyter.guardrail.taint_values import words
from spark_jupyter.protocol.values import Finding
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.splices import Positions, Splice, spliced

MENDS_LIMIT: Final = 200
"""Most fixes of one cell or script that are tried one by one: each needs a new check of the whole."""
_LINES_LIMIT: Final = 100_000
"""Most lines that those checks read."""


class Mend(NamedTuple):
    """The edits of one call, and the module that they need."""

    edits: tuple[Splice, ...]
    module: str = ""


Mender = Callable[[ast.Call, Positions], "Mend | None"]

_YAML: Final = {
    "load": "safe_load",
    "load_all": "safe_load_all",
    "full_load": "safe_load",
    "full_load_all": "safe_load_all",
    "unsafe_load": "safe_load",
    "unsafe_load_all": "safe_load_all",
}


def _of(call: ast.Call, module: str) -> str:
    """Name of the called attribute of ``module``; empty for any other call."""
    function = call.func
    own = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == module
    return function.attr if own and isinstance(function, ast.Attribute) else ""


def _with_argument(call: ast.Call, text: str, at: Positions) -> Splice:
    """Append an argument to the call."""
    end = max((at.end(one) for one in (*call.args, *call.keywords)), default=None)
    return Splice(at.end(call) - 1, at.end(call) - 1, text) if end is None else Splice(end, end, f", {text}")


def _keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((word for word in call.keywords if word.arg == name), None)


def _yaml(call: ast.Call, at: Positions) -> Mend | None:
    """``yaml.load(f, Loader=yaml.Loader)`` → ``yaml.safe_load(f)``."""
    safe = _YAML.get(_of(call, "yaml"))
    if safe is None or not call.args:
        return None
    name = Splice(at.end(call.func) - len(_of(call, "yaml")), at.end(call.func), safe)
    loader = _keyword(call, "Loader") or (call.args[1] if len(call.args) > 1 else None)
    return Mend((name,) if loader is None else (name, at.without_argument(call, loader)))


def _checksum(call: ast.Call, at: Positions) -> Mend | None:
    """``hashlib.md5(data)`` → ``hashlib.md5(data, usedforsecurity=False)``: where it only tells files apart, which the rule says."""
    if _of(call, "hashlib") not in ("md5", "sha1", "new") or _keyword(call, "usedforsecurity"):
        return None
    return Mend((_with_argument(call, "usedforsecurity=False", at),))


def _extraction(call: ast.Call, at: Positions) -> Mend | None:
    """``tar.extractall(path)`` → ``tar.extractall(path, filter="data")`` (PEP 706)."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else ""
    if name not in ("extractall", "extract", "unpack_archive") or any(
        word.arg in ("filter", None) for word in call.keywords
    ):
        return None
    return Mend((_with_argument(call, 'filter="data"', at),))


def _random(call: ast.Call, at: Positions) -> Mend | None:
    """``random.choice(letters)`` → ``secrets.choice(letters)``; the others by the same names of ``secrets.SystemRandom()``."""
    name = _of(call, "random")
    if not name or name in ("seed", "Random") or not isinstance(call.func, ast.Attribute):
        return None
    module = "secrets" if name == "choice" else "secrets.SystemRandom()"
    return Mend((Splice(*at.span(call.func.value), module),), module="secrets")


_RUNS: Final = words("run call Popen check_call check_output")
_SHELL_ONLY: Final = re.compile(r"[|&;<>()$`\\\"'*?~#=%!{}\[\]\n]")
"""Characters that a shell interprets (POSIX.1-2024, Shell Command Language, 2.2)."""


def _process(call: ast.Call, at: Positions) -> Mend | None:
    """``subprocess.run("git log", shell=True)`` → ``subprocess.run(["git", "log"])``; a word with ``{x}`` in it stays one word."""
    shell = _keyword(call, "shell")
    if _of(call, "subprocess") not in _RUNS or shell is None or not call.args:
        return None
    listed = _as_list(call.args[0])
    if listed is None or at.start(shell) < at.end(call.args[0]):
        return None
    return Mend((Splice(*at.span(call.args[0]), listed), at.without_argument(call, shell)))


def _as_list(command: ast.expr) -> str | None:
    """Command as source code of a list of words; None if a shell does more than split it."""
    if isinstance(command, ast.Constant) and isinstance(command.value, str):
        if _SHELL_ONLY.search(command.value):
            return None
        return "[" + ", ".join(_quoted(word) for word in shlex.split(command.value)) + "]"
    if not isinstance(command, ast.JoinedStr):
        return None
    rows: list[list[ast.expr]] = [[]]
    for part in command.values:
        if not (isinstance(part, ast.Constant) and isinstance(part.value, str)):
            rows[-1].append(part)
            continue
        if _SHELL_ONLY.search(part.value.replace("=", "")):
            return None
        pieces = re.split(r"(\s+)", part.value)
        for piece in pieces:
            if piece.isspace():
                rows.append([])
            elif piece:
                rows[-1].append(ast.Constant(piece))
    rows = [row for row in rows if row]
    program = rows[0] if rows else []
    if not program or not all(isinstance(piece, ast.Constant) and "=" not in str(piece.value) for piece in program):
        return None  # the program itself comes from elsewhere, or has a variable of the environment before it
    return "[" + ", ".join(map(_word, rows)) + "]"


def _word(row: list[ast.expr]) -> str:
    if all(isinstance(piece, ast.Constant) for piece in row):
        return _quoted("".join(str(piece.value) for piece in row if isinstance(piece, ast.Constant)))
    only = row[0]
    if len(row) == 1 and isinstance(only, ast.FormattedValue) and only.conversion == -1 and only.format_spec is None:
        return f"str({ast.unparse(only.value)})"
    return ast.unparse(ast.JoinedStr(row))


def _quoted(word: str) -> str:
    return f'"{word}"'


MENDERS: Final[dict[str, tuple[Mender, ...]]] = {
    "unsafe-deserialisation": (_yaml,),
    "weak-hash": (_checksum,),
    "archive-extraction": (_extraction,),
    "predictable-random": (_random,),
    "command-injection": (_process,),
    "shell-without-need": (_process,),
}
"""Fixes of a rule, by its id."""


def mended(source: str, *, context: Context | None = None, policy: Policy = DEFAULT) -> tuple[str, list[Finding]]:
    """Apply the safe fixes; return the new source and the findings that are gone. ``context`` is what earlier cells established. Where a
    return alone ends a line nothing is mended: editors and Python count such lines, and files do not."""
    if "\r" in source.replace("\r\n", "\n"):
        return source, []
    gone: list[Finding] = []
    tried: set[tuple[str, int]] = set()
    found = _findings(source, context, policy)
    todo = [one for one in found if _mendable(one)]
    if len(todo) > 1:
        better = _without(source, todo, found, context, policy)
        if better is not None and len(better[1]) == len(found) - len(todo) and not any(map(_mendable, better[1])):
            return better[0], todo
    for _ in range(min(MENDS_LIMIT, 1 + _LINES_LIMIT // (source.count("\n") + 1))):
        finding = next((one for one in found if _mendable(one) and (one.rule, one.line) not in tried), None)
        if finding is None:
            break
        tried.add((finding.rule, finding.line))
        better = _without(source, [finding], found, context, policy)
        if better is not None:
            shift = better[0].count("\n") - source.count("\n")
            tried = {(rule, line + shift) for rule, line in tried}
            source, found = better
            gone.append(finding)
    return source, gone


def _findings(source: str, context: Context | None, policy: Policy) -> list[Finding]:
    scanner = Scanner(context, policy=policy)
    return scanner.feed(source) + scanner.flush()


def _mendable(finding: Finding) -> bool:
    """True if the finding may be fixed: a weak hash only if it is a hint, where the hash protects nothing."""
    if finding.allowed is not None or finding.rule not in MENDERS:
        return False
    return finding.rule != "weak-hash" or finding.severity == "hint"


def _without(
    source: str, todo: Sequence[Finding], found: Sequence[Finding], context: Context | None, policy: Policy
) -> tuple[str, list[Finding]] | None:
    """Fix findings; return the source and its findings, or None if no fix removes any without a new finding."""
    body = tree(python_only(source))
    if body is None:
        return None
    place = Positions(source)
    rules: dict[int, list[str]] = {}
    for finding in todo:
        rules.setdefault(finding.line, []).append(finding.rule)
    # all of the line: several calls may have the one finding
    mends = [
        mend
        for statement in body
        for call in ast.walk(statement)
        if isinstance(call, ast.Call)
        for line in range(call.lineno, (call.end_lineno or call.lineno) + 1)
        for rule in rules.get(line, ())
        for mender in MENDERS[rule]
        if (mend := mender(call, place)) is not None
    ]
    candidate = _applied(source, mends, body, place)
    left = _findings(candidate, context, policy)
    better = tree(python_only(candidate)) is not None and _weight(left) < _weight(found)
    return (candidate, left) if better else None


def _weight(findings: Sequence[Finding]) -> tuple[int, int, int]:
    """Count the findings by severity: (blocking, warning, hint)."""
    grades = [finding.severity for finding in findings]
    return grades.count("block"), grades.count("warn"), grades.count("hint")


def _applied(source: str, mends: Sequence[Mend], body: Sequence[ast.stmt], place: Positions) -> str:
    edits = {edit for mend in mends for edit in mend.edits}
    for module in {mend.module for mend in mends if mend.module}:
        if not _imports(body, module):
            edits.add(_import(source, body, module, place))
    return spliced(source, edits)


def _imports(body: Sequence[ast.stmt], module: str) -> bool:
    return any(
        alias.name == module and alias.asname is None
        for statement in body
        if isinstance(statement, ast.Import)
        for alias in statement.names
    )


def _import(source: str, body: Sequence[ast.stmt], module: str, place: Positions) -> Splice:
    """Insert an import before the first one, else before the first statement after a docstring."""
    imports = [
        statement
        for statement in body
        if isinstance(statement, ast.Import | ast.ImportFrom) and getattr(statement, "module", "") != "__future__"
    ]
    rest = [statement for statement in body if not _is_docstring(statement)] or list(body)
    at = place.start((imports or rest)[0])
    end = "\r\n" if "\r\n" in source else "\n"
    return Splice(at, at, f"import {module}{end}")


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
