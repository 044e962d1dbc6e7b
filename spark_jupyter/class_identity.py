"""Name, module and identity of a class, read past its metaclass.

A metaclass of the user's may compute these, refuse them or raise; so may its ``__eq__`` and ``__hash__``, which ``in`` asks.
"""

from __future__ import annotations

import types
from collections.abc import Iterable

_module = type.__dict__["__module__"].__get__
_name = type.__dict__["__name__"].__get__


def class_module(kind: type) -> str:
    """The module of a class; empty where it has none."""
    found = _module(kind)
    return found if type(found) is str else ""


def class_name(kind: type) -> str:
    return str(_name(kind))


def is_one_of(kind: type, kinds: Iterable[type]) -> bool:
    """Return whether a class is one of these."""
    return any(kind is one for one in kinds)


def package_of(value: object) -> str:
    """The top package of a value's class."""
    return class_module(type(value)).partition(".")[0]


def package_behind(value: object) -> str:
    """The package of a module, a function, a class or an object; empty for Python's own and the user's. Asks no object of the user's."""
    if isinstance(value, types.ModuleType):
        name = vars(value).get("__name__")
    else:
        named = value if isinstance(value, types.FunctionType | types.BuiltinFunctionType | type) else type(value)
        name = named.__module__
    root = name.partition(".")[0] if isinstance(name, str) else ""
    return "" if root in ("builtins", "__main__", "IPython") else root
