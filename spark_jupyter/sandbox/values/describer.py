"""Description of values by content, comparable between two processes.

A value gets a mark on which two processes agree where it is the same, and a list of the parts where it may differ. Runs in copies only: it
calls ``__reduce_ex__``, user code included. Values that neither that nor a library's own interface can describe (generators, locks,
sockets) are named as opaque, not guessed. Forks of one kernel are compared, so a class or function of a library is known by its name, one
of the user's by its code.
"""

from __future__ import annotations

import os
import sys
import types
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import PurePath
from typing import Any

from spark_jupyter.class_identity import class_module
from spark_jupyter.sandbox.proofs.proof_messages import Described, Node, Numbers, Value
from spark_jupyter.sandbox.values.float_extraction import Floats
from spark_jupyter.sandbox.values.plain_values import CONTAINERS, PLAIN, atom_text, plain_content
from spark_jupyter.sandbox.values.process_state import held_parts
from spark_jupyter.sandbox.values.snapshot import is_filled, module_names, short_words
from spark_jupyter.sandbox.values.table_digests import Column, Columns, digest
from spark_jupyter.sandbox.values.torch_tensors import as_array, is_module, is_tensor, tensors_of

MOST_PARTS = 300_000
"""Parts that are looked at, in all."""
MOST_UNDONE = 3_000_000
"""Parts where an undo asks: what was not compared it makes again, which takes longer and leaves no object the same."""
MOST_NODES = 150
"""Parts of one variable that are told one by one."""
_NODE_DEPTH = 3
_DEPTH = 60
_PATHS = 8
_PATHS_ALONE = (PurePath, os.DirEntry)
"""What is a path and nothing else. Others have a path, too: a table in files, or a mock, which has everything."""
_NEAR = 100
"""Elements of a sequence up to which each is known by its place."""
_ATOMS = (int, float, bool, complex, str, bytes, type(None))
_OF_THE_PROCESS = frozenset(
    "threading _thread asyncio _asyncio concurrent multiprocessing queue socket ssl select selectors subprocess "
    "sqlite3 IPython ipykernel zmq comm ipywidgets".split()
)
"""Modules whose objects, and those of subclasses, are what they are in one process: a copy has no other threads, nobody at the other end,
and a kernel that counts other cells."""


class Describer:
    """Tells values of one namespace, in the same order everywhere. ``untold`` is state that is not the user's, such as that of random
    numbers which only an import has drawn."""

    def __init__(self, *, untold: Collection[str] = ()) -> None:
        self._untold = untold
        self._marks: dict[int, bytes] = {}
        self._alive: list[object] = []  # an id means an object only while it lives
        self._paths: dict[object, list[str]] = {}
        self._deeper = deque[Any]()
        self._opaque: list[str] = []
        self._left = MOST_PARTS
        self._cut = False
        self._numpy: Any = sys.modules.get("numpy")
        self._pandas: Any = sys.modules.get("pandas")
        self._columns = Columns(self._elements)
        self._floats: Floats | None = None
        """Collector of floating-point numbers; None while code is compared, whose numbers count exactly."""
        self._found: dict[str, Any] = {}
        """Values with comparable rows, by path."""

    def describe(
        self,
        namespace: Mapping[str, object],
        names: Iterable[str],
        *,
        column: tuple[str, str] | None = None,
        parts: bool = True,
    ) -> Described:
        """All that is told of these names, with their ``parts``; without these it is for an undo. Names that are not there are left out.
        A ``column`` called the first is told as the second."""
        self._columns.called = dict([column] if column is not None else [])
        self._left = self._left if parts else MOST_UNDONE
        values = tuple(self._value(name, namespace[name], parts) for name in sorted(names) if name in namespace)
        aliases = tuple(tuple(paths) for paths in self._paths.values() if len(paths) > 1)
        return Described(values=values, aliases=aliases, state=self._state() if parts else ())

    def rows(self, path: str, most: int) -> bytes | None:
        """A mark of eight bytes for each row or element of what was told at ``path``; None where it has none."""
        value = self._found.get(path)
        if value is None or len(value) > most:
            return None
        return self._columns.rows(value) if not isinstance(value, (list, tuple)) else b"".join(
            self._whole(one, "") for one in value
        )  # fmt: skip

    def shown(self, path: str, row: int) -> tuple[str, str]:
        """Label and content of a row, in words."""
        value = self._found.get(path)
        if isinstance(value, (list, tuple)):
            return f"[{row}]", short_words(value[row])
        return self._columns.shown(value, row)

    def numbers(self, namespace: Mapping[str, object], name: str) -> Numbers:
        """The floating numbers of one variable, and a mark of all the rest. To be asked of a describer that does nothing else."""
        floats = self._floats = self._columns.floats = Floats()
        mark = self._whole(namespace[name], name)
        whole = floats.whole and not self._cut
        return Numbers(name=name, mark=mark, floats=bytes(floats.data) if whole else None)

    # --- one variable --------------------------------------------------------------------------------------------------

    def _value(self, name: str, value: object, parts: bool) -> Value:
        try:
            return self._described(name, value, parts)
        except BaseException:  # a metaclass of the user's that objects to being looked at
            return Value(name=name, mark=digest("opaque"), kind="object", nodes=(), opaque=(name,), partly=False)

    def _described(self, name: str, value: object, parts: bool) -> Value:
        self._opaque, self._cut = [], False
        mark = self._whole(value, name)
        nodes: list[Node] = []
        if parts:
            self._tell(nodes, name, value, 0)
        return Value(
            name=name,
            mark=mark,
            kind="function" if isinstance(value, (types.FunctionType, type)) else type(value).__name__[:80],
            nodes=tuple(nodes),
            opaque=tuple(dict.fromkeys(self._opaque[:20])),
            partly=self._cut,
        )

    def _tell(self, nodes: list[Node], path: str, value: Any, depth: int) -> None:
        if len(nodes) >= MOST_NODES:
            return
        rows = isinstance(value, (list, tuple)) or self._columns.has_rows(value)
        if rows:
            self._found[path] = value
        words = self._columns.words(value) if isinstance(value, Column) else short_words(value)
        nodes.append(Node(path=path, mark=self._whole(value, path), words=words, rows=rows))
        if depth < _NODE_DEPTH:
            for suffix, part in self._parts(value):
                self._tell(nodes, path + suffix, part, depth + 1)

    def _parts(self, value: Any) -> Iterator[tuple[str, Any]]:
        """Named parts of a value in which a difference can be reported."""
        if isinstance(value, dict):
            for key, one in list(dict.items(value))[:MOST_NODES]:
                yield f"[{short_words(key, 60)}]", one
        elif self._columns.has_parts(value):
            yield from self._columns.parts(value)
        elif isinstance(value, (list, tuple)):
            for place, one in enumerate(value[:20]):
                if type(one) not in _ATOMS:
                    yield f"[{place}]", one
        elif self._has_parts(value):
            for name, one in list(vars(value).items())[:MOST_NODES]:
                yield f".{name}", one

    def _has_parts(self, value: Any) -> bool:
        """True if its attributes define the value."""
        if isinstance(value, (type, types.ModuleType, types.FunctionType)) or self._columns.known(value):
            return False
        return _has_own(value) and not type(value).__module__.startswith("matplotlib")

    # --- marks ---------------------------------------------------------------------------------------------------------

    def _whole(self, value: Any, path: str) -> bytes:
        """The mark of a value, however deep it is: what lies deeper than Python follows at once (a linked list) is read behind the rest."""
        begun = len(self._alive)
        self._deeper.clear()
        mark = self._mark(value, path)
        if not self._deeper:
            return mark
        while self._deeper:
            if len(self._alive) - begun > MOST_PARTS:  # one of the user's own may never end
                self._cut = True
                break
            mark = digest("deeper", mark, self._content(self._deeper.popleft(), "", 1))
        for one in self._alive[
            begun:
        ]:  # the mark of each lacks what is deeper: where another name holds it, it is read again
            self._marks.pop(id(one), None)
        return mark

    def _mark(self, value: Any, path: str, depth: int = 0) -> bytes:
        kind = type(value)
        if kind in _ATOMS:
            if kind is float and self._floats is not None:
                self._floats.take([value])
                return digest("float")
            return digest(kind.__name__, atom_text(value))
        self._know(value, path)
        known = self._marks.get(id(value))
        if known is not None:
            return known
        self._left -= 1
        if self._left < 0:
            self._cut = True
            return digest("cut")
        self._marks[id(value)] = digest("again", kind.__name__)  # a cycle ends here
        self._alive.append(value)
        if depth > _DEPTH:
            self._deeper.append(value)
            return digest("deeper", kind.__name__)
        mark = self._content(value, path, depth + 1)
        self._marks[id(value)] = mark
        return mark

    def _know(self, value: Any, path: str) -> None:
        """Remember where an object stands that can be changed: whether two names are one object is part of what they are."""
        if not path or _steps(path) > 2:
            return
        key = self._identity(value)
        if key is not None:
            paths = self._paths.setdefault(key, [])
            if len(paths) < _PATHS and path not in paths:
                paths.append(path)

    def _identity(self, value: Any) -> object:
        if isinstance(value, (tuple, frozenset, types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType)):
            return None
        if self._numpy is not None and isinstance(value, self._numpy.ndarray):
            root = value
            while isinstance(root.base, self._numpy.ndarray):
                root = root.base
            self._alive.append(root)
            return "memory", id(root)
        if self._columns.known(value):
            return id(value) if self._columns.is_table(value) else None
        return id(value) if isinstance(value, (list, dict, set, bytearray, deque)) or _has_own(value) else None

    def _know_below(self, value: Any, path: str) -> None:
        """The same for the containers in one that holds nothing but such and plain values."""
        if not path or _steps(path) > 1 or (type(value) is not dict and len(value) > _NEAR):
            return
        for key, one in value.items() if type(value) is dict else enumerate(value):
            if type(one) in CONTAINERS and type(key) in _ATOMS:
                inner = f"{path}[{short_words(key, 60)}]"
                self._know(one, inner)
                self._know_below(one, inner)

    def _content(self, value: Any, path: str, depth: int) -> bytes:
        if type(value) in CONTAINERS and self._floats is None and (content := plain_content(value)) is not None:
            self._know_below(value, path)
            return digest("plain", content)
        match value:
            case list() | tuple() | deque() if type(value) in (list, tuple, deque):
                return digest(type(value).__name__, *self._elements(value, path, depth))
            case dict() if type(value) is dict and (marks := self._arrays(list(value.values()))) is not None:
                return digest("dict", *self._elements(list(value)), *marks)
            case dict() if type(value) is dict:
                return digest("dict", *self._items(value.items(), path, depth))
            case set() | frozenset() if type(value) in (set, frozenset):
                return digest(type(value).__name__, *sorted(self._mark(one, "", depth) for one in value))
            case bytearray():
                return digest("bytearray", bytes(value))
            case types.ModuleType():
                return digest("module", str(vars(value).get("__name__", "")), str(len(module_names(value)) > 0))
            case type():
                return self._class(value, depth)
            case types.FunctionType():
                return self._function(value, depth)
            case types.BuiltinFunctionType() | types.MethodType():
                owner = self._mark(value.__self__, "", depth) if value.__self__ is not None else b""
                return digest("method", value.__qualname__, owner)
        return self._library(value, path, depth)

    def _elements(self, values: Any, path: str = "", depth: int = 1) -> list[bytes]:
        if set(map(type, values)) <= PLAIN:
            plain = list(values)
            if self._floats is not None:
                self._floats.take([one for one in plain if type(one) is float])
                plain = [float if type(one) is float else one for one in plain]
            try:
                return [digest(str(len(values)), repr(plain))]
            except ValueError:  # a number with more digits than Python writes
                pass
        if (marks := self._arrays(values)) is not None:
            return marks
        near = bool(path) and len(values) <= _NEAR
        return [self._mark(one, f"{path}[{place}]" if near else "", depth) for place, one in enumerate(values)]

    def _arrays(self, values: Any) -> list[bytes] | None:
        return self._columns.many_arrays(values) if len(values) > _NEAR and self._floats is None else None

    def _items(self, items: Iterable[tuple[Any, Any]], path: str, depth: int) -> Iterator[bytes]:
        for key, one in items:
            yield self._mark(key, "", depth)
            yield self._mark(one, f"{path}[{short_words(key, 60)}]" if path and type(key) in _ATOMS else "", depth)

    def _library(self, value: Any, path: str, depth: int) -> bytes:
        if self._columns.known(value):
            return self._columns.mark(value)
        if is_tensor(value):
            array = as_array(value)
            grad = self._mark(value.grad, "", depth) if value.is_leaf else b""
            if array is None:
                return self._opaquely(value, path)
            return digest("tensor", str(value.dtype), str(value.requires_grad), self._columns.mark(array), grad)
        if is_module(value):
            kept = [self._mark(one, "", depth) for one in tensors_of(value)]
            return digest("module of torch", repr(value), str(value.training), *kept)
        if type(value).__module__.startswith("matplotlib"):
            return self._drawn(value, path)
        if _is_of_the_process(type(value)):
            return self._opaquely(value, path)
        if isinstance(value, _PATHS_ALONE) or type(value).__module__ == "_io":
            return self._file(value, path)
        return self._object(value, path, depth)

    # --- classes, functions, objects -----------------------------------------------------------------------------------

    def _class(self, kind: type, depth: int) -> bytes:
        if kind.__module__ != "__main__":
            return digest("class", kind.__module__, kind.__qualname__)
        own = {name: one for name, one in vars(kind).items() if name not in _OF_EVERY_CLASS}
        bases = [self._mark(base, "", depth) for base in kind.__bases__]
        return digest("class", kind.__qualname__, *bases, *self._items(own.items(), "", depth))

    def _function(self, function: types.FunctionType, depth: int) -> bytes:
        if function.__module__ != "__main__" and "<locals>" not in function.__qualname__:
            return digest("function", str(function.__module__), function.__qualname__)
        held = [cell.cell_contents for cell in function.__closure__ or () if is_filled(cell)]
        rest = (function.__defaults__, function.__kwdefaults__, held, vars(function))
        return digest("function", self._code(function.__code__, depth), *(self._mark(one, "", depth) for one in rest))

    def _code(self, code: types.CodeType, depth: int) -> bytes:
        floats, self._floats = self._floats, None
        consts = [
            self._code(one, depth) if isinstance(one, types.CodeType) else self._mark(one, "", depth)
            for one in code.co_consts
        ]
        self._floats = floats
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_argcount, code.co_kwonlyargcount)
        return digest(code.co_code, str(names), str(code.co_flags), *consts)

    def _object(self, value: Any, path: str, depth: int) -> bytes:
        """By what it would be made again of."""
        kind = self._mark(type(value), "", depth)
        try:
            reduced = value.__reduce_ex__(4)
            if isinstance(reduced, str):
                return digest("named", kind, reduced)
            made, arguments, *rest = reduced
            state, elements, items = (*rest, None, None, None)[:3]
            parts = [self._mark(made, "", depth), self._mark(arguments, "", depth)]
            if isinstance(state, dict):  # the way to a part of it is told as Python writes it
                parts += [
                    mark
                    for name, one in state.items()
                    for mark in (self._mark(name, "", depth), self._mark(one, f"{path}.{name}" if path else "", depth))
                ]
            else:
                parts.append(self._mark(state, "", depth))
            most = self._left + 1  # one of the user's own may never end
            parts += self._elements(list(islice(elements, most)), "", depth) if elements is not None else [b""]
            parts += self._items(islice(items, most), path, depth) if items is not None else [b""]
        except Exception:  # what can't be copied says so in many ways
            return self._opaquely(value, path)
        return digest("object", kind, *parts)

    def _opaquely(self, value: Any, path: str) -> bytes:
        self._opaque.append(f"{path} ({type(value).__name__})" if path else type(value).__name__)
        return digest("opaque", type(value).__module__, type(value).__qualname__)

    def _file(self, value: Any, path: str) -> bytes:
        if isinstance(value, _PATHS_ALONE):
            return digest("path", type(value).__name__, os.fsencode(value))
        try:
            place = -1 if value.closed else value.tell()
            content = value.getvalue() if hasattr(value, "getvalue") and not value.closed else ""
        except (OSError, ValueError, AttributeError):
            return self._opaquely(value, path)
        return digest("file", type(value).__name__, str(getattr(value, "name", "")), str(place), content)

    def _drawn(self, value: Any, path: str) -> bytes:
        """A figure is what it shows; what is in it, as the figure."""
        figure = value if hasattr(value, "savefig") else getattr(value, "figure", None)
        if figure is None or not hasattr(figure, "savefig"):
            return digest("drawn", type(value).__qualname__)
        if figure is not value:
            return digest("drawn", type(value).__qualname__, self._mark(figure, ""))
        import io

        picture = io.BytesIO()
        try:
            figure.savefig(picture, format="rgba", dpi=60)
        except Exception:  # a figure that can't be drawn
            return self._opaquely(value, path)
        return digest("figure", str(figure.get_size_inches().tolist()), picture.getvalue())

    # --- what no variable holds --------------------------------------------------------------------------------------------

    def _state(self) -> tuple[tuple[str, bytes], ...]:
        parts = held_parts(plain=True).items()
        return tuple((name, self._mark(one, "")) for name, one in parts if name not in self._untold)


_OF_EVERY_CLASS = tuple(
    "__dict__ __weakref__ __module__ __firstlineno__ __static_attributes__ __doc__ __slotnames__".split()
)
"""``copyreg`` keeps ``__slotnames__`` there, when an instance is pickled."""


def _is_of_the_process(kind: type) -> bool:
    return any(class_module(one).partition(".")[0] in _OF_THE_PROCESS for one in type.mro(kind))


def _steps(path: str) -> int:
    return path.count("[") + path.count(".")


def _has_own(value: Any) -> bool:
    try:
        return type(object.__getattribute__(value, "__dict__")) is dict
    except AttributeError:
        return False
