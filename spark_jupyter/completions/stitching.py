"""Fit of a model's text to the code around the cursor.

Models repeat what stands before the cursor, or behind it, close brackets that are closed, put fences around code, begin at the margin,
and are cut off in the middle of a string. Each of these is mended by a function of its own, on a text that may still go on.

A new repair is a function here, called in :func:`begun` or :func:`ended`.
"""

from __future__ import annotations

import re

from spark_jupyter.completions.completion_request import CURSOR
from spark_jupyter.completions.screening import split
from spark_jupyter.completions.situation import Situation, indent
from spark_jupyter.source.strings import closers, read

_FENCE = re.compile(r"\s*+(```|~~~)[\w+-]*[ \t]*\n")
_BEGUN_FENCE = re.compile(r"\s*+(?:`{1,2}|~{1,2})\Z|\s*+(?:```|~~~)[^\n]*\Z")
_CALL = re.compile(r'\s*+\{\s*"name"\s*:\s*"[^"\n]*"\s*,\s*"arguments"')
_BEGUN_CALL = re.compile(r'\s*+\{\s*(?:"n?a?m?e?|"name"[^,\n]*(?:,\s*(?:"\w*)?)?)\Z')
_CHATTER = re.compile(
    r"\s*+(?:(?:sure|certainly|of course|absolutely|okay|alright|hmm|got it)\b[,!. ]|here(?:['’]s| is| are) (?:the|your|an?|how|what)\b|"
    r"(?:to|let me|let['’]s|i(?:['’](?:d|ll|m))?(?: would| will| can| need to| should)?) (?:complete|continue|finish|fill|provide)\b|"
    r"the (?:user|cursor|completion|missing|code (?:should|snippet|is|to))\b|(?:we|you) (?:need to|should|can)\b|analysis(?=[A-Z]))|"
    r"\s*+(?:(?:```|~~~)(?:diff|patch)\b|diff --git |--- (?:[ab]/|\S+\n\+\+\+ )|@@ -\d|<(?:tool_call|function)\b|\[TOOL_CALLS)|"
    r"\s*+[^\s`](?s:.)*?\n\s*```\w",
    re.IGNORECASE,
)
_CLOSERS = ")]}\"'"
_LAST_WORD = re.compile(r"[^\W\d]\w*\Z")
_MID_EXPRESSION = re.compile(r"[^\w\s\"')\]}(\[{,.]\s*\Z|\b(?:and|or|not|in|is|if|else|for|lambda)\s*\Z")
_MOST_REPEATED = 12
"""Lines before the cursor that a model may say once more."""
_UNIT = 4


def begun(text: str, situation: Situation, *, ended: bool) -> str:
    """Return the part of a model's ``text`` so far that belongs behind the cursor. ``ended``: the text is complete."""
    is_code, text = situation.cell_type == "code", text.replace("\r\n", "\n").replace("\r", "\n")
    if is_code and _CHATTER.match(text):  # a fence around a difference, too
        return ""
    text = unfenced(text, ended=ended).removeprefix(CURSOR).partition(CURSOR)[0]
    if is_code and (_CHATTER.match(text) or _is_call(text, situation, ended=ended)):
        return ""
    if not ended and situation.line_before.lstrip().startswith(text.lstrip()):
        return ""  # it may become the cursor's line once more
    text = without_repeated_lines(text, situation.before)
    text = without_repeated_word(text, situation.line_before)
    text = without_second_space(text, situation.line_before)
    text = indented(text, situation.line_before)
    text = without_other_lines(text, situation.line_before, situation.line_after)
    return without_lines_that_follow(text, situation.after)


def _is_call(text: str, situation: Situation, *, ended: bool) -> bool:
    """Return whether it is a tool's call as a text, or may become one: no dictionary begins a statement."""
    if not (_CALL.match(text) or (not ended and _BEGUN_CALL.match(text))):
        return False
    before = situation.line_before
    return stands_in_words(before) or not (before.strip() or closers(split(situation.before)[1]))


def ended(text: str, situation: Situation) -> str:
    """The same, where it has come to its end: it does not break off in a string, closes the brackets that it opens, and does not say again
    what stands behind the cursor."""
    whole = without_open_string(text, situation.line_before, situation.line_after)
    is_whole = whole == text and situation.cell_type == "code"
    text = with_closed_brackets(text, situation.line_before) if is_whole else whole
    return without_what_follows(text, situation.line_before, situation.line_after)


def unfenced(text: str, *, ended: bool = True) -> str:
    """Without the fence around it. What may still become the line of a fence is waited for.

    >>> unfenced("```python\\nx = 1\\n```")
    'x = 1'
    """
    if (fence := _FENCE.match(text)) is not None:
        closed = r"(?m)^[ \t]*%s[ \t]*$" % ("`{1,}" if fence[1] == "```" else "~~~")
        return re.split(closed, text[fence.end() :], maxsplit=1)[0].removesuffix("\n")
    return "" if not ended and _BEGUN_FENCE.match(text) else text


def without_repeated_lines(text: str, before: str) -> str:
    """Without the last lines before the cursor, where it begins with them once more; the cursor's own line is the last of them.

    >>> without_repeated_lines("x = df.head()", "y = 1\\nx = df.")
    'head()'
    """
    lines = before.split("\n")
    stripped = text.lstrip("\n")
    for count in range(min(len(lines), _MOST_REPEATED), 0, -1):
        whole = "\n".join(lines[-count:])
        said = whole.lstrip()
        if len(said) > 1 and stripped.startswith((said, whole)) and (count > 1 or _is_own_line(said, lines[-1])):
            return stripped.removeprefix(whole if stripped.startswith(whole) else said)
    return text


def _is_own_line(said: str, line: str) -> bool:
    """Return whether a line says enough to be known again: ``(`` may well come twice."""
    return bool(re.search(r"\w", said)) and said == line.lstrip()


def without_repeated_word(text: str, line_before: str) -> str:
    """Without the end of the cursor's line, where it begins with that once more: a word, a dot, an equals sign, the quote that is open.

    >>> without_repeated_word("df.groupby('a')", "x = df.gro")
    "upby('a')"
    """
    if not text:
        return text
    if (tail := _repeated_tail(text, line_before)) and len(tail) > 1:
        return text[len(tail) :]
    word = _LAST_WORD.search(line_before)
    if word and text.startswith(word[0]) and re.match(r"\w", text):
        return text[len(word[0]) :]
    if line_before.endswith(".") and text.startswith("."):
        return text[1:]
    if line_before.endswith("= ") and re.match(r"=(?!=)", text):
        return text[1:].lstrip(" ")
    string = read(line_before).string
    if string and line_before.endswith(string) and re.match(rf"{re.escape(string)}\w", text):
        return text[len(string) :]
    return text


def _repeated_tail(text: str, line_before: str) -> str:
    """The longest end of the line that begins where a name does and with which the text begins."""
    starts = [match.start() for match in re.finditer(r"(?<![\w.])[^\W\d]", line_before)]
    return next((line_before[start:] for start in starts if text.startswith(line_before[start:])), "")


def without_other_lines(text: str, line_before: str, line_after: str) -> str:
    """Without further lines, where the cursor stands in a string of one line that the first of them does not close: it can't have them.

    >>> without_other_lines("ty\\nand so on", "df.groupby('ci", "")
    ''
    """
    first, newline, _ = text.partition("\n")
    string = read(line_before).string
    if not newline or len(string) != 1 or read(line_before + first).string != string:
        return text
    return first if string in line_after else ""


def stands_in_words(line_before: str) -> bool:
    """Return whether any words may follow a line: it ends in a string, a comment, or a command of the shell.

    >>> [stands_in_words(line) for line in ("x = 'a", "x = 1  # so", "!ls ", "x = ")]
    [True, True, True, False]
    """
    return bool(read(line_before).string) or not read(f'{line_before}"').string or line_before.lstrip().startswith("!")


def without_second_space(text: str, line_before: str) -> str:
    """Without the space that stands before the cursor already; on a blank line without all of its own indentation."""
    if not line_before.strip():
        return text.lstrip(" \t") if line_before else text
    return text.lstrip(" ") if line_before[-1] in " \t" else text


def indented(text: str, line_before: str) -> str:
    """With its lines as far in as the cursor's line is, or further where that line opens a block, where the model wrote them at the margin.

    >>> indented("\\n    total += x", "    for x in xs:")
    '\\n        total += x'
    """
    first, newline, rest = text.partition("\n")
    base = indent(line_before)
    opens = (line_before + first).rstrip().endswith(":")
    least = base + _UNIT if opens else base
    following = next((line for line in rest.split("\n") if line.strip()), None)
    if not newline or following is None or "\t" in line_before + rest or not rest.split("\n")[0].strip():
        return text
    missing = least - indent(following)
    is_shifted = missing > 0 and (opens or (indent(following) == 0 and not _goes_out(following)))
    if not is_shifted:
        return text
    moved = [" " * missing + line if line.strip() else line for line in rest.split("\n")]
    return "\n".join([first, *moved])


def _goes_out(line: str) -> bool:
    """Return whether a line may well stand at the margin below a block: what begins a new one there, or goes on with the one around."""
    return bool(
        re.match(r"(?:def|class|async|@|if|else|elif|except|finally|for|while|with|try|import|from|[)\]}])", line)
    )


def without_lines_that_follow(text: str, after: str) -> str:
    """Without what stands in the lines behind the cursor already.

    >>> without_lines_that_follow("x = 1\\nprint(x)\\n", "\\nprint(x)")
    'x = 1'
    """
    following = [line.strip() for line in after.split("\n")[1:] if line.strip()]
    if not following or not re.search(r"\w", following[0]):
        return text
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if place and line.strip() == following[0]:
            return "\n".join(lines[:place]).rstrip()
    return text


def without_what_follows(text: str, line_before: str, line_after: str) -> str:
    """Without the end that the cursor's line has behind the cursor already: words, and brackets and quotes that are closed there.

    >>> without_what_follows("'city')", "df.groupby(", ")")
    "'city'"
    """
    after = line_after.rstrip()
    if not after or "\n" in text:
        return text
    for size in range(min(len(after), len(text)), 0, -1):
        end = after[:size]
        if (
            text.endswith(end)
            and (len(end) > 3 or not set(end) - set(_CLOSERS))
            and _closes_too_much(line_before + text, end)
        ):
            return text[:-size]
    return text


def _closes_too_much(text: str, end: str) -> bool:
    """Return whether brackets or a string would be closed twice if ``end`` came once more; words are said twice in any case."""
    if set(end) - set(_CLOSERS):
        return True
    if end[0] in "\"'":
        return bool(read(text + end[0]).string)
    return read(text).depth < sum(mark in ")]}" for mark in end)


def with_closed_brackets(text: str, line_before: str) -> str:
    """With the brackets that it opens closed, unless it ends in mid-expression.

    >>> with_closed_brackets("head(5", "print(df.")
    'head(5)'
    """
    is_whole = _MID_EXPRESSION.search(text) is None and not read(line_before + text).comment
    return text + closers(text, read(line_before).string) if is_whole else text


def without_open_string(text: str, line_before: str, line_after: str) -> str:
    """Without the string that is not closed any more: the model was cut off in it. One that the cursor stands in may stay open, where it
    is closed behind the cursor."""
    last = text.rpartition("\n")[2]
    line = last if "\n" in text else line_before + last
    end = read(line)
    if len(end.string) != 1 or end.string in line_after:
        return text
    opened = max(0, end.opened - (len(line) - len(last)))  # the cursor may stand in it
    kept = text[: len(text) - len(last) + opened]
    return kept.rpartition("\n")[0] if "\n" in kept else kept.rstrip()
