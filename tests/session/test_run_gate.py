"""Code that may not pass into the kernel, by its text alone."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.values import Finding, Proposal
from spark_jupyter.session.run_gate import blocked_in

SOURCE = "import os\nif True:\n    os.system('rm -rf /')\n\nprint('done')"
BLOCKS = Finding(rule="shell", severity="block", line=3, column=4, message="It deletes everything.")


def proposal(**fields: object) -> Proposal:
    known = {"cell_id": "c", "turn_id": "t", "state": "blocked", "may_run": "when-confirmed", "source": SOURCE}
    return Proposal(**known | {"findings": (BLOCKS,)} | fields)


@pytest.mark.parametrize(
    "text",
    [
        SOURCE,
        "    os.system('rm -rf /')",
        "os.system('rm -rf /')\n",
        "os.system('rm -rf /'",
        "if True:\n\n        os.system('rm -rf /')",
        "\n".join(SOURCE.splitlines()[2:]),
    ],
)
def test_a_part_of_a_blocked_proposal_with_what_blocks_it_does_not_pass(text):
    assert blocked_in(text, None, [proposal()]) == BLOCKS
    assert blocked_in(text, None, [proposal(state="accepted")]) is None
    assert blocked_in(text, None, [proposal(may_run="freely")]) is None


def test_further_lines_of_a_finding_count_as_its_first():
    twice = proposal(
        source=f"{SOURCE}\nos.system('again')",
        findings=(Finding(rule="r", severity="block", line=3, also=(6,), message="m"),),
    )
    assert blocked_in("os.system('again')", None, [twice]) is not None


@pytest.mark.parametrize("text", ["import os", "print('done')", "os", "'rm -rf /'", "x = 1", "", "os.getcwd()", "True"])
def test_what_a_person_may_have_typed_passes(text):
    assert blocked_in(text, None, [proposal()]) is None


def test_the_cell_of_a_blocked_proposal_does_not_run_whatever_it_holds_by_now():
    assert blocked_in("x = 1", "c", [proposal()]) == BLOCKS
    assert blocked_in("x = 1", "c", [proposal(kind="edit")]) is None, "the user's own text runs"
    assert blocked_in("x = 1", "d", [proposal()]) is None
