"""Right code that converts between libraries, or uses subclasses and hooks: it runs, and nothing is found in it."""

from __future__ import annotations

import re
import threading

import duckdb
import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest

from spark_jupyter.reality import check, removed_names

mpl.use("agg")
import matplotlib.pyplot as plt


class GeoFrame(pd.DataFrame):
    """A frame with methods and results of its own, as geopandas' is one."""

    _metadata = ("crs",)
    crs = "EPSG:4326"

    @property
    def _constructor(self):
        return GeoFrame

    def to_crs(self, crs: str) -> GeoFrame:
        out = self.copy()
        out.crs = crs
        return out

    def buffer(self, distance: float) -> GeoFrame:
        return self


def kernel() -> dict[str, object]:
    """Variables as a notebook has them."""
    return {
        "pl": pl,
        "pd": pd,
        "np": np,
        "plt": plt,
        "GeoFrame": GeoFrame,
        "threading": threading,
        "duckdb": duckdb,
        "sensors": pl.DataFrame({"ts": ["2024-01-01", "2024-01-02"], "sensor": ["s0", "s1"], "temp": [1.0, 2.0]}),
        "df": pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"], "when": pd.date_range("2024-01-01", periods=3)}),
        "geo": GeoFrame({"name": ["a", "b"], "pop": [1, 2]}),
        "periods": pd.period_range("2024-01", periods=3, freq="M"),
        "cat": pd.Series(["a", "b", "a"], dtype="category"),
        "iv": pd.interval_range(0, 3),
        "worker": threading.Thread(target=int),
    }


RIGHT = """
sensors.to_pandas().set_index("ts").loc["2024-01-01"]
---
sensors.lazy().filter(pl.col("temp") > 0).collect().to_pandas().groupby("sensor")["temp"].mean()
---
pdf = sensors.group_by("sensor").agg(pl.col("temp").mean()).to_pandas()
pdf.plot.bar(x="sensor", y="temp")
---
sensors.select(pl.all()).to_pandas().iloc[0]
---
sensors["temp"].to_pandas().rolling(2).mean()
---
sensors.get_column("temp").to_numpy().reshape(-1, 1).T
---
sensors.to_dict(as_series=False)["temp"].append(3)
---
sensors.to_dicts()[0]["temp"]
---
sensors.to_numpy().T.shape
---
sensors.to_dummies("sensor").columns
---
pl.from_pandas(df).with_columns(pl.col("a") * 2).to_pandas().merge(df, on="a")
---
pl.DataFrame(df).filter(pl.col("a") > 1).to_pandas().sort_values("a").reset_index(drop=True)
---
duckdb.sql("select 1 as a").df().set_index("a")
---
duckdb.sql("select 1 as a").pl().with_columns(b=1)
---
duckdb.sql("select a from df").to_df().groupby("a").size()
---
duckdb.sql("select a from df").fetchdf().query("a > 1")
---
duckdb.sql("select a from df").fetchnumpy()["a"].sum()
---
duckdb.sql("select a from df").fetchall()[0][0]
---
geo.to_crs("EPSG:3857").buffer(2).head().to_crs("x")
---
geo[geo["pop"] > 1].to_crs("EPSG:3857")
---
geo.sort_values("pop").buffer(1)
---
geo.copy().crs
---
GeoFrame({"a": [1]}).to_crs("x").crs
---
geo.assign(c=1).to_crs("x")
geo.merge(df, left_on="name", right_on="b", how="left").to_crs("x")
geo.select_dtypes("number").to_crs("x").T.to_crs("x")
---
geo.groupby("name").sum().to_crs("x")
geo.groupby("name").head(1).to_crs("x")
geo[["pop"]].rolling(2).mean().to_crs("x")
---
pd.concat([geo, geo]).to_crs("x")
pd.merge(geo, df, left_on="name", right_on="b").to_crs("x")
---
import seaborn as sns
sns.color_palette("deep").as_hex()[0]
---
df.hist(column=["a"])[0][0].set_title("a")
pd.plotting.scatter_matrix(df[["a"]])[0, 0].set_visible(True)
---
from scipy import stats
from scipy.integrate import solve_ivp
solve_ivp(lambda t, y: -y, [0, 1], [1]).y[0]
---
periods.year
periods.month
periods.to_timestamp().tz_localize("UTC")
periods.start_time
periods.strftime("%Y")
---
periods[0].start_time.year
periods[0].asfreq("D")
periods.asfreq("D", how="end")
---
cat.cat.categories
cat.cat.codes
cat.cat.rename_categories({"a": "A"})
cat.cat.add_categories(["c"]).cat.ordered
cat.cat.set_categories(["b", "a"], ordered=True)
---
iv.left
iv.mid
iv[0].length
iv.contains(1)
iv.overlaps(pd.Interval(0, 1))
iv.get_loc(1)
---
pd.Interval(0, 1).overlaps(pd.Interval(1, 2))
pd.Interval(0, 1).closed
---
pd.cut(df["a"], 2).cat.categories[0].left
pd.cut(df["a"], 2, labels=["lo", "hi"]).value_counts()["lo"]
---
pd.qcut(df["a"], 3).cat.categories.left
---
df.groupby(df["when"].dt.to_period("M"))["a"].sum().to_timestamp()
---
df["when"].dt.to_period("M").dt.start_time
df["when"].dt.isocalendar().week
df["when"].dt.strftime("%b")
---
plt.gcf().canvas.mpl_connect("close_event", lambda event: None)
---
plt.rcParams.update({"figure.dpi": 100})
plt.rcParams["axes.grid"]
plt.style.context("ggplot")
---
worker.is_alive()
worker.name
worker.daemon
threading.enumerate()[0].name
threading.current_thread().ident
---
q = sensors.lazy()
q.explain()
q.collect_schema().names()
q.select(pl.len()).collect().item()
---
sensors.lazy().group_by("sensor").agg(pl.len().alias("n")).sort("n").collect()["n"].sum()
---
sensors.lazy().join(sensors.lazy(), on="sensor").collect().to_pandas().columns.tolist()
---
sensors.with_columns(pl.col("ts").str.to_date()).upsample("ts", every="12h").to_pandas().ffill()
---
sensors.pivot(on="sensor", values="temp", index="ts").to_pandas().set_index("ts")["s0"]
---
sensors.partition_by("sensor", as_dict=True)
sensors.rows(named=True)[0]["temp"]
sensors.row(0)
sensors.item(0, "temp")
---
sensors["ts"].str.to_datetime().dt.year().to_list()
---
sensors.describe().to_pandas().set_index("statistic").loc["mean", "temp"]
---
from sklearn.preprocessing import StandardScaler
out = StandardScaler().set_output(transform="pandas").fit_transform(df[["a"]])
out.set_index("a")
---
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder
ct = ColumnTransformer([("o", OneHotEncoder(), ["b"])], remainder="passthrough")
ct.fit_transform(df[["a", "b"]]).shape
ct.get_feature_names_out().tolist()
---
def load() -> "pd.DataFrame":
    return df
load().set_index("a")
---
def convert(frame: pl.DataFrame) -> pd.DataFrame:
    return frame.to_pandas()
convert(sensors).set_index("ts").loc["2024-01-01", "temp"]
---
frames = {"p": sensors.to_pandas(), "q": df}
frames["p"].set_index("ts")
[f.reset_index() for f in frames.values()]
---
for name, part in sensors.group_by("sensor"): part.to_pandas().set_index("ts")
---
s = pl.Series("x", [1, 2, 3])
s.to_pandas().describe()["mean"]
s.rolling_mean(2)
s.to_frame().to_pandas().T
---
from sklearn.datasets import load_iris
iris = load_iris(as_frame=True).frame
iris.groupby("target")["sepal length (cm)"].mean()
"""

WRONG = [
    ('sensors.to_pandas().set_indx("ts")', "set_index"),
    ('sensors.to_pandas().group_by("sensor")', "groupby"),
    ('sensors["temp"].to_pandas().rolling_mean(2)', "rolling"),
    ('pl.from_pandas(df).set_index("a")', "there is no index"),
    ('sensors.melt("sensor")', "unpivot"),
    ("sensors.lazy().to_pandas()", ".collect()"),
    ("sensors.lazy().iterrows()", "iter_rows"),
    ("sensors.lazy().colect()", "collect"),
    ("periods.years", "year"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", RIGHT.strip().split("\n---\n"))
def test_right_code_runs_and_has_no_finding(source: str) -> None:
    exec(compile(source, "cell", "exec"), kernel())
    assert check(source, kernel()) == []


@pytest.mark.parametrize(("source", "instead"), WRONG)
def test_an_attribute_of_the_other_library_is_found(source: str, instead: str) -> None:
    [finding] = check(source, kernel())
    assert finding.rule == "missing-attribute"
    assert instead in finding.remedy


@pytest.mark.parametrize(
    ("source", "instead"),
    [
        ('sensors.pivot(index="ts", columns="sensor", values="temp")', "`on`"),
        ('sensors.sort("ts", reverse=True)', "`descending`"),
        ('df.resample("M", on="when").sum()', "`ME`"),
        ('df.resample("H", on="when").sum()', "`h`"),
    ],
)
def test_the_spelling_of_the_installed_version_is_said(source: str, instead: str) -> None:
    [finding] = check(source, kernel())
    assert instead in finding.remedy


def test_a_replacement_of_a_name_of_polars_exists():
    expression = pl.col("x")
    owners = [pl, pl.DataFrame, pl.LazyFrame, pl.Series, expression, expression.str, expression.dt, expression.name]
    for gone, instead in removed_names._tables()["polars"]["names"].items():
        word = re.match(r"\w+", instead)
        assert word is not None
        assert word[0] in {"nothing", "pl"} or any(hasattr(owner, word[0]) for owner in owners), gone
