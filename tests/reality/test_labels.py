"""Labels of rows, and the keys of records: what is named and not there. Each snippet is run, too."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from spark_jupyter.reality import check


def namespace():
    return {
        "pd": pd,
        "np": np,
        "more": [{"id": 1, "tags": ["a"], "user": {"name": "u"}}],
        "live": pd.DataFrame({"n": [1, 2]}, index=["a", "b"]),
    }


MARKS = 'marks = pd.DataFrame({"math": [3, 5], "art": [5, 2]}, index=["ann", "bo"])\n'
ORDERS = (
    'orders = [{"id": 1, "customer": {"name": "Ann", "town": "Bern"}, "lines": [{"sku": "x", "qty": 2}]},'
    ' {"id": 2, "customer": {"name": "Bo", "town": "Genf"}, "lines": [{"sku": "y", "qty": 5}]}]\n'
)
SALES = 'sales = pd.DataFrame({"town": ["b", "g", "b"], "kind": ["x", "y", "x"], "euro": [1, 2, 3]})\n'

MISSING = [
    ("anna", MARKS + 'marks.loc["anna"]'),
    ("anna", MARKS + 'marks.loc[["bo", "anna"], "art"]'),
    ("bob", MARKS + 'marks.at["bob", "math"]'),
    ("bob", MARKS + 'marks.loc["bob", "math"]'),
    ("bob", MARKS + 'marks.drop(index="bob")'),
    ("bob", MARKS + 'marks.drop(["ann", "bob"])'),
    ("bob", MARKS + 'def of(table, who):\n    return table.loc[who]\nof(marks, "bob")'),
    ("bob", MARKS + 'marks.assign(sum=1).sort_values("sum").loc["bob"]'),
    ("dees", MARKS + 'marks.loc["dee"] = [1, 2]\nmarks.loc["dees"]'),
    ("h", SALES + 'sales.groupby("town").agg(n=("euro", "sum")).loc["h", "n"]'),
    ("h", SALES + 'sales.groupby("town")[["euro"]].sum().loc["h"]'),
    ("h", SALES + 'sales.set_index("town").loc["h"]'),
    ("kinds", SALES + 'sales.columns.drop("kinds")'),
    ("item", ORDERS + 'pd.json_normalize(orders, record_path="item")'),
    ("item", ORDERS + 'pd.json_normalize(orders, record_path=["item"], meta=["id"])'),
    ("ids", ORDERS + 'pd.json_normalize(orders, record_path="lines", meta=["ids"])'),
    ("client", ORDERS + 'pd.json_normalize(orders, "lines", [["client", "name"]])'),
    ("sum", ORDERS + 'pd.json_normalize(orders, record_path="lines", meta=["id"])["sum"]'),
    ("town", ORDERS + 'pd.json_normalize(orders)["town"]'),
    ("city", ORDERS + 'pd.json_normalize(orders)["customer.city"]'),
    ("customer.town", ORDERS + 'pd.json_normalize(orders, sep="_")["customer.town"]'),
    ("sku", ORDERS + 'pd.json_normalize(orders, "lines", record_prefix="line_")["sku"]'),
    (
        "size",
        ORDERS
        + 'def f(rs):\n    return pd.json_normalize(rs, "lines", ["id"]).groupby("size")["qty"].sum()\nf(orders)',
    ),
]
VALID = [
    MARKS + 'marks.loc["bo"], marks.loc[["ann"], "art"], marks.at["ann", "math"], marks.drop(index="bo")',
    MARKS + 'marks.loc["cy"] = [1, 2]\nmarks.loc["cy"], marks.drop(index="cy")',
    MARKS + 'marks.at["cy", "art"] = 1\nmarks.loc["cy"]',
    MARKS + 'marks.drop(index="bob", errors="ignore")\nmarks.drop("math", axis=1), marks.drop(columns="art")',
    MARKS + 'marks.index = ["x", "y"]\nmarks.loc["x"]',
    MARKS
    + 'marks.rename(index={"ann": "Ann"}).loc["Ann"]\nmarks.rename(index={"bo": "Bo"}, inplace=True)\nmarks.loc["Bo"]',
    MARKS + 'marks.T.loc["math", "ann"]',
    MARKS + 'marks.reset_index().set_index("index").loc["bo"]\nmarks.reindex(["cy"]).loc["cy"]',
    MARKS + 'pd.concat([marks, pd.DataFrame({"math": [1]}, index=["cy"])]).loc["cy", "math"]',
    MARKS + 'marks.loc["ann":"bo"], marks.loc[marks["art"] > 2], marks.loc[:, "art"]',
    MARKS + 'for new in ("cy", "dee"):\n    marks.loc[new] = [1, 2]\nmarks.loc["dee"]',
    MARKS
    + 'marks.describe().loc["mean", "art"], marks.agg(["min", "max"]).loc["min"], marks.corr().loc["art", "math"]',
    MARKS + 'def add(table):\n    table.loc["cy"] = [1, 2]\nadd(marks)\nmarks.loc["cy"]',
    MARKS + 'other = marks.copy()\nother.loc["cy"] = 1\nother.loc["cy"]',
    SALES + 'sales.groupby("town").agg(n=("euro", "sum")).loc["b", "n"]\nsales.set_index("town").loc["b"]',
    SALES
    + 'sales.pivot_table(index="town", columns="kind", values="euro", aggfunc="sum", margins=True).loc["All", "x"]',
    SALES + 'sales.groupby("town")[["euro"]].describe().loc["b"]\nsales.groupby(["town", "kind"]).sum().loc["b"]',
    SALES
    + 'sales.columns.drop("kind").tolist(), sales.columns.drop(["town"]), sales.columns.drop("no", errors="ignore")',
    SALES + 'wide = sales.set_index("town")\nwide.loc["z"] = ["x", 1]\nwide.loc["z"]',
    SALES + 'sales.groupby(sales["town"].str.upper())[["euro"]].sum().loc["B"]',
    SALES + 'sales["town"] = sales["town"].str.upper()\nsales.groupby("town")[["euro"]].sum().loc["B"]',
    ORDERS
    + 'pd.json_normalize(orders, record_path="lines", meta=["id", ["customer", "name"]])[["sku", "customer.name"]]',
    ORDERS + 'pd.json_normalize(orders)[["id", "customer.name", "lines"]]',
    ORDERS + 'pd.json_normalize(orders, max_level=0)["customer"], pd.json_normalize(orders, sep="_")["customer_town"]',
    ORDERS + 'pd.json_normalize(orders, "lines", "id", record_prefix="line_")[["line_sku", "id"]]',
    ORDERS + 'pd.json_normalize(orders, "lines", ["no"], errors="ignore")["no"]',
    ORDERS + 'pd.json_normalize(orders, ["customer", "no"], errors="ignore") if orders == [] else 1',
    ORDERS + 'orders.append({"id": 3, "more": 1})\npd.json_normalize(orders)["more"]',
    'pd.json_normalize(more)["user.name"], pd.json_normalize(more, record_path="tags", meta="id")["id"]',
    'live.loc["a"], live.drop(index="b")',
]


@pytest.mark.parametrize(("name", "source"), MISSING)
def test_what_is_not_there_is_reported(name, source):
    with pytest.raises((KeyError, TypeError)):
        exec(source, namespace())
    messages = [finding.message for finding in check(source, namespace())]
    assert any(name in message for message in messages), messages


@pytest.mark.parametrize("source", VALID)
def test_what_is_there_is_not_reported(source):
    exec(source, namespace())
    assert check(source, namespace()) == []
