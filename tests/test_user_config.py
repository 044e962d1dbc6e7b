"""Severities: only the user's own file may lower them, and nothing may switch a rule off."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.user_config import severities


def write(folder, text):
    (folder / "spark_jupyter").mkdir(parents=True, exist_ok=True)
    (folder / "spark_jupyter" / "guardrail.toml").write_text(text)
    return folder


def test_a_rule_can_be_lowered_to_warn(tmp_path):
    assert severities([write(tmp_path, '[severities]\nweak-hash = "warn"\n')]) == {"weak-hash": "warn"}


def test_without_a_file_nothing_is_lowered(tmp_path):
    assert severities([tmp_path]) == {}


def test_rules_of_the_reality_check_and_of_other_tools_and_all_of_them_can_be_lowered_too(tmp_path):
    named = '[severities]\nmissing-column = "warn"\n"bandit:B602" = "warn"\nall = "warn"\n'
    assert set(severities([write(tmp_path, named)])) == {"missing-column", "bandit:B602", "all"}


def test_the_files_of_all_directories_count(tmp_path):
    one = write(tmp_path / "a", '[severities]\nweak-hash = "warn"\n')
    two = write(tmp_path / "b", '[severities]\nsql-injection = "warn"\n')
    assert severities([one, two]) == {"weak-hash": "warn", "sql-injection": "warn"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[severities]\nweak-hash = "off"\n', "can't be 'off'"),
        ("[severities]\nweak-hash = false\n", "can't be False"),
        ("off = true\n", "may only have"),
        ("severities = 3\n", "may only have"),
        ("not toml at all\n", "can't be read"),
        ('[severities]\nweak-hsh = "warn"\n', "no rule of the name weak-hsh, .*Perhaps you meant weak-hash"),
    ],
)
def test_nothing_can_be_switched_off_and_the_error_names_the_file(tmp_path, text, said):
    with pytest.raises(ConfigurationError, match=said) as caught:
        severities([write(tmp_path, text)])
    assert "guardrail.toml" in str(caught.value)
    assert caught.value.remedy
