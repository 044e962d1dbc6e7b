"""Findings that a draft keeps."""

from __future__ import annotations

from msgspec import structs

from spark_jupyter.protocol.values import Finding
from spark_jupyter.session.draft import MOST_FINDINGS, Draft


def finding(line: int, severity: str = "warn") -> Finding:
    return Finding(rule="r", severity=severity, line=line, message=f"line {line}", remedy="", origin="guardrail")


def a_draft() -> Draft:
    return Draft(cell_id="c", turn_id="t", kind="insert", cell_type="code", base="")


def test_of_findings_without_end_the_first_are_kept_and_the_first_that_blocks():
    draft = a_draft()
    draft.add_findings([finding(line) for line in range(10 * MOST_FINDINGS)])
    assert len(draft.findings) == MOST_FINDINGS
    assert not draft.blocked
    fresh = draft.add_findings([finding(1), finding(5_000), finding(6_000, "block"), finding(7_000, "block")])
    assert fresh == (finding(6_000, "block"),)
    assert draft.blocked
    assert draft.add_findings([finding(8_000, "block")]) == ()


def test_what_is_known_is_no_news():
    draft = a_draft()
    draft.findings = (finding(1),)
    assert draft.add_findings([finding(1), finding(2)]) == (finding(2),)


def test_what_two_judges_say_of_a_line_is_said_once():
    foreseen = Finding(rule="missing-attribute", severity="block", line=2, message="There is no x.", origin="reality")
    raised = Finding(
        rule="missing-attribute", severity="block", line=2, message="It failed.", origin="rehearsal", raised="x"
    )
    draft = a_draft()
    draft.add_findings([foreseen])
    assert draft.add_findings([raised]) == ()
    assert draft.add_findings([structs.replace(raised, line=3)]) != ()
    doubted = a_draft()
    doubted.add_findings([structs.replace(foreseen, severity="warn")])
    assert doubted.add_findings([raised]) == (raised,)


def test_what_is_told_aside_is_of_a_whole_code_cell_as_it_stands():
    draft = a_draft()
    draft.append("%pip install quantum-magic-helper")
    assert draft.proposal().asides == ()
    draft.state = "ready"
    (aside,) = draft.proposal().asides
    assert "quantum-magic-helper" in aside.message
    assert (draft.may_run, draft.proposal().findings) == ("freely", ())
    draft.source = "%pip install pandas"
    assert draft.proposal().asides == ()
