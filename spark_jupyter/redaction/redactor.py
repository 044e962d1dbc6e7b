"""Replacement of credentials by placeholders, and back.

:class:`Redactor` replaces a credential by a named placeholder, ``SPARK_SECRET_1_AWS_KEY``, that a model can use like the value;
:meth:`Redactor.restore` puts the value back. It recognises:

- what :mod:`spark_jupyter.redaction` finds in the text itself: by its form, by the name in front of it, by its place
  in a command, a call or a table. Entropy alone does not count: on notebooks it flags almost every cell (hashes, ids, images);
- known values: those of environment variables and of the kernel's variables whose names say so, and what was found
  before. They are found as whole values wherever they appear, also encoded, reversed or in pieces.

Placeholders that people write (``"YOUR_KEY"``, ``"<password>"``, ``"${TOKEN}"``, ``"changeme"``) are no secrets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from spark_jupyter.redaction import find
from spark_jupyter.redaction.hidden_tests import KIND as HIDDEN_TESTS
from spark_jupyter.redaction.hidden_tests import standing_elsewhere, telling_lines
from spark_jupyter.redaction.known_values import Known
from spark_jupyter.redaction.placeholders import OURS, is_placeholder
from spark_jupyter.redaction.secret import Secret, without_overlaps
from spark_jupyter.source.credential_names import names_a_credential

_CACHED_TEXTS = 8_192
_CACHED_CHARACTERS = 16_000_000
_KNOWN_EVERYWHERE = 6
"""Least length of a secret that is replaced wherever it appears; a shorter one only where found."""
_SHORTEST_IN_ENVIRONMENT = 6
_EMBEDDED = re.compile(r"(?<=;base64,)[A-Za-z0-9+/_-]{500,}={0,2}")
"""A picture in a text: no model reads it, and nobody is to wait until it is searched."""
_FILE = Secret(0, 0, "EMBEDDED_FILE", "embedded file")


class Redactor:
    """Withholds secrets from texts, remembers them, and puts them back. One for a kernel; not safe across threads."""

    def __init__(self, *, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self._placeholders: dict[str, str] = {}
        self._values: dict[str, tuple[str, str]] = {}
        self._kinds: dict[str, str] = {}
        self._withheld: dict[str, None] = {}
        self._known = Known()
        self._test_lines: dict[str, None] = {}
        self._found: dict[str, tuple[Secret, ...]] = {}
        self._all: dict[str, tuple[int, list[Secret]]] = {}
        self._cached = 0
        self._at_once = False

    @property
    def withheld(self) -> tuple[str, ...]:
        """Descriptions of the withheld values (``"AWS access key in cell 3"``); never the secret."""
        return tuple(self._withheld)

    @property
    def knows_secrets(self) -> bool:
        """True if any credential is known: of a text, the kernel or the environment."""
        return bool(len(self._known))

    @property
    def _known_values(self) -> int:
        """Number of values that are withheld wherever they stand; it only grows."""
        return len(self._known) + len(self._test_lines)

    def forget_withheld(self) -> None:
        """Clear :attr:`withheld` for another turn. Secrets and their placeholders stay known."""
        self._withheld.clear()

    @contextmanager
    def at_once(self, known: Iterable[tuple[str, str]] = ()) -> Iterator[None]:
        """Read the environment only once in this context, for the many texts of one moment. ``known`` are names and values of
        credentials that the kernel holds."""
        self._learn(known)
        self._learn_environment()
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False

    def withhold(self, text: str, *, where: str = "") -> str:
        """``text`` with a placeholder for each secret. ``where`` is told to the user, e.g. ``"cell 3"``."""
        if ";base64," in text:
            text = _EMBEDDED.sub(lambda match: self._placeholder(match[0], _FILE), text)
        pieces = []
        end, known = 0, self._known_values
        for secret in self._secrets(text):
            value = text[secret.start : secret.end]
            pieces += [text[end : secret.start], self._placeholder(value, secret)]
            self._withheld[f"{self._kinds[value]} in {where}" if where else self._kinds[value]] = None
            end = secret.end
        if self._known_values > known:  # what one place of it gives away is a secret in the others, too
            return self.withhold(text, where=where)
        return "".join([*pieces, text[end:]])

    def restore(self, text: str, *, of: str | None = None) -> str:
        """``text`` with the values of this redactor's placeholders put back; with ``of`` only those values that stand in that text."""
        if OURS not in text:
            return text
        return _PLACEHOLDER.sub(lambda match: self._restored(match, of), text)

    def cover(self, text: str) -> str:
        """``text`` with the placeholder of every value that was withheld before, wherever it stands, but for those that are too short
        to mean anything elsewhere."""
        known = [value for value in self._placeholders if len(value) >= _KNOWN_EVERYWHERE]
        for value in sorted(known, key=len, reverse=True):
            text = text.replace(value, self._placeholders[value])
        return text

    def _restored(self, match: re.Match[str], of: str | None) -> str:
        """Replace the known placeholder at the start of a match (the rest may be the model's own)."""
        placeholder, value = self._values.get(match["number"], ("", ""))
        if not placeholder or not match[0].startswith(placeholder) or (of is not None and value not in of):
            return match[0]
        return value + match[0][len(placeholder) :]

    def _placeholder(self, value: str, secret: Secret) -> str:
        if value not in self._placeholders:
            number = str(len(self._placeholders) + 1)
            self._placeholders[value] = placeholder = f"{OURS}{number}_{secret.kind}"
            self._values[number] = (placeholder, value)
            self._kinds[value] = secret.words
            if secret.kind == HIDDEN_TESTS:
                self._test_lines.update(dict.fromkeys(telling_lines(value)))
            elif secret is not _FILE and len(value) >= _KNOWN_EVERYWHERE and "\n" not in value:
                self._known.add(value, secret.kind, secret.words)
        return self._placeholders[value]

    def _secrets(self, text: str) -> list[Secret]:
        """Secrets in ``text``, in order and without overlaps. What was found stays found until more is known."""
        if not self._at_once:
            self._learn_environment()
        known, secrets = self._all.get(text, (-1, []))
        if known != self._known_values:
            if len(self._found) >= _CACHED_TEXTS or self._cached > _CACHED_CHARACTERS:
                self._found.clear()
                self._all.clear()
                self._cached = 0
            if text not in self._found:
                self._found[text] = find(text)
                self._cached += len(text)
            elsewhere = standing_elsewhere(self._test_lines, text)
            secrets = without_overlaps([*self._known.find(text), *self._found[text], *elsewhere])
            self._all[text] = (self._known_values, secrets)
        return secrets

    def _learn(self, known: Iterable[tuple[str, str]]) -> None:
        for name, value in known:
            kind = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")[:40]
            self._known.add(value, kind or "SECRET", f"value of {name}")

    def _learn_environment(self) -> None:
        """Learn the environment variables that hold credentials, by their names."""
        self._learn(
            (name, value)
            for name, value in list(self._environ.items())
            if len(value) >= _SHORTEST_IN_ENVIRONMENT and names_a_credential(name) and not is_placeholder(value)
        )


_PLACEHOLDER = re.compile(OURS + r"(?P<number>\d+)_(?:(?!SPARK_SECRET_)[A-Z0-9_])*")
