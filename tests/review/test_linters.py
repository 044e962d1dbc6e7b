"""The wrapped tools: each has a canary, adds what the scanner lacks, and breaks nothing when it is missing."""

from __future__ import annotations

import subprocess
from threading import Event

import pytest

from spark_jupyter.guardrail import check
from spark_jupyter.protocol.values import Finding
from spark_jupyter.review import linters
from spark_jupyter.review.linters import TOOLS, Opinion, canary, imports, merge, parsable


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool may take its time: on a busy machine its import alone takes seconds."""
    monkeypatch.setitem(linters.second_opinion.__kwdefaults__, "timeout", 60.0)
    monkeypatch.setattr(linters, "TIMEOUT", 60.0)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_wrapped_tool_finds_its_canary(tool: str) -> None:
    assert canary(tool)


def test_a_canary_is_silent_when_its_tool_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TOOLS, "bandit", lambda text, timeout: [])
    assert not canary("bandit")


def test_a_canary_is_silent_when_its_tool_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(text: str, timeout: float) -> list[Finding]:
        raise FileNotFoundError("ruff")

    monkeypatch.setitem(TOOLS, "ruff", gone)
    assert not canary("ruff")


def test_it_adds_what_the_scanner_lacks_and_nothing_twice() -> None:
    source = (
        "import yaml\nimport telnetlib\nyaml.load(text)\nassert x\nimport snmp\nfrom pysnmp.hlapi "
        "import CommunityData\nCommunityData('public', mpModel=0)\n"
    )
    own = check(source)
    assert {finding.line for finding in own} == {3}
    opinion = linters.second_opinion(source, findings=own)
    assert opinion.silent == ()
    assert {finding.line for finding in opinion.findings} == {7}
    assert {finding.origin for finding in opinion.findings} == {"second-opinion"}


def test_it_sees_the_imports_of_earlier_cells_and_gives_the_lines_of_this_one() -> None:
    opinion = linters.second_opinion(
        "x = 1\npk.loads(data)", earlier=["import pickle as pk\nimport os\n", "from a import (b,\n c)"]
    )
    assert {finding.line for finding in opinion.findings} == {2}


def test_magics_and_a_cut_line_do_not_silence_it() -> None:
    opinion = linters.second_opinion("import pickle\n!ls\n%cd x\npickle.loads(data)\nfor x in (1,")
    assert {finding.line for finding in opinion.findings} == {4}


def test_low_value_rules_are_left_out() -> None:
    opinion = linters.second_opinion(
        "import subprocess\nimport pickle\nassert x\ntry:\n    f()\nexcept Exception:\n    pass\n"
    )
    assert opinion.findings == ()


@pytest.mark.parametrize("error", [OSError("gone"), ValueError("odd"), RuntimeError("no thread")])
def test_a_tool_that_fails_says_nothing_and_is_named(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str, timeout: float) -> list[Finding]:
        raise error

    monkeypatch.setitem(TOOLS, "ruff", broken)
    opinion = linters.second_opinion("import pickle\npickle.loads(x)")
    assert opinion.silent == ("ruff",)
    assert [finding.rule for finding in opinion.findings] == ["bandit:B301"]


def test_a_tool_that_never_ends_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    ever = Event()

    def endless(text: str, timeout: float) -> list[Finding]:
        ever.wait()
        return []

    monkeypatch.setitem(TOOLS, "bandit", endless)
    assert linters.second_opinion("x = 1", timeout=0.5).silent == ("bandit",)
    ever.set()


def test_a_ruff_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*args: object, **options: object) -> None:
        raise subprocess.TimeoutExpired("ruff", 1)

    monkeypatch.setattr(linters.subprocess, "run", hang)
    assert linters.second_opinion("x = 1").silent == ("ruff",)


def test_a_ruff_whose_flags_have_changed_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 2, "", "unexpected argument")

    monkeypatch.setattr(linters.subprocess, "run", refuse)
    assert linters.second_opinion("x = 1").silent == ("ruff",)


def test_merging_keeps_one_of_a_family_on_a_line() -> None:
    def finding(rule: str, line: int, cwe: int) -> Finding:
        return Finding(rule=rule, severity="warn", line=line, message="", cwe=cwe)

    known = [finding("weak-hash", 1, 328)]
    heard = [
        finding("bandit:B324", 1, 327),
        finding("ruff:S324", 2, 328),
        finding("bandit:B324", 2, 327),
        finding("bandit:B101", 3, 703),
    ]
    assert [(one.rule, one.line) for one in merge(known, heard)] == [("bandit:B324", 2)]


def test_a_placeholder_is_no_secret_and_a_key_is() -> None:
    key = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
    assert (
        linters.detect_secrets('api_key = "YOUR_API_KEY_GOES_HERE"\ntoken = "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"')
        == []
    )
    assert [finding.line for finding in linters.detect_secrets(f'x = 1\nsend("{key}")')] == [2]


def test_only_whole_imports_of_earlier_cells_are_taken() -> None:
    assert (
        imports(["import os\nif x:\n    import sys\nfrom a import b\nimport", "import os"])
        == "import os\nfrom a import b\n"
    )


def test_lines_keep_their_places_when_magics_are_taken_out() -> None:
    assert parsable("x = 1\n!ls\nif x:\n    %cd a\ny = 2") == "x = 1\npass\nif x:\n    pass\ny = 2"


@pytest.mark.parametrize("source", ["", "\n", "%%bash\nls", "((((", "\0", "é = 1", "x = '\ud800'"])
def test_any_text_gets_an_opinion(source: str) -> None:
    assert isinstance(linters.second_opinion(source), Opinion)
