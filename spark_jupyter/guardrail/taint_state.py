"""Taint state at one point of a notebook.

Variables, functions, guards. A :class:`Context` carries it over cells.
"""

from __future__ import annotations

import ast
from copy import copy
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from spark_jupyter.guardrail.line_parser import Parsed
from spark_jupyter.guardrail.rule import Call, Hit, Rule
from spark_jupyter.guardrail.shell_reader import joined
from spark_jupyter.guardrail.taint_values import DATABASE, EVERYTHING, SAFE, Fact, Flows, Origin, Trust, Value

_WRITTEN: Final = "written:"
_FOREIGN: Final = "\0foreign"
_LEFT: Final = "\0left"
"""Marker variables that no code can name; the first is the prefix of those for files."""
BASE: Final = "\0base"
"""Member of a class that no code can name: the class that it is derived from."""
_ANCESTORS: Final = 5
VARIABLE_LIMIT: Final = 20_000
AWAITED_NAMES: Final = 200
AWAITED_CALLS: Final = 4


class Made(NamedTuple):
    """From what a variable was made, and the names in it."""

    expression: ast.expr
    names: frozenset[str]


class Yes(NamedTuple):
    """A condition under which a function returns something true, and the origins of the variables in it."""

    condition: ast.expr
    made_from: dict[str, Made]


@dataclass(slots=True, eq=False, repr=False)
class Summary:
    """A function of the notebook: which parameter reaches which sink, which ones it makes a condition of (``checks``), whether it only
    ``answers`` yes or no, and what it returns: the flows, and the name and the fact of the last result. ``yes``: when that is true, or
    None where that can't be said. ``lines`` are read again where it is called with a path or a command, if it ``reaches`` what asks
    for one; ``found``: what was in them."""

    name: str
    parameters: list[str]
    owner: str = ""
    """The class whose method it is."""
    sinks: list[tuple[str, Rule, Hit]] = field(default_factory=list)
    checks: set[str] = field(default_factory=set)
    answers: bool | None = None
    returned: Flows = ()
    gives: str = ""
    fact: Fact | None = None
    may_be_none: bool = False
    yes: list[Yes] | None = field(default_factory=list)
    lines: list[tuple[Parsed, int]] = field(default_factory=list)
    reaches: bool = False
    found: set[tuple[str, str | None]] = field(default_factory=set)
    defaults: dict[str, Value] = field(default_factory=dict)


Chosen = dict[str, Fact | None]
"""Variables that stand for a few files only, with what is known of these."""
Choice = tuple[Chosen, Chosen]
"""What is chosen where a condition holds, and where it does not."""


class Failed(NamedTuple):
    """The conditions of the clauses above an ``elif``, an ``else`` or a ``case``, and what their failure chooses."""

    tests: tuple[ast.expr, ...] = ()
    choice: Choice | None = None


@dataclass(slots=True, eq=False, repr=False)
class Block:
    """Lines under a condition: what is ``held`` there and what that chooses, the tests that a clause behind it has ``failed``, and the
    variables as they were ``before``. The body of a loop or of a function has failed none."""

    indent: int
    held: list[ast.expr]
    choice: Choice | None
    failed: Failed
    before: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """A module, class or function body. ``indent`` is that of its header: a line no deeper ends it. ``handler``: it answers requests;
    in a class that is ``open_ended`` a method of any name does. ``on_get``: those that only ask, as a link does. ``bases``: a class's."""

    kind: str
    name: str = ""
    indent: int = -1
    summary: Summary | None = None
    handler: bool = False
    on_get: bool = False
    open_ended: bool = False
    body: int | None = None
    bases: tuple[str, ...] = ()
    decorators: list[str] = field(default_factory=list)
    variables: dict[str, Value] = field(default_factory=dict)
    made_from: dict[str, Made] = field(default_factory=dict)


@dataclass(eq=False)
class Context:
    """Knowledge from earlier cells; a Scanner extends a copy of it."""

    variables: dict[str, Value] = field(default_factory=dict)
    functions: dict[str, Summary] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    stars: set[str] = field(default_factory=set)
    cleared: dict[int, int] = field(default_factory=dict)
    counter: int = 0
    has_places: bool = False
    """True if a variable stands for a folder that holds everything, or for what is listed there."""
    holders: set[str] = field(default_factory=set)
    """Variables that stand for one, or have one as an attribute."""

    def copy(self) -> Context:
        """Copy the context; the two then change independently."""
        return Context(**{name: copy(value) for name, value in vars(self).items()})


class State:
    """The context while a cell is read, with the scopes that are open."""

    def __init__(self, context: Context) -> None:
        self.context = context
        module = Scope("module")
        module.variables = context.variables
        self.scopes: list[Scope] = [module]
        self.module = module
        self.decorators: list[str] = []
        self.routes: list[Value] = []
        self.on_get = False
        """True if the function below answers HTTP GET requests."""
        self.statement: ast.stmt | None = None
        """The statement that is being executed."""
        self.converted: set[str] = set()
        """Parameters of the function below that its decorators restrict to harmless values."""
        self.clause = ""
        self.awaited: dict[str, list[Call]] = {}
        """Calls with input of functions that are not defined yet, by name."""
        self.blocks: list[Block] = []
        self.earlier = Failed()
        self.subjects: dict[int, ast.expr] = {}
        """What ``match`` statements ask about, by their indent."""
        self.made: tuple[ast.Call, Value | None] | None = None
        """The last call of a function that was read again, with the object that it makes."""
        self.asides: list[tuple[str, ast.AST, str]] = []
        """Asides of the current line: rule, node and text."""

    @property
    def scope(self) -> Scope:
        return self.scopes[-1]

    def lookup(self, name: str) -> Value | None:
        """The value of a variable, from the innermost scope outward."""
        scopes = self.scopes
        for index in range(len(scopes) - 1, -1, -1):
            value = scopes[index].variables.get(name)
            if value is not None:
                return value
        return None

    def attribute(self, name: str, attribute: str) -> Value | None:
        """Value stored as ``name.attribute``; for ``self`` also a value from the body of its class."""
        stored = self.lookup(f"{name}.{attribute}")
        if stored is not None or name not in ("self", "cls"):
            return stored
        own = next((scope for scope in reversed(self.scopes) if scope.kind == "class"), None)
        return (own.variables.get(attribute) or self.member(own.name, attribute)) if own is not None else None

    def store(self, name: str, value: Value) -> None:
        """Bind a variable (``self.x`` goes to the class, so that other methods see it)."""
        scope = self.scopes[-1]
        if name.startswith(("self.", "cls.")):
            scope = next((one for one in reversed(self.scopes) if one.kind == "class"), scope)
        variables = scope.variables
        if len(variables) < VARIABLE_LIMIT or name in variables:
            variables[name] = value
        if value.fact in (Fact.WHOLE, Fact.HERE):
            self.context.has_places = True
        if value.fact is Fact.WHOLE:
            self.context.holders.add(name.partition(".")[0])
        if scope.kind == "class" and value.name and not value.flows:
            self.store_member(scope.name, name.rpartition(".")[2], value)

    def store_member(self, owner: str, name: str, value: Value) -> None:
        """Keep what every object of a class has under a name: a function, a module."""
        variables = self.module.variables
        if len(variables) < VARIABLE_LIMIT:
            variables[f"{owner}.{name}"] = value
        if value.fact is Fact.WHOLE:
            self.context.holders.add(owner)

    def member(self, owner: str, name: str) -> Value | None:
        """What an object of this class has under a name, its own or from the class that it is derived from."""
        for _ in range(_ANCESTORS):
            found = self.lookup(f"{owner}.{name}")
            base = None if found is not None else self.lookup(f"{owner}.{BASE}")
            if base is None:
                return found
            owner = base.name
        return None

    def change(self, name: str, value: Value) -> None:
        """Replace a variable's value where it was bound: ``ROWS[key] = value`` in a function changes the module's."""
        scope = next((one for one in reversed(self.scopes) if name in one.variables), self.scope)
        if len(scope.variables) < VARIABLE_LIMIT or name in scope.variables:
            scope.variables[name] = value

    def wrote(self, path: str) -> None:
        """Note that the program writes this file."""
        self.store(_WRITTEN + path, SAFE)

    def leave_folder(self, to: str) -> None:
        """Note that the program works in another folder from now on; one that is not known has no name (HOLE)."""
        folder = joined(self.folder, to)
        self.module.variables[_LEFT] = Value(const=folder, text=folder)

    @property
    def folder(self) -> str:
        """The folder in which the program works, or nothing for the notebook's own."""
        left = self.module.variables.get(_LEFT)
        return left.text or "" if left is not None else ""

    def saved_foreign_data(self) -> None:
        """Note that foreign data went into an unknown file: no file is known to be the program's own any more."""
        self.store(_FOREIGN, SAFE)

    def has_written(self, path: str) -> bool:
        """True if the program wrote this file, and only with data of its own."""
        return self.lookup(_WRITTEN + path) is not None and self.lookup(_FOREIGN) is None

    def origin(self, label: str, trust: int, parameter: str = "") -> Origin:
        self.context.counter += 1
        return Origin(self.context.counter, label, trust, parameter)

    def flow(self, label: str, trust: int, parameter: str = "") -> Flows:
        """Flows of a new source, dangerous for every kind of sink."""
        return ((self.origin(label, trust, parameter), EVERYTHING),)

    def await_function(self, event: Call) -> None:
        """Remember a call of a function that is not defined yet, for its parameters."""
        calls = self.awaited.get(event.tail, [])
        if len(calls) < AWAITED_CALLS and (calls or len(self.awaited) < AWAITED_NAMES):
            self.awaited[event.tail] = [*calls, event]

    def still_dangerous(self, flows: Flows) -> Flows:
        """Flows without the bits that conditions have cleared."""
        cleared = self.context.cleared
        return tuple([(origin, left) for origin, had in flows if (left := had & ~cleared.get(origin.id, 0))])

    def clear(self, flows: Flows, bits: int) -> None:
        """Clear ``bits`` for every value made from these inputs, after a check."""
        cleared = self.context.cleared
        for origin, _ in flows:
            cleared[origin.id] = cleared.get(origin.id, 0) | bits

    def dangerous(self, value: Value, bits: int, least: int = Trust.LOCAL) -> Flows:
        """The flows of ``value`` that are dangerous for ``bits``: from sources at least as bad as ``least``, and from
        parameters, whose source is not known yet."""
        flows = value.flows
        if not flows:
            return ()
        cleared = self.context.cleared
        return tuple(
            [
                (origin, left)
                for origin, had in flows
                if (left := had & bits & ~cleared.get(origin.id, 0))
                and (origin.trust >= least or origin.trust == Trust.PARAMETER)
            ]
        )

    def checked(self, value: Value, bits: int) -> bool:
        """True if ``value`` was made from input, and all of it has passed a guard or a sanitiser for ``bits``."""
        given = tuple([flow for flow in value.flows if flow[0].label != DATABASE])
        return bool(given) and not any(left & bits for _, left in self.still_dangerous(given))

    def certain(self, value: Value, bits: int, least: int = Trust.LOCAL) -> Flows:
        """Dangerous flows without those from parameters."""
        return tuple([flow for flow in self.dangerous(value, bits, least) if flow[0].trust != Trust.PARAMETER])

    @property
    def handler(self) -> bool:
        """True inside a function that answers requests."""
        return any(scope.handler for scope in self.scopes)

    @property
    def handler_class(self) -> bool:
        """True inside a class that handles requests."""
        return any(scope.kind == "class" and scope.handler for scope in self.scopes)

    def uses(self, *modules: str) -> bool:
        """True if one of these top-level modules was imported, in this cell or before."""
        return not self.context.modules.isdisjoint(modules)


def only_parameters(flows: Flows) -> bool:
    """True if every flow is a parameter of an ordinary function."""
    return bool(flows) and all(origin.trust == Trust.PARAMETER for origin, _ in flows)


def named(flows: Flows, words: frozenset[str]) -> bool:
    """True if one of the flows is a parameter with one of these names (``file_name`` and ``fileName`` are ``filename``)."""
    return any(plain(origin.parameter) in words for origin, _ in flows if origin.parameter)


def plain(name: str) -> str:
    """Name in lower case without underscores."""
    return name.replace("_", "").lower()
