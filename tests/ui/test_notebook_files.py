"""Notebook files: whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.notebook_changes import apply
from spark_jupyter.protocol.values import InsertCell
from spark_jupyter.ui.cli import notebook_files
from spark_jupyter.ui.cli.notebook_files import check_writable, new_notebook, read_notebook, write_notebook


def sample() -> dict[str, Any]:
    return apply(new_notebook(), [InsertCell(cell_id="a", source="x = 'ä🎉'\ny = 2\n")])


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    write_notebook(path, sample())
    assert read_notebook(path) == sample()
    nbformat.validate(nbformat.read(path, as_version=4))


def test_a_file_looks_as_jupyter_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    write_notebook(path, sample())
    ours = path.read_text(encoding="utf-8")
    nbformat.write(nbformat.from_dict(sample()), path)
    assert path.read_text(encoding="utf-8") == ours


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", [1, 2, 4, "\t"])
@pytest.mark.parametrize(("escaped", "last"), [(False, "\n"), (True, ""), (False, "")])
def test_a_file_keeps_its_layout(tmp_path: Path, ends: str, indent: int | str, escaped: bool, last: str) -> None:
    path = tmp_path / "n.ipynb"
    write_notebook(path, sample())
    told = json.loads(path.read_bytes())
    text = json.dumps(told, indent=indent, ensure_ascii=escaped) + last
    path.write_bytes(text.replace("\n", ends).encode())
    before = path.read_bytes()
    write_notebook(path, read_notebook(path))
    assert path.read_bytes() == before


def test_what_a_program_left_out_of_a_cell_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "thin.ipynb"
    cells = [{"cell_type": "code", "source": "x = 1"}, {"cell_type": "markdown", "source": "a"}]
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    notebook: Any = read_notebook(path)
    assert notebook["cells"][0]["outputs"] == []
    assert notebook["cells"][0]["execution_count"] is None
    assert notebook["cells"][1]["metadata"] == {}


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ({"cell_type": "markdown", "metadata": [], "source": "a"}, "metadata of cell 1 is a list, not an object"),
        (
            {"cell_type": "code", "execution_count": "*"},
            "execution_count of cell 1 is a text, not a whole number or null",
        ),
        (
            {"cell_type": "code", "outputs": [{"output_type": "stream", "text": "a"}]},
            "output 1 of cell 1: must contain",
        ),
        (
            {"cell_type": "code", "outputs": [{"output_type": "pyout"}]},
            "output 1 of cell 1: the output_type is 'pyout', which is none",
        ),
        ({"cell_type": "code", "outputs": "x", "source": "a"}, "outputs of cell 1 is a text, not a list"),
        ({"cell_type": "prose", "metadata": {}, "source": "a"}, "cell 1 has the cell_type 'prose'"),
        ({"cell_type": ["code"], "source": "a"}, r"cell 1 has the cell_type \['code'\]"),
    ],
)
def test_a_field_of_another_kind_is_named(tmp_path: Path, cell: Any, said: str) -> None:
    path = tmp_path / "odd.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    with pytest.raises(NotebookError, match=said):
        read_notebook(path)


def test_an_older_notebook_is_read_with_ids(tmp_path: Path) -> None:
    path = tmp_path / "old.ipynb"
    cell = {"cell_type": "markdown", "metadata": {}, "source": ["a\n", "b"]}
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}))
    notebook: Any = read_notebook(path)
    assert notebook["nbformat_minor"] == 5
    assert notebook["cells"][0]["id"]
    assert notebook["cells"][0]["source"] == "a\nb"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b'{"nbformat": 4, "cells": [], "x": ' + b"1" * 5_000 + b"}", "a number that is too long"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "a pointer of Git LFS"),
        (b"\xff\xfe", "line 1 is not UTF-8"),
        (b'{"cells": [\n "It\x92s"]}', "line 2 is not UTF-8"),
        (b'{"cells": [],\n<<<<<<< HEAD\n "nbformat": 4\n}', "line 2 is a mark of a merge conflict"),
        (b'{"cells": [],\n oops}', "not JSON .line 2"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "format 4"),
        (b'{"nbformat": 3}', "format 4"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": 3}', "no list of cells"),
        (
            b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "outputs": 3}]}',
            "not a list",
        ),
    ],
)
def test_a_file_that_is_no_notebook_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "n.ipynb"
    path.write_bytes(content)
    with pytest.raises(NotebookError, match=message) as refused:
        read_notebook(path)
    assert refused.value.remedy


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotebookError, match="no file"):
        read_notebook(tmp_path / "nope.ipynb")
    with pytest.raises(NotebookError, match="can't be read"):
        read_notebook(tmp_path)


def test_the_mode_of_a_file_is_kept_and_a_link_followed(tmp_path: Path) -> None:
    path, link = tmp_path / "n.ipynb", tmp_path / "link.ipynb"
    write_notebook(path, new_notebook())
    path.chmod(0o640)
    link.symlink_to(path)
    write_notebook(link, sample())
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert read_notebook(path) == sample()


def test_a_new_file_has_the_mode_that_the_umask_gives(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    write_notebook(tmp_path / "n.ipynb", sample())
    assert (tmp_path / "n.ipynb").stat().st_mode == plain.stat().st_mode


def test_a_notebook_that_is_not_valid_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    write_notebook(path, sample())
    with pytest.raises(NotebookError):
        write_notebook(path, {**sample(), "cells": [{"id": "a"}]})
    assert read_notebook(path) == sample()


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_failed_write_leaves_the_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "n.ipynb"
    write_notebook(path, sample())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as during:
        during.setattr(notebook_files.os, step, full)
        with pytest.raises(NotebookError, match="No space left"):
            write_notebook(path, new_notebook())
    assert read_notebook(path) == sample()
    assert os.listdir(tmp_path) == ["n.ipynb"]


def test_a_folder_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotebookError, match="can't be written"):
        write_notebook(tmp_path / "nope" / "n.ipynb", sample())


def test_whether_a_notebook_can_be_written_there_is_known_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_writable(tmp_path / "n.ipynb")
    with pytest.raises(NotebookError, match="no folder"):
        check_writable(tmp_path / "nope" / "n.ipynb")
    monkeypatch.setattr("os.access", lambda path, mode: False)  # whoever is root may write anywhere
    with pytest.raises(NotebookError, match="read-only"):
        check_writable(tmp_path / "n.ipynb")


def test_a_lone_surrogate_in_a_source_does_not_keep_a_notebook_from_being_written(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    notebook = apply(new_notebook(), [InsertCell(cell_id="a", source="x = '\ud800'")])
    write_notebook(path, notebook)
    assert read_notebook(path) == notebook
