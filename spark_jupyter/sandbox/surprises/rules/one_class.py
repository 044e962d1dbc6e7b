"""Rule one-class: a classifier predicts the same class everywhere.

Often the rarer class is too rare, or a feature is out of scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown
from spark_jupyter.sandbox.surprises.table_samples import is_array

_FEWEST: Final = 10
_MOST: Final = 100_000


def _looks(change: Change) -> Iterator[Sighting]:
    for step in change.steps:
        calls = [call for call in step.calls if call.tail == "predict" and call.receiver]
        guess = change.array(step.target)
        if len(calls) != 1 or guess is None or guess.ndim != 1 or len(guess) < _FEWEST:
            continue
        classes = _classes(change.namespace.get(calls[0].receiver))
        said = set(guess[:_MOST].tolist())
        if len(classes) > 1 and len(said) == 1 and said <= set(classes):
            yield saw("one-class", calls[0].receiver, next(iter(said)), numbers=(len(guess), len(classes)))


def _classes(model: Any) -> list[Any]:
    """Classes that a library's classifier has learned; nothing for anything else, and for a classifier that is meant to be constant."""
    if type(model).__module__.partition(".")[0] not in ("sklearn", "xgboost", "lightgbm", "catboost"):
        return []
    if type(model).__name__ == "DummyClassifier":
        return []
    classes: Any = getattr(model, "classes_", None)
    return classes.tolist() if is_array(classes) and classes.ndim == 1 else []


def _says(seen: Sighting) -> str:
    rows, classes = seen.numbers
    return f"{shown(seen.names[0])} predicts {shown(seen.names[1])} for all {rows:,.0f} rows, of {classes:.0f} classes that it knows."


_BEFORE: Final = """import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
rare = np.array([1] * 2 + [0] * 58)
y = (X[:, 0] > 0).astype(int)
model = LogisticRegression()"""
RULE: Final = Rule(
    id="one-class",
    looks=_looks,
    says=_says,
    tells="A model says the same class of every row.",
    remedy='Look at how often each class is there, and at a score by class; class_weight="balanced" is the first thing to try.',
    bad=Case(_BEFORE, "model.fit(X, rare)\nguess = model.predict(X)"),
    good=Case(_BEFORE, "model.fit(X, y)\nguess = model.predict(X)"),
)
