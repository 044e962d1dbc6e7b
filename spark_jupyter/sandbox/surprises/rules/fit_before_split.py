"""Rule fit-before-split: a transformer was fitted before the data was split.

A scaler, imputer, encoder or selector that has seen all rows carries the test rows' values into training, so the score is too good. The
cells that ran before are read, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import CellRun, Change
from spark_jupyter.sandbox.surprises.rules._fit_flow import BEGINNINGS, FitFlow
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown


def _looks(change: Change) -> Iterator[Sighting]:
    if not any(step.tails & BEGINNINGS for step in change.steps):
        return
    flow = FitFlow(change.namespace)
    for step in CellRun(*change.earlier).steps:
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
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
y = (X["a"] > 0).astype(int)"""
RULE: Final = Rule(
    id="fit-before-split",
    looks=_looks,
    says=_says,
    tells="A transformer was fitted on all rows before the data was split.",
    remedy="Split first and fit on the training rows, or put both into a Pipeline.",
    bad=Case(
        _BEFORE,
        "scaler = StandardScaler()\nX_scaled = scaler.fit_transform(X)\n"
        "X_train, X_test, y_train, y_test = train_test_split(X_scaled, y, random_state=0)",
    ),
    good=Case(
        _BEFORE,
        "X_train, X_test, y_train, y_test = train_test_split(X, y)\nscaler = StandardScaler()\n"
        "X_train = scaler.fit_transform(X_train)\nX_test = scaler.transform(X_test)",
    ),
)
