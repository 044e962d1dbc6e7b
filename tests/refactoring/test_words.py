"""Words that ask for a refactoring, and words that are a prompt."""

from __future__ import annotations

import pytest

from spark_jupyter.refactoring.intent import (
    ExtractVariable,
    Inline,
    MakeFunction,
    MoveToModule,
    RenameColumn,
    RenameVariable,
    Reword,
    in_words,
    read,
)


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("rename df to sales", RenameVariable("df", "sales")),
        ("Please rename the variable `df` to `sales` everywhere.", RenameVariable("df", "sales")),
        ("rename df.price to cost", RenameColumn("df", "price", "cost")),
        ('rename df["unit price"] to "cost per unit"', RenameColumn("df", "unit price", "cost per unit")),
        ("rename the column price to cost", RenameColumn("", "price", "cost", sure=False)),
        ("rename the column price to cost everywhere", RenameColumn("", "price", "cost")),
        ("make this a function", MakeFunction()),
        ("turn cell 3 into a function called load", MakeFunction("load", 3)),
        ("extract lines 2-4 of cell 3 into a function load", MakeFunction("load", 3, (2, 4))),
        ("extract `a * b` as total", ExtractVariable("a * b", "total")),
        ("extract a*b in cell 2 as total", ExtractVariable("a*b", "total", 2)),
        ("inline rate", Inline("rate")),
        ("move f and g to helpers.py", MoveToModule(("f", "g"), "helpers.py")),
        ("write sales for df in the text cells", Reword("df", "sales")),
    ],
)
def test_what_asks_for_one(text, wish):
    assert read(text) == wish


@pytest.mark.parametrize(
    "text",
    [
        "use polars here",
        "rename all columns to lowercase",
        "make a function that adds two numbers",
        "make this a function that adds two numbers",
        "extract the year from the date",
        "move the legend to the right",
        "rename df to sales\nand sort it",
        "",
    ],
)
def test_what_is_a_models(text):
    assert read(text) is None


@pytest.mark.parametrize(
    ("verb", "rest", "words"),
    [
        ("rename", "df sales", "rename df to sales"),
        ("rename", "df.price cost", "rename df.price to cost"),
        ("rename", "df to sales", None),
        ("rename", "the columns", None),
        ("function", "load cell 3", "make cell 3 a function load"),
        ("function", "load lines 2-3 of cell 4", "extract lines 2-3 of cell 4 as a function load"),
        ("function", "that loads a file", None),
        ("inline", "rate", "inline rate"),
        ("inline", "the images of the page", None),
        ("move", "f g helpers.py", "move f g to helpers.py"),
        ("move", "f, g to helpers.py", "move f, g to helpers.py"),
        ("move", "f to helpers.py", "move f to helpers.py"),
        ("move", "the legend up", None),
        ("extract", "a * b as total", None),
        ("extract", "all dates", None),
    ],
)
def test_short_forms_of_the_magics(verb, rest, words):
    assert in_words(verb, rest) == words
