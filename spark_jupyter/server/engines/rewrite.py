"""Replacement of names, columns and values by syntax tree.

Everything here finds *spans* of the source that stand for something (a name, a column, a number …) and replaces
those; the rest of the text, comments and layout included, stays as its author wrote it.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from spark_jupyter.source.python_parser import parse_python
from spark_jupyter.source.splices import Positions, Splice, spliced

Role = Literal["name", "column", "literal", "list", "choice"]

_EXPRESSION_METHODS = frozenset({"query", "eval"})
_LABEL_CALLS = frozenset(
    {"title", "suptitle", "set_title", "xlabel", "ylabel", "set_xlabel", "set_ylabel", "set_label", "legend", "print"}
)
_LABEL_ARGUMENTS = frozenset({"title", "xlabel", "ylabel", "label", "suptitle"})
_OPENING = re.compile(r"[A-Za-z]*(\"\"\"|'''|\"|')")


class Change(Struct, frozen=True, kw_only=True):
    """Put the source ``new`` where the code means ``token`` (Python source: a name, a string, a number, a list).

    ``keyword`` restricts it to that keyword argument, default or assignment.
    """

    token: str
    new: str
    role: Role = "name"
    keyword: str | None = None


def rewrite(source: str, changes: Iterable[Change]) -> str:
    """``source`` with every change made, all at once (so that two names can be swapped).

    Raises :class:`SyntaxError` when ``source`` is not Python.
    """
    return apply_spans(source, [span for change in changes for span in spans(source, change)])


def apply_spans(source: str, found: Iterable[Splice]) -> str:
    """``source`` with the spans replaced; of overlapping ones the first given wins."""
    taken: list[Splice] = []
    for span in found:
        if all(span.end <= other.start or span.start >= other.end for other in taken if other != span):
            taken.append(span)
    return spliced(source, {(span.start, span.end): span for span in taken}.values())


def spans(source: str, change: Change) -> list[Splice]:
    """The places where ``source`` means ``change.token``, each with the text that takes its place."""
    finder = _Finder(source, change)
    finder.visit(parse_python(source))
    return finder.found


class _Finder(ast.NodeVisitor):
    """Collects the spans of one change. f-strings are taken apart by hand: before Python 3.12 :mod:`ast` does not say
    where their parts are."""

    def __init__(self, source: str, change: Change, *, base: int = 0, outer_quote: str = "") -> None:
        self.source = source
        self.change = change
        self.base = base
        self.outer_quote = outer_quote
        self.positions = Positions(source)
        self.found: list[Splice] = []
        self._value = _literal(change.token)
        self._new_value = _literal(change.new)
        self._label_depth = 0

    # -- what is found

    def _add(self, start: int, end: int, text: str) -> None:
        self.found.append(Splice(self.base + start, self.base + end, text))

    def _add_node(self, node: ast.AST, text: str) -> None:
        self._add(*self.positions.span(node), text)

    def _is_name(self, name: str | None) -> bool:
        return self.change.role in ("name", "choice") and self.change.keyword is None and name == self.change.token

    # -- names

    def visit_Name(self, node: ast.Name) -> None:
        if self._is_name(node.id):
            self._add_node(node, self.change.new)

    def visit_arg(self, node: ast.arg) -> None:
        if self._is_name(node.arg):
            start, _ = self.positions.span(node)
            self._add(start, start + len(node.arg), self.change.new)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        if self._is_name(node.name):
            self._add_word(node, node.name)
        if not isinstance(node, ast.ClassDef):
            self._visit_defaults(node.args)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815
    visit_ClassDef = visit_FunctionDef  # noqa: N815

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            if self._is_name(name):
                self._add_word(node, name)

    visit_Nonlocal = visit_Global  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name and self._is_name(node.name):
            self._add_word(node, node.name, after=r"\bas\s+")
        self.generic_visit(node)

    def _add_word(self, node: ast.AST, word: str, *, after: str = "") -> None:
        start, _ = self.positions.span(node)
        match = re.compile(rf"{after}\b({re.escape(word)})\b").search(self.source, start)
        if match:
            self._add(match.start(1), match.end(1), self.change.new)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        start = self.positions.span(node)[1] - len(node.attr)
        if self.change.role == "choice" and self.change.keyword is None and node.attr == self.change.token:
            self._add(start, start + len(node.attr), self.change.new)
        elif self.change.role == "column" and node.attr == self._value and not isinstance(node.value, ast.Constant):
            column = self._new_value
            if is_identifier(column):
                self._add(start, start + len(node.attr), str(column))
            else:
                dot = self.source.rindex(".", 0, start)
                self._add(dot, start + len(node.attr), f"[{self._in_code(self.change.new)}]")
        self.generic_visit(node)

    def _in_code(self, new: str) -> str:
        """``new`` in quotes that do not end the f-string around it."""
        value = _literal(new)
        return quoted(value, "'" if self.outer_quote == '"' else '"') if isinstance(value, str) else new

    # -- constants

    def visit_Constant(self, node: ast.Constant) -> None:
        if self.change.keyword is not None or self.change.role in ("name", "list"):
            return
        if _same(node.value, self._value):
            self._replace_constant(node)
        elif isinstance(node.value, str) and self.change.role == "column" and self._label_depth:
            self._words_in(*self.positions.span(node))

    def _replace_constant(self, node: ast.expr) -> None:
        start, end = self.positions.span(node)
        spoken = self._label_depth and self.change.role == "column" and not isinstance(self._new_value, str)
        new = quoted(_words_of(self._new_value)) if spoken else self.change.new
        self._add(start, end, _in_quotes_of(self.source[start:end], new))

    def visit_List(self, node: ast.List) -> None:
        if self.change.role == "list" and _constants(node) == self._value:
            self._add_node(node, self.change.new)
        else:
            self.generic_visit(node)

    # -- keyword=literal

    def visit_keyword(self, node: ast.keyword) -> None:
        label = node.arg in _LABEL_ARGUMENTS
        self._label_depth += label
        if self.change.keyword is not None and node.arg == self.change.keyword:
            self._replace_value(node.value)
        elif self.change.role == "column" and node.arg is not None and node.arg == self._value:
            self._rename_keyword(node)
        self.generic_visit(node)
        self._label_depth -= label

    def _rename_keyword(self, node: ast.keyword) -> None:
        start, end = self.positions.span(node)
        if is_identifier(self._new_value):
            self._add(start, start + len(str(node.arg)), str(self._new_value))
        else:
            value_start, _ = self.positions.span(node.value)
            self._add(start, value_start, f"**{{{self._in_code(self.change.new)}: ")
            self._add(end, end, "}")

    def visit_Assign(self, node: ast.Assign) -> None:
        targets = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if self.change.keyword is not None and self.change.keyword in targets:
            self._replace_value(node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if isinstance(node.target, ast.Name) and node.target.id == self.change.keyword and node.value is not None:
            self._replace_value(node.value)
        self.generic_visit(node)

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs: list[tuple[ast.arg, ast.expr | None]] = [
            *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        for argument, default in pairs:
            if default is not None and self.change.keyword is not None and argument.arg == self.change.keyword:
                self._replace_value(default)

    def _replace_value(self, node: ast.expr) -> None:
        if _same(_literal(node), self._value) or (isinstance(node, ast.Name) and node.id == self.change.token):
            start, end = self.positions.span(node)
            self._add(start, end, _in_quotes_of(self.source[start:end], self.change.new))

    # -- strings that hold code or speak of columns

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if self.change.role == "column" and called in _EXPRESSION_METHODS and node.args:
            first = node.args[0]
            if isinstance(first, (ast.Constant, ast.JoinedStr)):
                self._names_in_expression(*self.positions.span(first))
        label = called in _LABEL_CALLS
        self.visit(node.func)
        self._label_depth += label
        for child in [*node.args, *node.keywords]:
            self.visit(child)
        self._label_depth -= label

    def _names_in_expression(self, start: int, end: int) -> None:
        old, new = re.escape(str(self._value)), str(self._new_value)
        text = new if is_identifier(new) else f"`{new}`"
        pattern = re.compile(rf"`{old}`|(?<![\w@.`'\"]){old}(?![\w`(])")
        opening = _OPENING.match(self.source, start)
        if opening:
            start, text = opening.end(), quoted(text, opening[1][0])[1:-1]
        for match in pattern.finditer(self.source[start:end]):
            self._add(start + match.start(), start + match.end(), text)

    def _words_in(self, start: int, end: int) -> None:
        new = _words_of(self._new_value)
        pattern = re.compile(rf"(?<!\w){re.escape(str(self._value))}(?!\w)")
        for match in pattern.finditer(self.source, start, end):
            self._add(match.start(), match.end(), new)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        start, end = self.positions.span(node)
        previous = start
        for field_start, field_end in fields(self.source, start, end):
            if self._label_depth and self.change.role == "column":
                self._words_in(previous, field_start)
            self._field(field_start, field_end, quote=self.source[end - 1])
            previous = field_end
        if self._label_depth and self.change.role == "column":
            self._words_in(previous, end)

    def _field(self, start: int, end: int, *, quote: str) -> None:
        for text in _field_expressions(self.source[start:end]):
            try:
                tree = parse_python(f"({text})", "eval")
            except SyntaxError:
                continue
            inner = _Finder(f"({text})", self.change, base=self.base + start - 1, outer_quote=quote)
            inner.visit(tree)
            self.found.extend(inner.found)
            return


def fields(source: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The replacement fields of the f-string ``source[start:end]``: offsets between the braces."""
    depth, opened, position = 0, 0, start
    while position < end:
        character = source[position]
        if depth == 0 and source[position : position + 2] in ("{{", "}}"):
            position += 1
        elif character in "{[(" and (depth or character == "{"):
            opened = position + 1 if depth == 0 else opened
            depth += 1
        elif character in "}])" and depth:
            depth -= 1
            if depth == 0:
                yield opened, position
        position += 1


def _field_expressions(text: str) -> Iterator[str]:
    """Candidates for the expression in a field such as ``x!r:>{width}``, the most likely first."""
    yield text.rstrip("= ")
    for position, character in enumerate(text):
        if character in "!:" and text[position : position + 2] != "!=":
            yield text[:position].rstrip("= ")


def is_identifier(name: object) -> bool:
    """True if a column of this name can stand after a dot or as a keyword."""
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)


def quoted(text: str, quote: str = '"') -> str:
    """``text`` as a Python string in double quotes (or ``quote``), as a person would write it."""
    plain = repr(text)[1:-1]
    body = plain.replace("\\'", "'") if repr(text)[0] == "'" else plain
    return quote + body.replace(quote, "\\" + quote) + quote


_IN_SENTENCE = {ord(mark): sign for mark, sign in zip("\"'\\{}\n", "”’/() ", strict=True)}


def _words_of(label: object) -> str:
    """A column's label in a sentence, without what would end the string or begin a field there."""
    text = " ".join(map(str, label)) if isinstance(label, tuple) else str(label)
    return text.translate(_IN_SENTENCE)


def _in_quotes_of(old: str, new: str) -> str:
    value = _literal(new)
    if not isinstance(value, str) or not old or old[-1] not in "\"'" or old.startswith(('"""', "'''")):
        return new
    return quoted(value, old[-1])


def _literal(token: str | ast.expr) -> object:
    try:
        return ast.literal_eval(token)
    except (ValueError, SyntaxError, TypeError):
        return _NotALiteral


class _NotALiteral:
    """Equal to no value in any code."""


def _same(left: object, right: object) -> bool:
    return right is not _NotALiteral and type(left) is type(right) and left == right


def _constants(node: ast.List) -> Sequence[object]:
    return [item.value if isinstance(item, ast.Constant) else _NotALiteral for item in node.elts]
