"""Stubs are read by pieces: what a name is defined as is the same as if the whole file were parsed."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy
import pytest

from spark_jupyter.reality.stub_files import Scope, defined, scope_of

WRITTEN = '''
import sys
from typing import overload, Final as F

x: int
Mode = str | None
async def later() -> int: ...

@overload
def f(a: int) -> int: ...
@deprecated(
    "use g"
)
@overload
def f(a: str,
      b: int = ...,
) -> str: ...  # a comment:

if sys.version_info >= (3, 12):
    def new() -> None: ...
else:
    def old() -> None: ...

class Empty: ...
# a comment at the margin:
class Big(
    Base,
    metaclass=Meta,
):
    # first
    """What it is:
  a text that stands before the margin."""
    size: int
    @property
    def name(self) -> str: ...
    class Inner:
        deep: int
'''
AT_THE_MARGIN = 'TEXT = """\ndef f(x) -> str:\n"""\ndef g() -> int: ...\n'


def _text(nodes: object) -> list[str]:
    """Definitions to compare: of a class its name alone."""
    return [f"class {node.name}" if isinstance(node, ast.ClassDef) else ast.unparse(node) for node in nodes]


def _all(body: list[ast.stmt]) -> dict[str, list[ast.stmt]]:
    found: dict[str, list[ast.stmt]] = {}
    for name, node in defined(body):
        found.setdefault(name, []).append(node)
    return found


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        AT_THE_MARGIN,
        *(Path(numpy.__file__).with_name(name).read_text() for name in ("exceptions.pyi", "matlib.pyi")),
        (Path(numpy.__file__).parent / "ma" / "core.pyi").read_text(),
    ],
)
def test_a_stub_by_pieces_says_what_it_says_as_a_whole(text: str) -> None:
    tree = ast.parse(text)
    scope = Scope(text.split("\n"), lambda: tree.body)
    for name, nodes in _all(tree.body).items():
        assert _text(scope.get(name)) == _text(nodes)
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        for inner, parts in _all([part for node in classes for part in node.body]).items():
            assert _text(scope.members(name).get(inner)) == _text(parts)


def test_of_a_large_stub_only_what_is_asked_for_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    parse = ast.parse
    monkeypatch.setattr(
        ast, "parse", lambda text, *rest, **more: parsed.append(len(text)) or parse(text, *rest, **more)
    )
    scope_of.cache_clear()
    assert scope_of("numpy").members("ndarray").get("reshape")
    scope_of.cache_clear()
    assert sum(parsed) < len(Path(numpy.__file__).with_name("__init__.pyi").read_text()) / 2


def test_of_what_is_no_stub_nothing_is_known() -> None:
    text = "def f(:\nx = 1"
    scope = Scope(text.split("\n"), lambda: ast.parse(text).body)
    assert (scope.get("f"), scope.get("x"), scope.members("f").get("y")) == ((), (), ())
    assert scope_of("spark_jupyter.nowhere").get("f") == ()
    assert scope_of("spark_jupyter.nowhere").members("C").get("f") == ()
