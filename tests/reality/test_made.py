"""Values made by a body, a list of records, a merge, a file or a renaming. Each snippet is run, too."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from spark_jupyter.reality import check

mpl.use("Agg")


def namespace():
    return {
        "pd": pd,
        "np": np,
        "plt": plt,
        "json": json,
        "Path": Path,
        "df": pd.DataFrame({"store": ["A", "B", "A"], "units": [1, 2, 3], "price": [1.5, 2.5, 3.5]}),
        "hourly": pd.DataFrame(
            {"t": [1.0, 2, 3], "h": [4.0, 5, 6]}, index=pd.date_range("2024-01-01", periods=3, freq="h")
        ),
        "people": pd.DataFrame({"name": ["Ann Lee", "Bo Ek"], "boss": [1, 1], "id": [1, 2]}),
        "records": [{"id": n, "user": {"name": "u"}, "items": [{"sku": "s", "qty": n}]} for n in range(9)],
        "config": {"model": {"depth": 3}, "raw": "a.csv"},
    }


MISSING = r"""
asc | def f(df):\n    df = df.copy()\n    df["rank"] = df.groupby("store")["units"].rank(asc=False)\n    return df\nf(df)
avg | def f(df):\n    df["mean"] = df["units"].avg()\nf(df)
average | df.groupby("store").agg(a=("units", "average"))
average | df.pivot_table(index="store", values="units", aggfunc="average")
average | hourly.resample("D").agg({"t": "average"})
tt | hourly.resample("D").agg({"tt": "mean"})
hour_ | hourly.between_time("00:00", "02:00").copy()["hour_"]
names | people.merge(people, left_on="boss", right_on="id", suffixes=("", "_b")).loc[lambda d: d["id"] > 0, ["names"]]
surname | parts = people["name"].str.split(" ", expand=True)\nparts.columns = ["first", "last"]\nparts["surname"]
surname | parts = people["name"].str.split(" ", expand=True)\nparts.columns = ["first", "last"]\npeople.join(parts)["surname"]
unit | pd.Series([1, 2, 3], index=df.columns).loc["unit"]
unit | df[["units", "price"]].mean().loc["unit"]
age | [r["user"]["age"] for r in records]
count | [i["count"] for r in records for i in r["items"]]
users | pd.DataFrame(records)["users"]
uppercase | [r["user"]["name"].uppercase() for r in records]
rate | merged = {**config["model"], "extra": 1}\nmerged["rate"]
when | hourly.reset_index(names="time")["when"]
to_csvs | pd.read_csv("x.csv", usecols=["a", "b"]).to_csvs()
codez | pd.qcut(df["units"], q=2).cat.codez
utf9 | open("x.txt", encoding="utf9")
opens | (Path("a") / "b").opens()
keys_sort | json.dumps({}, keys_sort=True)
jpgg | plt.figure().savefig("x", format="jpgg")
rite | np.array([1, 2]).searchsorted([1], side="rite")
strings | df["store"].value_counts().index.to_series().strings.upper()
locs | pd.get_dummies(df, columns=["store"]).locs
nop | out = df.groupby("store", as_index=False)["units"].sum()\nout.loc[out["units"] > 1, "nop"]
nop | hourly.rename_axis("when").reset_index()["nop"]
nop | people.join(people.set_index("name")["id"].rename("nr"))["nop"]
nop | for name, how in {"a": "sum", "b": "max"}.items():\n    df[name] = df["units"].agg(how)\ndf["nop"]
anys | df[df.select_dtypes("number").columns].anys()
nop | people["name"].str.extract(r"(?P<first>\\w+) (\\w+)")["nop"]
Upper | import re\nre.sub("a", "b", "c").Upper()
utf9 | "x".encode("utf9")
rates | from functools import partial\ndef f(x, rate=1):\n    return x * rate\npartial(f, rates=2)(1)
nop | import polars as pl\ncost = (pl.col("a") * 2).alias("cost")\npl.DataFrame({"a": [1]}).with_columns(cost).select("nop")
nop | import duckdb\nduckdb.sql("select store from df").filter("store > 'A'").order("store").df()["nop"]
steel_blue | df["units"].plot(kind="bar", color="steel_blue")
"""
VALID = r"""
def f(df):\n    df = df.copy()\n    df["rank"] = df.groupby("store")["units"].rank(ascending=False)\n    return df["rank"]\nf(df)
df[["units"]].agg("average")
df["units"].agg(["mean", "average"])
df.groupby("store")["units"].agg(["mean", "idxmax", "nunique", "first", "pct_change"][:4])
hourly.resample("D").agg({"t": "mean", "h": ["min", "max"]})
hourly.rolling(2).agg({"t": "sum"})
people.merge(people, left_on="boss", right_on="id", suffixes=("", "_b")).loc[lambda d: d["id"] > 0, ["name", "name_b"]]
df.columns = ["a", "b", "c"]\ndf["c"].sum()
if len(df) > 9:\n    df.columns = ["a", "b", "c"]\ndf["units"].sum()
for r in records:\n    r["new"] = 1\nprint(records[0]["new"])
records.append({"id": 9, "more": 1})\nrecords[-1]["more"]
def add(rs):\n    for r in rs:\n        r["total"] = 1\ndef show(rs):\n    return [r["total"] for r in rs]\nadd(records)\nshow(records)
def one(r):\n    r.update(extra=1)\n    return r\nlist(map(one, records))\nrecords[0]["extra"]
s = df[["units", "price"]].mean()\ns.loc["more"] = 1.0\ns["more"]
s = df[["units", "price"]].mean()\ns.loc[["units"]]
merged = {**config, "raw": "b", "more": 2}\nmerged["more"], merged["model"]["depth"]
(Path("a") / "b").with_suffix(".txt").name
json.dumps({}, indent=2, sort_keys=True, ensure_ascii=False)
json.dumps({}, cls=json.JSONEncoder, sort_keys=True)
hourly.reset_index(names="time")["time"]
df.columns[0].upper(), df.columns.str.lower().tolist(), [c.title() for c in df.columns]
pd.cut(df["units"], bins=2, retbins=True)[1]
"x".encode("utf-8"), b"x".decode(encoding="latin1")
df.sum(numeric_only=True, axis=0)
np.array([1, 2]).searchsorted([1], side="right")
pd.get_dummies(df, columns=["store"]).store_A
df.pivot_table(index="units", columns="store", values="price", aggfunc="sum").B
df["store"].value_counts().B
pd.Series([1, 2, 3], name="n").reset_index()["n"]
hourly.assign(k="a").groupby("k").resample("D")[["t"]].sum().reset_index()["k"]
hourly.assign(k="a").groupby("k")["t"].resample("D").sum().reset_index()[["k", "t"]]
hourly.assign(k="a").groupby("k")["t"].rolling(2).sum().rename("r").reset_index()[["k", "r"]]
hourly.assign(k="a").groupby("k")["t"].expanding().max().reset_index()["k"]
pd.concat({"old": df, "new": df}, names=["version"]).reset_index(level="version")["version"]
pd.concat([df, df], keys=["a", "b"], names=["version"]).reset_index()["version"]
for name, how in {"a": "sum", "b": "max"}.items():\n    df[name] = df["units"].agg(how)\ndf["b"]
many = {f"k{n}": n for n in range(20)}\nfor name, n in many.items():\n    df[name] = n\ndf["k3"]
people["name"].str.extract(r"(?P<first>\\w+) (\\w+)")[["first", 1]]
people.join(people.set_index("name")["id"].rename("nr"), on="name")["nr"]
hourly.rename_axis(index="when").reset_index()["when"]
df.set_index(["store", "units"]).rename_axis(["a", "b"]).reset_index("a")["a"]
df[df.columns[:2]].merge(df, on="store").loc[0, "units_x"]
out = df.groupby("store", as_index=False)["units"].sum()\nout.loc[out["units"] > 1, "new"] = 1\nout["new"]
from functools import partial\ndef f(x, *, rate=1, **more):\n    return x * rate\npartial(f, rate=2, other=3)(1)
import polars as pl\ncost = (pl.col("a") * 2).alias("cost")\npl.DataFrame({"a": [1]}).with_columns(cost).select("cost")
import polars as pl\nboth = pl.col("a", "b").round(1)\npl.DataFrame({"a": [1.5], "b": [2.5]}).select(both)["b"]
"""


def snippets(text):
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


@pytest.mark.parametrize("line", snippets(MISSING), ids=lambda line: line.partition(" | ")[2][:60])
def test_what_is_not_there_is_reported(line):
    name, _, source = line.partition(" | ")
    with pytest.raises(Exception):  # noqa: B017, PT011 (each library raises its own)
        exec(source, namespace())
    messages = [finding.message for finding in check(source, namespace())]
    assert any(name in message for message in messages), messages


@pytest.mark.parametrize("source", snippets(VALID))
def test_what_is_there_is_not_reported(source):
    exec(source, namespace())
    assert check(source, namespace()) == []
