"""Types from stub files of installed libraries.

A stub is the ``.pyi`` beside a module (matplotlib, numpy, DuckDB ship theirs); those of the standard library are typeshed's, which come
with jedi, which IPython needs. They are read as texts (``stub_files.py``); what they say is a guess, as nobody checks them against
the code.
"""

from __future__ import annotations

import ast
import collections.abc
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path

from spark_jupyter.reality.abstract_values import UNKNOWN, Of, Value, either, guess
from spark_jupyter.reality.class_names import alike
from spark_jupyter.reality.signatures import home_of
from spark_jupyter.reality.static_lookup import (
    class_module,
    class_name,
    is_class,
    is_module,
    loaded,
    module_dict,
    mro,
    root,
)
from spark_jupyter.reality.stub_files import TYPE_ALIASES, Definition, scope_of
from spark_jupyter.source.python_parser import parse_python

_WITH_STUBS = frozenset({"matplotlib", "duckdb", "_duckdb"})
"""Libraries whose stubs say what calls give; numpy's need its type variables, and its docstrings say it as well."""
_NOT_FOLLOWED = frozenset({"builtins", "os", "sys", "typing", "functools", "contextlib", "types", "abc", "enum"})
"""Modules of the standard library whose stubs describe protocols rather than what is given."""
_OF_ANY_KIND = frozenset({"Artist", "Patch", "Collection", "Container", "object", "type"})
"""Classes that stand for any of their subclasses where a stub names them."""
MAX_DEPTH = 4
"""Names of types that stand for names of types."""

# --- What a call gives, what an attribute is -----------------------------------------------------------------------------


def returned(function: object, receiver: Value | None) -> Value:
    """The result of a call by the function's stub."""
    home, definitions = _definitions(function)
    if not home or not _speaks_of(home):
        return UNKNOWN
    notes = [node.returns for node in definitions if node.returns is not None and not _gives_back(node)]
    if not notes or len(notes) < len(definitions):
        return UNKNOWN
    return guess(either(_value(note, home, receiver) for note in notes))


def attribute(kind: type, name: str) -> Value:
    """The value of an attribute by the stub of the class or of a base."""
    for base in mro(kind):
        home = class_module(base)
        if not _speaks_of(home):
            continue
        for node in scope_of(home).members(class_name(base)).get(name):
            if isinstance(node, ast.AnnAssign):
                return guess(_value(node.annotation, home, None))
            if isinstance(node, Definition) and node.returns is not None and _is_property(node):
                return guess(_value(node.returns, home, Of(kind)))
    return UNKNOWN


def _speaks_of(home: str) -> bool:
    first = root(home)
    return first in _WITH_STUBS or (first in sys.stdlib_module_names and first not in _NOT_FOLLOWED)


def _definitions(function: object) -> tuple[str, list[Definition]]:
    """The module of a function and what its stub has of it: of an overloaded one, several."""
    # numpy says "numpy" of all
    is_dispatched = class_name(type(function)) == "_ArrayFunctionDispatcher"
    inner = getattr(function, "_implementation", None) if is_dispatched else None
    home = inner.__globals__["__name__"] if type(inner) is types.FunctionType else home_of(function)
    if not home:
        return "", []
    path = getattr(function, "__qualname__", "")
    owner, _, name = path.rpartition(".") if type(path) is str else ("", "", "")
    if "." in owner or not name:
        return "", []
    scope = scope_of(home).members(owner) if owner else scope_of(home)
    return home, [node for node in scope.get(name) if isinstance(node, Definition)]


def _is_property(node: Definition) -> bool:
    return any(isinstance(part, ast.Name) and "property" in part.id for part in node.decorator_list)


def _gives_back(node: Definition) -> bool:
    """True if it gives its argument back, ``add_patch(p: Patch) -> Patch``, of whatever subclass that is."""
    given = [a.annotation for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    said = ast.unparse(node.returns) if node.returns is not None else ""
    return said.isidentifier() and any(note is not None and ast.unparse(note) == said for note in given)


def _value(note: ast.expr, home: str, receiver: Value | None) -> Value:
    """The value that an annotation stands for."""
    if isinstance(note, ast.Constant) and type(note.value) is str:
        try:
            return _value(parse_python(note.value, "eval").body, home, receiver)
        except (SyntaxError, ValueError):
            return UNKNOWN
    if isinstance(note, ast.BinOp):
        sides = [side for side in (note.left, note.right) if not _is_left_out(side)]
        return either(_value(side, home, receiver) for side in sides)
    if isinstance(note, ast.Name) and note.id == "Self":
        return alike(receiver)
    if isinstance(note, ast.Constant) and note.value is None:
        return Of(type(None), exact=True)
    if isinstance(note, ast.Subscript):
        return _generic(note, home, receiver)
    kind = _class_of(note, home)
    return Of(kind, exact=kind.__module__ == "builtins") if kind is not None else UNKNOWN


def _is_left_out(note: ast.expr) -> bool:
    """``X | None`` and ``X | Any`` are X in all but special cases."""
    return (isinstance(note, ast.Constant) and note.value is None) or (
        isinstance(note, ast.Name) and note.id in {"MaybeNone", "Any"}
    )


def _generic(note: ast.Subscript, home: str, receiver: Value | None) -> Value:
    """``list[Axes]``, ``tuple[Figure, Axes]``, ``Optional[Text]``, ``Match[str]``."""
    name = note.value.id if isinstance(note.value, ast.Name) else getattr(note.value, "attr", "")
    parts = note.slice.elts if isinstance(note.slice, ast.Tuple) else [note.slice]
    if name in {"Optional", "Union"}:
        return either(_value(part, home, receiver) for part in parts if not _is_left_out(part))
    kind = _class_of(note.value, home)
    if kind is None:
        return UNKNOWN
    if kind in (list, set, frozenset) or (kind is tuple and len(parts) == 2 and _is_dots(parts[1])):
        return Of(kind, element=_value(parts[0], home, receiver))
    if kind is dict and len(parts) == 2:
        return Of(kind, element=_value(parts[1], home, receiver))
    if kind is tuple:
        return Of(kind, items=tuple(_value(part, home, receiver) for part in parts))
    return Of(kind)


def _is_dots(note: ast.expr) -> bool:
    return isinstance(note, ast.Constant) and note.value is ...


def _class_of(note: ast.expr, home: str) -> type | None:
    """The class that a name in a stub stands for, where it is loaded."""
    if isinstance(note, ast.Attribute):
        module = _named(note.value.id, home) if isinstance(note.value, ast.Name) else None
        found = module_dict(module).get(note.attr) if is_module(module) else None
    else:
        found = _named(note.id, home) if isinstance(note, ast.Name) else None
    found = typing.get_origin(found) or found
    if not is_class(found) or class_name(found) in _OF_ANY_KIND:
        return None
    abstract = (
        class_module(found) in {"typing", "collections.abc", "numbers"} or found in vars(collections.abc).values()
    )
    return None if abstract else found


def _named(name: str, home: str) -> object:
    """The run-time object of a name in a stub: of its module, or of the module that it is imported from."""
    own = sys.modules.get(home)
    if own is not None and name in module_dict(own):
        return module_dict(own)[name]
    for node in scope_of(home).get(name):
        if not isinstance(node, ast.ImportFrom | ast.Import):
            continue
        alias = next(one for one in node.names if (one.asname or one.name.partition(".")[0]) == name)
        if isinstance(node, ast.Import):
            return sys.modules.get(alias.name if alias.asname else name)
        source = _imported_from(node, home)
        inner = loaded(source, alias.name)
        return inner if inner is not None else sys.modules.get(f"{source}.{alias.name}")
    builtin = module_dict(sys.modules["builtins"]).get(name)
    return builtin if is_class(builtin) else None


def _imported_from(node: ast.ImportFrom, home: str) -> str:
    if not node.level:
        return node.module or ""
    file = getattr(sys.modules.get(home), "__file__", None) or ""
    parts = home.split(".")
    kept = parts[: len(parts) - node.level + Path(file).name.startswith("__init__.")]
    return ".".join([*kept, *([node.module] if node.module else [])])


def parameters(function: object) -> tuple[str, ...] | None:
    """The keywords that something of the standard library takes, which has no signature of its own; None where any may do."""
    if root(home_of(function)) not in sys.stdlib_module_names or root(home_of(function)) in _NOT_FOLLOWED:
        return None
    if is_class(function):
        members = scope_of(class_module(function)).members(class_name(function))
        made = members.get("__new__") or members.get("__init__")
        definitions = [node for node in made if isinstance(node, Definition)]
    else:
        definitions = _definitions(function)[1]
    if not definitions or any(node.args.kwarg is not None for node in definitions):
        return None
    return tuple(dict.fromkeys(a.arg for node in definitions for a in (*node.args.args, *node.args.kwonlyargs)))


# --- Which strings a parameter takes -------------------------------------------------------------------------------------


class _Open(Exception):
    """Any string may be meant."""


def choices(function: object, parameter: str) -> tuple[str, ...] | None:
    """The strings that a parameter takes by its stub; None where any may do, or nothing is said."""
    if is_class(function):
        home, name = class_module(function), class_name(function)
        definitions = [node for node in scope_of(home).members(name).get("__init__") if isinstance(node, Definition)]
    else:
        home, definitions = _definitions(function)
    found: dict[str, None] = {}
    meant = [node for node in definitions if not _is_never(node)]
    try:
        for node in meant:
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            notes = [a.annotation for a in arguments if a.arg == parameter]
            for note in notes:
                found.update(dict.fromkeys(_strings(note, home, 0)))
    except _Open:
        return None
    return tuple(found) or None


def _is_never(node: Definition) -> bool:
    """True if a stub only forbids the call, as numpy's scalars have the methods of arrays."""
    return isinstance(node.returns, ast.Name) and node.returns.id == "Never"


def aliased(name: str, module: str) -> tuple[str, ...] | None:
    """The strings of a type that a module of types defines: ``PivotAgg``; None where it allows any, or is none of strings."""
    try:
        return tuple(dict.fromkeys(_strings(ast.Name(id=name), module, 0))) or None
    except _Open:
        return None


def _strings(note: ast.expr | None, home: str, depth: int) -> Iterator[str]:
    if note is None or depth > MAX_DEPTH:
        raise _Open
    if isinstance(note, ast.BinOp):
        yield from _strings(note.left, home, depth)
        yield from _strings(note.right, home, depth)
    elif isinstance(note, ast.Subscript):
        name = note.value.id if isinstance(note.value, ast.Name) else getattr(note.value, "attr", "")
        if name in {"Literal", "L"}:
            yield from (
                part.value for part in ast.walk(note) if isinstance(part, ast.Constant) and type(part.value) is str
            )
        elif name in {"Optional", "Union"}:
            for part in note.slice.elts if isinstance(note.slice, ast.Tuple) else [note.slice]:
                yield from _strings(part, home, depth)
        elif name not in _HOLDERS:
            raise _Open
    elif isinstance(note, ast.Name):
        yield from _of_name(note.id, home, depth)
    elif not isinstance(note, ast.Constant):
        raise _Open


_HOLDERS = frozenset({"list", "tuple", "dict", "Callable", "Sequence", "Iterable", "Mapping", "NDArray", "set"})
_NO_TEXT = frozenset({"bool", "int", "float", "complex", "None", "Callable", "Expr", "IntoExprColumn", "Path"})


def _of_name(name: str, home: str, depth: int) -> Iterator[str]:
    """The strings of what a name stands for: an alias of the stub's, or of one that it imports it from."""
    if name in _NO_TEXT:
        return
    for node in scope_of(home).get(name):
        if isinstance(node, ast.ClassDef):
            return
        if isinstance(node, ast.AnnAssign | ast.Assign) or type(node) in TYPE_ALIASES:
            yield from _strings(getattr(node, "value", None), home, depth + 1)
            return
        if isinstance(node, ast.ImportFrom) and depth < MAX_DEPTH:
            source = next((alias.name for alias in node.names if (alias.asname or alias.name) == name), "")
            yield from _of_name(source, _imported_from(node, home), depth + 1)
            return
    raise _Open


def method_choices(kind: type, method: str) -> tuple[str, ...] | None:
    """The strings that the one parameter of a setter takes: of ``Text.set_ha``, those of the method that it is an alias of."""
    function = next((vars(base)[method] for base in mro(kind) if method in vars(base)), None)
    if type(function) is not types.FunctionType or function.__code__.co_argcount != 2:
        return None
    return choices(function, function.__code__.co_varnames[1])
