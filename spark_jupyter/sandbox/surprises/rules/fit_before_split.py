"""Rule fit-before-split: a transformer was fitted before the data was split.

A scaler, imputer, encoder or selector that has seen all rows carries the test rows' values into training, so the score is too good.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown
from spark_jupyter.sandbox.surprises.table_flow import Called, Step

_SPLITS: Final = {"train_test_split", "cross_val_score", "cross_validate", "cross_val_predict"}
_MODULES: Final = (
    *("sklearn.preprocessing", "sklearn.impute", "sklearn.feature_selection", "sklearn.decomposition"),
    *("sklearn.compose", "category_encoders"),
)
_HARMLESS: Final = {
    *("LabelEncoder", "LabelBinarizer", "MultiLabelBinarizer", "Normalizer", "Binarizer", "FunctionTransformer"),
    *("PolynomialFeatures", "OneHotEncoder", "OrdinalEncoder", "TransformedTargetRegressor"),
}
"""They learn nothing from the rows, or no more than which categories there are."""


def _looks(change: Change) -> Iterator[Sighting]:
    derived: dict[str, str] = {}  # names whose values come from a transformer that has seen all rows
    fitted: set[str] = set()
    for step in change.steps:
        for call in step.calls:
            if call.tail in _SPLITS and (name := _given(call, derived)):
                yield saw("fit-before-split", derived[name], call.tail)
                return
        if step.tails & _SPLITS:
            derived.pop(step.target, None)
            continue
        by = _transformer(step, change.namespace, fitted) or next(
            (derived[name] for name in sorted(step.names) if name in derived), ""
        )
        if by and step.target:
            derived[step.target] = by
        elif step.column is None:
            derived.pop(step.target, None)


def _given(call: Called, derived: Mapping[str, str]) -> str:
    """A name among a call's arguments that is derived."""
    values = [*call.node.args, *(keyword.value for keyword in call.node.keywords)]
    names = (node.id for value in values for node in ast.walk(value) if isinstance(node, ast.Name))
    return next((name for name in names if name in derived), "")


def _transformer(step: Step, namespace: Mapping[str, Any], fitted: set[str]) -> str:
    """The class of the transformer that gives a step its value, having learned from all that it is given; empty where none does."""
    for call in step.calls:
        kind = _kind(call, namespace)
        if not kind:
            continue
        if call.tail == "fit":
            fitted.add(call.receiver)
        if call.tail == "fit_transform" or (call.tail == "transform" and call.receiver in fitted):
            return kind
    return ""


def _kind(call: Called, namespace: Mapping[str, Any]) -> str:
    """The class of the transformer that is asked; empty where it is none that learns."""
    if call.receiver:
        kind = type(namespace.get(call.receiver))
    else:
        made = getattr(call.node.func, "value", None)
        found = _named(made.func, namespace) if isinstance(made, ast.Call) else None
        kind = found if isinstance(found, type) else type(None)
    learns = kind.__module__.startswith(_MODULES) and kind.__name__ not in _HARMLESS
    return kind.__name__ if learns else ""


def _named(maker: ast.expr, namespace: Mapping[str, Any]) -> object:
    """What a name, or a name of a module, stands for."""
    match maker:
        case ast.Name(id=name):
            return namespace.get(name)
        case ast.Attribute(value=ast.Name(id=module), attr=name) if isinstance(namespace.get(module), ModuleType):
            return vars(namespace[module]).get(name)
    return None


def _says(seen: Sighting) -> str:
    transformer, split = map(shown, seen.names)
    return f"{transformer} was fitted on all rows before {split}, so the test rows are known in training."


_BEFORE: Final = """import numpy as np
import pandas as pd
from sklearn.preprocessing import LabelEncoder, StandardScaler
from sklearn.impute import SimpleImputer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
rng = np.random.default_rng(0)
df = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
df["y"] = (df["a"] > 0).astype(int)
X, y = df[["a", "b", "c"]], df["y"]"""
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
    ),
)
