"""Abstract values of the reality check."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

MAX_COLUMNS = 5000
"""Of a wider table the columns are not followed."""
NAMES_AT_MOST = 6
"""A value that could be of more kinds than this counts as unknown."""


class _NoConstant:
    __slots__ = ()


NO_CONSTANT = _NoConstant()


class Value:
    """Knowledge of the value of an expression."""

    __slots__ = ()


class Unknown(Value):
    """Nothing is known; nothing is said about it."""

    __slots__ = ()


UNKNOWN = Unknown()


class Scalar(Unknown):
    """A value of which only is known that it is not a table: the result of ``series.max()``."""

    __slots__ = ()


SCALAR = Scalar()


class Recursion(Unknown):
    """The result of a function that is being gone through: nothing else than its other results."""

    __slots__ = ()


RECURSION = Recursion()


@dataclass(slots=True, eq=False, repr=False)
class Live(Value):
    """Exactly this object: a module, a class, a function, a constant, or a variable in the kernel."""

    thing: object


Held = tuple[object, ...] | Callable[[], tuple[object, ...] | None]
"""All values that a column may hold, or what looks them up."""


class Table:
    """The columns that a DataFrame (or the labels that a Series) may have; ``columns`` None: any.

    It is changed in place by what changes the DataFrame in place, so that all names of one DataFrame agree. It only ever
    holds more than the DataFrame has: what is not in it is certainly missing.
    """

    __slots__ = (
        "as_index", "axis_name", "columns", "has_tuples", "held", "holds", "keys", "levels", "name", "of_labels", "of_series", "one_level",
        "picked", "rows", "types",
    )  # fmt: skip

    def __init__(
        self,
        columns: Iterable[object] | None,
        *,
        levels: Iterable[object] | None = (),
        one_level: bool = False,
        name: object = None,
        held: Held | None = None,
    ) -> None:
        self.one_level = one_level
        """True if the index certainly has one level, so that ``loc[a, b]`` means a row and a column."""
        known = None if columns is None else dict.fromkeys(columns)
        self.columns: dict[object, None] | None = None if known is not None and len(known) > MAX_COLUMNS else known
        self.has_tuples = any(type(column) is tuple for column in known or ())
        """True if some columns have more than one level, so that one label stands for many."""
        self.levels: tuple[object, ...] | None = None if levels is None else tuple(dict.fromkeys(levels))
        """Names of index levels, which groupby, sort_values and merge take like columns; None: any."""
        self.name = NO_CONSTANT if name is None and columns is None and levels is None else name
        """The name of a Series; :data:`NO_CONSTANT`: any."""
        self.of_series = False
        """True if a Series is grouped, resampled or rolled."""
        self.of_labels = False
        """True for ``frame.columns.str``: the columns are its texts."""
        self.keys: tuple[object, ...] | None = None
        """The names that groups are made by; None: any."""
        self.picked: tuple[object, ...] | None = None
        """The columns that were picked of groups; None: all but the keys."""
        self.as_index = True
        """True if the groups' keys become the index of the result."""
        self.holds: dict[object, Held] = {}
        """All values that a column or level may hold, for those of which that is known."""
        self.held = held
        """The same of a Series; None: any."""
        self.rows: tuple[object, ...] | None = None
        """All labels that its rows may have; None: any. What makes another table of it keeps them only where that is known."""
        self.types: dict[object, str] | None = None
        """Exactly its columns, in their order, with the types of a lazy frame; None where that is not known."""
        self.axis_name: object = None
        """The common name of the columns, as those of a pivot have one."""

    def values_of(self, name: object) -> tuple[object, ...] | None:
        """All values that a column or level may hold; None: any."""
        found = self.holds.get(name)
        return found() if callable(found) else found

    def values(self) -> tuple[object, ...] | None:
        """All values that a Series may hold; None: any."""
        return self.held() if callable(self.held) else self.held

    def holding(self, other: Table, *, but: Iterable[object] = ()) -> Table:
        """This table, whose columns and levels hold what those of ``other`` do, ``but`` for some."""
        left_out, any_name = set(but), self.columns is None or self.levels is None
        names = {*(self.columns or ()), *(self.levels or ())}
        self.holds |= {
            name: held for name, held in other.holds.items() if name not in left_out and (any_name or name in names)
        }
        self.axis_name = other.axis_name
        return self

    def copy(self) -> Table:
        """A table that can change without this one; what its columns hold is not known."""
        result = self.plain()
        result.of_series, result.keys, result.as_index = self.of_series, self.keys, self.as_index
        result.picked, result.types = self.picked, self.types
        return result

    def plain(self) -> Table:
        """The same of data that is not grouped."""
        result = Table(self.columns, levels=self.levels, one_level=self.one_level)
        result.name, result.axis_name = self.name, self.axis_name
        return result

    def add(self, *columns: object) -> None:
        """These may be there from now on; what they hold is not known."""
        for column in columns if self.holds else ():
            self.holds.pop(column, None)
        self.types = None
        if self.columns is not None:
            self.columns.update(dict.fromkeys(columns))
            self.has_tuples = self.has_tuples or any(type(column) is tuple for column in columns)
            if len(self.columns) > MAX_COLUMNS:
                self.forget()

    def forget(self) -> None:
        """Any column may be there from now on."""
        self.columns = self.levels = self.rows = self.types = None
        self.holds.clear()

    def has(self, column: object) -> bool:
        """True if it could be a column."""
        return self.columns is None or column in self.columns


class Of(Value):
    """An instance of ``kind``, or of a subclass of it unless ``exact``.

    ``table`` holds the columns of a DataFrame, a Series or a GroupBy; ``items`` the values in a tuple, list or dict display
    (``keys`` the constants that they stand under in a dict). Where only one thing can be said of all that is in a list, dict or
    iterator, that is its ``element``. ``guessed``: a text says so, not the object; what follows from it is a warning only.
    ``written`` is how an expression of columns was written that a variable stands for.
    """

    __slots__ = ("element", "exact", "guessed", "items", "keys", "kind", "table", "written")

    def __init__(
        self,
        kind: type,
        *,
        exact: bool = False,
        table: Table | None = None,
        items: tuple[Value, ...] | None = None,
        keys: tuple[object, ...] | None = None,
        element: Value | None = None,
        guessed: bool = False,
        written: ast.expr | None = None,
    ) -> None:
        self.guessed = guessed
        self.written = written
        self.element = None if isinstance(element, Unknown) else element
        self.kind = kind
        self.exact = exact
        self.table = table
        self.items = items
        self.keys = keys

    def forget_items(self) -> None:
        """It was changed where that can't be followed."""
        self.items = self.keys = self.element = None


@dataclass(slots=True, eq=False, repr=False)
class Bound(Value):
    """The function that looking up ``name`` on ``receiver`` gives; ``skip`` parameters are filled by the lookup."""

    function: object
    receiver: Value
    name: str
    skip: int = 1


@dataclass(slots=True, eq=False, repr=False)
class Either(Value):
    """One of several."""

    options: tuple[Value, ...]


_CONSTANTS = (str, int, float, bool, bytes, complex, type(None), type(...))


def constant(value: Value) -> object:
    """The plain constant that a value is known to be; :data:`NO_CONSTANT` where it is none."""
    if isinstance(value, Live) and type(value.thing) in _CONSTANTS:
        return value.thing
    return NO_CONSTANT


@dataclass(slots=True)
class Invocation:
    """A call as far as it is known: ``stars`` where ``*`` or ``**`` pass on what can't be seen. ``places`` are the keywords' own."""

    node: ast.Call
    positional: list[tuple[ast.expr, Value]] = field(default_factory=list)
    keywords: dict[str, tuple[ast.expr, Value]] = field(default_factory=dict)
    stars: bool = False
    places: dict[str, ast.AST] = field(default_factory=dict)

    @classmethod
    def of(cls, node: ast.expr, *values: Value) -> Invocation:
        """A call that another one makes, at the place of ``node``: of a function that it is given."""
        return cls(ast.Call(func=node, args=[], keywords=[]), [(node, value) for value in values])

    def moved(self, count: int = 1) -> Invocation:
        """The same call without its first arguments."""
        return Invocation(self.node, self.positional[count:], self.keywords, stars=self.stars, places=self.places)

    def argument(self, name: str, position: int | None = None) -> tuple[ast.expr, Value] | None:
        """The argument that is passed under a name or at a position."""
        if name in self.keywords:
            return self.keywords[name]
        if position is not None and not self.stars and position < len(self.positional):
            return self.positional[position]
        return None

    def constant(self, name: str, position: int | None = None, default: object = NO_CONSTANT) -> object:
        """The constant passed there; ``default`` where nothing is passed."""
        found = self.argument(name, position)
        return default if found is None else constant(found[1])


def either(options: Iterable[Value]) -> Value:
    """One value for several possible ones; unknown where one of them is."""
    found: list[Value] = []
    listed = list(options)
    if listed and all(isinstance(option, Scalar) for option in listed):
        return SCALAR
    for option in listed:
        for single in alternatives(option):
            if isinstance(single, Unknown):
                return UNKNOWN
            if not any(same(single, other) for other in found):
                found.append(single)
    if not found or len(found) > NAMES_AT_MOST:
        return UNKNOWN
    return found[0] if len(found) == 1 else Either(tuple(found))


def alternatives(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, Either) else (value,)


def guess(value: Value) -> Value:
    """The same, known from a text only."""
    options = [
        Of(
            one.kind,
            exact=one.exact,
            table=one.table,
            items=one.items,
            keys=one.keys,
            element=guess(one.element) if one.element is not None else None,
            guessed=True,
        )
        if isinstance(one, Of)
        else one
        for one in alternatives(value)
    ]
    return options[0] if len(options) == 1 else Either(tuple(options))


def is_guess(value: Value | None) -> bool:
    """True if the value is known from a text only."""
    return value is not None and any(isinstance(one, Of) and one.guessed for one in alternatives(value))


def same(one: Value, other: Value) -> bool:
    """True if two values are known to be alike in all that is looked at."""
    if one is other:
        return True
    if isinstance(one, Live) and isinstance(other, Live):
        return one.thing is other.thing
    if isinstance(one, Of) and isinstance(other, Of):
        return (
            one.kind is other.kind
            and one.exact == other.exact
            and one.table is other.table
            and one.items is other.items
            and one.element is other.element
            and one.guessed == other.guessed
            and one.written is other.written
        )
    return False


def each(value: Value, change: Callable[[Value], Value]) -> Value:
    """``change`` applied to all that a value may be."""
    if isinstance(value, Either):
        return either(change(option) for option in value.options)
    return change(value)


def constants(value: Value) -> tuple[object, ...] | None:
    """The constants that a value lists: of a list or tuple display its items, of a constant itself. None: not known."""
    if isinstance(value, Of) and value.items is not None and value.kind in (list, tuple, set):
        return tuple(constant(item) for item in value.items)
    single = constant(value)
    return None if single is NO_CONSTANT else (single,)


def options_of(value: Value) -> Iterator[Of]:
    """The instances among what a value may be."""
    for option in alternatives(value):
        if isinstance(option, Of):
            yield option
