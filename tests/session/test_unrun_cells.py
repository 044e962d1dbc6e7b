"""Which cells of a notebook have not been run in this kernel."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.unrun_cells import not_run, without_stale_counts

NAMES = {"pd": 1, "samples": 2}


@pytest.mark.parametrize(
    ("source", "fields", "ran"),
    [
        ("import pandas as pd\nsamples = pd.DataFrame()", {"execution_count": 1}, True),
        ("import pandas as pd\nsamples = pd.DataFrame()\nmass = 1", {"execution_count": 1}, False),
        ("samples.head()", {"execution_count": 2}, True),
        ("mass = 1 / 0", {"execution_count": 3, "error": "ZeroDivisionError"}, True),
        ("samples = 3", {}, False),
        ("def mean(x):\n    return x", {"execution_count": 4}, False),
    ],
)
def test_a_number_counts_only_where_the_kernel_has_what_the_cell_binds(source, fields, ran):
    (cell,) = without_stale_counts((NotebookCell(id="c", source=source, **fields),), NAMES)
    assert not_run(cell) is not ran
    assert cell.source == source
