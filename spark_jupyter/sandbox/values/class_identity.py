"""Name and module of a class, read past its metaclass.

A metaclass of the user's may compute these, refuse them or raise.
"""

from __future__ import annotations

import types
from typing import Any

_MODULE: Any = type.__dict__["__module__"]
_NAME: Any = type.__dict__["__name__"]


def module_of(kind: type) -> str:
    """The module of a class; empty where it has none."""
    found = _MODULE.__get__(kind)
    return found if isinstance(found, str) else ""


def name_of(kind: type) -> str:
    return str(_NAME.__get__(kind))


def package_of(value: object) -> str:
    """The top package of a value's class."""
    return module_of(type(value)).partition(".")[0]


def package_behind(value: object) -> str:
    """The package of a module, a function, a class or an object; empty for Python's own and the user's. Asks no object of the user's."""
    if isinstance(value, types.ModuleType):
        name = vars(value).get("__name__")
    else:
        named = value if isinstance(value, types.FunctionType | types.BuiltinFunctionType | type) else type(value)
        name = named.__module__
    root = name.partition(".")[0] if isinstance(name, str) else ""
    return "" if root in ("builtins", "__main__", "IPython") else root
