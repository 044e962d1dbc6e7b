"""Columns in the expressions of lazy frames: read ones and named ones."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.frames.frame_methods import Dialect
from spark_jupyter.reality import static_lookup
from spark_jupyter.reality.abstract_values import NO_CONSTANT, Live, constants
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.named_columns import Use
from spark_jupyter.reality.polars_expressions import written_in

_NAMING = frozenset({"alias", "name"})
"""Methods of expressions that name the column."""
_ELSEWHERE = frozenset({"map", "filter", "transform", "across"})
"""Methods and functions in whose arguments elements are meant."""


_MAKING_ANY = frozenset({"expr", "inline", "inline_outer", "stack", "json_tuple"})
"""Functions that name the columns which they make by what is in a text or in the data."""


class ColumnExpressions:
    """Reads expressions as they are written, in a call of a frame of class ``kind``."""

    def __init__(self, run: Run, dialect: Dialect, kind: type) -> None:
        self._run, self._dialect, self._kind = run, dialect, kind

    def reads(self, node: ast.expr, *, texts: bool = False) -> Iterator[Use]:
        """The columns that an expression reads. With ``texts`` a text stands for a column."""
        match node:
            case ast.Constant(value=str(name)):
                if texts:
                    yield node, name
            case ast.List() | ast.Tuple() | ast.Set():
                for part in node.elts:
                    yield from self.reads(part, texts=texts)
            case ast.Call():
                yield from self._reads_of_call(node)
            case ast.BinOp() | ast.BoolOp() | ast.Compare() | ast.UnaryOp() | ast.Dict():
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        yield from self.reads(child)
            case ast.Attribute() | ast.Subscript():
                yield from self._reads_of_part(node)
            case ast.Name() if (written := written_in(self._run, node)) is not None:
                yield from ((node, name) for _, name in self.reads(written))

    def _reads_of_part(self, node: ast.Attribute | ast.Subscript) -> Iterator[Use]:
        """``_.price``, ``_["price"]``; a member of the frame's class is none of its columns."""
        match node:
            case ast.Attribute(value=inner, attr=name) if self._is_row(inner):
                if static_lookup.in_class(self._kind, name) is static_lookup.MISSING:
                    yield node, name
            case ast.Subscript(value=inner, slice=ast.Constant(value=str(name))) if self._is_row(inner):
                yield node, name
            case _:
                yield from self.reads(node.value)

    def _reads_of_call(self, node: ast.Call) -> Iterator[Use]:
        function = self.function(node.func)
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if function is None and not (called and self._is_expression(node.func)):
            return  # it is not known what it is made of
        if called in _ELSEWHERE:
            return
        if function is None and isinstance(node.func, ast.Attribute):
            yield from self.reads(node.func.value)
        elif self._is_windows(node.func):
            yield from self.reads(node.func.value)  # type: ignore[attr-defined]
        for place, argument in enumerate(node.args):
            texts = function is not None and self._is_column(function, place)
            yield from self.reads(argument, texts=texts)
        if called == "expr" and function is not None:
            yield from _reads_of_sql(node.args, self._dialect.sql)
        for keyword in node.keywords:
            yield from self.reads(keyword.value, texts=keyword.arg in {"group_by", "order_by"})

    def names(self, node: ast.expr) -> list[object] | None:
        """The names that the columns of an expression may have; None where they can't be told."""
        match node:
            case ast.Constant(value=str(name)):
                return _named_by(name)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                found = [self.names(part) for part in parts]
                return None if None in found else [name for names in found for name in names or ()]
            case ast.Name(id=name):
                value = self._run.look_up(name)
                known = constants(value) if value is not None else None
                return None if known is None or NO_CONSTANT in known else list(known)
            case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
                return [name]
            case ast.Call(func=ast.Attribute(attr=attr), args=given) if attr in _NAMING:
                texts = [one.value for one in given if isinstance(one, ast.Constant) and type(one.value) is str]
                return list(texts) if texts and len(texts) == len(given) else None
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in _MAKING_ANY:
                return None
            case ast.Call() | ast.BinOp() | ast.Compare() | ast.UnaryOp():
                if not self._is_expression(node):
                    return None
                # its own name is none that Python could write, but that of a column stays where it is only cast
                read = [_named_by(str(part)) for _, part in self.reads(node)]
                if None in read:
                    return None
                return [*self._dialect.made, *(name for names in read for name in names or ()), *_attributes(node)]
        return None

    def function(self, node: ast.expr) -> object | None:
        """The library's own function, or method of its classes for windows, that this is."""
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                owner = self._run.look_up(name)
                thing = owner.thing if isinstance(owner, Live) else None
                found = None
                if type(thing) is types.ModuleType:
                    found = static_lookup.module_dict(thing).get(attr)
                elif static_lookup.is_class(thing):
                    found = static_lookup.plain_function(static_lookup.in_class(thing, attr))
            case ast.Name(id=name):
                owner = self._run.look_up(name)
                found = owner.thing if isinstance(owner, Live) else None
            case ast.Attribute(value=ast.Call() as inner, attr=attr) if self._is_windows(inner.func):
                found = static_lookup.plain_function(static_lookup.in_class(self._window(), attr))
            case _:
                return None
        if type(found) is not types.FunctionType:
            return None
        package = self._dialect.functions
        return (
            found
            if package and str(found.__module__).startswith(package) and "selectors" not in found.__module__
            else None
        )

    def _is_windows(self, node: ast.expr) -> bool:
        """True for ``Window.partitionBy`` and what is chained to it."""
        while isinstance(node, ast.Attribute | ast.Call):
            node = node.value if isinstance(node, ast.Attribute) else node.func
        found = self._run.look_up(node.id) if isinstance(node, ast.Name) else None
        return isinstance(found, Live) and found.thing is self._window() is not None

    def _window(self) -> type:
        return loaded_class("pyspark.sql.window", "Window") or object

    def _is_column(self, function: object, place: int) -> bool:
        """True if a text at this place of the arguments stands for a column, as the annotation says (``ColumnOrName``)."""
        plain = static_lookup.plain_function(function)
        assert isinstance(plain, types.FunctionType)
        code = plain.__code__
        names = code.co_varnames[: code.co_argcount]
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :][:1] if code.co_flags & 0x04 else ()
        name = names[place] if place < len(names) else next(iter(rest), "")
        note = str(plain.__annotations__.get(name, ""))
        is_col = plain.__name__ in {"col", "column", "desc", "asc", "partitionBy", "orderBy"} and place < len(
            (*names, *rest)
        )
        return "ColumnOrName" in note or is_col or (bool(rest) and plain.__name__ in {"partitionBy", "orderBy"})

    def _is_row(self, node: ast.expr) -> bool:
        """True for ``ibis._``, which stands for the frame itself."""
        match node:
            case ast.Name(id=name):
                found = self._run.look_up(name)
                thing = found.thing if isinstance(found, Live) else None
            case ast.Attribute(value=ast.Name(id=name), attr="_"):
                found = self._run.look_up(name)
                module = found.thing if isinstance(found, Live) else None
                thing = static_lookup.module_dict(module).get("_") if static_lookup.is_module(module) else None
            case _:
                return False
        home, _, name = self._dialect.row.partition(":")
        return bool(home) and thing is not None and type(thing) is loaded_class(home, name)

    def _is_expression(self, node: ast.expr) -> bool:
        """True if a chain of methods begins at a column or at a function of the library's."""
        match node:
            case ast.Call(func=inner):
                return self.function(inner) is not None or self._is_expression(inner)
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                return (
                    self._is_row(inner)
                    or self.function(node) is not None
                    or _is_frame(self._run, inner)
                    or self._is_expression(inner)
                )
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                return self._is_expression(left) or self._is_expression(right)
            case ast.UnaryOp(operand=inner):
                return self._is_expression(inner)
        return False


def _named_by(name: str) -> list[object] | None:
    """The names that a column or a field of one may have where its own is written so; None where it stands for all fields."""
    return None if name.endswith(".*") else list(dict.fromkeys((name, name.rpartition(".")[2])))


def _reads_of_sql(given: list[ast.expr], dialect: str) -> Iterator[Use]:
    """The columns that a text of SQL names."""
    from spark_jupyter.reality import sql_queries  # sqlglot is loaded where there is SQL

    for node in given:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((node, name) for name in sql_queries.columns_in(node.value, dialect))


def _is_frame(run: Run, node: ast.expr) -> bool:
    """True for a variable that holds a frame: ``orders.price``."""
    found = run.look_up(node.id) if isinstance(node, ast.Name) else None
    return getattr(found, "table", None) is not None


def _attributes(node: ast.expr) -> list[object]:
    """Names of attributes and items in an expression, some of which are columns."""
    found: list[object] = []
    for one in ast.walk(node):
        match one:
            case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
                found.append(name)
    return found
