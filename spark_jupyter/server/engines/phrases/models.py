"""Models in a sentence: "logistic regression predicting churned from tenure, show accuracy", "k-means with 3 clusters". Pure.

What is named are the columns, the kind of model and what is to be shown; as with tables, all of the sentence or nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases import components, vocabulary
from spark_jupyter.server.engines.phrases.components import Names, Wish, listed
from spark_jupyter.server.engines.phrases.cursor import LONGEST
from spark_jupyter.server.engines.phrases.preds import Predicates
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column, Namespace
    from spark_jupyter.server.engines.query.tables import Source

_KINDS = vocabulary.mapping("models_kinds")
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
_SHOWS = vocabulary.mapping("models_shows")
_NOISE = vocabulary.some("models_noise")


class Reader(Predicates):
    """Reads a prompt about a model of one table."""

    def wish(self) -> Wish | None:
        """What is asked for; None where there is no model in it, or a word that is not understood."""
        wish = Wish()
        while self.peek().kind != "e":
            before = self.at
            if self._kind(wish) or self._shown(wish) or self._numbers(wish) or self._columns(wish):
                continue
            self.at = before + 1
            token = self.tokens[before]
            if token.kind != "t" and not (token.kind in "ws" and token.text in _NOISE):
                return None
        return wish if wish.kind else None

    def _kind(self, wish: Wish) -> bool:
        found = self.of(_KINDS)
        if found is None:
            return False
        if not wish.kind or wish.kind == "classifier":
            wish.kind = str(found)
        return found in (wish.kind, "classifier", "kmeans", "linear" if wish.kind in ("ridge", "lasso") else "")

    def _shown(self, wish: Wish) -> bool:
        said = self.of(_SHOWS)
        if said is not None:
            wish.shows.append(str(said))
            return True
        if self.word("plot", "plotted", "scatter plot", "draw", "plot them", "plot it", "scatter"):
            wish.plot = True
            return True
        if self.word(
            "add the cluster as a column", "add cluster as column", "add the clusters as a column", "add the cluster as a new column",
            "add cluster labels as column", "add the cluster labels as a column", "add the labels as a column", "as a new column",
            "add the cluster to the table", "add the cluster number as a column", "save the cluster as a column", "as a column",
            "add a cluster column", "add a column with the cluster", "store the cluster in a column", "add a column cluster",
        ):  # fmt: skip
            wish.keeps = True
            return True
        if self.word("coloured by", "colored by", "coloured by the", "colour by", "coloured", "colored"):
            self.word("by")
            name = self.column()
            wish.colour = name or ""
            return name is not None
        return False

    def _numbers(self, wish: Wish) -> bool:
        number = self.kind("n")
        if number is None:
            return False
        value = float(number.value)
        told = [self.peek(-back).text for back in (2, 3, 4)]
        self.word("-")
        if self.word("fold", "folds", "-fold", "fold cross validation"):
            wish.folds = int(value)
            if "cv" not in wish.shows:
                wish.shows.append("cv")
            return True
        if self.word("%", "percent"):
            ahead = self.word(
                "train", "training", "for training", "train data", "to train", "training data", "for train"
            )
            trains = ahead or told[1] in ("train", "training") or told[2] in ("train", "training")
            wish.test = wish.test or round(1 - value / 100 if trains else value / 100, 6)
            return 0 < wish.test < 1
        if self.word(
            "clusters",
            "groups",
            "components",
            "segments",
            "classes",
            "neighbours",
            "neighbors",
            "trees",
            "dimensions",
            "cluster",
        ):
            wish.number = int(value)
            return True
        if self.peek().kind == "c" and self.peek().text in ("groups", "clusters", "classes", "segments"):
            self.at += 1  # of a table with a column ``group``
            wish.number = int(value)
            return True
        if self.word("/") and (other := self.kind("n")):
            wish.test = float(other.value) / 100
            return True
        return self._option(wish, value, told[1] if told[0] in ("=", "of") else told[0])

    @staticmethod
    def _option(wish: Wish, value: float, name: str) -> bool:
        """A number behind its name: "k=5", "max depth 3", "seed 7", "test_size = 0.2"."""
        if name == "depth":
            wish.depth = int(value)
        elif name in ("k", "clusters", "components", "n_clusters"):
            wish.number = int(value)
        elif name in ("seed", "state", "random_state"):
            wish.seed = int(value)
        elif 0 < value < 1 and name in ("size", "test_size"):
            wish.test = value
        else:
            return False
        return True

    def _columns(self, wish: Wish) -> bool:
        """The target behind "predict", "of" or "for"; features behind "from", "on", "by", "using"."""
        led = self.word(
            "predicting",
            "predict",
            "predicts",
            "to predict",
            "for",
            "of",
            "target",
            "from",
            "on",
            "by",
            "using",
            "with",
            "based on",
            "explaining",
            "explain",
            "depending on",
            "the",
            "between",
            "in",
            "->",
            "onto",
            "does",
            "of the",
            "on the",
            "from the",
            "for the",
            "classify",
            "classifier for",
        )
        if led in ("classify", "classifier for"):
            wish.kind = wish.kind or "classifier"
        found: list[str] = []
        while True:
            before = self.at
            if found and not self.word(", and", ",", "and", "&", "+") and (self.peek().kind != "c" or led is None):
                break
            self.skip(("the", "a"))
            name = self.column() or self._named_so()
            if name is None:
                self.at = before
                break
            found.append(name)
        if not found:
            return False
        targets = led is not None and led.split()[0] in (
            "predicting",
            "predict",
            "predicts",
            "to",
            "target",
            "explaining",
            "explain",
            "classify",
            "classifier",
        )
        targets = targets or (
            led in ("for", "of", "for the", "of the", "the", None)
            and len(found) == 1
            and not wish.target
            and wish.kind not in ("kmeans", "pca")
        )
        if targets and len(found) == 1 and not wish.target:
            wish.target = found[0]
        else:
            wish.features += found
        return True

    def _named_so(self) -> str | None:
        """ "for churn" of a table ``churn`` with a column ``churned``."""
        token = self.peek()
        stem = token.value.lower().rstrip("se") if token.kind == "t" else ""
        found = [one for one in self.columns if stem and len(stem) > 3 and one.lower().startswith(stem)]
        if len(found) != 1:
            return None
        self.at += 1
        return found[0]


def understood(prompt: str, source: Source, namespace: Namespace) -> str | None:
    """The code of the model that the prompt asks for; None where it asks for none, or is not understood whole."""
    if source.other or source.file or source.polars or source.records:
        return None
    reader = Reader(
        re.sub(r"(?<=\d)-(?=fold)", " ", re.sub(r"\b(k|depth|seed|state|size|clusters)=(?=\d)", r"\1 = ", prompt)),
        source,
    )
    wish = reader.wish() if len(reader.tokens) <= LONGEST else None
    if wish is None:
        return None
    numeric = [
        one.name
        for one in source.columns
        if one.kind in ("number", "bool") and not one.holds and not one.name.lower().endswith("id")
    ]
    free = Names(namespace.names)
    if wish.kind in ("kmeans", "pca"):
        if wish.target:
            wish.features.append(wish.target)
        return components.written(wish, source, numeric, free)
    return _supervised(wish, source, numeric, free)


def _supervised(wish: Wish, source: Source, numeric: list[str], free: Names) -> str | None:
    columns = {one.name: one for one in source.columns}
    if not wish.target and len(wish.features) == 1 and columns[wish.features[0]].kind == "text":
        wish.target, wish.features = wish.features[0], []
    if wish.target not in columns or wish.plot or wish.colour or wish.keeps:
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
        or not _can_be_shown(wish, amounts=amounts)
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
    head += [line for name, line in _IMPORTS.items() if f"{name}(" in body or (name == "pd" and "pd." in body)]
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


def _can_be_shown(wish: Wish, *, amounts: bool) -> bool:
    """Whether a model of this kind has all that is to be shown."""
    never = (
        {"confusion", "report", "f1", "precision", "recall", "auc", "accuracy"}
        if amounts
        else {"r2", "mae", "rmse", "mse"}
    )
    never |= set() if wish.kind in ("linear", "logistic", "ridge", "lasso") else {"coefficients"}
    never |= set() if wish.kind in ("forest", "tree", "boosting", "classifier") else {"importance"}
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
        and set(wish.shows) <= {"coefficients", "r2"}
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
    for one in dict.fromkeys(wish.shows or ["score"]):
        lines += shown.get("score" if one in ("r2", "accuracy") else one, [])
    return [*lines, next((last[one] for one in wish.shows if one in last), model)]
