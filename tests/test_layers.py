"""The walls of DESIGN §2, read off the code's own imports."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from pathlib import Path

import pytest

import spark_jupyter

ROOT = Path(spark_jupyter.__file__).parent
PURE = (
    "messages",
    "session",
    "transitions",
    "withholding",
    "dialogue",
    "actions",
    "writing",
    "drafts",
    "ledger",
    "meter",
    "budget",
    "frames",
    "stream",
    "blocks",
    "openblock",
    "fences",
    "notebook",
    "prompts",
    "asserts",
    "trying",
    "repeats",
    "race",
    "racing",
    "options",
    "presence",
    "turnview",
    "exceptions",
)
FORBIDDEN = {"asyncio", "websockets", "httpx", "IPython", "comm", "ipywidgets", "socket", "subprocess", "threading"}


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """The modules that a file names in its imports, wherever they stand."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return frozenset(found)


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if "labextension" not in path.parts)


@pytest.mark.parametrize("name", PURE)
def test_a_pure_module_does_no_io(name):
    roots = {module.split(".")[0] for module in imports(ROOT / f"{name}.py")}
    assert not roots & FORBIDDEN


@pytest.mark.parametrize("path", sorted((ROOT / "providers").glob("*.py")), ids=lambda path: path.name)
def test_a_provider_does_no_io(path):
    roots = {module.split(".")[0] for module in imports(path)}
    assert not roots & FORBIDDEN


@pytest.mark.parametrize("library", ["websockets", "httpx"])
def test_only_connections_and_the_server_import_the_network_libraries(library):
    users = {
        path.relative_to(ROOT).parts[0] for path in modules() if library in {m.split(".")[0] for m in imports(path)}
    }
    assert users <= {"connection", "server"}


def test_the_session_and_what_is_below_it_know_no_front_end():
    above = (
        "loading",
        "magics",
        "terminal",
        "widget",
        "cli",
        "comm",
        "pair",
        "asking",
        "engine",
        "broadcast",
        "checks",
        "link",
    )
    fronts = {f"spark_jupyter.{name}" for name in above}
    for name in PURE:
        assert not imports(ROOT / f"{name}.py") & fronts


def test_no_file_of_the_repository_names_a_place_of_this_machine_or_a_registry():
    here = re.compile(r"/(?:work|root)/(?:main|shared)|" + "registry" + r"\.npmjs|" + "files" + r"\.pythonhosted")
    for path in modules():
        assert not here.search(path.read_text(encoding="utf-8")), path


def test_no_constant_is_given_twice():
    twice = []
    for path in modules():
        body = ast.parse(path.read_text(encoding="utf-8")).body
        targets = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
        names = Counter(target.id for target in targets if isinstance(target, ast.Name) and target.id.isupper())
        twice += [f"{path.relative_to(ROOT)}: {name}" for name, count in names.items() if count > 1]
    assert not twice


def test_what_the_page_on_the_structure_names_is_there():
    repository = Path(__file__).parents[1]
    page = repository / "docs" / "structure.md"
    places = (ROOT, ROOT / "reality", ROOT / "server", repository, repository / "labextension" / "src")
    named = re.findall(r"`([\w/]+(?:\.(?:py|tsx?)|/))`", page.read_text(encoding="utf-8"))
    assert len(named) > 60
    assert not [name for name in named if not any((place / name).exists() for place in places)]
