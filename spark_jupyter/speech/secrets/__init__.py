"""Which parts of a text are credentials. Pure, and linear in the text's length.

:func:`find` looks at the text alone: ``shapes`` (what the form gives away), ``places`` (what a name in front gives away), ``commands``
(what the place in a command or a call gives away), ``tables`` (what a heading gives away). ``known`` finds values that are known
already, also encoded, reversed or split; ``held`` reads such values off a namespace.
"""

from __future__ import annotations

from itertools import chain

from spark_jupyter.speech.secrets.commands import in_commands
from spark_jupyter.speech.secrets.found import Secret, without_overlaps
from spark_jupyter.speech.secrets.places import in_places
from spark_jupyter.speech.secrets.shapes import in_encodings, in_shapes
from spark_jupyter.speech.secrets.tables import in_tables


def find(text: str) -> tuple[Secret, ...]:
    """The credentials in ``text``, in order and without overlaps."""
    return tuple(without_overlaps(chain(_plain(text), in_encodings(text, _plain))))


def _plain(text: str) -> tuple[Secret, ...]:
    return tuple(without_overlaps(chain(in_shapes(text), in_commands(text), in_places(text), in_tables(text))))
