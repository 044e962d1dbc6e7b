"""Keywords behind ``**kwargs``, out of what the libraries say of themselves."""

# ruff: noqa: E501 (a pair a line)
from __future__ import annotations

import datetime

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
import sklearn.model_selection
import sklearn.pipeline
import sklearn.preprocessing
import sklearn.svm

from spark_jupyter.reality import Checker, check


@pytest.fixture(scope="module")
def namespace():
    df = pd.DataFrame({"city": ["a"], "price": [2.0], "qty": [1]})
    pipe = sklearn.pipeline.Pipeline([("m", sklearn.svm.SVC())])
    return {
        "df": df,
        "pd": pd,
        "np": np,
        "plt": plt,
        "sns": sns,
        "sklearn": sklearn,
        "pipe": pipe,
        "datetime": datetime,
    }


def pairs(text: str) -> list[tuple[str, str]]:
    """An invention and its valid twin a line, with their line breaks written out."""
    return [
        tuple(side.strip().replace("\\n", "\n") for side in line.split(" | ")) for line in text.strip().splitlines()
    ]


KEYWORDS = r"""
plt.plot([1], [2], colour="red") | plt.plot([1], [2], color="red", lw=2, ls="--", mfc="k")
plt.legend(numpointsing=2) | plt.legend(numpoints=2, ncol=2, loc="best", title="t")
plt.title("a", fontsizes=2) | plt.title("a", fontsize=2, ha="left")
plt.subplots(figsizes=(1, 2)) | plt.subplots(2, 2, figsize=(1, 2), dpi=80, sharex=True)
fig, ax = plt.subplots()\nax.set_xlabels("a") | fig, ax = plt.subplots()\nax.set_xlabel("a", fontsize=3)
fig, axes = plt.subplots(2, 2)\naxes[0, 1].set_titles("a") | fig, axes = plt.subplots(2, 2)\naxes[0, 1].set_title("a")
fig, axes = plt.subplots(1, 3)\nfor ax in axes.flat:\n    ax.plott([1]) | fig, axes = plt.subplots(1, 3)\nfor ax in axes.flat:\n    ax.plot([1])
fig, ax = plt.subplots()\nax.set(xlabels="a") | fig, ax = plt.subplots()\nax.set(xlabel="a", title="b", xlim=(0, 1))
fig, ax = plt.subplots()\nax.bar([1], [2], widths=1) | fig, ax = plt.subplots()\nax.bar([1], [2], width=1, ec="k", alpha=1)
fig, ax = plt.subplots()\nax.set_title("a", fontsizes=1) | fig, ax = plt.subplots()\nax.tick_params(axis="x", labelsize=1, rotation=3)
sns.scatterplot(data=df, x="price", y="qty", edgecolour="k") | sns.scatterplot(data=df, x="price", y="qty", edgecolor="k", alpha=1)
sns.barplot(data=df, x="city", y="qty", estimatr="mean") | sns.barplot(data=df, x="city", y="qty", estimator="mean", capsize=1)
df.plot(x="price", y="qty", titel="a") | df.plot(x="price", y="qty", title="a", figsize=(2, 3), lw=3, color="r")
df.plot.scatter(x="price", y="qty", markr="x") | df.plot.scatter(x="price", y="qty", marker="x", s=3)
df.apply(lambda r, k: r, axis=1, j=2) | df.apply(lambda r, k: r, axis=1, k=2)
sklearn.pipeline.Pipeline([("m", sklearn.svm.SVC())]).set_params(m__D=1) | sklearn.pipeline.Pipeline([("m", sklearn.svm.SVC())]).set_params(m__C=1)
sklearn.pipeline.Pipeline([("m", sklearn.svm.SVC())]).set_params(n__C=1) | sklearn.pipeline.Pipeline([("m", sklearn.svm.SVC())]).set_params(m="passthrough")
from sklearn.ensemble import VotingRegressor\nVotingRegressor([("a", sklearn.svm.SVR())]).set_params(b="drop") | from sklearn.ensemble import VotingRegressor\nVotingRegressor([("a", sklearn.svm.SVR())]).set_params(a="drop", a__C=2)
from sklearn.ensemble import StackingClassifier\nStackingClassifier(estimators=[("a", sklearn.svm.SVC())]).set_params(a__D=1) | from sklearn.ensemble import StackingClassifier\nStackingClassifier(estimators=[("a", sklearn.svm.SVC())]).set_params(a__C=1, stack_method="auto")
p = sklearn.pipeline.make_pipeline(sklearn.preprocessing.StandardScaler(), sklearn.svm.SVC())\nsklearn.model_selection.GridSearchCV(p, {"svm__C": [1]}) | p = sklearn.pipeline.make_pipeline(sklearn.preprocessing.StandardScaler(), sklearn.svm.SVC())\nsklearn.model_selection.GridSearchCV(p, {"svc__C": [1]})
sklearn.model_selection.GridSearchCV(sklearn.svm.SVC(), param_grid=[{"c": [1]}]) | sklearn.model_selection.GridSearchCV(sklearn.svm.SVC(), param_grid=[{"C": [1]}])
plt.hist([1], widths=3) | plt.hist([1], width=3, bins=3)
plt.figure().add_subplot(proj_typ="a") | plt.figure().add_subplot(projection="3d", proj_type="ortho")
plt.subplots()[1].tick_params(axis="x", rotations=3) | plt.subplots()[1].tick_params(axis="x", rotation=3, labelsize=2, grid_color="r", colors="k")
sorted([1], keys=len) | sorted([1], key=abs)
max([1], keys=len) | max([1], key=abs, default=2)
df.pivot_table(index="city", value="qty", aggfunc="sum") | df.pivot_table(index="city", values="qty", aggfunc="sum", numeric_only=True)
df.plot.bar(x="city", y="qty").set_titel("a") | df.plot.bar(x="city", y="qty").set_title("a")
df.plot(y="qty").set_titel("a") | df.plot(y=["qty", "price"], subplots=True)[0].set_title("a")
pd.concat([df for _ in range(2)])["prise"] | pd.concat([df for _ in range(2)])["price"]
pd.Grouper(keys="city") | pd.Grouper(key="city")
datetime.datetime(2024, 1, 1, timezone=None) | datetime.datetime(2024, 1, 1, tzinfo=None)
pd.Timedelta(minuts=3) | pd.Timedelta(minutes=3)
pd.Timedelta(5, units="D") | pd.Grouper(key="city", freq="W")
pipe.set_params(m__c=1) | pipe.set_params(m__C=1)
"""


@pytest.mark.parametrize(("invented", "valid"), pairs(KEYWORDS))
def test_keywords_that_are_passed_on_are_known(namespace, invented, valid):
    assert check(invented, namespace) != []
    checker = Checker(namespace)
    assert [*checker.feed(valid), *checker.flush()] == []
    assert checker.failures == 0


def test_what_only_a_docstring_says_of_a_keyword_is_a_warning(namespace):
    (finding,) = check("plt.plot([1], [2], linewith=2)", namespace)
    assert (finding.rule, finding.severity) == ("unknown-keyword", "warn")
    assert "`linewidth`" in finding.remedy
