"""What a call gives, without making it: from annotations, from numpydoc's "Returns", and for built-in types from a table.

Order of trust: the class that is called; the tables here; the return annotation; the "Returns" section of the docstring in
the form that numpydoc prescribes (https://numpydoc.readthedocs.io/en/latest/format.html), which numpy, scipy and
scikit-learn keep to. What does not name a class for certain is unknown.
"""

# ruff: noqa: SIM905 (lists of words read better as words)
from __future__ import annotations

import ast
import builtins
import re
import sys
import types
from collections.abc import Iterable

from spark_jupyter.reality.lookup import (
    CACHED,
    class_module,
    class_name,
    in_class,
    is_class,
    is_module,
    is_trusted,
    module_dict,
    plain_function,
    root,
)
from spark_jupyter.reality.signatures import NUMPYDOC, home_of, is_function
from spark_jupyter.reality.values import UNKNOWN, Bound, Live, Of, Unknown, Value, alternatives, either, guess, is_guess

_BUILTIN_RETURNS: dict[type, dict[str, type]] = {
    str: {
        **dict.fromkeys(
            "capitalize casefold center expandtabs format format_map join ljust lower lstrip removeprefix removesuffix replace "
            "rjust rstrip strip swapcase title translate upper zfill".split(),
            str,
        ),
        **dict.fromkeys("split rsplit splitlines".split(), list),
        **dict.fromkeys("partition rpartition".split(), tuple),
        **dict.fromkeys("count find index rfind rindex".split(), int),
        **dict.fromkeys("startswith endswith isalpha isdigit isupper islower isspace isnumeric".split(), bool),
        "encode": bytes,
    },
    bytes: {"decode": str, "split": list, "hex": str, "strip": bytes, "replace": bytes},
    list: {
        **dict.fromkeys("append extend insert remove reverse sort clear".split(), type(None)),
        **dict.fromkeys("count index".split(), int),
        "copy": list,
    },
    dict: {
        "copy": dict,
        "items": type({}.items()),
        "keys": type({}.keys()),
        "values": type({}.values()),
        "update": type(None),
    },
    set: {
        **dict.fromkeys("add clear discard remove update".split(), type(None)),
        **dict.fromkeys("union intersection difference symmetric_difference copy".split(), set),
    },
    tuple: {"count": int, "index": int},
    int: {"bit_length": int, "to_bytes": bytes},
    float: {"is_integer": bool, "hex": str, "as_integer_ratio": tuple},
}
_FUNCTION_RETURNS: dict[object, type] = {
    len: int, sorted: list, repr: str, input: str, print: type(None), dir: list, ord: int, chr: str, hex: str, bin: str,
    isinstance: bool, callable: bool, hasattr: bool, all: bool, any: bool, id: int, hash: int, format: str,
}  # fmt: skip
_ARRAY_METHODS_GIVING_NONE = frozenset("sort fill put resize setflags partition setfield tofile dump".split())
_NO_ARRAY_METHODS = {"tolist": None, "item": None, "view": None, "tobytes": bytes, "dumps": bytes, "nonzero": tuple}


def numpy_class(name: str) -> type | None:
    """A class of numpy's, if numpy is loaded."""
    return _library_class("numpy", name)


def pandas_class(name: str) -> type | None:
    """A class of pandas', if pandas is loaded."""
    return _library_class("pandas", name)


def _library_class(library: str, name: str) -> type | None:
    module = sys.modules.get(library)
    found = module_dict(module).get(name) if module is not None else None
    return found if is_class(found) else None


def array() -> Value:
    """A numpy array, or a scalar of numpy's, which has the same methods."""
    kinds = [numpy_class("ndarray"), numpy_class("generic")]
    return either(Of(kind) for kind in kinds if kind is not None) if all(kinds) else UNKNOWN


def number(*kinds: type, numpy_name: str) -> Value:
    """A number of Python's or of numpy's."""
    scalar = numpy_class(numpy_name)
    return either([*(Of(kind, exact=True) for kind in kinds), *([Of(scalar)] if scalar else [])])


def result(function: object, receiver: Value | None, *, keywords: Iterable[str] = (), name: str = "") -> Value:
    """The value of a call. ``receiver`` is what a method is called on."""
    if is_class(function):
        return Of(function, exact=is_exact(function))
    try:
        special = _special(function, receiver, name)
    except TypeError:  # an object that can't be a key
        special = None
    if special is not None:
        return guess(special) if is_guess(receiver) else special
    if receiver is not None and _is_delegating(receiver):
        return UNKNOWN  # it speaks of the class that it is delegated to
    plain = plain_function(function)
    annotated = annotation_of(plain, receiver, tuple(keywords))
    if not isinstance(annotated, Unknown):
        return guess(annotated) if is_guess(receiver) else annotated
    return documented(plain, receiver, tuple(keywords))


def is_exact(kind: type) -> bool:
    """Whether calling the class gives an instance of exactly it: nothing in its bases makes another choice."""
    new = plain_function(in_class(kind, "__new__"))
    return type(new) is not types.FunctionType and class_module(kind).partition(".")[0] not in {"pandas", "pathlib"}


def _special(function: object, receiver: Value | None, name: str) -> Value | None:
    if type(function) in (types.BuiltinFunctionType, types.FunctionType) and function in _FUNCTION_RETURNS:
        return Of(_FUNCTION_RETURNS[function], exact=True)
    owner = getattr(function, "__objclass__", None) if type(function) is types.MethodDescriptorType else None
    if owner in _BUILTIN_RETURNS:
        kind = _BUILTIN_RETURNS[owner].get(name)
        return Of(kind, exact=True) if kind is not None else UNKNOWN
    if owner is not None and owner in (numpy_class("ndarray"), numpy_class("generic")):
        return _array_method(name)
    ufunc = numpy_class("ufunc")
    if ufunc is not None and type(function) is ufunc:
        return array() if function.nout == 1 else UNKNOWN  # type: ignore[attr-defined]
    return None


def _array_method(name: str) -> Value:
    if name in _ARRAY_METHODS_GIVING_NONE:
        return Of(type(None), exact=True)
    if name in _NO_ARRAY_METHODS:
        kind = _NO_ARRAY_METHODS[name]
        return UNKNOWN if kind is None else Of(kind)
    return array()


# --- Annotations -----------------------------------------------------------------------------------------------------

_parsed: dict[str, ast.expr | None] = {}


def annotation_of(function: object, receiver: Value | None, keywords: tuple[str, ...] = ()) -> Value:
    """What the return annotation of a Python function says."""
    if type(function) is not types.FunctionType:
        return UNKNOWN
    note = function.__annotations__.get("return")
    if note is None:
        return UNKNOWN
    if is_class(note) and not isinstance(note, types.GenericAlias):
        return _plain_kind(note, function)
    if type(note) is not str:
        return UNKNOWN
    tree = _parse(note)
    value = _from_annotation(tree, function, receiver) if tree is not None else UNKNOWN
    return _without_readers(value) if not {"chunksize", "iterator"} & set(keywords) else value


def _without_readers(value: Value) -> Value:
    """``read_csv`` gives a reader only where it is asked for one."""
    kept = [v for v in alternatives(value) if not (isinstance(v, Of) and class_name(v.kind).endswith("Reader"))]
    return either(kept) if kept else value


def _plain_kind(kind: type, function: types.FunctionType) -> Value:
    # an annotation of the user's may be wrong; a library's is checked by its authors
    return Of(kind) if root(function.__module__ or "") in sys.stdlib_module_names or is_trusted(kind) else UNKNOWN


def _parse(text: str) -> ast.expr | None:
    if text not in _parsed:
        if len(_parsed) > CACHED:
            _parsed.clear()
        try:
            _parsed[text] = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            _parsed[text] = None
    return _parsed[text]


def _from_annotation(node: ast.expr, function: types.FunctionType, receiver: Value | None) -> Value:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = [_from_annotation(side, function, receiver) for side in _sides(node) if not _is_none_or_any(side)]
        return either(sides) if sides else UNKNOWN
    if isinstance(node, ast.Subscript):
        if isinstance(node.value, ast.Name) and node.value.id in {
            "Literal",
            "Iterator",
            "Generator",
            "Callable",
            "Optional",
        }:
            return UNKNOWN
        return _from_annotation(node.value, function, receiver)
    if isinstance(node, ast.Attribute):
        return _kind(node.attr, function)
    if isinstance(node, ast.Constant) and type(node.value) is str:
        inner = _parse(node.value)
        return _from_annotation(inner, function, receiver) if inner is not None else UNKNOWN
    if not isinstance(node, ast.Name):
        return UNKNOWN
    if node.id == "Self":
        return _alike(receiver)
    if node.id in _OF_THE_DATA:
        return _data_of(receiver)
    return _kind(node.id, function)


def _sides(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_sides(node.left), *_sides(node.right)]
    return [node]


def _is_none_or_any(node: ast.expr) -> bool:
    # `X | None` and `X | Any` are X in all but special cases; calling the method of a None would fail by itself
    return (isinstance(node, ast.Constant) and node.value is None) or (isinstance(node, ast.Name) and node.id == "Any")


def _is_delegating(receiver: Value) -> bool:
    """Whether a value is an accessor of pandas' that passes on to another class, like ``.dt`` and ``.cat``."""
    kinds = [class_name(option.kind) for option in alternatives(receiver) if isinstance(option, Of)]
    return any(name == "CategoricalAccessor" or name.endswith("Properties") for name in kinds)


def _alike(receiver: Value | None) -> Value:
    """Another value of the receiver's kind."""
    if receiver is None:
        return UNKNOWN
    kinds = []
    for option in alternatives(receiver):
        if isinstance(option, Of):
            kinds.append(Of(option.kind, exact=option.exact))
        elif isinstance(option, Live) and not (is_class(option.thing) or is_module(option.thing)):
            kinds.append(Of(type(option.thing)))
        else:
            return UNKNOWN
    return either(kinds)


_OF_THE_DATA = frozenset({"NDFrameT", "FrameOrSeries"})
"""Type variables of pandas': the kind of the data, which is the receiver's own or what it groups."""


def _data_of(receiver: Value | None) -> Value:
    """A DataFrame or Series of a receiver that is one, or that is made of one: ``DataFrameGroupBy``, ``SeriesGroupBy``."""
    kinds = []
    for option in alternatives(_alike(receiver)):
        if not isinstance(option, Of):
            return UNKNOWN
        name = class_name(option.kind)
        base = next((base for base in ("DataFrame", "Series") if name.startswith(base)), None)
        kind = pandas_class(base) if base is not None else None
        if kind is None:
            return UNKNOWN
        kinds.append(option if issubclass(option.kind, kind) else Of(kind))
    return either(kinds)


_NOT_KINDS = frozenset(
    {"object", "type", "property", "Any", "Hashable", "Callable", "Iterable", "Iterator", "Sequence", "Mapping"}
)
_kinds: dict[tuple[str, str], type | None] = {}


def _kind(name: str, function: object) -> Value:
    """The class that an annotation or a docstring names, as the function's module sees it."""
    home = home_of(function)
    key = (home, name)
    if key not in _kinds:
        if len(_kinds) > CACHED:
            _kinds.clear()
        _kinds[key] = _find_kind(name, home)
    kind = _kinds[key]
    return UNKNOWN if kind is None else Of(kind)


def _find_kind(name: str, home: str) -> type | None:
    if name in _NOT_KINDS:
        return None
    module = sys.modules.get(home)
    scope = module_dict(module) if type(module) is types.ModuleType else {}
    found = scope.get(name, builtins.__dict__.get(name))
    if found is None:
        found = _anywhere_in(root(home), name)
    if name == "NDArray":
        found = numpy_class("ndarray")
    if not is_class(found) or not (is_trusted(found) or root(class_module(found)) == root(home)):
        return None
    return None if in_class(found, "_is_protocol") is True else found


def _anywhere_in(package: str, name: str) -> object:
    """A class of that name that is defined in one module of the package only (imports for type checkers hide it)."""
    found: set[type] = set()
    for module_name, module in list(sys.modules.items()):
        if root(module_name) == package and type(module) is types.ModuleType:
            value = module_dict(module).get(name)
            if is_class(value):
                found.add(value)
    return found.pop() if len(found) == 1 else None


# --- Docstrings ------------------------------------------------------------------------------------------------------

_SECTION = re.compile(r"(?m)^([ \t]*)(?:Returns|Yields)[ \t]*\n[ \t]*-{3,}[ \t]*\n")
_Entry = tuple[str, str, str]  # name, type, first line of the description
_returns: dict[int, tuple[object, tuple[_Entry, ...]]] = {}
_CONDITIONAL = re.compile(
    r"(?i)optional|only (?:returned|provided|present|if)|returned (?:only|if|when)|if `?`?(?:return|ret|full)"
)
_IN_WORDS = re.compile(
    r"(?i)\b(?:of )?shape(?: is)?\b.*|\bof length\b.*|\(.*|\[.*|, default.*|\bwith\b.*|\bcontaining\b.*|\.$"
)


def documented(function: object, receiver: Value | None, keywords: tuple[str, ...]) -> Value:
    """What the "Returns" section of a library function's docstring says: a guess, for texts are not checked by anybody."""
    entries = _entries(function)
    certain = [entry for entry in entries if not _CONDITIONAL.search(f"{entry[1]} {entry[2]}")]
    if not certain:
        return UNKNOWN
    if len(certain) < len(entries) and keywords:
        return UNKNOWN
    values = [_from_words(name, words, function, receiver) for name, words, _ in certain]
    return values[0] if len(values) == 1 else Of(tuple, items=tuple(values))


def _entries(function: object) -> tuple[_Entry, ...]:
    known = _returns.get(id(function))
    if known is not None and known[0] is function:
        return known[1]
    if len(_returns) > CACHED:
        _returns.clear()
    found = _read_entries(function)
    _returns[id(function)] = (function, found)
    return found


def _read_entries(function: object) -> tuple[_Entry, ...]:
    if not is_function(function) or root(home_of(function)) not in NUMPYDOC:
        return ()
    text = getattr(function, "__doc__", None)
    match = _SECTION.search(text) if type(text) is str else None
    if match is None or type(text) is not str:
        return ()
    indent, found = match[1], []
    lines = text[match.end() :].splitlines()
    for index, line in enumerate(lines):
        if line.strip() and not line.startswith(indent):
            break
        if not line.strip():
            # a blank line and then a new section's underline
            if any(
                re.match(rf"{indent}\S", later) and _underlined(lines, n + index)
                for n, later in enumerate(lines[index:][:3])
            ):
                break
            continue
        if line.startswith(indent) and not line[len(indent) :].startswith((" ", "\t")):
            if _underlined(lines, index):
                break
            name, colon, words = line.strip().partition(" :")
            follow = lines[index + 1].strip() if index + 1 < len(lines) else ""
            found.append((name if colon else "", words.strip() if colon else name, follow))
    return tuple(found)


def _underlined(lines: list[str], index: int) -> bool:
    return index + 1 < len(lines) and bool(re.match(r"\s*-{3,}\s*$", lines[index + 1]))


_BY_WORD: dict[str, type] = {
    # of "list", "tuple" and "dict" it is too often a relative that is given
    "str": str, "string": str, "bytes": bytes,
}  # fmt: skip


def _from_words(name: str, words: str, function: object, receiver: Value | None) -> Value:
    """The value that a phrase like ``ndarray of shape (n, m)`` or ``Series or DataFrame`` describes."""
    if name == "self" or words in {"self", "Self"}:
        return _alike(receiver)
    return guess(_from_phrase(words, function))


def _from_phrase(words: str, function: object) -> Value:
    phrase = words.strip("`{}:").replace("`", "")
    if re.search(r"(?i)sparse|same type|array[-_]like|callable|object$", phrase) or re.search(
        "generator|iterator", phrase
    ):
        return UNKNOWN
    phrase = re.sub(r"\([^()]*\)", "", phrase)
    parts = re.split(r"\s+or\s+|\s*\|\s*|,\s+or\s+|\bor\b", phrase.strip("{} "))
    values = [
        _from_word(_IN_WORDS.sub("", part).strip(" ,{}:"), part, function) for part in parts if part.strip(" ,{}")
    ]
    return either(values) if values else UNKNOWN


def _from_word(word: str, whole: str, function: object) -> Value:
    lowered = word.lower().removeprefix("a ").removeprefix("an ").removeprefix("the ")
    if re.search(r"\bnd-?arrays?\b|\bnumpy\.?\s?array\b", lowered):
        return array() if not re.match(r"(?:list|tuple|dict|sequence)", lowered) else UNKNOWN
    if re.fullmatch(r"(?:\d-d |1d |2d )?(?:\w+ )?array(?: of \w+)?", lowered):
        return array()
    if re.fullmatch(r"(?:python )?(?:floats?|double|scalar)(?: scalar)?", lowered):
        return number(float, int, numpy_name="number")
    if re.fullmatch(r"ints?|integer", lowered):
        return number(int, numpy_name="integer")
    if lowered in {"bool", "boolean"}:
        return number(bool, numpy_name="bool")
    if lowered in _BY_WORD:
        return Of(_BY_WORD[lowered])
    last = word.removesuffix(" instance").removesuffix(" object").rpartition(".")[2].lstrip("~")
    if last.isidentifier() and last[:1].isupper():
        found = _kind(last, function)
        if not isinstance(found, Unknown):
            return found
    if last in {"Series", "DataFrame", "Index", "Timestamp", "Timedelta", "DatetimeIndex"}:
        kind = pandas_class(last)
        return Of(kind) if kind else UNKNOWN
    return UNKNOWN


def bound_result(bound: Bound, keywords: Iterable[str]) -> Value:
    """The value of calling a looked-up method."""
    return result(bound.function, bound.receiver, keywords=keywords, name=bound.name)
