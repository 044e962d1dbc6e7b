"""Every entry of every recipe book runs as it stands, and does what its checks say.

One kernel a book; each entry and each variant starts in an empty namespace and an empty folder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

import spark_jupyter.server

BOOKS = sorted(Path(spark_jupyter.server.__file__).with_name("recipes").glob("*.ipynb"))

# Before each program: nothing left over from the one before, and a folder of its own.
FRESH = """\
%reset -f
import logging as _logging, os as _os, tempfile as _tempfile
if "matplotlib.pyplot" in __import__("sys").modules:
    __import__("matplotlib.pyplot").pyplot.close("all")
_logging.getLogger().handlers.clear()
_os.chdir(_tempfile.mkdtemp(dir={folder!r}))
"""


class Program(NamedTuple):
    """What a person would run for one entry, or for one variant of it: setup, answer, checks."""

    title: str
    prose: str
    cells: list[str]

    @property
    def answer(self) -> list[str]:
        """The cells that a person gets, without setup and checks."""
        return [cell for cell in self.cells if first_line(cell) not in {"# setup", "# check"}]


class Entry(NamedTuple):
    """One entry of a book as the notebook shows it: its heading cell, its cells, its variants' heading cells and cells."""

    heading: str
    cells: list[str]
    variants: list[tuple[str, list[str]]]

    @property
    def title(self) -> str:
        return first_line(self.heading).removeprefix("## ")

    @property
    def phrasings(self) -> list[str]:
        return bullets(self.heading.partition("\nReplace:")[0])

    def programs(self) -> Iterator[Program]:
        """The entry itself, then each variant in its place (or after it, when it begins with ``# add``)."""
        yield Program(self.title, self.heading, self.cells)
        setup = [cell for cell in self.cells if first_line(cell) == "# setup"]
        for heading, cells in self.variants:
            added = any(first_line(cell) == "# add" for cell in cells)
            title = f"{self.title} / {first_line(heading).removeprefix('### Variant: ')}"
            yield Program(title, self.heading, [*(self.cells if added else setup), *cells])


def first_line(source: str) -> str:
    return source.split("\n", 1)[0].strip()


def bullets(markdown: str) -> list[str]:
    return [line[2:].strip() for line in markdown.splitlines() if line.startswith("- ")]


def entries(path: Path) -> list[Entry]:
    """Read the entries of a book: ``## `` begins one, ``### Variant`` a variant of it."""
    found: list[Entry] = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            found.append(Entry(cell.source, [], []))
        elif cell.cell_type == "markdown" and cell.source.startswith("### Variant"):
            found[-1].variants.append((cell.source, []))
        elif cell.cell_type == "code":
            (found[-1].variants[-1][1] if found[-1].variants else found[-1].cells).append(cell.source)
    return found


def missing_package(program: Program) -> str | None:
    """Give the package that the entry says it needs, when it isn't installed here."""
    needed = re.findall(r"Needs the package `(\w+)`", program.prose)
    return next((name for name in needed if find_spec(name) is None), None)


def complaint(client: NotebookClient, program: Program, folder: Path) -> str | None:
    """Run a program in the client's kernel; give what went wrong, or None."""
    sources = [FRESH.format(folder=str(folder)), *program.cells]
    client.nb.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    try:
        for index, cell in enumerate(client.nb.cells):
            client.execute_cell(cell, index)
    except (CellExecutionError, CellTimeoutError) as error:
        return f"{program.title}: {error}"
    written = "".join(
        output.text for cell in client.nb.cells for output in cell.outputs if output.get("name") == "stderr"
    )
    return f"{program.title}: warns\n{written}" if "Warning" in written else None


ALL = [(path, entry) for path in BOOKS for entry in entries(path)]


@pytest.mark.books
@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_every_entry_runs_as_it_stands(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.delenv("DISPLAY", raising=False)
    programs = [program for entry in entries(path) for program in entry.programs()]
    client = NotebookClient(nbformat.v4.new_notebook(), timeout=60, kernel_name="python3")
    with client.setup_kernel():
        complaints = [
            text
            for program in programs
            if missing_package(program) is None and (text := complaint(client, program, tmp_path))
        ]
    assert not complaints, "\n\n".join(complaints)
    skipped = [f"{program.title} (no {name})" for program in programs if (name := missing_package(program))]
    if skipped:
        pytest.skip("all others ran; not run: " + ", ".join(skipped))


def test_the_books_hold_at_least_150_entries() -> None:
    assert len(ALL) >= 150


def test_no_title_is_used_twice() -> None:
    titles = Counter(entry.title.lower() for _, entry in ALL)
    assert [title for title, count in titles.items() if count > 1] == []


def test_every_entry_says_how_people_ask_for_it() -> None:
    assert [entry.title for _, entry in ALL if len(set(entry.phrasings)) < 3] == []


def test_no_two_entries_are_asked_for_in_the_same_words() -> None:
    asked = Counter(phrase.lower() for _, entry in ALL for phrase in entry.phrasings)
    assert [phrase for phrase, count in asked.items() if count > 1] == []


def test_the_guardrail_has_nothing_to_block_in_any_answer() -> None:
    from spark_jupyter import guardrail

    blocked = [
        f"{program.title}: {finding.rule} in line {finding.line}: {finding.message}"
        for _, entry in ALL
        for program in entry.programs()
        for finding in guardrail.check("\n\n".join(program.answer))
        if finding.severity == "block"
    ]
    assert blocked == []
