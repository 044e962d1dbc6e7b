"""Blocked code does not reach a real kernel, whatever sends it: a console, a paste, another extension's way to run cells."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.messages import Prompt, Restore
from spark_jupyter.protocol.values import Turn

from .conftest import FrontEnd

DANGEROUS = "import os\nos.system('rm -rf / --no-preserve-root')"
ANSWER = {"answer": f"```python\n{DANGEROUS}\n```\n", "repeat": True}
DISARM = "import os\nvars(os)['sys' + 'tem'] = lambda command: print('RAN', command)"
"""Said so that the guardrail goes on taking it for the real one."""


def failure(kernel, code: str, **metadata: object) -> str:
    message_id = kernel.start(code, **metadata)
    kernel.until(lambda: kernel.idle(message_id))
    assert "RAN" not in kernel.text(message_id)
    return str(kernel.text(message_id))


@pytest.fixture
def kernel(start_kernel):
    kernel = start_kernel([ANSWER])
    kernel.run(f"%load_ext spark_jupyter\n{DISARM}")
    return kernel


def test_a_blocked_proposal_and_the_line_that_blocks_it_are_refused_in_words(kernel):
    kernel.run("%spark --wait clean up")
    for sent in (DANGEROUS, DANGEROUS.splitlines()[1]):
        refusal = failure(kernel, sent)
        assert "belongs to a blocked proposal" in refusal
        assert "%spark run --yes" in refusal
    assert kernel.run("import os\nprint('mine')") == "mine\n"


def test_after_the_second_yes_it_runs(kernel):
    kernel.run("%spark --wait clean up")
    assert "RAN rm" in kernel.run("%spark run --yes")
    assert "RAN rm" in kernel.run(DANGEROUS)


def test_it_can_be_tried_in_a_copy_all_the_same(kernel):
    kernel.run("%spark --wait clean up")
    assert "blocked proposal" not in kernel.run("%spark try")


def test_a_proposal_that_is_run_as_its_cell_by_another_way_counts_as_accepted(start_kernel):
    kernel = start_kernel([{"answer": "```python\nprint(21 * 2)\n```\n"}])
    kernel.run("%load_ext spark_jupyter")
    front = FrontEnd(kernel)
    front.say(Prompt(turn_id="t1", text="go"))
    kernel.until(lambda: front.view.proposals.get("t1-1") and front.view.proposals["t1-1"].state == "ready")
    assert kernel.run("print(21 * 2)", cell_id="t1-1") == "42\n"
    kernel.until(lambda: front.view.proposals["t1-1"].state == "accepted")


def test_what_a_notebook_says_was_asked_opens_no_file_for_a_copy(start_kernel, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("SESAME")
    kernel = start_kernel([{"answer": f"```python\nprint(open({str(secret)!r}).read())\n```\n", "repeat": True}])
    kernel.run("%load_ext spark_jupyter")
    front = FrontEnd(kernel)
    front.say(Restore(turns=(Turn(id="old", prompt=f"read {secret}", outcome="completed"),), proposals=()))
    kernel.until(lambda: "old" in front.view.turns)
    kernel.run("%spark --wait go")
    assert "SESAME" not in kernel.run("%spark try")
