"""Paths that a text names."""

from __future__ import annotations

import pytest

from spark_jupyter.source.named_paths import named_in


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("df = pd.read_csv('/data/x y.csv')", ["/data/x y.csv"]),
        ('open("~/notes.txt")', ["~/notes.txt"]),
        ("load /srv/share/a.parquet, then plot it.", ["/srv/share/a.parquet"]),
        ("what is in ~/project/data?", ["~/project/data"]),
        ("use ../other/file.csv.", ["../other/file.csv"]),
        ("glob('/mnt/share/*.csv')", ["/mnt/share"]),
        ("x = a / b", []),
        ("a*b + c[1]", []),
    ],
)
def test_the_paths_of_cells_and_prompts_are_found(text, paths):
    assert [path for path in named_in(text) if "/" in path or "~" in path] == paths
