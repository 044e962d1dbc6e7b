"""Functions, classes and modules described without running their code."""

from __future__ import annotations

import inspect

from spark_jupyter.reality.module_lookup import on_module
from spark_jupyter.reality.signatures import is_function, signature
from spark_jupyter.reality.static_lookup import (
    MAYBE,
    MISSING,
    in_class,
    is_class,
    is_module,
    module_dict,
    on_class,
    plain_function,
)

_PLAIN = (str, int, float, bool, complex, bytes, type(None))


class _Unwritten:
    """In place of a default whose ``repr`` could be the user's."""

    def __repr__(self) -> str:
        return "…"


def is_described(value: object) -> bool:
    """True for what has names below it, or parameters."""
    return is_class(value) or is_module(value) or is_function(value)


def within(value: object, path: str) -> object | None:
    """What a module or class has under a dotted path; None where it is not there, or only code of theirs could tell."""
    for name in path.split("."):
        found: object = MISSING
        if not name.startswith("_") and is_module(value):
            found = on_module(value, name)
        elif not name.startswith("_") and is_class(value):
            found = on_class(value, name)
        if found is MISSING or found is MAYBE:
            return None
        value = plain_function(found)
    return value


def described(path: str, value: object) -> str:
    """``path(a, b=2)``, and the docstring; ask only for what :func:`is_described`."""
    of_module = module_dict(value).get("__doc__") if is_module(value) else None
    text = in_class(value, "__doc__") if is_class(value) else of_module if is_module(value) else value.__doc__
    said = inspect.cleandoc(text) if type(text) is str else ""
    return f"{path}{'' if is_module(value) else _parameters(value)}\n{said}"


def _parameters(value: object) -> str:
    found = signature(value)
    if found is None:
        return "(…)"  # many builtins have none
    # also of libraries: a function or class of the user's may say that it is one of theirs
    plain = [_plain(parameter) for parameter in found.parameters.values()]
    return str(found.replace(parameters=plain, return_annotation=found.empty))


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    default, annotation = parameter.default, parameter.annotation
    return parameter.replace(
        default=default if default is parameter.empty or type(default) in _PLAIN else _Unwritten(),
        annotation=annotation if type(annotation) in (str, type) else parameter.empty,
    )
