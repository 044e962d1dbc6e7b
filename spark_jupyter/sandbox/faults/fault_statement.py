"""Statement at fault, and the name that a finding may repeat.

A copy reports where a fault is and which name does not exist. Code that a model wrote may have forged that to tell the model something. So
a fault counts only in the statement that was just run, or in a function, lambda or generator of the answer which that statement reaches
by name; and it names one of :data:`CHOICES` tokens, which are put in order here. SECURITY.md states how much that lets a copy say.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from spark_jupyter.sandbox.copy_protocol import Fault, FaultRule, RunStatement
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import body_of
from spark_jupyter.source.value_origin import suppliers

_RUNS_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_OF_TEXTS = ("missing-column", "unknown-value")
"""Rules about what a string names."""
_WORD = re.compile(r"[^\W\d]\w*")
CHOICES = 8
"""So many tokens of a statement can be named by a fault: those that the kernel does not know come first."""


class FaultStatement(Struct, frozen=True, kw_only=True):
    """The innermost statement at fault: its own ``text``, without the statements within it, and the ``name`` in it that does not exist;
    empty where there is none. ``cause``: that name comes from a statement above, which begins on this line; 0 where it does not."""

    text: str
    name: str
    cause: int = 0


class _Top(Struct, frozen=True):
    """A top-level statement of cell ``number``."""

    number: int
    node: ast.stmt
    text: str

    @property
    def words(self) -> set[str]:
        return set(_WORD.findall(self.text))

    @property
    def runs_later(self) -> bool:
        """True if a part of it runs only when another statement calls it."""
        return any(isinstance(node, _RUNS_LATER) for node in ast.walk(self.node))


def statement_at_fault(
    fault: Fault, *, ran: RunStatement, cells: Sequence[str], known: Collection[str] = ()
) -> FaultStatement | None:
    """Statement that ``fault`` concerns, if it is the one that was just run; None otherwise. ``known`` are names of the kind that its rule
    is about and that exist in the kernel."""
    tops = [top for number, source in enumerate(cells) for top in _tops(number, source)]
    own = fault.number == ran.number and ran.line <= fault.line <= ran.line + ran.text.count("\n")
    found = [
        _culprit(fault, top, cells[fault.number].split("\n"), known)
        for top in (tops if own else _reached(ran.text, tops))
        if top.number == fault.number and fault.line in _lines(top.node)  # several, with semicolons
        if own or not isinstance(_innermost(top, fault.line), _DEFINITIONS)  # its head ran before
    ]
    return max(found, key=lambda one: len(one.name), default=FaultStatement(text="", name="") if own else None)


def _tops(number: int, source: str) -> Iterator[_Top]:
    lines = source.split("\n")
    for node in body_of(python_only(source)):
        yield _Top(number, node, _text(lines, _lines(node)))


def _reached(text: str, tops: Sequence[_Top]) -> list[_Top]:
    """The statements with code that runs later and that bind a name of ``text``, of one of theirs, and so on."""
    waiting = [(_bound(top.node), top) for top in tops if top.runs_later]
    known, found = set(_WORD.findall(text)), []
    while near := [pair for pair in waiting if pair[0] & known]:
        waiting = [pair for pair in waiting if pair not in near]
        found += [top for _, top in near]
        known = known.union(*(top.words for _, top in near))
    return found


def _bound(node: ast.AST) -> set[str]:
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(each.name)
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            found.add(each.id)
        elif isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            found.add(each.attr)
    return found


def _culprit(fault: Fault, top: _Top, lines: Sequence[str], known: Collection[str]) -> FaultStatement:
    innermost = _innermost(top, fault.line)
    inner = [node for node in ast.walk(innermost) if isinstance(node, ast.stmt) and node is not innermost]
    end = min((_lines(node).start for node in inner), default=_lines(innermost).stop)
    text = _text(lines, range(fault.line, end))
    found = dict.fromkeys(_told(_own(innermost), fault.rule), 0)
    if fault.rule in _OF_TEXTS:
        for node in list(suppliers("\n".join(lines), fault.line))[1:]:
            found = {**dict.fromkeys(_told(ast.walk(node), fault.rule), node.lineno), **found}
    choices = sorted(found, key=lambda name: (name in known, name.isdecimal(), found[name] > 0))[:CHOICES]
    if fault.name not in choices:
        return FaultStatement(text=text, name="")
    return FaultStatement(text=text, name=fault.name, cause=found[fault.name])


def _told(nodes: Iterable[ast.AST], rule: FaultRule) -> list[str]:
    """Names in these nodes that a fault of that rule can concern, in the order of the source."""
    placed = [(getattr(node, "lineno", 0), getattr(node, "col_offset", 0), _tokens(node, rule)) for node in nodes]
    return [name for _, _, names in sorted(placed) for name in names]


def _innermost(top: _Top, line: int) -> ast.stmt:
    within = [node for node in ast.walk(top.node) if isinstance(node, ast.stmt) and line in _lines(node)]
    return max(within, key=lambda node: (_lines(node).start, -_lines(node).stop))


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement, without the statements within it."""
    ahead: list[ast.AST] = [statement]
    while ahead:
        node = ahead.pop()
        yield node
        ahead += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _tokens(node: ast.AST, rule: FaultRule) -> tuple[str, ...]:
    """Names in a node that a fault of that rule can concern. What a literal says may be an attribute, a keyword or a column."""
    match node:
        case ast.Name(id=name) if rule == "undefined-name":
            return (name,)
        case ast.Import(names=names) if rule == "missing-module":
            return tuple(part for alias in names for part in _packages(alias.name))
        case ast.ImportFrom(module=str(module)) if rule == "missing-module":
            return _packages(module)
        case ast.alias(name=name) | ast.Attribute(attr=name) if rule == "missing-attribute":
            return (name,)
        case ast.keyword(arg=str(name)) if rule == "unknown-keyword":
            return (name,)
        # SQL, or an expression of pandas' query
        case ast.Constant(value=str(text)) if rule == "missing-column" and " " in text:
            return (text, *_WORD.findall(text))
        case ast.Constant(value=str() | int() | float() as value) if rule not in ("undefined-name", "missing-module"):
            return (str(value),)
    return ()


def _packages(module: str) -> tuple[str, ...]:
    """``a.b.c`` and the packages that it is in."""
    parts = module.split(".")
    return tuple(".".join(parts[:size]) for size in range(1, len(parts) + 1))


def _lines(node: ast.stmt) -> range:
    """The lines of a statement, from its first decorator on."""
    first = min((each.lineno for each in getattr(node, "decorator_list", ())), default=node.lineno)
    return range(min(first, node.lineno), (node.end_lineno or node.lineno) + 1)


def _text(lines: Sequence[str], which: range) -> str:
    return "\n".join(lines[which.start - 1 : which.stop - 1])
