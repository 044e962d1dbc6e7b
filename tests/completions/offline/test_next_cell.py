"""Suggestions for an empty cell without a model."""

from __future__ import annotations

from spark_jupyter.completions.offline import known
from spark_jupyter.completions.situation import Situation
from spark_jupyter.protocol.completion_messages import Complete
from spark_jupyter.protocol.values import NotebookCell
from tests.completions.offline.kernel import Kernel

TABLE = NotebookCell(id="table", source="sales = pd.DataFrame(rows)", execution_count=2)
TEXT = NotebookCell(id="text", cell_type="markdown", source="The next cell shows `sales.head()`.")


def in_the_empty_cell_below(*cells: NotebookCell) -> list[str]:
    asked = Complete(completion_id="c", cell_id="next", before="", position=len(cells))
    return list(known(Situation.of(asked, cells), Kernel(kinds={"sales": "DataFrame"}), asked=False))


def test_a_table_that_was_just_made_is_looked_at_whatever_text_stands_between():
    assert in_the_empty_cell_below(TABLE) == ["sales.head()"]
    assert in_the_empty_cell_below(TABLE, TEXT) == ["sales.head()"]


def test_a_table_that_was_looked_at_is_not_looked_at_again():
    assert in_the_empty_cell_below(TABLE, NotebookCell(id="look", source="sales.head()"), TABLE) == []


def test_after_a_look_at_a_table_it_is_told_what_is_in_it_and_what_is_missing():
    look, info = (
        NotebookCell(id="look", source="sales.head()", execution_count=3),
        NotebookCell(id="info", source="sales.info()", execution_count=4),
    )
    assert in_the_empty_cell_below(TABLE, look) == ["sales.info()"]
    assert in_the_empty_cell_below(TABLE, look, info) == ["sales.describe()"]


def test_the_one_file_of_data_that_lies_there_is_read_where_pandas_was_imported():
    imports = NotebookCell(id="imports", source="import pandas as pd", execution_count=1)
    kernel = Kernel(kinds={"pd": "pandas"}, lying=["orders.csv", "notes.txt"])
    asked = Complete(completion_id="c", cell_id="next", before="", position=1)
    assert list(known(Situation.of(asked, (imports,)), kernel, asked=False)) == ['orders = pd.read_csv("orders.csv")']
    several = Kernel(kinds={"pd": "pandas"}, lying=["a.csv", "b.csv"])
    assert list(known(Situation.of(asked, (imports,)), several, asked=False)) == []
