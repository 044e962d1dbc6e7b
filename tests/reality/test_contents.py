"""Values that become columns: pivots, crosstabs, dummies; and names made by functions of texts."""

from __future__ import annotations

import duckdb  # noqa: F401  (as a kernel would have it)
import pandas as pd
import pytest

from spark_jupyter.reality import check

HEAD = r"""import duckdb
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
t = pd.DataFrame({"shop": ["a", "b"] * 2, "year": [1, 1, 2, 2], "n": [3, 4, 5, 6]})
"""
CASES = r"""
w = t.pivot(index="year", columns="shop", values="n")\nw["‹a|A›"]
w = t.pivot_table(index="year", columns="shop", values="n", aggfunc="sum", margins=True)\nw["‹All|all›"]
w = t.pivot_table(index="shop", columns="year", values="n").reset_index()\nw["‹shop|shops›"]
t["size"] = np.where(t["n"] > 3, "big", "small")\nt.groupby(["shop", "size"])["n"].sum().unstack()["‹big|bigger›"]
t["size"] = pd.cut(t["n"], [0, 4, 9], labels=["low", "high"])\npd.crosstab(t["shop"], t["size"])["‹low|lower›"]
t["size"] = t["shop"].map({"a": "x", "b": "y"})\npd.get_dummies(t, columns=["size"], prefix="is")["‹is_x|is_a›"]
pd.get_dummies(t["shop"], prefix="s")["‹s_a|s_c›"]
t.groupby("shop")["n"].sum()["‹a|aa›"]
t["shop"].value_counts()["‹b|c›"]
t.groupby("shop")["n"].describe()["‹25%|average›"]
t["n"].describe()["‹std|stdev›"]
s = t.groupby("shop").agg({"n": ["min", "max"], "year": "first"})\ns["n", "‹max|maximum›"]
s = t.groupby("shop").agg({"n": ["min", "max"]})\ns.columns = ["_".join(pair) for pair in s.columns]\ns["‹n_max|max_n›"]
s = t.groupby("shop").agg({"n": ["min", "max"]})\ns.columns = [f"{a}_{b}" for a, b in s.columns]\ns["‹n_max|max_n›"]
s = t.groupby("shop").agg({"n": ["min", "max"]})\ns.columns = s.columns.map("_".join)\ns["‹n_max|max_n›"]
s = t.groupby("shop").agg({"n": ["min", "max"]})\ns.columns = s.columns.get_level_values(1)\ns["‹min|n›"]
t.columns = t.columns.str.upper().str.replace("O", "0")\nt["‹SH0P|SHOP›"]
u = t.rename(columns=lambda name: name.upper())\nu["‹SHOP|shop›"]
u = t.set_axis(["p", "q", "r"], axis=1)\nu["‹p|shop›"]
u = t[["shop"]].apply(lambda column: column.str.upper())\nu["‹shop|shops›"]
u = t[["year", "n"]].apply(pd.to_numeric, errors="coerce")\nu["‹year|yeer›"]
u = pd.DataFrame({name: [1] for name in ["p", "q"]})\nu["‹p|r›"]
sum(t[name] * k for name, k in {"n": 1, "‹year|yeer›": 2}.items())
rows = []\nfor line in ["a|1", "b|2"]:\n    x, y = line.split("|")\n    rows.append({"x": x, "y": y})\npd.DataFrame(rows)["‹y|z›"]
a, b = train_test_split(t)\nb["‹shop|shops›"]
u = pd.DataFrame({"v": [1]}, index=pd.date_range("2024", periods=1))\nu.sort_values("‹v|w›")
u = pd.DataFrame({"v": [1]}, index=pd.date_range("2024", periods=1))\nu.loc["2024", "‹v|w›"]
u = pd.concat({"x": t, "y": t}, names=["src"])\nu.reset_index(level="‹src|source›")
c = duckdb.connect()\nc.register("v", t)\nc.execute("SELECT shop, ‹n|nn› FROM v")
t.groupby("shop")["n"].agg(low="min", high="‹max|highest›")
t.plot(x="year", kind="‹line|lines›")
float("‹nan|nann›")
u = pd.DataFrame.from_records([("a", 1)], columns=["p", "q"])\nu["‹p|r›"]
t.melt(id_vars="year", value_vars=["n"], var_name="k").pivot(index="year", columns="k", values="value")["‹n|m›"]
t.loc[t["n"].idxmax()]["‹shop|shops›"]
pd.DataFrame([dict(zip(["p", "q"], line.split())) for line in ["a b"] * 9])["‹p|r›"]
import matplotlib.pyplot as plt\nplt.gca().‹set_xlabel|set_x_label›("x")
def g(x: pd.‹DataFrame|DataFrme›) -> pd.Series: ...
def g(d):\n    d.columns = [name.upper() for name in d.columns]\n    return d["‹SHOP|shop›"]\ng(t)
"""
FILLED = [
    (mark.partition("|")[0].rpartition("‹")[2], mark, line.replace("\\n", "\n"))
    for line in CASES.strip().splitlines()
    for mark in [line[line.index("‹") : line.index("›") + 1]]
]


def filled(line: str, mark: str, place: int) -> str:
    return HEAD + line.replace(mark, mark[1:-1].split("|")[place])


@pytest.mark.parametrize(("right", "mark", "line"), FILLED)
def test_what_is_there_is_not_flagged(right: str, mark: str, line: str) -> None:
    assert not check(filled(line, mark, 0), {})


@pytest.mark.parametrize(("right", "mark", "line"), FILLED)
def test_what_is_not_there_is_found(right: str, mark: str, line: str) -> None:
    found = check(filled(line, mark, 1), {})
    assert any(mark[1:-1].split("|")[1] in finding.message for finding in found)


CHANGED = r"""
t["shop"] = t["shop"].str.upper()
t.loc[t["n"] > 3, "shop"] = "z"
t.loc[9] = ["z", 1, 2]
t.iloc[0, 0] = "z"
t["shop"] += "z"
t.shop = "z"
t.update(pd.DataFrame({"shop": ["z"]}))
t = t.replace("a", "z")
t = t.assign(shop=[str(k) for k in range(4)])
t = t.merge(pd.DataFrame({"shop": ["z"], "k": [1]}), on="shop", how="outer")
t = pd.concat([t, t.assign(shop="z")])
t[t == "a"] = "z"
open_(t)
for k in range(3):\n    t["shop"] = "z" * k
"""


@pytest.mark.parametrize("line", CHANGED.strip().splitlines())
def test_what_may_have_been_changed_is_not_held(line: str) -> None:
    source = HEAD + "from helpers import open_\n" + line.replace("\\n", "\n")
    assert not [
        f for f in check(source + '\nt.pivot(index="year", columns="shop", values="n")["z"]', {}) if "`z`" in f.message
    ]


def test_texts_of_a_table_in_the_kernel_are_columns_of_its_pivot() -> None:
    space = {"t": pd.DataFrame({"k": ["x", "y"], "v": [1, 2], "o": [object(), "x"]})}
    assert not check('t.pivot(columns="k", values="v")["x"]', space)
    assert check('t.pivot(columns="k", values="v", index="v")["z"]', space)
    assert not check('t.pivot(columns="o", values="v", index="v")["z"]', space)


def test_a_pivots_columns_have_a_name_that_melt_gives_to_a_column() -> None:
    assert not check(HEAD + 't.pivot(index="year", columns="shop", values="n").melt()["shop"]', {})


def test_a_function_written_anew_is_judged_with_its_last_call() -> None:
    space: dict[str, object] = {
        "t": pd.DataFrame({"shop": ["a"], "n": [1]}),
        "In": ["", "def g(d): return d\nr = g(t.head())", "g"],
    }
    exec("def g(d): return d", space)
    new = 'def g(d):\n    return d["‹›"].sum()\n'
    found = check(new.replace("‹›", "nn"), space)
    assert [(one.severity, one.line) for one in found if "`nn`" in one.message] == [("warn", 2)]
    assert not check(new.replace("‹›", "n"), space)
    assert not check(new.replace("‹›", "nn").replace("g(d)", "g(d, how)"), space)
    assert not check(new.replace("‹›", "nn") + 'g(t.rename(columns={"n": "nn"}))', space)


def test_what_may_be_a_row_or_a_table_is_flagged_only_where_both_lack_it() -> None:
    text = 'g = t.iloc[0].reset_index(name="val").groupby("index")\ng.agg(total=("‹›", "count"))'
    assert not check(HEAD + text.replace("‹›", "val"), {})


def test_columns_that_melt_counts_are_there() -> None:
    assert not check(HEAD + 't.pivot_table(values="n", index="year", aggfunc=["count", "sum"]).melt().variable_0', {})
