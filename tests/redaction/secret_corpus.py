"""Our own corpus of credentials and of harmless lines that look like them; all of it is invented.

``secrets.txt`` has one text a line: its kind, what the environment holds (``{NAME=value}``, for what can be found by value only), a
tab, and the text, in which ⏎ ends a line and each ⟦…⟧ must not leave. ``harmless.txt`` has one text a line. A ¦ is left out: it keeps
scanners from taking an entry for a leak.

The lines alternate between two halves: the detectors were tuned on the first, the second was looked at when they were done (132 of 134
withheld, 1 of 353 touched). The kind ``later`` was written after that, in three rounds that were measured before they were mended: 28 of
45, 47 of 64 and 52 of 66 were withheld then. Five more rounds, each mended before the next was written, had at first sight 126 of 142
(``round-a``), 112 of 142, 105 of 129, 115 of 127 and 108 of 124 (``round-e``); 325 harmless lines that were written after the first of them
had one that was touched. Four more (``round-f`` to ``round-i``) had 149 of 170 at first sight, 123 of 151, 77 of 131 and 110 of 120,
and 13 of 780 harmless lines were touched: the third found that a password that is written as a noun, large, was taken for a class. Two
more (``round-j``, ``round-k``), of what people leave in notebooks, had 198 of 221 and 221 of 244, with 3 of 796 and 5 of 685 harmless
lines touched (some hundred of each were lines of published packages, which are not kept here). So of what is still unknown about 10 % got
through at first sight, far more than the figures over all say. What those two showed was mended by rules that know no kind (``nearby``,
``composed``); 64 more texts, by the same hand, had 62 then, and of 600 lines of packages none was touched. ``round-l``, 60 texts by
another hand, had 58 at first sight, 59 in a prompt; what it missed stood in quotes, or above the line that gives it away. 64 more texts of
that kind had 63, and of 210 harmless ones none was touched; what was missed is kept as ``round-m``. Of
110 services' formats without a name, in four places each, 21 % got through; those with a form of their own are kept as ``round-n``.
"""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from spark_jupyter.redaction.redactor import Redactor

FOLDER = Path(__file__).parents[1] / "fixtures" / "secrets"


class Sample(Struct, frozen=True):
    """A text with credentials. ``half`` is 0 or 1."""

    kind: str
    text: str
    secrets: tuple[str, ...]
    environ: dict[str, str]
    half: int

    def leaks(self) -> list[str]:
        """Return the part that a redactor lets through that has seen it once, as it has when a prompt is sent."""
        redactor = Redactor(environ=self.environ)
        redactor.withhold(self.text)
        safe = redactor.withhold(self.text)
        return [secret for secret in self.secrets if secret in safe]


class Harmless(Struct, frozen=True):
    """A text without credentials."""

    text: str
    half: int

    def withheld(self) -> bool:
        """Return whether a redactor takes something out of it."""
        return Redactor(environ={}).withhold(self.text) != self.text


def _lines(name: str) -> list[str]:
    return (FOLDER / name).read_text(encoding="utf-8").replace("¦", "").splitlines()


def samples() -> list[Sample]:
    """Every text with credentials."""
    found = []
    for number, line in enumerate(_lines("secrets.txt")):
        head, _, marked = line.partition("\t")
        kind, _, held = head.partition(" ")
        environ = dict(each.split("=", 1) for each in [held.strip("{}")] if each)
        marked = marked.replace("⏎", "\n")
        secrets = tuple(re.findall("⟦(.*?)⟧", marked, re.S))
        found.append(Sample(kind, re.sub("[⟦⟧]", "", marked), secrets, environ, number % 2))
    return found


def harmless() -> list[Harmless]:
    """Every text without."""
    return [Harmless(line.replace("⏎", "\n"), number % 2) for number, line in enumerate(_lines("harmless.txt"))]
