"""Models in files: the catalogue, and downloads from a stand-in hub on loopback."""

from __future__ import annotations

import pytest

from spark_jupyter.connection import model_download
from tests.model_hub import DATA, FILE, NAME
from tests.ui.commands import spark

pytest.importorskip("huggingface_hub")


def test_a_model_is_downloaded_once_listed_and_removed(model_hub, tmp_path):
    path = tmp_path / "models" / FILE
    done = spark("model", "get", NAME)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == DATA
    assert f"%spark model {path}" in done.stdout
    assert [one.name for one in path.parent.iterdir()] == [FILE]
    model_hub.asked.clear()
    assert spark("model", "get", NAME).returncode == 0
    assert not model_hub.asked
    (line,) = [line for line in spark("model", "list").stdout.splitlines() if line.startswith(f"{NAME} ")]
    assert "here" in line
    assert spark("model", "rm", NAME).returncode == 0
    assert not path.exists()
    again = spark("model", "rm", NAME)
    assert (again.returncode, "is not in" in again.stderr) == (1, True)


def test_a_download_that_was_interrupted_goes_on_where_it_ended(model_hub, tmp_path):
    path = tmp_path / "models" / FILE
    path.parent.mkdir()
    path.with_name(f"{FILE}.part").write_bytes(DATA[:7_000])
    done = spark("model", "get", NAME)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == DATA
    assert model_hub.asked[-1] == 7_000


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tag": "0" * 64}, "not what the hub says"),
        ({"tag": "a" * 40}, "No SHA-256 of"),
        ({"size": 10**18}, "are free in"),
        ({"size": len(DATA) - 1}, "can't be downloaded: Consistency check failed"),
    ],
)
def test_what_is_wrong_or_too_large_is_refused(model_hub, tmp_path, change, said):
    for name, value in change.items():
        setattr(model_hub, name, value)
    done = spark("model", "get", NAME)
    assert done.returncode == 1
    assert said in done.stderr
    assert not (tmp_path / "models" / FILE).exists()


@pytest.mark.parametrize("part", [bytes(7_000), DATA + b"more"], ids=["of another file", "longer than the file"])
def test_a_corrupted_part_is_refused_or_thrown_away_and_the_next_try_succeeds(model_hub, tmp_path, part):
    path = tmp_path / "models" / FILE
    path.parent.mkdir()
    path.with_name(f"{FILE}.part").write_bytes(part)
    first = spark("model", "get", NAME)
    assert first.returncode == (len(part) == 7_000)
    assert ("not what the hub says" in first.stderr) == (len(part) == 7_000)
    assert spark("model", "get", NAME).returncode == 0
    assert path.read_bytes() == DATA


@pytest.mark.parametrize("whole", [True, False])
def test_offline_the_hubs_own_cache_is_used_and_checked(model_hub, tmp_path, monkeypatch, whole):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    without = spark("model", "get", NAME)
    assert (without.returncode, "can't be downloaded" in without.stderr) == (1, True), without.stderr
    assert "--folder" not in without.stderr
    kept = tmp_path / "hf" / "hub" / f"models--{model_download.catalogue()[NAME].repository.replace('/', '--')}"
    for folder in ("blobs", "refs", "snapshots/c1"):
        (kept / folder).mkdir(parents=True)
    (kept / "refs" / "main").write_text("c1")
    (kept / "blobs" / model_hub.tag).write_bytes(DATA if whole else DATA[:-1])
    (kept / "snapshots" / "c1" / FILE).symlink_to(kept / "blobs" / model_hub.tag)
    done = spark("model", "get", NAME)
    assert (done.returncode, "not what the hub says" in done.stderr) == (int(not whole), not whole), done.stderr
    assert (tmp_path / "models" / FILE).exists() == whole
    assert not model_hub.asked


def test_a_hub_that_is_not_there_is_said(tmp_path, monkeypatch, unused_port):
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{unused_port}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    done = spark("model", "get", NAME, "--folder", tmp_path)
    assert (done.returncode, "can't be downloaded" in done.stderr) == (1, True), done.stderr
    assert "Traceback" not in done.stderr


def test_the_catalogue_says_what_a_model_is_and_needs(tmp_path):
    done = spark("model", "info", "qwen2.5-coder-1.5b-fill-in", "--folder", tmp_path)
    assert "ghost text" in done.stdout
    assert "Apache-2.0" in done.stdout
    assert "There is no model" in spark("model", "info", "none").stderr
    assert all(one.file.endswith(".gguf") for one in model_download.catalogue().values())
