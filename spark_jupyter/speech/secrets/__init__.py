"""Which parts of a text are credentials. Pure, and linear in the text's length.

:func:`find` looks at the text alone: ``shapes`` (what the form gives away), ``places`` (what a name in front gives away), ``prose`` (what a
sentence tells), ``commands`` (what the place in a command or a call gives away), ``tables`` (what a heading gives away), ``references``
(what reaches such a name by way of another); ``spellings`` undoes quotes, escapes and lists of arguments before. ``known`` finds values
that are known already, also encoded, reversed or split; ``held`` reads such values off a namespace.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from spark_jupyter.speech.secrets.commands import in_commands
from spark_jupyter.speech.secrets.found import Secret, without_overlaps
from spark_jupyter.speech.secrets.places import in_places
from spark_jupyter.speech.secrets.prose import in_prose
from spark_jupyter.speech.secrets.references import by_reference
from spark_jupyter.speech.secrets.shapes import in_encodings, in_shapes
from spark_jupyter.speech.secrets.spellings import command_lines, plain_quotes, unescaped
from spark_jupyter.speech.secrets.tables import in_tables


def find(text: str) -> tuple[Secret, ...]:
    """The credentials in ``text``, in order and without overlaps."""
    text = plain_quotes(text)
    return tuple(without_overlaps(chain(_plain(text), in_encodings(text, _plain), _respelled(text))))


def _respelled(text: str) -> Iterator[Secret]:
    spelling = unescaped(text)
    if spelling is not None:
        yield from map(spelling.back, _plain(spelling.text))
    for line in command_lines(text):
        yield from map(line.back, _plain(line.text))


def _plain(text: str) -> tuple[Secret, ...]:
    found = chain(
        in_shapes(text), in_commands(text), in_places(text), in_prose(text), in_tables(text), by_reference(text)
    )
    return tuple(without_overlaps(found))
