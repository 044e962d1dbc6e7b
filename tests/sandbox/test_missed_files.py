"""Files that refused statements name."""

from __future__ import annotations

import pytest

from spark_jupyter.sandbox.copy.refused_actions import MissedFiles


@pytest.mark.parametrize(("source", "named"), [("open('/data/a.csv')", True), ("open('/other/b.csv')", False)])
def test_paths_are_compared_where_the_working_folder_is_gone(tmp_path, monkeypatch, source, named):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    missed = MissedFiles()
    missed.add(compile("open('/data/a.csv', 'w')", "cell", "exec"), {}, "")
    assert missed.are_named_by(compile(source, "cell", "exec"), {}) is named
