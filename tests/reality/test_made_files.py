"""Files that the source writes before it reads them, however their names are passed on."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from spark_jupyter.reality import check

RIGHT = r"""
name = "new.csv"\nt.to_csv(name)\npd.read_csv(name)
def save(table, name):\n    table.to_csv(name)\nOUT = "new.csv"\nsave(t, OUT)\npd.read_csv(OUT)
path = root / "new.csv"\nt.to_csv(path)\npd.read_csv(path)
path = root / "new.csv"\npath.write_text("a")\npd.read_csv(path)
path = root / "new.csv"\nwith path.open("w") as file:\n    file.write("a")\npd.read_csv(path)
t.to_csv(root / "new.csv")\npd.read_csv(root / "new.csv")
for part in parts:\n    t.to_csv(f"{part}.csv")\npd.read_csv("new.csv")
for part in parts:\n    with open(f"{part}.csv", "w") as file:\n        file.write("a")\npd.read_csv("new.csv")
name = "new.csv"\nwith open(name, "w") as file:\n    file.write("a")\npd.read_csv(name)
path = root / "there.csv"\npd.read_csv(path)
"""
WRONG = r"""
pd.read_csv("other.csv")
pd.read_csv(root / "other.csv")
path = root / "other.csv"\npd.read_csv(path)
t.to_csv(root / "new.csv")\npd.read_csv(root / "other.csv")
"""


def lines(text: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    monkeypatch.chdir(tmp_path)
    Path("there.csv").write_text("a")
    return {"pd": pd, "t": pd.DataFrame({"a": [1]}), "root": Path(), "parts": iter(["new"])}


@pytest.mark.parametrize("source", lines(RIGHT))
def test_a_file_that_was_written_is_not_missing(kernel: dict[str, object], source: str) -> None:
    assert check(source, kernel) == []
    exec(source, kernel)


@pytest.mark.parametrize("source", lines(WRONG))
def test_a_file_that_nothing_wrote_is_missing(kernel: dict[str, object], source: str) -> None:
    with pytest.raises(FileNotFoundError):
        exec(source, dict(kernel))
    assert [finding.rule for finding in check(source, kernel)] == ["missing-file"]
