"""Findings made from faults that a copy reports.

The message is for the person, the reason also for the model. A copy only says which rule was broken, where, and which name does not
exist; code that a model wrote may have forged that. So a name is repeated only where it is a whole token of the statement at fault, and
what is proposed instead is looked up in the kernel without running anything of the user's (:mod:`spark_jupyter.reality.static_lookup`).
"""

from __future__ import annotations

import ast
import builtins
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.protocol.values import Finding
from spark_jupyter.reality import frame_columns, module_lookup, removed_names, signatures, static_lookup
from spark_jupyter.reality.file_preview import preview_files
from spark_jupyter.reality.findings import did_you_mean, listing, nearest
from spark_jupyter.sandbox.copy_protocol import Fault, FaultRule, RunStatement
from spark_jupyter.sandbox.walls.allowed_paths import working_folder
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import body_of
from spark_jupyter.source.value_origin import suppliers

_RAISED = {
    "undefined-name": "the name {name} does not exist",
    "missing-module": "there is no module {name} here",
    "missing-attribute": "there is no attribute {name}",
    "unknown-keyword": "there is no parameter {name}",
    "wrong-arguments": "the arguments do not fit the function",
    "wrong-call": "the object can't be called or indexed like this",
    "missing-column": "there is no column {name}",
    "unknown-value": "{name} is not known here",
}
_DOTTED = r"(?<![\w.])([A-Za-z_][\w.]{0,200})"
_COLUMN_LINE = re.compile(r'\s+("(?:[^"\\]|\\.)*"|[^\W\d]\w*) \S')
"""A column in the preview of a file."""
_MOST_TEXT = 4096
"""Characters of a statement that are looked through for what it calls."""


def finding_of(
    fault: Fault, *, ran: RunStatement, cells: Sequence[str], namespace: Mapping[str, object]
) -> Finding | None:
    """The finding for a fault that came of ``ran``, a statement of an answer with these ``cells`` so far; None where the fault is not of
    that statement. ``namespace`` is the kernel's."""
    known: Collection[str] = ()
    if fault.rule == "undefined-name":
        known = {*map(str, namespace), *vars(builtins)}
    elif fault.rule == "missing-column" and 0 <= fault.number < len(cells):
        known = _columns(cells[fault.number], namespace)
    statement = statement_at_fault(fault, ran=ran, cells=cells, known=known)
    if statement is None:
        return None
    what = _RAISED[fault.rule].format(name=f"`{statement.name}`" if statement.name else "that is used")
    if statement.cause:
        what += f"; it comes from line {statement.cause}"
    return Finding(
        rule=fault.rule,
        severity="block",
        line=fault.line,
        cause=statement.cause,
        message=f"Run in a copy of the kernel, this failed: {what}.",
        remedy=_Remedies(fault, statement, cells[fault.number], namespace).text(),
        origin="rehearsal",
        raised=fault.raised,
    )


class _Remedies:
    """Remedies for one fault in the cell ``source``."""

    def __init__(self, fault: Fault, statement: FaultStatement, source: str, namespace: Mapping[str, object]) -> None:
        self._fault, self._source, self._namespace = fault, source, namespace
        self._name, self._text = statement.name, statement.text[:_MOST_TEXT]

    def text(self) -> str:
        match self._fault.rule:
            case "undefined-name":
                known = [*map(str, self._namespace), *vars(builtins), *re.findall(r"[A-Za-z_]\w*", self._source)]
                return did_you_mean(self._near(one for one in known if one[:1] != "_" and one != self._name))
            case "missing-module":
                return self._module()
            case "missing-attribute":
                return self._attribute()
            case "missing-column":
                columns = _columns(self._source, self._namespace) or self._file_columns()
                there = f"Available: {listing(columns)}." if columns else ""
                return " ".join(filter(None, [did_you_mean(self._near(columns)), there]))
            case "unknown-value":
                new = removed_names.value("pandas", self._name)
                version = getattr(sys.modules.get("pandas"), "__version__", "")
                return f"pandas {version} says `{new}` for `{self._name}`." if new else ""
            case _:
                return self._call()

    def _near(self, names: Iterable[str]) -> str | None:
        return nearest(self._name, names) if self._name else None

    def _module(self) -> str:
        if not self._name:
            return ""
        top = self._name.partition(".")[0]
        close = nearest(top, module_lookup.known_names()) if "." not in self._name else None
        install = module_lookup.DISTRIBUTIONS.get(top, top)
        install_it = f"If it is what you want, install it first: `%pip install {install}`."
        return did_you_mean(close if close != top else None) or ("" if "." in self._name else install_it)

    def _attribute(self) -> str:
        plain = self._thing_before(self._name)
        names = static_lookup.names_of(plain) if plain is not None else ()
        owner, close = plain, self._near(names) if self._name not in names else None
        if close is None:  # an object that hands over to another has the other's names
            owner = self._owner() or plain
            if owner is None:
                return ""
            close = self._near(static_lookup.names_of(owner))
        if close is None and (columns := _columns(self._source, self._namespace)):
            return did_you_mean(self._near(columns))
        # Of a class that only the copy names, its choice among all those of a package, no more is told than a name.
        shown = _signature(_member(owner, close), close) if close and owner is plain else ""
        return did_you_mean(close, signature=shown) if close else ""

    def _owner(self) -> object:
        """The class or module that the fault names, where it is of a package that the code or the kernel uses: of others a forged fault
        could choose one by what it leads to."""
        package = static_lookup.root(self._fault.owner)
        named = package in re.findall(r"[A-Za-z_]\w*", self._source) or package == "builtins"
        used = named or any(package == _package(thing) for thing in list(self._namespace.values()))
        return _loaded(self._fault.owner) if used else None

    def _thing_before(self, name: str) -> object:
        """The class or module of what stands before ``.name``, where it is a plain dotted name."""
        found = re.search(rf"{_DOTTED}\s*\.\s*{re.escape(name)}\b", self._text) if name else None
        thing = self._resolved(found[1]) if found else None
        return (
            thing if thing is None or static_lookup.is_module(thing) or static_lookup.is_class(thing) else type(thing)
        )

    def _resolved(self, dotted: str) -> object:
        """Object behind a dotted name in the kernel; None if it can't be known without running code."""
        first, *rest = dotted.split(".")
        thing = self._namespace.get(first, vars(builtins).get(first))
        for name in rest:
            thing = _member(
                thing if static_lookup.is_module(thing) or static_lookup.is_class(thing) else type(thing), name
            )
        return thing

    def _file_columns(self) -> list[str]:
        """The columns of the files below the working folder that the cell names."""
        previews = preview_files(self._source, folder=Path(working_folder()))
        found = (_COLUMN_LINE.match(line) for line in previews.splitlines())
        return [json.loads(one[1]) if one[1].startswith('"') else one[1] for one in found if one is not None]

    def _call(self) -> str:
        keyword = self._name
        pattern = rf"{_DOTTED}\s*\((?=[^()]*\b{re.escape(keyword)}\s*=)" if keyword else rf"{_DOTTED}\s*\("
        found = next((one for one in re.finditer(pattern, self._text) if not _is_definition(self._text, one)), None)
        if found is None:
            return ""
        name = found[1].rpartition(".")[2]
        function = self._resolved(found[1])
        own = re.search(rf"\bdef\s+{re.escape(name)}\s*\(([^()]*)\)", self._source)
        if function is None and own is None:
            return ""
        shown = _signature(function, name) or (f"{name}({own[1]})" if own else "")
        names = _parameters(function) or re.findall(r"[A-Za-z_]\w*", own[1] if own else "")
        close = self._near(names) if keyword else None
        return did_you_mean(close, signature=shown) or (f"Its signature: `{shown}`." if shown else "")


def _columns(source: str, namespace: Mapping[str, object]) -> list[str]:
    """The columns of the tables that a cell names."""
    named = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", source))
    frames = [namespace[name] for name in named if name in namespace]
    found = [frame_columns.live_table(frame).columns or {} for frame in frames if frame_columns.is_frame(type(frame))]
    return [column for columns in found for column in columns if isinstance(column, str)]


def _is_definition(text: str, call: re.Match[str]) -> bool:
    return re.search(r"\b(?:def|class)\s+$", text[max(0, call.start() - 20) : call.start()]) is not None


def _package(thing: object) -> str:
    """The top package of a module, of a class, or of a value's class."""
    if static_lookup.is_module(thing):
        return static_lookup.root(str(static_lookup.module_dict(thing).get("__name__")))
    return static_lookup.root(static_lookup.class_module(thing if static_lookup.is_class(thing) else type(thing)))


def _loaded(dotted: str) -> object:
    """A module or a class by its full name, where the kernel has loaded it."""
    if dotted in sys.modules:
        return sys.modules[dotted]
    module, _, name = dotted.rpartition(".")
    return loaded_class(module, name)


def _member(owner: object, name: str | None) -> object:
    """Member of a class or a module, read without any hook."""
    if owner is None or not name:
        return None
    found = static_lookup.in_class(owner, name) if static_lookup.is_class(owner) else None
    if static_lookup.is_module(owner):
        found = static_lookup.module_dict(owner).get(name)
    return None if found is static_lookup.MISSING else static_lookup.plain_function(found)


def _signature(function: object, name: str | None) -> str:
    skip = int(_parameters(function)[:1] in (["self"], ["cls"]))
    return signatures.signature_text(function, name, skip=skip) if name and _is_callable(function) else ""


def _parameters(function: object) -> list[str]:
    found = signatures.signature(function) if _is_callable(function) else None
    return list(found.parameters) if found is not None else []


def _is_callable(thing: object) -> bool:
    return static_lookup.is_class(thing) or signatures.is_function(thing)


# --- Statement at fault, and the name that a finding may repeat ---
# A copy reports where a fault is and which name does not exist. Code that a model wrote may have forged that to tell the model something.
# So a fault counts only in the statement that was just run, or in a function, lambda or generator of the answer which that statement
# reaches by name; and it names one of :data:`CHOICES` tokens, which are put in order here. SECURITY.md states how much that lets a copy
# say.
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
