"""Modules and their names, without importing them."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

from spark_jupyter.reality.static_lookup import (
    CACHED,
    MAYBE,
    MISSING,
    TRUSTED,
    codes_of,
    module_dict,
    on_instance,
    root,
)

DISTRIBUTIONS = {
    # modules that pip knows under another name
    "cv2": "opencv-python", "sklearn": "scikit-learn", "skimage": "scikit-image", "yaml": "PyYAML", "PIL": "pillow",
    "bs4": "beautifulsoup4", "dotenv": "python-dotenv", "dateutil": "python-dateutil", "Crypto": "pycryptodome",
    "serial": "pyserial", "fitz": "PyMuPDF", "docx": "python-docx", "pptx": "python-pptx", "OpenSSL": "pyOpenSSL",
    "umap": "umap-learn", "igraph": "python-igraph", "psycopg2": "psycopg2-binary", "google.generativeai": "google-generativeai",
}  # fmt: skip


importer: Callable[[str], object] | None = None
"""Set in the helper process only: brings modules that are not loaded. In the kernel nothing is imported."""


def loaded(name: str) -> types.ModuleType | None:
    """The module, if the kernel has it already, and does not still run it in another thread."""
    found = sys.modules.get(name) if importer is None else importer(name)
    return found if isinstance(found, types.ModuleType) and not is_initialising(found) else None


def is_initialising(module: types.ModuleType) -> bool:
    """True while a module is imported: it has a part of its names."""
    spec = module_dict(module).get("__spec__")
    return type(spec) is importlib.machinery.ModuleSpec and spec.__dict__.get("_initializing") is True


def exists(name: str) -> bool:
    """True if ``import name`` would find something, or where it can't be known. Looks at files only."""
    if name in sys.modules:
        return sys.modules[name] is not None
    top, _, rest = name.partition(".")
    if not rest:
        try:
            return _top_exists(top, tuple(part for part in sys.path if type(part) is str))
        except ModuleNotFoundError:
            return False
    parent = name.rpartition(".")[0]
    module = loaded(parent)
    if module is not None:
        return has_submodule(module_dict(module), parent, name.rpartition(".")[2])
    return exists(top) and _below(top, rest)


@lru_cache(2000)
def _top_exists(name: str, path: tuple[str, ...]) -> bool:
    """True, or a ModuleNotFoundError, which is not kept: the next cell may write the module."""
    try:
        found = importlib.util.find_spec(name) is not None
    except Exception:  # a finder of somebody's, or a module without a spec; then it can't be known
        return True
    if not found:
        raise ModuleNotFoundError
    return True


def _below(top: str, rest: str) -> bool:
    """True if ``top.rest`` lies on disk, for a package that is not loaded. Packages in between are not run."""
    path = _locations(top)
    name = top
    for part in rest.split("."):
        if path is None:
            return True
        name = f"{name}.{part}"
        if not path or not find_in(path, name):
            return False
        path = _locations_in(path, name)
    return True


@lru_cache(2000)
def _locations(name: str) -> tuple[str, ...] | None:
    module = loaded(name)
    if module is not None:
        path = module_dict(module).get("__path__", ())
        return tuple(map(str, path)) if isinstance(path, list | tuple) else None
    try:
        spec = importlib.util.find_spec(name)
    except Exception:  # as above
        return None
    return None if spec is None else tuple(spec.submodule_search_locations or ())


@lru_cache(2000)
def _locations_in(path: tuple[str, ...], name: str) -> tuple[str, ...] | None:
    try:
        spec = importlib.machinery.PathFinder.find_spec(name, list(path))
    except Exception:  # as above
        return None
    return None if spec is None else tuple(spec.submodule_search_locations or ())


def known_names() -> tuple[str, ...]:
    """Modules that can be imported here: the standard library's and those in the folders of ``sys.path``, by their names alone."""
    path = tuple(part for part in sys.path if type(part) is str)
    return tuple(sorted({*sys.stdlib_module_names, *DISTRIBUTIONS, *_lying_in(path)}))


_MOST_ENTRIES = 20_000
"""Of all folders together: the working folder is among them, and may hold anything."""


@lru_cache(4)
def _lying_in(path: tuple[str, ...]) -> frozenset[str]:
    found = set()
    for entry in islice(_entries(path), _MOST_ENTRIES):
        name, _, ending = entry.name.partition(".")
        if name.isidentifier() and name[:2] != "__" and (entry.is_dir() if not ending else ending in _MODULES):
            found.add(name)
    return frozenset(found)


_MODULES = frozenset({"py", "pyc", *(suffix.lstrip(".") for suffix in importlib.machinery.EXTENSION_SUFFIXES)})


def _entries(path: Iterable[str]) -> Iterator[os.DirEntry[str]]:
    for folder in path:
        try:
            with os.scandir(folder or ".") as entries:
                yield from entries
        except OSError:  # a zip file, or nothing
            continue


# --- What is in a module ---


def on_module(module: types.ModuleType, name: str) -> object:
    """The object ``module.name``; :data:`MISSING`, or :data:`MAYBE` where a ``__getattr__`` or a file on disk may give it."""
    names = module_dict(module)
    if name in names:
        return names[name]
    own_name = names.get("__name__")
    if own_name == "sys" and name.startswith(("last_", "ps")):
        return MAYBE  # set by the interpreter when there is something to set
    if type(own_name) is not str or (name.startswith("__") and name.endswith("__")) or is_initialising(module):
        return MAYBE
    submodule = sys.modules.get(f"{own_name}.{name}")
    if submodule is not None and type(submodule) is types.ModuleType:
        return submodule
    if type(module) is not types.ModuleType:
        return on_instance(type(module), name, exact=True) if root(own_name) in TRUSTED else MAYBE
    if submodule is not None or has_submodule(names, own_name, name):
        return MAYBE
    if any(name in _former(names, own_name, table) for table in ("__former_attrs__", "__expired_attributes__")):
        return MISSING  # numpy's own lists of what it no longer has
    hook = names.get("__getattr__")
    if hook is None:
        return MISSING
    return MISSING if root(own_name) in TRUSTED and not _hook_mentions(hook, name) else MAYBE


def has_submodule(names: Mapping[str, object], package: str, name: str) -> bool:
    """True if a package, given by its namespace, has this submodule on disk. Imports nothing."""
    path = names.get("__path__")
    if path is None:
        return False
    if type(path) is not list:
        return True  # a namespace package; what it has can change
    return find_in(tuple(part for part in path if type(part) is str), f"{package}.{name}")


@lru_cache(CACHED)
def find_in(path: tuple[str, ...], full_name: str) -> bool:
    """True if a module of this name lies in one of these directories."""
    try:
        return importlib.machinery.PathFinder.find_spec(full_name, list(path)) is not None
    except Exception:  # a finder of somebody's may raise anything; then it can't be known
        return True


def _former(names: Mapping[str, object], own_name: str, table: str) -> Mapping[str, object]:
    found = names.get(table)
    return found if own_name == "numpy" and type(found) is dict else {}


def _hook_mentions(hook: object, name: str, depth: int = 3) -> bool:
    """True if a module's ``__getattr__`` names it: in its constants, its closure or the tables that it reads, or a function that it calls
    does."""
    if isinstance(hook, functools._lru_cache_wrapper):
        hook = hook.__wrapped__
    if type(hook) is not types.FunctionType:
        return True
    scope = hook.__globals__
    codes = (*codes_of(hook),)
    if any(_holds(const, name) for code in codes for const in code.co_consts):
        return True
    reached = [scope.get(used) for code in codes for used in code.co_names]
    reached += [_cell(cell) for cell in hook.__closure__ or ()]
    if any(_holds(one, name) for one in reached):
        return True
    called = (one for one in reached if type(one) is types.FunctionType and one is not hook)
    return depth > 0 and any(_hook_mentions(one, name, depth - 1) for one in called)


def _cell(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell
        return None


def _holds(table: object, name: str) -> bool:
    if type(table) is str:
        return table == name
    if type(table) in (set, frozenset, dict):
        return name in table  # type: ignore[operator]
    return type(table) in (tuple, list) and any(type(item) is str and item == name for item in table)  # type: ignore[attr-defined]


def public_names(module: types.ModuleType) -> list[str] | None:
    """Names that ``from module import *`` brings; None where they can't be known."""
    names = module_dict(module)
    listed = names.get("__all__")
    if type(listed) in (list, tuple):
        return [name for name in listed if type(name) is str]  # type: ignore[attr-defined]
    return [name for name in list(names) if not name.startswith("_")] if listed is None else None
