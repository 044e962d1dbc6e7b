"""Keywords that ``**kwargs`` accepts.

matplotlib lists the properties of its artists (``ArtistInspector``, which its own docstrings are made with); its docstrings, and those of
seaborn, scipy and pandas, say in the entry of ``**kwargs`` which function or class gets them. Where one of these can't be found nothing
is known.
"""

from __future__ import annotations

import inspect
import re
import sys
import types

from spark_jupyter.reality.abstract_values import Invocation
from spark_jupyter.reality.class_names import anywhere_in
from spark_jupyter.reality.signatures import home_of, is_function, signature
from spark_jupyter.reality.static_lookup import (
    cached_by_identity,
    class_module,
    codes_of,
    in_class,
    is_class,
    is_module,
    loaded,
    module_dict,
    mro,
    root,
)

LIBRARIES = frozenset({"matplotlib", "seaborn", "scipy", "pandas"})
MAX_DEPTH = 4
"""Functions that pass their keywords on to functions that pass them on."""
_PLOTS = {
    # pandas' docstrings say "matplotlib plotting method"; these are the ones that its kinds call
    "line": "plot", "bar": "bar", "barh": "barh", "hist": "hist", "box": "boxplot", "kde": "plot", "density": "plot",
    "area": "fill_between", "pie": "pie", "scatter": "scatter", "hexbin": "hexbin",
}  # fmt: skip
_REFERENCE = re.compile(r"(?<!`)(?::\w+:)?`([^`\n]+)`(?!`)")
_CHOICE = re.compile(r"\{(\w+(?:,\s*\w+)+)\}")
_ENTRY = re.compile(r"(?m)^([ \t]*)(\*{0,2}\w+(?:, \*{0,2}\w+)*) *(?::.*)?$")
_PROPERTY = re.compile(r"(?m)^[ \t]+(\w+)((?: or \w+(?:, \w+)*)?): ")
_SECTION = re.compile(r"(?m)^[ \t]*(?:Other Parameters|Parameters|Attributes)[ \t]*\n[ \t]*-{3,}[ \t]*\n")
_NEXT_SECTION = re.compile(r"(?m)^[ \t]*\w[\w ]*\n[ \t]*-{3,}[ \t]*$")
_RETURNS = re.compile(r"(?m)^[ \t]*Returns[ \t]*\n[ \t]*-{3,}[ \t]*\n.*?`~?([\w.]+)`")


def passed_on(thing: object, call: Invocation) -> tuple[str, ...] | None:
    """The keywords that a function takes by ``**kwargs``; None where they can't be known."""
    if root(home_of(thing)) not in LIBRARIES or "projection" in call.keywords:
        return None  # another projection's Axes take more
    return _of_kind(thing, _plot_kind(thing, call) or _figure_kind(thing, call))


@cached_by_identity
def _of_kind(thing: object, kind: str) -> tuple[str, ...] | None:
    """The keywords of a plot of this kind: pandas' by its own name, seaborn's by the function that draws it."""
    if not kind:
        found = _keywords(thing, 0)
    elif kind.endswith("plot"):
        found = _keywords(_resolved(kind, thing), 1)
    else:
        found = _plotting(thing, kind)
    return None if found is None else tuple(sorted(found))


def _keywords(thing: object, depth: int) -> set[str] | None:
    if depth > MAX_DEPTH:
        return None
    if is_class(thing):
        return _of_class(thing, depth)
    found = signature(thing) if is_function(thing) else None
    return _of_signature(thing, found, depth) if found is not None else None


def _of_signature(thing: object, found: inspect.Signature, depth: int) -> set[str] | None:
    """The keywords that a signature names, and those that the docstring says its ``**kwargs`` are."""
    names = {p.name for p in found.parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    open_ = next((p.name for p in found.parameters.values() if p.kind is p.VAR_KEYWORD), None)
    if open_ is None:
        return names
    text = getattr(thing, "__doc__", None)
    more = _open_keywords(thing, text, open_, depth) if type(text) is str else None
    return None if more is None else names | more


def _open_keywords(thing: object, text: str, open_: str, depth: int) -> set[str] | None:
    listed, entry = _documented(text, open_)
    table = text.rpartition("Properties:\n")[2] if "Properties:\n" in text else ""
    for name, others in _PROPERTY.findall(table):
        listed.update([name, *re.findall(r"\w+", others.replace(" or ", " "))])
    references = _REFERENCE.findall(entry)
    choice = _CHOICE.search(entry)
    if choice is not None:  # "Available kwargs: {days, seconds, …}."
        return listed | set(re.findall(r"\w+", choice[1]))
    if not references and not entry:  # of what it makes, whose parameters it lists
        made = _RETURNS.search(text)
        target = _resolved(made[1], thing) if made is not None else None
        made_of = _keywords(target, depth + 1) if is_class(target) else None
        if listed and made_of is not None and "Other Parameters" in text:
            return listed | made_of
        references = [made[1]] if made is not None and listed else []
    if getattr(thing, "__name__", "") in {"tick_params", "set_tick_params"}:
        return listed | _of_ticks(thing)
    for reference in references:
        target = _resolved(reference, thing)
        found = _keywords(target, depth + 1) if target is not None else None
        if found is None:
            return None
        listed |= found
    return listed if references or table else None


def _of_ticks(thing: object) -> set[str]:
    """Names of tick parameters, from the code that translates them; those of the grid are a line's."""
    axis, line = _resolved("matplotlib.axis.Axis", thing), _resolved("matplotlib.lines.Line2D", thing)
    translates = in_class(axis, "_translate_tick_params") if is_class(axis) else None
    found = {f"grid_{name}" for name in (_properties(line) if is_class(line) else None) or ()}
    for code in codes_of(translates):
        for const in code.co_consts:
            found.update(name for name in (const if type(const) is tuple else (const,)) if type(name) is str)
    return found


def _documented(text: str, open_: str) -> tuple[set[str], str]:
    """The parameters that a docstring's sections list, and the text of the entry of ``**kwargs``."""
    names: set[str] = set()
    about = ""
    for section in _SECTION.finditer(text):
        body = text[section.end() :]
        end = _NEXT_SECTION.search(body)
        body = body[: end.start()] if end is not None else body
        entries = list(_ENTRY.finditer(body))
        indent = min((len(entry[1]) for entry in entries), default=0)
        entries = [entry for entry in entries if len(entry[1]) == indent]
        for number, entry in enumerate(entries):
            stop = entries[number + 1].start() if number + 1 < len(entries) else len(body)
            if entry[2].lstrip("*") == open_:
                about = body[entry.start() : stop].partition("Properties:\n")[0]
            else:
                names.update(name.strip(" *") for name in entry[2].split(","))
    return names, about


def _of_class(kind: type, depth: int) -> set[str] | None:
    """Keywords of a class's constructor; of a matplotlib artist also the properties that can be set."""
    found = signature(kind)
    properties = _properties(kind)
    if properties is None:
        if found is not None and all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in found.parameters.values()):
            # pandas' Grouper, which makes one of several classes
            return _documented(str(kind.__doc__), "kwargs")[0] or None
        return _of_signature(kind, found, depth) if found is not None else None
    return properties | (set(found.parameters) if found is not None else set())


def _properties(kind: type) -> set[str] | None:
    looked = inspected(kind)
    if looked is None:
        return None
    found: set[str] = set()
    for one in (kind, *type.__subclasses__(kind)):  # what is said to be a Patch is a Rectangle
        looked = inspected(one)
        for name, aliases in looked.items() if looked is not None else ():
            found |= {name, *aliases}
    return found


def inspected(kind: type) -> dict[str, set[str]] | None:
    """The properties of an artist of matplotlib's, each with its other names; None of any other class."""
    inspector, artist = loaded("matplotlib.artist", "ArtistInspector"), loaded("matplotlib.artist", "Artist")
    if inspector is None or artist not in mro(kind) or root(class_module(kind)) != "matplotlib":
        return None
    looked = inspector(kind)  # type: ignore[operator]
    return {**{name: set() for name in looked.get_setters()}, **looked.aliasd}


def _resolved(reference: str, thing: object) -> object:
    """The function or class that a docstring names; None where there is none, or more than one."""
    path = reference.strip("~!.").removesuffix("()").split(".")
    if not all(part.isidentifier() for part in path):
        return None
    home = home_of(thing)
    own = sys.modules.get(home)
    first: object = sys.modules.get(path[0]) if len(path) > 1 else None
    if first is None and type(own) is types.ModuleType:
        first = module_dict(own).get(path[0])
    if first is None:
        first = _beside(thing, path[0], own)
    if first is None:
        first = sys.modules.get(f"{root(home)}.{path[0]}") or anywhere_in(root(home), path[0])
    for part in path[1:]:
        if first is None:
            return None
        first = _member(first, part)
    return first


def _beside(thing: object, name: str, module: object) -> object:
    """A method of the class that a method is of."""
    owner = getattr(thing, "__qualname__", "").rpartition(".")[0]
    found = module_dict(module).get(owner) if owner and is_module(module) else None
    return _member(found, name) if is_class(found) else None


def _member(owner: object, name: str) -> object:
    if is_module(owner):
        return module_dict(owner).get(name) or sys.modules.get(f"{module_dict(owner).get('__name__')}.{name}")
    found = in_class(owner, name) if is_class(owner) else None
    return found if is_function(found) or is_class(found) else None


# --- seaborn's figures -------------------------------------------------------------------------------------------------


_FIGURES = {"catplot": "strip", "relplot": "scatter", "displot": "hist"}
"""seaborn's functions that draw with another one, which their ``kind`` names, and the kind that they draw by default."""


def _figure_kind(thing: object, call: Invocation) -> str:
    """The function that a figure-level function of seaborn's passes its keywords on to, ``barplot``; "" for other functions."""
    default = _FIGURES.get(getattr(thing, "__name__", "")) if root(home_of(thing)) == "seaborn" else None
    kind = call.constant("kind", None, default) if default is not None else None
    return f"{kind}plot" if type(kind) is str and kind.isalpha() else ""


# --- pandas' plots -----------------------------------------------------------------------------------------------------


def _plot_kind(thing: object, call: Invocation) -> str:
    """The kind of plot that a call of ``frame.plot`` makes; "" for other functions."""
    if not home_of(thing).startswith("pandas.plotting"):
        return ""
    name = getattr(thing, "__name__", "")
    kind = call.constant("kind", None, "line") if name == "__call__" else name
    return kind if type(kind) is str and kind in _PLOTS else "line" if name == "__call__" else ""


_OF_ALL_PLOTS = frozenset({"x_compat", "column", "by"})
"""Keywords missing from the docstring (pandas' user guide, "Chart visualization")."""


def _plotting(thing: object, kind: str) -> set[str] | None:
    axes = _resolved("matplotlib.axes.Axes", thing)
    accessor = _resolved("pandas.plotting.PlotAccessor", thing)
    general = in_class(accessor, "__call__") if is_class(accessor) else None
    method = in_class(axes, _PLOTS[kind]) if is_class(axes) else None
    text = getattr(general, "__doc__", None) or getattr(accessor, "__doc__", None)
    drawn = _keywords(method, 1)
    if type(text) is not str or drawn is None:
        return None
    own = signature(thing) if is_function(thing) else None
    return {*drawn, *_OF_ALL_PLOTS, *_documented(text, "kwargs")[0], *(own.parameters if own is not None else ())}
