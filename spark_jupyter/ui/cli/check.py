"""``spark-jupyter check``: the guardrail on files, for people, pre-commit and code hosts."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import TextIO

import msgspec
from jupyter_core.paths import jupyter_config_path
from msgspec import Struct

from spark_jupyter import __version__
from spark_jupyter.exceptions import CheckError, NotebookError
from spark_jupyter.guardrail import Context, learn
from spark_jupyter.guardrail.baseline import (
    Baseline,
    Found,
    Key,
    in_lines,
    keys,
    new_lines,
    read,
    since,
    unknown,
    written,
)
from spark_jupyter.guardrail.code_files import MARKDOWN, OtherLanguage, Piece, pieces
from spark_jupyter.guardrail.file_check import Location, StreamReport, asides_of, check_pieces, stream_report
from spark_jupyter.guardrail.fixes import mended
from spark_jupyter.guardrail.github_annotations import annotation, notice
from spark_jupyter.guardrail.rule_pages import page
from spark_jupyter.guardrail.rules import RULES, why
from spark_jupyter.guardrail.sarif import sarif
from spark_jupyter.guardrail.severities import Policy
from spark_jupyter.prompting.corrections import correction
from spark_jupyter.protocol.notebook_validation import why_not_json
from spark_jupyter.protocol.values import Aside, Finding
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.cli.git_revision import text_at
from spark_jupyter.ui.cli.notebook_files import bytes_of, replace_file
from spark_jupyter.ui.cli.text_files import encoding_of, text_of
from spark_jupyter.ui.text.words import allowed_text, rule_text
from spark_jupyter.user_config import severities


class Judged(Struct, frozen=True):
    """Result for one file: its name, the findings that count, and the asides."""

    name: str
    findings: list[Found]
    asides: list[tuple[Location, Aside]]


class Asked(Struct, frozen=True, kw_only=True):
    """Options of the command: output format, and which findings count."""

    as_json: bool = False
    as_sarif: bool = False
    github: bool = False
    stream: bool = False
    fix_prompt: bool = False
    fix: bool = False
    diff: str | None = None
    baseline: str | None = None
    write_baseline: str | None = None


def check_files(files: Sequence[str], asked: Asked, *, out: TextIO) -> int:
    """Check the files (``-``: stdin), and those in the folders, and print what was found. Returns the exit code: 0, 1 where something
    blocks, 2 where a file can't be read or mended (the others are checked). A notebook of another language is named and no error, and what
    was deleted since the revision of ``diff`` has nothing new.

    Raises CheckError for a revision or a baseline that is not there.
    """
    policy = Policy(severities=severities(jupyter_config_path()))
    baseline = _baseline(asked.baseline) if asked.baseline is not None else Baseline()
    found: list[Judged] = []
    known: list[Key] = []
    reports: list[tuple[str, StreamReport]] = []
    unread = False
    for name in chain.from_iterable(map(files_in, files)):
        try:
            if asked.fix:
                _mend(name, policy)
            parts = pieces(_read(name), path=name)
            rows, told = check_pieces(parts, path=_shown(name), policy=policy), asides_of(parts, path=_shown(name))
            if asked.diff is not None and name != "-":
                old = _before(asked.diff, name)
                told = in_lines(told, new_lines(old, parts))
                rows = since(old, check_pieces(old, path=name, policy=policy), parts, rows)
            known += keys(rows, parts)
            found.append(Judged(name, unknown(rows, parts, baseline), told))
            if asked.stream:
                reports += [
                    (f"{_shown(name)} {piece.name}", stream_report(piece.source, clock=perf_counter)) for piece in parts
                ]
        except FileNotFoundError:
            if asked.diff is None or not text_at(asked.diff, name):
                unread = True
                print(_one_line(f"spark-jupyter: {name}: No such file or directory"), file=sys.stderr)
        except NotebookError as error:
            unread = True
            print(_one_line(f"spark-jupyter: {error.message}"), file=sys.stderr)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            print(_one_line(f"spark-jupyter: {_shown(name)}: {reason}"), file=sys.stderr)
            unread = unread or not isinstance(error, OtherLanguage)
    if asked.write_baseline is not None:
        _write_baseline(asked.write_baseline, known)
        print(f"{len(known)} findings written to the baseline.", file=sys.stderr)
        return 2 if unread else 0
    _print(found, reports, asked, out=out)
    if unread:
        return 2
    return 1 if any(finding.blocks for one in found for _, finding in one.findings) else 0


def _write_baseline(name: str, known: list[Key]) -> None:
    try:
        Path(name).write_text(written(known), encoding="utf-8")
    except OSError as error:
        raise CheckError(
            f"The baseline {name} can't be written: {error.strerror}.", remedy="Name another file."
        ) from None


def explained(rule_id: str) -> str:
    """A rule's page. Raises CheckError for one that there is not."""
    from spark_jupyter.reality import rule_explanations as reality

    of_reality = next((rule for rule in reality.EXPLANATIONS if rule.value == rule_id), None)
    if of_reality is not None:
        return reality.page(of_reality)
    rule = RULES.by_id.get(rule_id)
    if rule is None:
        raise CheckError(f"There is no rule {rule_id}.", remedy=f"There are {', '.join(sorted(RULES.by_id))}.")
    return page(rule, why(rule_id))


def _before(revision: str, name: str) -> list[Piece]:
    """The pieces of a file as it was in a revision; none where it could not be checked then, so that all of it is new."""
    text = text_at(revision, name)
    try:
        return pieces(text, path=name) if text else []
    except ValueError:
        return []


def _mend(name: str, policy: Policy) -> None:
    for piece, finding in mend_file(name, policy):
        where = Location(name, piece, finding.line)
        print(_one_line(f"{where}: mended [{rule_text(finding)}] {finding.message}"), file=sys.stderr)


def _baseline(name: str) -> Baseline:
    data = b""
    try:
        data = Path(name).read_bytes()
        return read(data.decode("utf-8-sig"))
    except OSError as error:
        reason: object = error.strerror
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        reason = why_not_json(data)
    except ValueError as error:
        reason = error
    raise CheckError(f"The baseline {name} can't be read: {reason}.", remedy="Write one: --write-baseline FILE.")


def _read(name: str) -> str:
    return text_of(sys.stdin.buffer.read() if name == "-" else bytes_of(name), name)


def _shown(name: str) -> str:
    return "stdin" if name == "-" else name


def _print(found: list[Judged], reports: list[tuple[str, StreamReport]], asked: Asked, *, out: TextIO) -> None:
    if asked.as_sarif:
        rows = chain.from_iterable(one.findings for one in found)
        print(json.dumps(sarif(rows, version=__version__), indent=2), file=out)
    elif asked.as_json:
        print(json.dumps(_json(found, reports), indent=2), file=out)
    elif asked.fix_prompt:
        findings = [finding for one in found for _, finding in one.findings if _to_mend(finding)]
        print(printable(correction(findings, "")) if findings else "There is nothing to fix.", file=out)
    else:
        lines = _annotations(found) if asked.github else _lines(found, reports)
        for line in lines:
            print(_one_line(line), file=out)


def _one_line(text: str) -> str:
    """A file's name can hold line breaks: what follows them would look like a line of ours, to a code host too."""
    return printable("\\n".join(text.splitlines()))


def _to_mend(finding: Finding) -> bool:
    return finding.allowed is None and finding.severity != "hint"


def _annotations(found: list[Judged]) -> list[str]:
    rows = [annotation(where, finding) for one in found for where, finding in one.findings if finding.allowed is None]
    return rows + [notice(where, aside) for one in found for where, aside in one.asides]


def _json(found: list[Judged], reports: list[tuple[str, StreamReport]]) -> dict[str, object]:
    def rows(said: Iterable[tuple[Location, Struct]]) -> list[dict[str, object]]:
        return [{"path": where.path, "cell": where.piece, **msgspec.to_builtins(what)} for where, what in said]

    answer: dict[str, object] = {
        "findings": rows(chain.from_iterable(one.findings for one in found)),
        "asides": rows(chain.from_iterable(one.asides for one in found)),
    }
    if reports:
        answer["stream"] = [{"piece": name, **msgspec.to_builtins(report)} for name, report in reports]
    return answer


def _lines(found: list[Judged], reports: list[tuple[str, StreamReport]]) -> list[str]:
    lines = []
    for one in found:
        for where, finding in one.findings:
            what = f"{finding.severity} [{rule_text(finding)}] {finding.message}{allowed_text(finding)}"
            line = f"{where}:{finding.column + 1}: {what} {finding.remedy}".rstrip()
            lines.append(f"{line} ({finding.page})" if finding.page else line)
        lines += [f"{where}: {aside.message} ({aside.page})" for where, aside in one.asides]
    for name, report in reports:
        lines.append(f"{name}: {report.tokens} tokens, {report.mean_us:.1f} µs a token, p99 {report.p99_us:.0f} µs")
        lines += [
            f"  line {streamed.finding.line} [{streamed.finding.rule}] {streamed.delay} token(s) after its end"
            for streamed in report.findings
        ]
    return lines


# --- Search for scripts and notebooks below a folder ---
SUFFIXES = (".py", ".ipynb", ".qmd", ".rmd")
_OTHERS = frozenset({"__pycache__", "node_modules", "site-packages"})
"""Folders of what somebody else wrote, or of what was made. So are hidden ones. Packages of an environment are in such a folder."""
DEEPEST = 100
"""Folders within folders: before Python 3.12 each takes a frame, and a thousand end the walk."""


def files_in(name: str) -> Iterator[str]:
    """The file of that name; of a folder the scripts and notebooks in it, in order, and at last the folders in it that can't be read.
    Links to folders are not followed, nor are those to files that lie elsewhere; pipes and devices are passed over."""
    if not Path(name).is_dir():
        yield name
        return
    unread: list[str] = []
    here = os.path.realpath(name)
    for folder, folders, files in os.walk(name, onerror=lambda error: unread.append(error.filename)):
        folders[:] = sorted(one for one in folders if _is_own(Path(folder, one)))
        if folders and os.path.relpath(folder, name).count(os.sep) > DEEPEST:
            unread.append(folder)
            folders.clear()
        yield from (str(Path(folder, file)) for file in sorted(files) if _is_ours(Path(folder, file), here))
    yield from unread


def _is_ours(file: Path, here: str) -> bool:
    """True if it is a script or a notebook of the folder ``here``."""
    if not file.name.lower().endswith(SUFFIXES):
        return False
    return file.is_file() and os.path.realpath(file).startswith(os.path.join(here, ""))


def _is_own(folder: Path) -> bool:
    return not folder.name.startswith(".") and folder.name not in _OTHERS


# --- ``spark-jupyter check --fix``: repairs in place, the rest byte for byte ---
Gone = list[tuple[str, Finding]]


def mend_file(name: str, policy: Policy) -> Gone:
    """Mend a script or a notebook; what is gone, with its cell. The file is written only where something was mended, and as a whole.
    Raises ValueError where it can't be read in its encoding, NotebookError for a pipe or a device, OSError where it can't be written."""
    path = Path(os.path.realpath(name))
    data = bytes_of(path)
    encoding = encoding_of(data, name)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(f"not fixed: it is not {encoding} ({error.reason})") from None
    if name.lower().endswith(MARKDOWN):
        return []
    pieces(text, path=name)  # says what is no notebook, or none of Python
    better, gone = _notebook(text, policy) if name.endswith(".ipynb") else _script(text, policy)
    if gone:
        replace_file(path, better.encode(encoding))
    return gone


def _script(text: str, policy: Policy) -> tuple[str, Gone]:
    better, gone = mended(text, policy=policy)
    return better, [("script", finding) for finding in gone]


def _notebook(text: str, policy: Policy) -> tuple[str, Gone]:
    """The notebook with its code cells mended; all else in it stays as it is written."""
    notebook = json.loads(text)
    context = Context()
    all_gone: Gone = []
    better_text, place = text, 0
    for number, cell in enumerate(notebook["cells"], 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        raw = cell.get("source", "")
        source = "".join(map(str, raw)) if isinstance(raw, list) else str(raw)
        better, gone = mended(source, context=context, policy=policy)
        context = learn(better, context)
        if gone:
            kept = better.splitlines(keepends=True) if isinstance(raw, list) else better
            cell["source"] = kept
            better_text, place = _with_source(better_text, place, raw, kept)
            all_gone += [(f"cell {number}", finding) for finding in gone]
    if all_gone and _decoded(better_text) != notebook:
        better_text = _whole(notebook)
    return better_text, all_gone


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


_SOURCE = re.compile(r'(?<!\\)"source"\s*:\s*')


def _with_source(text: str, start: int, old: object, new: list[str] | str) -> tuple[str, int]:
    """The notebook's text in which the first source after ``start`` that is the old one is the new one, and where that ends. Whether
    this was the right place the caller sees by what the whole says then."""
    for match in _SOURCE.finditer(text, start):
        value, end = json.JSONDecoder().raw_decode(text, match.end())
        if value == old:
            written = _written(new, text[match.end() : end])
            return text[: match.end()] + written + text[end:], match.end() + len(written)
    return text, start


def _written(new: list[str] | str, before: str) -> str:
    """A source in the layout that it had before."""
    plain = "\\u" in before
    indents: list[str] = re.findall(r"\r?\n[ \t]*(?=[\"\]])", before)
    if not isinstance(new, list) or len(indents) < 2:
        return json.dumps(new, ensure_ascii=plain)
    items = [indents[0] + json.dumps(line, ensure_ascii=plain) for line in new]
    return "[" + ",".join(items) + indents[-1] + "]"


def _whole(notebook: object) -> str:
    """As Jupyter writes it; all of it escaped where it holds half a character, which UTF-8 has not."""
    text = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(notebook, indent=1) + "\n"
    return text
