"""Search for credentials in text.

:func:`find` looks at the text alone. Each module knows one kind of evidence: the form of a key (``key_formats``), a name in front of the
value (``named_values``), a sentence (``credential_prose``), the place in a command or a call (``credential_commands``,
``credential_calls``), a heading (``credential_columns``, ``secret_blocks``), a way through other names (``variable_references``,
``paired_values``), an expression (``expression_values``, ``composed_expressions``), the words of the line (``credential_lines``), and the
randomness of a literal (``random_literals``). ``hidden_tests`` finds what a student is not to read. ``spellings`` undoes quotes, escapes
and lists of arguments before. ``known_values`` finds values that are known already, also encoded, reversed or split;
``namespace_secrets`` reads such values off a namespace. Pure, and linear in the text's length.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from spark_jupyter.redaction.composed_expressions import by_composition
from spark_jupyter.redaction.credential_calls import in_calls
from spark_jupyter.redaction.credential_columns import in_tables
from spark_jupyter.redaction.credential_commands import in_commands
from spark_jupyter.redaction.credential_lines import by_line
from spark_jupyter.redaction.credential_prose import in_prose
from spark_jupyter.redaction.expression_values import by_expression
from spark_jupyter.redaction.hidden_tests import in_hidden_tests
from spark_jupyter.redaction.key_formats import in_encodings, in_shapes
from spark_jupyter.redaction.named_values import in_places
from spark_jupyter.redaction.paired_values import by_pairing
from spark_jupyter.redaction.random_literals import generated
from spark_jupyter.redaction.secret import Secret, without_overlaps
from spark_jupyter.redaction.secret_blocks import in_blocks
from spark_jupyter.redaction.spellings import command_lines, plain_quotes, unescaped
from spark_jupyter.redaction.variable_references import by_reference


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
        in_hidden_tests(text),
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
