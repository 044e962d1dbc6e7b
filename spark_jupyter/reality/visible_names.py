"""Names visible at a statement."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from spark_jupyter.reality.abstract_values import Value


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """The names of a module, a function, a class or a comprehension."""

    parent: Scope | None = None
    _: KW_ONLY
    is_function: bool = False
    is_class: bool = False
    names: dict[str, Value] = field(default_factory=dict)
    globals_: set[str] = field(default_factory=set)
    parameters: frozenset[str] = frozenset()
