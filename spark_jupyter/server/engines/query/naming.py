"""The user's variables that are no tables, as the rules about them see them. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_jupyter.server.engines.namespace import Variable
    from spark_jupyter.server.engines.query.marked import Marked


class Named:
    """A marked prompt with the variables that it may speak of: ``x`` is the one of the mark ``⟨t…⟩`` in a match."""

    def __init__(self, marked: Marked, variables: Mapping[str, Variable]) -> None:
        self.marked, self.variables = marked, variables

    def of(self, found: re.Match[str], group: str = "x") -> Variable:
        """The variable that stands in this group of the match."""
        return self.variables[self.marked.value(found[group])]

    def value(self, found: re.Match[str], group: str) -> str:
        """What a mark in this group stands for, or the word."""
        return self.marked.value(found[group])


def kind(one: Variable) -> str:
    """``numbers``, ``texts`` or ``list`` of whatever, ``array``, ``dict``, ``set`` or ``str``; empty for what nothing is known to
    be asked of."""
    if one.type in ("list", "tuple"):
        of = one.details.partition(" of ")[2]
        numbers = re.fullmatch(r"(?:int|float)(?:, (?:int|float))*", of)
        return "numbers" if numbers else "texts" if of == "str" else "list"
    return {"ndarray": "array", "dict": "dict", "str": "str", "set": "set", "frozenset": "set"}.get(one.type, "")


def flat(one: Variable) -> bool:
    """Whether it is an array of one dimension."""
    return bool(re.search(r"\(\d+,\)", one.details))


def size(one: Variable) -> str:
    """How many elements a list has, as its line tells; empty where that is not told."""
    found = re.match(r"\((\d+)\)", one.details)
    return found[1] if found else ""


def matrix(one: Variable) -> bool:
    """Whether it is an array of two dimensions."""
    return kind(one) == "array" and bool(re.search(r"\(\d+, \d+\)", one.details))


def of_lists(one: Variable) -> bool:
    """Whether it is a dictionary whose values are lists of something."""
    return kind(one) == "dict" and one.details.endswith(("to list", "to tuple"))


def of_numbers(one: Variable) -> bool:
    """Whether it is a dictionary whose values may be numbers."""
    return kind(one) == "dict" and not re.search(r"to (?:list|tuple|dict|str|set)$", one.details)
