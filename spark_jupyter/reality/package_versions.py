"""Versions of Python and of packages, and which packages are missing."""

from __future__ import annotations

import functools
import importlib.metadata
import platform
import re
import sys
import types
from collections.abc import Iterable, Mapping

from spark_jupyter.reality.module_lookup import DISTRIBUTIONS, exists
from spark_jupyter.reality.static_lookup import module_dict

_MODULES = {distribution.lower(): module for module, distribution in DISTRIBUTIONS.items()}
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z][\w-]*")
_MOST_ASKED = 12
_ORDINARY = frozenset(
    "accelerate awkward backoff black bleach bottle celery click coverage dash datasets decorator deprecated dill distributed docker "
    "evaluate future hypothesis implicit invoke kaggle kubernetes lightning markdown mesa mock nose notebook packaging panel parquet "
    "pint poetry pony prince quart ray regex requests rich rope ruff six stripe tables tenacity tornado twine validators vega "
    "watchdog watermark wheel wikipedia".split()
)
"""Words of a prompt that are no packages: "save it as parquet" needs none of that name."""


def versions(namespace: Mapping[str, object], *, prompt: str, sources: Iterable[str], known: frozenset[str]) -> str:
    """A line with the versions of Python and of the packages that the kernel's names come from, and a line for each other package that
    cells import or the prompt names: its version, or that it is not installed.

    ``known`` are the names of packages that count in a prompt, as pip has them; a word of a prompt may be any word.
    """
    used = sorted(_packages(namespace), key=str.lower)
    base = ", ".join([f"Python {platform.python_version()}", *(f"{name} {_version(name)}".strip() for name in used)])
    asked = [name for source in sources for name in _IMPORT.findall(source)]
    packages = known - _ORDINARY
    asked += [_module(word) for word in _WORD.findall(prompt) if word.lower() in packages or word in DISTRIBUTIONS]
    others = [name for name in dict.fromkeys(asked) if name not in used and not _is_pythons(name)]
    return "\n".join([base, *map(_asked_line, others[:_MOST_ASKED])])


def _asked_line(name: str) -> str:
    distribution = DISTRIBUTIONS.get(name, name)
    title = distribution if distribution == name else f"{distribution} (import {name})"
    return f"{title} {_version(name)}".strip() if exists(name) else f"{title}: not installed"


def _module(word: str) -> str:
    """The module of a package, as ``import`` has it."""
    return _MODULES.get(word.lower(), word if word in DISTRIBUTIONS else word.lower().replace("-", "_"))


def _is_pythons(name: str) -> bool:
    return name in sys.stdlib_module_names or name.startswith("_") or name in ("IPython", "ipykernel", "spark_jupyter")


def _packages(namespace: Mapping[str, object]) -> set[str]:
    """The packages that modules, classes and functions of the namespace come from."""
    found = set()
    for name, value in list(namespace.items()):
        if name.startswith("_"):
            continue
        if type(value) is types.ModuleType:
            home = module_dict(value).get("__name__")
        elif type(value) is types.FunctionType:
            home = value.__globals__.get("__name__")
        elif type(value) is type:
            home = type.__getattribute__(value, "__dict__").get("__module__")
        else:
            continue
        root = home.partition(".")[0] if type(home) is str else ""
        if root and root in sys.modules and root != "__main__" and not _is_pythons(root):
            found.add(root)
    return found


def _version(name: str) -> str:
    """The version in a package itself, else in its metadata; empty where neither has one."""
    module = sys.modules.get(name)
    said = module_dict(module).get("__version__") if type(module) is types.ModuleType else None
    return said if type(said) is str else _distribution_version(DISTRIBUTIONS.get(name, name))


@functools.lru_cache(200)
def _distribution_version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except Exception:  # not installed, or its metadata is damaged
        return ""
