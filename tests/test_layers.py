"""Layers of the packages, read off the imports of the code."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import spark_jupyter

ROOT = Path(spark_jupyter.__file__).parent
PURE = (
    *("protocol", "session", "prompting", "redaction", "source", "guardrail", "providers", "frames"),
    *("completions", "refactoring", "ui.text"),
)
READS_THE_KERNEL = {f"spark_jupyter.prompting.{name}" for name in ("kernel_context", "table_profile", "value_details")}
"""The files in a pure folder that do I/O; no pure file may import one."""
LOCKED = "spark_jupyter.typed_decoders"
"""What every file may import: it has a lock, which is no I/O."""
FORBIDDEN = {
    *("asyncio", "websockets", "httpx", "IPython", "comm", "ipywidgets", "socket", "ssl", "subprocess", "threading"),
    *("time", "random", "secrets", "uuid", "tempfile", "multiprocessing", "selectors", "signal"),
    "spark_jupyter.ids",
}
DOWN = {
    "ui.cli": {
        *("agents", "ui", "ui.text", "engine", "recordings", "records", "review", "routing", "sandbox", "connection"),
        "server",
    },
    "ui": {"ui.text", "engine", "recordings", "records", "review", "routing", "sandbox", "connection", "server"},
    "agents": {"ui.text"},
    "engine": {"recordings", "records", "review", "routing", "sandbox", "connection"},
    "recordings": set(),
    "records": {"recordings"},
    "review": {"sandbox"},
    "routing": {"agents", "connection", "records"},
    "sandbox": set(),
    "server": {"recordings"},
    "connection": {"server"},
    "voice": {"server"},
    "ui.text": set(),
    "session": set(),
    "refactoring": set(),
    "completions": set(),
    "prompting": set(),
    "redaction": set(),
    "reality": set(),
    "guardrail": set(),
    "providers": set(),
    "source": set(),
    "frames": set(),
    "protocol": set(),
}
"""Which of the packages that do I/O a package may import."""
BELOW = {
    "agents": {"providers", "source", "protocol"},
    "ui.text": {"session", "prompting", "redaction", "source", "protocol"},
    "recordings": {"prompting", "redaction", "providers", "source", "protocol"},
    "records": {"session", "redaction", "protocol"},
    "review": {"completions", "reality", "guardrail", "source", "protocol"},
    "routing": {"session", "prompting", "providers", "source", "protocol"},
    "session": {"prompting", "redaction", "guardrail", "refactoring", "completions", "providers", "source", "protocol"},
    "refactoring": {"completions", "prompting", "redaction", "providers", "source", "protocol"},
    "completions": {"prompting", "redaction", "providers", "source", "protocol"},
    "prompting": {"redaction", "providers", "source", "frames", "protocol"},
    "redaction": {"source", "protocol"},
    "reality": {"source", "frames", "protocol"},
    "guardrail": {"source", "protocol"},
    "server": {"prompting", "redaction", "providers", "source", "protocol"},
    "sandbox": {"session", "reality", "source", "frames", "protocol"},
    "connection": {"providers", "protocol"},
    "providers": {"source", "protocol"},
    "source": set(),
    "frames": set(),
    "protocol": set(),
}
"""Which of the other packages a package may import; ui and engine may import all of them."""


def name_of(path: Path) -> str:
    """The dotted name of a module of the package."""
    parts = ["spark_jupyter", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(name: str) -> str:
    """The package that a module lies in; empty for the few files above them."""
    parts = name.split(".")
    if ".".join(parts[1:3]) in DOWN:
        return ".".join(parts[1:3])
    return parts[1] if parts[1:] and (ROOT / parts[1]).is_dir() else ""


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if "labextension" not in path.parts)


BY_NAME = {name_of(path): path for path in modules()}


class Import(NamedTuple):
    """What one import statement names: modules, and names of a module."""

    names: tuple[str, ...]
    in_function: bool
    for_types: bool


class Read(NamedTuple):
    """What the tests ask of a module's text. It is parsed once for all of them."""

    imports: tuple[Import, ...]
    constants: tuple[str, ...]
    """The names in capitals that are given at its top, each as often as it is given."""
    first_line: str
    """Of its docstring."""


@functools.cache
def read(name: str) -> Read:
    """What a module of the package says."""
    tree = ast.parse(BY_NAME[name].read_text(encoding="utf-8"))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    constants = (target.id for target in targets if isinstance(target, ast.Name) and target.id.isupper())
    return Read(tuple(statements(tree)), tuple(constants), (ast.get_docstring(tree) or "").partition("\n")[0])


def statements(tree: ast.AST, *, in_function: bool = False, for_types: bool = False) -> Iterator[Import]:
    """The import statements of a tree. What is no statement holds none."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield Import(tuple(alias.name for alias in node.names), in_function, for_types)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
            yield Import(names, in_function, for_types)
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            of_types = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            deeper = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from statements(node, in_function=deeper, for_types=for_types or of_types)


@functools.cache
def imports(name: str, *, at_once: bool = False) -> frozenset[str]:
    """The modules that a module of the package imports, wherever the import stands, but for types; ``at_once``: without what its functions
    do when called."""
    ours = [one for one in read(name).imports if not one.for_types and not (at_once and one.in_function)]
    found = {module for one in ours for module in one.names}
    return frozenset(module for module in found if module in BY_NAME or not module.startswith("spark_jupyter"))


@functools.cache
def reached(name: str) -> frozenset[str]:
    """The modules that a module brings in, imports of imports included."""
    found: set[str] = set()
    ahead = [name]
    while ahead:
        for module in imports(ahead.pop()):
            if module not in found:
                found.add(module)
                ahead += [module] if module in BY_NAME and module != LOCKED else []
    return frozenset(found)


@functools.cache
def named(name: str) -> frozenset[str]:
    """As :func:`imports`, what is imported for types only included."""
    return frozenset({module for one in read(name).imports for module in one.names} & BY_NAME.keys())


PURE_MODULES = sorted(name for name in BY_NAME if package_of(name) in PURE and name not in READS_THE_KERNEL)


def test_a_pure_module_does_no_io_nor_does_what_it_imports():
    found = {
        name: {one for one in reached(name) if {one, one.split(".")[0]} & (FORBIDDEN | READS_THE_KERNEL)}
        for name in PURE_MODULES
    }
    assert not {name: modules for name, modules in found.items() if modules}


def test_arrows_point_down():
    up = []
    for name in BY_NAME:
        package = package_of(name)
        if not package:
            continue
        allowed = DOWN[package] | BELOW.get(package, BELOW.keys()) | {package, ""}
        up += [f"{name} -> {module}" for module in named(name) if package_of(module) not in allowed]
    assert not up


def test_no_file_imports_itself_by_way_of_others():
    """Types included: a circle that only a type closes is one for the reader, too."""
    graph = {name: {module for module in named(name) if BY_NAME[module].name != "__init__.py"} for name in BY_NAME}
    circles = set()
    for start in graph:
        seen, ahead = set(), [start]
        while ahead:
            new = graph[ahead.pop()] - seen
            seen |= new
            ahead += new
        if start in seen:
            circles.add(start)
    assert not circles


@pytest.mark.parametrize("library", ["websockets", "httpx"])
def test_only_connections_and_the_server_import_the_network_libraries(library):
    users = {package_of(name) for name in BY_NAME if library in {module.split(".")[0] for module in imports(name)}}
    assert users <= {"connection", "server"}


@pytest.mark.parametrize("late", ["spark_jupyter.reality", "spark_jupyter.guardrail", "websockets", "httpx", "libcst"])
def test_loading_the_extension_does_not_wait_for_what_is_needed_later(late):
    """What is large comes with the first prompt that needs it, or meanwhile in a thread."""
    found, ahead = set(), ["spark_jupyter.ui.ipython_extension"]
    while ahead:
        fresh = imports(ahead.pop(), at_once=True) - found
        found |= fresh
        ahead += [name for name in fresh if name in BY_NAME]
    assert not {name for name in found if name == late or name.startswith(f"{late}.")}


MOST_ANCESTORS = 2


def test_code_is_shared_by_composition_and_not_by_chains_of_classes():
    """Exceptions are left out: theirs is a classification."""
    classes = [
        value
        for name in BY_NAME
        if not name.endswith(("__main__", "llama_process"))
        for value in vars(importlib.import_module(name)).values()
        if isinstance(value, type) and value.__module__ == name and not issubclass(value, BaseException)
    ]
    own = {one: [base for base in one.__mro__[1:] if base.__module__ in BY_NAME] for one in classes}
    deeper = {f"{one.__module__}.{one.__qualname__}" for one, bases in own.items() if len(bases) > MOST_ANCESTORS}
    assert not deeper


def test_no_constant_is_given_twice():
    twice = []
    for name in BY_NAME:
        twice += [f"{name}: {constant}" for constant, count in Counter(read(name).constants).items() if count > 1]
    assert not twice


REPOSITORY = Path(__file__).parents[1]
BROWSER = REPOSITORY / "labextension" / "src"
PAGE = REPOSITORY / "docs" / "architecture.md"
PACKAGES_ON_THE_PAGE = [
    row.rstrip("/").replace("/", ".")
    for row in re.findall(r"(?m)^\| `([\w/]+)` \|", PAGE.read_text(encoding="utf-8"))
    if not row.startswith("labextension/")
]


def named_files(text: str) -> list[str]:
    """The files and folders that stand between backquotes in a text."""
    return re.findall(r"`([\w/]+(?:\.(?:py|tsx?|toml)|/))`", text)


def test_what_the_page_on_the_structure_names_is_there():
    folders = [folder for folder in ROOT.rglob("*") if folder.is_dir()]
    places = (*folders, ROOT, REPOSITORY, BROWSER)
    found = named_files(PAGE.read_text(encoding="utf-8"))
    assert len(found) > 60
    assert not [name for name in found if not any((place / name).exists() for place in places)]


def test_every_package_has_its_row_on_the_page_and_arrows_point_down_there():
    assert set(PACKAGES_ON_THE_PAGE) == DOWN.keys()
    place = {package: number for number, package in enumerate(PACKAGES_ON_THE_PAGE)}
    arrows = {(package_of(name), package_of(module)) for name in BY_NAME for module in named(name)}
    assert not [(package, below) for package, below in arrows if package and below and place[package] > place[below]]


@pytest.mark.parametrize("package", DOWN)
def test_what_a_package_says_of_its_files_is_so(package):
    folder = ROOT / package.replace(".", "/")
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    places = (folder, folder / "engines", ROOT, REPOSITORY, BROWSER)
    assert not [name for name in named_files(said) if not any((place / name).exists() for place in places)]


SAME_ROLE = {"__init__", "__main__", "base"}


def test_no_two_modules_have_the_same_name_but_in_the_same_role():
    """A reader who knows the name of a module knows which one is meant."""
    names = Counter(path.stem for path in modules() if path.stem not in SAME_ROLE)
    assert not [name for name, count in names.items() if count > 1]


def test_the_first_line_of_a_module_says_what_it_does():
    """Subject first, in a line: as much of that as a machine can hold."""
    first_lines = {name: read(name).first_line for name, path in BY_NAME.items() if path.stat().st_size}
    assert not {name: line for name, line in first_lines.items() if not line.endswith(".") or len(line) > 100}
    riddle = re.compile(r"(?:What|That|How|Whether|Where|Who|Which)\b")
    assert not {name: line for name, line in first_lines.items() if riddle.match(line)}
