"""Chains of pandas' methods put together at random, each step run by pandas itself: what runs is valid, and nothing of it may be flagged.

A step is a line below: ‹a› and ‹b› stand for two columns of the table as it is then, ‹n› for a numeric one, ‹l› for a level of its index.
"""

from __future__ import annotations

import random
import re
import warnings
from typing import NamedTuple

import pandas as pd
from pandas.api.typing import DataFrameGroupBy, SeriesGroupBy

HEAD = """import numpy as np
import pandas as pd
sales = pd.DataFrame({"shop": list("aabbc"), "item": list("xyxyx"), "units": [3, 1, 4, 1, 5], "price": [2.0, 7.5, 1.25, 8.0, 3.5]})
sales["day"] = pd.date_range("2024-01-01", periods=5)
shops = pd.DataFrame({"shop": list("abc"), "city": ["Rome", "Oslo", "Bern"], "area": [10, 20, 30]})
tags = pd.DataFrame({"shop": ["a", "b"], "tags": [["p", "q"], ["q"]], "note": ["x y", "z"]})
"""
OF_FRAMES = """
.groupby(‹a›)
.groupby([‹a›, ‹b›])
.groupby([‹a›, ‹b›], as_index=False)
.groupby(‹a›, sort=False, observed=True)
.groupby(‹l›)
.groupby(level=0).first()
.groupby(‹a›)[‹b›]
.groupby(‹a›)[[‹b›]]
.groupby(‹a›).agg(total=(‹b›, "count"), other=(‹b›, "nunique"))
.groupby(‹a›).agg({‹b›: ["min", "max"]})
.groupby(‹a›, as_index=False).agg({‹b›: "first"})
.groupby(‹a›).apply(lambda g: pd.Series({"n": len(g), "k": g[‹b›].count()}))
.groupby(‹a›).apply(lambda g: g.head(1))
.groupby([‹a›, ‹b›]).size()
.sort_values([‹a›, ‹b›])
.sort_values(by=‹a›, ascending=False)
.set_index(‹a›)
.set_index([‹a›, ‹b›])
.set_index(‹a›, drop=False)
.set_index(‹a›, append=True)
.set_index(‹a›).rename_axis("axis_name")
.set_index(‹a›).rename_axis(columns="cols")
[[‹a›, ‹b›]]
[‹a›]
.loc[:, [‹a›]]
.loc[:, ‹a›]
.loc[lambda t: t[‹a›].notna()]
.drop(columns=[‹a›])
.drop(‹a›, axis=1)
.rename(columns={‹a›: "renamed"})
.rename(columns=str.upper)
.rename(str.title, axis="columns")
.value_counts([‹a›])
.drop_duplicates(subset=[‹a›])
.assign(got=1, more=lambda t: t[‹a›])
.explode(‹a›)
.melt(id_vars=[‹a›])
.melt(id_vars=‹a›, var_name="what", value_name="much")
.pivot(index=‹a›, columns=‹b›)
.pivot_table(index=‹a›, columns=‹b›, aggfunc="count")
.pivot_table(values=[‹n›], index=‹a›, columns=‹b›, aggfunc="sum")
.pivot_table(values=‹b›, index=‹a›, aggfunc=["count", "nunique"])
.pivot_table(values=‹b›, index=‹a›, aggfunc="count")
.pipe(lambda t: t.rename(columns={‹a›: "piped"}))
.astype({‹a›: str})
.reindex(columns=[‹a›, "extra"])
.agg({‹a›: ["count", "nunique"]})
.nlargest(2, ‹n›)
.query("‹n:bare› > 0")
.eval("made = ‹n:bare› + 1")
[[‹n›]].rolling(2).mean()
[[‹n›]].agg(["min", "max"])
[[‹n›]].add_prefix("p_")
[[‹n›]].apply(lambda row: row.sum(), axis=1)
.apply(lambda row: pd.Series({"first": row[‹a›], "second": row[‹b›]}), axis=1)
[[‹n›]].T
.describe()
.select_dtypes("number")
.reset_index()
.reset_index(drop=True)
.reset_index(names="idx")
.reset_index(level=0)
.unstack()
.stack().reset_index()
.count()
.isna().sum()
.iloc[0]
.iloc[:3]
.T
.fillna(0)
.rename_axis("renamed")
.memory_usage()
.set_axis([f"c{i}" for i in range(TABLE.shape[1])], axis=1)
.pipe(pd.get_dummies)
.merge(shops, on="shop")
.merge(shops, on="shop", how="left", indicator=True)
.merge(tags, on="shop", suffixes=("_l", "_r"))
.merge(sales.groupby("shop").size().rename("n_rows").reset_index(), on="shop")
.merge(sales.groupby("shop")["units"].sum().rename("sum_units"), left_on="shop", right_index=True)
.join(shops.set_index("shop"), on="shop", rsuffix="_r")
.pivot(index=‹a›, columns=‹b›, values=‹n›)
.pivot_table(index=‹a›, columns=‹b›, values=‹n›, aggfunc="sum", fill_value=0)
.pivot_table(index=‹a›, columns=‹b›, values=‹n›, aggfunc="sum", margins=True)
.groupby([‹a›, ‹b›])[‹n›].sum().unstack()
.groupby(‹a›)[‹b›].value_counts().unstack(fill_value=0)
.groupby(‹a›)[[‹n›]].describe()
.melt()
.pipe(pd.get_dummies, columns=[‹a›])
.pipe(pd.get_dummies, columns=[‹a›], prefix="is", drop_first=True)
.pipe(lambda t: pd.crosstab(t[‹a›], t[‹b›]))
.pipe(lambda t: t.set_axis(["_".join(map(str, c)) if isinstance(c, tuple) else c for c in t.columns], axis=1))
.rename(columns=lambda name: str(name).replace("s", "z"))
.rename(columns=lambda name: f"{name}_x" if name != ‹a› else "first")
.apply(lambda column: column.astype(str))
.apply(pd.to_numeric, errors="coerce")
.assign(kind=lambda t: np.where(t[‹n›] > 2, "hi", "lo"))
.replace({‹a›: {"a": "z"}})
.replace("a", "z")
.map(str)
.where(lambda t: t[‹n›] > 1)
.sort_values(‹a›).head(2)
.filter(like="i")
.shift()
""".strip().splitlines()
OF_SERIES = """
.to_frame()
.to_frame("framed")
.reset_index()
.reset_index(name="val")
.reset_index(drop=True)
.rename("named").reset_index()
.rename_axis("ax").reset_index(name="v")
.unstack()
.unstack(fill_value=0)
.unstack(‹l›)
.value_counts()
.value_counts().reset_index()
.value_counts(normalize=True).rename("share").to_frame()
.sort_values(ascending=False)
.map(str)
.isna()
.explode()
.agg(["count", "nunique"])
.describe()
.astype(str).str.split("a", expand=True)
.astype(str).str.get_dummies()
.apply(lambda v: pd.Series({"x1": v, "x2": v}))
.rolling(2).mean()
.cumsum()
.dt.month
.groupby(‹l›).sum()
.groupby(level=0).count()
.droplevel(‹l›)
.reset_index(‹l›)
""".strip().splitlines()
OF_GROUPS = """
.sum()
.mean(numeric_only=True)
.size()
.size().reset_index(name="n")
.size().unstack(fill_value=0)
.count()
.count().reset_index()
.first().reset_index()
.head(1)
.nunique()
.cumcount()
.agg("count")
.agg(["count", "nunique"])
.agg(["min", "max"]).reset_index()
.agg(lo="min", hi="max")
.agg([("lo", "min"), ("hi", "max")])
.agg(lambda s: s.count())
.agg(mine=lambda s: s.iloc[0]).reset_index()
.transform("count")
.apply(list).reset_index(name="all")
.apply(lambda g: g.count())
.describe()
.shift()
.rolling(2).sum()
.value_counts().unstack()
.sum().rename("s").reset_index()
.nth(0)
.max().add_prefix("m_")
""".strip().splitlines()
OF_COLUMNS = (
    "{0}[{1!r}]",
    "{0}[[{1!r}]]",
    "{0}.sort_values({1!r})",
    "{0}.groupby({1!r}).size()",
    "{0}.drop(columns=[{1!r}])",
    "{0}.loc[:, {1!r}]",
    "{0}.{1}",
)
OF_LEVELS = ("{0}.groupby({1!r}).count()", "{0}.groupby(level={1!r}).count()", "{0}.reset_index()[{1!r}]")


class Chain(NamedTuple):
    source: str
    """The steps, and lines that ask for what the result has."""
    inventions: list[str]
    """Lines that ask the result for what it has not: each fails."""


def chain(seed: int) -> Chain:
    dice = random.Random(seed)
    space: dict[str, object] = {}
    exec(HEAD, space)
    name = text = dice.choice(["sales", "sales", "sales", "shops", "tags"])
    lines: list[str] = []
    for number in range(dice.randint(2, 6)):
        text, value = _step(dice, text, name, space)
        if dice.random() < 0.6 or "TABLE" in text:
            name = f"t{number}"
            lines.append(f"{name} = {text}")
            space[name], text = value, name
    if text != name:
        lines.append(f"last = {text}")
        space["last"], name = _run(text, space), "last"
    asked = [line for line in _asking(dice, space[name], name) if _run(line, space) is not None]
    invented = [f"{name}.invented_attribute"]
    if isinstance(space[name], pd.DataFrame):
        invented += [f"{name}['invented']", f"{name}.sort_values('invented')"]
    return Chain("\n".join(lines + dice.sample(asked, min(6, len(asked)))) + "\n", invented)


def _step(dice: random.Random, text: str, name: str, space: dict[str, object]) -> tuple[str, object]:
    """The text with one more step that runs, and its value; as it is where none was found."""
    value = _run(text, space)
    steps = OF_FRAMES if isinstance(value, pd.DataFrame) else OF_SERIES if isinstance(value, pd.Series) else OF_GROUPS
    for _ in range(8):
        step = _filled(dice, dice.choice(steps), value)
        if step is None or ("TABLE" in step and text != name):
            continue
        longer = text + step.replace("TABLE", name)
        result = _run(longer, space)
        if isinstance(result, DataFrameGroupBy | SeriesGroupBy):
            return longer, result
        if isinstance(result, pd.DataFrame | pd.Series) and 0 < result.size < 3000:
            return longer, result
    return text, value


def _filled(dice: random.Random, step: str, value: object) -> str | None:
    """A step with columns in it; None where there are too few."""
    columns = [c for c in value.columns if isinstance(c, str)] if isinstance(value, pd.DataFrame) else []
    numeric = [c for c in columns if isinstance(value[c], pd.Series) and pd.api.types.is_numeric_dtype(value[c])]
    levels = [level for level in getattr(getattr(value, "index", None), "names", ()) if isinstance(level, str)]
    dice.shuffle(columns)
    offered = {"a": columns[:1], "b": columns[1:2], "n": [c for c in numeric if c not in columns[:2]], "l": levels}
    for mark in re.findall(r"‹[\w:]+›", step):
        names = offered[mark[1]]
        if not names:
            return None
        step = step.replace(mark, names[0] if mark.endswith(":bare›") else repr(names[0]))
    return step


def _run(text: str, space: dict[str, object]) -> object:
    """What a text gives; None where it fails. It gets copies of nothing: no step changes its table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(text, space)
        except Exception:
            return None


def _asking(dice: random.Random, value: object, name: str) -> list[str]:
    if not isinstance(value, pd.DataFrame | pd.Series):
        return []
    columns = [c for c in getattr(value, "columns", ()) if isinstance(c, str) and c.isidentifier()]
    levels = [level for level in getattr(getattr(value, "index", None), "names", ()) if isinstance(level, str)]
    pairs = [c for c in getattr(value, "columns", ()) if isinstance(c, tuple)]
    named = getattr(value, "name", None) if isinstance(value, pd.Series) else None
    labels = list(value.index) if isinstance(value, pd.Series) else []
    return [
        *(f"{name}[{label!r}]" for label in labels[:4] if isinstance(label, str)),
        *(form.format(name, column) for column in columns for form in OF_COLUMNS),
        *(form.format(name, level) for level in levels for form in OF_LEVELS),
        *(f"{name}[{pair!r}]" for pair in pairs[:3]),
        *(f"{name}[{pair[0]!r}][{pair[1]!r}]" for pair in pairs[:3] if len(pair) == 2),
        *([f"{name}.to_frame()[{named!r}]", f"{name}.reset_index()[{named!r}]"] if isinstance(named, str) else []),
    ]
