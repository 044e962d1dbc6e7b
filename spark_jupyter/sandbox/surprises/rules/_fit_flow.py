"""Data flow of transformers that were fitted on all rows before a split.

Followed statement by statement, from the source and the classes of the objects in the namespace. A name is *derived* where its values come
from such a transformer, and a *part* where a split made it. No object is called.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final, NamedTuple

from spark_jupyter.sandbox.surprises.table_flow import Called, Step

_SPLITS: Final = frozenset(
    "train_test_split cross_val_score cross_validate cross_val_predict learning_curve validation_curve "
    "permutation_test_score".split()
)
BEGINNINGS: Final = _SPLITS | {"split", "transform", "fit"}
"""Names of calls one of which is there where a split comes too late."""
_MODULES: Final = tuple(
    "sklearn.preprocessing sklearn.impute sklearn.feature_selection sklearn.decomposition "
    "sklearn.feature_extraction.text category_encoders imblearn.over_sampling imblearn.combine".split()
)
_HARMLESS: Final = frozenset(
    "LabelEncoder LabelBinarizer MultiLabelBinarizer Normalizer Binarizer FunctionTransformer PolynomialFeatures "
    "OneHotEncoder OrdinalEncoder CountVectorizer HashingVectorizer MissingIndicator".split()
)
"""They learn nothing from the rows, or no more than which categories there are."""
_SCALING_FUNCTIONS: Final = frozenset(
    "scale minmax_scale maxabs_scale robust_scale quantile_transform power_transform".split()
)
_FITTING: Final = {"fit", "fit_transform", "fit_resample"}
_GIVING: Final = {"fit_transform", "fit_resample"}
_TRAINING: Final = re.compile(r"(?:^|_)(?:train|trn|tr|test|valid|val)(?:ing)?(?:_|$)|train|test", re.I)
_PREDICTING: Final = re.compile(r"predict|score|labels_|decision_function")


class _Derived(NamedTuple):
    """By which transformer's class, and in which columns (None: all)."""

    kind: str
    columns: frozenset[str] | None = None


class _Split(NamedTuple):
    """Function that made a part of a split, and of which names."""

    by: str
    of: frozenset[str]


class FitFlow:
    """Knowledge about the names, statement by statement."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._namespace = namespace
        self._derived: dict[str, _Derived] = {}
        self._fitted: dict[str, frozenset[str]] = {}  # on which names a transformer was fitted, where these are no part
        self._parts: dict[str, _Split] = {}
        self._origins: dict[str, frozenset[str]] = {}

    def follow(self, step: Step) -> tuple[str, str] | None:
        """Go on with a step. Returns the transformer and the split where the split comes too late."""
        found = next((one for call in step.calls if (one := self._late(call))), None)
        split = next((call for call in step.calls if self._is_split(call)), None)
        for call in step.calls:
            self._fit(call, step.target)
        if step.target:
            self._bind(step, split)
        return found

    def _late(self, call: Called) -> tuple[str, str] | None:
        if self._is_split(call):
            derived = next((one for node in _data(call) if (one := self._of(node))), None)
            return (derived.kind, call.tail) if derived else None
        kind = self._kind(call) if call.tail == "transform" and call.receiver in self._fitted else ""
        for node in call.node.args if kind else ():
            for name in _names(node) & self._parts.keys():
                part = self._parts[name]
                if part.of & self._fitted[call.receiver]:
                    return kind, part.by
        return None

    def _fit(self, call: Called, target: str) -> None:
        if call.tail not in _FITTING or not self._kind(call):
            return
        name = call.receiver or (target if call.tail == "fit" else "")
        on = frozenset(name for node in call.node.args[:1] for name in _names(node))
        self._fitted.pop(name, None)
        if name and not self._is_part(on):
            self._fitted[name] = on

    def _bind(self, step: Step, split: Called | None) -> None:
        target, whole = step.target, step.column is None
        names = step.names | frozenset(one for name in step.names for one in self._origins.get(name, ()))
        derived = None if split is not None else self._of(step.value)
        if whole:
            self._derived.pop(target, None)
            self._parts.pop(target, None)
            self._origins[target] = names - {target}
        if split is not None:
            of = frozenset(name for node in _data(split) for name in _names(node))
            self._parts[target] = _Split(split.tail, of.union(*(self._origins.get(name, ()) for name in of)))
        elif derived is not None and hasattr(self._namespace.get(target), "shape"):
            self._derived[target] = self._joined(target, derived, step)

    def _joined(self, target: str, derived: _Derived, step: Step) -> _Derived:
        """Derivation of a table after an assignment to it or to one of its columns."""
        if step.column is None:
            return derived
        written = frozenset({step.column}) if step.column else self._selected(step.key)
        before = self._derived.get(target)
        if written is None or (before and before.columns is None):
            return _Derived(derived.kind)
        return _Derived(derived.kind, written | (before.columns or frozenset() if before else frozenset()))

    def _of(self, node: ast.AST) -> _Derived | None:
        """Transformer and tables from which an expression is derived."""
        match node:
            case ast.Name(id=name):
                return self._derived.get(name)
            case ast.Subscript(value=ast.Attribute(attr="c_" | "r_"), slice=parts):
                return self._of(parts)
            case ast.Subscript(value=value, slice=key):
                found = self._of(value)
                chosen = self._selected(key)
                if found is None or found.columns is None or chosen is None:
                    return found
                return _Derived(found.kind, chosen & found.columns) if chosen & found.columns else None
            case ast.Attribute(value=value, attr=attr):
                found = self._of(value)
                if _PREDICTING.search(attr) or (found and self._is_other_column(value, attr, found)):
                    return None
                return found
            case ast.Call(func=ast.Attribute(attr=attr)) if _PREDICTING.search(attr):
                return None
            case ast.Call(func=func):
                return self._of_call(node, func)
        return next((one for child in ast.iter_child_nodes(node) if (one := self._of(child))), None)

    def _of_call(self, node: ast.Call, func: ast.expr) -> _Derived | None:
        receiver = func.value.id if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) else ""
        tail = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        call = Called(tail, receiver, node)
        kind = self._kind(call)
        if kind:
            on = frozenset(name for one in node.args[:1] for name in _names(one))
            gives = tail in _GIVING or tail in _SCALING_FUNCTIONS or (tail == "transform" and receiver in self._fitted)
            return _Derived(kind) if gives and not self._is_part(on) else None
        inside = [func, *node.args, *(one.value for one in node.keywords)]
        found = next((one for child in inside if (one := self._of(child))), None)
        if tail == "drop" and found and found.columns is not None:
            gone = self._selected(call.argument(0, "columns")) or frozenset()
            return _Derived(found.kind, found.columns - gone) if found.columns - gone else None
        return found

    def _selected(self, key: ast.expr | None) -> frozenset[str] | None:
        """The columns that a subscript names; None where it does not say."""
        match key:
            case ast.Constant(value=str(name)):
                return frozenset({name})
            case ast.List(elts=elements):
                parts = [self._selected(one) for one in elements]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                parts = [self._selected(left), self._selected(right)]
            case ast.Tuple(elts=[_, columns]):
                return self._selected(columns)
            case ast.Name(id=name) if isinstance(value := self._namespace.get(name), (list, str)):
                return frozenset([value] if isinstance(value, str) else filter(lambda one: type(one) is str, value))
            case _:
                return None
        return None if None in parts else frozenset().union(*(one for one in parts if one is not None))

    def _is_other_column(self, value: ast.expr, attr: str, found: _Derived) -> bool:
        table = self._namespace.get(value.id) if isinstance(value, ast.Name) else None
        columns = getattr(table, "columns", ())
        return found.columns is not None and attr not in found.columns and attr in list(columns)

    def _is_part(self, names: frozenset[str]) -> bool:
        """True if a table of these names is a part of a split, by its origin or its name."""
        return any(name in self._parts or _TRAINING.search(name) for name in names)

    def _is_split(self, call: Called) -> bool:
        if call.tail in _SPLITS:
            return True
        kind = type(self._namespace.get(call.receiver)) if call.receiver else self._made(call)
        is_search = call.tail == "fit" and kind.__name__.endswith("SearchCV")
        return kind.__module__.startswith("sklearn.model_selection") and (call.tail == "split" or is_search)

    def _made(self, call: Called) -> type:
        """The class whose new object is asked: ``StandardScaler().fit(X)``."""
        made = getattr(call.node.func, "value", None)
        found = self._named(made.func) if isinstance(made, ast.Call) else None
        return found if isinstance(found, type) else type(None)

    def _named(self, node: ast.expr) -> object:
        """Object behind a name, or a name of a module."""
        match node:
            case ast.Name(id=name):
                return self._namespace.get(name)
            case ast.Attribute(value=ast.Name(id=module), attr=name) if isinstance(
                self._namespace.get(module), ModuleType
            ):
                return vars(self._namespace[module]).get(name)
        return None

    def _kind(self, call: Called) -> str:
        """The class of the transformer that is asked, or the function that scales; empty where nothing is learned."""
        if call.tail in _SCALING_FUNCTIONS:
            function = self._named(call.node.func)
            return call.tail if getattr(function, "__module__", "").startswith(_MODULES) else ""
        if call.receiver:
            return _learning(self._namespace.get(call.receiver))
        made = getattr(call.node.func, "value", None)
        if not isinstance(made, ast.Call):
            return ""
        kind = self._made(call)
        composed = [self._named(one.func) for one in ast.walk(made) if isinstance(one, ast.Call)]
        if kind.__name__ in _COMPOSED or getattr(self._named(made.func), "__name__", "") in _COMPOSED:
            return next((one.__name__ for one in composed if isinstance(one, type) and _learns(one)), "")
        return kind.__name__ if _learns(kind) and not _is_constant(made) else ""


_COMPOSED: Final = frozenset(
    "Pipeline make_pipeline ColumnTransformer make_column_transformer FeatureUnion make_union".split()
)


def _learning(value: Any) -> str:
    """The class of a transformer that learns, in a pipeline too; empty where it does not."""
    kind = type(value)
    if not kind.__module__.startswith(("sklearn.", "category_encoders", "imblearn.")):
        return ""
    if kind.__name__ in _COMPOSED:
        steps = (
            getattr(value, "steps", None)
            or getattr(value, "transformers", None)
            or getattr(value, "transformer_list", None)
            or ()
        )
        return next((found for step in steps if (found := _learning(step[1]))), "")
    return kind.__name__ if _learns(kind) and getattr(value, "strategy", "") != "constant" else ""


def _learns(kind: type) -> bool:
    return kind.__module__.startswith(_MODULES) and kind.__name__ not in _HARMLESS


def _is_constant(made: ast.Call) -> bool:
    """True for an imputer that fills in a constant."""
    given = {one.arg: getattr(one.value, "value", None) for one in made.keywords}
    return given.get("strategy") == "constant"


def _data(call: Called) -> list[ast.expr]:
    """Data arguments of a split, without its model and its stratification."""
    return [*call.node.args, *(one.value for one in call.node.keywords if one.arg in ("X", "y"))]


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
