"""Name and module of a class, read past its metaclass.

A metaclass of the user's may compute these, refuse them or raise.
"""

from __future__ import annotations

from typing import Any

_MODULE: Any = type.__dict__["__module__"]
_NAME: Any = type.__dict__["__name__"]


def module_of(kind: type) -> str:
    """The module of a class; empty where it has none."""
    found = _MODULE.__get__(kind)
    return found if isinstance(found, str) else ""


def name_of(kind: type) -> str:
    """The name of a class."""
    return str(_NAME.__get__(kind))


def package_of(value: object) -> str:
    """The top package of a value's class."""
    return module_of(type(value)).partition(".")[0]
