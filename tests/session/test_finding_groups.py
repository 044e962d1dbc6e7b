"""Equal findings on several lines are reported once."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import Context
from spark_jupyter.protocol.values import Finding
from spark_jupyter.reality import Checker
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.finding_groups import grouped
from spark_jupyter.session.guard import CellWatch


def finding(line: int, message: str = "`df` is not defined.", **more: object) -> Finding:
    return Finding(rule="undefined-name", severity="warn", line=line, message=message, **more)


def test_the_same_finding_on_several_lines_is_one_with_its_places() -> None:
    [one] = grouped([finding(7), finding(2), finding(7, column=9), finding(3)])
    assert (one.line, one.also) == (2, (3, 7))


def test_findings_that_differ_stay_apart_and_in_their_order() -> None:
    findings = [finding(2, "a"), finding(1, "b"), finding(2, "a", allowed="known")]
    assert grouped(findings) == tuple(findings)


CLOCK = ("missing-attribute", "Use time.perf_counter() or time.process_time().")


@pytest.mark.parametrize("piece", [1, 3, 1000])
@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import time\nstart = time.clock()\n", [CLOCK]),
        ("import time\ndef f():\n    start = time.clock()\n    return start\n", [CLOCK]),
        ("import time\nfor n in [1]:\n    print(time.clock())\n", [CLOCK]),
        ("from time import clock\nt = clock()\nu = clock()\n", [CLOCK]),
        ("import thread\nthread.start_new_thread(print, ())\n", [("missing-module", "Use threading.Thread(...).")]),
        ("from itertools import izip\nfor a in izip([1], [2]):\n    pass\n", [("missing-attribute", "Use zip().")]),
        ("import os\npath = os.tempnam()\n", [("missing-attribute", "Use tempfile.")]),
        ("import yaml\nd = yaml.load(text)\n", [("unsafe-deserialisation", "Use a format")]),
        ("import yaml\ndef g(t):\n    return yaml.load(t)\n", [("unsafe-deserialisation", "Use a format")]),
        ("import os\ne = eval(input()); os.fork_it()\n", [("code-injection", "For values"), ("missing-attribute", "")]),
    ],
)
def test_what_both_judges_say_is_said_once(source: str, told: list[tuple[str, str]], piece: int) -> None:
    draft = Draft(cell_id="c", turn_id="t", kind="insert", cell_type="code", base="")
    watch = CellWatch(Context(), [Checker({"text": ""})], base="")
    for start in range(0, len(source), piece):
        draft.append(source[start : start + piece])
        draft.add_findings(watch.feed(source[start : start + piece]))
    draft.add_findings(watch.flush())
    assert [finding.rule for finding in draft.findings] == [rule for rule, _ in told]
    for finding, (_, remedy) in zip(draft.findings, told, strict=True):
        assert finding.remedy.startswith(remedy)
