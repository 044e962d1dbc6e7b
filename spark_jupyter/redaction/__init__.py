"""Which parts of a text are credentials. Pure, and linear in the text's length.

:func:`find` looks at the text alone: ``shapes`` (what the form gives away), ``places`` (what a name in front gives away), ``prose`` (what a
sentence tells), ``commands`` and ``calls`` (what the place in them gives away), ``tables`` (what a heading gives away), ``references``
(what reaches such a name by way of another), ``pairing`` (what is named in a list of names), ``blocks`` (what the heading
of a block says of all in it), ``evaluated`` (what an expression of such a name has as its value), ``generated`` (what only a machine can
have made); ``spellings`` undoes quotes, escapes and lists of arguments before. ``known`` finds values that are known already, also encoded,
reversed or split; ``held`` reads such values off a namespace.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from spark_jupyter.redaction.blocks import in_blocks
from spark_jupyter.redaction.calls import in_calls
from spark_jupyter.redaction.commands import in_commands
from spark_jupyter.redaction.composed import by_composition
from spark_jupyter.redaction.evaluated import by_expression
from spark_jupyter.redaction.found import Secret, without_overlaps
from spark_jupyter.redaction.generated import generated
from spark_jupyter.redaction.nearby import by_line
from spark_jupyter.redaction.pairing import by_pairing
from spark_jupyter.redaction.places import in_places
from spark_jupyter.redaction.prose import in_prose
from spark_jupyter.redaction.references import by_reference
from spark_jupyter.redaction.shapes import in_encodings, in_shapes
from spark_jupyter.redaction.spellings import command_lines, plain_quotes, unescaped
from spark_jupyter.redaction.tables import in_tables


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
        in_shapes(text),
        in_commands(text),
        in_calls(text) if "(" in text else (),  # which no picture in base64 has, however long
        in_places(text),
        in_blocks(text),
        in_prose(text),
        in_tables(text),
        by_reference(text),
        by_pairing(text),
        by_expression(text),
        by_composition(text),
        generated(text),
        by_line(text),
    )
    return tuple(without_overlaps(found))
