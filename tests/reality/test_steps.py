"""Columns that are known after a step: an index that is set, a dict that is filled, a text that is read, a table that is turned. Each
snippet is run with the name that is there and with one that is not, and Python says the same of it."""

from __future__ import annotations

import warnings

import pytest

from spark_jupyter.reality import check

HEAD = r"""import io
import json
from collections import defaultdict
from dataclasses import asdict, dataclass
import numpy as np
import pandas as pd
t = pd.DataFrame({"shop": ["a", "b"] * 2, "year": [1, 1, 2, 2], "n": [3, 4, 5, 6], "tags": ["x|y", "x", "y", "z"]})
CSV = '''Day;Sold units;Place
1;2;x
'''
@dataclass
class Item:
    kind: str
    price: float = 1.0
i = pd.MultiIndex.from_product([["x"], [1, 2]], names=["field", "at"])
"""
CASES = r"""
t.index = t["shop"]\nt["‹n|nn›"]
t.index = range(4)\nt.loc[2, "‹year|yeer›"]
t.index = pd.to_datetime(t["year"])\nt.resample("D")["‹n|nn›"].sum()
t.eval("m = n * 2", inplace=True)\nt["‹m|mm›"]
t.eval("m = n * 2¶k = m + 1", inplace=True)\nt["‹k|kk›"]
s = t.groupby(["shop", "year"]).agg({"n": ["min"]})\ns.columns = ["_".join(c) for c in s.columns]\ns["n_min"].unstack("shop")["‹a|c›"]
t.groupby("shop")["n"].apply(lambda s: (s > 3).sum()).reset_index(name="many")["‹many|more›"]
t.groupby("shop")["n"].apply(list).reset_index(name="all")["‹shop|shops›"]
t.groupby("shop")["n"].apply(list).reset_index()["‹n|nn›"]
t.groupby("shop")["n"].apply(lambda s: s.max() - s.min()).rename("span").reset_index()["‹span|n›"]
t.groupby("shop").apply(lambda g: g["n"].sum()).reset_index(name="total")["‹total|totals›"]
t.groupby("shop").apply(lambda g: pd.Series({"top": g["n"].max()}), include_groups=False)["‹top|tops›"]
t.groupby("shop").apply(lambda g: g["‹n|nn›"].max(), include_groups=False)
t.groupby("shop").apply(lambda g: g["‹n|shop›"].max())
d = defaultdict(list)\nfor k in range(3):\n    d["p"].append(k)\n    d["q"].append(k)\npd.DataFrame(d)["‹p|r›"]
d = {}\nfor k in range(3):\n    d.setdefault("p", []).append(k)\npd.DataFrame(d)["‹p|r›"]
d = {}\nd["p"] = [1]\nd["q"] = [2]\npd.DataFrame(d)["‹q|r›"]
d = {"p": [], "q": []}\nfor k in range(3):\n    d["p"].append(k)\n    d["q"].append(k)\npd.DataFrame(d)["‹q|r›"]
d = {"p": 1}\nd["q"] = 2\nd["‹q|r›"]
rows = []\nfor k in range(3):\n    row = {"p": k}\n    row["q"] = k * 2\n    rows.append(row)\npd.DataFrame(rows)["‹q|r›"]
pd.read_csv(io.StringIO(CSV), sep=";")["‹Place|place›"]
pd.read_csv(io.StringIO("a,b¶1,2"))["‹b|c›"]
r = pd.read_csv(io.StringIO(CSV), delimiter=";")\nr.columns = r.columns.str.lower().str.replace(" ", "_")\nr["‹sold_units|units›"]
pd.read_csv(io.StringIO("a b¶1 2"), sep=r"\s+")["‹b|c›"]
pd.read_csv(io.StringIO("a,b¶1,2"), index_col="a").loc[1, "‹b|c›"]
from io import StringIO\npd.read_csv(StringIO("a,b¶1,2"), parse_dates=["‹a|c›"])
pd.DataFrame(json.loads('[{"a": 1, "b": {"c": 2}}]'))["‹b|c›"]
json.loads('{"a": {"b": 1}}')["a"]["‹b|c›"]
pd.json_normalize(json.loads('[{"a": 1, "b": {"c": 2}}]'))["‹b.c|c›"]
t.pivot(index="year", columns="shop", values=["n", "tags"])["n"]["‹a|c›"]
w = t.pivot(index="year", columns="shop", values=["n", "tags"])\nw.columns = [f"{x}_{y}" for x, y in w.columns]\nw["‹n_b|b_n›"]
w = t.pivot_table(index="year", columns="shop", values=["n"])\nw.columns = w.columns.map("_".join)\nw.reset_index()["‹n_b|n›"]
t.pivot(index="year", columns="shop", values="n").stack().rename("v").reset_index()["‹shop|shops›"]
t.pivot(index="year", columns="shop", values="n").stack().rename("v").reset_index()["‹v|n›"]
t[["n", "year"]].agg(["min", "max"]).T["‹max|maximum›"]
t[["n", "year"]].agg(["min", "max"]).loc["‹max|maximum›"]
t[["n", "year"]].describe().T["‹mean|average›"]
t[["n", "year"]].describe().loc["‹mean|average›", "n"]
t.set_index("shop").T["‹a|c›"]
t["tags"].str.get_dummies(sep="|")["‹x|w›"]
pd.concat([t, t["tags"].str.get_dummies()], axis=1)["‹z|w›"]
t["tags"].str.split("|").str[0].‹str|strs›.upper()
for name, part in {"p": t, "q": t.head(1)}.items():\n    print(part["‹n|nn›"])
u = []\nfor k, part in {"p": t, "q": t}.items():\n    v = part.copy()\n    v["src"] = k\n    u.append(v)\npd.concat(u)["‹src|source›"]
u = []\nfor k in range(3):\n    v = t.copy()\n    v["src"] = k\n    u.append(v)\npd.concat(u, ignore_index=True)["‹src|source›"]
pd.concat([t.assign(src=k) for k in range(30)])["‹src|source›"]
pd.DataFrame([asdict(i) for i in [Item("p"), Item("q", 2.0)]])["‹kind|kinds›"]
pd.DataFrame([Item("p"), Item("q", 2.0)])["‹price|prize›"]
pd.DataFrame([vars(Item("p"))])["‹price|prize›"]
max([Item("p"), Item("q")], key=lambda i: i.‹price|prize›)
m = t.groupby("shop")["n"].sum().rename("total")\nt.merge(m, left_on="shop", right_index=True)["‹total|totals›"]
m = t.groupby("shop")["n"].sum().div(2).mul(100).round(1)\nt.join(m.rename("share"), on="shop")["‹share|shares›"]
t[["first", "rest"]] = t["tags"].str.extract(r"(\w)(.*)")\nt["‹rest|last›"]
pd.melt(t, id_vars=["shop"], value_vars=["n"])["‹variable|var›"]
pd.melt(t, id_vars=["‹shop|shops›"], value_vars=["n"])
pd.pivot_table(t, index="shop", values="‹n|nn›")
pd.pivot_table(t, index="shop", columns="year", values="n", aggfunc="sum").reset_index()["‹shop|shops›"]
pd.pivot(t, index="year", columns="shop", values="n")["‹b|c›"]
t.groupby("shop").n.sum().to_frame("total")["‹total|n›"]
t.sort_values("n").groupby("shop").head(1).set_index("shop")["‹n|nn›"]
t.groupby("shop")[["n", "year"]].apply(lambda g: g.values.tolist()).to_frame(name="pairs")["‹pairs|n›"]
t.groupby("shop").apply(lambda g: g.nlargest(1, "n"), include_groups=False).reset_index(drop=True)["‹n|nn›"]
t["shop"].value_counts().reset_index()["‹count|shops›"]
u = t.copy()\nu.loc[:, "z"] = 1\nu["‹z|zz›"]
u = t.drop(columns=["n"])\nu["‹year|n›"]
u = t.rename(columns={"n": "units"})\nu["‹units|n›"]
u = t.set_index("shop")\nu["‹n|shop›"]
u = t.groupby("shop", as_index=False).agg(total=("n", "sum"))\nu["‹total|n›"]
u = t.pipe(lambda d: d.assign(z=d["n"] * 2))\nu["‹z|zz›"]
u = t.explode("tags").groupby("tags")["n"].sum().reset_index()\nu["‹n|nn›"]
u = t.assign(tags=t["tags"].str.split("|")).explode("tags")\nu["‹tags|tag›"]
u = pd.DataFrame(list(zip(["a"], [1])), columns=["p", "q"])\nu["‹q|r›"]
u = pd.DataFrame({"p": [1]}).T\nu.columns = ["z"]\nu["‹z|p›"]
u = pd.DataFrame(np.eye(2), columns=[f"x{k}" for k in range(2)])\nu["‹x1|x2›"]
u = pd.DataFrame(np.eye(2), columns=list("pq"), index=["r", "s"])\nu.loc["‹r|p›", "q"]
u = pd.DataFrame.from_dict({"r": [1, 2]}, orient="index", columns=["p", "q"])\nu["‹q|r›"]
u = pd.DataFrame.from_dict({"p": [1, 2]})\nu["‹p|r›"]
u = pd.Series({"p": 1, "q": 2}).rename_axis("k").reset_index(name="v")\nu["‹v|q›"]
u = pd.Series({"p": 1, "q": 2}).to_frame("v")\nu.loc["‹q|v›"]
u = pd.DataFrame({"v": [1, 2]}, index=i)\nu.reset_index()["‹field|fields›"]
j = pd.MultiIndex.from_tuples([("x", 1)], names=("p", "at"))\nu = pd.DataFrame({"v": [1]}, index=j)\nu.groupby(level="‹at|att›").sum()
u = pd.DataFrame([[1], [2]], columns=["v"], index=i)\nu.loc[("x", 1), "‹v|w›"]
def walk(k):\n    yield {"half": k // 2}\n    if k > 1:\n        yield from walk(k // 2)\npd.DataFrame(list(walk(9)))["‹half|halves›"]
d = {"p": 1, "q": {"r": 2}}\nq = d.pop("q")\nd.update(q)\npd.DataFrame([d])["‹r|s›"]
d = {"p": {"r": 2}}\nd.get("p")["‹r|s›"]
r = pd.read_csv(io.StringIO("k,s,v¶1,a,2¶1,b,3¶"))\nr.pivot(index="k", columns="s", values="v")["‹b|c›"]
r = pd.read_csv(io.StringIO("k,s,v¶1,a,2¶1,b,3¶"))\nr["s"].fillna("n").‹str|strings›.upper()
u = pd.DataFrame({"m": t[["n", "year"]].mean(), "s": t[["n", "year"]].std()})\nu.loc["‹n|m›"]
pd.DataFrame({"r": {"p": 1, "q": 2}, "s": {"p": 3}}).T["‹p|r›"]
u = pd.crosstab(t["shop"], t["year"]).reset_index().melt(id_vars="shop", value_name="k")\nu["‹k|value›"]
u = pd.crosstab(t["shop"], t["year"]).reset_index().melt(id_vars="shop")\nu["‹year|years›"]
for _, row in t.iterrows():\n    row[t.columns].‹map|mapp›(str)
"""
FILLED = [
    (mark, line.replace("\\n", "\n").replace("¶", "\\n"))
    for line in CASES.strip().splitlines()
    for mark in [line[line.index("‹") : line.index("›") + 1]]
]


def filled(line: str, mark: str, place: int) -> str:
    return HEAD + line.replace(mark, mark[1:-1].split("|")[place])


def runs(source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(source, "<cell>", "exec", dont_inherit=True), {"__name__": "__main__"})


@pytest.mark.parametrize(("mark", "line"), FILLED)
def test_what_is_there_is_not_flagged(mark: str, line: str) -> None:
    runs(filled(line, mark, 0))
    assert not check(filled(line, mark, 0), {})


@pytest.mark.parametrize(("mark", "line"), FILLED)
def test_what_is_not_there_is_found(mark: str, line: str) -> None:
    wrong = mark[1:-1].split("|")[1]
    with pytest.raises((KeyError, AttributeError, ValueError)):
        runs(filled(line, mark, 1))
    found = check(filled(line, mark, 1), {})
    assert any(f"`{wrong}`" in finding.message for finding in found), found


VALID = r"""
pd.DataFrame({"a": t.groupby("shop")["n"].sum(), "b": t.groupby("shop")["year"].max()}).reset_index()["shop"]
rows = []\nrow = {"a": 1}\nrows.append(row)\nrows.append({"c": 1})\nrow.update(b=2)\npd.DataFrame(rows)["b"]
rows = []\nrow = {"a": 1}\nrows.append(row)\nrows.append({"c": 1})\nrow["b"] = 2\npd.DataFrame(rows)["b"]
rows = []\nrow = {"a": 1}\nrows.append(row)\nrows.append({"c": 1})\nrow.setdefault("b", 2)\npd.DataFrame(rows)["b"]
d = {"a": {"x": 1}}\nd["b"] = d["a"]\nd["b"]["z"] = 2\nd["a"]["z"]
d = {"a": 1}\ndef f(x):\n    x["b"] = 2\nf(d)\nd["b"]
d = {}\nfor k in t["shop"]:\n    d[k] = [1]\npd.DataFrame(d)["b"]
d = defaultdict(int)\nfor w in "a b a".split():\n    d[w] += 1\npd.DataFrame([d])["a"]
b = io.StringIO("junk¶a,b¶1,2")\nb.readline()\npd.read_csv(b)["b"]
b = io.StringIO("junk¶a,b¶1,2")\nnext(b)\npd.read_csv(b)["b"]
b = io.StringIO("junk¶a,b¶1,2")\nfor line in b:\n    break\npd.read_csv(b)["b"]
pd.read_csv(io.StringIO("junk¶a,b¶1,2"), skiprows=1)["b"]
pd.read_csv(io.StringIO("a,b¶0,1,2"))["b"]
pd.read_table(io.StringIO("a\tb¶1\t2"))["b"]
pd.read_csv(io.StringIO("a,a¶1,2"))["a.1"]
pd.read_csv(io.StringIO(",b¶1,2"))["Unnamed: 0"]
pd.read_csv(io.StringIO("\ufeffa,b¶1,2"))["a"]
pd.read_csv(io.StringIO("d,b¶2024-01-01,2"), parse_dates=["d"], index_col="d").reset_index()["d"]
pd.read_csv(io.StringIO("k,s,v¶1,True,2¶2,False,3")).pivot(index="k", columns="s", values="v")[True]
u = t.copy()\nu.index = u["shop"].str.upper()\nu.loc["A", "n"]
u = t.set_index("shop")\nu.index = [x.upper() for x in u.index]\nu.loc["A", "n"]
w = t.pivot(index="year", columns="shop", values=["n", "tags"])\nw["n", "all"] = w["n"]["a"] + w["n"]["b"]\nw["n"]["all"]
t.groupby("shop").apply(lambda g: g.name)
t.groupby(["shop"])[["n", "shop"]].apply(lambda g: g["shop"].iloc[0])
t.groupby(["shop"]).filter(lambda g: g["shop"].eq("a").any())
t.groupby("shop")["n"].apply(lambda s: s.value_counts()).reset_index()["level_1"]
t["n"].apply(lambda v: pd.Series({"a": v}))["a"]
x = json.loads('{"a": {}}')\nx["a"]["b"] = 1\nx["a"]["b"]
i = pd.MultiIndex.from_product([["x"], ["y"]], names=["p", "q"])\nu = pd.DataFrame([[1]], columns=["v"], index=i)\nu.loc["x", "y"]
def cum(d, k):\n    if k == 0:\n        return d\n    return cum(d.assign(z=1), k - 1)\ncum(t, len(t))["z"]
def gen(k):\n    if k:\n        yield from gen(k - 1)\n    else:\n        yield {"b": 0}\n    yield {"a": k}\nlist(gen(2))[0]["b"]
def grow(d, k):\n    if k == 0:\n        return d\n    d[f"c{k}"] = k\n    return grow(d, k - 1)\ngrow(t, 2)["c1"]
"""


@pytest.mark.parametrize("line", VALID.strip().splitlines())
def test_what_may_have_come_otherwise_is_not_flagged(line: str) -> None:
    source = HEAD + line.replace("\\n", "\n").replace("¶", "\\n")
    runs(source)
    assert not check(source, {})
