"""Static lookup of attributes, signatures and modules.

Nothing here calls a property, a ``__getattr__``, a metaclass or a descriptor of the user's.
"""

from __future__ import annotations

import abc
import enum
import functools
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import TypeGuard, TypeVar, TypeVarTuple

from spark_jupyter.class_identity import class_module as class_module
from spark_jupyter.class_identity import class_name as class_name
from spark_jupyter.reality.bytecode import CACHED as CACHED
from spark_jupyter.reality.bytecode import stores

_Others = TypeVarTuple("_Others")
_Result = TypeVar("_Result")
_Thing = TypeVar("_Thing")


def cached_by_identity(compute: Callable[[_Thing, *_Others], _Result]) -> Callable[[_Thing, *_Others], _Result]:
    """Cache results by the first argument's identity, since its own ``__hash__`` may be the user's, and the values of the others.

    A person's own functions and classes are asked again: they get other parameters in place, and are to end when they are deleted."""
    known: dict[object, tuple[_Thing, _Result]] = {}

    @functools.wraps(compute)
    def cached(thing: _Thing, *others: *_Others) -> _Result:
        if not _lasts(thing):
            return compute(thing, *others)
        key = (id(thing), others)
        held = known.get(key)
        if held is None:
            if len(known) > CACHED:
                known.clear()
            held = known[key] = (thing, compute(thing, *others))  # kept alive: no other object gets its id
        return held[1]

    return cached


def is_installed(module: str, file: str) -> bool:
    """True for a module of Python's or of a package's file, which nobody edits while a notebook runs."""
    return root(module) in sys.stdlib_module_names or "site-packages" in file or "dist-packages" in file


def _lasts(thing: object) -> bool:
    """True for a module, a class or a function of a library; a function that is bound to an object keeps that alive."""
    if type(thing) is types.BuiltinFunctionType:
        return thing.__self__ is None or is_module(thing.__self__) or is_class(thing.__self__)
    if is_module(thing):
        home = module_dict(thing).get("__name__")
    elif is_class(thing):
        home = class_module(thing)
    elif type(thing) is types.FunctionType:
        home = thing.__module__
    else:
        return type(thing) in METHOD_KINDS or class_name(type(thing)) in _UNBOUND
    loaded = sys.modules.get(home) if type(home) is str and home != "__main__" else None
    file = module_dict(loaded).get("__file__", "") if is_module(loaded) else None
    return type(home) is str and type(file) is str and is_installed(home, file)


mro = type.__dict__["__mro__"].__get__
class_dict = type.__dict__["__dict__"].__get__
_subclasses = type.__subclasses__

TRUSTED = frozenset(
    "numpy pandas scipy sklearn matplotlib seaborn polars statsmodels plotly torch tensorflow requests PIL cv2 networkx "
    "duckdb _duckdb sympy bs4 sqlalchemy builtins collections datetime pathlib re json os itertools functools math random string time "
    "decimal fractions statistics csv io".split()
)
"""Libraries whose way with ``__getattr__`` and ``setattr`` is known: what they do not list, they do not have."""


METHOD_KINDS = (types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
"""Types of the methods in a class's namespace."""


_UNBOUND = frozenset(
    {"_ArrayFunctionDispatcher", "ufunc", "cython_function_or_method", "fused_cython_function", "nb_func"}
)
"""Types of functions of C libraries."""


class Missing:
    """The answer of a lookup: it is certainly not there."""


class Maybe:
    """The answer of a lookup: it can't be known."""


MISSING, MAYBE = Missing(), Maybe()


def is_class(thing: object) -> TypeGuard[type]:
    """``isinstance(thing, type)``, which asks the thing itself for its ``__class__``; this does not."""
    return issubclass(type(thing), type)


def is_module(thing: object) -> TypeGuard[types.ModuleType]:
    """As :func:`is_class`, for modules."""
    return issubclass(type(thing), types.ModuleType)


def is_plain_class(kind: type) -> bool:
    """True if a class can be compared and hashed without running unknown code of its metaclass."""
    meta = type(kind)
    return (
        meta is type
        or meta is abc.ABCMeta
        or class_module(meta).startswith(TRUSTED_METACLASSES)
        or (
            class_name(meta) == "_common_types_metatype"
            and "__eq__" not in class_dict(meta)  # Cython's, of its functions
        )
    )


TRUSTED_METACLASSES = tuple("nanobind enum typing numpy pandas torch traitlets pydantic _ctypes ibis".split())


def root(name: str) -> str:
    """The top package of a module's name."""
    return name.partition(".")[0]


def is_trusted(kind: type) -> bool:
    """True if a class is from one of the libraries in :data:`TRUSTED`."""
    return root(class_module(kind)) in TRUSTED


def in_class(kind: type, name: str) -> object:
    """The attribute ``name`` of the class or its bases, unbound; :data:`MISSING` where none has it."""
    for base in mro(kind):
        found = class_dict(base).get(name, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def names_in_class(kind: type) -> frozenset[str]:
    """Names that the class and its bases define."""
    return frozenset(name for base in mro(kind) for name in class_dict(base))


def on_class(kind: type, name: str) -> object:
    """The attribute ``kind.name``, unbound."""
    found = in_class(kind, name)
    if found is not MISSING:
        return found
    meta = type(kind)
    if meta is type:
        return in_class(type, name)
    if meta is enum.EnumMeta:  # its own ``__getattr__``, in some Pythons, looks among the members
        return MAYBE if name in members_of(kind) else in_class(meta, name)
    if is_dynamic(meta) or in_class(meta, "__getattr__") is not MISSING:
        return MAYBE
    return in_class(meta, name)


def members_of(kind: type) -> dict[str, object]:
    """The members of an enumeration, by name."""
    found = class_dict(kind).get("_member_map_")
    return found if type(found) is dict else {}


def on_instance(kind: type, name: str, *, exact: bool, is_known: bool = False) -> object:
    """The attribute ``name`` of an instance of ``kind``, unbound; :data:`MISSING` or :data:`MAYBE`. ``is_known`` is one of which all
    attributes of its own were looked at, and whose methods were not called since."""
    found = in_class(kind, name)
    if found is not MISSING:
        return found
    if (
        name.startswith("__")
        or (answers_itself(kind) if is_known else is_dynamic(kind))
        or name in stored_names(kind)
        or _is_described(kind, name)
    ):
        return MAYBE
    if exact or not _may_be_subclass(kind, name):
        return MISSING
    return MAYBE


def _is_described(kind: type, name: str) -> bool:
    """True if the docstring of the class or a base lists ``name``, as an attribute that compiled code may set."""
    for base in mro(kind):
        text = class_dict(base).get("__doc__")
        if (
            type(text) is str
            and name in text
            and base is not object
            and re.search(rf"(?m)^\s*{re.escape(name)}\b", text)
        ):
            return True
    return False


_BESIDE = {"matplotlib": "mpl_toolkits"}
"""Packages that ship with a library and extend its classes."""


def _may_be_subclass(kind: type, name: str) -> bool:
    """True if a subclass of ``kind``, which the instance could be of, may have ``name``."""
    trusted = class_module(kind) not in ("builtins", "") and is_trusted(kind)
    home, own = root(class_module(kind)), set(mro(kind))
    for sub in _all_subclasses(kind):
        if trusted and root(class_module(sub)) not in (home, _BESIDE.get(home)):
            continue
        if is_dynamic(sub):
            if trusted:
                continue
            return True
        if any(name in class_dict(base) or name in _own_stored(base) for base in mro(sub) if base not in own):
            return True
    return False


def _all_subclasses(kind: type) -> Iterator[type]:
    waiting, seen = [kind], {kind}
    while waiting and len(seen) < 3000:
        current = waiting.pop()
        for sub in _subclasses(current) if not issubclass(current, type) else ():
            if sub not in seen:
                seen.add(sub)
                waiting.append(sub)
                yield sub


_GIVEN_ATTRIBUTES = frozenset({"SimpleNamespace", "_local"})


@cached_by_identity
def is_dynamic(kind: type) -> bool:
    """True if instances may have attributes that no look at the class shows."""
    if answers_itself(kind):
        return True
    for base in mro(kind):
        if base is object or base is type or class_module(base) in ("enum", "pydantic.main"):
            continue
        if base is BaseException or base is types.ModuleType or class_name(base) in _GIVEN_ATTRIBUTES:
            return True  # made to be given attributes
        if _is_opaque(base) or (not is_trusted(base) and _sets_dynamically(base)):
            return True
    return False


@cached_by_identity
def answers_itself(kind: type) -> bool:
    """True if code of the class decides which attributes instances have."""
    for base in mro(kind):
        names = class_dict(base)
        if base is object or base is type or class_module(base) == "enum":
            continue
        if class_module(base) == "pydantic.main" and not _takes_more(kind):
            continue
        if "__getattr__" in names and not _only_refuses(base):
            return True
        if class_name(base) == "_local":
            return True  # what a thread keeps there, only that thread sees
        if "__getattribute__" in names and type(names["__getattribute__"]) is not types.WrapperDescriptorType:
            return True
    return False


def _takes_more(kind: type) -> bool:
    """True for a model of pydantic's whose instances keep what is no field (its documentation, "Extra data")."""
    settings = in_class(kind, "model_config")
    return type(settings) is not dict or settings.get("extra") == "allow"


def _only_refuses(kind: type) -> bool:
    """True for polars' ``__getattr__`` that names the version in which a method was removed; that of ``pl.col`` gives columns."""
    return root(class_module(kind)) == "polars" and class_name(kind) != "Col"


def _is_opaque(kind: type) -> bool:
    """True if compiled methods may set attributes of instances, unseen."""
    if not kind.__dictoffset__ or type(class_dict(kind).get("__init__")) in (types.FunctionType, type(None)):
        return False
    return class_name(type(class_dict(kind)["__init__"])) == "cython_function_or_method"


_DYNAMIC_NAMES = frozenset({"setattr", "__dict__", "vars", "__setattr__", "exec", "eval", "locals"})


@cached_by_identity
def _sets_dynamically(kind: type) -> bool:
    """True if methods of the class set attributes under names that can't be seen."""
    slots = class_dict(kind).get("__slots__")
    if type(slots) not in (tuple, list, str, type(None)):
        return True
    return any(not _DYNAMIC_NAMES.isdisjoint(code.co_names) for code in _codes_of_class(kind))


@cached_by_identity
def stored_names(kind: type) -> frozenset[str]:
    """Attributes that code of the class, its bases and their modules sets, so that instances may have them."""
    found: set[str] = set()
    for base in mro(kind):
        found |= _own_stored(base)
        if base.__dictoffset__ and base is not object:
            found |= stored_in_module(class_module(base))
    return frozenset(found)


@cached_by_identity
def _own_stored(kind: type) -> frozenset[str]:
    found: set[str] = set()
    names = class_dict(kind)
    for code in _codes_of_class(kind):
        found |= stores(code)
    if _sets_dynamically(kind):
        # the names come from somewhere near: all that these methods mention
        for code in _codes_of_class(kind):
            found.update(code.co_names)
            found.update(const for const in code.co_consts if type(const) is str and const.isidentifier())
    for declared in ("__annotations__", "__dataclass_fields__"):
        fields = names.get(declared)
        if type(fields) is dict:
            found.update(field for field in fields if type(field) is str)
    return frozenset(found)


def stored_in_module(name: str) -> frozenset[str]:
    """Attributes that functions of a module set on anything."""
    module = sys.modules.get(name)
    return _stored_by(module, name) if type(module) is types.ModuleType and name != "builtins" else frozenset()


@cached_by_identity
def _stored_by(module: types.ModuleType, name: str) -> frozenset[str]:
    found: set[str] = set()
    for value in list(module_dict(module).values()):
        function = plain_function(value)
        if type(function) is types.FunctionType and function.__module__ == name:
            for code in codes_of(function):
                found |= stores(code)
    return frozenset(found)


def _codes_of_class(kind: type) -> Iterator[types.CodeType]:
    for value in list(class_dict(kind).values()):
        function = plain_function(value)
        if type(function) is types.FunctionType and root(str(function.__module__)) == "pydantic" != root(
            class_module(kind)
        ):
            continue  # what pydantic gives to a model that has private attributes, which it names
        yield from codes_of(value)


def codes_of(value: object) -> Iterator[types.CodeType]:
    """The bytecode of a function, and of those inside it."""
    function = plain_function(value)
    waiting = [function.__code__] if type(function) is types.FunctionType else []
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [const for const in code.co_consts if type(const) is types.CodeType]


def plain_function(value: object) -> object:
    """The function in a method's wrapping: a static method, a class method, a property, a cached property, a decorator."""
    for _ in range(4):
        kind = type(value)
        if not is_plain_class(kind):
            return value
        if kind in (staticmethod, classmethod):
            value = value.__func__  # type: ignore[attr-defined]
        elif kind is property:
            value = value.fget  # type: ignore[attr-defined]
        elif kind is functools.cached_property:
            value = value.func  # type: ignore[attr-defined]
        elif kind is types.FunctionType:
            inner = types.FunctionType.__dict__["__dict__"].__get__(value).get("__wrapped__")
            if type(inner) is not types.FunctionType:
                return value
            value = inner
        elif class_name(kind) == "_AvailableIfDescriptor" and class_module(kind).startswith("sklearn"):
            value = value.fn  # type: ignore[attr-defined]
        else:
            return value
    return value


# --- Modules ---------------------------------------------------------------------------------------------------------


def module_dict(module: types.ModuleType) -> dict[str, object]:
    """A module's namespace, read past any subclass of module."""
    found = object.__getattribute__(module, "__dict__")
    return found if type(found) is dict else {}


def loaded(module: str, name: str) -> object:
    """What a loaded module has under a name; None where it is not loaded, or has none of that name."""
    found = sys.modules.get(module)
    return module_dict(found).get(name) if is_module(found) else None


def names_of(thing: object) -> list[str]:
    """The public names that a module or the instances of a class have, for finding the nearest one."""
    if is_class(thing):
        return list(_names_of_class(thing))
    if type(thing) is types.ModuleType:
        names = module_dict(thing)
        listed = names.get("__all__")
        more = [name for name in listed if type(name) is str] if type(listed) in (list, tuple) else []  # type: ignore[attr-defined]
        return [name for name in dict.fromkeys([*names, *more]) if not name.startswith("_")]
    return []


@cached_by_identity
def _names_of_class(kind: type) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for base in mro(kind):
        found.update(dict.fromkeys(name for name in list(class_dict(base)) if type(name) is str))
    return tuple(name for name in found if not name.startswith("_"))
