"""Credentials in a namespace: plain strings with a telling name or form.

No code of the user's runs for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from spark_jupyter.redaction.credential_values import is_value
from spark_jupyter.redaction.key_formats import in_shapes
from spark_jupyter.redaction.placeholders import is_placeholder, looks_random
from spark_jupyter.source.credential_names import kind_of

MOST_VALUES = 500
_MOST_NAMES = 5_000
_LONGEST = 4_096
_SHORTEST = 6


def held_in(namespace: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Names and values of the credentials in a namespace, the youngest first; also one level down, in dicts.

    Only values of exactly ``str`` and ``bytes`` are looked at. The namespace may be written to meanwhile.
    """
    try:
        items = list(namespace.items())
    except RuntimeError:  # changed size during iteration; the next prompt sees it
        return ()
    return tuple(islice(_held(items[: -_MOST_NAMES - 1 : -1]), MOST_VALUES))


def _held(items: list[tuple[str, object]]) -> Iterator[tuple[str, str]]:
    for name, value in items:
        if type(name) is not str or name.startswith("_"):
            continue
        if type(value) is dict:
            try:
                inner = list(islice(value.items(), 200))
            except RuntimeError:
                continue
            yield from (
                (f"{name}.{key}", text) for key, each in inner if type(key) is str and (text := _credential(key, each))
            )
        elif text := _credential(name, value):
            yield name, text


def _credential(name: str, value: object) -> str:
    """Value as text, if its name or its form is that of a credential; else empty."""
    text = value if type(value) is str else value.decode("utf-8", "replace") if type(value) is bytes else ""
    if not _SHORTEST <= len(text) <= _LONGEST or is_placeholder(text):
        return ""
    kind = kind_of(name)
    if kind is not None and is_value(text, kind):
        return text
    whole = looks_random(text) and any(secret.end - secret.start == len(text) for secret in in_shapes(text))
    return text if whole else ""
