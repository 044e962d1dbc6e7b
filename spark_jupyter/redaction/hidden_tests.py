"""Hidden tests of an exercise, by nbgrader's marks and otter's.

What a student is not to read is not for a model either: it would write code that meets the tests. They are withheld like credentials,
and so are their lines that tell what is wanted, and what these say, wherever else they stand: a traceback shows those around the one
that failed. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spark_jupyter.redaction.secret import Secret

KIND = "HIDDEN_TESTS"
_WORDS = "hidden tests"
_BEGIN = re.compile(r"^.*###[ \t]*BEGIN HIDDEN TESTS.*\n", re.M)
"""Anywhere in a line, as nbgrader looks for it."""
_END = re.compile(r"^.*###[ \t]*END HIDDEN TESTS", re.M)
_OTTERS = re.compile(
    r'\A\s*(?:#[ \t]*HIDDEN[ \t]*\n|"""[ \t]*# BEGIN TEST CONFIG[^\n]*\n(?=(?:(?!""")[^\n]*\n)*?hidden:[ \t]*true\b))',
    re.I,
)
"""The first line of such a cell in the source of an assignment; what otter gives out has none."""
_SHORTEST = 8
"""Characters of a line, or of an assertion's message, that is known elsewhere."""
_MESSAGE = re.compile(r""",\s*(["'])((?:(?!\1).)+)\1\s*\)?\s*$""")
_SAID = re.compile(r"^AssertionError: (.+)", re.M | re.S)
_TELLS = re.compile(r".*assert|(?!(?:import|from|for|while|if|elif|def|class|with|except|return)\b).*[\d\"']", re.I)
"""An assertion in any words (``assertEqual``, ``assert_allclose``), and a value: code that stands in every notebook tells nothing."""


def in_hidden_tests(text: str) -> Iterator[Secret]:
    """The lines between the marks; to the end of the text where the second one is missing, and in a cell of otter's."""
    if mark := _OTTERS.match(text):
        yield from _lines(text, mark.end(), len(text))
    at = 0
    while "HIDDEN TESTS" in text and (begin := _BEGIN.search(text, at)):
        end = _END.search(text, begin.end())
        at = end.start() if end else len(text)
        yield from _lines(text, begin.end(), at)


def _lines(text: str, start: int, end: int) -> Iterator[Secret]:
    if lines := text[start:end].rstrip("\n"):
        yield Secret(start, start + len(lines), KIND, _WORDS)


def telling_lines(tests: str) -> Iterator[str]:
    """The lines of hidden tests that say what is wanted, and the messages of assertions."""
    lines = [line.strip() for line in tests.splitlines()]
    messages = [message[2] for line in lines if line.startswith("assert") and (message := _MESSAGE.search(line))]
    return (text for text in (*filter(_TELLS.match, lines), *messages) if len(text) >= _SHORTEST)


def standing_elsewhere(lines: Iterable[str], text: str) -> Iterator[Secret]:
    """Lines of hidden tests that stand in another text, and are no part of a longer word there, and what the error of one says at its
    end."""
    found = False
    for line in lines:
        at = text.find(line)
        while at >= 0:
            end = at + len(line)
            if not _is_word(text[at - 1 : at] + line[0]) and not _is_word(line[-1] + text[end : end + 1]):
                found = True
                yield Secret(at, end, KIND, _WORDS)
            at = text.find(line, end)
    if found and (said := _SAID.search(text)):
        yield Secret(said.start(1), said.end(1), KIND, _WORDS)


def _is_word(pair: str) -> bool:
    """True for two characters of one word."""
    return len(pair) == 2 and all(one.isalnum() or one == "_" for one in pair)
