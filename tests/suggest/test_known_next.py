"""What comes next in an empty cell, without a model."""

from __future__ import annotations

from spark_jupyter.suggest.known import Column, known
from spark_jupyter.suggest.situation import Situation
from spark_jupyter.wire.suggesting import Complete
from spark_jupyter.wire.values import NotebookCell

TABLE = NotebookCell(id="table", source="sales = pd.DataFrame(rows)", execution_count=2)
TEXT = NotebookCell(id="text", cell_type="markdown", source="The next cell shows `sales.head()`.")


class Kernel:
    """A kernel in which there is one table."""

    def columns(self, name: str) -> list[Column]:
        return []

    def is_data(self, name: str) -> bool:
        return name == "sales"

    def texts(self, name: str, column: str) -> list[str]:
        return []

    def keywords(self, function: str) -> list[str]:
        return []

    def is_defined(self, name: str) -> bool:
        return True

    def has_module(self, name: str) -> bool:
        return False

    def recipes(self) -> list[object]:
        return []


def in_the_empty_cell_below(*cells: NotebookCell) -> list[str]:
    asked = Complete(completion_id="c", cell_id="next", before="", position=len(cells))
    return list(known(Situation.of(asked, cells), Kernel(), asked=False))


def test_a_table_that_was_just_made_is_looked_at_whatever_text_stands_between():
    assert in_the_empty_cell_below(TABLE) == ["sales.head()"]
    assert in_the_empty_cell_below(TABLE, TEXT) == ["sales.head()"]


def test_a_table_that_was_looked_at_is_not_looked_at_again():
    assert in_the_empty_cell_below(TABLE, NotebookCell(id="look", source="sales.head()"), TABLE) == []
