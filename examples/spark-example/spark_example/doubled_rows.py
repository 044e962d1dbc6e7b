"""Surprise rule example-doubled: a table has exactly twice its rows after a cell."""

from collections.abc import Iterator

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown


def _looks(change: Change) -> Iterator[Sighting]:
    for pair in change.pairs:
        if pair.old.rows and pair.new.rows == 2 * pair.old.rows:
            yield saw("example-doubled", pair.name, numbers=(pair.new.rows,))


def _says(seen: Sighting) -> str:
    return f"{shown(seen.names[0])} has exactly twice its rows ({seen.numbers[0]:,.0f})."


RULE = Rule(
    id="example-doubled",
    looks=_looks,
    says=_says,
    tells="A table has exactly twice its rows.",
    remedy="See that it was not added to itself.",
    bad=Case("import pandas as pd\ndf = pd.DataFrame({'a': range(10)})", "df = pd.concat([df, df])"),
    good=Case("import pandas as pd\ndf = pd.DataFrame({'a': range(10)})", "df = df.head(5)"),
)
