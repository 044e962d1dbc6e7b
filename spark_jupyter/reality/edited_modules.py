"""Names that the file of a user's module defines by now.

A person who works with ``%autoreload`` edits a module beside the notebook: a cell then gets what the file defines, not what the kernel
has loaded.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from spark_jupyter.reality.static_lookup import class_module, is_class, is_installed, is_module, module_dict, mro
from spark_jupyter.source.changed_names import bound_by
from spark_jupyter.source.python_parser import body_of

LARGEST = 1_000_000
"""Bytes of a file that is read."""


def binds(thing: object, name: str) -> bool:
    """True if the file of a module, or of the module of a class or its bases, defines this name now."""
    if is_module(thing):
        own = module_dict(thing).get("__name__")
        return type(own) is str and name in _names(own).get("", ())
    if not is_class(thing):
        return False
    return any(name in _names(class_module(base)).get(_qualified(base), ()) for base in mro(thing))


def takes_others(thing: object, parameters: Iterable[str]) -> bool:
    """True if a function, or the constructor of a class, has other parameters in the file of its module now."""
    if type(thing) is types.FunctionType:
        places = [(thing.__module__, thing.__qualname__)]
    elif is_class(thing):
        places = [(class_module(base), f"{_qualified(base)}.__init__") for base in mro(thing)]
    else:
        return False
    each = (_names(home).get(f"{name}()") for home, name in places if type(home) is str)
    written = next((one for one in each if one is not None), None)
    return written is not None and written - {"self"} != {*parameters} - {"self"}


def _qualified(kind: type) -> str:
    return str(type.__dict__["__qualname__"].__get__(kind))


def _names(module: str) -> dict[str, frozenset[str]]:
    """The names by the class that has them, ``""`` for the module, and by ``function()`` its parameters."""
    loaded = sys.modules.get(module)
    file = module_dict(loaded).get("__file__") if is_module(loaded) else None
    if type(file) is not str or not file.endswith(".py") or is_installed(module, file):
        return {}
    try:
        state = Path(file).stat()
    except (OSError, ValueError):  # it is gone
        return {}
    return _names_in(file, state.st_mtime_ns, state.st_size) if state.st_size <= LARGEST else {}


@lru_cache(100)
def _names_in(file: str, _changed: int, _size: int) -> dict[str, frozenset[str]]:
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):  # gone meanwhile, or not UTF-8
        return {}
    found: dict[str, frozenset[str]] = {}
    _collect(body_of(text), "", found)
    return found


def _collect(body: Iterable[ast.stmt], owner: str, found: dict[str, frozenset[str]]) -> None:
    names = set[str]()
    for statement in body:
        path = f"{owner}.{getattr(statement, 'name', '')}".lstrip(".")
        match statement:
            case ast.FunctionDef(name=name, args=given) | ast.AsyncFunctionDef(name=name, args=given):
                names.add(name)
                found[f"{path}()"] = frozenset(node.arg for node in ast.walk(given) if isinstance(node, ast.arg))
            case ast.ClassDef(name=name):
                names.add(name)
                _collect(statement.body, path, found)
                if fields := frozenset(_fields(statement.body)):  # of a dataclass
                    found.setdefault(f"{path}.__init__()", fields)
            case _:
                names.update(bound_by(ast.walk(statement)))
        if owner:  # what its methods give to self
            names.update(
                node.attr for node in ast.walk(statement) if _is_stored(node) and isinstance(node, ast.Attribute)
            )
    found[owner] = frozenset(names)


def _fields(body: Iterable[ast.stmt]) -> Iterable[str]:
    for statement in body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def _is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)
