"""Parameters of scikit-learn estimators by name.

``set_params(model__C=1)`` and the keys of a grid, through the steps of a pipeline. The parameters are the
signature's, as ``get_params`` itself reads them (scikit-learn's developer guide, "get_params and set_params").

What an estimator takes is its signature, as ``get_params`` itself reads it (scikit-learn's developer guide, "get_params and set_params").
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality import findings, signatures
from spark_jupyter.reality.abstract_values import NO_CONSTANT, UNKNOWN, Bound, Invocation, Live, Of, Value, constant
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.static_lookup import (
    METHOD_KINDS,
    MISSING,
    class_module,
    class_name,
    in_class,
    is_class,
    root,
)
from spark_jupyter.reality.syntax_trees import placed

_STEPPED = {
    "Pipeline": "steps",
    "FeatureUnion": "transformer_list",
    "ColumnTransformer": "transformers",
    "VotingClassifier": "estimators",
    "VotingRegressor": "estimators",
    "StackingClassifier": "estimators",
    "StackingRegressor": "estimators",
}
_MAKERS = frozenset({"make_pipeline", "make_union"})
_GRIDS = ("param_grid", "param_distributions")


def made(run: Run, thing: object, name: str, call: Invocation, value: Value) -> Value:
    """A pipeline with its steps; any other value as it is. What its grid names is checked."""
    check(run, thing, name, call, None)
    if name == "train_test_split" and not call.stars:
        return _split(call)
    if not isinstance(value, Of) or call.stars:
        return value
    searched = call.argument("estimator", 0) if is_class(thing) and name.endswith("SearchCV") else None
    if searched is not None:
        return Of(value.kind, exact=True, element=searched[1])
    if name in _MAKERS:
        kinds = [class_name(step.kind).lower() if isinstance(step, Of) else "" for _, step in call.positional]
        if all(kinds) and len(set(kinds)) == len(kinds):
            return Of(value.kind, exact=True, items=tuple(step for _, step in call.positional), keys=tuple(kinds))
        return value
    if not is_class(thing) or name not in _STEPPED:
        return value
    given = call.argument(_STEPPED[name], 0)
    steps = given[1].items if given is not None and isinstance(given[1], Of) else None
    pairs = [
        step.items for step in steps or () if isinstance(step, Of) and step.items is not None and len(step.items) > 1
    ]
    names = tuple(constant(pair[0]) for pair in pairs)
    if not pairs or len(pairs) < len(steps or ()) or NO_CONSTANT in names:
        return value
    return Of(value.kind, exact=True, items=tuple(pair[1] for pair in pairs), keys=names)


def _split(call: Invocation) -> Value:
    """``train_test_split(X, y)``: of each a part to learn from and one to test with."""
    parts = [_part_of(value) for _, value in call.positional for _ in range(2)]
    return Of(list, exact=True, items=tuple(parts))


def _part_of(value: Value) -> Value:
    one = value if isinstance(value, Of) and class_module(value.kind).startswith("pandas") else None
    return Of(one.kind, table=one.table.copy() if one.table is not None else None) if one is not None else UNKNOWN


def part(owner: Of, name: str) -> Value | None:
    """An attribute of a pipeline that is its steps, or of a data set; None where it has none of that name."""
    if class_name(owner.kind) == "Pipeline":
        kind = loaded_class("sklearn.utils", "Bunch") or dict
        return Of(kind, exact=True, items=owner.items, keys=owner.keys) if name == "named_steps" else None
    keys, items = owner.keys or (), owner.items or ()
    if name in keys:
        return items[keys.index(name)]
    method = in_class(dict, name)
    if type(method) in METHOD_KINDS:
        return Bound(method, owner, name)
    return UNKNOWN if method is not MISSING or name.startswith("_") else None


def check(run: Run, thing: object, name: str, call: Invocation, receiver: Value | None) -> None:
    """Report parameters that an estimator, or a step of it, does not have."""
    if name == "set_params" and receiver is not None:
        for keyword, place in call.places.items():
            run.options.add(keyword.rpartition("__")[2])
            _check_one(run, receiver, keyword, place)
        return
    estimator = call.argument("estimator", 0)
    if not is_class(thing) or not name.endswith("SearchCV") or estimator is None:
        return
    grid = call.argument(_GRIDS[0], 1) or call.argument(_GRIDS[1], 1)
    for key, place in _keys(*grid) if grid is not None else ():
        _check_one(run, estimator[1], key, place)


def _keys(node: ast.expr, value: Value) -> Iterator[tuple[str, ast.AST]]:
    """The keys of a grid, or of each in a list of grids."""
    if not isinstance(value, Of) or value.items is None:
        return
    if value.kind is list:
        for part, item in placed(node, value.items):
            yield from _keys(part, item)
    elif value.kind is dict:
        yield from ((key, place) for place, key in placed(node, value.keys or ()) if type(key) is str)


def _check_one(run: Run, estimator: Value, path: str, place: ast.AST) -> None:
    for part in path.split("__"):
        names = _parameters(estimator)
        if names is None:
            return
        if part not in names:
            kind = (
                class_name(estimator.kind)
                if isinstance(estimator, Of)
                else class_name(type(getattr(estimator, "thing", None)))
            )
            close = findings.nearest(part, names)
            message = f"`{kind}` has no parameter `{part}` (in `{path}`)."
            remedy = findings.did_you_mean(close)
            run.say(Rule.UNKNOWN_KEYWORD, message, place, remedy=remedy, wrong=part, meant=close)
            return
        nested = _steps(estimator).get(part)
        if nested is None:
            return
        estimator = nested


def _parameters(estimator: Value) -> list[str] | None:
    """Parameters of an estimator; None where they can't be known."""
    kind = (
        estimator.kind if isinstance(estimator, Of) else type(estimator.thing) if isinstance(estimator, Live) else None
    )
    if kind is None or root(class_module(kind)) != "sklearn":
        return None
    found = signatures.signature(kind)
    steps = _steps(estimator)
    if found is None or any(p.kind is p.VAR_KEYWORD for p in found.parameters.values()):
        return None
    if class_name(kind) in _STEPPED and not steps:
        return None
    return [*found.parameters, *steps]


def _steps(estimator: Value) -> dict[str, Value]:
    """The steps of a pipeline, of one in the kernel, too."""
    if isinstance(estimator, Of) and estimator.items is not None and estimator.keys is not None:
        return {name: step for name, step in zip(estimator.keys, estimator.items, strict=True) if type(name) is str}
    if not isinstance(estimator, Live) or class_name(type(estimator.thing)) not in _STEPPED:
        return {}
    listed = object.__getattribute__(estimator.thing, "__dict__").get(_STEPPED[class_name(type(estimator.thing))])
    pairs = [pair for pair in listed if type(pair) is tuple and len(pair) > 1] if type(listed) is list else []
    return {pair[0]: Live(pair[1]) for pair in pairs if type(pair[0]) is str}
