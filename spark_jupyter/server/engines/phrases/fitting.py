"""The code of a model that predicts a column: how it is fitted, and what is shown of it. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.components import Names, Wish, listed
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.tables import Source

_CLASSES = {  # module, for classes, for amounts
    "logistic": ("linear_model", "LogisticRegression(max_iter=1000)", ""), "linear": ("linear_model", "", "LinearRegression()"),
    "forest": ("ensemble", "RandomForestClassifier(random_state=0)", "RandomForestRegressor(random_state=0)"),
    "tree": ("tree", "DecisionTreeClassifier(random_state=0)", "DecisionTreeRegressor(random_state=0)"),
    "knn": ("neighbors", "KNeighborsClassifier()", "KNeighborsRegressor()"), "svm": ("svm", "SVC()", "SVR()"),
    "boosting": ("ensemble", "GradientBoostingClassifier(random_state=0)", "GradientBoostingRegressor(random_state=0)"),
    "ridge": ("linear_model", "RidgeClassifier()", "Ridge()"), "lasso": ("linear_model", "", "Lasso()"),
    "bayes": ("naive_bayes", "GaussianNB()", ""),
    "classifier": ("ensemble", "RandomForestClassifier(random_state=0)", ""),
}  # fmt: skip


def written(wish: Wish, source: Source, numeric: list[str], free: Names) -> str | None:
    """The code of a model of the target; None where something is asked that it has not."""
    columns = {one.name: one for one in source.columns}
    if not wish.target and len(wish.features) == 1 and columns[wish.features[0]].kind == "text":
        wish.target, wish.features = wish.features[0], []
    if wish.target not in columns or wish.colour or wish.keeps or wish.axes:
        return None
    amounts = columns[wish.target].dtype.startswith("float") or wish.kind == "linear"
    module, classes, regression = _CLASSES[wish.kind]
    made = _with_options(wish, regression if amounts else classes)
    usual = [
        one
        for one in columns
        if one != wish.target and (one in numeric or (columns[one].kind == "text" and _tells_apart(columns[one])))
    ]
    features = wish.features or usual
    strange = any(columns[name].kind == "date" or not _tells_apart(columns[name]) for name in features)
    if (
        not made
        or strange
        or (amounts and columns[wish.target].kind != "number")
        or not _can_be_shown(wish, features, amounts=amounts)
    ):
        return None
    texts = any(columns[name].kind == "text" for name in features)
    names = {one: free(one) for one in ("X", "y", "model", "known", "scores")}
    known = f"{names['known']}{listed(features)}"
    lines = [
        f"{names['known']} = {source.name}{listed([*features, wish.target])}.dropna()",
        f"{names['X']} = {f'pd.get_dummies({known})' if texts else known}",
        f"{names['y']} = {names['known']}[{quoted(wish.target)}]",
        *_fitted(wish, made, names, amounts=amounts, numeric=columns[wish.target].kind != "text"),
    ]
    body = "\n".join(lines)
    head = [f"from sklearn.{module} import {made.partition('(')[0]}"]
    head += [line for name, line in _IMPORTS.items() if re.search(rf"(?<![\w.]){name}[.(]", body)]
    return "\n".join([*sorted(head), "", body])


_IMPORTS = {
    "pd": "import pandas as pd",
    "cross_val_score": "from sklearn.model_selection import cross_val_score",
    "train_test_split": "from sklearn.model_selection import train_test_split",
    "confusion_matrix": "from sklearn.metrics import confusion_matrix",
    "classification_report": "from sklearn.metrics import classification_report",
    "mean_squared_error": "from sklearn.metrics import mean_squared_error",
    "roc_auc_score": "from sklearn.metrics import roc_auc_score",
    "f1_score": "from sklearn.metrics import f1_score",
    "precision_score": "from sklearn.metrics import precision_score",
    "recall_score": "from sklearn.metrics import recall_score",
    "mean_absolute_error": "from sklearn.metrics import mean_absolute_error",
    "ConfusionMatrixDisplay": "from sklearn.metrics import ConfusionMatrixDisplay",
    "RocCurveDisplay": "from sklearn.metrics import RocCurveDisplay",
    "plot_tree": "from sklearn.tree import plot_tree",
    "plt": "import matplotlib.pyplot as plt",
}


def _tells_apart(one: Column) -> bool:
    """Whether what the column holds are words or numbers as they stand, be the words yes and no."""
    return not one.holds or one.holds.startswith("truth")


def _with_options(wish: Wish, made: str) -> str:
    """The model with how many neighbours or trees it has, and how deep they are; empty where it has none such."""
    options = {"knn": "n_neighbors", "forest": "n_estimators", "classifier": "n_estimators", "boosting": "n_estimators"}
    if wish.number:
        if wish.kind not in options:
            return ""
        made = made.replace("()", "( )").replace("(", f"({options[wish.kind]}={wish.number}, ", 1).replace(",  )", ")")
    if wish.depth:
        if wish.kind not in ("forest", "tree", "boosting", "classifier"):
            return ""
        made = made.replace("(", f"(max_depth={wish.depth}, ", 1)
    return made.replace("random_state=0", f"random_state={wish.seed}")


_DRAWN = {"importance", "confusion", "actual", "residuals", "roc"}
"""What of a model is drawn where a plot is asked for."""


def _can_be_shown(wish: Wish, features: list[str], *, amounts: bool) -> bool:
    """Whether a model of this kind has all that is to be shown."""
    never = (
        {"confusion", "report", "f1", "precision", "recall", "auc", "accuracy", "roc"}
        if amounts
        else {"r2", "mae", "rmse", "mse", "actual", "residuals"}
    )
    never |= set() if wish.kind in ("linear", "logistic", "ridge", "lasso") else {"coefficients"}
    never |= set() if wish.kind in ("forest", "tree", "boosting", "classifier") else {"importance"}
    drawn = _DRAWN & set(wish.shows)
    if wish.plot and not drawn and not (wish.kind == "tree" or (wish.kind == "linear" and len(features) == 1)):
        return False
    if len(drawn) > 1 and (wish.plot or drawn & {"actual", "residuals", "roc"}):
        return False
    return not never & set(wish.shows) and ("cv" not in wish.shows or len(wish.shows) == 1)


def _fitted(wish: Wish, made: str, names: dict[str, str], *, amounts: bool, numeric: bool) -> list[str]:
    """The lines that fit the model and show what is asked of it."""
    X, y, model, scores = (names[one] for one in ("X", "y", "model", "scores"))  # noqa: N806  # as everybody calls it
    if "cv" in wish.shows:
        crossed = f"{scores} = cross_val_score({model}, {X}, {y}, cv={wish.folds or 5})"
        return [f"{model} = {made}", crossed, f'print("mean:", {scores}.mean().round(3))', scores]
    if (
        wish.kind in ("linear", "ridge", "lasso")
        and amounts
        and not wish.test
        and set(wish.shows) <= {"coefficients", "r2", "residuals"}
    ):
        lines, tested, against = [f"{model} = {made}.fit({X}, {y})"], X, y
    else:
        split = f"train_test_split({X}, {y}, test_size={wish.test or 0.25:g}, random_state={wish.seed})"
        lines = [f"X_train, X_test, y_train, y_test = {split}", f"{model} = {made}.fit(X_train, y_train)"]
        tested, against = "X_test", "y_test"
    average = f'"binary" if {y}.nunique() == 2 else "weighted"' if numeric else '"weighted"'
    predicted = f"{model}.predict({tested})"
    shown = {
        "score": [f'print("{"r2" if amounts else "accuracy"}:", round({model}.score({tested}, {against}), 3))'],
        "coefficients": [
            f'print("intercept:", {model}.intercept_)',
            f"print(dict(zip({X}.columns, {model}.coef_{'' if amounts else '[0]'})))",
        ],
        "confusion": [f"print({model}.classes_)", f"print(confusion_matrix({against}, {predicted}))"],
        "report": [f"print(classification_report({against}, {predicted}))"],
        "mae": [f'print("MAE:", mean_absolute_error({against}, {predicted}))'],
        "mse": [f'print("MSE:", mean_squared_error({against}, {predicted}))'],
        "rmse": [f'print("RMSE:", mean_squared_error({against}, {predicted}) ** 0.5)'],
        "auc": [f'print("AUC:", roc_auc_score({against}, {model}.predict_proba({tested})[:, 1]))'],
        **{
            one: [f'print("{one}:", {one}_score({against}, {predicted}, average={average}))']
            for one in ("f1", "precision", "recall")
        },
    }
    last = {
        "importance": f"pd.Series({model}.feature_importances_, index={X}.columns).sort_values(ascending=False)",
        "predictions": predicted,
    }
    if wish.plot or {"actual", "residuals", "roc"} & set(wish.shows):
        return [*lines, *_drawn(wish, names, tested, against)]
    for one in dict.fromkeys(wish.shows or ["score"]):
        lines += shown.get("score" if one in ("r2", "accuracy") else one, [])
    return [*lines, next((last[one] for one in wish.shows if one in last), model)]


def _drawn(wish: Wish, names: dict[str, str], tested: str, against: str) -> list[str]:
    """The lines of a picture of the model."""
    X, model = names["X"], names["model"]  # noqa: N806  # as everybody calls it
    what = next((one for one in wish.shows if one in _DRAWN), wish.kind)
    y, predicted = quoted(wish.target), f"{model}.predict({tested})"
    found = {
        "importance": [
            f"importance = pd.Series({model}.feature_importances_, index={X}.columns).sort_values()",
            "ax = importance.plot.barh()",
            'ax.set_xlabel("importance")',
        ],
        "confusion": [f"ConfusionMatrixDisplay.from_predictions({against}, {predicted})"],
        "roc": [f"RocCurveDisplay.from_estimator({model}, {tested}, {against})"],
        "tree": [
            "fig, ax = plt.subplots(figsize=(12, 7))",
            f"plot_tree({model}, feature_names=list({X}.columns), filled=True, ax=ax)",
        ],
        "actual": [
            f"predicted = {predicted}",
            "fig, ax = plt.subplots()",
            f"ax.scatter({against}, predicted)",
            f'ax.axline(({against}.mean(), {against}.mean()), slope=1, color="tab:red")',
            f"ax.set_xlabel({quoted(f'actual {wish.target}')})",
            f"ax.set_ylabel({quoted(f'predicted {wish.target}')})",
        ],
        "residuals": [
            f"predicted = {predicted}",
            "fig, ax = plt.subplots()",
            f"ax.scatter(predicted, {against} - predicted)",
            'ax.axhline(0, color="tab:red")',
            f"ax.set_xlabel({quoted(f'predicted {wish.target}')})",
            'ax.set_ylabel("residual")',
        ],
        "linear": [
            f"points = {X}.iloc[:, 0]",
            "fig, ax = plt.subplots()",
            f"ax.scatter(points, {names['y']})",
            f'ax.plot(points.sort_values(), {model}.predict({X}.sort_values({X}.columns[0])), color="tab:red")',
            "ax.set_xlabel(points.name)",
            f"ax.set_ylabel({y})",
        ],
    }
    return [*found[what], "plt.show()"]
