"""Example data never lands in a user's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jupyter.server.engines import composition, request
from spark_jupyter.server.engines.recipes import RecipeEngine

ENGINE = RecipeEngine()


def test_the_files_that_an_example_makes_are_known() -> None:
    source = 'from pathlib import Path\nPath("data", "a.csv").write_text("x")\nopen("b.txt", "w").write("notes.txt")'
    assert composition.places(source) == ["data", "b.txt"]


@pytest.mark.parametrize(
    "prompt", ["read a text file", "checksum of a file", "read a toml configuration", "list the files of a folder"]
)
def test_an_example_has_files_of_its_own(prompt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    users = {name: tmp_path / name for name in ("notes.txt", "settings.toml", "data.csv", "data.json")}
    for path in users.values():
        path.write_text("mine")
    space: dict[str, object] = {}
    answer = ENGINE.reply(request.Request(text=prompt))
    assert answer.cells
    for cell in answer.cells:
        if cell.cell_type == "code":
            exec(cell.source, space)
    assert all(path.read_text() == "mine" for path in users.values())
    assert not (tmp_path / "data").exists()


def test_a_file_that_is_named_like_the_books_own_is_read_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    answer = ENGINE.reply(request.Request(text="read the text file notes.txt"))
    for cell in answer.cells:
        exec(cell.source, {})
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert not any("Example data" in cell.source for cell in answer.cells)
