"""Columns of what pandas' methods give: a column that is not there is found, the one that is there is silent."""

# ruff: noqa: E501 (a pair a line)
from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.reality import Checker, check


@pytest.fixture(scope="module")
def namespace():
    when = pd.to_datetime(["2024-01-01"])
    df = pd.DataFrame({"city": ["a"], "price": [2.0], "qty": [1], "when": when})
    return {"df": df, "pd": pd, "other": pd.DataFrame({"city": ["a"], "size": [1], "price": [1]})}


def pairs(text: str) -> list[tuple[str, str]]:
    """An invention and its valid twin a line, with their line breaks written out."""
    return [
        tuple(side.strip().replace("\\n", "\n") for side in line.split(" | ")) for line in text.strip().splitlines()
    ]


COLUMNS = r"""
df.groupby("city")["price"].agg(["mean", "std"])["meen"] | df.groupby("city")["price"].agg(["mean", "std"])["mean"]
df.groupby("city").agg(total=("price", "sum"))["price"] | df.groupby("city").agg(total=("price", "sum"))["total"]
df.groupby("city").agg({"price": "sum"})["qty"] | df.groupby("city").agg({"price": "sum"})["price"]
df.groupby("city").agg({"price": ["min", "max"]})["price"]["mix"] | df.groupby("city").agg({"price": ["min", "max"]})["price"]["min"]
df.groupby("city").sum()["city"] | df.groupby("city", as_index=False).sum()["city"]
df.groupby("city")["price"].sum().reset_index(name="total")["price"] | df.groupby("city")["price"].sum().reset_index(name="total")["total"]
df.groupby("city")["price"].mean().to_frame("m")["price"] | df.groupby("city")["price"].mean().to_frame("m")["m"]
df.groupby("city").size().reset_index(name="n")["size"] | df.groupby("city").size().reset_index(name="n")["n"]
df.groupby("city")["price"].describe().rename(columns={"mean": "m"}).foo() | df.groupby("city")["price"].describe().rename(columns={"mean": "m"})
df.groupby("city").agg(["mean", "std"])["price"].rename(columns={"mean": "m"}).foo() | df.groupby("city").agg(["mean", "std"])["price"].rename(columns={"mean": "m"})
df.groupby("city")["price"].agg(["mean", "std"]).rename(columns={"mean": "m"})["mean"] | df.groupby("city")["price"].agg(["mean", "std"]).rename(columns={"mean": "m"})["m"]
df.groupby("city")["price"].transform(lambda s: s.meen()) | df.groupby("city")["price"].transform(lambda s: s.mean())
df.groupby("city")[["price", "qtty"]].sum() | df.groupby("city")[["price", "qty"]].sum()
df.resample("D", on="when")["prise"].sum() | df.resample("D", on="when")["price"].sum()
df.set_index("when")["price"].resample("D").meen() | df.set_index("when")["price"].resample("D").mean()
df["price"].rolling(2).meen() | df["price"].rolling(2).mean().round(1)
df.merge(other, on="city", suffixes=("_l", "_r"))["price_x"] | df.merge(other, on="city", suffixes=("_l", "_r"))["price_l"]
df.melt(id_vars="city", var_name="k")["price"] | df.melt(id_vars="city", var_name="k")["k"]
df["city"].value_counts().reset_index()["counts"] | df["city"].value_counts().reset_index()["count"]
df["city"].str.upper().foo() | df["city"].str.upper().str.strip()
df["city"].str.split(",").foo() | df["city"].str.split(",", expand=True)[0]
(df["price"] * df["qty"]).summ() | (df["price"] * df["qty"]).sum()
df["price"].fillna(0).rename("p").to_frame()["price"] | df["price"].fillna(0).rename("p").to_frame()["p"]
pd.get_dummies(df, columns=["citty"]) | pd.get_dummies(df, columns=["city"])["city_a"]
df[["price", "city"]]["qty"] | df[["price", "city"]]["city"]
df.loc[df["price"] > 1, ["price", "qtty"]] | df.loc[df["price"] > 1, ["price", "qty"]]
df[df["price"] > 1].query("qtty > 1") | df[df["price"] > 1].query("qty > 1")
pd.concat([df, other])["sizes"] | pd.concat([df, other])["size"]
df.set_index(["city", "qty"])["price"].unstack("qtty") | df.set_index(["city", "qty"])["price"].unstack("qty")
df.set_index(["city", "qty"]).xs("a", level="citty") | df.set_index(["city", "qty"]).xs("a", level="city")["price"]
df.set_index("city").groupby(level="citty").sum() | df.set_index("city").groupby(level="city").sum()["price"]
df.pivot_table(index="city", values="price")["qty"] | df.pivot_table(index="city", values="price")["price"]
df[["price", "qty"]].mean()["prise"] | df[["price", "qty"]].mean()["price"]
df.eval("total = price * qty")["totals"] | df.eval("total = price * qty")["total"]
df.rename(columns=str.upper)["city"] | df.rename(columns=str.upper)["CITY"]
df.add_suffix("_old")["city"] | df.add_suffix("_old")["city_old"]
df.describe().loc[["mean"]]["prise"] | df.describe().loc[["mean"]]["price"]
pd.merge_asof(df, other, on="price", by="citty") | pd.merge_asof(df, other, on="price", by="city")["size"]
pd.merge_asof(df, other, on="price", by="city")["sizes"] | pd.merge_ordered(df, other, on="city")["size"]
df[df[["price", "qty"]].ge(1).all(axis=1) & df["price"].le(2)]["prise"] | df[df[["price", "qty"]].ge(1).all(axis=1) & df["price"].le(2)]["price"]
for name in ["price", "qty"]:\n    df[name + "_rank"] = df[name].rank()\ndf["price_ranks"] | for name in ["price", "qty"]:\n    df[name + "_rank"] = df[name].rank()\ndf["price_rank"]
t = df.set_index("city")\nt.index.name = "town"\nt.foo() | t = df.set_index("city")\nt.index.name = "town"\nt.reset_index()["town"]
df.explode("citty") | df.explode("city")["city"]
df.pivot(index="city", columns="qtty", values="price") | df.pivot(index="city", columns="qty", values="price")[1]
"""


@pytest.mark.parametrize(("invented", "valid"), pairs(COLUMNS))
def test_the_columns_of_a_result_are_known(namespace, invented, valid):
    assert check(invented, namespace) != []
    checker = Checker(namespace)
    assert [*checker.feed(valid), *checker.flush()] == []
    assert checker.failures == 0


@pytest.mark.parametrize(
    "source",
    [
        "df.groupby('city')['price'].agg(['mean', 'std']).rename(columns={'mean': 'm', 'std': 's'})",
        "df.groupby('city')['price'].describe().rename(columns={'mean': 'm'})",
        "df.groupby('city').agg(['mean', 'std'])['price'].rename(columns={'mean': 'm'})",
        "df.groupby('city')['price'].apply(lambda s: s.describe()).unstack().rename(columns={'mean': 'm'})",
    ],
)
def test_several_statistics_of_one_column_are_a_table(namespace, source):
    assert check(source, namespace) == []
