"""Books: what a teacher can type, and what is said when it is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.server.engines import book

if TYPE_CHECKING:
    from pathlib import Path

ENTRY = """## Average of a column
Adds up and divides.

- average of {x}
- mean of the column {x}

Replace:
- `df` = DataFrame
- `"mass"` = {x} number column
- `digits=2` = number of digits, places
- `"mean"` = one of mean (average), sum (total)
"""
CODE = 'result = df["mass"].agg("mean")\nround_to(result, digits=2)'


def notebook(*cells: tuple[str, str]) -> str:
    made = [{"cell_type": kind, "source": source.splitlines(keepends=True), "metadata": {}} for kind, source in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})


def write(folder: Path, *cells: tuple[str, str], title: str = "# Lesson 1") -> Path:
    path = folder / "lesson.ipynb"
    path.write_text(notebook(("markdown", title), *cells), encoding="utf-8")
    return path


def test_an_entry_is_read_with_all_its_parts(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        ("markdown", ENTRY),
        ("code", "# setup\ndf = 1"),
        ("code", CODE),
        ("markdown", "A word on it."),
        ("code", "# check\nassert result"),
        ("markdown", "### Variant: rounded\n- rounded\n- without decimals"),
        ("code", "round(df.mass.mean())"),
        ("code", "# add\nprint(result)"),
    )
    loaded = book.load(path)
    entry = loaded.entries[0]
    assert (loaded.title, entry.title, entry.book) == ("Lesson 1", "Average of a column", "Lesson 1")
    assert entry.phrasings == ("average of {x}", "mean of the column {x}")
    assert entry.notes == "Adds up and divides."
    assert entry.setup == ("df = 1",)
    assert [cell.cell_type for cell in entry.cells] == ["code", "markdown"]
    assert entry.checks == ("assert result",)
    assert [(one.token, one.kind, one.slot, one.keyword) for one in entry.replacements] == [
        ("df", "DataFrame", "df", None),
        ('"mass"', "number column", "x", None),
        ("2", "number", "digits", "digits"),
        ('"mean"', "one of", "of", None),
    ]
    assert entry.replacements[3].choices[1] == book.Choice("sum", ("total",))
    variant = entry.variants[0]
    assert (variant.title, variant.phrases) == ("rounded", ("rounded", "without decimals"))
    assert (len(variant.cells), len(variant.added)) == (1, 1)


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([], "has no entry"),
        ([("markdown", "## Lonely\nwords"), ("code", "1")], "'Lonely' has no phrasings"),
        ([("markdown", "## Lonely\n- be alone")], "'Lonely' has no code"),
        ([("markdown", "## Lonely\n- be alone"), ("code", "# setup\nx = 1")], "'Lonely' has no code"),
        ([("markdown", ENTRY), ("code", "result = df[")], "not Python"),
        ([("markdown", ENTRY), ("code", "df['mass'].agg('mean')")], "declares `digits=2`"),
        ([("markdown", "## A\n- a\n\nReplace:\n- df is a DataFrame"), ("code", "df")], "can't be read"),
        ([("markdown", "## A\n- a\n\nReplace:\n- `df` = Dataframee"), ("code", "df")], "unknown kind 'Dataframee'"),
        ([("markdown", "## A\n- a\n\nReplace:\n- `df` = one of it"), ("code", "df")], "no choices"),
        ([("markdown", "## A\n- a"), ("code", "1"), ("markdown", "## a\n- b"), ("code", "1")], "is there twice"),
        (
            [("markdown", "## A\n- do it"), ("code", "1"), ("markdown", "## B\n- Do  it"), ("code", "1")],
            "phrasing 'Do  it'",
        ),
        (
            [("markdown", "## A\n- a"), ("code", "1"), ("markdown", "### Variant: x\n- x")],
            "variant 'x' without phrases or",
        ),
    ],
)
def test_a_broken_book_says_where_and_what_to_do(tmp_path: Path, cells: list[tuple[str, str]], says: str) -> None:
    path = write(tmp_path, *cells)
    with pytest.raises(ConfigurationError) as caught:
        book.load(path)
    assert says in caught.value.message
    assert str(path) in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', "\x00\xff"])
def test_what_is_no_notebook_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lesson.ipynb"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ConfigurationError, match="is not a notebook"):
        book.load(path)


def test_a_book_without_a_title_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, ("markdown", ENTRY), ("code", CODE), title="Just words")
    with pytest.raises(ConfigurationError, match="has no title"):
        book.load(path)


def test_folders_and_files_are_found_and_missing_ones_told(tmp_path: Path) -> None:
    path = write(tmp_path, ("markdown", ENTRY), ("code", CODE))
    (tmp_path / "endless.ipynb").symlink_to("/dev/zero")  # a folder that one gets may have such a link
    assert book.find([tmp_path]) == book.find([path]) == [path]
    with pytest.raises(ConfigurationError, match="no recipe book"):
        book.find([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="holds no notebook"):
        book.find([tmp_path / "empty"])


def test_a_pip_line_in_an_answer_is_allowed(tmp_path: Path) -> None:
    path = write(tmp_path, ("markdown", "## A\n- a"), ("code", "%pip install humanize\nimport humanize"))
    assert book.load(path).entries[0].cells[0].source.startswith("%pip")


def test_the_packages_own_books_are_sound_and_many() -> None:
    from spark_jupyter.server.engines.library import OWN_BOOKS

    entries = [entry for path in sorted(OWN_BOOKS.glob("*.ipynb")) for entry in book.load(path).entries]
    assert len(entries) >= 150
    titles = [entry.title.lower() for entry in entries]
    assert len(set(titles)) == len(titles)
