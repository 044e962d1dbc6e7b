"""References to a column of one table.

A reference is a string, an attribute or a keyword.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence
from typing import Literal

import libcst as cst
from msgspec import Struct

from spark_jupyter.protocol.values import CellId
from spark_jupyter.refactoring.cell_tree import Place
from spark_jupyter.refactoring.frame_references import Frames, Symbol, What
from spark_jupyter.refactoring.notebook_code import Book, Leaf

Form = Literal["string", "query", "attribute", "keyword"]

_POSITIONAL = (
    "groupby group_by sort_values sort set_index drop_duplicates unique nlargest nsmallest top_k bottom_k pop get pivot pivot_table melt "
    "explode value_counts hist boxplot insert select get_column filter with_columns rolling resample"
)
"""Methods of a table whose positional strings are columns."""
_KEYWORDS = (
    "by on columns column subset id_vars value_vars index values keys labels weights left_on right_on partition_by "
    "x y z hue col row style color size facet_col facet_row hover_name names path"
)
"""Keywords whose strings are columns, in a method of the table or in a function that is given it."""
_BY_KEY = frozenset(
    {"agg", "aggregate", "astype", "cast", "fillna", "replace", "rename", "transform", "drop", "fill_null"}
)
"""Methods that take a dictionary with columns as keys."""
_DEFINES = frozenset({"assign", "with_columns", "agg", "aggregate", "select"})
"""Methods whose keywords define new columns."""
_PLOTS = frozenset(["line", "scatter", "bar", "barh", "box", "hist", "area", "pie", "kde", "density", "hexbin"])
_IN_QUERY = re.compile(r"""'[^'\n]*'|"[^"\n]*"|`([^`\n]+)`|(?<![\w@.])([^\W\d]\w*)(?![\w(])""")
"""Parts of a query's text: values in quotes, columns in backticks, names."""


class Column(Struct, frozen=True):
    """Place of a column's name; ``defines``: the column is created there."""

    cell: CellId
    place: Place
    form: Form
    defines: bool = False
    statement: int = 0


class _Reader(cst.CSTVisitor):
    """Finder of a column in one cell; with ``name`` None, of all columns."""

    def __init__(self, frames: Frames, leaf: Leaf, name: str | None) -> None:
        super().__init__()
        self.frames = frames
        self.leaf = leaf
        self.name = name
        self.found: list[tuple[str, Column]] = []
        self.merges: list[cst.Call] = []
        self._statement = 0
        self._stored: set[cst.CSTNode] = set()

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        self._statement += 1

    def _what(self, node: cst.CSTNode) -> What | None:
        return self.frames.what(self.leaf, node)

    def _note(self, name: str, place: Place, form: Form = "string", *, defines: bool = False) -> None:
        if self.name in (None, name):
            self.found.append((name, Column(self.leaf.id, place, form, defines, self._statement)))

    # --- where columns stand ------------------------------------------------------------------------------------------

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        if isinstance(node.target, (cst.Subscript, cst.Attribute)):
            self._stored.add(node.target)

    def visit_Assign(self, node: cst.Assign) -> None:
        """``df.columns = [...]``, and the table that is made of a dictionary."""
        for target in node.targets:
            one = target.target
            if isinstance(one, cst.Attribute) and one.attr.value == "columns" and self._what(one.value) == "table":
                self._strings(node.value, defines=True)
            if isinstance(one, cst.Name) and self._what(one) == "table" and isinstance(node.value, cst.Call):
                self._constructed(node.value)

    def _constructed(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in ("DataFrame", "read_csv"):
            for arg in node.args:
                if node.func.attr.value == "DataFrame" and arg.keyword is None and isinstance(arg.value, cst.Dict):
                    self._keys(arg.value, defines=True)
                elif arg.keyword is not None and arg.keyword.value in ("columns", "names"):
                    self._strings(arg.value, defines=True)

    def visit_Subscript(self, node: cst.Subscript) -> None:
        what = self._what(node.value)
        indices = [item.slice.value for item in node.slice if isinstance(item.slice, cst.Index)]
        if what in ("table", "groups", "row") and indices:
            self._strings(indices[0], defines=node in self._stored)
        elif what == "locator" and len(indices) > 1:
            self._strings(indices[1], defines=node in self._stored)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if self._what(node.value) in ("table", "groups", "row"):
            self._note(node.attr.value, self.leaf.page.place(node.attr), "attribute")

    def leave_Call(self, original_node: cst.Call) -> None:
        node, func = original_node, original_node.func
        if isinstance(func, cst.Attribute):
            of, method = self._what(func.value), func.attr.value
            plotted = isinstance(func.value, cst.Attribute) and self._what(func.value) == "plot" and method in _PLOTS
            if of in ("table", "groups", "plot") or plotted:
                self._method(node, method, of or "plot")
                return
        if any(self._what(arg.value) == "table" for arg in node.args):
            with_data = any(arg.keyword is not None and arg.keyword.value == "data" for arg in node.args)
            for arg in node.args:
                if with_data if arg.keyword is None else arg.keyword.value in _KEYWORDS.split():
                    self._strings(arg.value)

    def _method(self, node: cst.Call, method: str, of: What) -> None:
        if method in ("merge", "join"):
            self.merges.append(node)
        for number, arg in enumerate(node.args):
            self._polars(arg.value)
            if arg.keyword is not None:
                self._keyword_of(method, arg.keyword, arg.value)
            elif method in ("query", "eval"):
                self._query(arg.value)
            elif method in _BY_KEY and isinstance(arg.value, cst.Dict):
                self._keys(arg.value)
                if method == "rename":
                    self._values(arg.value)
            elif (
                method in _POSITIONAL.split()
                or of == "plot"
                or (method in ("agg", "drop") and self._drops_columns(node))
            ):
                self._strings(arg.value, defines=method == "insert" and number == 1)

    def _drops_columns(self, node: cst.Call) -> bool:
        """``drop("a", axis=1)``."""
        return any(arg.keyword is not None and arg.keyword.value == "axis" for arg in node.args)

    def _keyword_of(self, method: str, name: cst.Name, value: cst.BaseExpression) -> None:
        if method in ("merge", "join") and name.value in ("on", "left_on", "right_on"):
            if self._joins_itself():
                self._strings(value)
        elif isinstance(value, cst.Dict) and (name.value in ("columns", "value", "func", "dtype", "mapping")):
            self._keys(value)
            if method == "rename":
                self._values(value)
        elif method in ("reset_index", "rename") and name.value == "name":
            self._strings(value, defines=True)
        elif method in _DEFINES:
            self._note(name.value, self.leaf.page.place(name), "keyword", defines=True)
            if isinstance(value, cst.Tuple) and value.elements:
                self._strings(value.elements[0].value)
        elif name.value in _KEYWORDS.split():
            self._strings(value)

    def _joins_itself(self) -> bool:
        """True if the other side of a join also has columns of this table."""
        node = self.merges[-1]
        return bool(node.args) and self._what(node.args[0].value) == "table"

    # --- what a column may be written as -------------------------------------------------------------------------------

    def _strings(self, node: cst.BaseExpression, *, defines: bool = False) -> None:
        match node:
            case cst.SimpleString() if isinstance(node.evaluated_value, str):
                self._note(node.evaluated_value, self._inside(node), defines=defines)
            case cst.List(elements=elements) | cst.Tuple(elements=elements) | cst.Set(elements=elements):
                for element in elements:
                    self._strings(element.value, defines=defines)
            case cst.BinaryOperation(left=left, right=right):
                if isinstance(left, (cst.List, cst.Name)) and isinstance(right, (cst.List, cst.Name)):
                    self._strings(left)
                    self._strings(right)
            case cst.Name():
                self._variable(node)
            case _:
                pass

    def _variable(self, node: cst.Name) -> None:
        """``features = ["a", "b"]``, ``for column in ["a", "b"]:``, ``f(df, "a")``; the strings that the variable holds."""
        symbol = self.frames.symbol(self.leaf, node)
        if symbol is None:
            return
        for leaf in self.frames.book.leaves if not symbol.cell else [self.leaf]:
            if leaf.page.tree is not None and symbol.name in leaf.cell.source:
                self._held(leaf, list(_strings_of(self.frames, leaf, symbol)))
        if symbol.cell:
            for leaf, value in self.frames.given_to(symbol):
                self._held(leaf, [value] if isinstance(value, cst.SimpleString) else [])

    def _held(self, leaf: Leaf, strings: Sequence[cst.SimpleString]) -> None:
        for text in strings:
            if self.name in (None, text.evaluated_value):
                place = _inside(leaf, text)
                self.found.append((str(text.evaluated_value), Column(leaf.id, place, "string")))

    def _keys(self, node: cst.Dict, *, defines: bool = False) -> None:
        for element in node.elements:
            if isinstance(element, cst.DictElement):
                self._strings(element.key, defines=defines)

    def _values(self, node: cst.Dict) -> None:
        for element in node.elements:
            if isinstance(element, cst.DictElement):
                self._strings(element.value, defines=True)

    def _polars(self, node: cst.CSTNode) -> None:
        reader = _Cols()
        node.visit(reader)
        for call, defines in reader.calls:
            for arg in call.args:
                self._strings(arg.value, defines=defines)

    def _query(self, node: cst.BaseExpression) -> None:
        texts = [node] if isinstance(node, cst.SimpleString) else []
        parts = node.parts if isinstance(node, cst.FormattedString) else ()
        for text in (*texts, *(part for part in parts if isinstance(part, cst.FormattedStringText))):
            place = _inside(self.leaf, text) if isinstance(text, cst.SimpleString) else self.leaf.page.place(text)
            for found in _IN_QUERY.finditer(self.leaf.page.source[place.start : place.end]):
                name = found[1] or found[2]
                if name and not keyword.iskeyword(name):
                    self._note(name, Place(place.start + found.start(), place.start + found.end()), "query")

    def _inside(self, node: cst.SimpleString) -> Place:
        return _inside(self.leaf, node)


def _inside(leaf: Leaf, node: cst.SimpleString) -> Place:
    """Text between the quotes."""
    place, quote = leaf.page.place(node), len(node.quote)
    return Place(place.start + len(node.prefix) + quote, place.end - quote)


class _Cols(cst.CSTVisitor):
    """``pl.col("a")`` and ``.alias("a")``."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[cst.Call, bool]] = []

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in ("col", "alias"):
            self.calls.append((node, node.func.attr.value == "alias"))


def _strings_of(frames: Frames, leaf: Leaf, symbol: Symbol) -> Iterator[cst.SimpleString]:
    """Strings that one cell gives a variable, alone or in a list."""
    given = [
        *((target.target, node.value) for node in leaf.page.nodes(cst.Assign) for target in node.targets),
        *((node.target, node.iter) for node in leaf.page.nodes(cst.For)),
        *((node.target, node.iter) for node in leaf.page.nodes(cst.CompFor)),
    ]
    for target, value in given:
        if frames.symbol(leaf, target) == symbol:
            elements = value.elements if isinstance(value, (cst.List, cst.Tuple)) else ()
            for one in (value, *(element.value for element in elements)):
                if isinstance(one, cst.SimpleString) and isinstance(one.evaluated_value, str):
                    yield one


class Columns:
    """Places of the columns of the table ``root``; with a ``name`` only those of that column."""

    def __init__(self, book: Book, root: str, name: str | None = None) -> None:
        self.book = book
        self.frames = Frames(book, root)
        self.joins: list[tuple[Leaf, cst.Call]] = []
        found: dict[tuple[CellId, Place], tuple[str, Column]] = {}
        for leaf in book.leaves:
            if leaf.page.tree is not None and self.frames.may_reach(leaf):
                reader = _Reader(self.frames, leaf, name)
                leaf.page.tree.visit(reader)
                for one in reader.found:
                    found.setdefault((one[1].cell, one[1].place), one)
                self.joins += [(leaf, call) for call in reader.merges]
        self.found = sorted(found.values(), key=lambda one: book.at(one[1].cell, one[1].place.start))

    def of(self, name: str) -> list[Column]:
        """Places of one column, in the order of the notebook."""
        return [column for one, column in self.found if one == name]
