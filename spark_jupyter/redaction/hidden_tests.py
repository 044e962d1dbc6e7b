"""Hidden tests of an exercise, between nbgrader's marks.

What a student is not to read is not for a model either: it would write code that meets the tests. They are withheld like credentials,
and so are their assertions and what these say wherever else they stand, as in a traceback. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spark_jupyter.redaction.secret import Secret

KIND = "HIDDEN_TESTS"
_WORDS = "hidden tests"
_BEGIN = re.compile(r"^[ \t]*###[ \t]*BEGIN HIDDEN TESTS\b.*\n", re.M)
_END = re.compile(r"^[ \t]*###[ \t]*END HIDDEN TESTS\b", re.M)
_SHORTEST = 8
"""Characters of an assertion, or of its message, that is known elsewhere."""
_MESSAGE = re.compile(r""",\s*(["'])((?:(?!\1).)+)\1\s*\)?\s*$""")
_SAID = re.compile(r"^AssertionError: (.+)", re.M | re.S)


def in_hidden_tests(text: str) -> Iterator[Secret]:
    """The lines between the marks; to the end of the text where the second one is missing."""
    at = 0
    while "HIDDEN TESTS" in text and (begin := _BEGIN.search(text, at)):
        end = _END.search(text, begin.end())
        at = end.start() if end else len(text)
        if lines := text[begin.end() : at].rstrip("\n"):
            yield Secret(begin.end(), begin.end() + len(lines), KIND, _WORDS)


def assertions_in(tests: str) -> Iterator[str]:
    """The lines of hidden tests that begin with ``assert``, and their messages."""
    lines = [line.strip() for line in tests.splitlines()]
    asserts = [line for line in lines if line.startswith("assert")]
    messages = [message[2] for line in asserts if (message := _MESSAGE.search(line))]
    return (text for text in (*asserts, *messages) if len(text) >= _SHORTEST)


def standing_elsewhere(assertions: Iterable[str], text: str) -> Iterator[Secret]:
    """Assertions of hidden tests that stand in another text, and what the error of one says at its end."""
    found = False
    for line in assertions:
        at = text.find(line)
        while at >= 0:
            found = True
            yield Secret(at, at + len(line), KIND, _WORDS)
            at = text.find(line, at + len(line))
    if found and (said := _SAID.search(text)):
        yield Secret(said.start(1), said.end(1), KIND, _WORDS)
