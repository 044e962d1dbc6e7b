"""Variables that a cell reads and binds.

They come from Python's own parser and symbol tables.

The refactorings know more of each name, and where it stands to the character (:mod:`spark_jupyter.refactoring.scopes`), at twenty
times the cost: this is for looking at a whole notebook at once.
"""

from __future__ import annotations

import ast
import functools
import re
import symtable
from collections.abc import Iterator
from typing import NamedTuple

from spark_jupyter.source.changed_names import bound_by
from spark_jupyter.source.masking import python_of
from spark_jupyter.source.python_parser import parse_python, symbols

_AT = re.compile(r"@([^\W\d]\w*)")
_QUERIES = frozenset({"query", "eval"})
_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Read(NamedTuple):
    """A variable that is read before the cell itself binds it, with the line (from 1) where it first is."""

    name: str
    line: int
    later: bool
    """In a function, class or comprehension alone: maybe when it is called, from a cell below."""


class Needs(NamedTuple):
    """Needs of one cell. ``broken``: it is Python and can't be read."""

    reads: tuple[Read, ...] = ()
    binds: frozenset[str] = frozenset()
    broken: bool = False


@functools.lru_cache(maxsize=5_000)
def needs(source: str) -> Needs:
    """Return the names that a cell with this source reads and binds; none where something else than this kernel's Python reads it."""
    python = python_of(source)
    if python is None:
        return Needs(broken=True)
    try:
        tree, table = parse_python(python), symbols(python)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # what is no cell by itself: `return`
        return Needs(broken=True)
    outside = _Outside()
    outside.look(*tree.body)
    within, declared = _within(table)
    binds = frozenset(outside.bound | declared)
    read = {name: Read(name, line, later=False) for name, line in outside.reads.items()}
    for name, line in outside.inside.items():
        if name in within and name not in binds:
            read.setdefault(name, Read(name, line, later=True))
    for name, line in _in_queries(tree):
        if name not in binds:
            read.setdefault(name, Read(name, line, later=False))
    return Needs(tuple(sorted(read.values(), key=lambda one: one.line)), binds)


def _within(table: symtable.SymbolTable) -> tuple[set[str], set[str]]:
    """The notebook's variables that functions, classes and comprehensions use, and those that they bind."""
    used, bound = set[str](), set[str]()
    if table.get_type() == "module":  # since Python 3.12 a comprehension's names are those of what it stands in
        used = {one.get_name() for one in table.get_symbols() if one.is_global() and not one.is_local()}
    for child in table.get_children():
        for symbol in child.get_symbols():
            # Python takes a function that is called `top` for the module: there what is local is called global, too.
            if symbol.is_declared_global() or (symbol.is_global() and not symbol.is_local()):
                used.add(symbol.get_name())
                if symbol.is_assigned():
                    bound.add(symbol.get_name())
        for found, more in zip((used, bound), _within(child), strict=True):
            found |= more
    return used, bound


def _in_queries(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """``@name`` in the text of a query is a variable."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=called), args=[ast.Constant(value=str(text)), *_]) if (
                called in _QUERIES
            ):
                for found in _AT.finditer(text):
                    yield found[1], node.args[0].lineno


class _Outside:
    """Goes through what a cell evaluates by itself, in that order: ``reads`` are names that are not ``bound`` by then. ``inside`` are
    names in what has a scope of its own, whoever they belong to."""

    def __init__(self) -> None:
        self.reads: dict[str, int] = {}
        self.bound: set[str] = set()
        self.inside: dict[str, int] = {}

    def look(self, *nodes: ast.AST | None) -> None:
        """These come next."""
        for node in nodes:
            if node is not None:
                self._one(node)

    def _one(self, node: ast.AST) -> None:
        match node:
            case ast.Name(id=name, ctx=context):
                self._name(name, context, node.lineno)
            case ast.Assign(value=value, targets=targets):
                self.look(value, *targets)
            case ast.AugAssign(target=target, value=value):
                self.look(value)
                if isinstance(target, ast.Name):
                    self._name(target.id, ast.Load(), target.lineno)
                self.look(target)
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                self.look(annotation, value, target)
            case ast.For() | ast.AsyncFor():
                self.look(node.iter, node.target, *node.body, *node.orelse)
            case ast.NamedExpr(target=target, value=value):
                self.look(value, target)
            case _ if isinstance(node, _BLOCKS):
                self._block(node)
            case _ if isinstance(node, _COMPREHENSIONS):
                self.look(node.generators[0].iter)  # the rest has a scope of its own
                self._note(node)
            case _:
                self.bound.update(bound_by([node]))
                self.look(*ast.iter_child_nodes(node))

    def _block(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda) -> None:
        """Decorators, defaults, annotations and bases are evaluated where it stands."""
        if not isinstance(node, ast.Lambda):
            self.bound.add(node.name)
            self.look(*node.decorator_list)
        if isinstance(node, ast.ClassDef):
            self.look(*node.bases, *(one.value for one in node.keywords))
        else:
            self.look(*node.args.defaults, *node.args.kw_defaults)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not getattr(node, "type_params", None):
            self.look(*(one.annotation for one in _arguments(node.args)), node.returns)
        self._note(node)

    def _note(self, node: ast.AST) -> None:
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                self.inside.setdefault(one.id, one.lineno)

    def _name(self, name: str, context: ast.expr_context, line: int) -> None:
        if isinstance(context, ast.Store):
            self.bound.add(name)
        elif isinstance(context, ast.Load) and name not in self.bound:
            self.reads.setdefault(name, line)


def _arguments(given: ast.arguments) -> list[ast.arg]:
    return [
        *given.posonlyargs,
        *given.args,
        *filter(None, [given.vararg]),
        *given.kwonlyargs,
        *filter(None, [given.kwarg]),
    ]
