"""References to a table, its groups, rows and columns.

Only what is plain in the code counts: an assignment of what is made of the table by its own methods, a parameter that is given the table
by every caller, a loop over it, a lambda in one of its methods. Where that ends, nothing is known, and nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import libcst as cst

from spark_jupyter.protocol.values import CellId
from spark_jupyter.refactoring.cell_tree import Place
from spark_jupyter.refactoring.notebook_code import Book, Leaf

What = Literal["table", "groups", "row", "column", "locator", "plot"]

_GROUPS = frozenset({"groupby", "group_by", "rolling", "resample", "expanding", "groupby_dynamic"})
_REDUCED = "sum mean median min max std var count nunique quantile prod any all idxmax idxmin skew"
_VALUES = "to_numpy to_dict to_csv to_json to_parquet to_excel to_sql to_list tolist itertuples iterrows iter_rows equals info"
_ONE = frozenset({"pop", "get", "eval", "get_column", "size", "value_counts", "duplicated"})
_FRAMES = frozenset({"reset_index", "to_frame", "unstack"})
_JOINS = frozenset({"merge", "concat", "merge_asof", "merge_ordered"})


class Symbol(NamedTuple):
    """A variable: ``cell`` is empty and ``scope`` 0 for one of the notebook's."""

    cell: str
    scope: int
    name: str


class Frames:
    """Names that hold the table ``root``, or its rows, groups and results of its methods."""

    def __init__(self, book: Book, root: str) -> None:
        self.book = book
        self.root = Symbol("", 0, root)
        self.held: dict[Symbol, What] = {self.root: "table"}
        self.shared: set[str] = set()
        """Functions that are called with this table and with others."""
        self._functions = {
            node.name.value: (leaf, node)
            for leaf in book.leaves
            for node in leaf.page.statements
            if isinstance(node, cst.FunctionDef)
        }
        self._returning: list[cst.FunctionDef] = []
        self._names, self._cells = {root}, set[CellId]()
        known = (0, 0)
        while known != (len(self.held), len(self._names)):
            known = (len(self.held), len(self._names))
            self.shared.clear()
            for leaf in book.leaves:
                if leaf.page.tree is not None and self.may_reach(leaf):
                    self._names |= {name for name, (other, _) in self._functions.items() if other is leaf}
                    leaf.page.tree.visit(_Flow(self, leaf))

    def may_reach(self, leaf: Leaf) -> bool:
        """True if a cell can use the table: by one of its names, a function that receives it, or a function of such a cell. Walking the
        tree of any other cell takes time and finds nothing."""
        return leaf.id in self._cells or not self._names.isdisjoint(leaf.names.used)

    def symbol(self, leaf: Leaf, node: cst.BaseExpression) -> Symbol | None:
        """Variable behind a name."""
        use = leaf.names.at(leaf.page.place(node)) if isinstance(node, cst.Name) else None
        return None if use is None else Symbol(leaf.id if use.scope else "", use.scope, use.name)

    def function(self, name: cst.BaseExpression) -> tuple[Leaf, cst.FunctionDef] | None:
        """The notebook's function of that name."""
        return self._functions.get(name.value) if isinstance(name, cst.Name) else None

    def given_to(self, symbol: Symbol) -> Iterator[tuple[Leaf, cst.BaseExpression]]:
        """Arguments that the notebook's calls give to a parameter of one of its functions."""
        for leaf, function in self._functions.values():
            for param in (*function.params.posonly_params, *function.params.params, *function.params.kwonly_params):
                if self.symbol(leaf, param.name) == symbol:
                    for other, call in _calls(self.book, function):
                        yield from ((other, value) for one, value in given(call, function) if one is param)

    def hold(self, leaf: Leaf, target: cst.BaseExpression, what: What | None) -> None:
        """Note that a variable holds a part of the table."""
        symbol = self.symbol(leaf, target)
        if symbol is not None and what is not None:
            self.held.setdefault(symbol, what)
            if symbol.cell:
                self._cells.add(symbol.cell)
            else:
                self._names.add(symbol.name)

    def what(self, leaf: Leaf, node: cst.CSTNode) -> What | None:
        """Part of the table that an expression is; None if it is no part, or not known."""
        match node:
            case cst.Name():
                symbol = self.symbol(leaf, node)
                return None if symbol is None else self.held.get(symbol)
            case cst.NamedExpr(value=value) | cst.Await(expression=value):
                return self.what(leaf, value)
            case cst.Attribute():
                return self._attribute(self.what(leaf, node.value), node.attr.value)
            case cst.Subscript():
                return self._item(leaf, self.what(leaf, node.value), node.slice)
            case cst.Call():
                return self._called(leaf, node)
            case _:
                return None

    def _attribute(self, of: What | None, name: str) -> What | None:
        if of in ("table", "groups") and name in ("loc", "at"):
            return "locator"
        if of == "table" and name == "plot":
            return "plot"
        if of == "table" and name in ("columns", "index", "shape", "values", "dtypes", "iat", "size", "schema"):
            return None
        return of if name in ("iloc", "T") else "column" if of is not None else None

    def _item(self, leaf: Leaf, of: What | None, items: Iterable[cst.SubscriptElement]) -> What | None:
        indices = [item.slice.value if isinstance(item.slice, cst.Index) else None for item in items]
        if of == "locator":
            return "table" if len(indices) < 2 else "column" if is_text(indices[1]) else "table"
        if of in ("table", "groups"):
            return "column" if is_text(indices[0]) else of
        return "column" if of is not None else None

    def _called(self, leaf: Leaf, node: cst.Call) -> What | None:
        if isinstance(node.func, cst.Attribute):
            name, of = node.func.attr.value, self.what(leaf, node.func.value)
            if of is not None:
                return _method(of, name, node)
            parts = [
                element.value
                for arg in node.args
                if isinstance(arg.value, (cst.List, cst.Tuple))
                for element in arg.value.elements
            ]
            given = [*(arg.value for arg in node.args), *parts]
            return "table" if name in _JOINS and any(self.what(leaf, arg) == "table" for arg in given) else None
        function = self.function(node.func)
        return None if function is None else self._returned(*function)

    def _returned(self, leaf: Leaf, function: cst.FunctionDef) -> What | None:
        if function in self._returning:
            return None
        self._returning.append(function)
        returned = _Returns()
        function.body.visit(returned)
        kinds = {self.what(leaf, value) for value in returned.values}
        self._returning.pop()
        return "table" if kinds == {"table"} else None


def is_text(node: cst.CSTNode | None) -> bool:
    """True if the node is a single string."""
    return isinstance(node, (cst.SimpleString, cst.FormattedString))


def _method(of: What, name: str, node: cst.Call) -> What | None:
    if of == "column":
        return "table" if name in _FRAMES else "column"
    if of == "plot" or name in _VALUES.split():
        return None
    if name in _GROUPS:
        return "groups"
    if of == "table" and name in _REDUCED.split():
        return "row"
    if name in _ONE:
        return "column"
    by_row = any(arg.keyword is not None and arg.keyword.value == "axis" for arg in node.args)
    return "column" if name == "apply" and by_row else "row" if of == "row" else "table"


class _Returns(cst.CSTVisitor):
    """Collector of a function's return values."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[cst.BaseExpression] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_Return(self, node: cst.Return) -> None:
        if node.value is not None:
            self.values.append(node.value)


class _Flow(cst.CSTVisitor):
    """Path of the table through one cell."""

    def __init__(self, frames: Frames, leaf: Leaf) -> None:
        super().__init__()
        self.frames = frames
        self.leaf = leaf

    def _what(self, node: cst.CSTNode) -> What | None:
        return self.frames.what(self.leaf, node)

    def leave_Assign(self, original_node: cst.Assign) -> None:
        value, what = original_node.value, self._what(original_node.value)
        for target in original_node.targets:
            if isinstance(target.target, cst.Tuple) and isinstance(value, cst.Call):
                self._split(target.target, value)
            elif what in ("table", "groups", "row"):
                self.frames.hold(self.leaf, target.target, what)

    def leave_AnnAssign(self, original_node: cst.AnnAssign) -> None:
        if original_node.value is not None and self._what(original_node.value) in ("table", "groups", "row"):
            self.frames.hold(self.leaf, original_node.target, self._what(original_node.value))

    def _split(self, targets: cst.Tuple, call: cst.Call) -> None:
        """``train, test = train_test_split(table)``: two for each argument."""
        if not (isinstance(call.func, (cst.Name, cst.Attribute)) and _last(call.func) == "train_test_split"):
            return
        for number, arg in enumerate(arg for arg in call.args if arg.keyword is None):
            for element in targets.elements[2 * number : 2 * number + 2]:
                self.frames.hold(self.leaf, element.value, self._what(arg.value))

    def visit_For(self, node: cst.For) -> None:
        self._loop(node.target, node.iter)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._loop(node.target, node.iter)

    def _loop(self, target: cst.BaseExpression, over: cst.BaseExpression) -> None:
        if self._what(over) == "groups" and isinstance(target, cst.Tuple):
            self.frames.hold(self.leaf, target.elements[-1].value, "table")
        if not (isinstance(over, cst.Call) and isinstance(over.func, cst.Attribute)):
            return
        if self._what(over.func.value) != "table":
            return
        if over.func.attr.value == "iterrows" and isinstance(target, cst.Tuple):
            self.frames.hold(self.leaf, target.elements[-1].value, "row")
        elif over.func.attr.value in ("itertuples", "iter_rows"):
            self.frames.hold(self.leaf, target, "row")

    def visit_Call(self, node: cst.Call) -> None:
        function = self.frames.function(node.func)
        if function is not None:
            self._pass(node, *function)
        of = self._what(node.func.value) if isinstance(node.func, cst.Attribute) else None
        if of in ("table", "groups"):
            by_row = of == "table" and _last(node.func) in ("apply", "agg", "transform")
            for arg in node.args:
                if isinstance(arg.value, cst.Lambda) and arg.value.params.params:
                    self.frames.hold(self.leaf, arg.value.params.params[0].name, "row" if by_row else "table")

    def _pass(self, node: cst.Call, leaf: Leaf, function: cst.FunctionDef) -> None:
        """Give a parameter the table if every call does; otherwise note the function as shared."""
        for param, value in given(node, function):
            if self._what(value) in ("table", "row"):
                if all(
                    self._is_given(other, call, function, param) for other, call in _calls(self.frames.book, function)
                ):
                    self.frames.hold(leaf, param.name, self._what(value))
                else:
                    self.frames.shared.add(function.name.value)

    def _is_given(self, leaf: Leaf, call: cst.Call, function: cst.FunctionDef, param: cst.Param) -> bool:
        return any(one is param and self.frames.what(leaf, value) is not None for one, value in given(call, function))


def given(call: cst.Call, function: cst.FunctionDef) -> Iterator[tuple[cst.Param, cst.BaseExpression]]:
    """Parameters of a function with their arguments in a call."""
    positional = [*function.params.posonly_params, *function.params.params]
    by_name = {param.name.value: param for param in (*positional, *function.params.kwonly_params)}
    for number, arg in enumerate(call.args):
        if arg.star:
            return
        if arg.keyword is None and number < len(positional):
            yield positional[number], arg.value
        elif arg.keyword is not None and arg.keyword.value in by_name:
            yield by_name[arg.keyword.value], arg.value


def _calls(book: Book, function: cst.FunctionDef) -> Iterator[tuple[Leaf, cst.Call]]:
    for leaf in book.leaves:
        yield from ((leaf, call) for call in calls_in(leaf, function.name.value))


def calls_in(leaf: Leaf, name: str) -> list[cst.Call]:
    """Calls of the notebook's function ``name`` in one cell, in order; not those of another object of that name."""
    if leaf.page.tree is None or not leaf.names.of(name):
        return []
    places: set[Place] = {use.place for use in leaf.names.of(name)}
    calls = (call for call in leaf.page.nodes(cst.Call) if isinstance(call.func, cst.Name))
    return [call for call in calls if leaf.page.place(call.func) in places]


def _last(node: cst.BaseExpression) -> str:
    return node.attr.value if isinstance(node, cst.Attribute) else node.value if isinstance(node, cst.Name) else ""
