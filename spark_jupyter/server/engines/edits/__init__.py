"""Edits of a cell: docstrings, type hints, tests."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from spark_jupyter.server.engines.edits import docstring, hints, tests

__all__ = ["Edit", "asked_of"]

_DOCSTRING = re.compile(
    r"\b(?:doc[- ]?strings?|document (?:this|it|the (?:function|class|code|cell)|my)|documentation)\b", re.IGNORECASE
)
_HINTS = re.compile(r"\btype[- ]?(?:hint|annotation)s?\b|\bannotate\b|\btyped\b|\badd types\b", re.IGNORECASE)
_TESTS = re.compile(
    r"\b(?:write|add|make|create|generate|need|some)\b.*\b(?:unit[- ]?)?tests?\b|^\W*(?:unit )?tests?\b", re.IGNORECASE
)


class Edit(Struct, frozen=True, kw_only=True):
    """An edit: ``source`` is the changed cell, ``extra`` a new cell below it, ``says`` what was done."""

    says: str
    source: str | None = None
    extra: str | None = None


def asked_of(instruction: str, source: str) -> Edit | None:
    """The edit of ``source`` that the instruction asks for, None where it asks for none that is known.

    Raises :class:`SyntaxError` where ``source`` is not Python.
    """
    if _TESTS.search(instruction):
        written = tests.write_tests(source)
        says = "A test for each function. What each should give is for you to say."
        return Edit(says=says if written else "There is no function to test.", extra=written)
    changed, said = source, list[str]()
    for pattern, apply, says in _EDITS:
        if pattern.search(instruction):
            changed, said = apply(changed), [*said, says]
    if not said:
        return None
    if changed.strip() == source.strip():
        return Edit(says="There is nothing to change: the cell has that already, or its code does not show it.")
    return Edit(says=" ".join(said), source=changed)


_EDITS: tuple[tuple[re.Pattern[str], Callable[[str], str], str], ...] = (
    (_HINTS, hints.add_type_hints, "With type hints where the code shows them."),
    (_DOCSTRING, docstring.add_docstrings, "With docstrings that say what the code shows; please complete them."),
)
