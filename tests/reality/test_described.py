"""Types from docstrings: parts of results, data sets, fitted searches, seaborn's grids."""

from __future__ import annotations

import datetime
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
import scipy.optimize
import scipy.sparse
import seaborn as sns
import sklearn.datasets
import sklearn.linear_model
import sklearn.metrics.pairwise
import sklearn.model_selection
import sklearn.pipeline
from scipy.spatial.transform import Rotation

from spark_jupyter.reality import Checker, check

SEARCH = """pipe = sklearn.pipeline.Pipeline([("m", sklearn.linear_model.Ridge())])
grid = sklearn.model_selection.GridSearchCV(pipe, {"m__alpha": [1]}).fit([[1], [2]], [1, 2])
"""
PAIRS = [
    # invented, valid
    ("np.linalg.eigh(np.eye(2))[1].meen()", "v, w = np.linalg.eigh(np.eye(2))\nw.T.mean()"),
    ("u, n = np.unique([1], return_counts=True)\nn.argmaximum()", "u, n = np.unique([1], return_counts=True)\nn.argmax()"),
    ("u = np.unique([1])\nu.argmaximum()", "u = np.unique([1], return_counts=False)\nu.argmax()"),
    ("scipy.optimize.minimize(abs, [1]).x.rounds()", "scipy.optimize.minimize(abs, [1]).x.round()"),
    ("sklearn.datasets.load_iris().targets", "sklearn.datasets.load_iris().target.mean()"),
    ("sklearn.datasets.load_iris().keyss()", "sklearn.datasets.load_iris().keys()"),
    (SEARCH + "grid.best_estimator_.steps_named", SEARCH + 'grid.best_estimator_.named_steps["m"].coef_'),
    (SEARCH + 'grid.best_estimator_.named_steps["m"].coefs_', SEARCH + "grid.best_estimator_[-1].coef_.shape"),
    ("np.log1p(df['price']).meen()", "np.log1p(df['price']).mean()"),
    ("sns.relplot(data=df, x='price', y='price').axes.flats", "sns.relplot(data=df, x='price', y='price').axes.flat"),
    ("df['price'].astype('category').cat.categories.lists()", "df['price'].astype('category').cat.categories.tolist()"),
    (
        "now = datetime.datetime.now()\n(now - now).secondss",
        "now = datetime.datetime.now()\n(now - now).total_seconds()",
    ),
    ("sklearn.metrics.pairwise.cosine_similarity([[1]]).ravels()", "sklearn.metrics.pairwise.cosine_similarity([[1]]).ravel()"),
    # what an option switches off, objects in arrays, what anything may be
    ("np.linalg.svd(np.eye(2))[0].meen()", "np.linalg.svd(np.eye(2), compute_uv=False).mean()"),
    ("np.asarray([1])[0].as_matrix()", "np.asarray(Rotation.from_rotvec([[0, 0, 1]]))[0].as_matrix()"),
    ("pickle.dumps(1).foo()", "pickle.loads(b'').query()"),
]  # fmt: skip


@pytest.mark.parametrize(("invented", "valid"), PAIRS)
def test_what_a_docstring_says_is_followed(invented: str, valid: str) -> None:
    libraries = {"np": np, "pd": pd, "sns": sns, "scipy": scipy, "sklearn": sklearn, "datetime": datetime}
    namespace = {**libraries, "pickle": pickle, "Rotation": Rotation, "df": pd.DataFrame({"price": [2.0]})}
    assert check(invented, namespace) != []
    checker = Checker(namespace)
    assert [*checker.feed(valid), *checker.flush()] == []
    assert checker.failures == 0
