"""Rule fit-on-test: a model is judged on rows it was fitted on."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, percent, saw, shown
from spark_jupyter.sandbox.surprises.table_flow import Called, Step
from spark_jupyter.sandbox.surprises.table_samples import is_array, is_table

_JUDGES: Final = ("predict", "score", "predict_proba", "decision_function")
_FEWEST: Final = 3
_LOOKED_AT: Final = 50
_MOST_VALUES: Final = 1_000_000


def _looks(change: Change) -> Iterator[Sighting]:
    calls = [(call, _model(call, step)) for step in change.steps for call in step.calls]
    for place, (fit, model) in enumerate(calls):
        train = _rows(fit.argument(0, "X"), change.namespace) if fit.tail == "fit" and model else None
        for call, judge in calls[place + 1 :] if train else ():
            if call.tail not in _JUDGES or judge != model or not _is_model(change.namespace.get(model)):
                continue
            test = _rows(call.argument(0, "X"), change.namespace)
            if train is None or test is None or train.name == test.name or "test" not in test.name.lower():
                continue
            share = _held(train.values, test.values)
            if share > 0.5:
                yield saw("fit-on-test", train.name, test.name, numbers=(share,))


class _Rows(NamedTuple):
    """Rows that a model is given: the table's name, and its values as they are now."""

    name: str
    values: Any


def _model(call: Called, step: Step) -> str:
    """The variable of the model that is asked: the one before the dot, or the one that a chain of calls is assigned to."""
    return call.receiver or (step.target if step.column is None and step.value is call.node else "")


def _rows(node: ast.expr | None, namespace: Mapping[str, Any]) -> _Rows | None:
    """The rows of a table, or of some of its columns; None where the source does not tell."""
    match node:
        case ast.Name(id=name):
            return _Rows(name, namespace.get(name))
        case ast.Subscript(value=ast.Name(id=name), slice=ast.List(elts=elements)):
            columns: Any = [getattr(element, "value", None) for element in elements]
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id=listed)):
            columns = namespace.get(listed)
        case _:
            return None
    table: Any = namespace.get(name)
    if not is_table(table) or not hasattr(table, "index") or type(columns) is not list:
        return None
    there = set(table.columns.tolist())
    if not columns or not all(isinstance(one, str) and one in there for one in columns):
        return None
    return _Rows(name, table[columns])


def _is_model(value: object) -> bool:
    """True for an estimator of a library: one of the user's own may mean something else."""
    return type(value).__module__.partition(".")[0] in ("sklearn", "xgboost", "lightgbm", "catboost")


def _held(train: Any, test: Any) -> float:
    """The share of the test's first rows that stand in the other table, too."""
    if is_table(train) and is_table(test) and hasattr(train, "index") and hasattr(test, "index"):
        labels = set(train.index.tolist())
        asked = test.index.tolist()[:_LOOKED_AT]
        held = sum(label in labels for label in asked) / len(asked) if len(asked) >= _FEWEST else 0.0
        train, test = train.to_numpy(), test.to_numpy()
        return min(held, _rows_held(train, test))
    return _rows_held(train, test) if is_array(train) and is_array(test) else 0.0


def _rows_held(train: Any, test: Any) -> float:
    if (
        train.ndim != 2
        or test.ndim != 2
        or train.shape[1] != test.shape[1]
        or len(test) < _FEWEST
        or train.size > _MOST_VALUES
    ):
        return 0.0
    if len({tuple(row) for row in train.tolist()}) < len(train) * 0.9:
        return 0.0  # where rows are alike anyway, the same ones may stand in both
    return float(sum(bool((train == row).all(axis=1).any()) for row in test[:_LOOKED_AT]) / min(len(test), _LOOKED_AT))


def _says(seen: Sighting) -> str:
    train, test = map(shown, seen.names[:2])
    return f"The model was fitted on {train}, which holds {percent(seen.numbers[0])} of the rows of {test}, by which it is judged."


_BEFORE: Final = """import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
y = X["a"] * 2
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = LinearRegression()"""
RULE: Final = Rule(
    id="fit-on-test",
    looks=_looks,
    says=_says,
    tells="A model is judged by rows that it was fitted on.",
    remedy="Fit on the training rows alone.",
    bad=Case(_BEFORE, "model.fit(X, y)\nscore = model.score(X_test, y_test)"),
    good=Case(_BEFORE, "model.fit(X_train, y_train)\nscore = model.score(X_test, y_test)"),
)
