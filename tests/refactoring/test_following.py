"""Next edits, measured on edits of our own making: nothing where nothing is to do, the right thing where something is."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.refactoring import follow_up_edits
from spark_jupyter.refactoring.changes import Changes
from spark_jupyter.refactoring.follow_up_edits import follow

from .edits import Edit, needing_none, needing_one


def followed(edit: Edit) -> Changes | None:
    cells = tuple(NotebookCell(id=f"c{number}", source=source) for number, source in enumerate(edit.cells))
    return follow(cells, f"c{edit.at}", edit.before)


def test_nothing_is_offered_where_nothing_is_to_do():
    """The bar is 3 % of at least 200 edits."""
    edits = needing_none()
    assert len(edits) >= 200
    noise = {edit.name: changes for edit in edits if (changes := followed(edit)) is not None}
    assert len(noise) <= 0.03 * len(edits), noise


def test_what_is_to_do_is_offered_and_nothing_else():
    edits = needing_one()
    assert len(edits) >= 100
    wrong = {}
    for edit in edits:
        changes = followed(edit)
        if changes is None or changes.sources != {f"c{at}": source for at, source in edit.expected.items()}:
            wrong[edit.name] = changes
    assert not wrong


def test_after_it_was_done_nothing_is_left():
    swapped = "another order"  # arguments that were exchanged look as if they were to be exchanged
    for edit in (one for one in needing_one() if one.name != swapped):
        cells = tuple(edit.expected.get(number, source) for number, source in enumerate(edit.cells))
        assert followed(edit._replace(cells=cells)) is None, edit.name


@pytest.mark.parametrize(
    ("cells", "before"),
    [
        (("sales = = load()", "df"), "df = load()"),
        (("sales = load()", "df"), "df = = load()"),
        (("sales = load()", "df = = 1"), "df = load()"),
        (("sales = load()", "df"), "sales = load()"),
    ],
)
def test_what_does_not_parse_says_nothing(cells, before):
    assert followed(Edit("", cells, 0, before)) is None


def test_a_cell_that_does_not_parse_keeps_no_other_from_following():
    changes = followed(Edit("", ("sales = load()", "df = = 1", "df"), 0, "df = load()"))
    assert changes is not None
    assert changes.sources == {"c2": "sales"}


def test_a_wrong_column_that_was_mended_is_mended_elsewhere_where_the_table_has_the_right_one():
    cells = tuple(
        NotebookCell(id=f"c{number}", source=source)
        for number, source in enumerate(('df = pd.read_csv("x")\ndf["price"].sum()', 'df["prize"].max()\ndf.prize'))
    )
    before = 'df = pd.read_csv("x")\ndf["prize"].sum()'
    changes = follow(cells, "c0", before, known={"df": frozenset({"price"})})
    assert changes is not None
    assert changes.sources == {"c1": 'df["price"].max()\ndf.price'}
    assert follow(cells, "c0", before) is None
    assert follow(cells, "c0", before, known={"df": frozenset({"price", "prize"})}) is None


def test_of_a_cell_with_many_variables_the_notebook_is_read_for_a_few_and_for_those_of_the_changed_line_first(
    monkeypatch,
):
    read = []

    class Counted(follow_up_edits.Columns):
        def __init__(self, book: follow_up_edits.Book, root: str, name: str | None = None) -> None:
            read.append(root)
            super().__init__(book, root, name)

    monkeypatch.setattr(follow_up_edits, "Columns", Counted)
    lines = "\n".join(f"t{number} = load({number})" for number in range(40))
    cells = (
        NotebookCell(id="c0", source=f"{lines}\nsales = load()\nsales['revenue'] = sales.price * 2"),
        NotebookCell(id="c1", source="sales['total'].sum()"),
    )
    changes = follow(cells, "c0", cells[0].source.replace("revenue", "total"))
    assert changes is not None
    assert changes.sources == {"c1": "sales['revenue'].sum()"}
    assert len(set(read)) <= 8


def test_nothing_more_is_looked_for_where_nobody_waits():
    cells = [NotebookCell(id="a", source="sales = 1"), NotebookCell(id="b", source="print(df)")]
    assert follow(cells, "a", "df = 1", stale=lambda: False) is not None
    assert follow(cells, "a", "df = 1", stale=lambda: True) is None
