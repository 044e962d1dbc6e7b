"""Folders with a named pipe: one is read again when something has changed in it, and only then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spark_jupyter.sandbox.walls import allowed_paths

from .leavings import until


@pytest.fixture(autouse=True)
def settled(monkeypatch):
    """Every folder counts as unchanged for long."""
    monkeypatch.setattr(allowed_paths, "_SETTLED", 0)


def _later(folder: Path, probe: Path) -> None:
    """Wait until the file system's clock has gone on since a folder was changed, by a file elsewhere."""

    def is_later() -> bool:
        probe.write_text("")
        return probe.stat().st_ctime_ns > folder.stat().st_ctime_ns

    until(is_later)


def test_a_pipe_that_is_made_later_is_found(tmp_path):
    top, deep = tmp_path / "top", tmp_path / "top" / "deep"
    deep.mkdir(parents=True)
    (deep / "data.csv").write_text("a")
    assert allowed_paths.without_pipes([str(top)]) == ([str(top)], [])
    _later(deep, tmp_path / "probe")
    os.mkfifo(deep / "pipe")
    assert allowed_paths.without_pipes([str(top)]) == ([str(deep / "data.csv")], [str(top), str(deep)])
    _later(deep, tmp_path / "probe")
    os.unlink(deep / "pipe")
    assert allowed_paths.without_pipes([str(top)]) == ([str(top)], [])


@pytest.mark.parametrize("by", ["working folder", "named", "import path"])
def test_a_pipe_is_granted_by_no_way_to_its_folder(tmp_path, monkeypatch, by):
    """``Path(".")`` in a cell names the folder, and a notebook may append it to ``sys.path``."""
    (tmp_path / "data.csv").write_text("a")
    os.mkfifo(tmp_path / "pipe")
    if by == "import path":
        monkeypatch.syspath_prepend(str(tmp_path))
    named = [str(tmp_path)] if by == "named" else []
    monkeypatch.chdir(tmp_path)
    found = allowed_paths.places(folder="/nonexistent", named=named)
    assert found.may_read(str(tmp_path / "data.csv"))
    assert not found.may_read(str(tmp_path / "pipe"))


def test_another_folder_in_its_place_is_looked_at(tmp_path):
    top, other = tmp_path / "top", tmp_path / "other"
    for folder in (top, other):
        folder.mkdir()
    os.mkfifo(other / "pipe")
    assert allowed_paths.without_pipes([str(top)]) == ([str(top)], [])
    top.rename(tmp_path / "old")
    other.rename(top)
    assert allowed_paths.without_pipes([str(top)]) == ([], [str(top)])


def test_a_folder_is_read_again_only_where_it_has_changed(tmp_path, monkeypatch):
    top, deep = tmp_path / "top", tmp_path / "top" / "deep"
    deep.mkdir(parents=True)
    allowed_paths.without_pipes([str(top)])
    read = []
    look = allowed_paths._read
    monkeypatch.setattr(allowed_paths, "_read", lambda folder, most: read.append(folder) or look(folder, most))
    allowed_paths.without_pipes([str(top)])
    assert read == []
    _later(deep, tmp_path / "probe")
    (deep / "new").write_text("")
    allowed_paths.without_pipes([str(top)])
    assert str(deep) in read
    assert str(top) not in read


def test_what_has_just_changed_is_read_each_time(tmp_path, monkeypatch):
    monkeypatch.setattr(allowed_paths, "_SETTLED", 3_600_000_000_000)
    allowed_paths.without_pipes([str(tmp_path)])
    os.mkfifo(tmp_path / "pipe")  # perhaps within the same tick
    assert allowed_paths.without_pipes([str(tmp_path)]) == ([], [str(tmp_path)])
