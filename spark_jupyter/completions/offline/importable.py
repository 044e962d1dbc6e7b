"""Modules and names that can be imported."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.completions.offline.kernel_facts import Facts
from spark_jupyter.completions.situation import Situation

_USUAL = {
    "pd": "pandas as pd",
    "np": "numpy as np",
    "plt": "matplotlib.pyplot as plt",
    "sns": "seaborn as sns",
    "pl": "polars as pl",
    "px": "plotly.express as px",
    "tf": "tensorflow as tf",
    "nx": "networkx as nx",
    "sp": "scipy as sp",
    "sm": "statsmodels.api as sm",
    **{
        name: name for name in "random math json re os sys time datetime itertools statistics collections torch".split()
    },
}
"""Modules, by the names under which they are used, the most usual first."""


def modules(situation: Situation, facts: Facts) -> Iterator[str]:
    """``import nu``, or a first line above code: what is used and not imported; else what is imported most often."""
    line = situation.line_before
    opens = not situation.before.strip() and bool(situation.after.strip())
    match = re.fullmatch(r"import (\w*)", line)
    if match is None and not (opens and not line):
        return
    code = "\n".join([situation.before, situation.after, *(cell.source for cell in situation.above)])
    missing = [
        f"import {module}"
        for name, module in _USUAL.items()
        if f"import {module}".startswith(line) and not _is_imported(name, code) and facts.has_module(_top(module))
    ]
    used = [text for text in missing if _is_used(_name(text), code) and not facts.is_defined(_name(text))]
    yield from (text[len(line) :] for text in used or (_usual(missing, code, match[1]) if match is not None else ()))


_FIRST = 3
"""Of the usual modules those that one letter says."""


def _usual(missing: list[str], code: str, typed: str) -> list[str]:
    """The most usual of them, where enough of it is typed, or it is the notebook's first."""
    if not typed:
        return missing[:1] if re.search(r"(?m)^(?:import|from) +\w", code) is None else []
    most = [f"import {module}" for module in list(_USUAL.values())[:_FIRST]]
    return [text for text in missing[:1] if len(typed) > 1 or text in most]


_PARTS = {
    "sklearn.model_selection": "train_test_split cross_val_score GridSearchCV KFold",
    "sklearn.linear_model": "LinearRegression LogisticRegression Ridge Lasso",
    "sklearn.ensemble": "RandomForestClassifier RandomForestRegressor GradientBoostingClassifier",
    "sklearn.tree": "DecisionTreeClassifier DecisionTreeRegressor plot_tree",
    "sklearn.metrics": "accuracy_score confusion_matrix classification_report mean_squared_error r2_score",
    "sklearn.preprocessing": "StandardScaler OneHotEncoder LabelEncoder MinMaxScaler",
    "sklearn.datasets": "load_iris make_classification make_blobs load_digits",
    "sklearn.cluster": "KMeans DBSCAN",
    "sklearn.decomposition": "PCA",
    "sklearn.neighbors": "KNeighborsClassifier KNeighborsRegressor",
    "sklearn.pipeline": "make_pipeline Pipeline",
    "collections": "Counter defaultdict deque namedtuple",
    "pathlib": "Path",
    "datetime": "datetime timedelta date",
    "dataclasses": "dataclass field",
    "functools": "partial lru_cache reduce",
    "itertools": "product combinations chain",
    "scipy": "stats optimize",
    "typing": "NamedTuple",
}
"""Imports by module, the most usual first."""
_FROM = re.compile(r"from (?P<module>[\w.]*)(?P<rest> import (?:\w+, )*(?P<typed>\w*))?\Z")
_SHORTEST = 3
"""Characters of a module's path below which it could be any."""


def parts(situation: Situation, facts: Facts) -> Iterator[str]:
    """``from sklearn.li``: a usual module; ``from pathlib import ``: what is imported from there, of several only one that has begun."""
    match = _FROM.match(situation.line_before)
    if match is None:
        return
    module, typed = match["module"], match["typed"] or ""
    if match["rest"] is None:
        fitting = [one for one in _PARTS if one.startswith(module) and one != module]
        yield from (
            f"{one[len(module) :]} import "
            for one in fitting
            if len(module) >= _SHORTEST and facts.has_module(_top(one))
        )
        return
    taken = set(re.findall(r"\w+", match["rest"]))
    names = [one for one in _PARTS.get(module, "").split() if one.startswith(typed) and one not in taken]
    if typed or len(_PARTS.get(module, "").split()) == 1:
        yield from (name[len(typed) :] for name in names if name != typed)


def _is_used(name: str, code: str) -> bool:
    return re.search(rf"(?<![\w.]){name}\.\w", code) is not None


def _is_imported(name: str, code: str) -> bool:
    return re.search(rf"(?m)^\s*(?:import|from)\b.*\b{name}\b", code) is not None


def _name(text: str) -> str:
    return text.rpartition(" ")[2]


def _top(module: str) -> str:
    return module.partition(" ")[0].partition(".")[0]
