"""Texts of the kernel that no finding may tell: credentials.

A finding names what is missing, and code can turn a text round before it looks it up, so that nobody who takes credentials out of the
finding knows it again. So the check does not know such a text in the first place.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from spark_jupyter.reality.abstract_values import Live, Of, Value
from spark_jupyter.source.credential_names import SAID_BY_NAME, kind_of, names_a_credential
from spark_jupyter.source.service_keys import keys_in

_SHORTEST, _LONGEST = 6, 200
"""Characters of a credential at least, and of a label at most: a longer text has any of both."""
_IN_ADDRESS = re.compile(r"://[^/\s:@]{0,200}:[^/\s@]{1,200}@|(?i:password|pwd|accountkey|token)=")


def is_private(name: str, thing: object) -> bool:
    """True for a text under this name that is a credential, or has one in it: by the name, by its form, or because the environment
    has it under the name of one."""
    if type(thing) not in (str, bytes):
        return False
    text = thing if isinstance(thing, str) else bytes(thing).decode("latin-1")  # type: ignore[call-overload]
    if not _SHORTEST <= len(text) <= _LONGEST:
        return len(text) > _LONGEST
    kind = kind_of(name)
    if kind in SAID_BY_NAME or (kind is not None and any(map(str.isdigit, text))):
        return True
    return _IN_ADDRESS.search(text) is not None or any(keys_in(text)) or text in _of_environment()


def without_private(name: str, value: Value) -> Value:
    """The value of a name, of which nothing but its type is known where it is a credential."""
    if isinstance(value, Live) and is_private(name, value.thing):
        return Of(type(value.thing), exact=True)
    return value


def look_again() -> None:
    """Know the environment as it is now: a check begins, and what runs meanwhile may have changed it."""
    _of_environment.cache_clear()


@lru_cache(1)
def _of_environment() -> frozenset[str]:
    """The credentials in the environment. It is read once for a check, which asks this of each text of a column."""
    return frozenset(value for name, value in os.environ.items() if names_a_credential(name))
