"""Offers of a fast answer to the deep model, and the cases without one."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail.security_logic import security_logic
from spark_jupyter.protocol.deep_messages import DeepOffered
from spark_jupyter.protocol.values import Proposal
from spark_jupyter.session.deep.escalation import escalation_reason, is_a_plan
from tests.session.deep.playing import DeepPlay, code
from tests.session.play import BAD


def proposal(source: str, state: str = "ready") -> Proposal:
    return Proposal(cell_id="c", turn_id="t", source=source, state=state)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import jwt\nclaims = jwt.decode(token, key, algorithms=['HS256'])", "authentication"),
        ("def check_password(given, stored):\n    return given == stored", "authentication"),
        ("def login(user):\n    pass", "authentication"),
        ("from cryptography.fernet import Fernet", "cryptography"),
        ("def encrypt(text, key):\n    ...", "cryptography"),
        ("def has_permission(user, what):\n    ...", "permissions"),
        ("import os\nos.chmod('a', 0o600)", "permissions"),
        ("import hashlib\nname = hashlib.sha256(data).hexdigest()", ""),
        ("import pandas as pd\ndf.groupby('login').size()", ""),
        ("def login_counts(df):\n    return df.login.value_counts()", ""),
        ("password_lengths = df.password.str.len()", ""),
    ],
)
def test_security_logic_is_known_by_what_it_imports_and_defines(source, kind):
    assert security_logic(source) == kind


@pytest.mark.parametrize(
    ("prompt", "plan"),
    [
        ("load sales.csv", False),
        ("load sales.csv, then draw it", False),
        ("1. load sales.csv\n2. clean it\n3. draw it", True),
        ("load it, then clean it, then draw it, and then say what it means", True),
        ("write a whole report on sales.csv", True),
        ("an end-to-end pipeline for df", True),
        ("make a complete copy of df", False),
        ("Load it. Next, clean it. Next, draw it. Next, say what it means.", True),
        ("the next row, the next column and the next, too", False),
    ],
)
def test_a_prompt_that_is_a_plan_is_known_by_its_parts(prompt, plan):
    assert is_a_plan(prompt) is plan


def test_each_reason_is_said_and_none_where_there_is_none():
    def why(**changes: object) -> str:
        return escalation_reason(
            **{"prompt": "x", "corrections": 0, "none_passed": False, "proposals": [proposal("x = 1")], **changes}
        )

    assert why() == ""
    assert "twice" in why(corrections=2, proposals=[proposal("x = 1", "blocked")])
    assert why(corrections=2) == "", "it is right by now"
    assert "attempt" in why(none_passed=True)
    assert "authentication" in why(proposals=[proposal("import jwt")])


def test_an_answer_that_two_corrections_did_not_help_is_offered_once_and_nothing_is_done():
    play = DeepPlay()
    play.prompt("list files")
    for _ in range(2):
        play.text(BAD)
    play.answer(BAD)
    (offered,) = play.of(DeepOffered)
    assert (offered.turn_id, "twice" in offered.reason) == ("t1", True)
    assert not play.session.deep_works
    play.begin("", hands_up="t1")
    assert "corrected twice" in play.asked(0).request


def test_a_plain_answer_is_not_offered():
    play = DeepPlay()
    play.prompt("a value")
    play.answer(code("x = 1"))
    assert not play.of(DeepOffered)
