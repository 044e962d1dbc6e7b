"""Functions, classes and instances from the checked source, as values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum

from spark_jupyter.reality.abstract_values import UNKNOWN, Invocation, Value


class Role(Enum):
    """The way in which a class binds a function that is defined in it."""

    METHOD = "method"
    STATIC = "staticmethod"
    CLASS = "classmethod"
    PROPERTY = "property"


@dataclass(slots=True, eq=False, repr=False)
class Written(Value):
    """A function written in the source that is checked. ``enter`` goes through its body with the arguments of a call and says what it
    gives; None where the body says nothing of a call (a generator, a coroutine)."""

    name: str
    _: KW_ONLY
    parameters: tuple[str, ...]
    positional: int | None
    allows_any: bool
    enter: Callable[[Invocation], Value] | None = None
    role: Role = Role.METHOD

    def on(self, receiver: Value) -> Written:
        """The function as a method of ``receiver``, which fills the first parameter."""
        enter = self.enter

        def entered(call: Invocation) -> Value:
            place = call.node.func
            given = Invocation(call.node, [(place, receiver), *call.positional], call.keywords, call.stars, call.places)
            return enter(given) if enter is not None else UNKNOWN

        return Written(
            self.name,
            parameters=self.parameters[1:],
            positional=None if self.positional is None else max(self.positional - 1, 0),
            allows_any=self.allows_any,
            enter=entered if enter is not None else None,
        )


@dataclass(slots=True, eq=False, repr=False)
class WrittenClass(Value):
    """A class written in the source that is checked. ``closed``: what it and its bases do not name, its instances lack. ``fields`` are
    those of a dataclass, each with what makes its default."""

    name: str
    members: dict[str, Value]
    _: KW_ONLY
    closed: bool
    enumeration: object = None
    fields: dict[str, Callable[[], Value]] = field(default_factory=dict)


class Instance(Value):
    """An instance of a class written in the source. Its attributes change in place, as those of the object do."""

    __slots__ = ("attributes", "closed", "made_by")

    def __init__(self, made_by: WrittenClass) -> None:
        self.made_by = made_by
        self.attributes: dict[str, Value] = {}
        self.closed = made_by.closed

    def forget(self) -> None:
        """Forget the attributes: something that can't be followed may have changed them."""
        self.attributes = dict.fromkeys(self.attributes, UNKNOWN)
        self.closed = False
