"""Data made ready for a model: columns scaled or coded, X and y; a baseline, the best setting, classes compared. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.cursor import NUMBERED
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column


def _numeric(said: Said) -> str:
    """The columns that are named, as source, else all of numbers but for the excepted. Raises :class:`UnknownError` where one has none."""
    if said.has("t") and said.word("t") != said.table:
        raise UnknownError
    left_out = [one.name for one in said.columns("not")] if said.has("not") else []
    listed = said.columns("x") if said.has("x") else list(said.by_name.values())
    found = [one for one in listed if one.kind == "number" and not one.holds and one.name not in left_out]
    if not said.has("x"):
        found = [one for one in found if not NUMBERED.search(one.name)]
    if not found or (said.has("x") and len(found) != len(listed)):
        raise UnknownError
    all_numbers = sum(one.kind == "number" for one in said.by_name.values()) - len(left_out) == len(found)
    if said.has("not") and (all_numbers or not set(left_out) & {one.name for one in listed if one.kind == "number"}):
        return f'{said.table}.drop(columns=[{", ".join(map(quoted, left_out))}]).select_dtypes("number").columns'
    return f"[{', '.join(quoted(one.name) for one in found)}]"


def _scaled(said: Said) -> str:
    """Columns scaled by a class of scikit-learn."""
    word = said.found["how"].lower()
    name = "MinMaxScaler" if "min" in word else "RobustScaler" if "robust" in word else "StandardScaler"
    columns = _numeric(said)
    copy, listed = said.free("scaled"), said.free("columns")
    said.before += [
        f"from sklearn.preprocessing import {name}\n",
        f"{listed} = {columns}",
        f"{copy} = {said.table}.copy()",
        f"{copy}[{listed}] = {name}().fit_transform({said.table}[{listed}])",
    ]
    return copy


def _coded(said: Said) -> str:
    column = _classes(said)
    new = f"{column.name}_code"
    if new in said.by_name:
        raise UnknownError
    name = f"{said.table}[{quoted(column.name)}]"
    said.says.append("Each of the different texts gets a number, in alphabetical order; a missing one gets -1.")
    said.before.append(f'{said.table}[{quoted(new)}] = {name}.astype("category").cat.codes')
    return f"{said.table}[[{quoted(column.name)}, {quoted(new)}]]"


def _classes(said: Said) -> Column:
    found = said.column("y")
    if found.kind == "date" or found.dtype.startswith("float"):
        raise UnknownError
    return found


def _apart(said: Said) -> str:
    """X and y, and their parts for training and testing where those are asked for."""
    target = said.column("y")
    if said.has("z") and said.column("z") != target:
        raise UnknownError
    lines = [f"X = {said.table}.drop(columns={quoted(target.name)})", f"y = {said.table}[{quoted(target.name)}]"]
    if not said.has("test"):
        return "\n".join([*lines, "X.shape, y.shape"])
    share = float(said.number("n") or 25) / (100 if float(said.number("n") or 25) > 1 else 1)
    if not 0 < share < 1:
        raise UnknownError
    said.before.append("from sklearn.model_selection import train_test_split\n")
    lines.append(f"X_train, X_test, y_train, y_test = train_test_split(X, y, test_size={share:g}, random_state=0)")
    return "\n".join([*lines, "X_train.shape, X_test.shape"])


def _baseline(said: Said) -> str:
    column = _classes(said)
    said.says.append("So often is right who always says the most frequent class.")
    return f"{said.table}[{quoted(column.name)}].value_counts(normalize=True).max()"


_SETTINGS = {
    "k": ("n_neighbors", "range(1, 21)"), "depth": ("max_depth", "range(1, 11)"), "trees": ("n_estimators", "(10, 50, 100, 200)"),
}  # fmt: skip
_CLASSES = {
    "n_neighbors": ("neighbors", "KNeighbors", ""), "max_depth": ("tree", "DecisionTree", ", random_state=0"),
    "n_estimators": ("ensemble", "RandomForest", ", random_state=0"),
}  # fmt: skip


def _best_setting(said: Said) -> str:
    """The value of a setting with which a model does best, by cross validation."""
    words = said.found["what"].lower()
    kind = next((one for one in ("depth", "trees") if one in words), "trees" if "estimators" in words else "k")
    setting, values = _SETTINGS[kind]
    module, name, more = _CLASSES[setting]
    model = said.found["model"].lower()
    if kind == "depth" and "forest" in model:
        module, name = "ensemble", "RandomForest"
    if (kind == "k") != ("neighb" in model or "knn" in model) or (kind == "trees") > ("forest" in model):
        raise UnknownError
    target = said.column("y")
    amounts = target.dtype.startswith("float")
    made = f"{name}{'Regressor' if amounts else 'Classifier'}"
    features = [
        one.name
        for one in said.by_name.values()
        if one.kind in ("number", "bool") and one != target and not one.holds and not NUMBERED.search(one.name)
    ]
    if not features:
        raise UnknownError
    rows = said.free("known")
    said.before += [
        f"from sklearn.{module} import {made}",
        "from sklearn.model_selection import cross_val_score\n",
        f"{rows} = {said.table}[[{', '.join(map(quoted, [*features, target.name]))}]].dropna()",
        f"X, y = {rows}.drop(columns={quoted(target.name)}), {rows}[{quoted(target.name)}]",
        f"scores = pd.Series({{n: cross_val_score({made}({setting}=n{more}), X, y, cv=5).mean() for n in {values}}})",
        f'print("best {setting}:", scores.idxmax(), "{"r2" if amounts else "accuracy"}:", scores.max().round(3))',
    ]
    return "scores"


def _compared(said: Said) -> str:
    """The mean of every column of numbers in each class."""
    column = _classes(said)
    how = {"median": "median"}.get(said.found["how"].strip().lower(), "mean")
    return f"{said.table}.groupby({quoted(column.name)}).{how}(numeric_only=True)"


def _arrays(said: Said) -> tuple[str, str]:
    """X and y that are there as arrays or tables. Raises :class:`UnknownError` where they are not."""
    both = [said.variable(one) for one in ("x", "y")]
    known = all(one.type in ("ndarray", "DataFrame", "Series", "list") and not one.polars for one in both)
    if not known or both[0].name == both[1].name:
        raise UnknownError
    return both[0].name, both[1].name


def _arrays_split(said: Said) -> str:
    x, y = _arrays(said)
    share = float(said.number("n") or 25)
    share = share / 100 if share > 1 else share
    said.before += [
        "from sklearn.model_selection import train_test_split\n",
        f"X_train, X_test, y_train, y_test = train_test_split({x}, {y}, test_size={share:g}, random_state=0)",
    ]
    return "len(X_train), len(X_test)"


_FIT = {
    "logistic regression": ("linear_model", "LogisticRegression(max_iter=1000)"),
    "linear regression": ("linear_model", "LinearRegression()"),
    "random forest": ("ensemble", "RandomForestClassifier(random_state=0)"),
    "decision tree": ("tree", "DecisionTreeClassifier(random_state=0)"),
    "knn": ("neighbors", "KNeighborsClassifier()"), "svm": ("svm", "SVC()"), "naive bayes": ("naive_bayes", "GaussianNB()"),
}  # fmt: skip


def _arrays_fitted(said: Said) -> str:
    x, y = _arrays(said)
    kind = said.found["kind"].strip().lower()
    module, made = _FIT[kind]
    if "accuracy" in said.found[0].lower() and kind == "linear regression":
        raise UnknownError
    model = said.free("model")
    said.before += [
        f"from sklearn.{module} import {made.partition('(')[0]}",
        "from sklearn.model_selection import train_test_split\n",
        f"X_train, X_test, y_train, y_test = train_test_split({x}, {y}, test_size=0.25, random_state=0)",
        f"{model} = {made}.fit(X_train, y_train)",
    ]
    return f"{model}.score(X_test, y_test)"


_SCALE = "(scale|standardise|standardize|normalise|normalize|rescale|transform)"
_ALL = (
    "(all|the|every|each) [numeric|numerical|number|feature] (columns|features|numbers|variables|column|feature|data)"
)
_NUMBERS = "[numeric|numerical|number] (columns|features|numbers|variables)"
_BUT = "[(except|but|but not|except for|without|apart from|excluding|other than|besides) [column|for|target] {cs:not}]"
_SCALER = (
    "(with|using|by|via|use) [sklearn|scikit-learn] [sklearn's] (StandardScaler|standard scaler|MinMaxScaler|min max scaler|min-max scaler|"
    "minmax scaler|RobustScaler|robust scaler|min - max scaler:HOW) [from sklearn|of sklearn|from scikit-learn]"
)
_MODEL = (
    "(knn|k nearest neighbours|k nearest neighbors|k-nearest neighbors|k-nearest neighbours|nearest neighbors|nearest neighbours|decision "
    "tree|tree|random forest|knn classifier|decision tree classifier|random forest classifier:MODEL)"
)
_SETTING = (
    "(k|number of neighbors|number of neighbours|n_neighbors|max depth|max_depth|depth|maximum depth|number of trees|n_estimators"
    "|tree depth|value of k|value for k:WHAT)"
)
_FOR = "(for|on|to predict|predicting|of|that predicts|for predicting)"
_SEARCH = (
    "[find|search|search for|grid search|grid search for|tune|tune for|determine|choose|try to find|do grid search for]"
)

SHAPES = (
    Shape((
        f"{_SCALE} [all|every|each] {_NUMBERS} [(of|in) {{t:t}}] {_BUT} {_SCALER}",
        f"{_SCALE} {{t:t}} {_BUT} {_SCALER}",
        f"{_SCALE} {{cs:x}} [columns|features] {_SCALER}",
        ("(apply|use|run) [sklearn] (StandardScaler|standard scaler|MinMaxScaler|min max scaler|min-max scaler|RobustScaler|robust "
         f"scaler:HOW) (on|to|for) [all|every] ({_NUMBERS}|{{cs:x}}|{{t:t}}) {_BUT}"),
        (f"(standardise|standardize:HOW) [all|every|each] {_NUMBERS} [(of|in) {{t:t}}] (except|but|but not|except for|without|apart "
         f"from|excluding) {{cs:not}}"),
    ), _scaled),
    Shape((
        ("(label encode|label-encode|encode|label encoding for|label encoding of|integer encode|ordinal encode) {c:y} [column] "
         "[(as|to|into|with) (numbers|integers|ints|numeric|numeric codes|codes|number|labelencoder|label encoder|label encoding)]"),
        ("(convert|turn|transform|make|change) {c:y} [column] [categories|labels|classes] (to|into|as) (numeric codes|codes|category "
         "codes|integer codes|numeric labels|number codes|integer labels|numerical codes|numerical labels)"),
        "encode (labels|classes|categories) (of|in) {c:y} [as (numbers|integers)]",
    ), _coded),
    Shape((
        ("(split|separate|divide) [{t:t}|data|it] (into|in) [features] X and [target] y [with|where|using|for] [target|y] "
         "[is|=|being] {c:y} [(as|is|being) (target|y|label)]"),
        ("(split|separate|divide) [{t:t}|data|it] (into|in) features [X] and (target|label|labels) [y] [with|where|using] [target|y] "
         "{c:y} [(as|is|being) (target|y|label)]"),
        "(split|separate|divide) [{t:t}|data] (into|in) features [X] and (target|label) [y] (target|label|y) (is|=|being) {c:y}",
        "(split off|separate|split) {c:y} [as target|as y|from features|from rest|as label]",
        ("(create|define|make|set|get|prepare) X and y [with|where|for|using|from {t:t}] [target|y] [is|=] {c:y} [(as|is|being) "
         "(target|y|label)]"),
        ("X [should be|is|=|are] [all|every] [other|features|columns|everything|other columns|the rest|rest] [columns|features] "
         "[(except|but|without|besides) {c:z}] and y [is|should be|=] {c:y}"),
        "y [is|should be|=] {c:y} [and] X [should be|is|=|are] [all|every|everything] [other|the rest|rest|else] [columns|features]",
        ("(split|separate) [{t:t}|data] (into|in) X_train X_test y_train [and] (y_test:TEST) (with|for|target|using) [target] {c:y} "
         "[as target|as y]"),
    ), _apart),
    Shape((
        "(baseline|majority class|majority) [accuracy] (for|of|on|when predicting|predicting) {c:y}",
        ("[what is|accuracy|what accuracy do I get] [accuracy] (if|when) (I|we|you|model) (always|just|only) "
         "(predict|guess|say|predicts|guesses) [always] (most common|most frequent|majority|largest|biggest) [class [of]] {c:y} "
         "[class]"),
        "accuracy of (always|just) (predicting|guessing) (most common|most frequent|majority) [class [of]] {c:y} [class]",
    ), _baseline),
    Shape((
        (f"{_SEARCH} [what is|which is|which] [best|optimal|ideal|good] {_SETTING} (for|of|in|with) {_MODEL} [model|classifier] {_FOR} "
         f"{{c:y}}"),
        (f"(which|what) {_SETTING} (is|works|gives) [best|better|best accuracy|highest accuracy|best score|best results] "
         f"(for|of|in|with) {_MODEL} [model|classifier] {_FOR} {{c:y}}"),
        f"{_SEARCH} [best|optimal] {_SETTING} {_FOR} {{c:y}} (with|using|in|of) {_MODEL} [model|classifier]",
        f"(tune|optimise|optimize) {_SETTING} of {_MODEL} {_FOR} {{c:y}}",
    ), _best_setting),
    Shape((
        ("[compare|show|give|get|what is|what are] [(mean|means|average|averages|median|medians:HOW)] [of] (all|each|every|per) "
         "[numeric] [other] (feature|features|column|columns|numeric columns|variable|variables|numbers) (by|per|for "
         "each|between|across|for|of each|grouped by) [different|all] {c:y} [classes|groups|values|class]"),
        ("(mean|means|average|averages|median|medians:HOW) [of] (all|each|every|per) [numeric] [other] "
         "(feature|features|column|columns|numeric columns|variable|variables|numbers) (by|per|for each|between|across|for|of "
         "each|grouped by|in each) {c:y} [classes|groups|values|class]"),
    ), _compared),
    Shape((
        ("(split|divide) {t:x} and {t:y} (into|in) (train and test|training and test|training and testing|train and "
         "testing|train/test|train test) [set|sets|data|parts] [with {n:n} [%|percent] [for] [test|testing] [data|set|size]]"),
        "train test split (of|for|on) {t:x} and {t:y} [with {n:n} [%|percent] [test]]",
        "(split|divide) {t:x} and {t:y} with train_test_split",
    ), _arrays_split, "things"),
    Shape((
        (f"(train|fit|build|make|use|run) [simple] ({'|'.join(_FIT)}:KIND) [model|classifier] (on|with|to|for|using|from) {{t:x}} and "
         f"{{t:y}} [and (print|show|give|report|get|tell me|evaluate) [test|its] (accuracy|score|test accuracy|r2) [on test set|on "
         "test data]]"),
    ), _arrays_fitted, "things"),
)  # fmt: skip
"""What is asked before, and around, a model."""
