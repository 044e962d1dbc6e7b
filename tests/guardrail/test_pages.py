"""Every rule has a page, findings lead to it, and what is in the repository is what the rules say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from spark_jupyter.guardrail import check
from spark_jupyter.guardrail.rule_pages import page, page_of
from spark_jupyter.guardrail.rules import RULES, why

ROOT = Path(__file__).parent.parent.parent


def test_the_pages_in_the_repository_are_the_rules() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "rule_pages.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_finding_leads_to_its_rules_page() -> None:
    (finding,) = check("import yaml\nyaml.load(open('a.yml'))")
    assert finding.page == page_of(finding.rule)
    assert (ROOT / finding.page).is_file()


def test_a_page_says_why_shows_both_and_how_to_allow() -> None:
    for rule in RULES.rules:
        text = page(rule, why(rule.id))
        assert why(rule.id).strip(), rule.id
        assert rule.message in text
        assert text.count("```") >= 2 * (len(rule.bad) + len(rule.good))
        assert f"# spark: allow {rule.id}" in text
        assert all(char.isprintable() or char == "\n" for char in text), rule.id


def test_the_same_weakness_is_said_once_a_line_and_by_the_gravest() -> None:
    findings = check("import subprocess\nhost = input()\nsubprocess.run('ping ' + host, shell=True)")
    assert [(finding.cwe, finding.severity) for finding in findings] == [(78, "block")]
