"""Columns read and made by polars expressions.

Source of the rules: the docstrings of polars 2.1. A name that stands for an expression, a selector or a function of the user's is not
looked into: what it makes can't be told.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from spark_jupyter.reality import named_columns, static_lookup
from spark_jupyter.reality.abstract_values import Live, Of, Value
from spark_jupyter.reality.check_state import Run

_FUNCTIONS = frozenset(
    "col sum mean median min max std var first last n_unique struct concat_str concat_list coalesce sum_horizontal mean_horizontal "
    "min_horizontal max_horizontal all_horizontal any_horizontal corr cov count head tail implode".split()
)
"""polars' functions whose strings are names of columns."""
_METHODS = frozenset("over sort_by then otherwise".split())
"""Methods of expressions whose strings are names of columns; ``then`` and ``otherwise`` take text only as ``pl.lit``."""
_ELSEWHERE = frozenset("eval with_fields".split())
"""Methods of expressions in whose arguments other columns are meant: those of a list's elements, the fields of a struct."""

ALL = object()
"""The name of what may be any of the columns that are there."""


def is_expression(value: Value) -> bool:
    return (
        isinstance(value, Of)
        and static_lookup.class_name(value.kind) == "Expr"
        and static_lookup.class_module(value.kind).startswith("polars")
    )


def named(run: Run, node: ast.expr, value: Value) -> Value:
    """An expression of polars', or a window of Spark's, that a variable stands for from now on: as it is written, with the names of the
    columns that it makes as its keys."""
    if not isinstance(value, Of) or not (is_expression(value) or static_lookup.class_name(value.kind) == "WindowSpec"):
        return value
    names = Expression(run).names(node) if is_expression(value) else None
    written = value.written if isinstance(node, ast.Name) else node
    return Of(value.kind, exact=value.exact, keys=None if names is None else tuple(names), written=written)


def written_in(run: Run, node: ast.Name) -> ast.expr | None:
    """What a variable was set to that stands for an expression; None where that may be made of the variable itself."""
    found = run.look_up(node.id)
    written = found.written if isinstance(found, Of) else None
    names = [one for one in ast.walk(written) if isinstance(one, ast.Name)] if written is not None else []
    is_plain = not any(isinstance(run.look_up(one.id), Of) for one in names)
    return written if is_plain else None


class Expression:
    """Reads an expression as it is written."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def reads(self, node: ast.expr, *, strings: bool = False) -> Iterator[named_columns.Use]:
        """The columns that it reads. With ``strings`` a text stands for a column."""
        match node:
            case ast.Constant(value=str(name)):
                if strings and not _is_pattern(name):
                    yield node, name
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                for part in parts:
                    yield from self.reads(part, strings=strings)
            case ast.Call():
                yield from self._reads_of_call(node)
            case ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.Starred():
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        yield from self.reads(child)
            case ast.Attribute(value=owner, attr=name):
                if self._function(owner) == "col":
                    yield node, name
                else:
                    yield from self.reads(owner)
            case ast.Name() if (written := written_in(self._run, node)) is not None:
                yield from ((node, name) for _, name in self.reads(written))

    def _reads_of_call(self, node: ast.Call) -> Iterator[named_columns.Use]:
        function = self._function(node.func)
        if function is not None:
            named = function in _FUNCTIONS
        elif isinstance(node.func, ast.Attribute) and self._is_expression(node.func.value):
            yield from self.reads(node.func.value)
            if node.func.attr in _ELSEWHERE:
                return
            named = node.func.attr in _METHODS
        else:
            return  # what it is made of can't be seen
        for argument in node.args:
            yield from self.reads(argument, strings=named)
        for keyword in node.keywords:
            yield from self.reads(keyword.value)

    def names(self, node: ast.expr) -> list[object] | None:
        """The names of the columns that it makes; None where they can't be told."""
        match node:
            case ast.Constant(value=str(name)):
                return [ALL] if _is_pattern(name) else [name]
            case ast.Constant():
                return ["literal"]
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return self._names_of_all(parts)
            case ast.BinOp(left=ast.Constant(), right=right):  # polars names it after what stands first
                names = self.names(right)
                return None if names is None else ["literal", *names]
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                return self.names(right) if isinstance(left, ast.Constant) else self.names(left)
            case ast.UnaryOp(operand=inner):
                return self.names(inner)
            case ast.Attribute(value=owner, attr=name):
                return [name] if self._function(owner) == "col" else self.names(owner)
            case ast.Call():
                return self._names_of_call(node)
            case ast.Name(id=name):
                return self._names_of_variable(name)
        return None

    def _names_of_variable(self, name: str) -> list[object] | None:
        found = self._run.look_up(name)
        known = isinstance(found, Of) and is_expression(found) and found.keys is not None
        return list(found.keys or ()) if known and isinstance(found, Of) else None

    def _names_of_all(self, parts: list[ast.expr]) -> list[object] | None:
        found: list[object] = []
        for part in parts:
            more = self.names(part)
            if more is None:
                return None
            found += more
        return found

    def _names_of_call(self, node: ast.Call) -> list[object] | None:
        function = self._function(node.func)
        if function is not None:
            return self._names_of_function(function, node)
        if not isinstance(node.func, ast.Attribute):
            return None
        method, owner = node.func.attr, node.func.value
        if method == "alias":
            given = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
            return [given] if isinstance(given, str) else None
        if isinstance(owner, ast.Attribute) and owner.attr == "name":
            return self.names(owner.value) if method == "keep" else None
        if isinstance(owner, ast.Attribute) and owner.attr == "struct" and method in {"field", "unnest"}:
            fields = [one.value if isinstance(one, ast.Constant) else ALL for one in node.args]
            return None if not fields or any(type(one) is not str or _is_pattern(one) for one in fields) else fields
        if method == "then":
            return self.names(node.args[0]) if node.args else None
        return self.names(owner) if self._is_expression(owner) else None

    def _names_of_function(self, function: str, node: ast.Call) -> list[object] | None:
        if function == "lit":
            return ["literal"]
        if function in {"len", "count"} and not node.args:
            return ["len", "count"]
        if function in {"exclude", "nth"} or (function in {"all", "first", "last"} and not node.args):
            return [ALL]
        if function not in _FUNCTIONS or node.keywords:
            return None
        if function == "col" and not all(isinstance(one, ast.Constant | ast.List) for one in node.args):
            return [ALL]  # by type, or by names that can't be seen: of those that are there
        return self._names_of_all(node.args)

    def _function(self, node: ast.expr) -> str | None:
        """The name of polars' own function that this is, ``col`` in ``pl.col``."""
        match node:
            case ast.Attribute(value=ast.Name() as owner, attr=name):
                found = self._run.look_up(owner.id)
                is_polars = isinstance(found, Live) and found.thing is sys.modules.get("polars", self)
                return name if is_polars else None
            case ast.Name(id=name):
                found = self._run.look_up(name)
                column = static_lookup.loaded("polars", "col")
                return "col" if isinstance(found, Live) and column is not None and found.thing is column else None
        return None

    def _is_expression(self, node: ast.expr) -> bool:
        """True if a chain of methods begins at a function of polars', so that its arguments belong to it."""
        while True:
            match node:
                case ast.Call(func=inner):
                    if self._function(inner) is not None:
                        return True
                    node = inner
                case ast.Attribute(value=inner):
                    if self._function(inner) is not None or self._function(node) == "col":
                        return True
                    node = inner
                case ast.BinOp(left=left, right=right):
                    return self._is_expression(left) or self._is_expression(right)
                case ast.Compare(left=inner) | ast.UnaryOp(operand=inner):
                    node = inner
                case _:
                    return False


def _is_pattern(name: str) -> bool:
    """True if a name stands for several: ``*``, and a regular expression between ``^`` and ``$``."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))
