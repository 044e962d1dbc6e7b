"""The help of all verbs."""

from __future__ import annotations

import pytest

from spark_jupyter.ui.magics import verbs


@pytest.mark.parametrize(("installed", "name", "other"), [(object(), "%pair", "%spark"), (None, "%spark", "%pair")])
def test_where_apache_spark_is_installed_the_help_calls_the_magic_pair(monkeypatch, installed, name, other):
    monkeypatch.setattr(verbs, "find_spec", lambda package: installed)
    text = verbs.full_help()
    assert f"{name} PROMPT" in text
    assert other not in text
