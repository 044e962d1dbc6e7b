"""What is said of several lines is said once."""

from __future__ import annotations

from spark_jupyter.core.grouping import grouped
from spark_jupyter.wire.values import Finding


def finding(line: int, message: str = "`df` is not defined.", **more: object) -> Finding:
    return Finding(rule="undefined-name", severity="warn", line=line, message=message, **more)


def test_the_same_finding_on_several_lines_is_one_with_its_places() -> None:
    [one] = grouped([finding(7), finding(2), finding(7, column=9), finding(3)])
    assert (one.line, one.also) == (2, (3, 7))


def test_findings_that_differ_stay_apart_and_in_their_order() -> None:
    findings = [finding(2, "a"), finding(1, "b"), finding(2, "a", allowed="known")]
    assert grouped(findings) == tuple(findings)
