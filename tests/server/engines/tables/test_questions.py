"""Prompts about tables give code whose value, table or picture is the right one."""

from __future__ import annotations

import ast
import json
import re
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.protocol.prompt_offers import offered
from spark_jupyter.server.engines import namespace, tables
from tests.server.engines.tables.worlds import WORLDS

mpl.use("Agg")
CASES = [
    json.loads(line) for line in Path(__file__).with_name("questions.jsonl").read_text(encoding="utf-8").splitlines()
]


def known(space: dict[str, Any], prompt: str, *cells: str) -> namespace.Namespace:
    """What the engine gets to know of the variables."""
    lines = describe(gather(space, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    return namespace.read(lines, cells)


def run(source: str, space: dict[str, Any]) -> Any:
    """Run a cell; the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        exec(compile(tree, "<cell>", "exec"), space)
        return eval(compile(ast.Expression(last.value), "<cell>", "eval"), space) if last else None


def rows(value: Any) -> list[tuple[Any, ...]]:
    """A value as rows that can be compared, whatever it is called and indexed by; the index of a series is what it is of."""
    if isinstance(value, pd.Series):
        keys = [key if isinstance(key, tuple) else (key,) for key in value.index]
        return [(*map(plain, key), plain(one)) for key, one in zip(keys, value, strict=True)]
    if isinstance(value, pd.DataFrame):
        index = (
            []
            if isinstance(value.index, pd.RangeIndex) or value.index.dtype.kind == "i"
            else [*value.index.to_frame().itertuples(index=False)]
        )
        data = [tuple(map(plain, row)) for row in value.itertuples(index=False)]
        return [(*map(plain, key), *row) for key, row in zip(index, data, strict=True)] if index else data
    if isinstance(value, list | tuple | np.ndarray | pd.Index | pd.api.extensions.ExtensionArray):
        return [(plain(one),) for one in value]
    return [(plain(value),)]


def plain(value: Any) -> Any:
    """One value as it is compared: numbers to nine digits, dates and periods as text, what is missing as None."""
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | float | np.number):
        return float(f"{float(value):.9g}")
    return str(value)


def same(found: Any, wanted: Any, *, ordered: bool = False) -> bool:
    one, other = rows(found), rows(wanted)
    return one == other if ordered else sorted(one, key=repr) == sorted(other, key=repr)


def drawn(case: dict[str, Any], wanted: Any) -> bool:
    """Whether the picture shows the numbers."""
    axes = [axis for number in plt.get_fignums() for axis in plt.figure(number).axes]
    numbers = sorted(plain(one) for one in np.ravel(np.asarray(wanted, dtype=float)))
    if "title" in case and all(axis.get_title() != case["title"] for axis in axes):
        return False
    if "bars" in case:
        sizes = [
            max(bar.get_height(), bar.get_width()) if _lying(axis) else bar.get_height()
            for axis in axes
            for bar in axis.patches
        ]
        return sorted(map(plain, sizes)) == numbers
    if "line" in case:
        return any(
            [plain(y) for y in line.get_ydata()] == [plain(y) for y in np.asarray(wanted)]
            for axis in axes
            for line in axis.lines
        )
    if "pie" in case:
        shares = [(wedge.theta2 - wedge.theta1) / 360 for axis in axes for wedge in axis.patches]
        return np.allclose(sorted(shares), np.array(numbers) / sum(numbers), atol=1e-5)
    if "points" in case:
        points = [
            tuple(map(plain, point)) for axis in axes for group in axis.collections for point in group.get_offsets()
        ]
        return sorted(points) == sorted(rows(wanted))
    return any(len(axis.get_xticklabels()) == case["boxes"] for axis in axes)


def _lying(axis: Any) -> bool:
    return len({bar.get_height() for bar in axis.patches}) == 1 and axis.patches[0].get_height() < 1


@pytest.mark.parametrize("case", CASES, ids=[case["prompt"] for case in CASES])
def test_answer(case):
    space = WORLDS[case["world"]]()
    answer = tables.answer(case["prompt"], known(space, case["prompt"]))
    if case.get("no"):
        assert answer is None
        return
    assert answer is not None
    if "asks" in case:
        assert not answer.cells
        choices = [tables.answer(one, known(space, one)) for one in offered(answer.notes)]
        assert len({one.cells for one in choices if one is not None and one.cells}) == case["asks"]
        return
    (cell,) = answer.cells
    wanted = expected(case)
    value = run(cell.source, space)
    if kind := next((one for one in ("bars", "line", "pie", "points", "boxes") if one in case), ""):
        assert drawn(case, wanted), (kind, cell.source)
    elif "file" in case:
        assert same(pd.read_csv(case["file"], parse_dates=["sold_at"]), wanted), cell.source
    else:
        assert same(space[case["table"]] if "table" in case else value, wanted, ordered=case.get("ordered", False)), (
            cell.source
        )
    if "table" in case:
        assert value is space[case["table"]]


def expected(case: dict[str, Any]) -> Any:
    """What the test says that the value, the table or the picture has to be."""
    source = next((case[one] for one in ("value", "bars", "line", "pie", "points") if one in case), "None")
    return eval(str(source), {"pd": pd, "np": np, **WORLDS[case["world"]]()})


def as_polars(space: dict[str, Any]) -> dict[str, Any]:
    """The same tables in polars, but for those that it can't have."""
    made: dict[str, Any] = {"pl": pl}
    for name, one in space.items():
        if isinstance(one, pd.DataFrame) and all(isinstance(label, str) for label in one.columns):
            columns = {label: [None if pd.isna(value) else value for value in one[label]] for label in one.columns}
            made[name] = pl.DataFrame(columns)
    return made


@pytest.mark.parametrize(
    "case",
    [one for one in CASES if one["world"] in ("bakery", "people", "stations", "school")],
    ids=lambda case: case["prompt"],
)
def test_answer_in_polars(case):
    space = as_polars(WORLDS[case["world"]]())
    answer = tables.answer(case["prompt"], known(space, case["prompt"]))
    if case.get("no") or "asks" in case or answer is None:
        assert answer is None or not answer.cells
        return
    (cell,) = answer.cells
    wanted = expected(case)
    value = run(cell.source, space)
    kind = next((one for one in ("bars", "line", "pie", "points") if one in case), "")
    if kind:
        assert drawn(case, wanted), cell.source
    elif "file" in case:
        assert same(pd.read_csv(case["file"], parse_dates=["sold_at"]), wanted), cell.source
    elif not _known_otherwise(case["value"]):
        found = space[case["table"]] if "table" in case else value
        assert alike(found, wanted, ordered=case.get("ordered", False)), cell.source


def _known_otherwise(source: str) -> bool:
    """Whether polars says it in a form of its own: types, summaries, counts of missing values."""
    return any(word in source for word in (".dtypes", ".describe()", ".isna().sum()"))


def alike(found: Any, wanted: Any, *, ordered: bool) -> bool:
    """Whether polars gives the values that pandas does, whatever is called how; months are their first days, or their numbers."""
    if isinstance(found, pl.DataFrame):
        found = [tuple(map(coarse, row)) for row in found.rows()]
    elif isinstance(found, pl.Series | list | tuple):
        found = [(coarse(one),) for one in found]
    else:
        found = [(coarse(found),)]
    wanted = [tuple(map(coarse, row)) for row in rows(wanted)]
    if len(found) == 1 and len(wanted) > 1 and len(found[0]) == len(wanted):  # one row, where pandas has one column
        wanted = [tuple(row[-1] for row in wanted)]
    return found == wanted if ordered else sorted(found, key=repr) == sorted(wanted, key=repr)


def coarse(value: Any) -> Any:
    """A value with dates as their days, and months as their first ones."""
    value = plain(value)
    if isinstance(value, str) and value[:4].isdecimal() and len(value) >= 7:
        return value[:10] if len(value) > 7 else f"{value}-01"
    return value


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("show only the orders with Tea", 'df[df["product"] == "Tea"]'),
        ("how many orders per product", 'df["product"].value_counts()'),
        ("count how often each product was bought", 'df["product"].value_counts()'),
        ("show the order date", 'df["order_date"]'),
    ],
)
def test_orders_are_the_rows_of_a_table_with_an_order_date(prompt: str, code: str) -> None:
    space = {"df": pd.DataFrame({"order_date": ["2026-01-03", "2026-03-04"] * 2, "product": ["Mug", "Tea"] * 2})}
    answer = tables.answer(prompt, known(space, prompt))
    assert answer is not None
    assert [cell.source for cell in answer.cells] == [code]


@pytest.mark.parametrize("index", [{"name": "city"}, {"name": None}])
@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("average price per city", 2),
        ("how many rows per city where price is above 1", 2),
        ("bar chart of the average price per city", None),
        ("box plot of price by city", None),
        ("sort by city", None),
    ],
)
def test_a_column_that_is_named_like_the_index_is_not_taken_for_it(prompt: str, wanted: int | None, index) -> None:
    labels = pd.Index(["x", "y", "z"], **index)
    space = {"df": pd.DataFrame({"city": ["a", "b", "a"], "price": [1.0, 2.0, 3.0]}, index=labels)}
    answer = tables.answer(prompt, known(space, prompt))
    if answer is None:
        assert index["name"], "only then it can't be told apart"
        return
    (cell,) = answer.cells
    value = run(cell.source, space)
    assert wanted is None or len(value) == wanted


READ = 'import pandas as pd\ndf = pd.read_csv("school/students.csv")\ndf.head()'


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("how many students are there?", "len(df)"),
        ("how many students are there in each class?", 'df["class"].value_counts()'),
        ("average score of students per class", 'df.groupby("class")["score"].mean()'),
        ("sort the students by score", 'df.sort_values("score")'),
    ],
)
def test_a_table_is_called_by_the_file_that_it_was_read_from(prompt: str, code: str) -> None:
    space: dict[str, Any] = {"df": pd.DataFrame({"class": ["a", "b", "a"], "score": [1.0, 2.0, 3.0]})}
    answer = tables.answer(prompt, known(space, prompt, READ))
    assert answer is not None
    assert [cell.source for cell in answer.cells] == [code]
    assert tables.answer(prompt, known(space, prompt)) is None, "nothing says that its rows are students"
    space["best"] = space["df"][:1]
    assert tables.answer(prompt, known(space, prompt, READ, "best = df[:1]")) is None, "these are students, too"


def test_the_ways_to_read_a_prompt_have_an_order_that_is_no_hash_s():
    prompt = "share of sales with revenue above 1 per region"
    space = {"sales": pd.DataFrame({"region": ["N", "S"], "product": ["x", "y"], "revenue": [1.0, 2]})}
    answer = tables.answer(prompt, known(space, prompt))
    assert answer is not None
    ways = re.findall("^- `.*", answer.notes, re.MULTILINE)
    assert len(ways) == 2
    assert ways == sorted(ways)
