"""Right code that was flagged: in the libraries' own examples, in answers to prompts, in what never runs. Each snippet is run, too."""

from __future__ import annotations

import warnings

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest

from spark_jupyter.reality import check

mpl.use("Agg")
HEAD = r"""import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from scipy import signal
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
t = pd.DataFrame({"shop": ["a", "b"] * 4, "year": [1, 1, 2, 2] * 2, "n": [3, 4, 5, 6, 7, 8, 9, 2]})
"""
VALID = r"""
plt.vlines([1, 2], 0, [1, 2], linestyles="--")
plt.figure().gca().hlines([1, 2], 0, [1, 2], linestyles="-.", lw=2)
t["n"].rolling(2, win_type="gaussian").sum(std=3)
t[["n"]].rolling(3, win_type="hamming").mean()
pd.Series([1, 2], index=pd.period_range("2024", freq="Y", periods=2)).resample("Q", convention="start").asfreq()
pd.period_range("2024", freq="D", periods=3).asfreq("M")
signal.lti(*signal.lp2bp([1.0], [1.0, 1.0])).num
signal.TransferFunction([1], [1, 1]).bode()
Pipeline([("scale", StandardScaler()), ("fit", SVC())]).named_steps.scale.fit(t[["n"]])
Pipeline([("scale", StandardScaler()), ("fit", SVC())]).named_steps["scale"].with_mean
pc.utf8_zero_fill(pa.array(["1"]), options=pc.ZeroFillOptions(width=4))
t.style.to_latex(multicol_align="|c|")
pl.DataFrame({"a": [1]}).get_column("b", default=None)
t["n"].plot(x_compat=True)
t.plot.box(column="n", by="shop")
t.plot.hist(column=["n"], by="shop", bins=3)
pd.infer_freq(pd.date_range("2024-01-01", periods=4))
p = Pipeline([("fill", SimpleImputer(strategy="medium"))])\np.set_params(**{"fill__strategy": "mean"}).fit(t[["n"]])
p = Pipeline([("a", SimpleImputer(strategy="x")), ("b", SVC())])\nGridSearchCV(p, {"a__strategy": ["mean"]}, cv=2).fit(t[["n"]], t.shop)
m = SVC(kernel="radial")\nm.set_params(kernel="rbf").fit(t[["n"]], t["shop"])
m = SVC(kernel="radial")\nm.kernel = "rbf"\nm.fit(t[["n"]], t["shop"])
DEBUG = False\nif DEBUG:\n    print(t["nn"])
if False:\n    t.meann()\nelse:\n    t["n"].mean()
VERBOSE = 0\nprint(t["nn"] if VERBOSE else t["n"])
while False:\n    t["nn"]
VERBOSE = False\nVERBOSE and t["nn"]
for name in []:\n    t["nn"]
"""


def lines(text: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


@pytest.mark.parametrize("source", lines(VALID))
def test_right_code_is_not_flagged(source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(HEAD + source, {})
    assert check(HEAD + source, {}) == []


FOUND = r"""
nn | DEBUG = True\nif DEBUG:\n    print(t["nn"])
nn | for DEBUG in (False, True):\n    if DEBUG:\n        print(t["nn"])
nn | if len(t) > 1:\n    print(t["nn"])
nn | DEBUG = False\nDEBUG = len(t) > 3\nif DEBUG:\n    t["nn"]
radial | m = SVC(kernel="radial")\nm.fit(t[["n"]], t["shop"])
medium | p = Pipeline([("fill", SimpleImputer(strategy="medium")), ("fit", SVC())])\np.set_params(fit__C=1).fit(t[["n"]], t["shop"])
Q | pd.Series([1, 2], index=pd.date_range("2024", freq="YE", periods=2)).resample("Q").asfreq()
stdev | t["n"].rolling(2).sum(stdev=3)
dotty | plt.vlines([1, 2], 0, [1, 2], linestyles="dotty")
colum | t.plot.box(colum="n")
scaler | Pipeline([("scale", StandardScaler()), ("fit", SVC())]).named_steps.scaler
gains | signal.lti([1.0], [1.0, 1.0]).gains
"""


@pytest.mark.parametrize("line", lines(FOUND))
def test_what_is_wrong_beside_it_is_still_found(line: str) -> None:
    name, _, source = line.partition(" | ")
    with pytest.raises(Exception):  # noqa: B017, PT011 (each library raises its own)
        exec(HEAD + source, {})
    assert any(name in finding.message for finding in check(HEAD + source, {}))


def test_an_option_that_may_still_be_replaced_is_told_at_the_end_of_the_cell() -> None:
    from spark_jupyter.reality import Checker

    checker = Checker({"np": np, "pl": pl})
    assert not checker.feed('from sklearn.svm import SVC\nm = SVC(kernel="radial")\nprint(m)\n')
    assert ["radial" in found.message for found in checker.flush()] == [True]
