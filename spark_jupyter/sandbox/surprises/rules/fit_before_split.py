"""Rule fit-before-split: a transformer was fitted before the data was split.

A scaler, imputer, encoder or selector that has seen all rows carries the test rows' values into training, so the score is too good. The
cells that ran before are read, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.rules._fit_flow import BEGINNINGS, FitFlow
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown
from spark_jupyter.sandbox.surprises.table_flow import steps_of


def _looks(change: Change) -> Iterator[Sighting]:
    if not any(step.tails & BEGINNINGS for step in change.steps):
        return
    flow = FitFlow(change.namespace)
    for step in steps_of(change.earlier):
        flow.follow(step)
    for step in change.steps:
        if names := flow.follow(step):
            yield saw("fit-before-split", *names)
            return


def _says(seen: Sighting) -> str:
    transformer, split = map(shown, seen.names)
    return f"{transformer} was fitted on all rows that {split} takes apart, so the test rows are known in training."


_BEFORE: Final = """import numpy as np
import pandas as pd
from sklearn import preprocessing
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.preprocessing import KBinsDiscretizer, LabelEncoder, MinMaxScaler, OneHotEncoder, StandardScaler, scale
from sklearn.impute import SimpleImputer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
rng = np.random.default_rng(0)
df = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
df["y"] = (df["a"] > 0).astype(int)
num = ["a", "b"]
X, y = df[["a", "b", "c"]], df["y"]"""
_SCALED: Final = f"{_BEFORE}\nscaler = StandardScaler()\nX_scaled = scaler.fit_transform(X)"
_SPLIT: Final = f"{_BEFORE}\nX_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)"
RULE: Final = Rule(
    id="fit-before-split",
    looks=_looks,
    says=_says,
    tells="A transformer was fitted on all rows before the data was split.",
    remedy="Split first and fit on the training rows, or put both into a Pipeline.",
    bad=(
        Case(
            _BEFORE,
            "scaler = StandardScaler()\nX_scaled = scaler.fit_transform(X)\n"
            "X_train, X_test, y_train, y_test = train_test_split(X_scaled, y, random_state=0)",
        ),
        Case(
            _BEFORE,
            'df[["a", "b"]] = SimpleImputer().fit_transform(df[["a", "b"]])\nX = df[["a", "b", "c"]]\n'
            "X_train, X_test, y_train, y_test = train_test_split(X, y)",
        ),
        Case(
            _BEFORE,
            "best = SelectKBest(k=2).fit_transform(X, y)\nscores = cross_val_score(LogisticRegression(), best, y)",
        ),
        Case(
            _BEFORE,
            "scaler = StandardScaler()\nscaler.fit(X)\nZ = pd.DataFrame(scaler.transform(X))\nparts = train_test_split(Z, y)",
        ),
        Case(_SCALED, "X_train, X_test, y_train, y_test = train_test_split(X_scaled, y, random_state=0)"),
        Case(_BEFORE, "a, b, c, d = train_test_split(StandardScaler().fit_transform(X), y, random_state=0)"),
        Case(
            _BEFORE,
            "pre = make_pipeline(SimpleImputer(), MinMaxScaler())\nZ = pre.fit_transform(X)\nparts = train_test_split(Z, y)",
        ),
        Case(
            _BEFORE,
            'ct = ColumnTransformer([("n", StandardScaler(), num), ("c", OneHotEncoder(), ["c"])])\n'
            "Z = ct.fit_transform(df)\nparts = train_test_split(Z, y)",
        ),
        Case(
            _SPLIT, "sc = StandardScaler().fit(X)\nX_train_s = sc.transform(X_train)\nX_test_s = sc.transform(X_test)"
        ),
        Case(_BEFORE, "Z = preprocessing.scale(X)\nfor train, test in KFold(3).split(Z):\n    pass"),
        Case(_SCALED, 'search = GridSearchCV(LogisticRegression(), {"C": [1, 2]})\nsearch.fit(X_scaled, y)'),
        Case(
            _BEFORE,
            "df[num] = StandardScaler().fit_transform(df[num])\ntrain, test = train_test_split(df, random_state=0)",
        ),
        Case(_BEFORE, "Z = PCA(2).fit_transform(X)\nW = np.c_[Z, X]\nparts = train_test_split(W, y)"),
    ),
    good=(
        Case(
            _BEFORE,
            "X_train, X_test, y_train, y_test = train_test_split(X, y)\nscaler = StandardScaler()\n"
            "X_train = scaler.fit_transform(X_train)\nX_test = scaler.transform(X_test)",
        ),
        Case(
            _BEFORE,
            "model = make_pipeline(StandardScaler(), LogisticRegression())\nscores = cross_val_score(model, X, y)",
        ),
        Case(_BEFORE, "labels = LabelEncoder().fit_transform(y)\nparts = train_test_split(X, labels)"),
        Case(_BEFORE, "Z = StandardScaler().fit_transform(X)\nparts = train_test_split(X, y)"),
        Case(
            _SPLIT,
            "sc = StandardScaler()\nX_train_s = sc.fit_transform(X_train)\n"
            "scores = cross_val_score(LogisticRegression(), X_train_s, y_train)",
        ),
        Case(
            _SCALED,
            "X_train, X_test, y_train, y_test = train_test_split(X, y)\nX_train = scaler.fit_transform(X_train)",
        ),
        Case(_SCALED, "X_scaled = X.to_numpy()\nparts = train_test_split(X_scaled, y)"),
        Case(
            _BEFORE,
            'df["z"] = StandardScaler().fit_transform(df[["a"]])\nparts = train_test_split(df[["a", "b"]], df["y"])',
        ),
        Case(
            _BEFORE,
            'df["z"] = StandardScaler().fit_transform(df[["a"]])\nX = df.drop(columns=["y", "z"])\nparts = train_test_split(X, df.y)',
        ),
        Case(
            _BEFORE,
            "bins = KBinsDiscretizer(2, encode='ordinal').fit_transform(X[['a']])\n"
            "parts = train_test_split(X, y, stratify=bins)",
        ),
        Case(
            _BEFORE,
            "Z = SimpleImputer(strategy='constant', fill_value=0).fit_transform(X)\nparts = train_test_split(Z, y)",
        ),
        Case(
            _BEFORE,
            "X2 = (X - X.mean()) / X.std()\nparts = train_test_split(X2, y)\n"
            "pipe = Pipeline([('s', StandardScaler()), ('m', LogisticRegression())]).fit(parts[0], parts[2])",
        ),
        Case(
            _SCALED,
            "from sklearn.cluster import KMeans\nkm = KMeans(2, n_init=1).fit(X_scaled)\nparts = train_test_split(X, km.labels_)",
        ),
    ),
)
