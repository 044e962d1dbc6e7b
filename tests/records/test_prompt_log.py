"""Prompts that a notebook still allows, and the log that a teacher asked for."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.constants import GO_ON
from spark_jupyter.protocol.deep_messages import BeginDeep
from spark_jupyter.protocol.messages import Prompt, Steer, TurnEnded
from spark_jupyter.protocol.next_edit_messages import Edited
from spark_jupyter.protocol.proposal_messages import Accept
from spark_jupyter.protocol.provider_messages import PolicyInfo
from spark_jupyter.protocol.values import Attempts, Person
from spark_jupyter.records.prompt_log import Allowance, PromptLog, logged_prompts

ANA, BEN = Person(id="ana", name="Ana"), Person(id="ben", name="Ben")
BROWSER = Person(id="0" * 32, name="Anonymous Io")


@pytest.fixture
def make(tmp_path):
    def make(**allowance):
        log = PromptLog(
            tmp_path, hide=lambda text: text.replace("s3cret", "<withheld>"), changed=lambda: told.append(1)
        )
        log.allowance = Allowance(**{"lesson": "signature", "notebook": "a.ipynb", "limit": 3, **allowance})
        log.changes = told
        return log

    told = []
    return make


def prompt(by=None, turn_id="t1", **options):
    return Prompt(turn_id=turn_id, text="add s3cret", by=by, **options)


def test_prompts_count_until_none_is_left(make):
    log = make()
    for left in (3, 2, 1):
        assert log.left(ANA) == left
        log.refuse(prompt(ANA))
        log.add(prompt(ANA))
    with pytest.raises(SessionError, match="No prompts are left: this notebook allows 3") as refused:
        log.refuse(prompt(ANA))
    assert refused.value.remedy
    assert (log.left(ANA), log.left(BEN), len(log.changes)) == (0, 3, 3)
    log.refuse(Accept(cell_id="c1"))
    assert log.told(PolicyInfo(), BEN) == PolicyInfo(prompt_limit=3, prompts_left=3)


def test_the_count_outlives_the_kernel_and_belongs_to_one_lesson(make):
    make().add(prompt(ANA))
    assert make().left(ANA) == 2
    assert make(lesson="another").left(ANA) == 3


def test_prompts_of_nobody_known_count_for_everyone(make):
    """A magic, and a server without accounts: who was it?"""
    log = make()
    log.add(prompt())
    log.add(prompt(BROWSER))
    assert (log.left(ANA), log.left(None)) == (1, 1)
    log.add(prompt(ANA))
    assert (log.left(ANA), log.left(BEN), log.left(None)) == (0, 1, 0)


def test_what_got_no_answer_is_given_back(make):
    log = make()
    log.add(prompt(ANA))
    log.receive([TurnEnded(turn_id="t1", outcome="failed"), TurnEnded(turn_id="t1", outcome="failed")])
    assert log.left(ANA) == 3
    log.add(prompt(ANA, "t2"))
    log.receive([TurnEnded(turn_id="t2", outcome="cancelled")])
    assert log.left(ANA) == make().left(ANA) == 2


def test_it_is_given_back_to_the_notebook_that_it_was_of(make):
    log = make()
    log.add(prompt(ANA))
    log.allowance = Allowance(lesson="another", notebook="b.ipynb", limit=3)
    log.receive([TurnEnded(turn_id="t1", outcome="failed")])
    assert (make().left(ANA), make(lesson="another").left(ANA)) == (3, 3)
    log.add(prompt(ANA))
    assert log.left(ANA) == 2


@pytest.mark.parametrize(
    ("command", "counts"),
    [
        (prompt(intent="hints"), True),
        (Steer(turn_id="t2", steers="t1", text="shorter"), True),
        (BeginDeep(work_id="w1", text="add"), True),
        (Steer(turn_id="t2", steers="t1", text=GO_ON), False),
        (prompt(agent="Helper"), False),
        (prompt(follows=Edited(cell_id="c1", before="a")), False),
        (Accept(cell_id="c1"), False),
    ],
)
def test_what_a_person_asks_counts(make, command, counts):
    log = make(limit=1)
    log.add(command)
    assert log.left(None) == (0 if counts else 1)


def test_without_a_reader_no_word_is_kept(make, tmp_path):
    make().add(prompt(ANA))
    kept = next(tmp_path.rglob("*.jsonl")).read_text()
    assert "add" not in kept
    assert "Ana" not in kept
    assert logged_prompts(tmp_path) == []


def test_without_a_rule_nothing_is_written(make, tmp_path):
    log = make(limit=None)
    log.add(prompt(ANA))
    assert (log.left(ANA), list(tmp_path.rglob("*.jsonl")), log.changes) == (None, [], [])


def test_a_teachers_log_has_the_prompts_without_credentials(make, tmp_path):
    log = make(limit=None, reader="Ms Curie")
    log.add(prompt(ANA, intent="hints"))
    log.receive([TurnEnded(turn_id="t1", outcome="failed")])
    (kept,) = logged_prompts(tmp_path)
    assert (kept.person, kept.name, kept.notebook, kept.kind, kept.text) == (
        "ana",
        "Ana",
        "a.ipynb",
        "hints",
        "add <withheld>",
    )
    assert log.told(PolicyInfo(), ANA).logged_by == "Ms Curie"
    assert next(tmp_path.rglob("*.jsonl")).stat().st_mode & 0o077 == 0


def test_a_teachers_log_has_both_prompts_that_are_compared(make, tmp_path):
    log = make(limit=None, reader="Ms Curie")
    log.add(prompt(ANA, attempts=Attempts(other="solve exercise 3")))
    (kept,) = logged_prompts(tmp_path)
    assert kept.text.endswith("\nsolve exercise 3")


def test_where_nothing_can_be_written_this_kernel_still_counts(make, tmp_path):
    (tmp_path / "prompts").write_text("a file where the folder should be")
    log = make()
    log.add(prompt(ANA))
    assert log.left(ANA) == 2
