"""Models that a template says better than words in any order: what one predicts for new values, two kinds compared, the strongest pairs.

Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.cursor import NUMBERED
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

_MODELS = {
    "linear": "LinearRegression()", "ridge": "Ridge()", "lasso": "Lasso()", "forest": "RandomForestRegressor(random_state=0)",
    "tree": "DecisionTreeRegressor(random_state=0)", "knn": "KNeighborsRegressor()",
    "boosting": "GradientBoostingRegressor(random_state=0)",
}  # fmt: skip
_CLASSIFIERS = {
    "logistic": "LogisticRegression(max_iter=1000)", "forest": "RandomForestClassifier(random_state=0)",
    "tree": "DecisionTreeClassifier(random_state=0)", "knn": "KNeighborsClassifier()", "svm": "SVC()",
    "boosting": "GradientBoostingClassifier(random_state=0)",
}  # fmt: skip
_FROM = {
    "LinearRegression": "linear_model", "Ridge": "linear_model", "Lasso": "linear_model", "LogisticRegression": "linear_model",
    "RandomForestRegressor": "ensemble", "RandomForestClassifier": "ensemble", "DecisionTreeRegressor": "tree",
    "DecisionTreeClassifier": "tree", "KNeighborsRegressor": "neighbors", "KNeighborsClassifier": "neighbors", "SVC": "svm",
    "GradientBoostingRegressor": "ensemble", "GradientBoostingClassifier": "ensemble",
}  # fmt: skip
_SAID = (
    "linear regression|linear model|logistic regression|ridge|ridge regression|lasso|lasso regression|random forest|decision tree|knn"
    "|k nearest neighbours|k nearest neighbors|svm|gradient boosting|tree|forest"
)


def _key(word: str) -> str:
    words = word.lower()
    return next(one for one in ("linear", "logistic", "ridge", "lasso", "forest", "tree", "boosting", "svm", "knn") if one in
                words.replace("nearest", "knn"))  # fmt: skip


def _predictors(said: Said, target: str) -> list[str]:
    """The columns from which the target is predicted: those that are named, or all of numbers. Raises :class:`UnknownError` for others."""
    if said.has("x"):
        chosen = said.columns("x")
    else:
        chosen = [
            one for one in said.by_name.values() if one.kind in ("number", "bool") and not NUMBERED.search(one.name)
        ]
    names = [one.name for one in chosen if one.name != target]
    if not names or any(
        said.by_name[name].kind not in ("number", "bool") or said.by_name[name].holds for name in names
    ):
        raise UnknownError
    return names


def _compared(said: Said) -> str:
    target = said.column("y")
    kinds = [_key(said.found[one]) for one in ("one", "two", "three") if said.has(one)]
    amounts = target.dtype.startswith("float") or bool({"linear", "ridge", "lasso"} & set(kinds))
    known = _MODELS if amounts else _CLASSIFIERS
    if len(set(kinds)) < 2 or not set(kinds) <= set(known) or (amounts and target.kind != "number"):
        raise UnknownError
    features = _predictors(said, target.name)
    models = [known[one] for one in kinds]
    imports = sorted({f"from sklearn.{_FROM[one.partition('(')[0]]} import {one.partition('(')[0]}" for one in models})
    rows, listed = said.free("known"), ", ".join(map(quoted, [*features, target.name]))
    return "\n".join(
        [
            *imports,
            "from sklearn.model_selection import cross_val_score",
            "",
            f"{rows} = {said.table}[[{listed}]].dropna()",
            f"X, y = {rows}.drop(columns={quoted(target.name)}), {rows}[{quoted(target.name)}]",
            f"for model in ({', '.join(models)}):",
            "    scores = cross_val_score(model, X, y, cv=5)",
            f'    print(type(model).__name__, "{"r2" if amounts else "accuracy"}:", scores.mean().round(3))',
        ]
    )


def _predicted(said: Said) -> str:
    """What a model says of values that are told, each beside its column."""
    target = said.column("y")
    classes = target.kind in ("text", "bool") or target.flag
    if target.holds or not (classes or target.kind == "number"):
        raise UnknownError
    pairs = _told(said)
    names = [name for name, _ in pairs]
    if said.has("x") and {one.name for one in said.columns("x")} != set(names):
        raise UnknownError
    if (
        not names
        or len(set(names)) != len(names)
        or target.name in names
        or any(said.by_name[name].kind != "number" for name in names)
    ):
        raise UnknownError
    rows, listed = said.free("known"), ", ".join(map(quoted, [*names, target.name]))
    known = f"{said.table}[[{listed}]].dropna()"
    how = _key(said.found["how"]) if said.has("how") else "logistic" if classes else "linear"
    models = _CLASSIFIERS if classes else _MODELS
    if how not in models:
        raise UnknownError
    model = models[how]
    new = ", ".join(f"{quoted(name)}: [{value}]" for name, value in pairs)
    said.before.append(f"from sklearn.{_FROM[model.partition('(')[0]]} import {model.partition('(')[0]}\n")
    said.before += [
        f"{rows} = {known}",
        f"model = {model}.fit({rows}[[{', '.join(map(quoted, names))}]], {rows}[{quoted(target.name)}])",
    ]
    if not said.has("how"):
        said.says.append(f"I took a {'logistic' if classes else 'linear'} regression on the columns that you named.")
    return f"model.predict(pd.DataFrame({{{new}}}))"


_PAIR = re.compile(
    r"(?P<c>⟨c\d+⟩) (?:(?:of|is|=|:) )*(?P<n>⟨n\d+⟩) (?:m2 |years? |kg |cm |m |km |euros? |eur |% )?|"
    r"(?P<aged>⟨n\d+⟩) (?:- )?years? (?:- )?old |(?P<m>⟨n\d+⟩) (?P<w>⟨c\d+⟩|[^\W\d_⟨]\w*) "
)


def _told(said: Said) -> list[tuple[str, str]]:
    """Columns and their values, one after the other. Raises :class:`UnknownError` where there is something besides."""
    text = re.sub(r"^(?:(?:new|one|someone|somebody|who|person|customer|⟨t\d+⟩) )+", "", said.found["values"])
    pairs: list[tuple[str, str]] = []
    while text.strip():
        text = re.sub(r"^(?:(?:and|with|,|of|that|has|is|=|where|person|having|whose|⟨t\d+⟩) )+", "", text)
        found = _PAIR.match(text)
        if found is None:
            raise UnknownError
        name = said.marked.value(found["c"]) if found["c"] else "" if found["aged"] else _unit(said, found["w"])
        if found["aged"]:
            ages = [one for one in said.by_name if one.lower().rpartition("_")[2] == "age"]
            if len(ages) != 1:
                raise UnknownError
            name = ages[0]
        pairs.append((name, said.marked.value(found["n"] or found["m"] or found["aged"])))
        text = text[found.end() :]
    return pairs


def _unit(said: Said, word: str) -> str:
    """The column that a mark stands for, or that ends in a unit."""
    if word.startswith("⟨"):
        return said.marked.value(word)
    found = [
        name for name, one in said.by_name.items() if one.kind == "number" and name.lower().endswith(f"_{word.lower()}")
    ]
    if len(found) != 1:
        raise UnknownError
    return found[0]


def _strongest(said: Said) -> str:
    number = "1"
    said.before += [
        f"related = {said.table}.corr(numeric_only=True)",
        "pairs = related.where(np.triu(np.ones(related.shape, dtype=bool), k=1)).stack()",
    ]
    end = said.found["end"].strip().lower() if said.has("end") else ""
    if end.startswith(("weak", "least")):
        return "pairs.sort_values(key=abs).head(1)"
    return f"pairs.sort_values(key=abs, ascending=False).head({number})"


def _strongest_with(said: Said) -> str:
    of = said.numeric("x")
    if of.holds:
        raise UnknownError
    related = f"{said.table}.corr(numeric_only=True)[{quoted(of.name)}].drop({quoted(of.name)}).sort_values(key=abs, ascending=False)"
    return f"{related}.head(1)" if said.has("one") else related


_STRONG = "(strongest|highest|strongly|most strongly|most|best|weakest|least|most highly|highly)"
SHAPES = (
    Shape((
        (f"(compare) ({_SAID}:ONE) (and|with|to|vs) ({_SAID}:TWO) [and ({_SAID}:THREE)] [models] (on|for|of|to predict|predicting) "
         f"{{c:y}} [(from|using|on|with) {{cs:x}}] [(by|with|using) [5 - fold] [cross validation|cross-validation|r2|accuracy]]"),
        (f"(compare) ({_SAID}:ONE) ({_SAID}:TWO) and ({_SAID}:THREE) [models] (on|for|of|to predict|predicting) {{c:y}} "
         f"[(from|using|on|with) {{cs:x}}]"),
        f"(which|what) is better [for|to predict|at predicting|for predicting] {{c:y}} ({_SAID}:ONE) or ({_SAID}:TWO)",
    ), _compared),
    Shape((
        (f"(predict|estimate) {{c:y}} (of|for) [new] [{{t:t}}|{{w:w}}|rows|one] (with|of|having|that has|where|when) {{rest:values}} "
         f"[(with|using|by) ({_SAID}:HOW)]"),
        (f"what {{c:y}} [does|would|should] [({_SAID}:HOW)] [predict|predicted|be|have|expected] [be] [for] [{{t:t}}|{{w:w}}] [have] "
         f"(with|of|having|that has) {{rest:values}}"),
        (f"(predict|estimate|model) {{c:y}} (from|by|with|on|using) {{cs:x}} [(with|using|by) ({_SAID}:HOW)] [and] (what would it "
         f"be|what is it|what do you get|what does it say|predict|predict it|prediction|value) [for|at|if|when] {{rest:values}}"),
        f"(predict|estimate) {{c:y}} (when|if|where) {{rest:values}} [(with|using|by) ({_SAID}:HOW)]",
        f"(predict|estimate) {{c:y}} (for|of) {{rest:values}} [(with|using|by) ({_SAID}:HOW)]",
        f"(what|which) {{c:y}} (would|does|will|is) {{rest:values}} (have|get|be|predicted) [(with|using|by) ({_SAID}:HOW)]",
    ), _predicted),
    Shape((
        ("[which|find] [two] (columns|variables|features|pair of columns|pairs of columns|pair|numeric columns|numbers) "
         f"[are|is|has|have|with] [correlated] ({_STRONG[1:-1]}:END) [correlated|correlation|strongly|related|correlate] [(with|to) "
         "each other]"),
        (f"({_STRONG[1:-1]}:END) (correlation|correlated pair|correlated columns|correlated pair of columns|correlation between two "
         "columns|correlated variables|pair of correlated columns)"),
        "[which|what] [two] (columns|variables) correlate (most|best|strongest|most strongly|least|weakest:END)",
    ), _strongest),
    Shape((
        (f"[which|what] (column:ONE) [is|has] [{_STRONG}] (correlated|correlates|correlation|related) [{_STRONG}|strongest] (with|to) "
         f"{{c:x}} [{_STRONG}]"),
        (f"[which|what] (columns|variables|features) [is|are|has] [{_STRONG}] (correlated|correlate|related) [{_STRONG}] (with|to) "
         f"{{c:x}} [{_STRONG}]"),
        ("(correlations|correlation) [of|between] [all|per|other|every] [other] [numeric] "
         "(columns|features|variables|column|feature|variable) (with|to|and) {c:x} [sorted|strongest first|ordered]"),
        ("(correlations|correlation) (of|between|for) {c:x} (with|and|to) [all|every|per] [other|the other] [numeric] "
         "(columns|features|variables|column)"),
        "(correlations|correlation) of (everything|all) with {c:x} [sorted]",
        "what correlates [most|best|strongest] with {c:x} [most|best]",
    ), _strongest_with),
)  # fmt: skip
"""What is asked of models and of how columns go together."""
