"""Scopes of names over LibCST's tree.

The cells of a notebook share one namespace: a name that no function, class or comprehension of its cell binds is the same variable in all
of them. The rules are those of Python's reference, "Naming and binding", 4.2. LibCST's own ``ScopeProvider`` is not used: it binds nothing
in a ``match`` pattern, knows no ``global`` of a name that it has not seen, and has no place for the names of imports and declarations.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import Literal

import libcst as cst
from msgspec import Struct

from spark_jupyter.refactoring.cell_tree import Page, Place, page

Kind = Literal["read", "write", "change", "delete", "declare", "import", "define", "parameter"]
"""Kinds of use of a variable: ``change`` reads and writes it (``+=``), ``declare`` is a ``global``; ``import`` and ``define`` (``def``,
``class``) write it."""
BINDS: frozenset[Kind] = frozenset({"write", "change", "import", "define", "parameter"})

_AT = re.compile(r"@([^\W\d]\w*)")
_QUERIES = frozenset({"query", "eval"})


class Use(Struct, frozen=True):
    """A use of a name. ``scope`` is the one that binds it: 0 is the notebook's, others are the cell's own. ``inside`` is the one it
    stands in. ``imported``: of an import the whole alias (``numpy as np``)."""

    name: str
    place: Place
    kind: Kind
    scope: int
    inside: int
    imported: Place | None = None


ScopeKind = Literal["module", "function", "class", "comprehension"]


class _Scope:
    def __init__(self, number: int, kind: ScopeKind, parent: _Scope | None) -> None:
        self.number = number
        self.kind = kind
        self.parent = parent
        self.bound: set[str] = set()
        self.since: dict[str, int] = {}
        """Statement that binds a name first: before it, a class body sees the outer name."""
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    def resolve(self, name: str, kind: Kind, statement: int) -> _Scope:
        """Find the scope that binds a name used here."""
        scope: _Scope = self
        while scope.parent is not None:
            if name in scope.globals:
                return scope.module
            if name in scope.bound - scope.nonlocals and scope._sees(name, kind, statement, is_own=scope is self):
                return scope
            scope = scope.parent
        return scope

    def _sees(self, name: str, kind: Kind, statement: int, *, is_own: bool) -> bool:
        """True if a class body sees the name: only its own, later statements do."""
        return self.kind != "class" or (is_own and (kind != "read" or self.since[name] < statement))

    @property
    def module(self) -> _Scope:
        return self if self.parent is None else self.parent.module


class _Found(Struct):
    name: str
    place: Place
    kind: Kind
    scope: _Scope
    statement: int
    imported: Place | None = None


class _Reader(cst.CSTVisitor):
    """Visitor of a cell that tracks the current scope."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self.found: list[_Found] = []
        self.scopes = [_Scope(0, "module", None)]
        self.scope_of: dict[cst.CSTNode, int] = {}
        self._scope = self.scopes[0]
        self._stored: dict[cst.CSTNode, Kind] = {}
        self._statement = 0

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        self._statement += 1

    # --- scopes ------------------------------------------------------------------------------------------------------

    def _open(self, node: cst.CSTNode, kind: ScopeKind) -> _Scope:
        before = self._scope
        self._scope = _Scope(len(self.scopes), kind, before)
        self.scopes.append(self._scope)
        self.scope_of[node] = self._scope.number
        return before

    def _visit(self, *nodes: cst.CSTNode | None) -> None:
        for node in nodes:
            if node is not None:
                node.visit(self)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self._bind(node.name, "define")
        self._visit(*node.decorators)
        self._outside_of_parameters(node.params)
        before = self._scope if node.type_parameters is None else self._open(node.type_parameters, "function")
        self._visit(node.type_parameters)
        self._visit(*(param.annotation for param in _all(node.params)))
        self._visit(node.returns)
        outer = self._open(node, "function")
        self._parameters(node.params)
        self._visit(node.body)
        self._scope = outer if node.type_parameters is None else before
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        self._outside_of_parameters(node.params)
        before = self._open(node, "function")
        self._parameters(node.params)
        self._visit(node.body)
        self._scope = before
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self._bind(node.name, "define")
        self._visit(*node.decorators)
        before = self._scope if node.type_parameters is None else self._open(node.type_parameters, "function")
        self._visit(node.type_parameters, *node.bases, *node.keywords)
        outer = self._open(node, "class")
        self._visit(node.body)
        self._scope = outer if node.type_parameters is None else before
        return False

    def _outside_of_parameters(self, params: cst.Parameters) -> None:
        self._visit(*(param.default for param in _all(params)))

    def _parameters(self, params: cst.Parameters) -> None:
        for param in _all(params):
            self._bind(param.name, "parameter")

    def visit_GeneratorExp(self, node: cst.GeneratorExp) -> bool:
        return self._comprehension(node, node.for_in, node.elt)

    def visit_ListComp(self, node: cst.ListComp) -> bool:
        return self._comprehension(node, node.for_in, node.elt)

    def visit_SetComp(self, node: cst.SetComp) -> bool:
        return self._comprehension(node, node.for_in, node.elt)

    def visit_DictComp(self, node: cst.DictComp) -> bool:
        return self._comprehension(node, node.for_in, node.key, node.value)

    def _comprehension(self, node: cst.CSTNode, first: cst.CompFor, *elements: cst.CSTNode) -> bool:
        """Visit a comprehension: its first iterable is evaluated outside of it."""
        self._visit(first.iter)
        before = self._open(node, "comprehension")
        loop: cst.CompFor | None = first
        while loop is not None:
            self._store(loop.target, "write")
            self._visit(loop.target, None if loop is first else loop.iter, *loop.ifs)
            loop = loop.inner_for_in
        self._visit(*elements)
        self._scope = before
        return False

    # --- what binds --------------------------------------------------------------------------------------------------

    def _bind(self, node: cst.BaseExpression, kind: Kind, imported: Place | None = None) -> None:
        if isinstance(node, cst.Name):
            self._note(node.value, self.page.place(node), kind, self._scope, imported)

    def _note(self, name: str, place: Place, kind: Kind, scope: _Scope, imported: Place | None = None) -> None:
        if kind in BINDS or kind == "delete":
            scope.bound.add(name)
            scope.since.setdefault(name, self._statement)
        self.found.append(_Found(name, place, kind, scope, self._statement, imported))

    def _store(self, target: cst.BaseExpression, kind: Kind) -> None:
        """Visit a target: its names are bound, its attributes and items only read."""
        match target:
            case cst.Name():
                self._stored[target] = kind
            case cst.Tuple(elements=elements) | cst.List(elements=elements):
                for element in elements:
                    self._store(element.value, kind)
            case _:
                pass

    def visit_Assign(self, node: cst.Assign) -> bool:
        """Visit the value first, as at run time."""
        for target in node.targets:
            self._store(target.target, "write")
        self._visit(node.value, *(target.target for target in node.targets))
        return False

    def visit_AugAssign(self, node: cst.AugAssign) -> bool:
        self._store(node.target, "change")
        self._visit(node.value, node.target)
        return False

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        self._store(node.target, "write")
        self._visit(node.annotation, node.value, node.target)
        return False

    def visit_For(self, node: cst.For) -> bool:
        self._store(node.target, "write")
        self._visit(node.iter, node.target, node.body, node.orelse)
        return False

    def visit_AsName(self, node: cst.AsName) -> None:
        self._store(node.name, "write")

    def visit_Del(self, node: cst.Del) -> None:
        self._store(node.target, "delete")

    def visit_NamedExpr(self, node: cst.NamedExpr) -> bool:
        """Visit ``:=``, which binds outside of a comprehension."""
        self._visit(node.value)
        scope = self._scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        if isinstance(node.target, cst.Name):
            self._note(node.target.value, self.page.place(node.target), "write", scope)
        return False

    def visit_MatchAs(self, node: cst.MatchAs) -> None:
        if node.name is not None:
            self._stored[node.name] = "write"

    def visit_MatchStar(self, node: cst.MatchStar) -> None:
        if node.name is not None:
            self._stored[node.name] = "write"

    def visit_MatchMapping(self, node: cst.MatchMapping) -> None:
        if node.rest is not None:
            self._stored[node.rest] = "write"

    def visit_TypeAlias(self, node: cst.TypeAlias) -> None:
        self._stored[node.name] = "write"

    def visit_TypeParam(self, node: cst.TypeParam) -> None:
        self._stored[node.param.name] = "write"

    def visit_Import(self, node: cst.Import) -> bool:
        for alias in node.names:
            self._import(alias, alias.name)
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
            self._import(alias, alias.name)
        return False

    def _import(self, alias: cst.ImportAlias, name: cst.BaseExpression) -> None:
        if alias.asname is not None:
            self._bind(alias.asname.name, "import", self.page.place(alias))
            return
        while isinstance(name, cst.Attribute):
            name = name.value
        self._bind(name, "import", self.page.place(alias))

    def visit_Global(self, node: cst.Global) -> bool:
        for item in node.names:
            self._scope.globals.add(item.name.value)
            self._note(item.name.value, self.page.place(item.name), "declare", self._scope)
        return False

    def visit_Nonlocal(self, node: cst.Nonlocal) -> bool:
        for item in node.names:
            self._scope.nonlocals.add(item.name.value)
            self._note(item.name.value, self.page.place(item.name), "declare", self._scope)
        return False

    # --- what reads --------------------------------------------------------------------------------------------------

    def visit_Name(self, node: cst.Name) -> None:
        self._note(node.value, self.page.place(node), self._stored.get(node, "read"), self._scope)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        self._visit(node.value)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        self._visit(node.value)
        return False

    def visit_MatchKeywordElement(self, node: cst.MatchKeywordElement) -> bool:
        self._visit(node.pattern)
        return False

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in _QUERIES and node.args:
            self._names_in_query(node.args[0].value)

    def _names_in_query(self, text: cst.BaseExpression) -> None:
        """``@name`` in the text of a query is a variable."""
        if isinstance(text, cst.SimpleString):
            place = self.page.place(text)
            for found in _AT.finditer(self.page.source, place.start, place.end):
                self._note(found[1], Place(*found.span(1)), "read", self._scope)


def _all(params: cst.Parameters) -> Iterator[cst.Param]:
    yield from params.posonly_params
    yield from params.params
    if isinstance(params.star_arg, cst.Param):
        yield params.star_arg
    yield from params.kwonly_params
    if params.star_kwarg is not None:
        yield params.star_kwarg


def _use(found: _Found) -> Use:
    scope = found.scope.resolve(found.name, found.kind, found.statement)
    return Use(found.name, found.place, found.kind, scope.number, found.scope.number, found.imported)


class Names:
    def __init__(self, of: Page) -> None:
        self.page = of
        reader = _Reader(of)
        if of.tree is not None:
            of.tree.visit(reader)
        self.scope_of = reader.scope_of
        """Scope of each function, class and comprehension."""
        self.evaluated = tuple(_use(one) for one in reader.found)
        """Uses in the order of evaluation, as far as no branch or loop changes it."""
        self.uses = tuple(sorted(self.evaluated, key=lambda use: use.place))
        """Uses in the order of the text."""
        self.used = frozenset(use.name for use in self.uses if use.scope == 0)
        """Names of the notebook that the cell uses."""
        self._at = {use.place: use for use in self.uses}
        self._of: dict[tuple[str, int], list[Use]] = {}
        for use in self.uses:
            self._of.setdefault((use.name, use.scope), []).append(use)
        self._parents = {scope.number: scope.parent.number for scope in reader.scopes if scope.parent is not None}
        self._bound = {scope.number: frozenset(scope.bound - scope.globals) for scope in reader.scopes}

    def of(self, name: str, scope: int = 0) -> Sequence[Use]:
        return self._of.get((name, scope), ())

    def at(self, place: Place) -> Use | None:
        return self._at.get(place)

    def bindings(self, name: str, scope: int = 0) -> list[Use]:
        """Uses that give a variable its value."""
        return [use for use in self.of(name, scope) if use.kind in BINDS]

    @property
    def bound(self) -> frozenset[str]:
        return frozenset(use.name for use in self.uses if use.scope == 0 and use.kind in BINDS)

    def hidden_by(self, name: str, new: str) -> Use | None:
        """Use of the notebook's variable ``name`` that would be captured by another one if renamed to ``new``."""
        for use in self.of(name):
            inside = use.inside
            while inside:
                if new in self._bound[inside]:
                    return use
                inside = self._parents[inside]
        return None

    def is_within(self, inside: int, scope: int) -> bool:
        """True if a scope is another one, or inside it."""
        while inside != scope and inside in self._parents:
            inside = self._parents[inside]
        return inside == scope


@functools.lru_cache(maxsize=400)
def names(source: str) -> Names:
    return Names(page(source))
