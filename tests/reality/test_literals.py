"""Strings that stand for something: dtypes, aggregations, colours, keys, files; and what took the place of names that are gone."""

# ruff: noqa: E501 (a pair a line)
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.stats
import seaborn as sns
import sklearn.metrics
import sklearn.model_selection
import sklearn.preprocessing
import sklearn.svm

from spark_jupyter.reality import Checker, check


@pytest.fixture(scope="module")
def namespace():
    df = pd.DataFrame({"city": ["a"], "price": [2.0], "qty": [1]})
    other = pd.DataFrame({"city": ["a"], "size": [1]})
    config = {"path": "a", "rate": 1}
    return {
        "df": df,
        "other": other,
        "config": config,
        "pd": pd,
        "np": np,
        "plt": plt,
        "sns": sns,
        "sklearn": sklearn,
        "scipy": scipy,
        "X": np.eye(2),
    }


def pairs(text: str) -> list[tuple[str, str]]:
    """An invention and its valid twin a line, with their line breaks written out."""
    return [
        tuple(side.strip().replace("\\n", "\n") for side in line.split(" | ")) for line in text.strip().splitlines()
    ]


LITERALS = r"""
df.merge(other, how="outter") | df.merge(other, how="outer")
df.groupby("city").agg("meen") | df.groupby("city").agg("mean")
df.groupby("city")["price"].agg(["mean", "stdd"]) | df.groupby("city")["price"].agg(["mean", "std"])
df.groupby("city").agg(x=("price", "summ")) | df.groupby("city").agg(x=("price", "sum"))
df.pivot_table(index="city", values="price", aggfunc="averag") | df.pivot_table(index="city", values="price", aggfunc="median")
plt.figure().legend(loc="outsid upper left") | plt.figure().legend(loc="outside lower center")
df.to_hdf("a.h5", key="a", complib="blosc:fast") | df.to_hdf("a.h5", key="a", complib="blosc:zstd")
df.asfreq("Z") | pd.Period("2024").asfreq("M", how="end")
plt.text(1, 2, "a", ha="centre") | plt.text(1, 2, "a", ha="center", va="top")
plt.subplots()[1].hist([1], histtype="steps") | plt.subplots()[1].hist([1], histtype="step")
plt.subplots()[1].set_yscale("loger") | plt.subplots()[1].set_yscale("log")
scipy.stats.false_discovery_control([0.1], method="bhing") | scipy.stats.false_discovery_control([0.1], method="by")
sklearn.model_selection.cross_validate(sklearn.svm.SVC(), X, X, scoring=["r2", "rmse"]) | sklearn.model_selection.cross_validate(sklearn.svm.SVC(), X, X, scoring=["r2", "accuracy"])
np.pad(np.eye(2), 1, mode="edges") | np.pad(np.eye(2), 1, mode="edge")
np.sort(np.eye(2), kind="bubble") | np.sort(np.eye(2), kind="stable")
plt.subplots()[1].set_title("a", loc="middle") | plt.subplots()[1].set_title("a", loc="left")
df["price"].rank(method="denses") | df["price"].rank(method="dense")
df["price"].astype("flot") | df["price"].astype("float32")
df.astype({"price": "in64"}) | df.astype({"price": "int64", "city": "category"})
np.array([1], dtype="flot64") | np.array([1], dtype="float64")
pd.date_range("2024", periods=2, freq="Dayly") | pd.date_range("2024", periods=2, freq="2h")
plt.imshow(X, cmap="virdis") | plt.imshow(X, cmap="viridis_r")
plt.plot([1], color="grren", label="a") | plt.plot([1], color="#ff0000", label="a", marker="$x$")
plt.plot([1], marker="z") | plt.plot([1], marker="o")
plt.plot([1], linestyle="dashes") | plt.plot([1], linestyle="dashed")
plt.style.use("seaborn-whitegrid") | plt.style.use("seaborn-v0_8-whitegrid")
plt.legend(loc="top right") | plt.legend(loc="upper right")
sklearn.svm.SVC(kernel="gaussian") | sklearn.svm.SVC(kernel="rbf")
sklearn.metrics.f1_score([1], [1], average="macros") | sklearn.metrics.f1_score([1], [1], average="macro")
config["pth"] | config["path"]
d = {"a": 1}\nd["b"] | d = {"a": 1}\nd["b"] = 2\nd["b"]
d = {"a": 1}\nd["b"] | d = {"a": 1}\nd |= {"b": 2}\nd["b"]
pd.read_csv("no_such_file_here.csv") | open("made_here.csv", "w").write("a")\npd.read_csv("made_here.csv")
open("no_such_file_here.txt") | open("new_file_here.txt", "w")
sns.set_theme(style="whitegrids") | sns.set_theme(style="whitegrid", palette="muted", context="talk")
sns.set_context("posters") | sns.set_context("poster")
sns.color_palette("Set22") | sns.color_palette("ch:s=.25,rot=-.25")\nsns.color_palette("light:#5A9")\nsns.color_palette("husl", 8)
sns.boxplot(data=df, x="city", y="price", palette="mutedd") | sns.boxplot(data=df, x="city", y="price", hue="city", palette="viridis_r")
sns.relplot(data=df, x="price", y="qty", kind="Scatter") | sns.relplot(data=df, x="price", y="qty", kind="line", legend="brief")
sns.catplot(data=df, x="city", y="price", kind="boxx") | sns.catplot(data=df, x="city", y="price", kind="boxen")
sns.violinplot(data=df, x="city", y="price", inner="quantile") | sns.violinplot(data=df, x="city", y="price", inner="quartile")\nsns.violinplot(data=df, x="city", y="price", inner=None)
sns.histplot(data=df, x="price", stat="densitys") | sns.histplot(data=df, x="price", stat="probability", element="step")
sns.jointplot(data=df, x="price", y="qty", kind="hexx") | sns.jointplot(data=df, x="price", y="qty", kind="hex")
plt.plot([1], [2], "ro--zz") | plt.plot([1], [2], "ro--", [1], [2], "C1:")
plt.plot([1], [2], drawstyle="step-mid") | plt.plot([1], [2], drawstyle="steps-mid", fillstyle="none")
plt.scatter([1], [2], c="bluee") | plt.scatter("price", "qty", c="qty", data=df)
plt.scatter([1], [2], edgecolors="nones") | plt.scatter([1], [2], edgecolors="face", facecolors="none")
plt.figure().colorbar(None, orientation="upright") | plt.figure().colorbar(plt.cm.ScalarMappable(), ax=plt.gca(), orientation="horizontal", extend="both")
plt.set_cmap("Bluess") | plt.set_cmap("Blues")
df.plot(x="price", y="qty", colormap="Paireds") | df.plot.scatter(x="price", y="qty", c="qty", colormap="Paired")
np.load("no_such_file_here.npy") | !wget http://x.y/z.npy\nnp.load("no_such_file_here.npy")
"""


@pytest.mark.parametrize(("invented", "valid"), pairs(LITERALS))
def test_what_a_string_stands_for_is_known(namespace, invented, valid):
    assert check(invented, namespace) != []
    checker = Checker(namespace)
    assert [*checker.feed(valid), *checker.flush()] == []
    assert checker.failures == 0


def test_a_file_that_is_there_may_be_read(namespace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sales.csv").write_text("a\n1\n")
    assert check("pd.read_csv('sales.csv')", namespace) == []
    (finding,) = check("pd.read_csv('sale.csv')", namespace)
    assert (finding.rule, finding.severity) == ("missing-file", "warn")
    assert "`sales.csv`" in finding.remedy


def test_a_dict_of_the_kernel_that_a_function_may_have_changed_is_left_alone(namespace):
    assert check("def f(d):\n    d['new'] = 1\nf(config)\nconfig['new']", namespace) == []
    assert (
        check(
            "import copy\nunknown(config) if False else None\ncopy.copy(config)\nconfig.get('new')",
            {**namespace, "unknown": 1},
        )
        == []
    )
    assert check("def f():\n    config['new'] = 1\nconfig['new']", namespace) == []


REPLACED = [
    ("np.in1d([1], [2])", "np.isin"),
    ("np.float", "float"),
    ("np.trapz([1])", "np.trapezoid"),
    ("df.append(df)", "pd.concat"),
    ("df.applymap(str)", "map"),
    ("df.iteritems()", "items"),
    ("df.fillna(method='ffill')", "ffill()"),
    ("plt.cm.get_cmap('jet')", "matplotlib.colormaps"),
    ("sns.distplot([1])", "histplot"),
    ("sklearn.preprocessing.OneHotEncoder(sparse=False)", "sparse_output"),
    ("sklearn.metrics.mean_squared_error([1], [1], squared=False)", "root_mean_squared_error"),
]


@pytest.mark.parametrize(("source", "instead"), REPLACED)
def test_what_is_gone_or_will_be_is_told_with_what_took_its_place(namespace, source, instead):
    (finding,) = check(source, namespace)
    assert instead in finding.remedy


def test_a_name_that_the_installed_version_has_is_never_called_removed(namespace):
    assert check("np.isin([1], [2])\nnp.bool_\ndf.map(str)\nnp.long, np.str_", namespace) == []


def test_a_function_of_which_only_an_argument_is_deprecated_is_left_alone(namespace):
    assert check("optimize.nnls(X, [1, 1])", {**namespace, "optimize": scipy.optimize}) == []


USED_SO = """Compute an integral.

.. deprecated:: 1.6

   Using ``integrate()`` with :class:`~.Poly` is deprecated. Use :meth:`.Poly.integrate` instead.

More of it.
"""


def test_a_function_of_which_only_a_use_is_deprecated_is_left_alone():
    def integrate(f, *symbols): ...

    integrate.__doc__, integrate.__module__ = USED_SO, "sympy.integrals.integrals"
    assert check("integrate(1, 2)", {"integrate": integrate}) == []
    integrate.__doc__ = USED_SO.replace("Using ``integrate()`` with :class:`~.Poly` is deprecated. ", "")
    assert check("integrate(1, 2)", {"integrate": integrate})
