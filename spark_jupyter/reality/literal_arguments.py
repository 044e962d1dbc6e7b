"""String arguments with a fixed set of values.

What is allowed comes from the libraries themselves: the ``Literal`` in an annotation, scikit-learn's constraints, matplotlib's registries,
the methods of what is aggregated, and pandas' own parsers of dtypes and frequencies.
"""

from __future__ import annotations

import ast
import encodings
import functools
import pkgutil
import re
import sys
import types
import typing
from collections.abc import Iterator
from encodings import aliases

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality import (
    grouped_results,
    matplotlib_strings,
    removed_names,
    seaborn_strings,
    signatures,
    stubs,
)
from spark_jupyter.reality.abstract_values import Invocation, Of, Value, constant, options_of
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.static_lookup import (
    MISSING,
    cached_by_identity,
    in_class,
    is_class,
    is_trusted,
    loaded,
    module_dict,
    root,
)
from spark_jupyter.reality.string_arguments import Given, is_among, say, text_of
from spark_jupyter.reality.syntax_trees import placed
from spark_jupyter.source.python_parser import parse_python

_AGGREGATES = {"agg": "func", "aggregate": "func", "transform": "func", "pivot_table": "aggfunc", "crosstab": "aggfunc"}
_KNOWN_AGGREGATES = "mean sum min max median std var count size nunique first last".split()
"""Those that are named where one is unknown; there are as many as methods."""
_DTYPES = frozenset(
    {"astype", "Series", "DataFrame", "array", "asarray", "zeros", "ones", "empty", "full", "arange", "read_csv"}
)
_FREQUENCIES = {"resample": ("rule", 0), "asfreq": ("freq", 0), "date_range": ("freq", None), "Grouper": ("freq", None)}
_NOT_TEXT = frozenset("None Expr bool int float list Callable NoDefault Sequence dict slice ndarray".split())
"""Types beside a ``Literal`` in an annotation that no string is of."""


def check(
    run: Run, thing: object, name: str, call: Invocation, receiver: Value | None = None, *, skip: int = 0
) -> None:
    """Report the strings in a call that stand for nothing."""
    if name in _OF_PERIODS:
        run.has_periods = True
    if run.quiet:
        return
    home = root(signatures.home_of(thing))
    if home in _OF_FILES or type(thing) is types.MethodDescriptorType:
        _encoded(run, name, call)
    _enumerated(run, thing, name, call, skip)
    if home == "pandas" or any(
        root(option.kind.__module__) == "pandas" for option in options_of(receiver or Of(object))
    ):
        _aggregates(run, name, call, receiver)
        _parsed(run, name, call)
        if any(option.kind.__name__ == "PlotAccessor" for option in options_of(receiver or Of(object))):
            matplotlib_strings.check_of_pandas(run, call)
    elif home == "numpy" and name in _DTYPES:
        _by_parser(run, call.keywords.get("dtype"), "a dtype", "numpy", "dtype")
    elif home == "sklearn":
        _scored(run, call)
    elif home in {"matplotlib", "seaborn"}:
        matplotlib_strings.check(run, thing, name, call)
    if home == "seaborn":
        seaborn_strings.check(run, name, call)


_OF_PERIODS = frozenset({"Period", "PeriodIndex", "PeriodDtype", "period_range", "to_period"})
_OF_FILES = frozenset({"io", "_io", "builtins", "pathlib", "pandas", "codecs"})


@functools.lru_cache(1)
def _encodings() -> frozenset[str]:
    """The names of Python's own encodings, as the codecs look them up."""
    modules = {module.name for module in pkgutil.iter_modules(encodings.__path__)}
    return frozenset({*modules, *aliases.aliases, *aliases.aliases.values()})


def _encoded(run: Run, name: str, call: Invocation) -> None:
    by_place = 0 if name in {"encode", "decode"} else None
    given = text_of(call.argument("encoding", by_place))
    if (
        given is not None
        and encodings.normalize_encoding(given[1]).lower() not in _encodings()
        and given[1] not in {"locale", "infer"}
    ):
        say(run, given, "a Python encoding", ["utf-8", "latin-1", "cp1252", "utf-16", "ascii"])


# --- Enumerations ------------------------------------------------------------------------------------------------------


def _enumerated(run: Run, thing: object, name: str, call: Invocation, skip: int) -> None:
    if not any(type(constant(value)) is str for _, value in [*call.positional, *call.keywords.values()]):
        return
    found = signatures.signature(thing)
    home = root(signatures.home_of(thing))
    if found is None or call.stars or home not in _ENUMERATING:
        return
    passed_on = [name for name in call.keywords if name not in found.parameters] if home == "matplotlib" else []
    for place, parameter in enumerate([*list(found.parameters)[skip:], *passed_on]):
        given = text_of(call.argument(parameter, place))
        allowed = _allowed_of(thing, parameter) if given is not None else None
        if given is not None and allowed is not None and not _takes(thing, parameter, given[1], allowed):
            with run.holding_back(parameter, when=home == "sklearn" and is_class(thing)):
                say(run, given, f"a value of `{parameter}` in `{name}()`", allowed)


def _takes(thing: object, parameter: str, text: str, allowed: tuple[str, ...]) -> bool:
    home = root(signatures.home_of(thing))
    if home == "seaborn":  # of what stands inside a violin it looks at the beginning only: "quartile", "points"
        return text in allowed or (parameter == "inner" and text.startswith(allowed))
    # of vlines the docstring tells the words only
    if parameter == "linestyles" and text in matplotlib_strings.line_styles():
        return True
    return is_among(text, allowed, shortened=home != "sklearn") or _is_composed(thing, text, allowed)


def _is_composed(thing: object, text: str, allowed: tuple[str, ...]) -> bool:
    """Return whether a text is composed of values, as a column's ``|c|``, or quoted by the docstring: ``blosc:zstd``."""
    words = set(re.findall(r"\w+", text))
    if words <= {text}:
        return False
    said = getattr(thing, "__doc__", None)
    is_quoted = type(said) is str and re.search(rf"['\"`]{re.escape(text)}['\"`]", said) is not None
    return is_quoted or (bool(words) and words <= set(allowed))


_ENUMERATING = frozenset({"pandas", "sklearn", "polars", "numpy", "matplotlib", "scipy", "seaborn"})
"""Libraries that say, in annotations, constraints or stubs, which strings a parameter takes."""


@cached_by_identity
def _allowed_of(thing: object, parameter: str) -> tuple[str, ...] | None:
    """The strings that a parameter takes; None where any may do."""
    own = signatures.signature(thing)
    found = None
    if own is not None and parameter in own.parameters:
        found = _constrained(thing, parameter) or _annotated(thing, parameter) or stubs.choices(thing, parameter)
    home = root(signatures.home_of(thing))
    if found is None and home in {"scipy", "seaborn", "matplotlib"}:
        found = signatures.documented_choices(thing, parameter)
    if found is None and home == "seaborn":
        found = seaborn_strings.choices(thing, parameter)
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
        names = list(_literals(parse_python(note, "eval").body, f"{root(signatures.home_of(thing))}._typing"))
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
    """Names of aggregations are methods of what is aggregated, or, of what is an array as well, functions of numpy's."""
    parameter = _AGGREGATES.get(name)
    owners = list(options_of(receiver)) if receiver is not None else []
    if parameter is None or (len(owners) != 1 and name != "crosstab"):
        return
    kind = owners[0].kind if parameter == "func" else loaded_class("pandas.core.groupby", "DataFrameGroupBy") or object
    given = call.argument(parameter, 0 if parameter == "func" else None)
    for node, text in _names_in([given] if given is not None else [pair for pair in _named(call, kind) if pair]):
        if in_class(kind, text) is MISSING and (grouped_results.is_of_groups(kind) or not _is_of_numpy(text)):
            say(run, (node, text), "an aggregation", _KNOWN_AGGREGATES, certain=True)


def _is_of_numpy(name: str) -> bool:
    module = sys.modules.get("numpy")
    return module is None or name in module_dict(module)


def _named(call: Invocation, kind: type) -> list[tuple[ast.expr, Value] | None]:
    """The functions in ``agg(total=("price", "sum"))``, or of one column in ``agg(total="sum")``."""
    given = [pair for name, pair in call.keywords.items() if name not in {"engine", "engine_kwargs"}]
    return [pair if kind.__name__ == "SeriesGroupBy" else _second(pair) for pair in given]


def _second(argument: tuple[ast.expr, Value]) -> tuple[ast.expr, Value] | None:
    """The function in ``agg(total=("price", "sum"))``."""
    node, value = argument
    pair = value.items if isinstance(value, Of) and value.kind is tuple else None
    if pair is None or len(pair) != 2:
        return None
    return (node.elts[1] if isinstance(node, ast.Tuple) and len(node.elts) == 2 else node), pair[1]


def _names_in(arguments: list[tuple[ast.expr, Value]]) -> Iterator[Given]:
    for node, value in arguments:
        given = text_of((node, value))
        if given is not None:
            yield given
        elif isinstance(value, Of) and value.kind in (list, dict) and value.items is not None:
            yield from _names_in(list(placed(node, value.items, values=True)))


def _parsed(run: Run, name: str, call: Invocation) -> None:
    """Names of dtypes and frequencies, which pandas itself parses."""
    if name in _DTYPES:
        arguments = [call.keywords.get("dtype") or (call.argument("dtype", 0) if name == "astype" else None)]
        for node, text in _names_in([argument for argument in arguments if argument is not None]):
            _by_parser(run, (node, text), "a dtype", "pandas.api.types", "pandas_dtype")
    elif (
        name in _FREQUENCIES and not run.has_periods and not {"how", "convention"} & call.keywords.keys()
    ):  # with these a period is asked, which has frequencies of its own
        _by_parser(run, call.argument(*_FREQUENCIES[name]), "a frequency", "pandas.tseries.frequencies", "to_offset")


def _by_parser(run: Run, argument: tuple[ast.expr, Value] | Given | None, what: str, module: str, parser: str) -> None:
    """Ask a library's own parser of names, which gets nothing but the text."""
    given = text_of(argument) if argument is not None and isinstance(argument[1], Value) else argument
    parse = loaded(module, parser)
    if given is None or not callable(parse) or isinstance(given[1], Value) or len(given[1]) > 100:
        return
    try:
        parse(given[1])
    except (TypeError, ValueError) as error:
        near = re.search(r"Did you mean ['\"]?([\w.]+)", str(error))
        close = removed_names.value("pandas", given[1]) or (near[1] if near is not None else "")
        message = f"`{given[1]}` is not {what}."
        remedy = f"Write `{close}` instead." if close else ""
        run.say(Rule.UNKNOWN_VALUE, message, given[0], remedy=remedy, severity="warn", wrong=given[1], meant=close)


# --- scikit-learn ------------------------------------------------------------------------------------------------------


def _scored(run: Run, call: Invocation) -> None:
    """Names of scores, one or a list, which scikit-learn keeps in a table."""
    known = matplotlib_strings.registry("sklearn.metrics._scorer", "_SCORERS")
    given = call.keywords.get("scoring")
    if given is None or not known or not (isinstance(given[1], Of) and given[1].kind in (list, tuple)):
        return  # a single one is among the constraints of the parameter
    for node, text in _names_in([given]):
        if text not in known:
            say(run, (node, text), "a scikit-learn score", known)
