"""Models of scikit-learn that a sentence asks for: which, of what, from what, on which part, and what is to be shown of it. Pure.

Rules as in ``spans.py``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines.query.marked import CS, C, N
from spark_jupyter.server.engines.query.model import Change
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.making import Makers
    from spark_jupyter.server.engines.query.spans import Maker


class Model(Struct, frozen=True):
    """A class of scikit-learn: its module, its name for numbers and for classes, and how it is made."""

    module: str
    regressor: str
    classifier: str
    arguments: str = ""


_MODELS = {
    r"linear\s+regression|linear\s+model|regression\s+line": Model("linear_model", "LinearRegression", ""),
    r"logistic\s+regression": Model("linear_model", "", "LogisticRegression", "max_iter=1000"),
    r"ridge(?:\s+regression)?": Model("linear_model", "Ridge", "RidgeClassifier"),
    r"lasso(?:\s+regression)?": Model("linear_model", "Lasso", ""),
    r"decision\s+tree": Model("tree", "DecisionTreeRegressor", "DecisionTreeClassifier", "random_state=0"),
    r"random\s+forest": Model("ensemble", "RandomForestRegressor", "RandomForestClassifier", "random_state=0"),
    r"gradient\s+boosting|boosted\s+trees": Model(
        "ensemble", "GradientBoostingRegressor", "GradientBoostingClassifier", "random_state=0"
    ),
    r"k[- ]?nearest[- ]neighbou?rs?|knn|nearest\s+neighbou?rs?": Model(
        "neighbors", "KNeighborsRegressor", "KNeighborsClassifier"
    ),
    r"support\s+vector\s+machine|svm": Model("svm", "SVR", "SVC"),
    r"naive\s+bayes": Model("naive_bayes", "", "GaussianNB"),
}
_ANY = "|".join(_MODELS)
_LEAD = (
    r"(?:\b(?:please|train|fit|build|make|create|use|run|do|an?|the|simple|me|model|i|want|to|which|that|a"
    r"nd|with|using|by|regressor|classifier|try|cross[- ]?validat\w*|how|does|do|well|can|we)\s+)*"
)
_FROM = rf"(?:from|on|with|using|by|based\s+on|given|given\s+by|out\s+of|and\s+its)\s+(?:the\s+)?(?P<xs>{CS})"
_TARGET = (
    rf"(?:(?:of|for|that\s+predicts?|which\s+predicts?|to\s+predict|predicting|predicts?|explain(?:s|ing)?|"
    rf"to\s+classify|classifying|on)\s+)+(?:the\s+)?(?P<y>{C})"
)
_SHOW = (
    r"[\s,;]*(?:(?:and|then|also|please|on|the|its|a|an|of|it|me|what|is|to|in|for|with|test|training|trai"
    r"n|set|data|model|cells?)\s+)*"
)
_PARTS = (
    r"(?:show|print|give|report|plot|tell|calculate|compute|evaluate|score)?\s*(?:(?:the|its|me|a|an)\s+)*"
    r"(?:r\s?(?:\^?2|²|squared?)|r-?square[d]?|⟨n\d+⟩(?=\s*squared)|accuracy|coefficients?|coefs?|slopes?|"
    r"intercept|confusion\s+matrix|classification\s+report|report|feature\s+importances?|importances?"
    r"|rmse|mse|mae|mean\s+(?:absolute|squared)\s+error|score|scores|error)(?:\s+(?:score|values?))?(?:\s+"
    r"on\s+(?:the\s+)?(?:test|training|held[- ]out)(?:\s+(?:set|data|part))?)?"
)
_SPLIT = (
    rf"(?:with\s+)?(?:an?\s+)?(?:{N}\s*(?:%|percent)?\s*(?:/|to|:|-|train\w*\s*(?:,|and|/)?)\s*{N}\s*(?:%|p"
    rf"ercent)?\s*(?:test\w*)?|{N}\s*(?:%|percent)\s+(?:test|for\s+testing|held\s+out|as\s+test)|train[\s/-"
    rf"]*(?:and\s+)?test)\s*(?:data\s+)?(?:split|set)?"
)
_FOLDS = (
    rf"(?:with\s+)?{N}[\s-]*(?:fold|folds)(?:\s+cross[- ]?validation)?|cross[- ]?validat\w*(?:\s+with\s+{N}\s+folds)?"
)
_REST = rf"(?P<rest>(?:{_SHOW}(?:{_PARTS}|{_SPLIT}|{_FOLDS}))*)"


def _kind(said: str) -> Model | None:
    return next(
        (model for pattern, model in _MODELS.items() if re.search(rf"\b(?:{pattern})\b", said, re.IGNORECASE)), None
    )


def _fitted(found: re.Match[str], makers: Makers) -> Change | None:
    groups = found.re.groupindex
    said = found.string
    target = makers.marked.value(found["y"])
    features = (
        [name for name in makers.marked.names(found["xs"]) if name != target] if "xs" in groups and found["xs"] else []
    )
    numbers = [one.name for one in makers.columns.values() if one.kind == "number" and one.name != target]
    chosen = features or numbers
    model = _kind(said) or Model("linear_model", "LinearRegression", "LogisticRegression")
    column = makers.columns[target]
    told = re.search(r"classif|accuracy|confusion|logistic", said, re.IGNORECASE) is not None
    two = column.kind != "number" or column.flag or not model.regressor or (told and bool(model.classifier))
    name = model.classifier if two else model.regressor
    if not name or not chosen:
        return None
    return _code(makers, model, name, target, chosen, said, found["rest"], classes=two)


def _code(
    makers: Makers, model: Model, name: str, target: str, features: list[str], said: str, rest: str, *, classes: bool
) -> Change:
    used = ", ".join(map(quoted, [*features, target]))
    texts = [one for one in features if makers.columns[one].kind != "number"]
    listed = f"[{', '.join(map(quoted, features))}]"
    lines = [f"known = {{t}}[[{used}]].dropna()"]
    lines.append(f"X = pd.get_dummies(known[{listed}])" if texts else f"X = known[{listed}]")
    lines.append(f"y = known[{quoted(target)}]")
    made = f"{name}({model.arguments if not (name == 'Ridge' and model.arguments) else ''})"
    imports = [f"from sklearn.{model.module} import {name}"]
    wants = f"{said} {rest}".lower()
    numbers = [float(makers.marked.value(one)) for one in re.findall(N, _split_in(wants))]
    predicts = re.search(r"predict|train|test|split|accuracy|classif|forest|tree|rmse|mae", wants) is not None
    if re.search(r"cross[- ]?validat|folds?\b", wants):
        folds = re.search(rf"({N})[\s-]*fold|with\s+({N})\s+folds", wants)
        count = makers.marked.value(folds[1] or folds[2]) if folds else "5"
        imports.append("from sklearn.model_selection import cross_val_score")
        lines += [
            f"model = {made}",
            f"scores = cross_val_score(model, X, y, cv={count})",
            'print("mean score:", round(scores.mean(), 3))',
        ]
        return Change(lines=(*sorted(imports), "", *lines), shows="scores", asks=True, imports=("pd",) if texts else ())
    where = ("X", "y")
    if predicts:
        imports.append("from sklearn.model_selection import train_test_split")
        lines.append(
            f"X_train, X_test, y_train, y_test = train_test_split(X, y, test_size={_part(numbers)}, random_state=0)"
        )
        where = ("X_test", "y_test")
    lines.append(f"model = {made}.fit({'X_train, y_train' if predicts else 'X, y'})")
    shows, more = _shown(
        wants, where, classes=classes, tells=hasattr(model, "module") and model.module == "linear_model"
    )
    imports += more
    says = "Rows with a missing value are left out." + (
        f" It learns from all numbers: {', '.join(features)}." if "⟨" not in rest and not re.search(_FROM, said) else ""
    )
    return Change(
        lines=(*sorted(set(imports)), "", *lines, *shows),
        shows="model",
        asks=True,
        says=says,
        imports=("pd",) if texts else (),
    )


def _split_in(said: str) -> str:
    found = re.search(_SPLIT, said)
    return found[0] if found else ""


def _part(numbers: list[float]) -> str:
    """The part for the test: of "80/20" the smaller, of "30 % test" that."""
    shares = sorted(one / 100 if one >= 1 else one for one in numbers)
    return f"{shares[0]:g}" if shares and 0 < shares[0] < 1 else "0.25"


def _shown(wants: str, where: tuple[str, str], *, classes: bool, tells: bool) -> tuple[list[str], list[str]]:
    """The lines that print what is asked for, and their imports."""
    x, y = where
    lines: list[str] = []
    imports: list[str] = []
    metrics = {
        "rmse": "root_mean_squared_error",
        "mse|squared error": "mean_squared_error",
        "mae|absolute error": "mean_absolute_error",
    }
    for pattern, name in metrics.items():
        if re.search(rf"\b(?:{pattern})\b", wants) and not classes:
            imports.append(f"from sklearn.metrics import {name}")
            lines.append(f'print("{name}:", round({name}({y}, model.predict({x})), 3))')
    if "confusion" in wants and classes:
        imports.append("from sklearn.metrics import confusion_matrix")
        lines.append(f"print(confusion_matrix({y}, model.predict({x})))")
    if re.search(r"\breport\b", wants) and classes and "classification" in wants:
        imports.append("from sklearn.metrics import classification_report")
        lines.append(f"print(classification_report({y}, model.predict({x})))")
    if re.search(r"coef|slope", wants) and tells and not classes:
        lines.append("for name, slope in zip(X.columns, model.coef_):\n    print(name, slope)")
    elif "coef" in wants and tells:
        lines.append("for name, slope in zip(X.columns, model.coef_[0]):\n    print(name, slope)")
    if "intercept" in wants and tells:
        lines.append('print("intercept:", model.intercept_)')
    if "importance" in wants and not tells:
        lines.append(
            "for name, weight in zip(X.columns, model.feature_importances_):\n    print(name, round(weight, 3))"
        )
    if (
        not lines
        or re.search(r"\br\s?(?:\^?2|²|squared?)\b|accuracy|score", wants)
        or re.search(r"\br\s+⟨n\d+⟩", wants)
    ):
        word = "accuracy" if classes else "R²"
        lines.append(f'print("{word}:", round(model.score({x}, {y}), 3))')
    return lines, imports


def _clusters(found: re.Match[str], makers: Makers) -> Change | None:
    names = makers.marked.names(found["xs"])
    groups = found.re.groupindex
    number = found["n"] or (found["m"] if "m" in groups else None)
    count = makers.marked.value(number) if number else "3"
    listed = f"[{', '.join(map(quoted, names))}]"
    lines = (
        "from sklearn.cluster import KMeans", "from sklearn.preprocessing import StandardScaler", "",
        f"known = {{t}}[{listed}].dropna()",
        f"model = KMeans(n_clusters={count}, n_init=10, random_state=0).fit(StandardScaler().fit_transform(known))",
        '{t}.loc[known.index, "cluster"] = model.labels_',
    )  # fmt: skip
    return Change(
        lines=lines, columns=("cluster",), says="The columns are standardised first, so that each counts as much."
    )


def _parted(found: re.Match[str], makers: Makers) -> Change | None:
    numbers = [float(makers.marked.value(one)) for one in re.findall(N, found[0])]
    by = makers.marked.value(found["by"]) if "by" in found.re.groupindex and found["by"] else None
    stratified = f", stratify={{t}}[{quoted(by)}]" if by else ""
    lines = (
        "from sklearn.model_selection import train_test_split", "",
        f"train, test = train_test_split({{t}}, test_size={_part(numbers)}, random_state=0{stratified})",
    )  # fmt: skip
    return Change(lines=lines, shows="train.shape, test.shape", asks=True)


def _interval(found: re.Match[str], makers: Makers) -> Change | None:
    name = makers.marked.value(found["c"])
    level = float(makers.marked.value(found["n"])) / 100 if found["n"] else 0.95
    lines = (
        "from scipy import stats", "", f"values = {{t}}[{quoted(name)}].dropna()",
        f"low, high = stats.t.interval({level:g}, len(values) - 1, loc=values.mean(), scale=values.sem())",
    )  # fmt: skip
    return Change(
        lines=lines,
        shows="low, high",
        asks=True,
        says=f"The {level:.0%} interval, by Student's t." if found["n"] is None else "",
    )


def _depends(found: re.Match[str], makers: Makers) -> Change | None:
    x, y = (makers.marked.value(found[one]) for one in "xy")
    if makers.columns[x].kind != "number" or makers.columns[y].kind != "number":
        return None
    a, b = quoted(x), quoted(y)
    lines = (
        f"known = {{t}}[[{a}, {b}]].dropna().sort_values({a})", f"slope, intercept = np.polyfit(known[{a}], known[{b}], 1)",
        f"plt.scatter(known[{a}], known[{b}])", f'plt.plot(known[{a}], slope * known[{a}] + intercept, color="tab:red")',
        f"plt.xlabel({a})", f"plt.ylabel({b})", "plt.show()",
    )  # fmt: skip
    return Change(
        lines=lines, shows="slope, intercept", asks=True, imports=("np", "plt"), says="The line is of least squares."
    )


RULES: tuple[tuple[str, Maker], ...] = (
    (
        (rf"\bhow\s+(?:does|do|strongly\s+does)\s+(?:the\s+)?(?P<y>{C})\s+depends?\s+on\s+(?:the\s+)?(?P<x>{C})"
        r"(?:[\s,;?:]*(?:and|fit|draw|plot|show|make|a|an|the|it|line|straight|regression|trend|scatter|with|through)\b)*"),
        _depends,
    ),
    (rf"{_LEAD}\b(?:{_ANY})\s*(?:model\s+|regressor\s+|classifier\s+|regression\s+)?{_TARGET}\s+{_FROM}{_REST}", _fitted),
    ((rf"{_LEAD}\b(?:predict|explain|classify|model|fit|estimate|regress)\s+(?:the\s+)?(?P<y>{C})\s+{_FROM}\s"
            rf"*,?\s*(?:with|using|by|and|use)\s+(?:an?\s+)?(?:{_ANY})(?:\s+(?:model|regressor|classifier))?{_REST}"), _fitted),
    ((rf"{_LEAD}\b(?:predict|explain|classify|model|fit|estimate|regress)\s+(?:the\s+)?(?P<y>{C})\s+(?:with|u"
            rf"sing|by)\s+(?:an?\s+)?(?:{_ANY})(?:\s+(?:model|regressor|classifier))?\s+{_FROM}{_REST}"), _fitted),
    (rf"{_LEAD}\b(?:predict|fit|estimate|regress)\s+(?:the\s+)?(?P<y>{C})\s+{_FROM}{_REST}", _fitted),
    (
        (rf"{_LEAD}\b(?:predict|classify|estimate)\s+(?:the\s+)?(?P<y>{C})\s+(?:with|using|by)\s+(?:an?\s+)?(?:"
            rf"{_ANY})(?:\s+(?:model|regressor|classifier))?{_REST}"),
        _fitted,
    ),
    (rf"{_LEAD}\b(?:{_ANY})\s*(?:model\s+|regressor\s+|classifier\s+)?{_TARGET}{_REST}(?=\s*(?:;|$|[.?!]))", _fitted),
    ((rf"{_LEAD}\bk[- ]?means?(?:\s+clustering)?\s*(?:with\s+(?P<n>{N})\s+(?:clusters|groups))?\s*(?:on|of|fo"
            rf"r|by|using|with)\s+(?:the\s+)?(?P<xs>{CS})(?:\s*,?\s*(?:with|and|using|into)?\s*(?P<m>{N})\s+(?:clus"
            rf"ters|groups))?"), _clusters),
    ((rf"\bcluster\s+(?:the\s+)?(?:⟨t\d+⟩|rows|data)?\s*(?:by|on|using|with)\s+(?:the\s+)?(?P<xs>{CS})\s*(?:i"
            rf"n\s*to|in|,|with)\s+(?P<n>{N})\s+(?:clusters|groups)"), _clusters),
    (
        (rf"\b(?:split|divide)\s+(?:the\s+)?(?:⟨t\d+⟩|it|data|rows|table)?\s*(?:in\s*to|in)?\s*(?:an?\s+)?(?:{N}"
            rf"\s*(?:%|percent)?\s*(?:for\s+)?(?:train\w*|test\w*)(?:\s+(?:set|data))?(?:\s*(?:and|,|/)\s*(?:an?\s+"
            rf")?(?:{N}\s*(?:%|percent)?\s*)?(?:for\s+)?(?:train\w*|test\w*))?|(?:train\w*\s*(?:and|/|-)\s*test\w*)"
            rf")"
        rf"(?:\s+(?:set|sets|data|part|parts))?(?:[\s,]*(?:with\s+)?{N}\s*(?:%|percent)?\s*(?:/\s*{N}\s*(?:%|pe"
            rf"rcent)?|for\s+testing|test))?"),
        _parted,
    ),
    ((rf"\b(?:do\s+|make\s+)?(?:a\s+|an\s+)?(?:{N}\s*(?:%|percent)?\s*(?:/\s*{N}\s*(?:%|percent)?)?\s*)?train[\s/-]*(?:and\s+|/\s*)?test[\s-]+split"
            rf"(?:[\s,]*(?:and\s+|with\s+)*(?:stratif(?:ied|y)\s+(?:by|on)\s+(?:the\s+)?(?P<by>{C})|{N}\s*(?:%|percent)\s*(?:for\s+)?test(?:ing)?(?:\s+data)?))+"),
        _parted),
    ((rf"(?:\b(?:calculate|compute|the|a|show|give|me|what|is)\s+)*(?:(?P<n>{N})\s*(?:%|percent)?\s*)?confide"
            rf"nce\s+interval\s+(?:of|for)\s+(?:the\s+)?(?:mean|average)\s+(?:of\s+)?(?:the\s+)?(?P<c>{C})"), _interval),
)  # fmt: skip
