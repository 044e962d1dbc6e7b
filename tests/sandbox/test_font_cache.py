"""State of matplotlib's list of fonts."""

from __future__ import annotations

import sys

import pytest

from spark_jupyter.sandbox.copy.font_cache import are_listed


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the folders of Linux")
def test_folders_without_a_list_of_fonts_are_not_enough(tmp_path, monkeypatch):
    monkeypatch.delenv("MPLCONFIGDIR", raising=False)
    monkeypatch.delitem(sys.modules, "matplotlib.font_manager", raising=False)
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
        (tmp_path / variable / "matplotlib").mkdir(parents=True)
    assert not are_listed()
    (tmp_path / "XDG_CACHE_HOME" / "matplotlib" / "fontlist-v390.json").write_text("{}")
    assert are_listed()
