"""Reader of parts of ``.pyi`` files."""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from spark_jupyter.reality.static_lookup import root
from spark_jupyter.source.python_parser import parse_python

Definition = ast.FunctionDef | ast.AsyncFunctionDef
TYPE_ALIASES: Final[tuple[Any, ...]] = tuple(filter(None, [getattr(ast, "TypeAlias", None)]))  # Python 3.12
"""``type Kind = Literal["a"]``."""

_GOES_ON: Final = re.compile(r"[)\]}#]|(?:else|elif|except|finally)\b")
_NAMED: Final = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)|(\w+)\s*(?::|=(?!=))")


class Scope:
    """The definitions in a block of a stub, by name; several for an overload, or for both branches of a condition."""

    def __init__(self, lines: Sequence[str], whole: Callable[[], list[ast.stmt]]) -> None:
        """``lines`` are the block's, from its margin, ``whole`` parses them all."""
        self._lines = lines
        self._whole = whole
        self._blocks: dict[str, list[tuple[int, int]]] = {}
        self._known: dict[str, list[ast.stmt]] = {}
        self._members: dict[str, Scope] = {}
        try:
            self._cut()
        except SyntaxError:
            self._read_whole()

    def _cut(self) -> None:
        lines = self._lines
        for first, end, start in _blocks(lines):
            match = _NAMED.match(lines[start])
            name = (match[1] or match[2]) if match is not None else ""
            if name and name not in _KEYWORDS:
                self._blocks.setdefault(name, []).append((first, end))
            else:  # an import, or a condition with definitions in it
                for one, node in defined(self._parsed(first, end)):
                    self._known.setdefault(one, []).append(node)

    def _read_whole(self) -> None:
        """Parse all of it; nothing is known of a file that is not Python."""
        self._blocks, self._known = {}, {}
        try:
            body = self._whole()
        except SyntaxError:
            return
        for one, node in defined(body):
            self._known.setdefault(one, []).append(node)

    def get(self, name: str) -> Sequence[ast.stmt]:
        """The definitions of a name; of a class its name alone, as :meth:`members` has the rest."""
        blocks = self._blocks.pop(name, ())
        try:
            found = [node for block in blocks for node in self._statement(name, *block)]
        except SyntaxError:
            self._read_whole()
            found = []
        if found:
            self._known[name] = [*found, *self._known.get(name, ())]
        return self._known.get(name, ())

    def _statement(self, name: str, first: int, end: int) -> list[ast.stmt]:
        body = _body_of(self._lines[first:end])
        if body is None:
            return [node for _, node in defined(self._parsed(first, end))]
        self._members[name] = Scope(body, lambda: _inside(self._parsed(first, end)))
        return parse_python(f"class {name}: ...").body

    def members(self, name: str) -> Scope:
        """The definitions in a class of this block."""
        classes = self.get(name)
        if name not in self._members:
            self._members[name] = Scope((), lambda: _inside(classes))
            self._members[name]._read_whole()
        return self._members[name]

    def _parsed(self, first: int, end: int) -> list[ast.stmt]:
        return parse_python("\n".join(self._lines[first:end])).body


_KEYWORDS: Final = frozenset({"if", "else", "try", "for", "while", "with", "from", "import", "pass"})


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The statements at the margin: their first line, the line behind their last one, and the line behind their decorators."""
    first, start, decorated = -1, -1, False
    for number, line in enumerate(lines):
        if not line or line[0] in " \t" or _GOES_ON.match(line):
            continue
        if decorated:
            start = number
        else:
            if first >= 0:
                yield first, number, start
            first = start = number
        decorated = line.startswith("@")
    if first >= 0:
        yield first, len(lines), start


def _inside(nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
    return [part for node in nodes if isinstance(node, ast.ClassDef) for part in node.body]


def _body_of(lines: Sequence[str]) -> list[str] | None:
    """The lines in a class, from their margin; None where it is no class, or is all in one line."""
    start = next((number for number, line in enumerate(lines) if line.startswith("class ")), None)
    if start is None:
        return None
    for number in range(start, len(lines)):
        line = lines[number]
        if line[:1] not in ("", " ", "\t") and line.partition("#")[0].rstrip().endswith(":"):
            body = lines[number + 1 :]
            margin = next((len(one) - len(one.lstrip()) for one in body if one.strip() and one.lstrip()[0] != "#"), 0)
            return [one[margin:] for one in body] if margin else None
    return None


def defined(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """The definitions in statements, by name, of both branches where a condition asks for a version."""
    for node in body:
        if isinstance(node, ast.If):
            yield from defined([*node.body, *node.orelse])
        elif isinstance(node, Definition | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node
        elif isinstance(node, TYPE_ALIASES):
            yield node.name.id, node
        elif isinstance(node, ast.ImportFrom | ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], node


NOTHING: Final = Scope((), list)


@functools.lru_cache(256)
def scope_of(module: str) -> Scope:
    """The definitions in a module's stub; nothing where it has none."""
    path = _path_of(module)
    if path is None:
        return NOTHING
    try:
        text = path.read_text(encoding="utf-8")
        return Scope(text.split("\n"), lambda: parse_python(text).body)
    except (OSError, ValueError, RecursionError):
        return NOTHING


def _path_of(module: str) -> Path | None:
    if root(module) in sys.stdlib_module_names:
        return _beside(_typeshed(), module.split("."))
    file = getattr(sys.modules.get(module), "__file__", None)
    package = getattr(sys.modules.get(root(module)), "__file__", None)
    if type(file) is str:
        path = Path(file)
        stub = path.with_name(f"{path.name.partition('.')[0]}.pyi")
        if stub.is_file():
            return stub
    if type(package) is not str:
        return None
    folder = Path(package).parent
    if Path(package).name.partition(".")[0] == "__init__":
        own = folder.joinpath(*module.split(".")[1:]).with_suffix(".py")  # its types alone, which nothing imports
        if module.endswith("._typing") and own.is_file():
            return own
        folder = folder.parent
    return _beside(folder / f"{root(module)}-stubs", module.split(".")[1:])


def _beside(folder: Path | None, parts: list[str]) -> Path | None:
    if folder is None:
        return None
    place = folder.joinpath(*parts)
    tried = (place / "__init__.pyi", place.with_name(f"{place.name}.pyi"))
    return next((path for path in tried if path.is_file()), None)


@functools.lru_cache(1)
def _typeshed() -> Path | None:
    found = importlib.util.find_spec("jedi")
    return Path(found.origin).parent / "third_party" / "typeshed" / "stdlib" if found and found.origin else None
