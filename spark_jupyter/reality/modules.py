"""Whether a module can be imported, found out without importing anything."""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Callable
from functools import lru_cache

from spark_jupyter.reality.lookup import find_in, has_submodule, module_dict

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
    """The module, if the kernel has it already."""
    found = sys.modules.get(name) if importer is None else importer(name)
    return found if isinstance(found, types.ModuleType) else None


def exists(name: str) -> bool:
    """Whether ``import name`` would find something. Looks at files only; True where it can't be known."""
    if name in sys.modules:
        return sys.modules[name] is not None
    top, _, rest = name.partition(".")
    if not rest:
        return _top_exists(top, tuple(part for part in sys.path if type(part) is str))
    parent = name.rpartition(".")[0]
    module = loaded(parent)
    if module is not None:
        return has_submodule(module_dict(module), parent, name.rpartition(".")[2])
    return exists(top) and _below(top, rest)


@lru_cache(2000)
def _top_exists(name: str, path: tuple[str, ...]) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except Exception:  # a finder of somebody's, or a module without a spec; then it can't be known
        return True


def _below(top: str, rest: str) -> bool:
    """Whether ``top.rest`` lies on disk, for a package that is not loaded. Packages in between are not run."""
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
    from importlib.machinery import PathFinder

    try:
        spec = PathFinder.find_spec(name, list(path))
    except Exception:  # as above
        return None
    return None if spec is None else tuple(spec.submodule_search_locations or ())


@lru_cache(1)
def known_names() -> tuple[str, ...]:
    """Modules that can be imported here: the standard library's and those of the installed distributions."""
    from importlib.metadata import packages_distributions

    return tuple(sorted({*sys.stdlib_module_names, *packages_distributions(), *DISTRIBUTIONS}))
