"""A cell is read in its own places, whatever stands in it; what can't be read is left alone."""

from __future__ import annotations

import random

import pytest

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.refactoring.cell_tree import page
from spark_jupyter.refactoring.follow_up_edits import follow
from spark_jupyter.refactoring.rename import rename
from spark_jupyter.refactoring.scopes import names

from .edits import BOOKS
from .test_rename import CASES

DEEP = {
    "brackets": lambda n: "x = " + "[" * n + "]" * n,
    "parentheses": lambda n: "x = " + "(" * n + "1" + ")" * n,
    "signs": lambda n: "x = " + "-" * n + "1",
    "attributes": lambda n: "x = a" + ".b" * n,
    "calls": lambda n: "x = f" + "()" * n,
    "sums": lambda n: "x = 1" + "+1" * n,
    "lambdas": lambda n: "x = " + "lambda: " * n + "1",
    "conditions": lambda n: "x = " + "1 if a else " * n + "2",
}


@pytest.mark.parametrize("depth", [60, 1_000, 20_000])
@pytest.mark.parametrize("kind", DEEP)
def test_what_is_nested_beyond_all_measure_is_left_alone_and_ends_nothing(kind, depth):
    source = DEEP[kind](depth)
    read = page(source)
    assert read.broken == (depth > 60)
    assert [use.name for use in names(source).bindings("x")] == ([] if read.broken else ["x"])


def test_a_cell_that_is_data_is_not_read():
    assert page("x = '" + "a" * 200_000 + "'").broken


@pytest.mark.parametrize("source", [text for before, _ in CASES.values() for text in before.split("\n---\n")])
def test_every_name_stands_where_it_is_said_to_stand(source):
    for use in names(source).uses:
        assert source[use.place.start : use.place.end] == use.name


def test_text_that_lost_something_raises_nothing_and_what_comes_of_it_parses():
    """A notebook while it is typed: characters gone from real cells, at random places."""
    rng = random.Random(7)
    for _ in range(60):
        book = rng.choice(BOOKS)
        at = rng.randrange(len(book))
        start = rng.randrange(len(book[at]))
        typed = book[at][:start] + book[at][start + rng.randrange(1, 6) :]
        cells = tuple(
            NotebookCell(id=f"c{number}", source=typed if number == at else source)
            for number, source in enumerate(book)
        )
        changes = follow(cells, f"c{at}", book[at])
        for source in changes.sources.values() if changes is not None else ():
            assert page(source).tree is not None
        for name in sorted(names(book[at]).bound)[:2]:
            try:
                renamed = rename(cells, name, "renamed_here")
            except RefactoringError:
                continue
            assert all(page(source).tree is not None for source in renamed.sources.values())
