"""Credentials in other spellings than their own, and lines without an end."""

from __future__ import annotations

import base64
import random
import textwrap

import pytest

from spark_jupyter.redaction.redactor import Redactor
from tests.proportion import assert_in_proportion

VALUE = "Tr0ub4dor&3x"


def safe(text: str, **environ: str) -> str:
    return Redactor(environ=environ).withhold(text)


@pytest.mark.parametrize(
    "spelled",
    [
        r"Tr0ub4dor\x263x",
        r"Tr0ub4dor\u00263x",
        r"Tr0ub4dor\0463x",
        "Tr0ub4dor&amp;3x",
        "Tr0ub4dor%263x",
        "Tr0ub4dor&#38;3x",
    ],
)
def test_a_value_that_is_known_is_found_in_escapes(spelled):
    assert (
        safe(f"print('{spelled}') # {spelled}", DB_PASS=VALUE)
        == "print('SPARK_SECRET_1_DB_PASS') # SPARK_SECRET_1_DB_PASS"
    )


@pytest.mark.parametrize(
    "text",
    [
        r'"{\"password\": \"chalkboard\"}"',
        "&quot;password&quot;: &quot;chalkboard&quot;",
        "password=%22chalkboard%22",
        "Le mot de passe est « chalkboard »",
        "password „chalkboard“ = x\npassword: “chalkboard”",
        'subprocess.run(["curl", "-u", "me:chalkboard", "https://h"])',
        'a = "chalk"\nb = "board"\npassword = a + b',
        'user, p = "me", "chalkboard"\nconnect(user=user, password=p)',
        'password = "{}{}".format("chalk", "board")',
        'password = "".join(["chalk", "board"])',
    ],
)
def test_what_a_reader_would_put_together_is_found(text):
    for part in ("chalkboard", '"chalk"', '"board"'):
        assert part not in safe(text)


@pytest.mark.parametrize(
    "unit",
    [
        "password = ",
        "token=",
        '"--token", ',
        '["a", "b", ',
        "\\x41",
        '\\"',
        "« a » ",
        "a, b = ",
        "x=1;",
        "(INSERT INTO t (a) VALUES ",
    ],
)
def test_what_is_repeated_without_end_takes_time_in_proportion(unit):
    """Where a pattern begins again at each repetition, each takes seconds for a text of this length."""
    assert_in_proportion(lambda length: safe(unit * (length // len(unit))), 15_000)


@pytest.mark.parametrize("width", [76, 750_000 * 2])
def test_a_megabyte_of_base64_is_looked_through(width):
    text = base64.b64encode(random.Random(1).randbytes(750_000)).decode()
    whole = "\n".join(textwrap.wrap(text, width)) if width < 1_000 else text
    assert len(safe(whole, A_TOKEN="x7k9fjq02m")) > 0.99 * len(whole)
