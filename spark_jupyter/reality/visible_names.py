"""Names visible at a statement."""

from __future__ import annotations

from spark_jupyter.reality.abstract_values import Value


class Scope:
    """The names of a module, a function, a class or a comprehension."""

    __slots__ = ("globals_", "is_class", "is_function", "names", "parameters", "parent")

    def __init__(self, parent: Scope | None = None, *, is_function: bool = False, is_class: bool = False) -> None:
        self.names: dict[str, Value] = {}
        self.parent = parent
        self.is_function = is_function
        self.is_class = is_class
        self.globals_: set[str] = set()
        self.parameters: frozenset[str] = frozenset()
