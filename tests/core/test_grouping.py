"""What is said of several lines is said once."""

from __future__ import annotations

import pytest

from spark_jupyter.core.drafts import CellWatch
from spark_jupyter.core.grouping import grouped
from spark_jupyter.guardrail import Context
from spark_jupyter.reality import Checker
from spark_jupyter.wire.values import Finding


def finding(line: int, message: str = "`df` is not defined.", **more: object) -> Finding:
    return Finding(rule="undefined-name", severity="warn", line=line, message=message, **more)


def test_the_same_finding_on_several_lines_is_one_with_its_places() -> None:
    [one] = grouped([finding(7), finding(2), finding(7, column=9), finding(3)])
    assert (one.line, one.also) == (2, (3, 7))


def test_findings_that_differ_stay_apart_and_in_their_order() -> None:
    findings = [finding(2, "a"), finding(1, "b"), finding(2, "a", allowed="known")]
    assert grouped(findings) == tuple(findings)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (
            "import time\nstart = time.clock()\n",
            [("missing-attribute", "Use time.perf_counter() or time.process_time().")],
        ),
        ("import os\npath = os.tempnam()\n", [("missing-attribute", "Use tempfile.")]),
        ("import yaml\nd = yaml.load(text)\n", [("unsafe-deserialisation", "Use a format")]),
        ("import os\ne = eval(input()); os.fork_it()\n", [("code-injection", "For values"), ("missing-attribute", "")]),
    ],
)
def test_what_both_judges_say_of_a_call_is_said_once(source: str, told: list[tuple[str, str]]) -> None:
    import yaml  # noqa: F401 (so that the kernel has it)

    watch = CellWatch(Context(), [Checker({"text": ""})], base="")
    found = [*watch.feed(source), *watch.flush()]
    assert [finding.rule for finding in found] == [rule for rule, _ in told]
    for finding, (_, remedy) in zip(found, told, strict=True):
        assert finding.remedy.startswith(remedy)
