"""Pairs of code with a weakness and without it, written from the weaknesses before the rules were read: how much of the first is found,
with the right number of the Common Weakness Enumeration, and how much of the second is blamed.

``pairs/*.txt``: ``### CWE|CWE… name``, the weak one, ``--- good``, the other one. At first sight 174 of the first set's 214 were found
(81.3 %) and 8 blamed (3.7 %). The second set, ``later.txt``, was written after the rules were mended: 75 of its 83 were found
at first sight (90.4 %) and one blamed (1.2 %). The third, ``frameworks.txt`` (Flask, FastAPI, Django, aiohttp, clouds, tokens, archives):
64 of its 70 at first sight (91.4 %; two of the six under another number, which is right too), none blamed. The fourth, ``fourth.txt``: 78
of its 88 (88.6 %; three of the ten under another number, which is right too: 92.0 %), two blamed (2.3 %). The fifth, ``fifth.txt``: 65
of its 69 (94.2 %; one of the four under another number, which is right too), one blamed (1.4 %). The sixth, ``sixth.txt``, harder ones
at its end: 77 of its 83 (92.8 %), four of 95 blamed (4.2 %). The seventh, ``seventh.txt``: 33 of its 40 (82.5 %), one blamed (2.5 %). Of
what blocked in these two, 70 findings, all were right. The eighth, ``eighth.txt`` (notebooks and small web applications, a whole program
each): 90 of its 95 at first sight (94.7 %; two of them as a hint), three blamed (3.2 %), and of the 48 findings that blocked one was
wrong. The ninth, ``ninth.txt`` (PySpark, Airflow, Streamlit, Gradio, Dash, bots, queues, models that are served, command lines,
administrators' scripts), written by one who had read the rules by then, not for them: 60 of its 68 (88.2 %), one blamed (1.5 %), and of
the 42 that blocked one was wrong. The tenth, ``tenth.txt`` (what goes through classes, helpers and attributes, in less common frameworks),
written in the same way: 26 of its 32 (81.2 %), none blamed, and all of the 16 that blocked were right. The eleventh, ``eleventh.txt``:
18 of its 21 (85.7 %, one of them as a hint), one blamed (4.8 %), and of the 11 that blocked one was wrong. The twelfth, thirteenth and
fourteenth, ``twelfth.txt``, ``thirteenth.txt``, ``fourteenth.txt``, are by three strangers who had read nothing of the guardrail, 70
pairs each: 65, 59 and 63 at first sight (187 of 210, 89.0 %), 2, 2 and 3 blamed (3.3 %; one more has a hint), and of the 131 findings
that blocked three stood on code without the weakness. The fifteenth to the seventeenth, by three others in the same way, after what
those showed was mended: 67, 67 and 62 at first sight (196 of 210, 93.3 %), one blamed in each (1.4 %), and of the 130 findings that
blocked two were wrong (both of one cause, mended since). What is missed today is in
``MISSED``, what is blamed in ``BLAMED``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from spark_jupyter.guardrail import check

FOLDER = Path(__file__).parent / "pairs"


class Pair(NamedTuple):
    name: str
    cwes: frozenset[int]
    bad: str
    good: str


def _pairs() -> Iterator[Pair]:
    for path in sorted(FOLDER.glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("### ")[1:]:
            head, _, body = part.partition("\n")
            numbers, _, name = head.partition(" ")
            bad, _, good = body.partition("\n--- good\n")
            yield Pair(f"{path.stem}: {name}", frozenset(map(int, numbers.split("|"))), bad + "\n", good)


PAIRS = tuple(_pairs())
MISSED = {
    # the fifteenth to the seventeenth, as they were found at first sight; nothing is mended for them yet
    "fifteenth: aiohttp error page html",
    "fifteenth: fastapi global exception handler returns str exc",
    "fifteenth: flask pymongo voucher operator injection",
    "sixteenth: weather bearer header dict",
    "sixteenth: sha256 users dataframe",
    "sixteenth: mlflow server subprocess",
    "seventeenth: plugin import by name from message",
    "seventeenth: s3 sync keys to disk",
    "seventeenth: delete job file by queue name",
    "seventeenth: asyncssh known_hosts none",
    "seventeenth: admin menu password literal compare",
    "seventeenth: random password generator cli",
    "seventeenth: self update without checksum",
    "seventeenth: jinja template from message",
    "files: a zip that grows",  # how large an archive becomes is not followed
    "later: an ssh key by paramiko",  # that a file is a key's is only seen where its name says so
    "fourth: errors that vanish",  # whether anybody should have been told of an error can't be seen
    "fourth: anyone's invoice",  # whose a record is is not followed; that a GET deletes it is said
    "fourth: look then act",  # in notebooks it would be said of every second file
    "sixth: token to a file",  # what is the program's own file, and who reads it, can't be seen
    "sixth: request without a limit on time",  # in notebooks it would be said of every second cell
    "sixth: resolved but compared as text",  # a folder whose name only begins alike is not thought of
    "seventh: json errors",  # an interface for programs is made to say what was wrong
    "seventh: upload ssh key",  # what a file holds is only known by the name of a variable
    "seventh: gradio file reader",  # found as CWE-22, of which the pair's is the parent
    "eighth: admin noauth",  # who may ask is often checked elsewhere: by a blueprint, a proxy
    "eighth: csv injection",  # what a database holds came from somebody, and is not followed that far
    "tenth: remember me",  # that a text holds a password is not followed through a sum of texts
    "eighth: idor",  # whose a record is is not followed
    "twelfth: aiohttp unlimited stream upload",  # how much comes is often limited before: by the server, a proxy
    "fourteenth: rsa 1024 keygen cli",  # the texts that an option may be are not followed into numbers
    "later: a password kept in json",  # what goes into a list of dicts and from there into a file is not followed
}
BLAMED = {
    "fifteenth: django export file delete",  # a common path compared beside another condition is no check that is known
    "seventeenth: file socket server path join",  # as the fifteenth's
    "seventh: redis cache pickles",  # that the program writes the file itself is said below the line that reads it
}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_weakness_is_found_by_its_number(pair: Pair) -> None:
    found = {finding.cwe for finding in check(pair.bad)}
    assert bool(found & pair.cwes) == (pair.name not in MISSED)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_what_has_no_weakness_is_not_blamed(pair: Pair) -> None:
    blamed = [finding for finding in check(pair.good) if finding.severity != "hint"]
    assert bool(blamed) == (pair.name in BLAMED), blamed


def test_the_bars_hold() -> None:
    assert len(PAIRS) >= 200
    assert len(MISSED) <= 0.08 * len(PAIRS)
    assert len(BLAMED) <= 0.03 * len(PAIRS)
    assert {pair.name for pair in PAIRS} >= MISSED | BLAMED


def test_what_blocks_is_right() -> None:
    """At least 97 % of what blocks stands in code that has the weakness."""
    right = sum(finding.blocks for pair in PAIRS for finding in check(pair.bad))
    wrong = sum(finding.blocks for pair in PAIRS for finding in check(pair.good))
    assert right >= 100
    assert wrong <= 0.03 * (right + wrong)
