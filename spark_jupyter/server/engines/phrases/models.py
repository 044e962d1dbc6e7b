"""Models in a sentence: "logistic regression predicting churned from tenure, show accuracy", "k-means with 3 clusters". Pure.

What is named are the columns, the kind of model and what is to be shown; as with tables, all of the sentence or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import LONGEST
from spark_jupyter.server.engines.phrases.preds import Predicates
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Namespace
    from spark_jupyter.server.engines.query.tables import Source

_KINDS = vocabulary.mapping("models_kinds")
_CLASSES = {  # module, for classes, for amounts
    "logistic": ("linear_model", "LogisticRegression(max_iter=1000)", ""), "linear": ("linear_model", "", "LinearRegression()"),
    "forest": ("ensemble", "RandomForestClassifier(random_state=0)", "RandomForestRegressor(random_state=0)"),
    "tree": ("tree", "DecisionTreeClassifier(random_state=0)", "DecisionTreeRegressor(random_state=0)"),
    "knn": ("neighbors", "KNeighborsClassifier()", "KNeighborsRegressor()"), "svm": ("svm", "SVC()", "SVR()"),
    "boosting": ("ensemble", "GradientBoostingClassifier(random_state=0)", "GradientBoostingRegressor(random_state=0)"),
    "classifier": ("ensemble", "RandomForestClassifier(random_state=0)", ""),
}  # fmt: skip
_SHOWS = vocabulary.mapping("models_shows")
_NOISE = vocabulary.some("models_noise")


class Wish(Struct, kw_only=True):
    """What is asked for; it grows while the prompt is read."""

    kind: str = ""
    target: str = ""
    features: list[str] = []
    shows: list[str] = []
    test: float = 0
    number: int = 0
    folds: int = 0
    plot: bool = False
    colour: str = ""


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
        return found in (wish.kind, "classifier", "kmeans")

    def _shown(self, wish: Wish) -> bool:
        said = self.of(_SHOWS)
        if said is not None:
            wish.shows.append(str(said))
            return True
        if self.word("plot", "plotted", "scatter plot", "draw", "plot them", "plot it", "scatter"):
            wish.plot = True
            return True
        if self.word("coloured by", "colored by", "colour by", "coloured", "colored"):
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
        if self.word("fold", "folds", "-fold", "fold cross validation"):
            wish.folds = int(value)
            if "cv" not in wish.shows:
                wish.shows.append("cv")
            return True
        if self.word("%", "percent"):
            wish.test = value / 100
            return True
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
            if self.peek(-1).text == "trees":
                return False
            wish.number = int(value)
            return True
        if self.word("/") and (other := self.kind("n")):
            wish.test = float(other.value) / 100
            return True
        return False

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
    reader = Reader(prompt, source)
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
        return _unsupervised(wish, source, numeric, free)
    return _supervised(wish, source, numeric, free)


class Names:
    """Names that are nobody's."""

    def __init__(self, taken: frozenset[str]) -> None:
        self.taken = taken

    def __call__(self, name: str) -> str:
        """The name, or one like it."""
        return name if name not in self.taken else f"{name}_2"


def _listed(names: list[str]) -> str:
    return f"[[{', '.join(map(quoted, names))}]]"


def _unsupervised(wish: Wish, source: Source, numeric: list[str], free: Names) -> str | None:
    features = wish.features or numeric
    if len(features) < 2 or not set(features) <= set(numeric) or wish.shows or wish.test or wish.folds:
        return None
    columns = {one.name: one for one in source.columns}
    X = free("X")  # noqa: N806  # as everybody calls it
    lines = ["from sklearn.preprocessing import StandardScaler", "", f"{X} = {source.name}{_listed(features)}.dropna()"]
    if wish.kind == "kmeans":
        lines[0] = "from sklearn.cluster import KMeans\n" + lines[0]
        kmeans, found = free("kmeans"), free("clusters")
        lines += [
            f"{kmeans} = KMeans(n_clusters={wish.number or 3}, n_init=10, random_state=0).fit(StandardScaler().fit_transform({X}))",
            f"{found} = {X}.assign(cluster={kmeans}.labels_)",
        ]
        if not wish.plot:
            return "\n".join([*lines, found])
        x, y = features[:2]
        lines[0] = "import matplotlib.pyplot as plt\n" + lines[0]
        return "\n".join(
            [
                *lines,
                "fig, ax = plt.subplots()",
                f'ax.scatter({found}[{quoted(x)}], {found}[{quoted(y)}], c={found}["cluster"], cmap="viridis")',
                f"ax.set_xlabel({quoted(x)})",
                f"ax.set_ylabel({quoted(y)})",
                "plt.show()",
            ]
        )
    number = wish.number or 2
    lines[0] = "from sklearn.decomposition import PCA\n" + lines[0]
    pca, parts = free("pca"), free("components")
    lines += [
        f"{pca} = PCA(n_components={number})",
        f"{parts} = {pca}.fit_transform(StandardScaler().fit_transform({X}))",
        f"print({pca}.explained_variance_ratio_)",
    ]
    if not (wish.plot or wish.colour):
        return "\n".join([*lines, parts])
    if wish.colour and columns[wish.colour].kind not in ("text", "bool"):
        return None
    lines[0] = "import matplotlib.pyplot as plt\n" + lines[0]
    lines.append("fig, ax = plt.subplots()")
    if wish.colour:
        lines += [
            f"groups = {source.name}.loc[{X}.index, {quoted(wish.colour)}]",
            "for name in groups.unique():",
            f"    ax.scatter({parts}[groups == name, 0], {parts}[groups == name, 1], label=name)",
            f"ax.legend(title={quoted(wish.colour)})",
        ]
    else:
        lines.append(f"ax.scatter({parts}[:, 0], {parts}[:, 1])")
    return "\n".join([*lines, 'ax.set_xlabel("component 1")', 'ax.set_ylabel("component 2")', "plt.show()"])


def _supervised(wish: Wish, source: Source, numeric: list[str], free: Names) -> str | None:
    columns = {one.name: one for one in source.columns}
    if not wish.target and len(wish.features) == 1 and columns[wish.features[0]].kind == "text":
        wish.target, wish.features = wish.features[0], []
    if wish.target not in columns or wish.plot or wish.colour or wish.number:
        return None
    amounts = columns[wish.target].dtype.startswith("float") or wish.kind == "linear"
    module, classes, regression = _CLASSES[wish.kind]
    made = regression if amounts else classes
    usual = [
        one
        for one in columns
        if one != wish.target and (one in numeric or (columns[one].kind == "text" and not columns[one].holds))
    ]
    features = wish.features or usual
    strange = any(columns[name].kind == "date" or columns[name].holds for name in features)
    if (
        not made
        or strange
        or (amounts and columns[wish.target].kind != "number")
        or not _can_be_shown(wish, amounts=amounts)
    ):
        return None
    texts = any(columns[name].kind == "text" for name in features)
    names = {one: free(one) for one in ("X", "y", "model", "known", "scores")}
    known = f"{names['known']}{_listed(features)}"
    lines = [
        f"{names['known']} = {source.name}{_listed([*features, wish.target])}.dropna()",
        f"{names['X']} = {f'pd.get_dummies({known})' if texts else known}",
        f"{names['y']} = {names['known']}[{quoted(wish.target)}]",
        *_fitted(wish, made, names, amounts=amounts),
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
    "mean_absolute_error": "from sklearn.metrics import mean_absolute_error",
}


def _can_be_shown(wish: Wish, *, amounts: bool) -> bool:
    """Whether a model of this kind has all that is to be shown."""
    never = {"confusion", "report"} if amounts else {"r2", "mae"}
    never |= set() if wish.kind in ("linear", "logistic") else {"coefficients"}
    never |= set() if wish.kind in ("forest", "tree", "boosting", "classifier") else {"importance"}
    return not never & set(wish.shows) and ("cv" not in wish.shows or len(wish.shows) == 1)


def _fitted(wish: Wish, made: str, names: dict[str, str], *, amounts: bool) -> list[str]:
    """The lines that fit the model and show what is asked of it."""
    X, y, model, scores = (names[one] for one in ("X", "y", "model", "scores"))  # noqa: N806  # as everybody calls it
    if "cv" in wish.shows:
        crossed = f"{scores} = cross_val_score({model}, {X}, {y}, cv={wish.folds or 5})"
        return [f"{model} = {made}", crossed, f'print("mean:", {scores}.mean().round(3))', scores]
    if wish.kind == "linear" and not wish.test and set(wish.shows) <= {"coefficients", "r2"}:
        lines, tested, against = [f"{model} = {made}.fit({X}, {y})"], X, y
    else:
        split = f"train_test_split({X}, {y}, test_size={wish.test or 0.25:g}, random_state=0)"
        lines = [f"X_train, X_test, y_train, y_test = {split}", f"{model} = {made}.fit(X_train, y_train)"]
        tested, against = "X_test", "y_test"
    predicted = f"{model}.predict({tested})"
    shown = {
        "score": [f'print("{"r2" if amounts else "accuracy"}:", round({model}.score({tested}, {against}), 3))'],
        "coefficients": [
            f'print("intercept:", {model}.intercept_)',
            f"print(dict(zip({X}.columns, {model}.coef_{'' if amounts else '[0]'})))",
        ],
        "confusion": [f"print({model}.classes_)", f"print(confusion_matrix({against}, {predicted}))"],
        "report": [f"print(classification_report({against}, {predicted}))"],
        "mae": [f"print(mean_absolute_error({against}, {predicted}))"],
    }
    last = {
        "importance": f"pd.Series({model}.feature_importances_, index={X}.columns).sort_values(ascending=False)",
        "predictions": predicted,
    }
    for one in dict.fromkeys(wish.shows or ["score"]):
        lines += shown.get("score" if one == "r2" else one, [])
    return [*lines, next((last[one] for one in wish.shows if one in last), model)]
