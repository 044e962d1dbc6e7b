"""Repairs of SyntaxError and IndentationError: one sign missing or too many.

What is proposed always parses.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from spark_jupyter.server.engines.repairs.base import KNOWN, Failure, Repair
from spark_jupyter.source.python_parser import parse_python

_ROUNDS = 6
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_BLOCK = re.compile(r"^\s*(?:if|elif|else|for|while|def|class|try|except|finally|with|async|match|case)\b")
_SMART = str.maketrans(dict(zip("“”„‘’–−\u00a0；，", '"""\'\'-- ;,', strict=True)) | {"\u200b": None})


class _Proposal(NamedTuple):
    """A source that may be right, and what was done to it."""

    source: str
    says: str


def syntax_error(failure: Failure) -> Repair | None:
    """Repair one mistake after the other until the cell parses. A proposal that only moves the error forward is kept too."""
    source, says = failure.source, list[str]()
    error = _error(source)
    if error is None:
        return None
    for _ in range(_ROUNDS):
        best = _best(source, error)
        if best is None:
            break
        source = best.source
        if best.says not in says:
            says.append(best.says)
        error = _error(source)
        if error is None:
            return Repair(" ".join(says), source)
    return Repair(
        f"Line {error.lineno if error else '?'} is not Python ({error.msg if error else ''}), and I see no sure way to repair it."
    )


def _error(source: str) -> SyntaxError | None:
    plain = re.sub(r"(?m)^(\s*)[%!](?!=)", r"\1#", source)
    if "\x00" in plain:
        return None
    try:
        parse_python(plain)
    except SyntaxError as error:
        return error
    return None


def _best(source: str, error: SyntaxError) -> _Proposal | None:
    """The first proposal that parses; else the one that takes the error furthest down."""
    at = (error.lineno or 1, error.offset or 0)
    furthest: tuple[tuple[int, int], _Proposal] | None = None
    for proposal in _proposals(source, error):
        if proposal.source == source:
            continue
        next_error = _error(proposal.source)
        if next_error is None:
            return proposal
        place = (next_error.lineno or 0, next_error.offset or 0)
        if place[0] > at[0] and (furthest is None or place > furthest[0]):
            furthest = (place, proposal)
    return furthest[1] if furthest else None


def _proposals(source: str, error: SyntaxError) -> Iterator[_Proposal]:
    message = error.msg or ""
    first = (_characters, _indentation, _operators, _colon, _comparison)
    for maker in (*first, _print, _comma, _brackets, _strings, _unmatched):
        yield from maker(source, error, message)


def _line(source: str, error: SyntaxError, *, shift: int = 0) -> tuple[list[str], int]:
    lines = source.split("\n")
    return lines, min(max((error.lineno or 1) - 1 + shift, 0), len(lines) - 1)


def _with(lines: list[str], number: int, text: str) -> str:
    return "\n".join([*lines[:number], text, *lines[number + 1 :]])


def _characters(source: str, error: SyntaxError, message: str) -> Iterator[_Proposal]:
    if re.search(r"invalid (?:non-printable )?character|unterminated string", message):
        lines, at = _line(source, error)
        says = "Typographic quotes and dashes are not Python; plain ones are."
        yield _Proposal(_with(lines, at, lines[at].translate(_SMART)), says)
    if "leading zeros" in message:
        lines, at = _line(source, error)
        yield _Proposal(_with(lines, at, re.sub(r"\b0+(?=\d)", "", lines[at])), "A number can't begin with 0.")


def _indentation(source: str, error: SyntaxError, message: str) -> Iterator[_Proposal]:
    if not isinstance(error, IndentationError):
        return
    if isinstance(error, TabError) or "\t" in source:
        yield _Proposal(source.expandtabs(4), "Tabs and spaces were mixed; now there are spaces only.")
    lines, at = _line(source, error)
    if "expected an indented block" in message:
        above = next((n for n in range(at - 1, -1, -1) if lines[n].strip()), at)
        inner = lines[above][: len(lines[above]) - len(lines[above].lstrip())] + "    "
        yield from _indented(lines, at, inner)
        filled = [*lines[: above + 1], f"{inner}pass", *lines[above + 1 :]]
        yield _Proposal("\n".join(filled), "A block can't be empty; `pass` does nothing.")
    if "unexpected indent" in message:
        yield _Proposal(textwrap.dedent(source), "The cell was indented as a whole.")
        before = next((line for line in reversed(lines[:at]) if line.strip()), "")
        indent_text = before[: len(before) - len(before.lstrip())]
        yield _Proposal(_with(lines, at, indent_text + lines[at].lstrip()), "The line was indented too far.")
    if "unindent" in message:
        width = len(lines[at]) - len(lines[at].lstrip())
        levels = {len(line) - len(line.lstrip()) for line in lines[:at] if line.strip()}
        says = "The line's indentation fits no block; it is moved to the nearest."
        for level in sorted(levels, key=lambda level: abs(level - width)):
            yield _Proposal(_with(lines, at, " " * level + lines[at].lstrip()), says)


def _indented(lines: list[str], at: int, inner: str) -> Iterator[_Proposal]:
    """The lines from ``at`` on moved into the block: first as many as look alike, then one alone."""
    width = len(lines[at]) - len(lines[at].lstrip())
    end = at
    while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) >= width:
        end += 1
    for stop in dict.fromkeys((at + 1, end)):
        moved = "\n".join([*lines[:at], *(inner + line[width:] for line in lines[at:stop]), *lines[stop:]])
        yield _Proposal(moved, "What belongs to the block has to be indented.")


def _operators(source: str, error: SyntaxError, message: str) -> Iterator[_Proposal]:
    lines, at = _line(source, error)
    for pattern, new, says in KNOWN["slips"]:
        changed = re.sub(pattern, new, lines[at])
        if changed != lines[at]:
            yield _Proposal(_with(lines, at, changed), says)


def _colon(source: str, error: SyntaxError, message: str) -> Iterator[_Proposal]:
    lines, first = _line(source, error)
    for at in dict.fromkeys((first, max(first - 1, 0))):
        if not _BLOCK.match(lines[at]):
            continue
        code, comment = _split_comment(lines[at])
        if not code.rstrip().endswith(":"):
            code, says = code.rstrip(), "A colon was missing at the end of the line."
            yield _Proposal(_with(lines, at, f"{code}:{comment}"), says)
            missing = "".join(_OPENERS[sign] for sign in reversed(_open_brackets(code)))
            if missing:
                yield _Proposal(_with(lines, at, f"{code}{missing}:{comment}"), "A bracket and a colon were missing.")


def _split_comment(line: str) -> tuple[str, str]:
    match = re.match(r"""^((?:[^#'"]|'[^']*'|"[^"]*")*?)(\s*#.*)?$""", line)
    return (match[1], match[2] or "") if match else (line, "")


def _comparison(source: str, error: SyntaxError, message: str) -> Iterator[_Proposal]:
    lines, at = _line(source, error)
    if re.match(r"\s*(?:if|elif|while)\b", lines[at]) or "Maybe you meant '=='" in message:
        changed = re.sub(r"(?<![=!<>:+\-*/%&|^])=(?!=)", "==", lines[at], count=1)
        yield _Proposal(_with(lines, at, changed), "`==` compares, `=` assigns.")


def _print(source: str, error: SyntaxError, message: str) -> Iterator[_Proposal]:
    if "print" in source:
        changed = re.sub(r"(?m)^(\s*)print[ \t]+(?!\()(.+?)[ \t]*$", r"\1print(\2)", source)
        yield _Proposal(changed, "`print` is a function: it has brackets.")


def _comma(source: str, error: SyntaxError, message: str) -> Iterator[_Proposal]:
    if "comma" not in message and "invalid syntax" not in message:
        return
    lines, first = _line(source, error)
    for at in range(first, min(first + 6, len(lines))):
        for match in re.finditer(r"(?<=[\w\"'\])}])[ \t]+(?=[\w\"'(\[{])", lines[at]):
            changed = lines[at][: match.start()] + "," + lines[at][match.start() :]
            yield _Proposal(_with(lines, at, changed), "A comma was missing.")
        if re.search(r"[\w\"'\])}]\s*$", lines[at]):
            yield _Proposal(_with(lines, at, lines[at].rstrip() + ","), "A comma was missing.")


def _brackets(source: str, error: SyntaxError, message: str) -> Iterator[_Proposal]:
    lines, first = _line(source, error)
    for at in dict.fromkeys((first, *range(first + 1, min(first + 12, len(lines))), max(first - 1, 0))):
        code, comment = _split_comment(lines[at])
        text = "\n".join([*lines[first if at >= first else at : at], code])
        missing = "".join(_OPENERS[sign] for sign in reversed(_open_brackets(text)))
        if not missing:
            continue
        for closing in dict.fromkeys((missing, missing[0])):
            says = "A closing bracket was missing."
            if code.rstrip().endswith(":"):
                yield _Proposal(_with(lines, at, f"{code.rstrip()[:-1]}{closing}:{comment}"), says)
            yield _Proposal(_with(lines, at, f"{code.rstrip()}{closing}{comment}"), says)


def _open_brackets(text: str) -> list[str]:
    """The brackets that are still open at the end of ``text``, outermost first; those in strings and comments do not count."""
    opened: list[str] = []
    plain = re.sub(r"\"[^\"\n]*\"|'[^'\n]*'|#.*", "", text)
    for sign in plain:
        if sign in _OPENERS:
            opened.append(sign)
        elif opened and sign == _OPENERS[opened[-1]]:
            opened.pop()
    return opened


def _strings(source: str, error: SyntaxError, message: str) -> Iterator[_Proposal]:
    if not re.search(r"unterminated|EOL while|f-string|never closed|invalid syntax", message):
        return
    lines, at = _line(source, error)
    says = "A closing quote was missing."
    for quote in ('"', "'"):
        if lines[at].count(quote) % 2:
            for match in re.finditer(r"[)\]}:,]*\s*$|[)\]},]", lines[at]):
                yield _Proposal(_with(lines, at, lines[at][: match.start()] + quote + lines[at][match.start() :]), says)
            yield _Proposal(_with(lines, at, lines[at] + quote), says)
            yield _Proposal(_with(lines, at, lines[at] + quote + ")"), "A closing quote and a bracket were missing.")
    if "'" in lines[at]:  # an apostrophe in a text in single quotes
        start, end = lines[at].find("'"), lines[at].rfind("'")
        inner = lines[at][start + 1 : end].replace("\\'", "'")
        if end > start and '"' not in inner:
            changed = f'{lines[at][:start]}"{inner}"{lines[at][end + 1 :]}'
            yield _Proposal(_with(lines, at, changed), "An apostrophe ended the text; double quotes let it stand.")


def _unmatched(source: str, error: SyntaxError, message: str) -> Iterator[_Proposal]:
    match = re.search(r"unmatched '(?P<sign>.)'|closing parenthesis '.' does not match .* '(?P<open>.)'", message)
    if not match:
        return
    lines, at = _line(source, error)
    column = max((error.offset or 1) - 1, 0)
    before, sign, after = lines[at][:column], lines[at][column : column + 1], lines[at][column + 1 :]
    if match["sign"]:
        yield _Proposal(_with(lines, at, before + after), f"There was a `{match['sign']}` too many.")
    else:
        closing = _OPENERS[match["open"]]
        yield _Proposal(_with(lines, at, before + closing + after), "The closing bracket was of the wrong kind.")
        yield _Proposal(_with(lines, at, before + closing + sign + after), "A closing bracket was missing.")
