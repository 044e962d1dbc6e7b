"""Strings that stand for something that exists or does not: ``how="outter"``, ``agg("meen")``, ``cmap="virdis"``, ``freq="2Q"``.

What is allowed comes from the libraries themselves: the ``Literal`` in an annotation, scikit-learn's constraints, matplotlib's registries,
the methods of what is aggregated, and pandas' own parsers of dtypes and frequencies.
"""

# ruff: noqa: SIM905 (lists of words read better as words)
from __future__ import annotations

import ast
import functools
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator

from spark_jupyter.reality import report, signatures, stubs
from spark_jupyter.reality.keywords import inspected
from spark_jupyter.reality.lookup import CACHED, MISSING, in_class, is_class, is_trusted, module_dict, root
from spark_jupyter.reality.report import Rule
from spark_jupyter.reality.run import Run
from spark_jupyter.reality.values import Invocation, Of, Value, constant, options_of
from spark_jupyter.wire.values import Severity

_AGGREGATES = {"agg": "func", "aggregate": "func", "transform": "func", "pivot_table": "aggfunc", "crosstab": "aggfunc"}
_KNOWN_AGGREGATES = "mean sum min max median std var count size nunique first last".split()
"""Those that are named where one is unknown; there are as many as methods."""
_DTYPES = frozenset(
    {"astype", "Series", "DataFrame", "array", "asarray", "zeros", "ones", "empty", "full", "arange", "read_csv"}
)
_FREQUENCIES = {"resample": ("rule", 0), "asfreq": ("freq", 0), "date_range": ("freq", None), "Grouper": ("freq", None)}
_COLOURS = frozenset("color facecolor edgecolor markerfacecolor markeredgecolor ecolor".split())
_BACKENDS = frozenset(
    "agg svg pdf ps pgf cairo template inline notebook widget ipympl nbagg webagg tkagg qtagg qt5agg macosx".split()
)
"""What ``matplotlib.use`` takes, where ``matplotlib.style.use`` takes a style."""
_NOT_TEXT = frozenset("None bool int float list Callable NoDefault Sequence dict slice ndarray".split())
"""What an annotation may name beside its ``Literal`` that no string is."""
_allowed: dict[tuple[int, str], tuple[object, tuple[str, ...] | None]] = {}

Given = tuple[ast.expr, str]


def check(
    run: Run, thing: object, name: str, call: Invocation, receiver: Value | None = None, *, skip: int = 0
) -> None:
    """Report the strings in a call that stand for nothing."""
    if run.quiet:
        return
    home = root(signatures.home_of(thing))
    _enumerated(run, thing, name, call, skip)
    if home == "pandas" or any(
        root(option.kind.__module__) == "pandas" for option in options_of(receiver or Of(object))
    ):
        _aggregates(run, name, call, receiver)
        _parsed(run, name, call)
    elif home == "numpy" and name in _DTYPES:
        _by_parser(run, call.keywords.get("dtype"), "dtype", "numpy", "dtype")
    elif home == "sklearn":
        _scored(run, call)
    elif home in {"matplotlib", "seaborn"}:
        _drawn(run, thing, name, call)


def _say(run: Run, given: Given, what: str, known: Iterable[str], *, certain: bool = False) -> None:
    node, text = given
    names = list(known)
    close = report.nearest(text, names)
    remedy = report.with_listing(close, "There", names)
    severity: Severity = "block" if certain else "warn"
    message = f"`{text}` is no {what}."
    run.say(Rule.UNKNOWN_VALUE, message, node, remedy=remedy, severity=severity, wrong=text, meant=close)


def _text(argument: tuple[ast.expr, Value] | None) -> Given | None:
    single = constant(argument[1]) if argument is not None else None
    return (argument[0], single) if argument is not None and type(single) is str else None


# --- Enumerations ------------------------------------------------------------------------------------------------------


def _enumerated(run: Run, thing: object, name: str, call: Invocation, skip: int) -> None:
    if not any(type(constant(value)) is str for _, value in [*call.positional, *call.keywords.values()]):
        return
    found = signatures.signature(thing)
    if found is None or call.stars or root(signatures.home_of(thing)) not in _ENUMERATING:
        return
    for place, parameter in enumerate(list(found.parameters)[skip:]):
        given = _text(call.argument(parameter, place))
        allowed = _allowed_of(thing, parameter) if given is not None else None
        if given is not None and allowed is not None and not _is_among(given[1], allowed):
            _say(run, given, f"value of `{parameter}` in `{name}()`", allowed)


_ENUMERATING = frozenset({"pandas", "sklearn", "polars", "numpy", "matplotlib", "scipy"})
"""Libraries that say, in annotations, constraints or stubs, which strings a parameter takes."""


def _is_among(text: str, allowed: tuple[str, ...]) -> bool:
    """Whether a string is one of those that are allowed. Of the ways to sort numpy looks at the first letter only; matplotlib and numpy
    do not tell small letters from capitals."""
    if "quicksort" in allowed or "C" in allowed:
        return text[:1].lower() in {one[:1].lower() for one in allowed}
    lowered = text.lower()  # scipy takes "low" for "lowpass"
    return any(lowered == one.lower() or (len(lowered) > 1 and one.startswith(lowered)) for one in allowed)


def _allowed_of(thing: object, parameter: str) -> tuple[str, ...] | None:
    """The strings that a parameter takes; None where any may do."""
    known = _allowed.get((id(thing), parameter))
    if known is not None and known[0] is thing:
        return known[1]
    if len(_allowed) > CACHED:
        _allowed.clear()
    found = _constrained(thing, parameter) or _annotated(thing, parameter) or stubs.choices(thing, parameter)
    if found is None and root(signatures.home_of(thing)) == "scipy":
        found = signatures.documented_choices(thing, parameter)
    _allowed[(id(thing), parameter)] = (thing, found)
    return found


def _constrained(thing: object, parameter: str) -> tuple[str, ...] | None:
    """scikit-learn's own constraint on a parameter of an estimator or of a function."""
    where = "_parameter_constraints" if is_class(thing) else "_skl_parameter_constraints"
    table = in_class(thing, where) if is_class(thing) else getattr(thing, where, None)
    constraints = table.get(parameter) if type(table) is dict else None
    if type(constraints) is not list:
        return None
    options: set[str] = set()
    for constraint in constraints:
        if type(constraint) is str and constraint not in {
            "boolean",
            "random_state",
            "array-like",
            "verbose",
            "sparse matrix",
        }:
            return None
        more = getattr(constraint, "options", None) if is_trusted(type(constraint)) else None
        if type(more) in (set, frozenset):
            options.update(option for option in more if type(option) is str)  # type: ignore[union-attr]
        elif constraint is str:
            return None
    return tuple(sorted(options)) or None


def _annotated(thing: object, parameter: str) -> tuple[str, ...] | None:
    found = signatures.signature(thing)
    note = found.parameters[parameter].annotation if found is not None else None
    if type(note) is not str:
        return None
    try:
        names = list(_literals(ast.parse(note, mode="eval").body, f"{root(signatures.home_of(thing))}._typing"))
    except (SyntaxError, _Open):
        return None
    return tuple(names) or None


class _Open(Exception):
    """Any string may be meant."""


def _literals(node: object, types_: str) -> Iterator[str]:
    """The strings in ``"MergeHow | None"``, as the library's own module of types defines it."""
    if isinstance(node, ast.BinOp):
        yield from _literals(node.left, types_)
        yield from _literals(node.right, types_)
    elif isinstance(node, ast.Subscript):
        if ast.unparse(node.value).endswith("Literal"):
            yield from (
                part.value
                for part in ast.walk(node.slice)
                if isinstance(part, ast.Constant) and type(part.value) is str
            )
        else:
            yield from _literals(node.value, types_)
    elif isinstance(node, ast.Constant) and node.value is None:
        return
    elif isinstance(node, ast.Attribute):
        if node.attr not in _NOT_TEXT:
            raise _Open
    elif isinstance(node, ast.Name) and node.id == "Axis":
        raise _Open  # of levels it is said, too, which have names
    elif isinstance(node, ast.Name) and node.id not in _NOT_TEXT:
        if types_ in sys.modules:
            yield from _defined(module_dict(sys.modules[types_]).get(node.id))
        else:
            yield from stubs.aliased(node.id, types_) or _defined(None)
    elif not isinstance(node, ast.Name):
        raise _Open


def _defined(alias: object) -> Iterator[str]:
    origin, parts = typing.get_origin(alias), typing.get_args(alias)
    if origin is typing.Literal:
        yield from (part for part in parts if type(part) is str)
    elif origin in (typing.Union, types.UnionType):
        for part in parts:
            yield from _defined(part)
    elif origin is None and alias not in (type(None), bool, int, float, list):
        raise _Open


# --- pandas ------------------------------------------------------------------------------------------------------------


def _aggregates(run: Run, name: str, call: Invocation, receiver: Value | None) -> None:
    """Names of aggregations are methods of what is aggregated, or functions of numpy's."""
    parameter = _AGGREGATES.get(name)
    owners = list(options_of(receiver)) if receiver is not None else []
    if parameter is None or (len(owners) != 1 and name != "crosstab"):
        return
    kind = owners[0].kind if parameter == "func" else _grouped(object)
    given = call.argument(parameter, 0 if parameter == "func" else None)
    for node, text in _names_in(
        [given] if given is not None else [pair for pair in map(_second, call.keywords.values()) if pair]
    ):
        if in_class(kind, text) is MISSING and not _is_of_numpy(text):
            _say(run, (node, text), "aggregation", _KNOWN_AGGREGATES, certain=True)


def _grouped(kind: type) -> type:
    module = sys.modules.get("pandas.core.groupby")
    found = module_dict(module).get("DataFrameGroupBy") if module is not None else None
    return found if is_class(found) else kind


def _is_of_numpy(name: str) -> bool:
    module = sys.modules.get("numpy")
    return module is None or name in module_dict(module)


def _second(argument: tuple[ast.expr, Value]) -> tuple[ast.expr, Value] | None:
    """The function in ``agg(total=("price", "sum"))``."""
    node, value = argument
    pair = value.items if isinstance(value, Of) and value.kind is tuple else None
    if pair is None or len(pair) != 2:
        return None
    return (node.elts[1] if isinstance(node, ast.Tuple) and len(node.elts) == 2 else node), pair[1]


def _names_in(arguments: list[tuple[ast.expr, Value]]) -> Iterator[Given]:
    for node, value in arguments:
        given = _text((node, value))
        if given is not None:
            yield given
        elif isinstance(value, Of) and value.kind in (list, dict) and value.items is not None:
            parts = node.elts if isinstance(node, ast.List) else node.values if isinstance(node, ast.Dict) else []
            places = parts if len(parts) == len(value.items) else [node] * len(value.items)
            yield from _names_in(list(zip(places, value.items, strict=True)))


def _parsed(run: Run, name: str, call: Invocation) -> None:
    """Names of dtypes and frequencies, which pandas itself parses."""
    if name in _DTYPES:
        arguments = [call.keywords.get("dtype") or (call.argument("dtype", 0) if name == "astype" else None)]
        for node, text in _names_in([argument for argument in arguments if argument is not None]):
            _by_parser(run, (node, text), "dtype", "pandas.api.types", "pandas_dtype")
    elif (
        name in _FREQUENCIES and "how" not in call.keywords
    ):  # that a period is asked, which has frequencies of its own
        _by_parser(run, call.argument(*_FREQUENCIES[name]), "frequency", "pandas.tseries.frequencies", "to_offset")


def _by_parser(run: Run, argument: tuple[ast.expr, Value] | Given | None, what: str, module: str, parser: str) -> None:
    """Ask a library's own parser of names, which gets nothing but the text."""
    given = _text(argument) if argument is not None and isinstance(argument[1], Value) else argument
    loaded = sys.modules.get(module)
    parse = module_dict(loaded).get(parser) if loaded is not None else None
    if given is None or not callable(parse) or isinstance(given[1], Value) or len(given[1]) > 100:
        return
    try:
        parse(given[1])
    except (TypeError, ValueError) as error:
        close = str(error).partition("Did you mean")[2].strip(" ?'\"")
        _say(run, (given[0], given[1]), what, [close] if close else [])


# --- scikit-learn ------------------------------------------------------------------------------------------------------


def _scored(run: Run, call: Invocation) -> None:
    """Names of scores, one or a list, which scikit-learn keeps in a table."""
    known = _registry("sklearn.metrics._scorer", "_SCORERS")
    given = call.keywords.get("scoring")
    if given is None or not known or not (isinstance(given[1], Of) and given[1].kind in (list, tuple)):
        return  # a single one is among the constraints of the parameter
    for node, text in _names_in([given]):
        if text not in known:
            _say(run, (node, text), "score of scikit-learn's", known)


# --- matplotlib --------------------------------------------------------------------------------------------------------


@functools.lru_cache(500)
def _of_property(keyword: str) -> tuple[str, ...] | None:
    """The strings that a property of texts, lines and patches takes, ``ha``, by the stubs of its setters; None where any may do."""
    found: dict[str, None] = {}
    for module, name in (("matplotlib.text", "Text"), ("matplotlib.lines", "Line2D"), ("matplotlib.patches", "Patch")):
        loaded = sys.modules.get(module)
        kind = module_dict(loaded).get(name) if loaded is not None else None
        if not is_class(kind):
            return None
        known = (inspected(kind) or {}).items()
        setter = f"set_{next((whole for whole, others in known if keyword in others), keyword)}"
        if in_class(kind, setter) is MISSING:
            continue
        strings = stubs.method_choices(kind, setter)
        if strings is None:
            return None
        found.update(dict.fromkeys(strings))
    return tuple(found) or None


def _drawn(run: Run, thing: object, name: str, call: Invocation) -> None:
    own = signatures.signature(thing)
    of_data = "data" in call.keywords  # then a string may be a column
    for keyword, argument in call.keywords.items():
        given = _text(argument)
        if given is None or (of_data and keyword in {"c", "marker"}):
            continue
        if keyword in _COLOURS and not _is_colour(given[1]):
            _say(run, given, "colour of matplotlib's", _registry("matplotlib.colors", "CSS4_COLORS"))
        passed_on = own is None or keyword not in own.parameters
        strings = _of_property(keyword) if passed_on else None
        if strings is not None and not _is_among(given[1], strings):
            _say(run, given, f"`{keyword}` of matplotlib's", strings)
        looked = _REGISTRIES.get((name, keyword)) or _REGISTRIES.get(("", keyword))
        known = list(looked()) if looked is not None else []
        if known and given[1] not in known and not given[1].startswith("$"):
            _say(run, given, f"`{keyword}` of matplotlib's", known)
    given = _text(call.positional[0]) if call.positional else None
    scales = _registry("matplotlib.scale", "_scale_mapping") if name.endswith(("xscale", "yscale")) else []
    if given is not None and scales and given[1] not in scales:
        _say(run, given, "scale of matplotlib's", scales)
    given = given if name == "use" else None
    if given is not None and given[1].lower() not in _BACKENDS and not set(given[1]) & set("./\\"):
        styles = _registry("matplotlib.style", "library")
        if styles and given[1] not in {*styles, "default"}:
            _say(run, given, "style of matplotlib's", styles)


def _is_colour(text: str) -> bool:
    module = sys.modules.get("matplotlib.colors")
    known = module_dict(module).get("is_color_like") if module is not None else None
    return text in {"auto", "face", "inherit", ""} or not callable(known) or bool(known(text))


def _registry(module: str, *path: str) -> list[str]:
    """The keys of a table of a library's; none where it is not loaded."""
    found: object = sys.modules.get(module)
    for name in path:
        found = module_dict(found).get(name) if type(found) is types.ModuleType else getattr(found, name, None)
    return (
        [key for key in found if type(key) is str] if isinstance(found, dict | list | tuple | set | frozenset) else []
    )


def _line_styles() -> list[str]:
    return [*_registry("matplotlib.lines", "lineStyles"), "solid", "dashed", "dashdot", "dotted", "none"]


def _places() -> list[str]:
    """Places of a legend: outside of the Axes, too, in either order."""
    codes = _registry("matplotlib.legend", "Legend", "codes")
    turned = [" ".join(reversed(code.split())) for code in codes]
    return [*codes, *(f"outside {code}" for code in (*codes, *turned))]


_REGISTRIES: dict[tuple[str, str], Callable[[], list[str]]] = {
    ("", "cmap"): lambda: _registry("matplotlib", "colormaps", "_cmaps"),
    ("", "colormap"): lambda: _registry("matplotlib", "colormaps", "_cmaps"),
    ("", "marker"): lambda: [*_registry("matplotlib.markers", "MarkerStyle", "markers"), "none"],
    ("", "linestyle"): _line_styles,
    ("", "ls"): _line_styles,
    ("", "fontweight"): lambda: _registry("matplotlib.font_manager", "weight_dict"),
    ("legend", "loc"): _places,
    ("imshow", "interpolation"): lambda: [*_registry("matplotlib.image", "interpolations_names"), "none"],
}
"""By function ("" for all) and keyword."""
