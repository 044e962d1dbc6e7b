"""Every entry of every recipe book runs as it stands, does what its checks say, and is no false alarm: of the reality check, of surprises.

All books have one IPython shell (in each process of the tests); each entry and each variant starts in an empty namespace and folder.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

import spark_jupyter.server
from spark_jupyter.server.engines.book import Book, BookCell, Entry, load

PATHS = sorted(Path(spark_jupyter.server.__file__).with_name("recipes").glob("*.ipynb"))
BOOKS = [load(path) for path in PATHS]
# The worked example of docs/recipe-books.md, held to the same rules.
LESSON = load(Path(__file__).parents[2] / "docs" / "example-lesson.ipynb")
ENTRIES = [entry for book in BOOKS for entry in book.entries]

# At first: what most programs import stays, and no collection of garbage looks at it again.
KEPT = "import gc, numpy, pandas, matplotlib.pyplot\ngc.collect()\ngc.freeze()"

# Before each program: nothing left over from the one before, and a folder of its own. (%reset -f would collect garbage each time.)
FRESH = """\
_shell = get_ipython()
for _name in _shell.user_ns.keys() - _shell.user_ns_hidden.keys() - {{"_shell", "_name"}}:
    if not _name.startswith("__"):  # a module's own
        del _shell.user_ns[_name]
Out.clear()
import os as _os, sys as _sys, tempfile as _tempfile
if "matplotlib.pyplot" in _sys.modules:
    _sys.modules["matplotlib.pyplot"].close("all")
_os.chdir(_tempfile.mkdtemp(dir={folder!r}))
"""

# Before each cell of an answer: what runs as it stands must not be taken for an invention. (A picture of all that ``_shell`` holds
# takes longer than most answers.)
REAL = """\
from spark_jupyter.reality import check as _check
_found = [f"{{one.rule}} in line {{one.line}}: {{one.message}}" for one in _check({source!r}, dict(get_ipython().user_ns))]
assert not _found, _found
from spark_jupyter.sandbox.values.namespace_diff import snapshot_all as _album, compare as _compare
from spark_jupyter.sandbox.surprises.cell_change import CellRun as _CellRun, Change as _Change, Moment as _Moment
_ours = {{name for name in get_ipython().user_ns if name.startswith("_")}}
_moment, _before = _Moment(get_ipython().user_ns), _album(get_ipython().user_ns, hidden=_ours, keep=True)
_run = _CellRun({source!r})
async def _run_code(*args, **options):
    _run.next_statement(get_ipython().user_ns)
    return await type(get_ipython()).run_code(get_ipython(), *args, **options)
get_ipython().run_code = _run_code
"""

# Behind each cell of an answer: what does what it should surprises nobody.
QUIET = """\
del get_ipython().run_code
from spark_jupyter.sandbox.surprises.detection import look as _look
_ours = {{name for name in get_ipython().user_ns if name.startswith("_")}}
_names = [one.name for one in _compare(_before, _album(get_ipython().user_ns, hidden=_ours)) if one.action != "deleted"]
_figures = [_plt.figure(n) for n in _plt.get_fignums()] if (_plt := _sys.modules.get("matplotlib.pyplot")) else []
_seen = _look(_Change(_moment, get_ipython().user_ns, changed=_names, run=_run, figures=_figures))
assert not _seen, _seen
"""


class Program(NamedTuple):
    """What a person would run for one entry, or for one variant of it."""

    title: str
    notes: str
    setup: tuple[str, ...]
    answer: tuple[str, ...]
    checks: tuple[str, ...]


def code(cells: tuple[BookCell, ...]) -> tuple[str, ...]:
    return tuple(cell.source for cell in cells if cell.cell_type == "code")


def programs(entry: Entry) -> Iterator[Program]:
    """The entry itself, then each variant in its place (or after it, where it only adds).

    A variant that takes the answer's place is held to its own checks, one that adds to the entry's as well.
    """
    yield Program(entry.title, entry.notes, entry.setup, code(entry.cells), entry.checks)
    for variant in entry.variants:
        answer = code(variant.cells) if variant.cells else code(entry.cells)
        checks = variant.checks if variant.cells else (*entry.checks, *variant.checks)
        title = f"{entry.title} / {variant.title}"
        yield Program(title, entry.notes, (*entry.setup, *variant.setup), (*answer, *code(variant.added)), checks)


def missing_package(program: Program) -> str | None:
    """Give the package that the entry says it needs, when it isn't installed here."""
    needed = re.findall(r"Needs the package `(\w+)`", program.notes)
    return next((name for name in needed if find_spec(name) is None), None)


def cells(program: Program, folder: Path) -> Iterator[str]:
    """What is executed for a program: each cell of its answer by itself, and in one what comes before it, or between two."""
    between = [FRESH.format(folder=str(folder)), *program.setup]
    for source in program.answer:
        yield "\n".join((*between, REAL.format(source=source)))
        yield source
        between = [QUIET.format(source=source)]
    yield "\n".join((*between, *program.checks))


class Shell:
    """The process in which programs run."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        program = [sys.executable, "-P", str(Path(__file__).with_name("book_shell.py"))]
        self._process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
        )

    def run(self, sources: Sequence[str]) -> dict[str, str]:
        """What went wrong in these cells, and what they wrote on standard error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(list(sources)), file=self._process.stdin, flush=True)
        answer: dict[str, str] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def complaint(shell: Shell, program: Program, folder: Path) -> str | None:
    """Run a program; give what went wrong, or None."""
    done = shell.run(list(cells(program, folder)))
    if done["error"]:
        return f"{program.title}: {done['error']}"
    return f"{program.title}: warns\n{done['written']}" if "Warning" in done["written"] else None


def run(shell: Shell, all_programs: list[Program], folder: Path) -> list[str]:
    """Run programs one after the other in one shell; give what went wrong."""
    return [text for program in all_programs if (text := complaint(shell, program, folder))]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell for programs. Plots are drawn and shown nowhere; one thread is enough, more only wait for each other on a busy machine."""
    home = tmp_path_factory.mktemp("shell")
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    made = Shell({**environment, **one_thread, "MPLBACKEND": "Agg", "IPYTHONDIR": str(home)})
    assert made.run([KEPT])["error"] == ""
    yield made
    made.close()


@pytest.mark.books
@pytest.mark.timeout(300)
@pytest.mark.parametrize("book", [*BOOKS, LESSON], ids=lambda book: book.path.stem)
def test_every_entry_runs_as_it_stands(book: Book, shell: Shell, tmp_path: Path) -> None:
    every = [program for entry in book.entries for program in programs(entry)]
    skipped = [f"{program.title} (no {name})" for program in every if (name := missing_package(program))]
    complaints = run(shell, [program for program in every if not missing_package(program)], tmp_path)
    assert not complaints, "\n\n".join(complaints)
    if skipped:
        pytest.skip("all others ran; not run: " + ", ".join(skipped))


@pytest.mark.books
def test_an_entry_that_fails_or_warns_or_leans_on_another_is_named(shell: Shell, tmp_path: Path) -> None:
    broken = [
        Program("Sound", "", ("x = 1",), ("y = x + 1",), ("assert y == 2",)),
        Program("Wrong result", "", (), ("y = 1",), ("assert y == 2",)),
        Program("Leftover", "", (), ("print(y)",), ()),
        Program("Warning", "", (), ("import warnings", "warnings.warn('old', DeprecationWarning, stacklevel=1)"), ()),
    ]
    complaints = run(shell, broken, tmp_path)
    assert [text.partition(":")[0] for text in complaints] == ["Wrong result", "Leftover", "Warning"]


def test_the_books_hold_at_least_500_entries() -> None:
    assert len(ENTRIES) >= 500


def test_no_title_is_used_twice() -> None:
    titles = Counter(entry.title.lower() for entry in ENTRIES)
    assert [title for title, count in titles.items() if count > 1] == []


def test_every_entry_says_how_people_ask_for_it() -> None:
    assert [entry.title for entry in ENTRIES if len(set(entry.phrasings)) < 3] == []


def test_no_two_entries_are_asked_for_in_the_same_words() -> None:
    asked = Counter(phrase.lower() for entry in ENTRIES for phrase in entry.phrasings)
    assert [phrase for phrase, count in asked.items() if count > 1] == []


def test_most_entries_check_what_they_did() -> None:
    unchecked = [entry.title for entry in ENTRIES if not entry.checks]
    assert len(unchecked) <= len(ENTRIES) // 10, unchecked


@pytest.mark.parametrize("book", [*BOOKS, LESSON], ids=lambda book: book.path.stem)
def test_a_book_is_valid_and_keeps_no_output(book: Book) -> None:
    notebook = nbformat.read(book.path, as_version=4)
    nbformat.validate(notebook)
    assert [cell.id for cell in notebook.cells if cell.cell_type == "code" and cell.outputs] == []
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_the_guardrail_has_nothing_to_block_in_any_answer() -> None:
    from spark_jupyter import guardrail

    blocked = [
        f"{program.title}: {finding.rule} in line {finding.line}: {finding.message}"
        for entry in ENTRIES
        for program in programs(entry)
        for finding in guardrail.check("\n\n".join((*program.setup, *program.answer)))
        if finding.severity == "block"
    ]
    assert blocked == []


def test_the_index_of_the_books_is_up_to_date() -> None:
    from spark_jupyter.server.engines import library

    assert library.INDEX.read_bytes() == library.index(), "python scripts/index_recipes.py writes it"


def test_a_book_that_has_changed_since_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spark_jupyter.server.engines import library

    changed = nbformat.read(BOOKS[0].path, as_version=4)
    changed.cells[1].source = changed.cells[1].source.replace(BOOKS[0].entries[0].title, "Another title")
    nbformat.write(changed, tmp_path / BOOKS[0].path.name)
    monkeypatch.setattr(library, "OWN_BOOKS", tmp_path)
    assert library.own_entries()[0].entry.title == "Another title"
