"""Columns of DataFrames wherever a DataFrame can be: in lists and dicts, in loops over rows and groups, in the text of a query."""

from __future__ import annotations

import types

import numpy as np
import pandas as pd
import pytest

from spark_jupyter.reality import check


@pytest.fixture
def namespace():
    df = pd.DataFrame({"price": [1, 2], "city": ["a", "b"], "qty": [3, 4]})
    return {
        "pd": pd,
        "np": np,
        "df": df,
        "frames": {"a": df, "b": df[["price"]]},
        "parts": [df, df.copy()],
        "nested": {"x": {"y": df}},
        "many": {f"k{n}": df.copy() for n in range(12)},
        "holder": types.SimpleNamespace(df=df.copy()),
        "by_city": df.set_index("city"),
        "odd": pd.DataFrame({"a b": [1], "class": [2], "_x": [3]}),
        "two_levels": pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])),
    }


MISSING = r"""
frames["a"]["prise"]
frames["a"].prise
frames["b"]["city"]
parts[0]["prise"]
nested["x"]["y"]["prise"]
many["k3"]["prise"]
holder.df["prise"]
for name, frame in frames.items():\n    frame["nothere"]
for frame in parts:\n    frame["prise"]
for name, group in df.groupby("city"):\n    group["prise"]
df["price"].map(frames["a"]["citty"])
for _, row in df.iterrows():\n    print(row["prise"])
for _, row in df.iterrows():\n    print(row.prise)
for row in df.itertuples():\n    print(row.citty)
df.apply(lambda row: row["prise"] * 2, axis=1)
df.iloc[0]["prise"]
df.query("prise > 3")
df.query("price > 3 and citty == 'a'")
df.query("`price x` > 3")
df.query("price > @nolimit")
df.eval("total = prise * qty")
by_city.query("citty == 'a'")
x = df.assign(total=1)\nx["totals"]
x = df.rename(columns={"price": "cost"})\nx["price"]
x = pd.DataFrame({"a": [1]})\nx.query("b > 1")
df.groupby("city").apply(lambda g: pd.Series({"n": len(g), "top": g["price"].max()}))["topp"]
def stats(g):\n    return pd.Series({"n": len(g)})\ndf.groupby("city")[["price"]].apply(stats).reset_index()["town"]
df.apply(lambda row: pd.Series({"a": row["price"], "b": 1}), axis=1)["c"]
from functools import reduce\nreduce(lambda left, right: left.merge(right, on="citty"), [df, df])
from functools import reduce\nreduce(lambda left, right: left.merge(right, on="city"), [df, df])["prise"]
pd.concat({"a": df, "b": df}, names=["what", "row"]).reset_index()["whatt"]
pd.concat([df, df], keys=["a", "b"])["prise"]
df.pivot(index="city", columns="qty", values=["price"])["cost"]
df.pivot_table(index="city", columns="qty", values=["price"], aggfunc="sum")["cost"]
df.set_index("city").at["a", "prise"]
x = df.copy()\nx.index.name = "row"\nx.reset_index()["rows"]
both = [df.rename(columns={"price": name}) for name in ("a", "b")]\nboth[0]["c"]
for column in df.columns:\n    column.upper_case()
"""

THERE = r"""
frames["c"] = df.assign(z=1)\nframes["c"]["z"]
frames["a"]["z"] = 1\nframes["a"]["z"]
frames["a"]["z"] = 1\ndf["z"]
for key in frames:\n    frames[key]["z" + key] = 1\nframes["a"]["za"]
for key in many:\n    many[key]["z" + key] = 1\nmany["k0"]["zk0"]
for frame in many.values():\n    frame["z"] = 1\nmany["k0"]["z"]
for n, frame in enumerate(parts):\n    frame[f"z{n}"] = 1\nparts[0]["z0"]
for frame in parts:\n    frame.columns = ["a", "b", "c"]\nparts[0]["a"]
for frame in parts:\n    frame.insert(0, "first", 1)\nparts[0]["first"]
from itertools import chain\nfor frame in chain(parts):\n    frame["z" * 2] = 1\nparts[0]["zz"]
def add(some):\n    for frame in some:\n        frame["z"] = 1\nadd(parts)\nparts[0]["z"]
def add(name):\n    df[name] = 1\nadd("z")\ndf["z"]
def add(name):\n    frames["a"][name] = 1\nadd("z")\nframes["a"]["z"]
other = dict(frames)\nname = "zz"\nother["a"][name] = 1\nframes["a"]["zz"]
other = [frame for frame in parts]\nfor name in ["u", "v"]:\n    other[0][name] = 1\nparts[0]["u"]
other = {**frames}\nfor name in ["u", "v"]:\n    other["a"][name] = 1\nframes["a"]["u"]
one, two = parts\none["z"] = 1\nparts[0]["z"]
one = frames.get("a")\none["z" * 2] = 1\nframes["a"]["zz"]
frames = {name: frame.assign(w=1) for name, frame in frames.items()}\nframes["a"]["w"]
parts = list(map(lambda frame: frame.assign(w=1), parts))\nparts[0]["w"]
holder.df["z"] = 1\nholder.df["z"]
for _, row in df.iterrows():\n    row["new"] = 1\n    print(row["new"])
for _, row in df.iterrows():\n    row = row.to_dict()\n    row["new"] = 1\n    row["new"]
for _, row in df.iterrows():\n    row = row.rename({"price": "cost"})\n    row["cost"]
for _, row in df.groupby("city").agg({"price": ["sum", "mean"]}).iterrows():\n    row["price"]
for _, row in df.groupby("city")["price"].agg(["sum", "mean"]).iterrows():\n    row["sum"]
o = df.groupby("city").agg({"price": ["sum", "mean"]}).reset_index()\no["city", ""]\no[("price", "sum")]\no.sort_values(("city", ""))
o = df.groupby("city").agg({"price": ["sum", "mean"]})\no["added"] = 1\no["added", ""]\no.sort_values(("price", "mean"))
for _, row in df.reset_index().iterrows():\n    row["index"]
for _, row in two_levels.iterrows():\n    row["a"]
for row in df.itertuples():\n    print(row.price, row.Index, row[0], row._fields, row._asdict()["price"])
for row in df.itertuples(name=None):\n    print(row[1])
for row in odd.itertuples():\n    print(row._1, row._2)
df["new"] = 1\nfor row in df.itertuples():\n    row.new
for name, group in df.groupby("city"):\n    group = group.assign(share=1)\n    group["share"]
for name, group in df.groupby("city")["price"]:\n    group.sum()
df.apply(lambda row: row.price + row["qty"] + row.get("zzz", 0), axis=1)
df.apply(lambda column: column.sum())
one = pd.Series({"a": 1}) + pd.Series({"b": 2})\none["b"]
one = pd.Series({"a": 1})\none["b"] = 3\none["b"]
one = pd.Series([1, 2])\none.index = ["a", "b"]\none["a"]
df.query("index > 0 and ilevel_0 > 0")
df.query("city.str.contains('@x') and sin(price) > 0")
df.query("price > @np.pi and price == @df.price.max()")
df.query("city in ['a', 'b'] and `price` > 2")
df["has space"] = 1\ndf.query("`has space` > 0")
df.eval("total = price * qty\\ntwice = total * 2")["twice"]
df.eval("z = price", inplace=True)\ndf.query("z > 0")
by_city.query("city == 'a'")
two_levels.query("a > 1")
def choose(limit):\n    return df.query("price > @limit")
text = "pric" + "e > 1"\ndf.query(text)
df.groupby("city").apply(lambda g: pd.Series({"n": len(g), "top": g["price"].max()})).reset_index()[["city", "n", "top"]]
df.groupby("city", as_index=False).apply(lambda g: pd.Series({"n": len(g)}))[["city", "n"]]
df.groupby("city").apply(lambda g: g.assign(z=1)).reset_index()["z"]
df.groupby("city").apply(len).loc["a"]
df.apply(lambda row: pd.Series({"a": row["price"], "b": 1}), axis=1)[["a", "b"]]
from functools import reduce\nreduce(lambda left, right: left.merge(right, on="city"), [df, df, df])[["price_x", "price_y", "price"]]
from functools import reduce\nreduce(lambda a, b: a + b, [1, 2]).bit_length()
pd.concat({"a": df, "b": df}, names=["what", "row"]).reset_index()[["what", "row", "price"]]
pd.concat([df, df], keys=["a", "b"]).reset_index()["level_0"]
df.pivot(index="city", columns="qty", values=["price"])["price"].assign(x=1)["x"]
df.pivot(index="city", columns="qty", values=["price"]).rename(columns=str.lower)["price"].sum().sum()
df.pivot_table(index="city", columns="qty", values=["price"], aggfunc="sum")[("price", 3)]
df.pivot(index="city", columns="qty", values="price").reset_index().melt(id_vars="city")["qty"]
df.rename_axis(columns="what").melt(id_vars="city")["what"]
df.iloc[0].rename("first").to_frame()["first"]
df.pivot(index="city", columns="qty", values=["price"]).count().reset_index()["qty"]
x = df.set_axis([f"c{n}" for n in range(3)], axis=1)\nx.c1
x = df.rename(columns=str.upper)\nx.head().T.T.PRICE
x = df.copy()\nx.index.name = "row"\nx.reset_index()["row"]
exec("df['zz'] = 1")\ndf["zz"]
"""


def sources(text: str) -> list[str]:
    """One a line, with its line breaks written out."""
    return [line.replace("\\\\n", "\0").replace("\\n", "\n").replace("\0", "\\n") for line in text.strip().splitlines()]


@pytest.mark.parametrize("source", sources(MISSING))
def test_a_column_that_is_not_there_is_found_wherever_its_table_is(namespace, source):
    assert check(source, namespace) != []


@pytest.mark.parametrize("source", sources(THERE))
def test_a_column_that_may_be_there_is_not_reported(namespace, source):
    assert check(source, namespace) == []


def test_the_nearest_column_is_in_the_remedy_of_a_query(namespace):
    (finding,) = check('df.query("prise > 3")', namespace)

    assert finding.rule == "missing-column"
    assert "price" in finding.remedy


def test_looking_into_a_dict_of_tables_changes_nothing_in_it(namespace):
    before = {name: list(frame.columns) for name, frame in namespace["frames"].items()}

    check('frames["a"]["z"] = 1\nframes.clear()\nfor f in frames.values():\n    f["y"] = 2', namespace)

    assert {name: list(frame.columns) for name, frame in namespace["frames"].items()} == before


@pytest.mark.parametrize(
    "made",
    [
        "pd.concat(parts, axis=1)",
        "pd.concat(list(parts.values()), axis=1)",
        "pd.concat(held, axis=1)",
        "first.to_frame()",
        "first.reset_index()",
        "pd.DataFrame(held).T",
    ],
)
def test_a_series_of_the_kernel_gives_a_column_its_name(made):
    held = [pd.Series([1, 2], name=name) for name in ("k0", "k1")]
    namespace = {"pd": pd, "parts": {one.name: one for one in held}, "held": held, "first": held[0]}
    assert check(f"table = {made}\ntable.k0", namespace) == []
    assert [one.wrong for one in check(f"table = {made}\ntable.reset_indexs()", namespace)] == ["reset_indexs"]


FIELDS = """
import dataclasses
@dataclasses.dataclass
class Item:
    price: int = 1
class Node:
    def __init__(self, weight):
        self.weight = weight
items, nodes = [Item(), Item(2)], [Node(1), Node(2)]
data = {"users": [{"id": 1, "address": {"zipcode": "1"}}, {"id": 2, "address": None}]}
"""


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("pd.DataFrame(items).price", "prise"),
        ("pd.DataFrame([dataclasses.asdict(one) for one in items]).price", "prise"),
        ("pd.DataFrame([vars(one) for one in nodes]).weight", "wieght"),
        ("pd.Series(vars(nodes[0])).weight", "wieght"),
        ("pd.DataFrame(user['address'] or {} for user in data['users']).zipcode", "zipcod"),
    ],
)
def test_keys_and_attributes_of_the_kernels_objects_become_columns(source, wrong):
    namespace = {"pd": pd, "__name__": "__main__"}
    exec(FIELDS, namespace)
    assert check(source, namespace) == []
    misspelt = f"{source.rpartition('.')[0]}.{wrong}"
    assert [one.wrong for one in check(misspelt, namespace)] == [wrong]


UNSEEN = """
import collections, json, types
class Texts(dict): pass
class Fit:
    def __init__(self): self.history = {"loss": [1, 2]}
def rows():
    yield {"score": 1}
by_key = collections.defaultdict(dict)
by_key["r"]["speed"] = 1
queue, texts, fit = collections.deque([{"speed": 1}]), Texts(speed=1), Fit()
lines, names, space = ['{"speed": 1}'], ["speed", "other"], types.SimpleNamespace(rows=[{"speed": 1}])
"""


@pytest.mark.parametrize(
    "source",
    [
        "pd.DataFrame(by_key).T.speed",
        "pd.DataFrame(by_key.values()).speed",
        "pd.DataFrame(queue).speed",
        "pd.Series(texts).speed",
        "pd.DataFrame(fit.history).loss",
        "pd.DataFrame(rows()).score",
        "pd.DataFrame([json.loads(line) for line in lines]).speed",
        "pd.DataFrame([[1, 2]], columns=names).speed",
        "pd.DataFrame([dict(row) for row in space.rows]).speed",
    ],
)
def test_data_that_nothing_is_known_of_may_have_any_column(source):
    namespace = {"pd": pd, "__name__": "__main__"}
    exec(UNSEEN, namespace)
    exec(source, namespace)
    assert check(source, namespace) == []
    called = f"{source.rpartition('.')[0]}.sort_vals()"
    assert [one.wrong for one in check(called, namespace)] == ["sort_vals"]


@pytest.mark.parametrize(
    ("held", "asked"), [("scores", "score"), ("x_train", "y_train"), ("mean_1", "mean_2"), ("cost", "host")]
)
def test_one_of_several_alike_labels_is_no_misspelling(held, asked):
    namespace = {"pd": pd, "given": {held: 1}, "rows": lambda: [{asked: 1}]}
    assert check(f"pd.DataFrame(rows()).{asked}", namespace) == []
