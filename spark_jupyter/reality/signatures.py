"""Signatures of functions and classes, without calling them.

Docstrings serve where there is none.
"""

from __future__ import annotations

import inspect
import re
import types

from spark_jupyter.reality.static_lookup import (
    TRUSTED,
    cached_by_identity,
    class_module,
    class_name,
    in_class,
    is_class,
    is_module,
    is_trusted,
    module_dict,
    mro,
    plain_function,
    root,
)

_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
)


@cached_by_identity
def signature(thing: object) -> inspect.Signature | None:
    """The signature of a function or class, None where it has none that can be had without running user code."""
    try:
        return _signature(thing)
    except Exception:  # inspect raises many kinds for objects that have none
        return None


def _signature(thing: object) -> inspect.Signature | None:
    kind = type(thing)
    if kind is types.FunctionType:
        given = types.FunctionType.__dict__["__dict__"].__get__(thing).get("__signature__")
        if given is not None and type(given) is not inspect.Signature:
            return None
        trusted = root(thing.__module__ or "") in TRUSTED
        return inspect.signature(thing, follow_wrapped=trusted)  # type: ignore[arg-type]
    if kind in _FUNCTIONS:
        return inspect.signature(thing)  # type: ignore[arg-type]
    if is_class(thing):
        if is_trusted(thing):
            return inspect.signature(thing)
        return _class_signature(thing)
    return inspect.signature(thing) if is_function(thing) else None  # type: ignore[arg-type]


def decides_itself(thing: object) -> bool:
    """Return whether a function takes any arguments and only declares others, as pyarrow's do, whose options may stand for some."""
    if type(thing) is not types.FunctionType:
        return False
    takes_any = inspect.CO_VARARGS & thing.__code__.co_flags and inspect.CO_VARKEYWORDS & thing.__code__.co_flags
    return bool(takes_any) and "__signature__" in types.FunctionType.__dict__["__dict__"].__get__(thing)


def _class_signature(kind: type) -> inspect.Signature | None:
    """Of a class of the user's: its ``__init__``, or a named tuple's ``__new__``, where nothing else decides about the call."""
    start, new = in_class(kind, "__init__"), plain_function(in_class(kind, "__new__"))
    if in_class(type(kind), "__call__") is not type.__dict__["__call__"]:
        return None
    if start is object.__dict__["__init__"] and type(new) is types.FunctionType:
        start = new
    elif new is not object.__dict__["__new__"]:
        return None
    if start is object.__dict__["__init__"]:
        return inspect.Signature()
    if type(start) is not types.FunctionType:
        return None
    found = inspect.signature(start, follow_wrapped=False)
    return found.replace(parameters=list(found.parameters.values())[1:], return_annotation=inspect.Signature.empty)


def signature_text(thing: object, name: str, *, skip: int = 0) -> str:
    """``name(a, b=…)``: names of the parameters only, since a default's ``repr`` could be the user's; "" if unknown."""
    found = signature(thing)
    if found is None:
        return ""
    shown = [
        ("*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else "") + p.name
        for p in list(found.parameters.values())[skip:]
    ]
    if len(shown) > 14:
        shown = [*shown[:14], "…"]
    return f"{name}({', '.join(shown)})"


_NATIVE = frozenset(
    "cython_function_or_method _ArrayFunctionDispatcher ufunc fused_cython_function nb_method nb_func".split()
)
"""Classes of functions that numpy, Cython and nanobind make."""


def is_function(thing: object) -> bool:
    """True for functions of Python, of a C library or of Cython, whose attributes are plain to read."""
    kind = type(thing)
    if kind in _FUNCTIONS or kind is types.MethodWrapperType:
        return True
    return class_name(kind) in _NATIVE


def home_of(thing: object) -> str:
    """The name of the module that a function or class is from."""
    if is_class(thing):
        return class_module(thing)
    if not is_function(thing):
        return ""
    home = getattr(thing, "__module__", "")
    if type(home) is str and home:
        return home
    owner = getattr(thing, "__objclass__", None) or getattr(thing, "__self__", None)
    if is_class(owner):
        return class_module(owner)
    if is_module(owner):
        return str(module_dict(owner).get("__name__", ""))
    return class_module(type(owner)) if owner is not None else ""


# --- What docstrings say of parameters ---------------------------------------------------------------------------------

NUMPYDOC = frozenset({"numpy", "scipy", "sklearn", "pandas", "statsmodels", "skimage", "seaborn"})
"""Libraries whose docstrings follow numpydoc and are checked against their signatures."""
_NUMPY_COMPATIBLE = tuple("out dtype keepdims initial where order mode copy axes axis kind sort".split())


def documented_keywords(thing: object) -> tuple[str, ...] | None:
    """All keywords that a library function takes by its docstring, where its signature does not say; None: not known."""
    if thing is max or thing is min:  # the two built-in functions that have no signature
        return ("key", "default")
    return _documented_keywords(thing) if root(home_of(thing)) in NUMPYDOC else None


@cached_by_identity
def _documented_keywords(thing: object) -> tuple[str, ...] | None:
    text = getattr(thing, "__doc__", None)
    if type(text) is not str:
        return None
    by_line = _first_line_keywords(text)
    if by_line is not None and type(thing) is not types.FunctionType and not is_class(thing):
        return by_line
    found = signature(thing)
    section = re.search(r"(?m)^([ \t]*)Parameters[ \t]*\n[ \t]*-{3,}[ \t]*\n", text)
    if section is None:
        return None
    entries = re.findall(rf"(?m)^{section[1]}(\*{{0,2}}[\w, *]+?)(?: ?:.*)?$", section_body(text[section.end() :]))
    names = [name.strip() for entry in entries for name in entry.split(",")]
    if found is None:
        return None if any(name.startswith("*") or not name.isidentifier() for name in names) else tuple(names)
    compatible = re.search(r"(?i)\*\*kwargs.*\n.*compatib", text) or re.search(
        r"(?i)\*args, \*\*kwargs.*\n.*compatib", text
    )
    if compatible and root(home_of(thing)) == "pandas":
        named = [p.name for p in found.parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        return (*named, *_NUMPY_COMPATIBLE)
    return None


_UNDER_OTHER_NAMES = frozenset({"btype"})
"""Parameters that take more short names than the docstring says: "hp" for "highpass"."""


def documented_choices(thing: object, parameter: str) -> tuple[str, ...] | None:
    """The strings that a docstring says a parameter takes, where it lists nothing else: ``method : {'bh', 'by'}, optional``."""
    if parameter in _UNDER_OTHER_NAMES:
        return None
    text = getattr(thing, "__doc__", None)
    found = (
        re.search(
            rf"(?m)^[ \t]*{re.escape(parameter)} : (?:None or )?\{{+([^{{}}]+)\}}+(?:,? optional|, default.*)?$", text
        )
        if type(text) is str
        else None
    )
    parts = [part.strip() for part in re.split(r"[,|]", found[1])] if found is not None else []
    words = [re.fullmatch(r"['\"`]+([\w \-]+)['\"`]+", part) for part in parts if part != "None"]
    return tuple(word[1] for word in words if word is not None) if words and all(words) else None


def section_body(text: str) -> str:
    """The text of a docstring up to its next section."""
    end = re.search(r"(?m)^[ \t]*\w[\w ]*\n[ \t]*-{3,}[ \t]*$", text)
    return text[: end.start()] if end else text


def _first_line_keywords(text: str) -> tuple[str, ...] | None:
    """The names in ``a.sum(axis=None, dtype=None, …)`` at the beginning of a C function's docstring."""
    lines = []
    for line in text.strip().splitlines():
        match = re.match(r"\s*(?:\w+\.)?\w+\((.*)\)(?:\s*->.*)?\s*$", line)
        if match is None:
            break
        lines.append(match[1])
    if not lines or any("**" in line or "..." in line for line in lines):
        return None
    return tuple(
        dict.fromkeys(
            re.findall(r"(\w+)(?=\s*(?:=|,|$|\]))", ", ".join(re.sub(r"=[^,\]]*", "=", line) for line in lines))
        )
    )


_OF_DISTRIBUTIONS = frozenset(
    "pdf logpdf pmf logpmf cdf logcdf sf logsf ppf isf stats entropy median mean var std interval rvs support".split()
)


def distribution_shapes(owner: object, method: str) -> tuple[str, ...] | None:
    """The shape parameters of a distribution of scipy.stats, whose methods take them by ``**kwds``."""
    kind = type(owner)
    if (
        method not in _OF_DISTRIBUTIONS
        or root(class_module(kind)) != "scipy"
        or not any(class_name(base) == "rv_generic" for base in mro(kind))
    ):
        return None
    shapes = object.__getattribute__(owner, "__dict__").get("shapes")
    return tuple(re.findall(r"\w+", shapes)) if type(shapes) is str else () if shapes is None else None
